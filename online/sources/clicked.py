"""Which column of a table of searches names what was clicked, and how searches repeat there."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from online.sources import guessing as guess
from online.sources.guessing import ENOUGH, Column
from online.sources.shaping import as_ids

REPEATING = 0.1
"""The share of rows with a click that must tell a search again before rows are taken for clicks."""


def clicked_column(
    columns: Iterable[Column], rank: Column | None, results: Column | None
) -> Column | None:
    """A column of a common name ("item", "sku", …) that holds what was clicked.

    It stands in the rows that have a rank; without ranks, in some rows only, and names one of the
    results of its row. None where no column does.
    """
    left = list(columns)
    while column := guess.best(left, guess.PARTS["doc_id"], guess.is_text):
        if rank is not None and rank.values and stands_beside(column, rank):
            return column
        if rank is None and results is not None and _is_of(results, column):
            return column
        left.remove(column)
    return None


def named_like_a_document(columns: Iterable[Column]) -> Column | None:
    """A column that may name a document, by its name alone."""
    return guess.best(columns, guess.PARTS["doc_id"], guess.is_text)


def stands_beside(document: Column, rank: Column) -> bool:
    """Whether nearly all rows with a rank name a document."""
    return len(rank.rows) > 0 and n_alone(rank, document) <= (1 - ENOUGH) * len(rank.rows)


def n_alone(rank: Column, document: Column) -> int:
    """How many rows have a rank and no document."""
    return len(set(rank.rows) - set(document.rows))


def _is_of(results: Column, document: Column) -> bool:
    """Whether documents are among the results of their rows, and some rows name none."""
    if not document.rows or len(document.rows) == len(results.rows):
        return False
    separator = guess.separator_of(results)
    listed = dict(zip(results.rows, results.values, strict=True))
    among = [
        str(value) in map(str, as_ids(listed.get(row, []), separator))
        for row, value in zip(document.rows, document.values, strict=True)
    ]
    return sum(among) >= ENOUGH * len(among)


def search_of_clicks(fields: Mapping[str, Column]) -> list[str]:
    """Columns that together stand for the search of rows that are one click each.

    Rows are that where user, query and results come again with another clicked document; their
    time is the search's where it is the same in all of these rows.

    Returns:
        The paths of the columns; [] where rows do not repeat, or no column names the user.
    """
    user = fields.get("session_id") or fields.get("user_id")
    clicked, results = fields.get("clicked_doc_id"), fields.get("retrieved_doc_ids")
    if user is None or clicked is None or results is None or not {"query"} <= fields.keys():
        return []
    with_times = [user, fields["query"], *([fields["timestamp"]] if "timestamp" in fields else [])]
    for key in (with_times, with_times[:2]):
        if _n_repeating([*key, results], clicked) >= max(2, REPEATING * len(clicked.rows)):
            return [column.path for column in key]
    return []


def _n_repeating(key: Sequence[Column], clicked: Column) -> int:
    """How many rows share the values of all these columns with one of another document."""
    values = [dict(zip(column.rows, map(str, column.values), strict=True)) for column in key]
    documents: dict[tuple[Any, ...], list[str]] = defaultdict(list)
    for row, document in zip(clicked.rows, clicked.values, strict=True):
        documents[tuple(told.get(row) for told in values)].append(str(document))
    return sum(len(found) for found in documents.values() if len(set(found)) > 1)
