"""Lists of queries as an analyst sees them: searched, filtered, and first what needs attention.

Filtering, ordering and paging are the database's work; what is counted is counted for the queries
of one page.
"""

import json
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from sqlalchemy import (
    ColumnElement,
    Connection,
    Row,
    Select,
    case,
    exists,
    func,
    literal,
    select,
)

from builder.store.folding import fold, folded
from builder.store.query_words import given_up, queries_given_up, queries_questioned
from builder.store.queue import has_tag, tag_text, wants_grades
from builder.store.quota import asks_people, is_complete
from builder.store.schema import current_judgments, pairs, queries, query_outcomes

ATTENTION = (
    *("set_aside", "questioned", "given_up", "no_pairs"),
    *("open", "not_asked", "complete", "retired"),
)
"""Why a query stands where it does, the most urgent first."""

MOST_WORDS = 8
BATCH = 1000


@dataclass(frozen=True, slots=True)
class Sought:
    """Which queries are asked for.

    Attributes:
        words: Each word stands in the text, the need or the id, whatever its case; at most eight.
        tag: With exactly this tag; None: all.
        source: Of this source; None: all.
        status: active, retired or waiting (for a decision); None: all.
    """

    words: str = ""
    tag: str | None = None
    source: str | None = None
    status: str | None = None


class QueryRow(NamedTuple):
    """A query as it is stored, and why it stands where it does.

    Attributes:
        query_key: The store's key.
        query_id: Its id.
        text: Its text.
        need: The information need behind it.
        tags: Its tags.
        source: Where it came from.
        status: active or retired.
        priority: 0 later, 1 as it comes, 2 first.
        set_aside: Whether nobody is asked for it until an analyst has decided.
        attention: One of `ATTENTION`.
    """

    query_key: int
    query_id: str
    text: str
    need: str
    tags: tuple[str, ...]
    source: str
    status: str
    priority: int
    set_aside: bool
    attention: str


class QueryCounts(NamedTuple):
    """What there is of one query.

    Attributes:
        pairs: In the pool.
        complete: Of these, graded by as many people as they shall get.
        unasked: Of these, asked of nobody: only synthesis named them.
        grades: That stand, of all kinds of raters.
        words: Raters who say now that it is unclear or out of scope.
        given_up: Pairs that nobody is asked for any more, and on which an analyst decides.
    """

    pairs: int = 0
    complete: int = 0
    grades: int = 0
    words: int = 0
    given_up: int = 0
    unasked: int = 0


class Totals(NamedTuple):
    """How many queries there are.

    Attributes:
        active: Not retired.
        retired: Retired.
        waiting: Active, and waiting for an analyst's decision.
    """

    active: int
    retired: int
    waiting: int


def query_page(connection: Connection, sought: Sought, offset: int, limit: int) -> list[QueryRow]:
    """At most `limit` of the queries sought, after the first `offset`.

    First what needs attention, then by priority, then as they came.
    """
    chosen = select(queries, _attention().label("attention")).where(*_conditions(sought))
    urgent = [_attention(), queries.c.priority.desc(), queries.c.query_key]
    chosen = chosen.order_by(*urgent).offset(offset).limit(limit)
    return [_row(row) for row in connection.execute(chosen, _bound(sought))]


def count_sought(connection: Connection, sought: Sought) -> int:
    """How many queries are sought."""
    counted = select(func.count()).select_from(queries).where(*_conditions(sought))
    return connection.execute(counted, _bound(sought)).scalar_one()


def query_row_of(connection: Connection, query_id: str) -> QueryRow | None:
    """One query; None if it is unknown."""
    chosen = select(queries, _attention().label("attention"))
    row = connection.execute(chosen.where(queries.c.query_id == query_id)).one_or_none()
    return None if row is None else _row(row)


def counts_of(connection: Connection, query_keys: Collection[int]) -> dict[int, QueryCounts]:
    """What there is of these queries (some hundred)."""
    counted = {
        row.query_key: QueryCounts(row.n, row.complete, given_up=row.given_up, unasked=row.unasked)
        for row in connection.execute(_pairs_of(query_keys))
    }
    for query_key, n in connection.execute(_grades_of(query_keys)):
        counted[query_key] = counted[query_key]._replace(grades=n)
    for query_key, n in connection.execute(_words_of(query_keys)):
        counted[query_key] = counted.get(query_key, QueryCounts())._replace(words=n)
    return {key: counted.get(key, QueryCounts()) for key in query_keys}


def total_queries(connection: Connection) -> Totals:
    """How many queries there are, of which status."""
    counted = select(queries.c.status, func.count()).group_by(queries.c.status)
    by_status = {str(status): int(n) for status, n in connection.execute(counted)}
    waiting = count_sought(connection, Sought(status="waiting"))
    return Totals(by_status.get("active", 0), by_status.get("retired", 0), waiting)


def known_sources(connection: Connection) -> list[str]:
    """Where the queries came from, by name."""
    chosen = select(queries.c.source).distinct().order_by(queries.c.source)
    return list(connection.execute(chosen).scalars())


