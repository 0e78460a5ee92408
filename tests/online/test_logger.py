"""The logger of search services: whatever it wrote is imported, whatever it lost is counted."""

import json
import logging
import math
import threading
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from estimates import ImportTally
from online import logger as logger_module
from online.ingest import import_events
from online.lake import Lake
from online.logger import SearchLogger
from tests.online.logs import LISTED, rows


def _import(folder: Path, pattern: str = "*.jsonl") -> ImportTally:
    """Import the files of a logger into folder/events."""
    lake = Lake(folder / "events")
    files = sorted((folder / "log").glob(pattern))
    return ImportTally.total(
        import_events(lake, file, quarantine_folder=folder / "quarantine") for file in files
    )


def _lines(folder: Path) -> list[dict[str, Any]]:
    files = sorted((folder / "log").glob("*.jsonl"))
    return [json.loads(line) for file in files for line in file.read_text().splitlines()]


def _names(folder: Path) -> list[str]:
    return sorted(path.suffix for path in (folder / "log").iterdir())


def test_a_search_logged_with_its_click_comes_in_whole(tmp_path: Path) -> None:
    with SearchLogger(tmp_path / "log") as log:
        search_id = log.log_search(
            query="sort a list", results=LISTED, model_version="bm25", session_id="s1",
            user_id="u1", clicked_doc_id="d2", click_rank=2, latency_ms=12.5, tags=["mobile"],
            total_hits=812, timestamp=datetime(2026, 11, 30, 12, tzinfo=UTC),
        )  # fmt: skip
    tally = _import(tmp_path)
    assert (tally.accepted, tally.read, tally.notes) == (1, 1, {})
    lake = Lake(tmp_path / "events")
    (row,) = rows(
        lake,
        "SELECT CAST(timestamp AT TIME ZONE 'UTC' AS VARCHAR), query, session_id, model_version, "
        "retrieved_doc_ids, n_clicks, best_click_rank, best_click_doc_id, extra, search_id, "
        "user_id, latency_ms, total_hits, tags FROM searches",
    )
    assert row == (
        "2026-11-30 12:00:00", "sort a list", "s1", "bm25", LISTED, 1, 2, "d2", None, search_id,
        "u1", 12.5, 812, ["mobile"],
    )  # fmt: skip
    assert rows(lake, "SELECT kind, doc_id, rank FROM interactions") == [("click", "d2", 2)]


def test_clicks_and_conversions_join_their_search(tmp_path: Path) -> None:
    now = [1_796_000_000.25]
    with SearchLogger(tmp_path / "log", clock=lambda: now[0]) as log:
        search_id = log.log_search("sort", ["d1", 2], "bm25")
        now[0] += 5
        log.log_click(search_id, 2, rank=2, dwell_s=31)
        log.log_conversion(search_id, "d1", value=19.9)
    tally = _import(tmp_path)
    assert (tally.accepted, tally.quarantined, tally.notes) == (3, 0, {"no_session": 1})
    (row,) = rows(
        Lake(tmp_path / "events"),
        "SELECT n_clicks, best_click_rank, best_click_position, dwell_s, n_conversions, "
        "conversion_value, first_click_s FROM searches",
    )
    assert row == (1, 2, 2, 31.0, 1, 19.9, 5.0)
    when = "2026-11-30T00:53:25.250000Z"
    clicks = [{"doc_id": "2", "timestamp": when, "rank": 2, "dwell_s": 31.0}]
    gains = [{"doc_id": "d1", "timestamp": when, "value": 19.9}]
    assert _lines(tmp_path)[1:] == [
        {"timestamp": when, "search_id": search_id, "clicks": clicks},
        {"timestamp": when, "search_id": search_id, "conversions": gains},
    ]


