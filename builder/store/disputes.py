"""What people say of a disputed pair, without their names: the pair decides, not who said it."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from sqlalchemy import Connection, Select, bindparam, func, or_, select

from builder.store.current import effective_time
from builder.store.schema import current_judgments, documents, judgments, pairs, people, queries

CHUNK = 500


class Opinion(NamedTuple):
    """What one person, or one imported file, says of a pair.

    Attributes:
        outcome: grade or cannot_judge.
        grade: 0 to 3; None if it cannot be judged.
        comment: What was written, "" if nothing; untrusted.
        reason: Why it cannot be judged, "" if not said; untrusted.
        moment: When, ISO 8601 in UTC.
        milliseconds: How long the pair was looked at; None if unknown.
        guidelines_version: Under which guidelines; None if unknown.
        kind: human or import.
        excluded: Whether this rater is left out of aggregation.
        own: Whether it is the opinion of the one who looks.
    """

    outcome: str
    grade: int | None
    comment: str
    reason: str
    moment: str
    milliseconds: int | None
    guidelines_version: int | None
    kind: str
    excluded: bool
    own: bool

    @property
    def counts(self) -> bool:
        """Whether it makes a dispute: a grade of a person who is not left out."""
        return self.grade is not None and self.kind == "human" and not self.excluded


def spreads(connection: Connection, *, wide: int, relevant: int) -> dict[int, tuple[int, int, int]]:
    """Pairs on which people differ far: pair_id -> lowest grade, highest grade, number of grades.

    Grades of raters who are left out are none. It goes through all grades that stand.

    Args:
        connection: Inside a transaction.
        wide: From this spread on people differ far.
        relevant: Also where some grades are below this one and others are not.
    """
    low, high = func.min(judgments.c.grade), func.max(judgments.c.grade)
    far = or_(high - low >= wide, (low < relevant) & (high >= relevant))
    chosen = select(current_judgments.c.pair_id, low, high, func.count())
    chosen = chosen.select_from(_SAID).where(
        current_judgments.c.outcome == "grade",
        people.c.kind == "human",
        people.c.excluded_at.is_(None),
    )
    rows = connection.execute(chosen.group_by(current_judgments.c.pair_id).having(far))
    return {pair_id: (low, high, n) for pair_id, low, high, n in rows}


def opinions_of_pair(connection: Connection, pair_id: int, own_id: int | None) -> list[Opinion]:
    """What stands of people and imported files, the lowest grade first; who cannot judge at last.

    Args:
        connection: Inside a transaction.
        pair_id: The pair.
        own_id: The person_id of the one who looks; None: nobody's is their own.
    """
    rows = connection.execute(_OPINIONS, {"pair": pair_id})
    return [
        Opinion._make((*row[:8], row.excluded_at is not None, row.rater_id == own_id))
        for row in rows
    ]


class Place(NamedTuple):
    """Where a pair lies.

    Attributes:
        query_id: The query.
        doc_id: The document.
        retired: Whether the query is retired.
    """

    query_id: str
    doc_id: str
    retired: bool


def places_of_pairs(connection: Connection, pair_ids: Sequence[int]) -> dict[int, Place]:
    """pair_id -> where it lies; any number of pairs, unknown ones are left out."""
    joined = pairs.join(queries, queries.c.query_key == pairs.c.query_key)
    joined = joined.join(documents, documents.c.doc_key == pairs.c.doc_key)
    columns = (pairs.c.pair_id, queries.c.query_id, documents.c.doc_id, queries.c.status)
    chosen = select(*columns).select_from(joined)
    return {
        pair_id: Place(query_id, doc_id, status == "retired")
        for chunk in _chunks(pair_ids)
        for pair_id, query_id, doc_id, status in connection.execute(
            chosen.where(pairs.c.pair_id.in_(chunk))
        )
    }


def _chunks(pair_ids: Sequence[int]) -> Iterator[Sequence[int]]:
    for start in range(0, len(pair_ids), CHUNK):
        yield pair_ids[start : start + CHUNK]


def _opinions() -> Select[Any]:
    said = judgments.c
    columns = (
        *(said.outcome, said.grade, said.comment, said.reason, effective_time()),
        *(said.milliseconds, said.guidelines_version, people.c.kind, people.c.excluded_at),
        current_judgments.c.rater_id,
    )
    chosen: Select[Any] = select(*columns).select_from(_SAID)
    chosen = chosen.where(
        current_judgments.c.pair_id == bindparam("pair"),
        current_judgments.c.outcome.in_(("grade", "cannot_judge")),
        people.c.kind.in_(("human", "import")),
    )
    # What cannot be judged has no grade, which SQLite puts first and PostgreSQL last.
    return chosen.order_by(said.outcome.desc(), said.grade, effective_time(), said.judgment_id)


_SAID = current_judgments.join(
    judgments, judgments.c.judgment_id == current_judgments.c.judgment_id
).join(people, people.c.person_id == current_judgments.c.rater_id)
_OPINIONS = _opinions()