def known_tags(connection: Connection) -> list[str]:
    """All tags of all queries, by name."""
    kinds = select(queries.c.tags).where(queries.c.tags != "[]").distinct()
    return sorted({tag for tags in connection.execute(kinds).scalars() for tag in json.loads(tags)})


def queries_of_text(connection: Connection, text: str) -> list[QueryRow]:
    """The active queries of this text, whatever its case, composition and white space."""
    chosen = select(queries, _attention().label("attention")).where(
        queries.c.status == "active", folded(queries.c.text) == folded(literal(text))
    )
    return [_row(row) for row in connection.execute(chosen.order_by(queries.c.query_key))]


def texts_to_compare(connection: Connection) -> Iterator[tuple[int, str]]:
    """(query_key, text) of each active query, in the order in which they came."""
    chosen = select(queries.c.query_key, queries.c.text).where(queries.c.status == "active")
    ordered = chosen.order_by(queries.c.query_key)
    for row in connection.execute(ordered, execution_options={"yield_per": BATCH}):
        yield row.query_key, row.text


def query_rows(connection: Connection, query_keys: Sequence[int]) -> dict[int, QueryRow]:
    """These queries (some hundred), by their keys."""
    chosen = select(queries, _attention().label("attention"))
    chosen = chosen.where(queries.c.query_key.in_(query_keys))
    return {row.query_key: _row(row) for row in connection.execute(chosen)}


def _conditions(sought: Sought) -> list[ColumnElement[bool]]:
    wanted: list[ColumnElement[bool]] = []
    if sought.status == "waiting":
        wanted += [queries.c.status == "active", _waits()]
    elif sought.status is not None:
        wanted.append(queries.c.status == sought.status)
    if sought.source is not None:
        wanted.append(queries.c.source == sought.source)
    if sought.tag is not None:
        wanted.append(has_tag())
    return wanted + [_holds(word) for word in fold(sought.words).split()[:MOST_WORDS]]


def _bound(sought: Sought) -> dict[str, str]:
    return {} if sought.tag is None else {"tag": tag_text(sought.tag)}


def _holds(word: str) -> ColumnElement[bool]:
    """Whether text, need or id of the query hold the word."""
    told = queries.c.text + "\n" + queries.c.need + "\n" + queries.c.query_id
    escaped = word.replace("/", "//").replace("%", "/%").replace("_", "/_")
    return folded(told).like("%" + folded(literal(escaped)) + "%", escape="/")


def _waits() -> ColumnElement[bool]:
    return (
        (queries.c.set_aside == 1)
        | queries.c.query_key.in_(queries_questioned())
        | queries.c.query_key.in_(queries_given_up())
    )


def _attention() -> ColumnElement[int]:
    """The place of the query's reason in `ATTENTION`."""
    in_pool = exists().where(pairs.c.query_key == queries.c.query_key)
    is_asked = exists().where(pairs.c.query_key == queries.c.query_key, asks_people())
    # A pair's priority is its query's: said once more, it leads to the index of open pairs.
    is_open = exists().where(
        wants_grades(),
        pairs.c.priority == queries.c.priority,
        pairs.c.query_key == queries.c.query_key,
    )
    return case(
        (queries.c.status == "retired", 7),
        (queries.c.set_aside == 1, 0),
        (queries.c.query_key.in_(queries_questioned()), 1),
        (queries.c.query_key.in_(queries_given_up()), 2),
        (~in_pool, 3),
        (is_open, 4),
        (~is_asked, 5),
        else_=6,
    )


def _pairs_of(query_keys: Collection[int]) -> Select[Any]:
    columns = (
        pairs.c.query_key,
        func.count().label("n"),
        _count_if(is_complete()).label("complete"),
        _count_if(given_up()).label("given_up"),
        _count_if(~asks_people()).label("unasked"),
    )
    chosen: Select[Any] = select(*columns).where(pairs.c.query_key.in_(query_keys))
    return chosen.group_by(pairs.c.query_key)


def _grades_of(query_keys: Collection[int]) -> Select[Any]:
    of_pair = current_judgments.c.pair_id == pairs.c.pair_id
    chosen: Select[Any] = select(pairs.c.query_key, func.count())
    chosen = chosen.select_from(pairs.join(current_judgments, of_pair))
    mine = pairs.c.query_key.in_(query_keys) & (current_judgments.c.outcome == "grade")
    return chosen.where(mine).group_by(pairs.c.query_key)


def _words_of(query_keys: Collection[int]) -> Select[Any]:
    standing = query_outcomes.c.query_key.in_(query_keys) & (query_outcomes.c.standing == 1)
    chosen: Select[Any] = select(query_outcomes.c.query_key, func.count())
    return chosen.where(standing).group_by(query_outcomes.c.query_key)


def _count_if(condition: ColumnElement[bool]) -> ColumnElement[int]:
    return func.sum(case((condition, 1), else_=0))


def _row(row: Row[Any]) -> QueryRow:
    return QueryRow(
        row.query_key,
        row.query_id,
        row.text,
        row.need,
        tuple(json.loads(row.tags)),
        row.source,
        row.status,
        row.priority,
        bool(row.set_aside),
        ATTENTION[row.attention],
    )
