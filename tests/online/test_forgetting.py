"""What leaves the lake: a user's events wherever they lie, and days past their time."""

import json
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from online import OnlineError
from online.bots import judge_all
from online.forgetting import expire_events, find_user, first_kept_day, forget_user
from online.lake import Lake
from tests.online.logs import event, lake_of, quarantined, rows, take

EARLIER = "2026-11-28T00:00:00Z"


def _lake(folder: Path) -> Lake:
    """Three days: searches 0 to 2 of u1, u2 and u1 (an old lake's), 77 found only by its click."""
    searches: list[dict[str, Any]] = [
        {"user_id": "u1", "session_id": "user:u1:5"},
        {"user_id": "u2"},
        {"timestamp": EARLIER, "extra": '{"user_id": "u1", "page": 2}'},
        {"timestamp": "2026-11-27T00:00:00Z", "search_id": "q9", "search_key": 77},
        {"timestamp": "2026-11-26T00:00:00Z", "user_id": "u10", "extra": '{"user_id": "x"}'},
    ]
    interactions: list[dict[str, Any]] = [
        {"search_key": 0, "doc_id": "a"},
        {"search_key": 1, "doc_id": "b", "user_id": "u2"},
        {"search_key": 2, "doc_id": "c", "timestamp": EARLIER},
        {"search_key": 77, "search_id": "q9", "timestamp": "2026-11-27T00:00:00Z"},
        {"search_key": 77, "search_id": "q9", "user_id": "u1", "timestamp": EARLIER},
        {"search_key": 2, "doc_id": "same key, other time"},
        {"search_key": None, "doc_id": "d", "joined": False, "extra": '{"client_id": "u1"}'},
    ]
    return lake_of(folder, searches, interactions)


def _parquet(lake: Lake) -> set[str]:
    return {path.relative_to(lake.root).as_posix() for path in lake.root.rglob("*.parquet")}


def test_all_that_a_user_did_is_erased_and_nothing_of_others(tmp_path: Path) -> None:
    lake = _lake(tmp_path)
    untouched = {file for file in _parquet(lake) if "2026-11-26" in file}
    expected = find_user(lake, "u1", tmp_path / "none")
    assert expected.as_json() == {"searches": 3, "interactions": 5, "quarantined": 0, "days": 3}
    assert forget_user(lake, "u1", tmp_path / "none") == expected
    assert rows(lake, "SELECT user_id FROM searches ORDER BY 1") == [("u10",), ("u2",)]
    assert sorted(rows(lake, "SELECT doc_id FROM interactions")) == [
        ("b",), ("same key, other time",),
    ]  # fmt: skip
    assert untouched <= _parquet(lake)
    assert not find_user(lake, "u1", tmp_path / "none")


def test_a_further_key_names_a_user_unless_the_search_is_of_another(tmp_path: Path) -> None:
    deep = json.dumps({"a": {"b": ["x", {"c": "u1"}]}})
    searches: list[dict[str, Any]] = [
        {"extra": '{"account": "u1"}', "query": "own"},
        {"extra": deep, "query": "deep"},
        {"extra": '{"account": "\\u00751"}', "query": "escaped"},
        {"user_id": "u2", "extra": '{"profile": "u1"}', "query": "of another"},
        {"extra": '{"page": 1, "account": "u12", "u1": "x", "note": "u1 x"}', "query": "none"},
        {"query": "in a click", "search_key": 10, "search_id": "q1"},
        {"query": "a click on another", "user_id": "u3", "search_key": 11, "search_id": "q2"},
        {"extra": json.dumps({"pad": "x" * 30_000, "account": "u1"}), "query": "long"},
    ]
    interactions: list[dict[str, Any]] = [
        {"search_key": 10, "search_id": "q1", "extra": '{"seen_by": "u1"}'},
        {"search_key": 11, "search_id": "q2", "extra": '{"seller": "u1"}'},
        {"search_key": None, "joined": False, "extra": '{"account": "u1"}'},
        {"search_key": None, "joined": False, "user_id": "u4", "extra": '{"account": "u1"}'},
    ]
    lake = lake_of(tmp_path, searches, interactions)
    gone = forget_user(lake, "u1", tmp_path / "none")
    assert (gone.searches, gone.interactions, gone.mentions) == (5, 2, 3)
    assert rows(lake, "SELECT query FROM searches ORDER BY 1") == [
        ("a click on another",), ("none",), ("of another",),
    ]  # fmt: skip
    assert not find_user(lake, "1", tmp_path / "none"), "a number names nobody"


