"""One rater's own log, newest first, and the pairs on which raters disagreed.

Everything here looks at a bounded stretch of the log, so that it takes as long with a million
judgments as with a thousand.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from sqlalchemy import (
    ColumnElement,
    Connection,
    FromClause,
    Row,
    Select,
    and_,
    exists,
    func,
    or_,
    select,
)

from builder.store.current import effective_time
from builder.store.schema import (
    adjudications,
    current_judgments,
    documents,
    judgments,
    pairs,
    people,
    queries,
)

_BEYOND = 2**62


class OwnRow(NamedTuple):
    """What a rater says now of a pair.

    Attributes:
        judgment_id: The row of the log in which it stands.
        pair_id: The pair.
        outcome: grade, skip, cannot_judge, or undone where nothing stands any more.
        grade: 0 to 3; None unless the outcome is grade.
        comment: What the rater wrote, "" if nothing; untrusted, as all texts here.
        reason: Why the rater skipped or cannot judge, "" if not said.
        moment: When, ISO 8601 in UTC.
        guidelines_version: Under which guidelines; None if unknown.
        query_id: The query.
        query: Its text.
        tags: Its tags.
        doc_id: The document.
        title: Its title, "" if it has none.
    """

    judgment_id: int
    pair_id: int
    outcome: str
    grade: int | None
    comment: str
    reason: str
    moment: str
    guidelines_version: int | None
    query_id: str
    query: str
    tags: tuple[str, ...]
    doc_id: str
    title: str


class EarlierRow(NamedTuple):
    """What a rater said of a pair before; as in OwnRow."""

    judgment_id: int
    pair_id: int
    outcome: str
    grade: int | None
    comment: str
    reason: str
    moment: str
    guidelines_version: int | None


class KindOfGrade(NamedTuple):
    """One standing grade of a pair, and of which kind its rater is; no name."""

    pair_id: int
    kind: str
    grade: int


@dataclass(frozen=True, slots=True)
class Stretch:
    """A stretch of a rater's log.

    Attributes:
        rater_id: The rater's person_id.
        oldest: The first judgment_id in it.
        before: The first judgment_id after it.
        more: Whether there may be older rows.
    """

    rater_id: int
    oldest: int
    before: int
    more: bool


def count_log(connection: Connection) -> int:
    """How many rows the log of judgments has, undone and replaced ones too."""
    return connection.execute(select(func.count()).select_from(judgments)).scalar_one()


def newest_stretch(
    connection: Connection, rater_id: int, before: int | None, length: int
) -> Stretch:
    """The newest `length` rows of the rater's log before a judgment_id (None: of the whole)."""
    end = _BEYOND if before is None else before
    inner = select(judgments.c.judgment_id).where(
        judgments.c.rater_id == rater_id, judgments.c.judgment_id < end
    )
    rows = inner.order_by(judgments.c.judgment_id.desc()).limit(length).subquery()
    asked = select(func.min(rows.c.judgment_id), func.count())
    oldest, n = connection.execute(asked).one()
    return Stretch(rater_id, oldest or 0, end, n == length)


def own_rows(
    connection: Connection,
    stretch: Stretch,
    *,
    outcomes: Sequence[str],
    grade: int | None = None,
    limit: int | None = None,
) -> Iterator[OwnRow]:
    """What stands in the stretch, newest first; memory stays flat.

    Args:
        connection: Inside a transaction.
        stretch: Where to look.
        outcomes: Only these.
        grade: Only this grade.
        limit: How many at most.
    """
    chosen = _of_stretch(_own(), stretch).where(current_judgments.c.outcome.in_(outcomes))
    if grade is not None:
        chosen = chosen.where(judgments.c.grade == grade)
    chosen = chosen.order_by(judgments.c.judgment_id.desc()).limit(limit)
    for row in connection.execute(chosen):
        yield _own_row(row)


def disputed_rows(
    connection: Connection,
    stretch: Stretch,
    raters_per_pair: int,
    limit: int,
    *,
    decided_only: bool = False,
) -> list[OwnRow]:
    """The rater's standing grades in the stretch on pairs whose dispute is shown, newest first.

    These are pairs that an adjudicator decided, and those that are complete and disputed. Complete:
    as many humans graded it as its quota says, two at least. Disputed: not all of them gave the
    same grade; raters who are left out are not asked. What the rater said last of all, and can
    still take back, is shown only if it was decided since. `decided_only`: only what is decided.
    """
    chosen = _of_stretch(_own(), stretch).where(
        current_judgments.c.outcome == "grade",
        or_(_decided_since(standing=True), _has_gone_on() & _is_settled(raters_per_pair)),
    )
    if decided_only:
        chosen = chosen.where(_is_decided())
    chosen = chosen.order_by(judgments.c.judgment_id.desc()).limit(limit)
    return [_own_row(row) for row in connection.execute(chosen)]


def pairs_shown(
    connection: Connection, rater_id: int, pair_ids: Sequence[int], raters_per_pair: int
) -> set[int]:
    """Those of these pairs (some dozen) whose dispute the rater could read of.

    They are what `disputed_rows` gives, and those on which a decision was taken back again.
    """
    joined = judgments.join(current_judgments, _stands())
    joined = joined.join(pairs, pairs.c.pair_id == judgments.c.pair_id)
    chosen = select(current_judgments.c.pair_id).select_from(joined)
    chosen = chosen.where(
        current_judgments.c.pair_id.in_(pair_ids),
        current_judgments.c.rater_id == rater_id,
        current_judgments.c.outcome == "grade",
        or_(_decided_since(standing=False), _has_gone_on() & _is_settled(raters_per_pair)),
    )
    return set(connection.execute(chosen).scalars())


