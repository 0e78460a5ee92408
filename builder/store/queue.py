"""Which pair a rater grades next: sought in the indexes, never by looking through the pool.

A pair is open for a rater while fewer than `raters_per_pair` humans graded it and the rater has
said nothing of it that stands. `pairs_by_grades` leads to the next query with such a pair; the
rater's own index entries tell which pairs to pass over.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Connection,
    Row,
    Select,
    bindparam,
    case,
    cast,
    exists,
    func,
    select,
)

from builder.store.judgment_imports import IMPORTED
from builder.store.schema import current_judgments, documents, judgments, pairs, people, queries
from evals.records import Document, Query

_PRIME = 2**31 - 1
_ROOT = 48271  # a primitive root of the prime, known from Lehmer's random number generator


@dataclass(frozen=True, slots=True)
class Seeker:
    """For whom an open pair is sought.

    Attributes:
        rater_id: The rater's person_id.
        raters_per_pair: How many humans grade each pair.
    """

    rater_id: int
    raters_per_pair: int


@dataclass(frozen=True, slots=True)
class OwnCounts:
    """What stands for one rater, in pairs.

    Attributes:
        graded: With a grade.
        skipped: Put off for later.
        cannot_judge: Given up.
    """

    graded: int
    skipped: int
    cannot_judge: int

    @property
    def settled(self) -> int:
        """Pairs that are not open for the rater whatever others do."""
        return self.graded + self.cannot_judge


def latest_judgment(connection: Connection, rater_id: int) -> Row[Any] | None:
    """The rater's last row of the log (outcome, pair_id, query_key, status of the query)."""
    return connection.execute(_LATEST, {"rater": rater_id}).one_or_none()


def next_query(connection: Connection, seeker: Seeker, start: int) -> int | None:
    """The query_key of the first active query from `start` on, going round, with an open pair."""
    ahead = _first_query(connection, seeker, start, None)
    return ahead if ahead is not None else _first_query(connection, seeker, 0, start)


def _first_query(connection: Connection, seeker: Seeker, start: int, end: int | None) -> int | None:
    """The first query_key in [start, end) with an open pair.

    One seek for each number of grades that leaves a pair open: one statement over all of them would
    have to sort what it finds.
    """
    first = end
    for grades in range(seeker.raters_per_pair):
        bound = {"start": start, "end": _PRIME if first is None else first}
        asked = {"rater": seeker.rater_id, "grades": grades, **bound}
        found = connection.execute(_FIRST_QUERY, asked).scalar_one_or_none()
        first = first if found is None else found
    return None if first == end else first


def open_pairs(connection: Connection, seeker: Seeker, query_key: int) -> Sequence[int]:
    """The pair_ids of the query that are open for the rater, in this rater's own stable order.

    The order is pair_id * a mod p, with another a for each rater: it says nothing of ranks.
    """
    asked = {
        "rater": seeker.rater_id,
        "raters_per_pair": seeker.raters_per_pair,
        "query_key": query_key,
        "multiplier": pow(_ROOT, seeker.rater_id + 1000, _PRIME),
    }
    return connection.execute(_OPEN_PAIRS, asked).scalars().all()


def skipped_pair(connection: Connection, seeker: Seeker) -> int | None:
    """The pair that the rater skipped first, of those that still want a grade; else None."""
    asked = {"rater": seeker.rater_id, "raters_per_pair": seeker.raters_per_pair}
    return connection.execute(_SKIPPED, asked).scalar_one_or_none()


def shown_pair(connection: Connection, pair_id: int) -> tuple[int, Query, Document] | None:
    """query_key, query and document of a pair; None if it is unknown.

    The query does not say where it came from: a rater shall not know.
    """
    row = connection.execute(_SHOWN, {"pair": pair_id}).one_or_none()
    if row is None:
        return None
    query = Query(row.query_id, row.query_text, row.need, tuple(json.loads(row.tags)), source="")
    document = Document(row.doc_id, row.title, row.text, json.loads(row.metadata))
    return row.query_key, query, document