def test_50_threads_at_once_lose_and_tear_nothing(tmp_path: Path) -> None:
    """Beside a rotation every few hundred lines."""
    with SearchLogger(tmp_path / "log", max_file_bytes=200_000) as log:
        start = threading.Barrier(50)

        def work(number: int) -> None:
            start.wait()
            for n in range(200):
                log.log_search(f"query {n}", LISTED, "bm25", session_id=f"s{number}")

        threads = [threading.Thread(target=work, args=(number,)) for number in range(50)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert (log.written, log.lost, log.waiting) == (10_000, 0, 0)
    files = list((tmp_path / "log").iterdir())
    assert {file.suffix for file in files} == {".jsonl"}
    assert len(files) > 5
    assert all(file.stat().st_size <= 200_000 for file in files)
    tally = _import(tmp_path)
    assert (tally.accepted, tally.read) == (10_000, 10_000)
    found = rows(
        Lake(tmp_path / "events"),
        "SELECT count(DISTINCT search_id), count(DISTINCT session_id || query) FROM searches",
    )
    assert found == [(10_000, 10_000)]


def test_a_file_ends_with_its_day(tmp_path: Path) -> None:
    now = [datetime(2026, 11, 30, 23, 59, 59, tzinfo=UTC).timestamp()]
    log = SearchLogger(tmp_path / "log", clock=lambda: now[0])
    log.log_search("before midnight", [], "bm25")
    assert log.flush()
    now[0] += 2
    log.log_search("after midnight", [], "bm25")
    assert log.flush()
    assert _names(tmp_path) == [".jsonl", ".part"]
    assert [line["query"] for line in _lines(tmp_path)] == ["before midnight"]
    log.close()
    assert [line["query"] for line in _lines(tmp_path)] == ["before midnight", "after midnight"]
    assert [path.name[9:17] for path in sorted((tmp_path / "log").iterdir())] == [
        "20261130",
        "20261201",
    ]


def test_the_current_file_may_be_imported_and_again_when_it_is_finished(tmp_path: Path) -> None:
    log = SearchLogger(tmp_path / "log")
    log.log_search("first", LISTED, "bm25")
    assert log.flush()
    assert _import(tmp_path, "*.part").accepted == 1
    log.log_search("second", LISTED, "bm25")
    log.close()
    tally = _import(tmp_path)
    assert (tally.accepted, tally.duplicate, tally.quarantined) == (1, 1, 0)


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"query": None}, "query is None"),
    ({"results": "d1"}, "results is 'd1', which is no list"),
    ({"results": None}, "not iterable"),
    ({"results": ["d1", ""]}, "results is empty"),
    ({"results": ["d1", 1.5]}, "1.5"),
    ({"model_version": ""}, "model_version is empty"),
    ({"session_id": True}, "session_id is True"),
    ({"clicked_doc_id": "d1", "click_rank": 0}, "click_rank is 0; the lowest is 1"),
    ({"clicked_doc_id": "d1", "click_rank": 1.0}, "float"),
    ({"click_rank": 1}, "click_rank without clicked_doc_id"),
    ({"latency_ms": math.nan}, "latency_ms is nan"),
    ({"latency_ms": 1e300}, "latency_ms is 1e+300"),
    ({"offset": 10**12}, "offset is 1000000000000"),
    ({"timestamp": datetime(1969, 1, 1, tzinfo=UTC)}, "between 1970 and 2999"),
    ({"timestamp": "2026-11-30"}, "astimezone"),
    ({"extra": {"note": "x" * (9 << 20)}}, "are the most"),
]


@pytest.mark.parametrize(("values", "says"), REFUSED)
def test_values_that_cannot_be_logged_are_counted_and_told(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, values: dict[str, Any], says: str
) -> None:
    given: dict[str, Any] = {"query": "q", "results": LISTED, "model_version": "bm25"} | values
    with caplog.at_level(logging.WARNING), SearchLogger(tmp_path / "log") as log:
        assert len(log.log_search(**given)) == 32
        log.log_search("good", LISTED, "bm25")
    assert (log.written, log.lost_by_reason) == (1, {"refused": 1})
    assert says in caplog.text


class Unspeakable(Exception):  # noqa: N818 - it is no usual error
    def __str__(self) -> str:
        raise RuntimeError("not even that")


class Hostile:
    def __repr__(self) -> str:
        raise Unspeakable


