"""Which events count: days of a zone, tags, classes of query, bots; and their groups."""

from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from online import OnlineError
from online.engines import Choice, Grouping, choose, fetch
from online.following import choose_followed
from online.lake import Connection, Lake
from online.slices import report_by
from online.zones import begin_of, offsets
from tests.online.logs import lake_of

TIMES = (
    "2026-10-24T21:59:00Z",  # Berlin: 24 October, 23:59 of summer time
    "2026-10-24T22:00:00Z",  # 25 October, 00:00
    "2026-10-25T00:30:00Z",  # 02:30 of summer time
    "2026-10-25T01:30:00Z",  # 02:30 once more, of winter time
    "2026-10-25T22:59:00Z",  # 23:59
    "2026-10-25T23:00:00Z",  # 26 October
)


def _groups(
    connection: Connection, choice: Choice, grouping: Grouping = "all"
) -> dict[str, tuple[int, int]]:
    """group_key -> its searches and clicks."""
    choose(connection, choice, grouping)
    clicks = {row["group_key"]: 0 for row in fetch(connection, "headline")}
    searches = dict(clicks)
    for row in fetch(connection, "headline"):
        searches[row["group_key"]] += row["searches"]
    for row in fetch(connection, "click_ranks"):
        clicks[row["group_key"]] += row["clicks"]
    return {key: (searches[key], clicks[key]) for key in searches}


def _lake(folder: Path, searches: list[dict[str, Any]]) -> Lake:
    """A lake in which each of these searches was clicked once."""
    clicks = [
        {"search_key": n, "timestamp": row.get("timestamp", "2026-11-30T12:00:00Z"), "rank": 1}
        for n, row in enumerate(searches)
    ]
    return lake_of(folder, searches, clicks)


def test_days_and_hours_of_a_zone_whose_clocks_change(tmp_path: Path) -> None:
    lake = _lake(tmp_path, [{"timestamp": moment} for moment in TIMES])
    october = date(2026, 10, 25)
    with lake.connect() as connection:
        assert _groups(connection, Choice(october, october)) == {"": (4, 4)}
        berlin = Choice(october, october, zone="Europe/Berlin")
        assert _groups(connection, berlin) == {"": (4, 4)}
        days = _groups(connection, Choice(zone="Europe/Berlin"), "day")
        assert {day: n for day, (n, _) in days.items()} == {
            "2026-10-24": 1, "2026-10-25": 4, "2026-10-26": 1,
        }  # fmt: skip
        hours = _groups(connection, berlin, "hour")
        half = _groups(connection, Choice(zone="Asia/Kolkata"), "hour")
    begun = sorted(datetime.fromtimestamp(int(hour), UTC).isoformat() for hour in hours)
    assert [hour[11:16] for hour in begun] == ["22:00", "00:00", "01:00", "22:00"]
    # 21:59 UTC is 03:29 in India, whose hour began at 21:30 UTC.
    assert min(datetime.fromtimestamp(int(hour), UTC) for hour in half).minute == 30


def test_the_hour_that_comes_twice_is_two(tmp_path: Path) -> None:
    day = date(2026, 10, 25)
    lake = _lake(tmp_path, [{"timestamp": moment} for moment in TIMES])
    found = report_by(lake, "hour", Choice(day, day, zone="Europe/Berlin"))
    assert {hour: metrics["searches"] for hour, metrics in found["by_hour"].items()} == {
        "2026-10-25T00:00+02:00": 1,
        "2026-10-25T02:00+02:00": 1,
        "2026-10-25T02:00+01:00": 1,
        "2026-10-25T23:00+01:00": 1,
    }
    with lake.connect() as connection:
        both = _groups(connection, Choice(zone="Asia/Kolkata"), "hour_and_model")
        quarters = _groups(connection, Choice(zone="Europe/Berlin"), "six_hours_and_model")
    assert {key.partition(" ")[2] for key in both} == {"bm25"}
    begun = {datetime.fromtimestamp(int(key.partition(" ")[0]), UTC) for key in quarters}
    local = {moment.astimezone(ZoneInfo("Europe/Berlin")).hour for moment in begun}
    assert local <= {0, 1, 6, 12, 18}
    assert sum(searches for searches, _ in quarters.values()) == len(TIMES)


def test_a_midnight_that_the_clocks_skip() -> None:
    # On 2026-04-24 Cairo's clocks went from 00:00 (+2) to 01:00 (+3).
    assert begin_of(date(2026, 4, 24), "Africa/Cairo") == datetime(2026, 4, 23, 22, tzinfo=UTC)
    found = offsets("Africa/Cairo", date(2026, 4, 20), date(2026, 4, 30))
    assert found[1:] == [(datetime(2026, 4, 23, 22, tzinfo=UTC), 3 * 3600)]
    assert found[0][1] == 2 * 3600


