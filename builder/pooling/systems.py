"""What sources name for the queries joins the pool: balanced, within a budget, on record."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from builder.errors import BuilderError
from builder.people import Person, actor_called, authorize, called
from builder.pooling.candidates import find_candidates
from builder.pooling.choosing import choose
from builder.pooling.contributors import Candidates
from builder.pooling.plan import PoolPlan
from builder.pooling.recording import Recorded, find_pooling, record_pooling
from builder.pooling.sanity import corpus_sanity
from builder.workspace import Workspace
from evals.records import Progress


def pool(
    workspace: Workspace,
    retrievers: Sequence[str] = ("bm25",),
    depth: int = 10,
    progress: Progress | None = None,
    actor: Person | None = None,
    *,
    plan: PoolPlan | None = None,
) -> dict[str, Any]:
    """Put what sources name for queries into the pool, in one transaction that is on record.

    Args:
        workspace: What is searched.
        retrievers: "bm25", "minilm", names or folders of SentenceTransformers; each is noted as
            the source of its pairs, with their ranks.
        depth: How many documents of each query.
        progress: Hears how far it is; may raise to stop, and then nothing was added.
        actor: Who asks for it in the browser; None at the terminal.
        plan: All that is asked for; then `retrievers` and `depth` do not count.

    Returns:
        pairs_added: pairs that the pool did not hold; by_source: source -> pairs that it named, new
        or not; pooling_id: the record, None where no pair and no source of a pair is new;
        candidates: pairs that any source named; known: of these in the pool before; queries: that
        were asked for; per_query: min, median and max of new pairs; opened: known ones that only
        synthesis had named, so that nobody was asked for them until now; cut_by_budget; dropped:
        {reason: n} of what was left out otherwise, hopeless for the pairs that the balance left
        out; sources: for each what it named, how much of it is new, and for how many queries it
        named nothing; balance; expected: as `expectation.expected`; cost: as `budget.Pace.cost`,
        of the new and the opened pairs;
        sanity: findings on the corpus; flagged: searches of flagged sessions that the click
        evidence leaves out or counts, {} where no clicks are asked for; warnings: sentences.

    Raises:
        BuilderError: There are no such queries or no documents, or the plan makes no sense.
        NotAllowedError: The actor is no analyst.
        EvalsError: A model cannot be loaded, or a run file not be read.
    """
    authorize(workspace, actor, "analyst")
    asked = plan or PoolPlan(retrievers=tuple(retrievers), depth=depth)
    return _fill(workspace, asked, called(actor), progress)


def preview(
    workspace: Workspace, plan: PoolPlan, progress: Progress | None = None
) -> dict[str, Any]:
    """What `pool` would do by this plan at this moment, in the same words; nothing is written.

    Raises:
        BuilderError: As `pool`; EvalsError likewise.
    """
    candidates, sanity = _found(workspace, plan, progress)
    with workspace.store.read() as connection:
        chosen = choose(workspace, connection, plan, candidates)
    recorded = Recorded(None, chosen.new, chosen.known, chosen.by_source)
    return {**chosen.outcome, "sanity": sanity, **asdict(recorded)}


def pool_job(
    workspace: Workspace, parameters: Mapping[str, Any], progress: Progress
) -> dict[str, Any]:
    """The job that pools: `parameters` holds actor (a name) and fields of a PoolPlan.

    Raises:
        BuilderError: As `pool`; NotAllowedError and EvalsError likewise.
    """
    options = dict(parameters)
    actor = actor_called(workspace, options.pop("actor"))
    return pool(workspace, progress=progress, actor=actor, plan=PoolPlan.from_json(options))


def preview_job(
    workspace: Workspace, parameters: Mapping[str, Any], progress: Progress
) -> dict[str, Any]:
    """The job that says what `pool_job` would do with these parameters; nothing is written.

    Raises:
        BuilderError: As `pool`; NotAllowedError and EvalsError likewise.
    """
    options = dict(parameters)
    authorize(workspace, actor_called(workspace, options.pop("actor")), "analyst")
    return preview(workspace, PoolPlan.from_json(options), progress)


def repeat_pooling(
    workspace: Workspace,
    pooling_id: int,
    progress: Progress | None = None,
    actor: Person | None = None,
    *,
    dry_run: bool = False,
) -> dict[str, Any]:
    """Pool once more by the same plan and seed, on what is there today; as `pool`.

    Args:
        workspace: What is searched.
        pooling_id: The pooling to repeat, also one that was taken back.
        progress: Hears how far it is; may raise to stop, and then nothing was added.
        actor: Who asks for it in the browser; None at the terminal.
        dry_run: Only say what would come of it, as `preview`.

    Returns:
        As `pool`, and repeats: the pooling_id that was repeated.

    Raises:
        BuilderError: There is no such pooling, or it filled holes of an evaluation or was drawn
            for a validation.
        NotAllowedError: The actor is no analyst.
    """
    authorize(workspace, actor, "analyst")
    parameters = dict(find_pooling(workspace, pooling_id).parameters)
    if "kind" in parameters:
        raise _not_repeated(pooling_id, parameters["kind"])
    plan = PoolPlan.from_json(parameters)
    told = (
        preview(workspace, plan, progress)
        if dry_run
        else _fill(workspace, plan, called(actor), progress)
    )
    return {**told, "repeats": pooling_id}


def repeat_job(
    workspace: Workspace, parameters: Mapping[str, Any], progress: Progress
) -> dict[str, Any]:
    """The job that repeats a pooling: `parameters` holds actor (a name) and pooling_id.

    Start it with the kind "pool" too, so that no two fill the pool at once.

    Raises:
        BuilderError: As `repeat_pooling`; NotAllowedError and EvalsError likewise.
    """
    actor = actor_called(workspace, parameters["actor"])
    return repeat_pooling(workspace, parameters["pooling_id"], progress, actor)


def _not_repeated(pooling_id: int, kind: str) -> BuilderError:
    if kind == "validation":
        return BuilderError(
            f"filling {pooling_id} was drawn for a validation",
            hint="Draw another one: `goldsmith synth --validate`.",
        )
    return BuilderError(
        f"filling {pooling_id} filled holes of an evaluation",
        hint="Other ones are open by now: `goldsmith pool --from-results`.",
    )


def _found(
    workspace: Workspace, plan: PoolPlan, progress: Progress | None
) -> tuple[Candidates, list[dict[str, Any]]]:
    """What takes long, outside of any transaction."""
    candidates = find_candidates(workspace, plan, progress)
    return candidates, [finding.as_json() for finding in corpus_sanity(workspace, progress)]


def _fill(
    workspace: Workspace, plan: PoolPlan, actor: str, progress: Progress | None
) -> dict[str, Any]:
    candidates, sanity = _found(workspace, plan, progress)
    parameters = {**plan.as_json(), "runs": [str(Path(run).resolve()) for run in plan.runs]}
    with workspace.store.write() as connection:
        chosen = choose(workspace, connection, plan, candidates)
        told = {**chosen.outcome, "sanity": sanity}
        recorded = record_pooling(connection, chosen.named, parameters, told, actor)
    return {**told, **asdict(recorded)}