def test_no_file_with_the_user_stays_on_the_disk(tmp_path: Path) -> None:
    lake = _lake(tmp_path)
    with lake.writing() as writing:  # a day written again: its old file is retired
        writing.view("day", [f for f in writing.manifest.searches if f.date == "2026-11-30"])
        folder = writing.scratch / "again"
        (folder / "date=2026-11-30").mkdir(parents=True)
        file = folder / "date=2026-11-30" / "0.parquet"
        writing.connection.sql("FROM day").project("* EXCLUDE (date)").write_parquet(str(file))
        writing.place("searches", folder, replaces={"2026-11-30"})
        writing.commit()
    assert lake.manifest().retired
    forget_user(lake, "u1", tmp_path / "none")
    assert lake.manifest().retired == ()
    assert _parquet(lake) == lake.manifest().paths


def test_nobody_of_that_name_changes_nothing(tmp_path: Path) -> None:
    lake = _lake(tmp_path)
    before = lake.version
    for stranger in ("U1", "u", "", "u1'", "%"):
        assert not forget_user(lake, stranger, tmp_path / "none")
    assert lake.version == before


def test_lines_in_quarantine_go_too(tmp_path: Path) -> None:
    bad = {"timestamp": "yesterday"}
    lines: list[dict[str, Any] | str | bytes] = [
        event(user_id="u\u00fc1", **bad),
        event(user_id="u\u00fc10", **bad),
        '{"user_id": "u\u00fc1", "query": "cut of',
        '{"query": "u\u00fc1"}',
        event(client_id="u\u00fc1", **bad),
        "no JSON at all",
    ]
    tally = take(tmp_path, lines)
    assert tally.quarantined == 6
    lake = Lake(tmp_path / "events")
    assert find_user(lake, "u\u00fc1", tmp_path / "quarantine").quarantined == 3
    assert forget_user(lake, "u\u00fc1", tmp_path / "quarantine").quarantined == 3
    assert [line["line"] for line in quarantined(tally)] == [2, 4, 6]
    assert [path.name for path in (tmp_path / "quarantine").iterdir()] == [
        tally.quarantine_file.name if tally.quarantine_file else None
    ]


def test_a_number_names_a_user_and_an_emptied_quarantine_file_goes(tmp_path: Path) -> None:
    folder = tmp_path / "quarantine"
    folder.mkdir()
    raws = ['{"user_id": 7, "rank": 1}', '{"a": [{"client_id": "7"}]}', "user_id=7;rank=8"]
    for number, raw in enumerate(raws):
        (folder / f"{number}.jsonl").write_text(json.dumps({"line": 1, "raw": raw}) + "\n")
    kept = folder / "kept.jsonl"
    kept.write_text(
        json.dumps({"raw": '{"user_id": 77, "rank": 7, "user_id": "7.5"}'}) + "\n{bad\n"
    )
    before = kept.read_bytes()
    assert forget_user(_lake(tmp_path), "7", folder).quarantined == 3
    assert [path.name for path in folder.iterdir()] == ["kept.jsonl"]
    assert kept.read_bytes() == before


