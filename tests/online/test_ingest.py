"""The rules of import: identity, ranks, zones, counts, cancelling."""

import gzip
from pathlib import Path
from typing import Any

import pytest

from online import OnlineError
from online.ingest import import_events
from online.lake import Lake
from tests.online.logs import clicked, event, quarantined, rows, take, write_log


def _ranks(folder: Path) -> list[Any]:
    found = rows(Lake(folder / "events"), "SELECT best_click_rank FROM searches ORDER BY line")
    return [rank for (rank,) in found]


def test_a_search_becomes_a_row_and_its_click_another(tmp_path: Path) -> None:
    tally = take(tmp_path, [clicked(2, timestamp="2026-11-30T23:30:00.250-01:00")])
    assert (tally.accepted, tally.read, tally.notes) == (1, 1, {})
    lake = Lake(tmp_path / "events")
    (search,) = rows(
        lake,
        "SELECT epoch_us(timestamp), CAST(date AS VARCHAR), query, session_id, model_version, "
        "retrieved_doc_ids, n_results, n_clicks, best_click_rank, best_click_position "
        "FROM searches",
    )
    # 2026-12-01T00:30:00.25Z is 1796085000.25 s: a UTC day later than the text says.
    listed = ["d1", "d2", "d3", "d4", "d5"]
    assert search == (
        1_796_085_000_250_000, "2026-12-01", "sort a list", "s1", "bm25", listed, 5, 1, 2, 2,
    )  # fmt: skip
    clicks = rows(lake, "SELECT kind, doc_id, rank, CAST(date AS VARCHAR) FROM interactions")
    assert clicks == [("click", "d2", 2, "2026-12-01")]
    assert sorted(path.name for path in (tmp_path / "events" / "searches").iterdir()) == [
        "date=2026-12-01"
    ]


def test_the_second_import_of_a_log_accepts_nothing(tmp_path: Path) -> None:
    lines = [
        event(query=f"q{n}", timestamp=f"2026-11-{1 + n % 28:02}T00:00:00Z") for n in range(99)
    ]
    lines[50]["event_id"] = "e50"
    first = take(tmp_path, [*lines, "broken {"])
    version = Lake(tmp_path / "events").version
    second = take(tmp_path, [*lines, "broken {"])
    assert (first.accepted, first.quarantined) == (99, 1)
    assert (second.accepted, second.duplicate, second.quarantined) == (0, 99, 1)
    assert second.quarantine_file == first.quarantine_file
    assert Lake(tmp_path / "events").version == version


def test_equal_rows_without_an_event_id_are_taken_as_duplicates_and_noted(tmp_path: Path) -> None:
    other_order = dict(reversed(event().items()))
    same_moment = event(timestamp="2026-11-30T13:00:00+01:00")
    tally = take(tmp_path, [event(), other_order, same_moment, event(event_id="e1")])
    assert (tally.accepted, tally.duplicate) == (2, 2)
    assert tally.notes == {"identical_rows": 2}


def test_an_event_id_with_other_content_is_a_conflict(tmp_path: Path) -> None:
    lines = [
        event(event_id="e1"),
        event(event_id="e1", query="other"),
        event(event_id="e1"),
        event(event_id=2, query="x"),
        event(event_id="2", query="x"),  # a whole JSON number is the text of its digits
    ]
    tally = take(tmp_path, lines)
    assert (tally.accepted, tally.duplicate) == (2, 2)
    assert tally.reasons == {"conflict": 1}
    assert [row["line"] for row in quarantined(tally)] == [2]
    later = take(
        tmp_path,
        [event(event_id="e1", timestamp="2026-12-24T00:00:00Z"), event(event_id="e3", query="x")],
    )
    assert (later.accepted, later.reasons) == (1, {"conflict": 1})


def test_late_events_land_in_their_day(tmp_path: Path) -> None:
    take(tmp_path, [event(), event(query="b", timestamp="2026-12-01T00:00:00Z")])
    late = take(tmp_path, [event(query="late"), event()])
    assert (late.accepted, late.duplicate) == (1, 1)
    found = rows(
        Lake(tmp_path / "events"), "SELECT CAST(date AS VARCHAR), count(*) FROM searches GROUP BY 1"
    )
    assert sorted(found) == [("2026-11-30", 2), ("2026-12-01", 1)]


