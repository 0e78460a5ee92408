"""What an analyst changes of a query: its content, and its judgments when it joins another one.

The log of judgments stays as it was written. A merged query keeps its pairs and its rows; what
stood on them is ended by a row that says so, and goes on in a row of the other query's pair, with
the times of its origin, whose place in the log is in its token. So no grade is lost, none counts
twice, and anybody can follow it back.
"""

import json
from collections.abc import Collection, Sequence
from typing import Any, NamedTuple
from uuid import uuid4

from sqlalchemy import Connection, Select, func, insert, select, update

from builder.store.current import Current, effective_time, set_current
from builder.store.judgment_imports import IMPORTED
from builder.store.moments import now_text
from builder.store.pool import add_pairs
from builder.store.pool_merging import carry_poolings, held_by
from builder.store.queries import query_keys
from builder.store.quota import note_change
from builder.store.schema import (
    current_judgments,
    documents,
    judgments,
    leases,
    pair_sources,
    pairs,
    people,
    queries,
)

MERGED = "merge"
"""The source of a pair that a merged query brought, where nobody is known who named it."""

CARRIED = f"{IMPORTED}merge-"
"""How the tokens of judgments begin that were given for a merged query."""

ADDED = "manual"
"""The source of a query that an analyst wrote."""


class Standing(NamedTuple):
    """What a rater says now of a pair of one query.

    Attributes:
        judgment_id: Its place in the log.
        pair_id: The pair.
        doc_id: The pair's document.
        rater_id: Who says it.
        rater: Their name.
        kind: human, import, synthetic or llm.
        outcome: grade, skip, cannot_judge or undone.
        grade: 0 to 3 with the outcome grade, else None.
        comment: What the rater wrote.
        reason: Why they cannot judge, or skip.
        judged_at: When it was judged; None where an import did not say.
        recorded_at: When it came in.
        guidelines_version: Under which guidelines; None if unknown.
        moment: The time by which the latest one counts.
    """

    judgment_id: int
    pair_id: int
    doc_id: str
    rater_id: int
    rater: str
    kind: str
    outcome: str
    grade: int | None
    comment: str
    reason: str
    judged_at: str | None
    recorded_at: str
    guidelines_version: int | None
    moment: str


class Carried(NamedTuple):
    """A judgment on its way to the pair of another query.

    Attributes:
        origin: What stands there now.
        judged_at: When it is dated in the log of the other pair: when it was judged, unless it
            comes after something that says less.
        stands: Whether it stands there; else it is history there.
        replaces: Whether that rater has said something of the other pair before.
    """

    origin: Standing
    judged_at: str | None
    stands: bool
    replaces: bool


def update_content(
    connection: Connection, query_key: int, text: str, need: str, tags: Sequence[str]
) -> None:
    """Let the query say this from now on.

    Args:
        connection: Inside a writing transaction.
        query_key: The query.
        text: Its text.
        need: The information need behind it.
        tags: Its tags.
    """
    told = json.dumps(list(tags), ensure_ascii=False)
    mine = update(queries).where(queries.c.query_key == query_key)
    connection.execute(mine.values(text=text, need=need, tags=told))
    note_change(connection)


def count_grades(connection: Connection, query_key: int) -> int:
    """How many grades stand on pairs of this query, of all kinds of raters."""
    joined = pairs.join(current_judgments, current_judgments.c.pair_id == pairs.c.pair_id)
    counted = select(func.count()).select_from(joined)
    mine = (pairs.c.query_key == query_key) & (current_judgments.c.outcome == "grade")
    return connection.execute(counted.where(mine)).scalar_one()


def count_screens(connection: Connection, query_key: int, now: str) -> int:
    """How many raters have a pair of this query on their screens at this moment."""
    joined = leases.join(pairs, pairs.c.pair_id == leases.c.pair_id)
    counted = select(func.count(leases.c.rater_id.distinct())).select_from(joined)
    mine = (pairs.c.query_key == query_key) & (leases.c.expires_at > now)
    return connection.execute(counted.where(mine)).scalar_one()


def free_query_id(connection: Connection) -> str:
    """An id that no query has, such as manual-1."""
    counted = select(func.count()).where(queries.c.source == ADDED)
    number = connection.execute(counted).scalar_one() + 1
    while _is_known(connection, f"{ADDED}-{number}"):
        number += 1
    return f"{ADDED}-{number}"


def standing_of_query(connection: Connection, query_key: int) -> list[Standing]:
    """What each rater says now of each pair of the query, what was taken back included."""
    return [Standing(*row) for row in connection.execute(_standing(query_key))]


def documents_of(connection: Connection, query_key: int) -> dict[str, int]:
    """doc_id -> pair_id of the query's pairs."""
    joined = pairs.join(documents, documents.c.doc_key == pairs.c.doc_key)
    chosen = select(documents.c.doc_id, pairs.c.pair_id).select_from(joined)
    chosen = chosen.where(pairs.c.query_key == query_key)
    return {row.doc_id: row.pair_id for row in connection.execute(chosen)}


