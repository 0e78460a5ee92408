"""Holes: documents that models show first and nobody judged, and how far judging them could move.

An unjudged document counts as not relevant. So a model that finds what no other found is scored too
low until somebody judges it, and a comparison is only as good as its judged@k. Here stands which
pairs to judge first: those that move the comparison most.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from builder.store.people import Person
from builder.workspace import Workspace
from evals.records import Progress

SOURCE = "holes"
"""Who named a pair that was sent to the queue from here, in the pool's sources."""


@dataclass(frozen=True, slots=True)
class Hole:
    """An unjudged document in the top k of at least one model.

    Attributes:
        query_id: The query.
        doc_id: The document.
        ranks: Model -> its 1-based rank there, of the models that have it in their top k.
        movement: By how much a grade of 3 moves the mean nDCG@k of the models apart, in [0, 1]:
            the largest minus the smallest change over all models, divided by the number of
            queries; of a single model the size of its own change.
    """

    query_id: str
    doc_id: str
    ranks: Mapping[str, int]
    movement: float

    @property
    def best_rank(self) -> int:
        """The best rank in any model."""
        return min(self.ranks.values())


@dataclass(frozen=True)
class Holes:
    """The holes of one comparison, by the grades of this moment.

    Attributes:
        task: NAME@N, draft, or a folder's name; "" where nothing was evaluated.
        release: The number of the release; None where it is none.
        k: How many ranks are looked at.
        reason: Why there is nothing to judge: no_results, no_kept_run, all_judged; None if there
            are holes, here or in the queue.
        n_queries: Judged queries of the task.
        models: The best first: {"model", "judged_before" (judged@k now; None where nothing was
            found), "unjudged" (documents in its top k), "ndcg" (nDCG@k now), "lowest", "highest"
            (what it can become by judging holes and what waits)}.
        holes: Pairs that the pool does not hold, the one that moves most first.
        queued: Likewise, pairs that wait in the queue already.
        graded_since: Pairs in the top k that were graded after the task was frozen: no holes.
        left_out: Reason -> unjudged pairs that cannot be asked for here: query_unknown,
            query_retired, document_unknown, given_up (nobody is asked any more).
        left_out_models: {"model", "why": "stale_run" | "no_kept_run"} of models that have a
            result and no run of this corpus and these queries.
        winner: The first model; None without any.
        winner_can_change: Whether grades for holes and queued pairs exist by which another model
            comes first; None with fewer than two models.
    """

    task: str
    release: int | None
    k: int
    reason: str | None
    n_queries: int = 0
    models: Sequence[Mapping[str, Any]] = ()
    holes: Sequence[Hole] = ()
    queued: Sequence[Hole] = ()
    graded_since: int = 0
    left_out: Mapping[str, int] = field(default_factory=dict)
    left_out_models: Sequence[Mapping[str, str]] = ()
    winner: str | None = None
    winner_can_change: bool | None = None

    def after(self, n: int) -> dict[str, float | None]:
        """Model -> judged@k once the first `n` of `holes` and all that is queued were judged.

        The mean over judged queries of judged documents among the first k / min(k, found); None
        where a model found nothing.
        """
        raise NotImplementedError

    def as_json(self, limit: int | None = None) -> dict[str, Any]:
        """All of it, at most `limit` holes and queued pairs each."""
        raise NotImplementedError


def find_holes(
    workspace: Workspace,
    task: str | None = None,
    k: int = 10,
    models: Sequence[str] | None = None,
    progress: Progress | None = None,
) -> Holes:
    """The unjudged documents in any model's top k, the one that moves the comparison most first.

    Args:
        workspace: Where grades, results and runs lie.
        task: As `resolve_task` takes them; None: the newest release with results.
        k: How many ranks are looked at.
        models: Only these, by the names that `Holes.models` has; None: all.
        progress: Hears how far it is; may raise to stop.

    Raises:
        TaskNotFoundError: There is no such task.
        BuilderError: `k` is below 1, a model is unknown, or the draft is empty.
        EvalsError: The task or a file of results cannot be read.
    """
    raise NotImplementedError


def pool_holes(  # noqa: PLR0913 - what the page and the command ask for
    workspace: Workspace,
    task: str | None = None,
    k: int = 10,
    limit: int | None = None,
    *,
    models: Sequence[str] | None = None,
    dry_run: bool = False,
    actor: Person | None = None,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Send the first `limit` holes to the queue, with the source "holes" and their best rank.

    Args:
        workspace: Where grades, results and runs lie.
        task: As in `find_holes`.
        k: How many ranks are looked at.
        limit: How many at most; None: all.
        models: As in `find_holes`.
        dry_run: Whether only to say what would be added.
        actor: Who asks for it in the browser; None at the terminal.
        progress: Hears how far it is; may raise to stop.

    Returns:
        As `pool`: pairs_added, by_source, pooling_id (None if nothing was written), …; and task,
        release, k, reason (as `Holes.reason`), holes (how many there were), queued (how many waited
        already), left_out, left_out_models, judged ([{"model", "before", "after"}]: judged@k now,
        and once these and all that is queued were judged). Repeated it adds nothing.

    Raises:
        NotAllowedError: The actor is no analyst.
        BuilderError: As `find_holes`, or `limit` is below 1.
    """
    raise NotImplementedError
