"""The queries of sql/evidence on another engine: SQLite gives the same integers."""

import sqlite3
from pathlib import Path
from typing import Any

import pytest

from online.engines import Choice
from online.evidence_counting import write_evidence
from online.lake import Connection
from online.sql import sql
from tests.online.evidence_oracle import random_log
from tests.online.logs import lake_of

GIVEN = ("things", "placed", "repeated_visits", "clicked_docs", "shown_docs", "looked_down_to",
         "rank_parts", "lists", "waiting", "selected")  # fmt: skip
MADE = ("seen", "off_list", "pair_ranks", "visit_sessions", "pairs")
ASKED = ("rank_ctr", "totals", "spreads", "searches_left_out", "clicks_left_out", "waiting",
         "impressions_without_rank", "unknown_slots", "models")  # fmt: skip


@pytest.fixture
def engines(tmp_path: Path) -> Any:
    """DuckDB after it counted a random log, and SQLite with the tables that the queries read."""
    other = sqlite3.connect(":memory:")
    with lake_of(tmp_path, *random_log(3, own_texts=True)).connect() as connection:
        write_evidence(connection, Choice(), tmp_path / "evidence.parquet")
        for table in GIVEN:
            _copy(connection, other, table)
        yield connection, other
    other.close()


def test_another_engine_gives_the_same_integers(
    engines: tuple[Connection, sqlite3.Connection],
) -> None:
    connection, other = engines
    for table in MADE:
        other.execute(f'CREATE TABLE "{table}" AS {sql(f"evidence/{table}")}')
        ours = connection.table(table).fetchall()
        theirs = other.execute(f'SELECT * FROM "{table}"').fetchall()  # noqa: S608 - our own
        assert _as_text(ours) == _as_text(theirs), table
        assert ours, table
    for query in ASKED:
        ours = connection.execute(sql(f"evidence/{query}")).fetchall()
        theirs = other.execute(sql(f"evidence/{query}")).fetchall()
        assert _as_text(ours) == _as_text(theirs), query


def _copy(connection: Connection, other: sqlite3.Connection, table: str) -> None:
    """The rows of a table or view; what SQLite does not know, as text."""
    relation = connection.table(table)
    names = relation.columns
    columns = ", ".join(f'"{name}"' for name in names)
    other.execute(f'CREATE TABLE "{table}" ({columns})')
    places = ", ".join("?" * len(names))
    rows = [tuple(map(_plain, row)) for row in relation.fetchall()]
    other.executemany(f'INSERT INTO "{table}" VALUES ({places})', rows)  # noqa: S608 - our own


def _plain(value: Any) -> Any:
    if isinstance(value, int) and abs(value) >= 2**63:
        return f"{value}"
    return value if isinstance(value, int | float | str | None) else f"{value}"


def _as_text(rows: list[tuple[Any, ...]]) -> list[str]:
    return sorted(repr([_plain(value) for value in row]) for row in rows)
