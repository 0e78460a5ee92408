"""Holes: documents that models show first and nobody judged, and how far judging them could move.

An unjudged document counts as not relevant. So a model that finds what no other found is scored too
low until somebody judges it, and a comparison is only as good as its judged@k. Here stands which
pairs to judge first: those that move the comparison most.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from builder.errors import BuilderError
from builder.evaluation.hole_bounds import Bounds, find_bounds
from builder.evaluation.hole_gains import QueryTops, movements
from builder.evaluation.hole_records import Hole, Holes, Judged
from builder.evaluation.hole_runs import Compared, find_compared
from builder.evaluation.hole_states import NEW, QUEUED, Asking, grades_now
from builder.evaluation.kept import top_documents
from builder.people import Person, authorize, called
from builder.pooling.budget import team_pace
from builder.pooling.choosing import spread
from builder.pooling.recording import record_pooling
from builder.workspace import Workspace
from evals.records import Progress

__all__ = ["SOURCE", "Hole", "Holes", "find_holes", "pool_holes"]

SOURCE = "holes"
"""Who named a pair that was sent to the queue from here, in the pool's sources."""

_DIGITS = 12
"""What differs in later digits moves the same: the sums are not exact beyond."""

_Ranks = Mapping[str, Mapping[str, int]]
"""doc_id -> model -> rank."""


