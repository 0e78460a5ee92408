"""What was exported of a lake comes back as the same searches and the same interactions."""

from pathlib import Path
from typing import Any

import pytest

from online.exporting import export_events
from online.ingest import import_events
from online.lake import Lake
from tests.online.logs import clicked, event, rows, take

LATER = {"timestamp": "2026-11-30T12:01:00Z", "search_id": "q1", "user_id": "u1"}
LINES: list[dict[str, Any] | str | bytes] = [
    clicked(2, query="one click", further={"a": [1, None]}, country="DE"),
    event(query="nothing", session_id=None, retrieved_doc_ids=[], conversions=[]),
    event(query="by a user", session_id=None, user_id="u7", event_id="e1"),
    event(query="by a user, later", session_id=None, user_id="u7", action="sorted"),
    event(query="shown", impressions=[{"doc_id": "d1", "rank": 1}, {"doc_id": "d2", "rank": 2}]),
    event(query="joined", search_id="q1", session_id=None, offset=10, tags=["x"], total_hits=3),
    LATER | {"clicks": [{"doc_id": "d1", "rank": 11, "dwell_s": 3.5}], "session_id": "s9"},
    LATER | {"action": "scrolled", "event_id": "e2", "depth": 3},
    LATER | {"conversions": [{"doc_id": "d1", "value": 2.5, "action": "bought"}]},
    LATER | {"search_id": "unknown", "clicks": [{"doc_id": "d3", "rank": 1}]},
    LATER | {"search_id": None, "action": "visited"},
]
SEARCHES = (
    "SELECT timestamp, query, session_id, session_given, user_id, model_version, search_id,"
    " retrieved_doc_ids, n_results, results_offset, n_clicks, best_click_rank, first_click_rank,"
    " best_click_position, first_click_s, dwell_s, n_conversions, conversion_value, event_id, tags,"
    " total_hits, latency_ms, extra FROM searches ORDER BY ALL"
)
INTERACTIONS = (
    "SELECT timestamp, joined, kind, doc_id, rank, position, occurred_at, dwell_s, value, action,"
    " search_id, extra FROM interactions {} ORDER BY ALL"
)


def _again(folder: Path, name: str) -> Lake:
    take(folder, LINES)
    export_events(Lake(folder / "events"), folder / name)
    again = Lake(folder / "again")
    tally = import_events(again, folder / name, quarantine_folder=folder / "q")
    assert not tally.quarantined
    return again


def test_a_database_of_both_tables_comes_back_whole(tmp_path: Path) -> None:
    again, lake = _again(tmp_path, "out.duckdb"), Lake(tmp_path / "events")
    assert rows(again, SEARCHES) == rows(lake, SEARCHES)
    assert rows(again, INTERACTIONS.format("")) == rows(lake, INTERACTIONS.format(""))


@pytest.mark.parametrize("name", ["out.parquet", "out.csv", "out.jsonl.gz"])
def test_the_table_of_searches_tells_all_that_happened_in_them(tmp_path: Path, name: str) -> None:
    again, lake = _again(tmp_path, name), Lake(tmp_path / "events")
    assert rows(again, SEARCHES) == rows(lake, SEARCHES)
    asked = INTERACTIONS.format("WHERE joined IS DISTINCT FROM FALSE AND NOT action = 'scrolled'")
    assert rows(again, asked) == rows(lake, asked)


def test_searches_without_an_id_are_known_again_by_their_content(tmp_path: Path) -> None:
    take(tmp_path, LINES[:4])
    lake = Lake(tmp_path / "events")
    export_events(lake, tmp_path / "out.parquet")
    tally = import_events(lake, tmp_path / "out.parquet", quarantine_folder=tmp_path / "q")
    assert (tally.duplicate, tally.accepted) == (4, 0)


def test_interactions_that_searches_tell_are_passed_over_and_counted(tmp_path: Path) -> None:
    take(tmp_path, LINES)
    export_events(Lake(tmp_path / "events"), tmp_path / "out.csv", "interactions")
    again = Lake(tmp_path / "again")
    tally = import_events(again, tmp_path / "out.csv", quarantine_folder=tmp_path / "q")
    assert tally.accepted == 3
    (n,) = rows(Lake(tmp_path / "events"), "SELECT count(*) FROM interactions")[0]
    assert tally.notes["told_by_searches"] == n - 3