def test_a_naive_timestamp_wants_a_zone(tmp_path: Path) -> None:
    naive = event(timestamp="2026-11-30T12:00:00")
    refused = take(tmp_path, [naive])
    assert refused.reasons == {"naive_timestamp": 1}
    assert refused.nothing_accepted
    assert "--timezone Europe/Berlin" in quarantined(refused)[0]["message"]
    zoned = event(timestamp="2026-11-30T12:00:00Z")
    tally = take(tmp_path, [naive, zoned], timezone="Europe/Berlin")
    assert (tally.accepted, tally.notes) == (2, {"zone_assumed": 1})
    moments = rows(Lake(tmp_path / "events"), "SELECT hour(timestamp) FROM searches ORDER BY line")
    assert moments == [(11,), (12,)]
    with pytest.raises(OnlineError, match="no time zone 'Mars/Base'"):
        take(tmp_path, [naive], timezone="Mars/Base")


def test_ranks_stay_as_logged_and_odd_ones_are_counted(tmp_path: Path) -> None:
    lines = [
        clicked(1),
        clicked(3, place=2, query="page 1 says 3, the list 2"),
        clicked(None, query="no rank"),
        event(clicked_doc_id="elsewhere", click_rank=9),
        clicked(0, place=1),
    ]
    tally = take(tmp_path, lines)
    assert _ranks(tmp_path) == [1, 3, None, 9]
    assert tally.reasons == {"bad_rank": 1}
    assert tally.notes == {"rank_mismatch": 1, "click_without_rank": 1, "off_list": 1}


@pytest.mark.parametrize(
    ("clicks", "exceptions", "shifted"),
    [(20, 0, True), (19, 0, False), (40, 1, False)],
)
def test_ranks_are_shifted_where_20_clicks_agree_without_exception(
    tmp_path: Path, clicks: int, exceptions: int, shifted: bool
) -> None:
    lines = [clicked(n % 4, place=n % 4 + 1, query=f"q{n}") for n in range(clicks)]
    lines += [clicked(2, place=2, query=f"exception {n}") for n in range(exceptions)]
    tally = take(tmp_path, [*lines, event(query="no click")])
    zeros = len([line for line in lines if line["click_rank"] == 0])
    assert tally.notes.get("ranks_shifted", 0) == (clicks if shifted else 0)
    assert tally.reasons.get("bad_rank", 0) == (0 if shifted else zeros)
    if shifted:
        assert _ranks(tmp_path) == [n % 4 + 1 for n in range(clicks)] + [None]
        top = rows(Lake(tmp_path / "events"), "SELECT sum(n_top_clicks) FROM searches")
        assert top == [(10,)]  # ranks 1 and 2 of 1, 2, 3, 4, five times each
        ranks = rows(Lake(tmp_path / "events"), "SELECT DISTINCT rank FROM interactions ORDER BY 1")
        assert ranks == [(1,), (2,), (3,), (4,)]


def test_the_rank_base_can_be_said(tmp_path: Path) -> None:
    zero = tmp_path / "zero"
    zero.mkdir()
    tally = take(zero, [clicked(0, place=1), event()], rank_base=0)
    assert (tally.notes, _ranks(zero)) == ({"ranks_shifted": 1}, [1, None])
    again = take(zero, [clicked(0, place=1), event()])
    assert (again.duplicate, again.accepted) == (2, 0)  # the event is the same, as it was logged
    lines = [clicked(n % 4, place=n % 4 + 1, query=f"q{n}") for n in range(40)]
    assert take(tmp_path, lines, rank_base=1).reasons == {"bad_rank": 10}
    with pytest.raises(OnlineError, match="neither 0 nor 1"):
        take(tmp_path, [event()], rank_base=2)


def test_a_document_listed_twice_agrees_with_either_place(tmp_path: Path) -> None:
    listed = ["a", "b", "a"]
    lines = [
        event(retrieved_doc_ids=listed, clicked_doc_id="a", click_rank=3),
        event(retrieved_doc_ids=listed, clicked_doc_id="a", click_rank=1),
    ]
    assert take(tmp_path, lines).notes == {}