def queries_with_pairs(connection: Connection) -> list[int]:
    """The query_keys of the active queries that have pairs, ascending."""
    return list(connection.execute(_QUERIES_WITH_PAIRS).scalars())


def newest_pair(connection: Connection) -> int:
    """The pair_id of the newest pair in the pool; 0 if it is empty."""
    return connection.execute(select(func.max(pairs.c.pair_id))).scalar_one() or 0


def first_query_of(connection: Connection, rater_id: int, raters_per_pair: int) -> int:
    """The query_key from which a rater who never judged here starts.

    As many raters as a pair wants start at the same query, so that they overlap early and none of
    them fills up what another is about to grade; the next ones start as far away as they can.
    """
    active = (people.c.kind == "human") & (people.c.active == 1)
    before = select(func.count()).select_from(people).where(active, people.c.person_id < rater_id)
    slot = connection.execute(before).scalar_one() // raters_per_pair
    last = connection.execute(select(func.max(queries.c.query_key))).scalar_one() or 0
    golden = 0.6180339887498949  # its multiples modulo 1 keep furthest apart
    return int(slot * golden % 1.0 * last)


def count_open(connection: Connection, seeker: Seeker) -> int:
    """How many pairs of active queries are open for the rater, skipped ones included."""
    asked = {"rater": seeker.rater_id, "raters_per_pair": seeker.raters_per_pair}
    wanted, settled, retired_wanted, retired_settled = (
        connection.execute(counted, asked).scalar_one()
        for counted in (_WANTED, _SETTLED, _RETIRED_WANTED, _RETIRED_SETTLED)
    )
    return int(wanted - settled - (retired_wanted - retired_settled))


def count_own(connection: Connection, rater_id: int) -> OwnCounts:
    """What stands for the rater."""
    own = connection.execute(_OWN, {"rater": rater_id}).one()
    return OwnCounts(own.graded or 0, own.skipped or 0, own.cannot_judge or 0)


def judged_lately(connection: Connection, rater_id: int, limit: int) -> list[tuple[str, bool]]:
    """Of the rater's latest rows, newest first: recorded_at, and whether it is a standing grade.

    Imported rows among them are left out.
    """
    rows = connection.execute(_LATELY, {"rater": rater_id, "limit": limit})
    return [
        (row.recorded_at, bool(row.stands)) for row in rows if not row.token.startswith(IMPORTED)
    ]


def _said_by_rater() -> ColumnElement[bool]:
    """Whether the rater has said something of the pair in hand that stands."""
    mine = (current_judgments.c.pair_id == pairs.c.pair_id) & (
        current_judgments.c.rater_id == bindparam("rater")
    )
    return exists().where(mine, current_judgments.c.outcome != "undone")


def _latest() -> Select[Any]:
    joined = judgments.join(pairs, pairs.c.pair_id == judgments.c.pair_id)
    joined = joined.join(queries, queries.c.query_key == pairs.c.query_key)
    columns = (judgments.c.outcome, pairs.c.pair_id, pairs.c.query_key, queries.c.status)
    chosen: Select[Any] = (
        select(*columns).select_from(joined).where(judgments.c.rater_id == bindparam("rater"))
    )
    return chosen.order_by(judgments.c.judgment_id.desc()).limit(1)


def _first() -> Select[Any]:
    active = exists().where(queries.c.query_key == pairs.c.query_key, queries.c.status == "active")
    chosen: Select[Any] = select(pairs.c.query_key).where(
        pairs.c.human_grades == bindparam("grades"),
        pairs.c.query_key >= bindparam("start"),
        pairs.c.query_key < bindparam("end"),
        ~_said_by_rater(),
        active,
    )
    return chosen.order_by(pairs.c.query_key).limit(1)


def _open_pairs() -> Select[Any]:
    chosen: Select[Any] = select(pairs.c.pair_id).where(
        pairs.c.query_key == bindparam("query_key"),
        pairs.c.human_grades < bindparam("raters_per_pair"),
        ~_said_by_rater(),
    )
    arranged = cast(pairs.c.pair_id, BigInteger) * bindparam("multiplier", type_=BigInteger)
    return chosen.order_by(arranged % _PRIME)