def test_a_search_with_two_tags_is_in_both_groups(tmp_path: Path) -> None:
    tags = [["a", "b"], ["a", "a"], [], None, [""]]
    lake = _lake(tmp_path, [{"tags": tag} for tag in tags])
    with lake.connect() as connection:
        assert _groups(connection, Choice(), "tag") == {
            "#a": (2, 2), "#b": (1, 1), "": (2, 2), "#": (1, 1),
        }  # fmt: skip
        assert _groups(connection, Choice(tag="a")) == {"": (2, 2)}
        assert _groups(connection, Choice(tag="a"), "tag") == {"#a": (2, 2), "#b": (1, 1)}
        assert _groups(connection, Choice(tag="c")) == {}


CLASSES = {
    "empty": ["", " \u00a0\t"],
    "question": [
        "shoes?", "\u00bfzapatos", "How to sort", "wie geht das", "o\u00f9 est", "qu'est-ce que",
        "por qu\u00e9 no", "perche\u0301 s\u00ec", "waarom 2", "o que \u00e9",
        "\u0623\u064a\u0646\u061f",
    ],
    "with_number": ["iphone 15", "one 2 three four five six", "\u0661\u0662"],
    "long": ["one two three four five six", "a b\u00a0c\td e  f g"],
    "keyword": ["one two three four five", "howto", "whatsapp", "chi square", "can opener"],
}  # fmt: skip


def test_classes_of_queries(tmp_path: Path) -> None:
    queries = [(name, query) for name, texts in CLASSES.items() for query in texts]
    lake = _lake(tmp_path, [{"query": query, "model_version": name} for name, query in queries])
    with lake.connect() as connection:
        both = _groups(connection, Choice(), "class_and_model")
        assert both == {f"{name} {name}": (len(t), len(t)) for name, t in CLASSES.items()}
        for name, texts in CLASSES.items():
            found = _groups(connection, Choice(query_class=name), "class")
            assert found == {name: (len(texts), len(texts))}


def test_bots_are_left_out_where_that_is_asked(tmp_path: Path) -> None:
    lake = _lake(tmp_path, [{"session_id": name} for name in ("man", "bot", "bot")])
    with lake.connect() as connection:
        assert _groups(connection, Choice(without_bots=True)) == {"": (3, 3)}
        connection.execute("INSERT INTO bots (session_id, rule) VALUES ('bot', 'fast')")
        assert _groups(connection, Choice(without_bots=True)) == {"": (1, 1)}
        assert _groups(connection, Choice()) == {"": (3, 3)}


def test_a_click_whose_search_is_not_known_never_counts(tmp_path: Path) -> None:
    clicks = [{"search_key": 0, "rank": 1, "joined": joined} for joined in (True, False, None)]
    with lake_of(tmp_path, [{}], clicks).connect() as connection:
        assert _groups(connection, Choice()) == {"": (1, 2)}
        assert _groups(connection, Choice(query_class="keyword"), "class") == {"keyword": (1, 2)}


@pytest.mark.parametrize(
    ("choice", "message"),
    [
        ({"zone": "Mars/Olympus"}, "no time zone 'Mars/Olympus'"),
        ({"zone": "../etc/passwd"}, "no time zone"),
        ({"query_class": "odd"}, "no query class 'odd'"),
        ({"start": date(2026, 1, 2), "end": date(2026, 1, 1)}, "is after the last"),
    ],
)
def test_what_makes_no_sense_is_refused(choice: dict[str, Any], message: str) -> None:
    with pytest.raises(OnlineError, match=message):
        Choice(**choice)


def test_an_empty_lake_has_no_groups(tmp_path: Path) -> None:
    with Lake(tmp_path / "events").connect() as connection:
        for grouping in ("all", "day", "hour", "tag", "class"):
            choice = Choice(tag="a", query_class="long", without_bots=True, zone="Asia/Tokyo")
            assert _groups(connection, choice, grouping) == {}


@pytest.mark.parametrize("zone", ["UTC", "Asia/Tokyo", "America/Lima"])
def test_days_at_the_ends_of_time(tmp_path: Path, zone: str) -> None:
    with _lake(tmp_path, [{}]).connect() as connection:
        for start, end in ((date.min, date.max), (date(1, 1, 2), date(9999, 12, 30))):
            choice = Choice(start, end, zone=zone)
            assert _groups(connection, choice, "day") == {"2026-11-30": (1, 1)}
    with _lake(tmp_path / "again", [{}]).connect() as connection:
        choose_followed(connection, Choice(date.min, date.max, zone=zone), "model")
        assert len(fetch(connection, "pair_moments")) == 1