def copy_pairs(connection: Connection, from_key: int, to_id: str) -> int:
    """Give the query `to_id` all pairs that the other has, and who named them; how many are new.

    Args:
        connection: Inside a writing transaction.
        from_key: The query that has them.
        to_id: The id of the query that gets them.
    """
    to_key = query_keys(connection, [to_id])[to_id]
    before = held_by(connection, to_key)
    by_source: dict[str, list[tuple[str, int | None]]] = {}
    for doc_id, source, rank in connection.execute(_named(from_key)):
        by_source.setdefault(source or MERGED, []).append((doc_id, rank))
    added = sum(
        add_pairs(
            connection,
            [(to_id, doc_id) for doc_id, _ in named],
            source,
            [rank for _, rank in named],
        )
        for source, named in by_source.items()
    )
    carry_poolings(connection, from_key, to_key, before)
    return added


def carry_over(
    connection: Connection, carried: Sequence[Carried], to_key: int, reason: str
) -> None:
    """Write these judgments on the other query's pairs, and end them where they stood.

    Args:
        connection: Inside a writing transaction.
        carried: Judgments of one query, each with what becomes of it.
        to_key: The query that gets them; it has a pair with each of their documents.
        reason: Why they end where they stood.
    """
    if not carried:
        return
    pair_ids, batch = documents_of(connection, to_key), uuid4().hex[:16]
    rows = [_copy(one, pair_ids[one.origin.doc_id], batch) for one in carried]
    ends = [_end(one.origin, batch, reason) for one in carried]
    connection.execute(insert(judgments), [*rows, *ends])
    written = _written(connection, [row["token"] for row in (*rows, *ends)])
    stands = [
        (one.replaces, _current(row, written))
        for one, row in zip(carried, rows, strict=True)
        if one.stands
    ]
    set_current(
        connection,
        new=[current for replaces, current in stands if not replaces],
        changed=[current for replaces, current in stands if replaces]
        + [_current(row, written) for row in ends],
    )


def _standing(query_key: int) -> Select[Any]:
    columns = (
        judgments.c.judgment_id,
        pairs.c.pair_id,
        documents.c.doc_id,
        people.c.person_id,
        people.c.name,
        people.c.kind,
        judgments.c.outcome,
        judgments.c.grade,
        judgments.c.comment,
        judgments.c.reason,
        judgments.c.judged_at,
        judgments.c.recorded_at,
        judgments.c.guidelines_version,
        effective_time(),
    )
    joined = (
        pairs.join(documents, documents.c.doc_key == pairs.c.doc_key)
        .join(current_judgments, current_judgments.c.pair_id == pairs.c.pair_id)
        .join(judgments, judgments.c.judgment_id == current_judgments.c.judgment_id)
        .join(people, people.c.person_id == current_judgments.c.rater_id)
    )
    chosen: Select[Any] = select(*columns).select_from(joined)
    chosen = chosen.where(pairs.c.query_key == query_key)
    return chosen.order_by(documents.c.doc_id, people.c.name)


def _named(query_key: int) -> Select[Any]:
    joined = pairs.join(documents, documents.c.doc_key == pairs.c.doc_key)
    joined = joined.outerjoin(pair_sources, pair_sources.c.pair_id == pairs.c.pair_id)
    chosen: Select[Any] = select(documents.c.doc_id, pair_sources.c.source, pair_sources.c.rank)
    chosen = chosen.select_from(joined).where(pairs.c.query_key == query_key)
    return chosen.order_by(pairs.c.pair_id, pair_sources.c.source)


def _copy(carried: Carried, pair_id: int, batch: str) -> dict[str, Any]:
    origin = carried.origin
    return {
        "pair_id": pair_id,
        "rater_id": origin.rater_id,
        "outcome": origin.outcome,
        "grade": origin.grade,
        "comment": origin.comment,
        "reason": origin.reason,
        "judged_at": carried.judged_at,
        # As its origin: a judgment without a time of its own counts from when it first came in.
        "recorded_at": origin.recorded_at,
        # The time was spent once, and stands with the origin.
        "milliseconds": None,
        "guidelines_version": origin.guidelines_version,
        # As imported ones, it is not what the rater's next press of Undo takes back.
        "token": f"{CARRIED}{origin.judgment_id}-{batch}",
    }


def _end(origin: Standing, batch: str, reason: str) -> dict[str, Any]:
    moment = now_text()
    return {
        "pair_id": origin.pair_id,
        "rater_id": origin.rater_id,
        "outcome": "undone",
        "grade": None,
        "comment": "",
        "reason": reason,
        "judged_at": max(moment, origin.moment),
        "recorded_at": moment,
        "milliseconds": None,
        "guidelines_version": None,
        "token": f"{IMPORTED}merged-{origin.judgment_id}-{batch}",
    }


def _current(row: dict[str, Any], written: dict[str, int]) -> Current:
    return Current(row["pair_id"], row["rater_id"], written[row["token"]], row["outcome"])


def _written(connection: Connection, tokens: Collection[str]) -> dict[str, int]:
    """Token -> judgment_id."""
    ids: dict[str, int] = {}
    asked = list(tokens)
    for start in range(0, len(asked), 1000):
        chosen = select(judgments.c.token, judgments.c.judgment_id)
        chosen = chosen.where(judgments.c.token.in_(asked[start : start + 1000]))
        ids |= {row.token: row.judgment_id for row in connection.execute(chosen)}
    return ids


def _is_known(connection: Connection, query_id: str) -> bool:
    chosen = select(queries.c.query_key).where(queries.c.query_id == query_id)
    return connection.execute(chosen).one_or_none() is not None
