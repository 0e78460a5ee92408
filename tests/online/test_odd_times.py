"""Times that are read, and cannot be right or are not sure: noted, or refused with advice."""

from pathlib import Path
from typing import Any

import pytest

from online.ingest import import_events
from online.lake import Lake
from online.sources.mapping import parse_mapping
from tests.online.logs import event, quarantined, rows, take

BERLIN = "Europe/Berlin"
WIDE: dict[str, Any] = {"user_id": "u1"}


@pytest.mark.parametrize("more", [{}, WIDE])
def test_a_time_in_the_far_future_is_kept_and_the_latest_named(
    tmp_path: Path, more: dict[str, Any]
) -> None:
    years = [event(timestamp=f"{year}-01-01T00:00:00Z", **more) for year in (2020, 2201, 2209)]
    tally = take(tmp_path, years)
    assert (tally.accepted, tally.notes["future_time"]) == (3, 2)
    assert tally.named["future_time"] == ["2209-01-01T00:00:00+00:00"]


def test_a_click_in_the_far_future_is_noted(tmp_path: Path) -> None:
    click = {"doc_id": "d1", "rank": 1, "timestamp": "2209-01-01T00:00:00Z"}
    tally = take(tmp_path, [event(timestamp="2020-01-01T00:00:00Z", clicks=[click])])
    assert tally.named["future_time"] == ["2209-01-01T00:00:00+00:00"]


@pytest.mark.parametrize(
    "digits",
    ["20261101", 20261101, "20261101103000", 20261101103000, "20261101103000123", "2", 631151999],
)
def test_digits_of_a_calendar_are_no_seconds_since_1970(tmp_path: Path, digits: str | int) -> None:
    (row,) = quarantined(take(tmp_path, [event(timestamp=digits)]))
    assert row["reason"] == "bad_timestamp"
    assert str(digits) in row["message"]
    assert "format" in row["message"]


@pytest.mark.parametrize("seconds", [631152000, "1793527200", 1793527200000])
def test_numbers_from_1990_on_are_times(tmp_path: Path, seconds: str | int) -> None:
    assert take(tmp_path, [event(timestamp=seconds)]).accepted == 1


def test_a_format_reads_digits_of_a_calendar(tmp_path: Path) -> None:
    log = tmp_path / "log.csv"
    log.write_text("at,q,docs\n20261101103000,ring,a|b\n", encoding="utf-8")
    mapping = parse_mapping(
        '[fields]\nquery = "q"\nretrieved_doc_ids = "docs"\n'
        'timestamp = { path = "at", format = "%Y%m%d%H%M%S" }\n'
        '[constants]\nmodel_version = "m"\n',
        "mapping",
    )
    lake = Lake(tmp_path / "lake")
    how: dict[str, Any] = {"mapping": mapping, "quarantine_folder": tmp_path / "bad"}
    import_events(lake, log, timezone="UTC", **how)
    ((moment,),) = rows(lake, "SELECT strftime(timestamp, '%Y-%m-%d %H:%M') FROM searches")
    assert moment == "2026-11-01 10:30"


@pytest.mark.parametrize("more", [{}, WIDE])
def test_local_times_that_no_clock_or_two_clocks_showed_are_noted(
    tmp_path: Path, more: dict[str, Any]
) -> None:
    times = ["2026-03-29T02:30:00", "2026-03-29T03:30:00", "2026-03-29T01:59:59"]
    times += ["2026-10-25T02:30:00", "2026-10-25T02:00:00", "2026-10-25T03:00:00"]
    log = [event(timestamp=at, query=f"q{n}", **more) for n, at in enumerate(times)]
    tally = take(tmp_path, log, timezone=BERLIN)
    assert tally.notes["local_time_skipped"] == 1
    assert tally.notes["local_time_twice"] == 2
    assert tally.notes["zone_assumed"] == tally.accepted == 6
    found = rows(Lake(tmp_path / "events"), "SELECT epoch(timestamp) FROM searches ORDER BY query")
    assert [found[0][0], found[3][0]] == [1774747800, 1792891800]
    again = take(tmp_path, log[:3], timezone=BERLIN)
    assert (again.accepted, again.duplicate) == (0, 3)


def test_a_click_at_a_time_that_no_clock_showed_is_noted(tmp_path: Path) -> None:
    click = {"doc_id": "d1", "rank": 1, "timestamp": "2026-03-29T02:30:00"}
    tally = take(tmp_path, [event(clicks=[click])], timezone=BERLIN)
    assert tally.notes["local_time_skipped"] == 1


def test_times_of_other_days_are_not_noted(tmp_path: Path) -> None:
    tally = take(tmp_path, [event(timestamp="2026-11-30T02:30:00")], timezone=BERLIN)
    assert not {"local_time_skipped", "local_time_twice", "future_time"} & tally.notes.keys()