class RaisingHandler(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        raise RuntimeError(record.msg)


def test_hostile_values_and_handlers_do_not_reach_the_caller(tmp_path: Path) -> None:
    handler = RaisingHandler()
    logging.getLogger("online.logger").addHandler(handler)
    try:
        with SearchLogger(tmp_path / "log") as log:
            log.log_search("q", LISTED, "bm25", extra={"a": Hostile()})
            log.log_search(Hostile(), LISTED, "bm25")  # type: ignore[arg-type]
            endless: list[Any] = []
            endless.append(endless)
            log.log_search("endless", LISTED, "bm25", extra={"a": endless})
    finally:
        logging.getLogger("online.logger").removeHandler(handler)
    assert (log.written, log.lost_by_reason) == (1, {"refused": 2})
    assert _import(tmp_path).accepted == 1


def test_warnings_come_once_a_minute(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    log = SearchLogger(tmp_path / "log")
    for _ in range(100):
        log.log_search("q", LISTED, "")
        log.log_search("q", LISTED, "bm25")
        assert log.flush()
    assert len(caplog.records) == 1
    log.close()  # says what came since
    assert len(caplog.records) == 2
    assert "100 lost so far {'refused': 100}" in caplog.text


def test_after_close_events_are_counted_as_lost(tmp_path: Path) -> None:
    log = SearchLogger(tmp_path / "log")
    log.close()
    assert not (tmp_path / "log").exists()
    log.log_search("q", LISTED, "bm25")
    assert (log.lost, log.lost_by_reason) == (1, {"closed": 1})
    log.close()


def test_a_folder_that_cannot_be_made_costs_only_what_the_buffer_cannot_hold(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(logger_module, "RETRY_S", 0.01)
    (tmp_path / "log").write_text("a file stands where the folder should be")
    log = SearchLogger(tmp_path / "log", buffer_bytes=10_000)
    for n in range(200):
        log.log_search(f"query {n}", LISTED, "bm25")
    held = log.waiting
    assert 20 < held < 100
    assert log.lost_by_reason == {"buffer_full": 200 - held}
    assert not log.flush(timeout_s=0.1)
    assert "File exists" in caplog.text
    (tmp_path / "log").unlink()
    assert log.flush()
    log.log_search("recovered", LISTED, "bm25")
    log.close()
    assert (log.written, log.waiting) == (held + 1, 0)
    assert _import(tmp_path).accepted == held + 1


def test_what_the_disk_refuses_to_the_end_is_counted(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "log").write_text("a file stands where the folder should be")
    with SearchLogger(tmp_path / "log") as log:
        for n in range(7):
            log.log_search(f"query {n}", LISTED, "bm25")
    assert (log.written, log.waiting, log.lost_by_reason) == (0, 0, {"not_written": 7})
    assert "7 lost so far" in caplog.text


def test_a_deleted_file_is_begun_anew(tmp_path: Path) -> None:
    log = SearchLogger(tmp_path / "log")
    log.log_search("gone", LISTED, "bm25")
    assert log.flush()
    (part,) = (tmp_path / "log").iterdir()
    part.unlink()
    log.log_search("there", LISTED, "bm25")
    log.close()
    assert [line["query"] for line in _lines(tmp_path)] == ["there"]


def test_two_loggers_in_one_folder_leave_each_other_alone(tmp_path: Path) -> None:
    first, second = SearchLogger(tmp_path / "log"), SearchLogger(tmp_path / "log")
    first.log_search("first", LISTED, "bm25")
    assert first.flush()
    second.log_search("second", LISTED, "bm25")
    assert second.flush()
    assert _names(tmp_path) == [".part", ".part"]
    first.log_search("first again", LISTED, "bm25")
    first.close()
    second.close()
    assert _import(tmp_path).accepted == 3


TEXTS = st.text(st.characters(exclude_categories=()), max_size=8) | st.sampled_from(
    ["a\0", "\ud83d", "\ud83d\ude00", "\\u0000", "a\u2028b", "\x7f\x1f", "NaN", "null"]
)
IDS = TEXTS | st.integers()
JUNK = st.none() | st.booleans() | st.floats() | st.binary(max_size=3) | TEXTS | st.integers()
EXTRA = st.recursive(
    JUNK | st.builds(object),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(JUNK, inner, max_size=3),
    max_leaves=5,
)
SEARCH = st.fixed_dictionaries(
    {"query": TEXTS, "results": st.lists(IDS, max_size=4), "model_version": IDS | JUNK},
    optional={
        "session_id": IDS | JUNK,
        "user_id": IDS | JUNK,
        "clicked_doc_id": IDS,
        "click_rank": st.integers(-1, 5) | st.sampled_from([10**9, 2**31, 1.0, True, "1"]),
        "offset": st.integers(-1, 100) | JUNK,
        "total_hits": st.integers() | JUNK,
        "latency_ms": st.floats() | st.integers() | JUNK,
        "tags": st.lists(TEXTS, max_size=2) | JUNK,
        "timestamp": st.datetimes() | st.datetimes(timezones=st.timezones()) | JUNK,
        "search_id": TEXTS,
        "extra": st.dictionaries(TEXTS, EXTRA, max_size=3) | JUNK,
    },
)


CLICK = st.fixed_dictionaries(
    {"doc_id": IDS},
    optional={
        "rank": st.integers(-1, 5) | st.sampled_from([10**9, 2**31, 1.0, True, "1"]),
        "dwell_s": st.floats() | st.integers() | JUNK,
        "timestamp": st.datetimes() | st.datetimes(timezones=st.timezones()) | JUNK,
        "extra": st.dictionaries(TEXTS, EXTRA, max_size=3) | JUNK,
    },
)
GAIN = st.fixed_dictionaries(
    {}, optional={"doc_id": IDS | JUNK, "value": st.floats() | st.integers() | JUNK}
)


@settings(deadline=None, max_examples=8, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.tuples(SEARCH, st.none() | CLICK, st.none() | GAIN), min_size=30, max_size=60))
def test_whatever_was_logged_is_accepted_by_the_import(
    tmp_path_factory: pytest.TempPathFactory,
    visits: list[tuple[dict[str, Any], dict[str, Any] | None, dict[str, Any] | None]],
) -> None:
    folder, calls = tmp_path_factory.mktemp("logged"), 0
    with SearchLogger(folder / "log", max_file_bytes=10_000) as log:
        for search, click, gain in visits:
            search_id = log.log_search(**search)
            if click is not None:
                log.log_click(search_id, **click)
            if gain is not None:
                log.log_conversion(search_id, **gain)
            calls += 1 + (click is not None) + (gain is not None)
        log.log_search("one that is good", [], "bm25")
    assert log.written + log.lost == calls + 1
    assert set(log.lost_by_reason) <= {"refused"}
    tally = _import(folder)
    assert (tally.reasons, tally.accepted + tally.duplicate) == ({}, log.written)
    told = rows(
        Lake(folder / "events"),
        "SELECT count(*) FILTER (kind = 'click' AND joined), count(*) FILTER (kind = 'click') "
        "FROM interactions",
    )
    assert told[0][0] <= told[0][1]
