"""Which columns are called as the keys of the native line, and whether they make searches."""

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from online.events import OnlineError
from online.sources.mapping import Rule, TableMap, suggestion
from online.sources.shaping import NATIVE
from online.sources.tables import Table

LISTED_COLUMNS = 40
LATER_LINES = ("search_id", "action")
"""Rows with one of these may do without a query."""


def bare(name: str) -> str:
    """A name without regard to case, hyphens, underscores and blanks.

    >>> bare("Retrieved-Doc IDs")
    'retrieveddocids'
    """
    return re.sub(r"[\W_]+", "", name).lower()


_KEYS = {bare(key): key for key in NATIVE}


def known_columns(columns: Iterable[str]) -> dict[str, str]:
    """Native key -> the first column that is called so."""
    found: dict[str, str] = {}
    for column in columns:
        if key := _KEYS.get(bare(column)):
            found.setdefault(key, column)
    return found


def native_map(columns: Iterable[str], constants: Mapping[str, Any]) -> TableMap:
    """The mapping that the names of the columns give."""
    named = {key: Rule(column) for key, column in known_columns(columns).items()}
    return TableMap(fields=named, constants=constants)


def require_meaning(mapping: TableMap, columns: Sequence[str], path: Path) -> None:
    """Refuse columns that cannot be events.

    Raises:
        OnlineError: It says what there is, what is missing, and what to do.
    """
    there = {*mapping.fields, *mapping.constants}
    missing = [] if "timestamp" in there else ["timestamp"]
    if "query" in there:
        missing += [] if "model_version" in there else ["model_version"]
        results = {"retrieved_doc_ids", "results_logged"} & there
        missing += [] if results else ["retrieved_doc_ids"]
    elif not there.intersection(LATER_LINES):
        missing += ["query", "model_version", "retrieved_doc_ids"]
        missing = [key for key in missing if key not in there]
    if not missing:
        return
    raise OnlineError(
        f"the columns do not name {_and(missing)}; they are {_listed(columns)}",
        where=str(path),
        hint="name what ranked the results: --model-version NAME"
        if missing == ["model_version"]
        else f"goldsmith events map {path} proposes what they mean; then import with --map",
    )


def require_columns(mapping: TableMap, table: Table) -> None:
    """Refuse a mapping that names a column which the table lacks.

    Of JSON objects only the first ones are known, so that is asked of the time alone.

    Raises:
        OnlineError: It says which column, and what may have been meant.
    """
    timestamp = mapping.fields.get("timestamp")
    sure = [timestamp.path] if timestamp else []
    for path in mapping.paths() if table.columns_are_known else sure:
        if not _is_there(path, table.columns):
            raise OnlineError(
                f"the mapping names {path!r}, and there is no such column",
                where=mapping.where or str(table.path),
                hint=f"{suggestion(path, table.columns)} (columns of {table.path.name})",
            )


def _is_there(path: str, columns: Sequence[str]) -> bool:
    steps = path.split(".")
    heads = {".".join(steps[:length]).removesuffix("[]") for length in range(1, len(steps) + 1)}
    return path in columns or not heads.isdisjoint(columns)


def _and(names: Sequence[str]) -> str:
    return " and ".join([*([", ".join(names[:-1])] if names[1:] else []), names[-1]])


def _listed(columns: Sequence[str]) -> str:
    if not columns:
        return "none"
    more = f" and {len(columns) - LISTED_COLUMNS:,} more" if len(columns) > LISTED_COLUMNS else ""
    return ", ".join(columns[:LISTED_COLUMNS]) + more