def test_further_keys_are_kept_and_empty_queries_counted(tmp_path: Path) -> None:
    lines = [
        event(page="home", labels=["a"], nested={"x": [1, None]}),
        event(query=""),
        event(query="  "),
        event(session_id=None),
    ]
    tally = take(tmp_path, lines)
    assert tally.accepted == 4
    assert tally.notes == {"further_keys": 1, "empty_query": 2, "no_session": 1}
    lake = Lake(tmp_path / "events")
    assert rows(lake, "SELECT extra FROM searches WHERE extra IS NOT NULL") == [
        ('{"page":"home","labels":["a"],"nested":{"x":[1,null]}}',)
    ]
    made_up = rows(lake, "SELECT session_id FROM searches WHERE NOT session_given")
    assert made_up[0][0].startswith("search:")


def test_ids_stay_text(tmp_path: Path) -> None:
    ids = ["007", "NA", "null", "12345678901234567890", "1e3", "é", "e\u0301", "a b", "\U0001f600"]
    take(tmp_path, [event(retrieved_doc_ids=ids, session_id=12345678901234567890)])
    (found,) = rows(Lake(tmp_path / "events"), "SELECT retrieved_doc_ids, session_id FROM searches")
    assert found == (ids, "12345678901234567890")


def test_gz_and_names_that_mean_something_elsewhere(tmp_path: Path) -> None:
    folder = tmp_path / "it's [1] *"
    folder.mkdir()
    log = folder / "log.jsonl.gz"
    log.write_bytes(gzip.compress(write_log(folder / "plain", [clicked(1)]).read_bytes()))
    lake = Lake(folder / "events")
    assert import_events(lake, log, quarantine_folder=folder / "q").accepted == 1
    assert rows(lake, "SELECT count(*) FROM interactions") == [(1,)]


@pytest.mark.parametrize("content", [b"", b"\n", b"\xef\xbb\xbf\r\n  \n"])
def test_a_log_without_rows_counts_0(tmp_path: Path, content: bytes) -> None:
    log = tmp_path / "log"
    log.write_bytes(content)
    lake = Lake(tmp_path / "events")
    tally = import_events(lake, log, quarantine_folder=tmp_path / "quarantine")
    assert (tally.read, tally.quarantine_file) == (0, None)
    assert rows(lake, "SELECT count(*) FROM searches") == [(0,)]


def test_a_damaged_gz_log_imports_nothing(tmp_path: Path) -> None:
    log = write_log(tmp_path / "log", (event(query=f"q{n}") for n in range(20_000)))
    packed = tmp_path / "log.gz"
    packed.write_bytes(gzip.compress(log.read_bytes())[:-50])
    lake = Lake(tmp_path / "events")
    with pytest.raises(OnlineError, match="cannot be read to its end"):
        import_events(lake, packed, quarantine_folder=tmp_path / "quarantine")
    assert rows(lake, "SELECT count(*) FROM searches") == [(0,)]
    assert not (tmp_path / "quarantine").exists()


class _CancelledError(Exception):
    pass


@pytest.mark.parametrize("step", ["reading", "looking", "settling", "writing", "moving"])
def test_a_cancelled_import_leaves_nothing(tmp_path: Path, step: str) -> None:
    take(tmp_path, [event(query="before")])
    lake = Lake(tmp_path / "events")
    version = lake.version
    log = write_log(tmp_path / "log", [*(event(query=f"q{n}") for n in range(3_000)), "broken"])

    def cancel(what: str, _done: int, _total: int | None) -> None:
        if what.startswith(step):
            raise _CancelledError

    with pytest.raises(_CancelledError):
        import_events(lake, log, quarantine_folder=tmp_path / "q", progress=cancel)
    assert lake.version == version
    assert rows(lake, "SELECT count(*) FROM searches") == [(1,)]
    assert not list((tmp_path / "events").glob("scratch"))
    assert {str(path.relative_to(lake.root)) for path in lake.root.glob("*/date=*/*")} == (
        lake.manifest().paths
    )
    assert import_events(lake, log, quarantine_folder=tmp_path / "q").accepted == 3_000


def test_progress_says_how_far_it_is(tmp_path: Path) -> None:
    heard: list[tuple[str, int, int | None]] = []
    log = write_log(tmp_path / "log.jsonl", (event(query=f"q{n}") for n in range(60_000)))
    import_events(
        Lake(tmp_path / "events"),
        log,
        quarantine_folder=tmp_path / "q",
        progress=lambda what, done, total: heard.append((what, done, total)),
    )
    read = [done for what, done, total in heard if what == "reading log.jsonl" and total]
    assert read == sorted(read)
    assert all(total == log.stat().st_size for what, _, total in heard if what.startswith("read"))
    assert "moving the new days into the lake" in {what for what, _, _ in heard}
