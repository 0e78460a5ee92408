"""Merges a query into another one that means the same.

The pairs of the merged query join the other one, and what raters said of them goes with them; the
merged query is retired and keeps its rows. A rater counts once for each document: of two grades
the later one stands, and a grade says more than "can't judge", which says more than a skip. What an
adjudicator decided goes along, unless the document is decided for the query that stays; so do
blind re-checks, unless the pair there waits for one already or is decided.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from builder.curation.acting import analyst, existing_query
from builder.curation.contents import QueryContent, content_of
from builder.curation.lists import ListedQuery, listed_by_key
from builder.errors import BuilderError
from builder.people import Person
from builder.store import Connection, activity, query_edits
from builder.store.adjudications import carry_decisions
from builder.store.moments import now_text
from builder.store.query_edits import Carried, Standing
from builder.store.query_lists import QueryRow
from builder.store.quota import set_query_state
from builder.store.rechecks import carry_rechecks, reopen_rechecks
from builder.workspace import Workspace

_WEIGHT = {"undone": 0, "skip": 0, "cannot_judge": 1, "grade": 2}


@dataclass(frozen=True, slots=True)
class Conflict:
    """A rater who graded a document differently for the two queries.

    Attributes:
        rater: Who.
        doc_id: Which document.
        kept: The grade for the query that stays.
        merged: The grade for the one that is merged.
        stands: The one of the two that stands afterwards: the later one.
    """

    rater: str
    doc_id: str
    kept: int
    merged: int
    stands: int


@dataclass(frozen=True, slots=True)
class MergePreview:
    """What a merge does.

    Attributes:
        keep: The query that stays.
        merged: The query that joins it and is retired.
        pairs: Pairs of the merged query.
        new_pairs: Of these, those that the other query lacks and gets.
        grades: Grades of the merged query, all of which go on in the log of the other.
        standing: Of these, those that stand there: grades of raters who gave none for it, and
            later ones.
        repeated: Raters and documents with the same grade for both.
        conflicts: Those with different ones.
        cannot_judge: Words "can't judge" that go on standing.
        left: Skips, and words "can't judge" beside something that says more: they stay behind.
        screens: Raters who have a pair of the merged query on their screens; what they grade late
            stays with it until it is merged again.
    """

    keep: ListedQuery
    merged: ListedQuery
    pairs: int
    new_pairs: int
    grades: int
    standing: int
    repeated: int
    conflicts: tuple[Conflict, ...]
    cannot_judge: int
    left: int
    screens: int


def preview_merge(workspace: Workspace, keep_id: str, merged_id: str) -> MergePreview:
    """What merging the one query into the other would do; nothing is written.

    Raises:
        BuilderError: One of them is unknown, they are the same, or the one that stays is retired.
    """
    with workspace.store.read() as connection:
        return _plan(connection, keep_id, merged_id)[0]


def merge_queries(
    workspace: Workspace,
    keep_id: str,
    merged_id: str,
    actor: Person | None,
    *,
    preview: MergePreview,
) -> MergePreview:
    """Merge the query into the other one.

    Grades that came in since the preview are merged as well.

    Args:
        workspace: Where they lie.
        keep_id: The query that stays.
        merged_id: The query that joins it and is retired.
        actor: Who merges, at least an analyst; None is the terminal.
        preview: What was shown before.

    Returns:
        What was done, counted at the moment of the merge.

    Raises:
        NotAllowedError: The actor is no analyst.
        BuilderError: As `preview_merge`; or one of the queries says something else than in the
            preview, or a rater's different grades came in meanwhile. Nothing was written.
    """
    with workspace.store.write() as connection:
        name = analyst(connection, actor)
        done, carried = _plan(connection, keep_id, merged_id)
        _refuse_other(done, preview)
        keep, merged = done.keep.query, done.merged.query
        query_edits.copy_pairs(connection, merged.query_key, keep_id)
        # Before the grades: whether a re-check was answered is read from them.
        carry_rechecks(connection, merged.query_key, keep.query_key)
        reason = f"The query was merged into {keep_id}."
        query_edits.carry_over(connection, carried, keep.query_key, reason)
        reopen_rechecks(connection)
        decisions = carry_decisions(connection, merged.query_key, keep.query_key)
        set_query_state(connection, merged.query_key, status="retired")
        _record(connection, name, done, decisions)
    return done


def settled(theirs: Standing, own: Standing | None) -> Carried | None:
    """What becomes of a judgment of the merged query; None if it stays behind.

    Args:
        theirs: What the rater says of the document for the merged query.
        own: What the same rater says of it for the query that stays; None if nothing.
    """
    weight = _WEIGHT[theirs.outcome]
    if weight == 0:
        return None
    if own is None:
        return Carried(theirs, theirs.judged_at, stands=True, replaces=False)
    if _WEIGHT[own.outcome] < weight:
        # The latest of a rater and pair stands: so it is dated after what says less.
        later = theirs.moment >= own.moment
        moment = theirs.judged_at if later else own.moment
        return Carried(theirs, moment, stands=True, replaces=True)
    if theirs.outcome == own.outcome == "grade":
        stands = theirs.moment >= own.moment
        return Carried(theirs, theirs.judged_at, stands=stands, replaces=True)
    return None


def _plan(
    connection: Connection, keep_id: str, merged_id: str
) -> tuple[MergePreview, list[Carried]]:
    keep, merged = _checked(connection, keep_id, merged_id)
    theirs = query_edits.standing_of_query(connection, merged.query_key)
    own = {
        (said.doc_id, said.rater_id): said
        for said in query_edits.standing_of_query(connection, keep.query_key)
    }
    beside = [(said, own.get((said.doc_id, said.rater_id))) for said in theirs]
    fates = [settled(said, other) for said, other in beside]
    carried = [fate for fate in fates if fate is not None]
    listed = listed_by_key(connection, [keep.query_key, merged.query_key])
    documents = query_edits.documents_of(connection, merged.query_key)
    known = query_edits.documents_of(connection, keep.query_key)
    preview = MergePreview(
        keep=listed[keep.query_key],
        merged=listed[merged.query_key],
        pairs=len(documents),
        new_pairs=len(documents.keys() - known.keys()),
        grades=_count(carried, "grade"),
        standing=_count((one for one in carried if one.stands), "grade"),
        repeated=sum(a.grade == b.grade for a, b in _both_graded(beside)),
        conflicts=_conflicts(beside),
        cannot_judge=_count(carried, "cannot_judge"),
        left=sum(
            fate is None and said.outcome != "undone"
            for said, fate in zip(theirs, fates, strict=True)
        ),
        screens=query_edits.count_screens(connection, merged.query_key, now_text()),
    )
    return preview, carried


def _checked(connection: Connection, keep_id: str, merged_id: str) -> tuple[QueryRow, QueryRow]:
    keep, merged = existing_query(connection, keep_id), existing_query(connection, merged_id)
    if keep == merged:
        raise BuilderError("A query cannot be merged into itself.", hint="Name another query.")
    if keep.status == "retired":
        raise BuilderError(
            f"The query {keep_id} is retired, and grades merged into it would count nowhere.",
            hint="Bring it back first, or merge the other way round.",
        )
    return keep, merged


def _both_graded(
    beside: Iterable[tuple[Standing, Standing | None]],
) -> list[tuple[Standing, Standing]]:
    return [
        (theirs, own)
        for theirs, own in beside
        if own is not None and theirs.outcome == own.outcome == "grade"
    ]


def _conflicts(beside: Iterable[tuple[Standing, Standing | None]]) -> tuple[Conflict, ...]:
    conflicts = []
    for theirs, own in _both_graded(beside):
        merged, kept = theirs.grade, own.grade
        if merged is not None and kept is not None and merged != kept:
            stands = merged if theirs.moment >= own.moment else kept
            conflicts.append(Conflict(theirs.rater, theirs.doc_id, kept, merged, stands))
    return tuple(conflicts)


def _count(carried: Iterable[Carried], outcome: str) -> int:
    return sum(one.origin.outcome == outcome for one in carried)


def _refuse_other(now: MergePreview, shown: MergePreview) -> None:
    """Refuse a merge that is another one than was shown; more grades alone are none."""
    for mine, theirs in ((now.keep, shown.keep), (now.merged, shown.merged)):
        if _told_apart(mine.query) != _told_apart(theirs.query):
            raise BuilderError(
                f"The query {mine.query.query_id} was changed meanwhile. Nothing was merged.",
                hint="Look at the preview again.",
            )
    if set(now.conflicts) - set(shown.conflicts):
        raise BuilderError(
            "Different grades of one rater came in meanwhile. Nothing was merged.",
            hint="Look at the preview again.",
        )


def _told_apart(row: QueryRow) -> tuple[str, str, QueryContent]:
    return row.query_id, row.status, content_of(row)


def _record(connection: Connection, name: str, done: MergePreview, decisions: int) -> None:
    """Write what was done into the history of both queries."""
    keep, merged = done.keep.query, done.merged.query
    counts = {
        "pairs": done.pairs,
        "new_pairs": done.new_pairs,
        "grades": done.grades,
        "standing": done.standing,
        "conflicts": _told(done.conflicts),
        "decisions": decisions,
    }
    status = {"before": {"status": merged.status}, "after": {"status": "retired"}}
    details = {"into": keep.query_id, **status, **counts}
    activity.note(connection, name, "query.merge", merged.query_id, details)
    absorbed = {"from": merged.query_id, "text": merged.text, **counts}
    activity.note(connection, name, "query.absorb", keep.query_id, absorbed)


def _told(conflicts: Sequence[Conflict]) -> list[dict[str, str | int]]:
    return [
        {
            "rater": one.rater,
            "doc_id": one.doc_id,
            "kept": one.kept,
            "merged": one.merged,
            "stands": one.stands,
        }
        for one in conflicts
    ]
