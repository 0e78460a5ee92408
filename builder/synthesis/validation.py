"""Draws synthetic queries for blind validation by experts, and takes a drawing back."""

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

from builder.errors import BuilderError
from builder.people import Person, actor_called, authorize, called
from builder.pooling import record_pooling
from builder.pooling.taking_back import plan_within, take_back_within
from builder.store import Connection, activity
from builder.store.poolings import pooling_stands
from builder.store.validations import (
    SourcePair,
    ValidationRow,
    add_validation,
    all_validations,
    end_validation,
    find_validation,
    keep_validation_outcome,
    latest_validation,
    source_pairs,
    units_now,
)
from builder.synthesis.drawing import Drawing, draw
from builder.synthesis.round_trip import FOUND, other_documents
from builder.workspace import Workspace
from estimates import wilson
from evals.records import Progress

SOURCE: Final = "validation"
"""Who names the pairs that a validation puts into the pool, source documents and others alike."""
DRAWN: Final = "validation.draw"
TAKEN_BACK: Final = "validation.take_back"
MOST_OTHERS: Final = 20
_TO_THE_MINUTE = len("2026-11-30T17:46")

Others = Mapping[str, Sequence[str]]
"""query_id -> further documents that raters see beside the one that it was written for."""


@dataclass(frozen=True, slots=True)
class _Asked:
    """What is asked for."""

    share: float
    seed: int
    others: int

    def __post_init__(self) -> None:
        if not 0 < self.share <= 1:
            raise BuilderError(
                f"the share to validate is {self.share}", hint="Choose a number above 0, up to 1."
            )
        if not 0 <= self.others <= MOST_OTHERS:
            raise BuilderError(
                f"{self.others} further documents for each query make no sense",
                hint=f"Choose 0 to {MOST_OTHERS}.",
            )


def draw_validation(  # noqa: PLR0913 - what is drawn, and how
    workspace: Workspace,
    share: float = 0.25,
    seed: int = 0,
    others: int = 3,
    *,
    retrievers: Sequence[str] = ("bm25", "minilm"),
    dry_run: bool = False,
    progress: Progress | None = None,
    actor: Person | None = None,
) -> dict[str, Any]:
    """Draw synthetic queries at random, stratified, and put them blind into the experts' queue.

    Of each drawn query the source document and up to `others` further ones that retrievers rank
    for it join the pool under one source, in one filling, in the order of their ids: nothing tells
    which is which. The latest validation that stands is the one that counts. What it must show is
    what the settings say now. The same drawing again writes nothing.

    Args:
        workspace: Whose synthetic queries.
        share: Which share of them, above 0 and at most 1.
        seed: A greater share of the same seed holds the smaller one, if both are parted alike.
        others: Further documents of each drawn query; 0 tells raters which document it came from.
        retrievers: Who names these; at least one has to be installed.
        dry_run: Only tell what would be drawn; nothing is searched and nothing written.
        progress: Hears what is done; may raise to cancel, and then nothing was written.
        actor: Who asks for it in the browser; None at the terminal.

    Returns:
        validation_id: None where nothing was written; unchanged: the number of the latest
        validation where that drew the same, else None; queries: active synthetic queries; drawn;
        needed: how many of the drawn must agree for all to be accepted, if none is left out (None:
        even all would not do); strata: [{"stratum", "queries", "drawn"}]; by: what they are parted
        by, "type and language", "type" or "nothing"; pairs_at_most: documents that experts see at
        most; others: further documents that were named, and alone: drawn queries for which none was
        found (None where nothing was searched); pairs_added; pooling_id; share; seed; warnings:
        [sentence].

    Raises:
        BuilderError: There is no synthetic query, the share makes no sense, no retriever runs, or
            the queries changed meanwhile.
        NotAllowedError: The actor is no analyst.
    """
    authorize(workspace, actor, "analyst")
    asked = _Asked(share, seed, others)
    with workspace.store.read() as connection:
        drawing = _drawn(connection, asked)
        unchanged = _same_as_latest(connection, workspace, drawing, asked)
    told = _told(workspace, drawing, asked) | {"unchanged": unchanged}
    if dry_run or unchanged is not None:
        return told
    found = _others(workspace, drawing, asked, retrievers, progress)
    with workspace.store.write() as connection:
        return _keep(connection, workspace, drawing, asked, found, called(actor))


def draw_validation_job(
    workspace: Workspace, parameters: Mapping[str, Any], progress: Progress
) -> dict[str, Any]:
    """The job that draws: `parameters` holds actor (a name), share, seed and others.

    With "dry_run": True it only tells what would be drawn.

    Raises:
        BuilderError: As `draw_validation`; NotAllowedError likewise.
    """
    known = ("share", "seed", "others", "retrievers", "dry_run")
    asked = {name: parameters[name] for name in known if name in parameters}
    actor = actor_called(workspace, parameters["actor"])
    return draw_validation(workspace, **asked, progress=progress, actor=actor)