def find_holes(
    workspace: Workspace,
    task: str | None = None,
    k: int = 10,
    models: Sequence[str] | None = None,
    progress: Progress | None = None,
) -> Holes:
    """The unjudged documents in any model's top k, the one that moves the comparison most first.

    Of equal ones that with the better rank comes first, then the smaller ids.

    Args:
        workspace: Where grades, results and runs lie.
        task: As `resolve_task` takes it; None: the newest release with results.
        k: How many ranks are looked at.
        models: Only these, by the names that `Holes.models` has; None: all.
        progress: Hears how far it is; may raise to stop.

    Raises:
        TaskNotFoundError: There is no such task.
        BuilderError: `k` is below 1, a model is unknown, or the draft is empty.
        EvalsError: The task or a file of results cannot be read.
    """
    if k < 1:
        raise BuilderError(f"k is {k}, must be at least 1")
    compared = find_compared(workspace, task, models, progress)
    if compared is None:
        return Holes("", None, k, "no_results")
    if not compared.runs:
        frozen = compared.task
        return Holes(
            frozen.name,
            frozen.release,
            k,
            "no_kept_run",
            n_queries=len(frozen.qrels),
            left_out_models=compared.left_out,
        )
    if progress is not None:
        progress("looking for unjudged documents", 0, None)
    return _Search.of(workspace, compared, k).holes(progress)


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
        As `pool`: pairs_added, by_source, pooling_id (None if nothing was written), candidates,
        known, queries, per_query, cut_by_budget, dropped, cost; and task, release, k, reason (as
        `Holes.reason`), holes (how many there were), queued (how many waited already),
        left_out_models, winner, winner_can_change, judged ([{"model", "before", "after"}]: judged@k
        now, and once these and all that is queued were judged). Repeated it adds nothing.

    Raises:
        NotAllowedError: The actor is no analyst.
        BuilderError: As `find_holes`, or `limit` is below 1.
    """
    authorize(workspace, actor, "analyst")
    if limit is not None and limit < 1:
        raise BuilderError(f"the limit is {limit}, must be at least 1")
    found = find_holes(workspace, task, k, models, progress)
    sent = found.holes[:limit]
    with workspace.store.read() as connection:
        cost = team_pace(workspace, connection).cost(len(sent))
    outcome = _outcome(found, sent) | {"cost": cost}
    if dry_run or not sent:
        return outcome
    named = [(hole.query_id, hole.doc_id, SOURCE, hole.best_rank) for hole in sent]
    asked = {"kind": SOURCE, "task": task, "k": k, "limit": limit}
    parameters = asked | {"models": None if models is None else list(models)}
    with workspace.store.write() as connection:
        written = record_pooling(connection, named, parameters, outcome, called(actor))
    return outcome | {
        "pooling_id": written.pooling_id,
        "pairs_added": written.pairs_added,
        "by_source": written.by_source,
    }


@dataclass(frozen=True, slots=True)
class _Search:
    """What is compared, with the grades of this moment.

    Attributes:
        compared: Task and runs.
        k: How many ranks are looked at.
        queries: query_id -> tops and grades.
        ranks: query_id -> its unjudged documents with their ranks.
        asking: For which of these raters can be asked.
    """

    compared: Compared
    k: int
    queries: Mapping[str, QueryTops]
    ranks: Mapping[str, _Ranks]
    asking: Asking

    @classmethod
    def of(cls, workspace: Workspace, compared: Compared, k: int) -> "_Search":
        """Reads runs and grades."""
        tops = {model: top_documents(kept, k) for model, kept in compared.runs.items()}
        with workspace.store.read() as connection:
            queries = {
                query_id: QueryTops(
                    grades, {model: top.get(query_id, ()) for model, top in tops.items()}, k
                )
                for query_id, grades in grades_now(connection, compared.task).items()
            }
            every = ((query_id, query.ranks()) for query_id, query in queries.items())
            ranks = {query_id: unjudged for query_id, unjudged in every if unjudged}
            asking = Asking.of(connection, ranks)
        return cls(compared, k, queries, ranks, asking)

    def holes(self, progress: Progress | None) -> Holes:
        """All that is to be said of them."""
        by_state: dict[str, list[Hole]] = {NEW: [], QUEUED: []}
        for state, hole in self._asked():
            by_state[state].append(hole)
        new, queued = (sorted(by_state[state], key=_first) for state in (NEW, QUEUED))
        found = self._without_models(new, queued)
        asked: defaultdict[str, list[str]] = defaultdict(list)
        for hole in [*new, *queued]:
            asked[hole.query_id].append(hole.doc_id)
        bounds = find_bounds(
            [(query, asked[query_id]) for query_id, query in self.queries.items()],
            list(self.compared.runs),
            progress,
        )
        return replace(
            found,
            models=self._rows(found, bounds),
            winner=bounds.winner,
            winner_can_change=bounds.winner_can_change,
        )

    def _without_models(self, new: Sequence[Hole], queued: Sequence[Hole]) -> Holes:
        task, left_out = self.compared.task, self.asking.left_out
        nothing = "nobody_to_ask" if left_out else "all_judged"
        return Holes(
            task=task.name,
            release=task.release,
            k=self.k,
            reason=None if new or queued else nothing,
            n_queries=len(self.queries),
            holes=new,
            queued=queued,
            graded_since=self._graded_since(),
            left_out=dict(sorted(left_out.items())),
            left_out_models=self.compared.left_out,
            judged={model: self._judged(model) for model in self.compared.runs},
        )

    def _asked(self) -> Iterator[tuple[str, Hole]]:
        """Each unjudged pair for which raters can be asked, and whether it waits already."""
        for query_id, ranks in self.ranks.items():
            states = {doc_id: self.asking.state(query_id, doc_id) for doc_id in ranks}
            wanted = {doc_id: ranks[doc_id] for doc_id, state in states.items() if state}
            for doc_id, moved in movements(self.queries[query_id], wanted).items():
                movement = round(moved / len(self.queries), _DIGITS)
                yield states[doc_id] or "", Hole(query_id, doc_id, ranks[doc_id], movement)

    def _judged(self, model: str) -> Judged:
        found, by_found = {}, Counter[int]()
        for query_id, query in self.queries.items():
            top = query.tops[model]
            found[query_id] = len(top)
            by_found[len(top)] += sum(doc_id in query.grades for doc_id in top)
        return Judged(found, by_found)

    def _graded_since(self) -> int:
        """Pairs in the top k that are judged now and were not when the task was frozen."""
        frozen = self.compared.task.qrels
        return sum(
            doc_id in query.grades and doc_id not in frozen[query_id]
            for query_id, query in self.queries.items()
            for doc_id in {doc_id for top in query.tops.values() for doc_id in top}
        )

    def _rows(self, found: Holes, bounds: Bounds) -> list[dict[str, Any]]:
        queued = found.after(0)
        unjudged = Counter(
            model for ranks in self.ranks.values() for of in ranks.values() for model in of
        )
        rows = [
            {
                "model": model,
                "model_key": kept.model_key,
                "judged_before": found.judged[model].share(),
                "judged_queued": queued[model],
                "unjudged": unjudged[model],
                "ndcg": bounds.ndcg[model],
                "lowest": bounds.lowest.get(model),
                "highest": bounds.highest.get(model),
            }
            for model, kept in self.compared.runs.items()
        ]
        return sorted(rows, key=lambda row: (-bounds.ndcg[row["model"]], row["model"]))


def _first(hole: Hole) -> tuple[float, int, str, str]:
    """The order in which holes are judged."""
    return -hole.movement, hole.best_rank, hole.query_id, hole.doc_id


def _outcome(found: Holes, sent: Sequence[Hole]) -> dict[str, Any]:
    """What `pool` prints, and what judging these makes of judged@k."""
    per_query = Counter(hole.query_id for hole in sent)
    before = {row["model"]: row["judged_before"] for row in found.models}
    after = found.after(len(sent))
    return {
        "pairs_added": len(sent),
        "by_source": {SOURCE: len(sent)} if sent else {},
        "pooling_id": None,
        "candidates": len(found.holes) + len(found.queued),
        "known": len(found.queued),
        "queries": len(per_query),
        "per_query": spread(list(per_query.values())),
        "cut_by_budget": len(found.holes) - len(sent),
        "dropped": dict(found.left_out),
        "task": found.task,
        "release": found.release,
        "k": found.k,
        "reason": found.reason,
        "holes": len(found.holes),
        "queued": len(found.queued),
        "left_out_models": [dict(row) for row in found.left_out_models],
        "winner": found.winner,
        "winner_can_change": found.winner_can_change,
        "judged": [
            {"model": model, "before": share, "after": after[model]}
            for model, share in before.items()
        ],
    }
