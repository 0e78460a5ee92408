"""The queries with what there is of each, one page at a time."""

from collections.abc import Collection
from dataclasses import dataclass
from math import ceil

from builder.curation.acting import existing_query
from builder.store import Connection, query_lists
from builder.store.query_lists import QueryCounts, QueryRow, Sought, Totals
from builder.workspace import Workspace

PAGE = 25
"""Queries on one page."""

EVERY = Sought()


@dataclass(frozen=True, slots=True)
class ListedQuery:
    """A query, and what there is of it.

    Attributes:
        query: The query as it is stored.
        counts: Its pairs, grades and words of raters.
    """

    query: QueryRow
    counts: QueryCounts

    @property
    def complete_share(self) -> float | None:
        """The share of the pairs asked of raters that have all the grades they want, or None."""
        asked = self.counts.pairs - self.counts.unasked
        return self.counts.complete / asked if asked else None


@dataclass(frozen=True, slots=True)
class QueryPage:
    """A page of queries.

    Attributes:
        queries: What needs attention first; at most 25.
        total: How many queries are sought, on all pages.
        page: Which page this is, from 1.
        pages: How many there are, at least 1.
    """

    queries: tuple[ListedQuery, ...]
    total: int
    page: int
    pages: int


def list_queries(workspace: Workspace, sought: Sought = EVERY, page: int = 1) -> QueryPage:
    """One page of the queries sought.

    Set aside ones come first, then those that a rater called unclear or out of scope, those with
    pairs that nobody could judge, those without pairs, unfinished, those that no rater is asked
    for, complete, and retired ones; within each by priority, then as they came.

    Args:
        workspace: Where they lie.
        sought: Which queries.
        page: From 1; beyond the last one the last one is given.
    """
    with workspace.store.read() as connection:
        total = query_lists.count_sought(connection, sought)
        pages = max(1, ceil(total / PAGE))
        chosen = min(max(1, page), pages)
        rows = query_lists.query_page(connection, sought, PAGE * (chosen - 1), PAGE)
        return QueryPage(_listed(connection, rows), total, chosen, pages)


def find_query(workspace: Workspace, query_id: str) -> ListedQuery:
    """One query, and what there is of it.

    Raises:
        BuilderError: There is none of this id.
    """
    with workspace.store.read() as connection:
        (listed,) = _listed(connection, [existing_query(connection, query_id)])
        return listed


def query_totals(workspace: Workspace) -> Totals:
    """How many queries are active, retired, and waiting for a decision."""
    with workspace.store.read() as connection:
        return query_lists.total_queries(connection)


def query_filters(workspace: Workspace) -> tuple[list[str], list[str]]:
    """All tags and all sources of the queries, each by name."""
    with workspace.store.read() as connection:
        return query_lists.known_tags(connection), query_lists.known_sources(connection)


def listed_by_key(connection: Connection, query_keys: Collection[int]) -> dict[int, ListedQuery]:
    """These queries (some hundred), by their keys."""
    rows = query_lists.query_rows(connection, list(query_keys))
    counts = query_lists.counts_of(connection, rows)
    return {key: ListedQuery(row, counts[key]) for key, row in rows.items()}


def _listed(connection: Connection, rows: list[QueryRow]) -> tuple[ListedQuery, ...]:
    counts = query_lists.counts_of(connection, [row.query_key for row in rows])
    return tuple(ListedQuery(row, counts[row.query_key]) for row in rows)