def list_validations(workspace: Workspace) -> list[dict[str, Any]]:
    """All drawings, the latest first.

    Returns:
        [{"validation_id", "created_at", "created_by", "parameters" (share, seed, others, rule),
        "outcome" (as `draw_validation`, once taken back also "taken_back"), "taken_back_at",
        "taken_back_by" (None while it stands)}].
    """
    with workspace.store.read() as connection:
        return [asdict(row) for row in all_validations(connection)]


def take_back_validation(
    workspace: Workspace,
    validation_id: int | None = None,
    actor: Person | None = None,
    *,
    dry_run: bool = False,
) -> dict[str, Any]:
    """Let a validation stand no more, and take its filling out of the pool.

    What anybody has graded stays, as with every filling. The validation before it, if one stands,
    counts again.

    Args:
        workspace: Whose.
        validation_id: Which; None: the latest that stands.
        actor: Who asks for it in the browser; None at the terminal.
        dry_run: Only tell what would become of it; nothing is written.

    Returns:
        validation_id; filling: as `builder.pooling.take_back_pooling`, None where it had none or
        that was taken back before; standing: the number of the validation that counts afterwards,
        None if none.

    Raises:
        BuilderError: There is no such validation, or it was taken back before.
        NotAllowedError: The actor is no analyst.
    """
    authorize(workspace, actor, "analyst")
    if dry_run:
        with workspace.store.read() as connection:
            row = _standing(connection, validation_id)
            pooling_id = _filling(connection, row)
            filling = None if pooling_id is None else plan_within(connection, pooling_id)
            return _taken_back(connection, row, filling)
    with workspace.store.write() as connection:
        row = _standing(connection, validation_id)
        pooling_id = _filling(connection, row)
        name = called(actor)
        filling = None if pooling_id is None else take_back_within(connection, pooling_id, name)
        end_validation(connection, row.validation_id, name)
        told = _taken_back(connection, row, filling)
        outcome = {**row.outcome, "taken_back": told}
        keep_validation_outcome(connection, row.validation_id, outcome)
        activity.note(connection, name, TAKEN_BACK, str(row.validation_id), told)
    return told


def _drawn(connection: Connection, asked: _Asked) -> Drawing:
    sources = source_pairs(connection)
    if not sources:
        raise BuilderError(
            "there are no synthetic queries to validate",
            hint="Generate queries and accept the good ones in the review.",
        )
    return draw(sources, asked.share, asked.seed)


def _told(workspace: Workspace, drawing: Drawing, asked: _Asked) -> dict[str, Any]:
    n = len(drawing.drawn)
    return {
        "validation_id": None,
        "unchanged": None,
        "queries": len(drawing.units),
        "drawn": n,
        "needed": _needed(n, workspace.settings.synthesis.least_agreement),
        "strata": drawing.strata(),
        "by": drawing.by,
        "pairs_at_most": n * (1 + asked.others),
        "others": None,
        "alone": None,
        "pairs_added": 0,
        "pooling_id": None,
        "share": asked.share,
        "seed": asked.seed,
        "warnings": _warnings(workspace, n, asked),
    }


def _needed(n: int, least: float) -> int | None:
    """With how many of n agreeing their interval begins at `least`; None where with none."""
    agree = bisect_left(range(n + 1), least, key=lambda agree: wilson(agree, n).low or 0.0)
    return agree if agree <= n else None


def _warnings(workspace: Workspace, n: int, asked: _Asked) -> list[str]:
    told, least = [], workspace.settings.synthesis.least_agreement
    if _needed(n, least) is None:
        told.append(
            f"{_queries(n)} can show nothing: if experts agreed with each, the share might still "
            f"be {wilson(n, n).low:.2f}, below {least:.2f}; draw a larger share"
        )
    if not asked.others:
        told.append(
            "without further documents raters know which one each query was written for, and grade "
            "it higher"
        )
    return told


def _others(
    workspace: Workspace,
    drawing: Drawing,
    asked: _Asked,
    retrievers: Sequence[str],
    progress: Progress | None,
) -> Others:
    """The first documents of each drawn query that are not its own."""
    if not asked.others:
        return {}
    own = {source.query_id: source.doc_id for source in drawing.drawn}
    depth = max(FOUND, asked.others + 1)
    named = other_documents(workspace, list(own), depth, retrievers, progress)
    return {
        query_id: _first(own[query_id], [doc_id for doc_id, *_ in ranked], asked.others)
        for query_id, ranked in named.items()
    }


