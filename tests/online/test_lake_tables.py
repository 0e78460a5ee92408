"""What was exported of a lake comes back as the same searches and the same interactions."""

import json
from pathlib import Path
from random import Random
from typing import Any

import pyarrow.parquet as pq
import pytest

from estimates import ImportTally
from online.events import OnlineError
from online.exporting import export_events
from online.ingest import import_events
from online.lake import Lake
from online.report import report
from tests.online.logs import LISTED, clicked, event, quarantined, rows, take, write_log

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


def test_interactions_that_only_searches_tell_whole_are_refused_until_these_are_known(
    tmp_path: Path,
) -> None:
    take(tmp_path, LINES)
    lake, again = Lake(tmp_path / "events"), Lake(tmp_path / "again")
    export_events(lake, tmp_path / "out.csv", "interactions")
    export_events(lake, tmp_path / "searches.csv")
    (n,) = rows(lake, "SELECT count(*) FROM interactions")[0]
    tally = import_events(again, tmp_path / "out.csv", quarantine_folder=tmp_path / "q")
    assert (tally.read, tally.accepted, tally.reasons) == (n, 5, {"told_by_searches": n - 5})
    assert all("table of searches" in row["message"] for row in quarantined(tally))
    import_events(again, tmp_path / "searches.csv", quarantine_folder=tmp_path / "q")
    tally = import_events(again, tmp_path / "out.csv", quarantine_folder=tmp_path / "q")
    assert (tally.read, tally.duplicate) == (n, n)
    assert _told(again) == _told(lake)


def test_an_export_without_what_keeps_events_apart_is_refused(tmp_path: Path) -> None:
    take(tmp_path, LINES)
    export_events(Lake(tmp_path / "events"), tmp_path / "out.parquet")
    table = pq.read_table(tmp_path / "out.parquet").drop_columns(["told"])
    pq.write_table(table, tmp_path / "edited.parquet")
    with pytest.raises(OnlineError, match="lacks the column 'told'"):
        take_file(tmp_path / "events", tmp_path / "edited.parquet")


def test_a_row_that_was_edited_is_refused_and_shown(tmp_path: Path) -> None:
    take(tmp_path, LINES)
    file = tmp_path / "out.jsonl"
    export_events(Lake(tmp_path / "events"), file)
    edits = [{"told": 3}, {"search_key": "x"}, {"extra": "[1]"}, {"told": [{"kind": "page"}]}]
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    write_log(file, [line | edit for line, edit in zip(lines, [*edits, {}, {}], strict=True)])
    tally = take_file(tmp_path / "again", file)
    assert (tally.accepted, tally.reasons) == (2, {"bad_export": 4})


def test_of_rows_that_are_too_old_nothing_is_shown(tmp_path: Path) -> None:
    take(tmp_path, LINES)
    file = tmp_path / "out.csv"
    export_events(Lake(tmp_path / "events"), file)
    # What was clicked a minute later is young enough, but its rank is none.
    text = file.read_text().replace("2026-11-30 12:00", "2020-01-01 12:00")
    file.write_text(text.replace('""rank"":11', '""rank"":-1'))
    tally = import_events(
        Lake(tmp_path / "again"), file, quarantine_folder=tmp_path / "q", keep_days=1000
    )
    assert (tally.accepted, tally.reasons) == (0, {"beyond_retention": 6})
    assert {row["raw"] for row in quarantined(tally)} == {None}


def test_clicks_told_later_do_not_count_again(tmp_path: Path) -> None:
    later: dict[str, Any] = {"timestamp": "2026-11-30T12:00:10Z", "search_id": "S1"}
    later |= {
        "clicks": [{"doc_id": "d1", "rank": 1}],
        "conversions": [{"doc_id": "d1", "value": 1}],
    }
    take(tmp_path, [event(search_id="S1"), later])
    lake = Lake(tmp_path / "events")
    export_events(lake, tmp_path / "out.parquet")
    tally = take_file(tmp_path / "events", tmp_path / "out.parquet")
    assert (tally.read, tally.duplicate) == (1, 1)
    asked = "SELECT n_clicks, n_conversions, conversion_value FROM searches"
    assert rows(lake, asked) == [(1, 1, 1.0)]


def test_an_empty_query_is_one_in_a_text_table_too(tmp_path: Path) -> None:
    take(tmp_path, [event(query=""), event(query="  ")])
    export_events(Lake(tmp_path / "events"), tmp_path / "out.csv")
    take_file(tmp_path / "again", tmp_path / "out.csv")
    assert rows(Lake(tmp_path / "again"), "SELECT query FROM searches ORDER BY ALL") == [
        ("",), ("  ",),
    ]  # fmt: skip


def test_a_lake_that_knows_a_part_takes_the_rest(tmp_path: Path) -> None:
    take(tmp_path, LINES)
    export_events(Lake(tmp_path / "events"), tmp_path / "out.duckdb")
    log = write_log(tmp_path / "part.jsonl", [LINES[0], *LINES[6:9]])
    take_file(tmp_path / "again", log)
    take_file(tmp_path / "again", tmp_path / "out.duckdb")
    assert _told(Lake(tmp_path / "again")) == _told(Lake(tmp_path / "events"))