def _skipped() -> Select[Any]:
    mine = current_judgments.join(pairs, pairs.c.pair_id == current_judgments.c.pair_id)
    chosen: Select[Any] = select(pairs.c.pair_id).select_from(
        mine.join(queries, queries.c.query_key == pairs.c.query_key)
    )
    chosen = chosen.where(
        current_judgments.c.rater_id == bindparam("rater"),
        current_judgments.c.outcome == "skip",
        pairs.c.human_grades < bindparam("raters_per_pair"),
        queries.c.status == "active",
    )
    return chosen.order_by(current_judgments.c.judgment_id).limit(1)


def _shown() -> Select[Any]:
    joined = pairs.join(queries, queries.c.query_key == pairs.c.query_key)
    joined = joined.join(documents, documents.c.doc_key == pairs.c.doc_key)
    columns = (
        pairs.c.query_key,
        queries.c.query_id,
        queries.c.text.label("query_text"),
        queries.c.need,
        queries.c.tags,
        documents.c.doc_id,
        documents.c.title,
        documents.c.text,
        documents.c.metadata,
    )
    chosen: Select[Any] = select(*columns).select_from(joined)
    return chosen.where(pairs.c.pair_id == bindparam("pair"))


def _queries_with_pairs() -> Select[int]:
    in_pool = exists().where(pairs.c.query_key == queries.c.query_key)
    chosen = select(queries.c.query_key).where(queries.c.status == "active", in_pool)
    return chosen.order_by(queries.c.query_key)


def _in_retired_query() -> ColumnElement[bool]:
    retired = select(queries.c.query_key).where(queries.c.status != "active")
    return pairs.c.query_key.in_(retired)


def _wanted() -> Select[Any]:
    chosen: Select[Any] = select(func.count()).select_from(pairs)
    return chosen.where(pairs.c.human_grades < bindparam("raters_per_pair"))


def _settled() -> Select[Any]:
    mine = current_judgments.join(pairs, pairs.c.pair_id == current_judgments.c.pair_id)
    chosen: Select[Any] = select(func.count()).select_from(mine)
    return chosen.where(
        current_judgments.c.rater_id == bindparam("rater"),
        current_judgments.c.outcome.not_in(("undone", "skip")),
        pairs.c.human_grades < bindparam("raters_per_pair"),
    )


def _own_counts() -> Select[int, int, int]:
    def standing(outcome: str) -> ColumnElement[int]:
        is_it = case((current_judgments.c.outcome == outcome, 1), else_=0)
        return func.sum(is_it)

    chosen = select(
        standing("grade").label("graded"),
        standing("skip").label("skipped"),
        standing("cannot_judge").label("cannot_judge"),
    )
    return chosen.where(current_judgments.c.rater_id == bindparam("rater"))


def _lately() -> Select[Any]:
    stands = exists().where(
        current_judgments.c.pair_id == judgments.c.pair_id,
        current_judgments.c.rater_id == judgments.c.rater_id,
        current_judgments.c.judgment_id == judgments.c.judgment_id,
        current_judgments.c.outcome == "grade",
    )
    columns = (judgments.c.recorded_at, judgments.c.token, stands.label("stands"))
    chosen: Select[Any] = select(*columns)
    chosen = chosen.where(judgments.c.rater_id == bindparam("rater"))
    return chosen.order_by(judgments.c.judgment_id.desc()).limit(bindparam("limit"))


_LATEST = _latest()
_FIRST_QUERY = _first()
_OPEN_PAIRS = _open_pairs()
_SKIPPED = _skipped()
_SHOWN = _shown()
_QUERIES_WITH_PAIRS = _queries_with_pairs()
_WANTED = _wanted()
_SETTLED = _settled()
_RETIRED_WANTED = _wanted().where(_in_retired_query())
_RETIRED_SETTLED = _settled().where(_in_retired_query())
_OWN = _own_counts()
_LATELY = _lately()
