"""Takes a sampling back: the queries that only it brought go, unless somebody worked on them."""

from collections.abc import Mapping, Sequence
from typing import Any

from builder.errors import BuilderError
from builder.mining.mining import known_sampling
from builder.people import Person, authorize, called
from builder.store import activity
from builder.store.samplings import TakingBack, plan_taking_back, take_back
from builder.workspace import Workspace

TAKEN_BACK = "sampling.take_back"
KEPT_IN_WORDS: Mapping[str, str] = {
    "other_sampling": "drawn by another sampling, too",
    "graded": "have graded pairs",
    "in_pool": "have pairs in the pool",
    "discussed": "have remarks of raters",
    "edited": "were changed here",
}
"""Why queries stay, of `builder.store.samplings.KEPT_FOR`."""
_WORKED_ON = ("graded", "in_pool", "discussed")
"""Of these, a reason to refuse: such queries would lose their weights unnoticed."""


def take_back_sampling(
    workspace: Workspace,
    sampling_id: int,
    actor: Person | None = None,
    *,
    anyway: bool = False,
    dry_run: bool = False,
) -> dict[str, Any]:
    """Let the queries go that only samplings brought, of which this was the last that stood.

    A query stays if another sampling that stands drew it (other_sampling), if a pair of it was
    judged or decided (graded), if it has a pair in the pool (in_pool: a rater may have that on
    screen; taking the filling back first frees it), if raters said something about it (discussed),
    or if an analyst changed it (edited). Queries that were there before the first sampling of
    theirs stay without being counted.

    A sampling that was taken back before may be taken back once more: what can go now goes.

    Args:
        workspace: Whose queries.
        sampling_id: Which sampling.
        actor: Who asks for it in the browser; None at the terminal.
        anyway: Take it back though queries of it stay that are in the pool, graded or discussed.
        dry_run: Only tell what would become of it; nothing is written, and nothing refused.

    Returns:
        sampling_id; queries_removed; kept: {reason: queries}; lose_weight: queries that stay and
        that no sampling gives a weight any more; again: whether it was taken back before.

    Raises:
        BuilderError: There is no such sampling, or it stands and queries stay that somebody may be
            at work on, and it is not to be taken back anyway; nothing has changed then.
        NotAllowedError: The actor is no analyst.
    """
    authorize(workspace, actor, "analyst")
    if dry_run:
        with workspace.store.read() as connection:
            again = known_sampling(connection, sampling_id).taken_back_at is not None
            return _told(sampling_id, plan_taking_back(connection, sampling_id), again=again)
    with workspace.store.write() as connection:
        again = known_sampling(connection, sampling_id).taken_back_at is not None
        plan = plan_taking_back(connection, sampling_id)
        told = _told(sampling_id, plan, again=again)
        if not (anyway or again):
            _refuse_where_worked_on(told)
        take_back(connection, sampling_id, called(actor), plan)
        details = {"queries_removed": len(plan.going), "kept": plan.kept}
        activity.note(connection, called(actor), TAKEN_BACK, str(sampling_id), details)
    return told


def _told(sampling_id: int, plan: TakingBack, *, again: bool) -> dict[str, Any]:
    return {
        "sampling_id": sampling_id,
        "queries_removed": len(plan.going),
        "kept": plan.kept,
        "lose_weight": plan.unweighted,
        "again": again,
    }


def _refuse_where_worked_on(told: Mapping[str, Any]) -> None:
    number, kept = told["sampling_id"], told["kept"]
    worked_on = [reason for reason in _WORKED_ON if reason in kept]
    if not worked_on:
        return
    lost = told["lose_weight"]
    reasons = "; ".join(f"{n:,} {KEPT_IN_WORDS[reason]}" for reason, n in kept.items())
    raise BuilderError(
        f"sampling {number} stands: taking it back would remove {told['queries_removed']:,} of its "
        f"queries; {sum(kept.values()):,} would stay ({reasons}), and in all {lost:,} queries "
        "would be left without a weight",
        hint=" ".join(_ways_out(number, worked_on)),
    )


def _ways_out(number: int, worked_on: Sequence[str]) -> list[str]:
    ways = []
    if "in_pool" in worked_on:
        ways.append(
            "Take the filling of the pool back first (`goldsmith pool --list`, `goldsmith pool "
            "--take-back N`); its pairs without a grade go with it."
        )
    if set(worked_on) - {"in_pool"}:
        ways.append("What raters have worked on stays in any case.")
    ways.append(f"`goldsmith mine --take-back {number} --anyway` does it all the same.")
    return ways