SLOW = [pytest.param(name, marks=pytest.mark.slow) for name in ("out.parquet", "out.jsonl")]


@pytest.mark.parametrize("name", ["out.duckdb", "out.csv", *SLOW])
def test_nothing_of_any_lake_counts_twice(tmp_path: Path, name: str) -> None:
    _require_same(tmp_path, name, seed=1)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2, 22))
def test_nothing_of_many_lakes_counts_twice(tmp_path: Path, seed: int) -> None:
    name = ("out.duckdb", "out.parquet", "out.csv", "out.jsonl")[seed % 4]
    _require_same(tmp_path, name, seed)


def _require_same(folder: Path, name: str, seed: int) -> None:
    """Any log, exported: into its lake, into an empty one, and the log itself after that."""
    dice = Random(seed)
    lake, again = Lake(folder / "events"), Lake(folder / "again")
    log = write_log(folder / "log.jsonl", [_any_line(dice) for _ in range(80)])
    raw = take_file(lake.root, log)
    assert raw.accepted > 50, raw.as_json()
    before = _told(lake), _report(lake)
    export_events(lake, folder / name)
    tally = take_file(lake.root, folder / name)
    assert (tally.accepted, tally.quarantined) == (0, 0), tally.as_json()
    assert (_told(lake), _report(lake)) == before
    tally = take_file(again.root, folder / name)
    assert tally.accepted > 0, tally.as_json()
    assert not tally.quarantined, tally.as_json()
    apart = "count(DISTINCT row_key) FROM interactions WHERE joined = FALSE"
    missing = 0 if name.endswith("duckdb") else rows(lake, f"SELECT {apart}")[0][0]
    assert _told(again, only_joined=True) == _told(lake, only_joined=True)
    tally = take_file(again.root, log)
    assert tally.accepted == missing, tally.as_json()
    assert (_told(again), _report(again)) == before


def _any_line(dice: Random) -> dict[str, Any]:
    """A search, or what happened in one; of few ids, so that they meet."""
    line: dict[str, Any] = {
        "timestamp": f"2026-11-{dice.randint(28, 30)}T12:0{dice.randint(0, 9)}:00"
    }
    line["timestamp"] += dice.choice(["Z", ".25Z", "+01:00"])
    for key, values in _SAID.items():
        if dice.random() < 0.3:
            line[key] = dice.choice(values)
    if dice.random() < 0.6:
        line["search_id"] = f"q{dice.randint(0, 9)}"
    for key in ("clicks", "conversions", "impressions"):
        if dice.random() < 0.25:
            line[key] = [_any_thing(dice, key) for _ in range(dice.randint(0, 3))]
    if dice.random() < 0.6:
        line |= {"query": dice.choice(_QUERIES), "model_version": dice.choice("ab")}
        line |= dice.choice(
            [
                {"results_logged": False},
                {"retrieved_doc_ids": dice.sample(LISTED, dice.randint(0, 5))},
            ]
        )
    return line


_QUERIES = ["", " ", "a", "A ", 'x "y", z\n', "NULL", "\u00fc", "\\", "'", "1"]
_SAID: dict[str, list[Any]] = {
    "session_id": ["s1", "s2"],
    "user_id": ["u1", "u2"],
    "action": ["moved", "42"],
    "offset": [0, 5],
    "tags": [[], ["m"], ["m", ""]],
    "total_hits": [0, 7],
    "latency_ms": [0.1, 1e3],
    "dwell_s": [1.5],
    "further": [{"doc_id": 1, "n": None}, "", [1e300]],
    "rank": [1],
}


def _any_thing(dice: Random, kind: str) -> dict[str, Any]:
    thing: dict[str, Any] = {"doc_id": dice.choice(LISTED), "rank": dice.randint(1, 6)}
    if dice.random() < 0.5:
        thing["timestamp"] = f"2026-11-30T12:10:{dice.randint(10, 59)}.{dice.randint(1, 999)}Z"
    if dice.random() < 0.3:
        thing |= {"query": "x", "colour": dice.choice(["red", None, 1])}
    if kind == "clicks" and dice.random() < 0.5:
        thing["dwell_s"] = dice.random() * 100
    if kind == "conversions" and dice.random() < 0.7:
        thing |= {"value": dice.random() * 100, "action": dice.choice(["bought", "rented"])}
    return thing


def _told(lake: Lake, *, only_joined: bool = False) -> list[list[tuple[Any, ...]]]:
    """All that a lake holds, but for the lines at which it stood."""
    extra = "regexp_replace(extra, '\"line\":[0-9]+', '') AS extra"
    where = "WHERE joined IS DISTINCT FROM FALSE" if only_joined else ""
    asked = f"SELECT * REPLACE ({extra}) FROM interactions {where} ORDER BY ALL"  # noqa: S608
    return [rows(lake, "SELECT * EXCLUDE (line) FROM searches ORDER BY ALL"), rows(lake, asked)]


def _report(lake: Lake) -> Any:
    """The report; amounts are added up by several threads, so their last digits may differ."""
    return json.loads(json.dumps(report(lake)), parse_float=lambda number: round(float(number), 9))


def take_file(root: Path, file: Path) -> ImportTally:
    """Import a file into the lake in this folder."""
    return import_events(Lake(root), file, quarantine_folder=root.parent / "q")