def test_flags_of_forgotten_sessions_go(tmp_path: Path) -> None:
    canned = [
        {"user_id": user, "session_id": f"s-{user}", "search_key": n + 100 * len(user)}
        for user in ("b", "bot")
        for n in range(60)
    ]
    lake = lake_of(tmp_path, canned)
    judge_all(lake)
    flagged = "SELECT DISTINCT session_id FROM bots ORDER BY 1"
    assert rows(lake, flagged) == [("s-b",), ("s-bot",)]
    forget_user(lake, "b", tmp_path)
    assert rows(lake, flagged) == [("s-bot",)]


def test_the_first_kept_day_leaves_whole_days() -> None:
    now = datetime(2026, 11, 30, 23, 59, tzinfo=UTC)
    assert first_kept_day(1, now) == date(2026, 11, 29)
    eastward = datetime.fromisoformat("2026-12-01T01:00:00+09:00")
    assert first_kept_day(400, eastward) == date(2025, 10, 26)


def test_expired_days_go_with_their_files(tmp_path: Path) -> None:
    today = datetime.now(UTC).date()
    stamps = [f"{today - timedelta(days=age)}T00:00:00Z" for age in (0, 3, 4, 9)]
    lake = lake_of(
        tmp_path, [{"timestamp": at} for at in stamps], [{"timestamp": at} for at in stamps[2:]]
    )
    gone = expire_events(lake, 3)
    assert (gone.searches, gone.interactions, len(gone.days)) == (2, 2, 2)
    assert rows(lake, "SELECT count(*) FROM searches") == [(2,)]
    assert {path.split("/")[1] for path in _parquet(lake) if "date=" in path} == {
        f"date={today}", f"date={today - timedelta(days=3)}",
    }  # fmt: skip
    version = lake.version
    assert not expire_events(lake, 3)
    assert lake.version == version


def test_after_an_import_expired_files_stay_for_readers_at_work(tmp_path: Path) -> None:
    lake = lake_of(tmp_path, [{"timestamp": "2020-01-01T00:00:00Z"}])
    with lake.connect() as connection:
        assert expire_events(lake, 3, at_once=False).searches == 1
        assert connection.execute("SELECT count(*) FROM searches").fetchall() == [(1,)]
    assert rows(lake, "SELECT count(*) FROM searches") == [(0,)]


def test_who_reads_while_events_are_erased_is_told(tmp_path: Path) -> None:
    lake = _lake(tmp_path)

    def read() -> None:
        with lake.connect() as connection:
            forget_user(lake, "u1", tmp_path / "none")
            connection.execute("SELECT * FROM searches").fetchall()

    with pytest.raises(OnlineError, match="erased while"):
        read()


def test_no_days_at_all_cannot_be_kept(tmp_path: Path) -> None:
    with pytest.raises(OnlineError, match="0 days"):
        expire_events(Lake(tmp_path / "events"), 0)
    assert not (tmp_path / "events").exists()


def test_an_imported_log_is_forgotten_and_comes_back_with_a_second_import(tmp_path: Path) -> None:
    lines: list[dict[str, Any] | str | bytes] = [
        event(user_id="u1", session_id=None, query="a"),
        event(search_id="q1", query="of nobody"),
        {"timestamp": "2026-12-01T00:10:00Z", "search_id": "q1", "user_id": "u1", "action": "buy"},
        {"timestamp": "2026-12-02T00:00:00Z", "search_id": "q2", "user_id": "u1", "action": "look"},
        event(search_id="q3", user_id="u2", query="b", clicks=[{"doc_id": "d1", "rank": 1}]),
    ]
    before = take(tmp_path, lines)
    assert (before.read, before.accepted) == (5, 5)
    lake = Lake(tmp_path / "events")
    gone = forget_user(lake, "u1", tmp_path / "quarantine")
    assert gone.searches == 2
    assert rows(lake, "SELECT search_id, n_clicks FROM searches") == [("q3", 1)]
    assert rows(lake, "SELECT DISTINCT user_id, kind FROM interactions") == [("u2", "click")]
    assert rows(lake, "SELECT sum(searches) FROM hours") == [(1,)]
    again = take(tmp_path, lines)
    assert (again.accepted, again.duplicate) == (4, 1)