def _first(own: str, ranked: Sequence[str], n: int) -> list[str]:
    return [doc_id for doc_id in dict.fromkeys(ranked) if doc_id != own][:n]


def _keep(
    connection: Connection,
    workspace: Workspace,
    drawing: Drawing,
    asked: _Asked,
    others: Others,
    actor: str,
) -> dict[str, Any]:
    """Write a drawing, inside a writing transaction; what `draw_validation` tells."""
    if _drawn(connection, asked) != drawing:
        raise BuilderError(
            "synthetic queries changed while documents were searched for; nothing was drawn",
            hint="Draw again.",
        )
    unchanged = _same_as_latest(connection, workspace, drawing, asked)
    told = _told(workspace, drawing, asked) | {"unchanged": unchanged}
    if unchanged is not None:
        return told
    parameters = _parameters(workspace, asked)
    validation_id = add_validation(connection, parameters, actor, drawing.units)
    named = _named(drawing.drawn, others)
    filling = {"kind": SOURCE, "validation_id": validation_id}
    recorded = record_pooling(connection, named, filling, {}, actor)
    told |= {
        "validation_id": validation_id,
        "others": len(named) - len(drawing.drawn),
        "alone": sum(not others.get(source.query_id) for source in drawing.drawn),
        "pairs_added": recorded.pairs_added,
        "pooling_id": recorded.pooling_id,
    }
    told["warnings"] = [*told["warnings"], *_alone(told, asked)]
    keep_validation_outcome(connection, validation_id, told)
    activity.note(connection, actor, DRAWN, str(validation_id), _noted(told))
    return told


def _named(drawn: Sequence[SourcePair], others: Others) -> list[tuple[str, str, str, int | None]]:
    """What the filling names: of each query all documents by their ids, none with a rank."""
    return [
        (source.query_id, doc_id, SOURCE, None)
        for source in drawn
        for doc_id in sorted([source.doc_id, *others.get(source.query_id, ())])
    ]


def _alone(told: Mapping[str, Any], asked: _Asked) -> list[str]:
    if not asked.others or not told["alone"]:
        return []
    return [
        f"for {_queries(told['alone'])} no further document was found: raters see only the one "
        "that it was written for"
    ]


def _noted(told: Mapping[str, Any]) -> dict[str, Any]:
    return {name: told[name] for name in ("queries", "drawn", "share", "seed", "pairs_added")}


def _parameters(workspace: Workspace, asked: _Asked) -> dict[str, Any]:
    return {**asdict(asked), "rule": workspace.settings.synthesis.model_dump()}


def _same_as_latest(
    connection: Connection, workspace: Workspace, drawing: Drawing, asked: _Asked
) -> int | None:
    """The number of the latest validation if it drew the same and its documents are pooled."""
    row = latest_validation(connection)
    if row is None or dict(row.parameters) != _parameters(workspace, asked):
        return None
    now = units_now(connection, row.validation_id)
    is_asked = all(unit.quota != 0 for unit in now if unit.drawn)
    pooling_id = row.outcome.get("pooling_id")
    stands = pooling_id is None or pooling_stands(connection, pooling_id)
    theirs = [(unit.query_id, unit.text_then, unit.stratum, bool(unit.drawn)) for unit in now]
    mine = [
        (unit.source.query_id, unit.source.text, unit.stratum, unit.drawn) for unit in drawing.units
    ]
    return row.validation_id if is_asked and stands and theirs == mine else None


def _standing(connection: Connection, validation_id: int | None) -> ValidationRow:
    """The validation that is to be taken back."""
    if validation_id is None:
        row = latest_validation(connection)
        if row is None:
            raise BuilderError("no validation stands", hint="There is nothing to take back.")
        return row
    row = find_validation(connection, validation_id)
    if row is None:
        raise BuilderError(f"there is no validation {validation_id} in this workspace")
    if row.taken_back_at is not None:
        when = row.taken_back_at[:_TO_THE_MINUTE].replace("T", " ")
        raise BuilderError(f"validation {validation_id} was taken back already, at {when} UTC")
    return row


def _filling(connection: Connection, row: ValidationRow) -> int | None:
    """Its filling, if that stands."""
    pooling_id: int | None = row.outcome.get("pooling_id")
    if pooling_id is None or not pooling_stands(connection, pooling_id):
        return None
    return pooling_id


def _taken_back(
    connection: Connection, row: ValidationRow, filling: dict[str, Any] | None
) -> dict[str, Any]:
    standing = [
        one.validation_id
        for one in all_validations(connection)
        if one.taken_back_at is None and one.validation_id != row.validation_id
    ]
    return {
        "validation_id": row.validation_id,
        "filling": filling,
        "standing": standing[0] if standing else None,
    }


def _queries(n: int) -> str:
    return f"{n:,} {'query' if n == 1 else 'queries'}"
