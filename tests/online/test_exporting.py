"""The lake taken away as a file: what is in it, and that an import reads it again."""

import csv
import gzip
import json
from pathlib import Path
from typing import Any

import duckdb
import pyarrow.parquet as pq
import pytest

from online import OnlineError
from online.exporting import Exportable, export_events
from online.ingest import import_events
from online.lake import Lake
from tests.online.logs import clicked, event, lake_of, rows, take

EARLIER = "2026-11-28T00:00:00Z"
LINES: list[dict[str, Any] | str | bytes] = [
    clicked(2, query="late"),
    event(timestamp=EARLIER, query='=SUM(1), "quoted"\n\'', session_id=None, event_id="e1"),
    event(timestamp=EARLIER, query="\u00fc\u4e2d", retrieved_doc_ids=[]),
    clicked(None, 4, query="no rank"),
    event(
        query="all there is",
        search_id="q1",
        user_id="u1",
        session_id=None,
        offset=20,
        tags=["a", "b"],
        total_hits=99,
        latency_ms=1.5,
        clicks=[
            {"doc_id": "d2", "rank": 22, "timestamp": "2026-11-30T12:00:05Z", "dwell_s": 31.5},
            {"doc_id": "d1", "rank": 21},
        ],
        conversions=[{"doc_id": "d2", "value": 9.5, "rank": 22, "action": "purchase"}],
    ),
    {
        "timestamp": EARLIER,
        "query": "results untold",
        "session_id": "s",
        "model_version": "m",
        "results_logged": False,
        "clicks": [{"doc_id": "d9", "rank": 1}],
    },
]


def _lake(folder: Path) -> Lake:
    searches: list[dict[str, Any]] = [
        {"query": "late", "results_offset": 10, "n_clicks": 2},
        {"query": "early", "timestamp": EARLIER, "tags": ["a", "b"], "search_id": "q"},
    ]
    interactions: list[dict[str, Any]] = [
        {"search_key": 0, "doc_id": "b", "rank": 12, "dwell_s": 3.5},
        {"search_key": 0, "doc_id": "a", "rank": 11},
        {"search_key": 1, "timestamp": EARLIER, "kind": "conversion", "value": 2.5},
        {"search_key": 1, "timestamp": EARLIER, "kind": "impression", "doc_id": "c"},
        {"search_key": 9, "joined": False, "doc_id": "d"},
    ]
    return lake_of(folder, searches, interactions)


def test_a_database_holds_both_tables_in_the_order_of_time(tmp_path: Path) -> None:
    file = tmp_path / "it's [1].duckdb"
    written = export_events(_lake(tmp_path), file)
    assert written.as_json() == {"file": str(file), "tables": {"searches": 2, "interactions": 5}}
    with duckdb.connect(str(file), read_only=True) as database:
        asked = 'SELECT query, "offset", tags, clicks, conversions FROM searches'
        early, late = database.execute(asked).fetchall()
        assert (early[0], early[2], early[3], early[4][0]["value"]) == (
            "early",
            ["a", "b"],
            None,
            2.5,
        )
        assert [(c["doc_id"], c["rank"], c["dwell_s"]) for c in late[3]] == [
            ("a", 11, None), ("b", 12, 3.5),
        ]  # fmt: skip
        assert (late[1], late[4]) == (10, None)
        assert database.execute("SELECT count(*) FROM interactions WHERE joined").fetchall() == [
            (0,)
        ]
    # 64 to 68 is what DuckDB 1.5 reads; the number stands behind the checksum and "DUCK".
    assert 64 <= int.from_bytes(file.read_bytes()[12:20], "little") <= 68
    assert {path.name for path in tmp_path.iterdir()} >= {file.name}
    assert not list(tmp_path.glob(".*"))


@pytest.mark.parametrize(
    ("name", "table", "n"),
    [("o.parquet", None, 2), ("O.PARQUET", "interactions", 5), ("o.csv", None, 2),
     ("o.csv.gz", "interactions", 5), ("o.jsonl", None, 2), ("o.jsonl.gz", "searches", 2),
     ("o.db", "searches", 2)],
)  # fmt: skip
def test_a_file_holds_one_table(tmp_path: Path, name: str, table: Exportable, n: int) -> None:
    file = tmp_path / name
    exported = export_events(_lake(tmp_path), file, table)
    assert exported.tables == {table or "searches": n}
    raw = gzip.decompress(file.read_bytes()) if name.endswith(".gz") else file.read_bytes()
    if ".parquet" in name.lower():
        assert pq.read_table(file).num_rows == n
    elif ".csv" in name:
        assert len(list(csv.DictReader(raw.decode().splitlines()))) == n
    elif ".jsonl" in name:
        assert [json.loads(line)["query"] for line in raw.splitlines()] == ["early", "late"]


@pytest.mark.parametrize("name", ["out.duckdb", "out.parquet", "out.csv", "out.jsonl.gz"])
def test_an_import_reads_again_what_was_exported(tmp_path: Path, name: str) -> None:
    take(tmp_path, LINES)
    lake, again = Lake(tmp_path / "events"), Lake(tmp_path / "again")
    export_events(lake, tmp_path / name)
    table = "searches" if name.endswith("duckdb") else None
    tally = import_events(again, tmp_path / name, quarantine_folder=tmp_path / "q", table=table)
    assert (tally.read, tally.accepted) == (6, 6), tally.as_json()
    for asked in (
        "SELECT timestamp, query, session_id, user_id, model_version, retrieved_doc_ids, "
        "n_results, results_offset, n_clicks, best_click_rank, best_click_position, first_click_s, "
        "dwell_s, n_conversions, conversion_value, event_id, search_id, tags, total_hits, "
        "latency_ms FROM searches ORDER BY ALL",
        "SELECT timestamp, session_id, kind, doc_id, rank, position, occurred_at, dwell_s, value, "
        "action FROM interactions ORDER BY ALL",
    ):
        assert rows(again, asked) == rows(lake, asked)


def test_an_empty_lake_gives_a_table_without_rows(tmp_path: Path) -> None:
    for name in ("out.duckdb", "out.parquet", "out.csv"):
        assert set(export_events(Lake(tmp_path / "none"), tmp_path / name).tables.values()) == {0}
    assert "timestamp" in pq.read_table(tmp_path / "out.parquet").column_names
    assert not (tmp_path / "none").exists()


def test_a_file_that_is_there_stays_unless_forced(tmp_path: Path) -> None:
    lake, file = _lake(tmp_path), tmp_path / "out.parquet"
    file.write_text("mine")
    with pytest.raises(OnlineError, match="there already"):
        export_events(lake, file)
    assert file.read_text() == "mine"
    export_events(lake, file, force=True)
    assert pq.read_table(file).num_rows == 2


def test_what_cannot_be_written_is_told_and_leaves_nothing(tmp_path: Path) -> None:
    lake = _lake(tmp_path)
    for name, message in (
        ("out.xlsx", "says no form"),
        ("no/such/out.parquet", "cannot write"),
        ("folder.csv", "is a folder"),
    ):
        (tmp_path / "folder.csv").mkdir(exist_ok=True)
        with pytest.raises(OnlineError, match=message):
            export_events(lake, tmp_path / name)

    def stop(_what: str, done: int, _total: int | None) -> None:
        if done:
            raise RuntimeError

    with pytest.raises(RuntimeError):
        export_events(lake, tmp_path / "out.duckdb", progress=stop)
    assert not [path for path in tmp_path.iterdir() if "out" in path.name]
