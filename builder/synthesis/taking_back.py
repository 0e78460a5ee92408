"""Takes a synthesis back: its queries go, unless somebody has worked on them."""

from collections import Counter
from collections.abc import Collection, Mapping
from typing import Any

from builder.errors import BuilderError
from builder.people import Person, authorize, called
from builder.store import Connection, activity
from builder.store.syntheses import SynthesisRow, active_queries_of, note_taken_back
from builder.store.synthetic_queries import count_candidates
from builder.store.synthetic_review import worked_on
from builder.synthesis.alone import is_at_work
from builder.synthesis.entering import retire
from builder.synthesis.syntheses import known_synthesis
from builder.workspace import Workspace

TAKEN_BACK = "synthesis.take_back"
KEPT_IN_WORDS: Mapping[str, str] = {
    "judged": "somebody graded them",
    "decided": "an analyst decided on them",
    "discussed": "raters said something of them",
    "in_drawing": "in the drawing of a validation",
}
"""Why queries stay, of `builder.store.synthetic_review.worked_on`."""


def take_back_synthesis(
    workspace: Workspace,
    synthesis_id: int,
    actor: Person | None = None,
    *,
    anyway: bool = False,
    dry_run: bool = False,
) -> dict[str, Any]:
    """Let the queries go that a synthesis brought and nobody has worked on.

    They are retired, and the grade of the model is undone. Queries that a person judged or decided
    on, that raters spoke of, or that are in the drawing of a validation stay. The ledger, the
    candidates and what was paid stay on record; candidates of a run that was taken back wait for no
    review.

    A synthesis that was taken back before may be taken back once more: what can go now goes.

    Args:
        workspace: Whose queries.
        synthesis_id: Which run.
        actor: Who asks for it in the browser; None at the terminal.
        anyway: Take it back though queries of it stay, or though nothing goes.
        dry_run: Only tell what would become of it; nothing is written, and nothing refused.

    Returns:
        synthesis_id; queries_removed; candidates: queries that it wrote; unreviewed: those of them
        that wait for a reviewer or a filter, and then wait no more; kept: {reason: queries that
        stay}, by `KEPT_IN_WORDS`; again: whether it was taken back before; needs_anyway: whether
        it is refused unless it is done anyway.

    Raises:
        BuilderError: There is no such run, or it is at work; or it stands and queries stay that
            somebody has worked on, or nothing would go, and it is not to be taken back anyway;
            nothing has changed then.
        NotAllowedError: The actor is no analyst.
    """
    authorize(workspace, actor, "analyst")
    at_work = is_at_work(workspace)
    if dry_run:
        with workspace.store.read() as connection:
            row = _resting(connection, synthesis_id, at_work=at_work)
            keys = active_queries_of(connection, synthesis_id)
            return _told(connection, row, keys, worked_on(connection, keys))
    with workspace.store.write() as connection:
        row = _resting(connection, synthesis_id, at_work=at_work)
        keys = active_queries_of(connection, synthesis_id)
        stay = worked_on(connection, keys)
        told = _told(connection, row, keys, stay)
        if told["needs_anyway"] and not anyway:
            raise _refusal(told)
        for key in keys:
            if key not in stay:
                retire(connection, key)
        if row.taken_back_at is None:
            note_taken_back(connection, synthesis_id, called(actor))
        activity.note(connection, called(actor), TAKEN_BACK, str(synthesis_id), told)
    return told


def _resting(connection: Connection, synthesis_id: int, *, at_work: bool) -> SynthesisRow:
    row = known_synthesis(connection, synthesis_id)
    if at_work and row.state == "running":
        raise BuilderError(
            f"synthesis {synthesis_id} is at work", hint="Stop it first; then take it back."
        )
    return row


def _told(
    connection: Connection, row: SynthesisRow, keys: Collection[int], stay: Mapping[int, str]
) -> dict[str, Any]:
    counts, again = count_candidates(connection, row.synthesis_id), row.taken_back_at is not None
    goes = len(keys) - len(stay)
    unreviewed = 0 if again else counts.waiting + counts.unseen
    return {
        "synthesis_id": row.synthesis_id,
        "queries_removed": goes,
        "candidates": counts.generated,
        "unreviewed": unreviewed,
        "kept": dict(Counter(stay.values()).most_common()),
        "again": again,
        "needs_anyway": not again and (bool(stay) or not (goes or unreviewed)),
    }


def _refusal(told: Mapping[str, Any]) -> BuilderError:
    """Why a run is not taken back: it would be closed for good, and much of it stay."""
    number, kept, ways = told["synthesis_id"], told["kept"], []
    gone = f"{told['queries_removed']:,} of its queries"
    if n := told["unreviewed"]:
        gone += f" and {n:,} not reviewed yet"
    message = f"synthesis {number} stands: taking it back would let {gone} go"
    if kept:
        reasons = "; ".join(f"{n:,} {KEPT_IN_WORDS[reason]}" for reason, n in kept.items())
        message += f", {sum(kept.values()):,} would stay ({reasons})"
    if "in_drawing" in kept:
        ways.append("Take the validation back first (`goldsmith synth --take-back-validation`).")
    if set(kept) - {"in_drawing"}:
        ways.append("What people have worked on stays in any case.")
    ways.append(
        f"`goldsmith synth --take-back {number} --anyway` does it all the same; such a run cannot "
        "be reviewed or gone on with any more."
    )
    return BuilderError(message, hint=" ".join(ways))