def earlier_rows(
    connection: Connection, rater_id: int, pair_ids: Sequence[int]
) -> list[EarlierRow]:
    """All that the rater ever said of these pairs (some dozen) and that stands no more."""
    stands = exists().where(_stands())
    # + 0: sought by pair; by rater it would go through all that the rater ever said.
    mine = judgments.c.rater_id + 0 == rater_id
    chosen = select(*_said()).where(judgments.c.pair_id.in_(pair_ids), mine, ~stands)
    rows = connection.execute(chosen.order_by(judgments.c.judgment_id.desc()))
    return [EarlierRow(*row) for row in rows]


def grades_of_pairs(connection: Connection, pair_ids: Sequence[int]) -> list[KindOfGrade]:
    """What people and imports grade these pairs (some dozen) now, without the raters' names.

    Those of raters who are left out of aggregation are not among them.
    """
    joined = current_judgments.join(
        judgments, judgments.c.judgment_id == current_judgments.c.judgment_id
    ).join(people, people.c.person_id == current_judgments.c.rater_id)
    chosen = select(current_judgments.c.pair_id, people.c.kind, judgments.c.grade)
    chosen = chosen.select_from(joined).where(
        current_judgments.c.pair_id.in_(pair_ids),
        current_judgments.c.outcome == "grade",
        # Raters read it: that a model graded the pair, too, is not told.
        people.c.kind.in_(("human", "import")),
        people.c.excluded_at.is_(None),
    )
    return [KindOfGrade(*row) for row in connection.execute(chosen)]


def count_standing(connection: Connection, rater_id: int) -> dict[str, int]:
    """How many of the rater's judgments stand, by outcome; undone ones are not among them."""
    chosen = select(current_judgments.c.outcome, func.count()).where(
        current_judgments.c.rater_id == rater_id, current_judgments.c.outcome != "undone"
    )
    rows = connection.execute(chosen.group_by(current_judgments.c.outcome))
    return {outcome: int(n) for outcome, n in rows}


def _said() -> tuple[ColumnElement[Any], ...]:
    """What the rater said, as EarlierRow and the beginning of OwnRow hold it."""
    return (
        judgments.c.judgment_id,
        judgments.c.pair_id,
        judgments.c.outcome,
        judgments.c.grade,
        judgments.c.comment,
        judgments.c.reason,
        effective_time().label("moment"),
        judgments.c.guidelines_version,
    )


def _own() -> Select[Any]:
    columns = (
        *_said(),
        queries.c.query_id,
        queries.c.text.label("query"),
        queries.c.tags,
        documents.c.doc_id,
        documents.c.title,
    )
    return select(*columns).select_from(_standing_with_texts())


def _stands() -> ColumnElement[bool]:
    """Whether a row of the log is the one that stands for its rater and pair."""
    return and_(
        current_judgments.c.pair_id == judgments.c.pair_id,
        current_judgments.c.rater_id == judgments.c.rater_id,
        current_judgments.c.judgment_id == judgments.c.judgment_id,
    )


def _standing_with_texts() -> FromClause:
    return (
        judgments.join(current_judgments, _stands())
        .join(pairs, pairs.c.pair_id == judgments.c.pair_id)
        .join(queries, queries.c.query_key == pairs.c.query_key)
        .join(documents, documents.c.doc_key == pairs.c.doc_key)
    )


def _of_stretch(chosen: Select[Any], stretch: Stretch) -> Select[Any]:
    return chosen.where(
        judgments.c.rater_id == stretch.rater_id,
        judgments.c.judgment_id >= stretch.oldest,
        judgments.c.judgment_id < stretch.before,
    )


def _is_settled(raters_per_pair: int) -> ColumnElement[bool]:
    """Whether the pair is decided, or complete and disputed."""
    full = func.coalesce(pairs.c.quota, raters_per_pair)
    complete = (pairs.c.human_grades >= 2) & (pairs.c.human_grades >= full)
    return or_(_is_decided(), complete & _somebody_disagrees())


def _has_gone_on() -> ColumnElement[bool]:
    """Whether the rater has said or taken back anything since, of whatever pair."""
    later = judgments.alias()
    since = (later.c.rater_id == judgments.c.rater_id) & (
        later.c.judgment_id > judgments.c.judgment_id
    )
    return select(later.c.judgment_id).where(since).correlate(judgments).exists()


def _is_decided() -> ColumnElement[bool]:
    mine = adjudications.c
    return exists().where(mine.pair_id == judgments.c.pair_id, mine.standing == 1)


def _decided_since(*, standing: bool) -> ColumnElement[bool]:
    """Whether somebody decided on the pair after the grade; `standing`: and that stands."""
    mine = adjudications.c
    since = exists().where(mine.pair_id == judgments.c.pair_id, mine.decided_at >= effective_time())
    return since.where(mine.standing == 1) if standing else since


def _somebody_disagrees() -> ColumnElement[bool]:
    other, said = current_judgments.alias(), judgments.alias()
    joined = other.join(said, said.c.judgment_id == other.c.judgment_id).join(
        people, people.c.person_id == other.c.rater_id
    )
    differs = select(said.c.judgment_id).select_from(joined)
    differs = differs.where(
        other.c.pair_id == judgments.c.pair_id,
        other.c.outcome == "grade",
        people.c.kind == "human",
        people.c.excluded_at.is_(None),
        said.c.grade != judgments.c.grade,
    )
    return differs.correlate(judgments).exists()


def _own_row(row: Row[Any]) -> OwnRow:
    return OwnRow._make(row)._replace(tags=tuple(json.loads(row.tags)))
