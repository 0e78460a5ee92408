"""The queries of a log as a sampling frame: every query once, its counts as columns.

A million queries are a few arrays, not a million objects. How queries are typed, and in how many
sessions, is asked for only of those that were drawn.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from online.connections import make_columns
from online.engines import Choice, fetch, make
from online.lake import Connection
from online.query_engine import count_queries
from online.sql import sql

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import pyarrow as pa

MOST_SEED = 2**63 - 1


@dataclass(frozen=True, slots=True, eq=False)
class QueryFrame:
    """All queries of a choice, in any order; the columns are of equal length.

    Attributes:
        keys: The query without regard to how it is typed (sql/duckdb/spellings.sql); "" for none.
        spellings: In how many ways it is typed.
        searches: How often it is searched for.
        clicked: Searches with a click.
        empty: Searches that are known to have found nothing.
        draws: A whole number of 64 bits, by seed and key alone: the first 8 bytes of the MD5 of
            "SEED KEY", read from the last to the first.
        characters: How long the key is.
        may_be_personal: Whether the key is worth a look for personal data: it holds an at sign,
            or seven digits close together.
        sessions: In how many sessions it is searched for; 0 where it has fewer searches than the
            sessions that were asked for, None where none were.
        classes: Its class, one of `online.engines.QUERY_CLASSES`; None where nobody asked.
        tags: The tag that most of its searches carry, of equal ones the first in the order of
            characters; null unless at least half of its searches carry any tag. None where nobody
            asked.
        tag_counts: How many different tags its searches carry; None where nobody asked.
    """

    keys: "pa.ChunkedArray"
    spellings: "npt.NDArray[np.int64]"
    searches: "npt.NDArray[np.int64]"
    clicked: "npt.NDArray[np.int64]"
    empty: "npt.NDArray[np.int64]"
    draws: "npt.NDArray[np.uint64]"
    characters: "npt.NDArray[np.int64]"
    may_be_personal: "npt.NDArray[np.bool_]"
    sessions: "npt.NDArray[np.int64] | None"
    classes: "pa.ChunkedArray | None"
    tags: "pa.ChunkedArray | None"
    tag_counts: "npt.NDArray[np.int64] | None" = None

    def __len__(self) -> int:
        """How many queries there are."""
        return len(self.searches)


def read_frame(
    connection: Connection,
    choice: Choice,
    seed: int = 0,
    *,
    min_sessions: int = 1,
    classes: bool = False,
    tags: bool = False,
) -> QueryFrame:
    """Count all queries of a choice.

    Args:
        connection: Of `Lake.connect`; what `session_counts` and `variants` need is left in it.
        choice: Which searches count.
        seed: Of `draws`, 0 to 2^63 - 1.
        min_sessions: With 2 or more, sessions are counted of all queries that may have so many.
        classes: Whether the class of each query is wanted.
        tags: Whether the tag of each query is wanted.

    Raises:
        OnlineError: The lake is damaged.
        ValueError: The seed is out of range.
    """
    if not 0 <= seed <= MOST_SEED:
        raise ValueError(f"seed == {seed}, must be from 0 to {MOST_SEED}")
    count_queries(connection, choice)
    connection.execute(f"SET VARIABLE seed = '{seed}'")
    rows = connection.sql(sql("duckdb/query_frame"))
    if min_sessions > 1:
        _count_sessions_of_many(connection, min_sessions)
        rows = rows.join(connection.table("sessions_of_many"), "group_key", how="left")
        rows = rows.project("* REPLACE (coalesce(sessions, 0) AS sessions)")
    if classes:
        named = rows.project("*, group_key AS query")
        rows = named.project(f"*, {sql('duckdb/query_class')} AS query_class")
    if tags:
        make(connection, "query_tags", "duckdb/query_tags")
        rows = rows.join(connection.table("query_tags"), "group_key", how="left")
        rows = rows.project("* REPLACE (coalesce(tag_counts, 0) AS tag_counts)")
    return _frame(rows.to_arrow_table())


def session_counts(connection: Connection, units: Mapping[str, int]) -> dict[int, int]:
    """Unit -> in how many sessions its queries were searched for.

    Args:
        connection: After `read_frame`.
        units: Key of the frame -> number of the unit that it belongs to; several keys of one unit
            count as one query.
    """
    _want(connection, units)
    return {row["unit"]: row["sessions"] for row in fetch(connection, "query_sessions")}


def variants(connection: Connection, units: Mapping[str, int]) -> dict[int, list[tuple[str, int]]]:
    """Unit -> [(as it was typed, searches)], the most frequent spelling first.

    Args:
        connection: After `read_frame`.
        units: As in `session_counts`.
    """
    _want(connection, units)
    found: dict[int, list[tuple[str, int]]] = {}
    for row in fetch(connection, "query_variants"):
        found.setdefault(row["unit"], []).append((row["query"], row["searches"]))
    return found


def group_keys(connection: Connection, texts: Sequence[str]) -> list[str]:
    """The key of each text, as a frame would have it.

    Args:
        connection: Of a lake; its table `texts` is replaced.
        texts: Queries as somebody typed them.
    """
    make_columns(connection, "texts", texts={"query": texts}, numbers={"place": range(len(texts))})
    rows = connection.sql(sql("duckdb/spellings")).order("place").project("group_key").fetchall()
    return [key for (key,) in rows]


def _count_sessions_of_many(connection: Connection, least: int) -> None:
    """Make the table `sessions_of_many` of the queries with so many searches."""
    keys = connection.table("queries").filter(f"searches >= {least}").project("group_key")
    spelled = connection.table("spellings").join(keys, "group_key", how="semi")
    spelled.project("query, group_key AS unit").create_view("wanted", replace=True)
    counted = f"SELECT unit AS group_key, sessions FROM ({sql('query_sessions')})"  # noqa: S608
    connection.execute(f"CREATE OR REPLACE TEMP TABLE sessions_of_many AS {counted}")


def _want(connection: Connection, units: Mapping[str, int]) -> None:
    """Make the view `wanted` of the spellings of these keys."""
    make_columns(
        connection, "wanted_keys", texts={"group_key": units}, numbers={"unit": units.values()}
    )
    spelled = connection.table("spellings").join(connection.table("wanted_keys"), "group_key")
    spelled.project("query, searches, unit").create_view("wanted", replace=True)


def taken(column: "pa.ChunkedArray", rows: "npt.NDArray[np.int64]") -> list[Any]:
    """The values of a column at these places."""
    import numpy as np
    import pyarrow as pa

    # Made of its memory: to make an array of a list would import pandas, which takes longer.
    memory = pa.py_buffer(np.ascontiguousarray(rows, dtype=np.int64))
    values: list[Any] = column.take(
        pa.Array.from_buffers(pa.int64(), len(rows), [None, memory])
    ).to_pylist()
    return values


def _frame(rows: "pa.Table") -> QueryFrame:
    def numbers(name: str) -> Any:
        return _numbers(rows[name])

    there = set(rows.column_names)
    return QueryFrame(
        keys=rows["group_key"],
        spellings=numbers("spellings"),
        searches=numbers("searches"),
        clicked=numbers("clicked"),
        empty=numbers("empty"),
        draws=numbers("draw"),
        characters=numbers("characters"),
        may_be_personal=numbers("may_be_personal").astype(bool),
        sessions=numbers("sessions") if "sessions" in there else None,
        classes=rows["query_class"] if "query_class" in there else None,
        tags=rows["tag"] if "tag" in there else None,
        tag_counts=numbers("tag_counts") if "tag_counts" in there else None,
    )


def _numbers(column: "pa.ChunkedArray") -> Any:
    """A column of whole numbers, none of them null, as numpy sees it."""
    import numpy as np

    parts = [np.from_dlpack(chunk) for chunk in column.chunks]
    return np.concatenate(parts) if parts else np.zeros(0, dtype=np.int64)
