"""The rollup by quarters of an hour: the same counts as those of the searches, in every way."""

import json
import random
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from online.columns import COUNTED
from online.engines import HAS_HOURS, Choice, Grouping, choose, fetch
from online.lake import Connection, Lake, write_days
from online.manifest import read_manifest, write_manifest
from online.query_engine import count_queries
from online.report import report
from online.rollup import ROLLED
from online.sql import sql
from tests.online.logs import clicked, event, lake_of, rows, take

MODELS = ["bm25", "mini lm", "", "\u7de8 2"]


CLICKED: list[list[int | None]] = [[], [], [1], [2, 1], [None], [12, None], [10**9]]


def _random_lake(folder: Path, *, begin: datetime, n: int = 600, seed: int = 5) -> Lake:
    draw = random.Random(seed)
    searches, clicks = [], []
    for key in range(n):
        moment = (begin + timedelta(seconds=draw.randrange(3 * 86400))).isoformat()
        ranks: list[int | None] = draw.choice(CLICKED)
        known = [rank for rank in ranks if rank]
        model = draw.choice(MODELS)
        search: dict[str, Any] = {"timestamp": moment, "search_key": key}
        searches.append(
            {
                **search,
                "model_version": model,
                "session_id": f"s{draw.randrange(n // 4)}",
                "n_clicks": len(ranks),
                "n_ranked_clicks": len(known),
                "best_click_rank": min(known, default=None),
                "first_click_rank": known[0] if known else None,
                "n_conversions": draw.choice([None, 0, 2]),
                "dwell_s": draw.choice([None, 1.5]),
                "tags": draw.choice([None, ["a"]]),
            }
        )
        clicks += [{**search, "model_version": model, "rank": rank} for rank in ranks]
        clicks.append({**search, "kind": "impression", "rank": 1, "model_version": model})
        clicks.append({**search, "joined": False, "rank": 1, "model_version": None})
    return lake_of(folder, searches, clicks)


def _same(connection: Connection, query: str) -> None:
    """A query gives the same by the rollup, if that is used, as by the searches."""
    plain = connection.sql(sql(query))
    expected = [dict(zip(plain.columns, row, strict=True)) for row in plain.fetchall()]
    found = fetch(connection, query)
    assert sorted(found, key=str) == sorted(expected, key=str)
    assert all(type(n) is int for row in found for n in list(row.values())[2:])


def _uses_hours(connection: Connection) -> bool:
    return bool(connection.execute(HAS_HOURS).fetchall())


# Clocks change in Berlin and, by half an hour, on Lord Howe Island.
AUTUMN, SPRING = datetime(2026, 10, 24, tzinfo=UTC), datetime(2026, 4, 3, tzinfo=UTC)


@pytest.fixture(scope="module")
def lakes(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[datetime, Lake]]:
    return [
        (begin, _random_lake(tmp_path_factory.mktemp("lake"), begin=begin, n=300))
        for begin in (AUTUMN, SPRING)
    ]


@pytest.mark.parametrize("zone", ["UTC", "Europe/Berlin", "Asia/Kathmandu", "Australia/Lord_Howe"])
def test_the_rollup_counts_as_the_searches_do(
    lakes: list[tuple[datetime, Lake]], zone: str
) -> None:
    groupings: list[Grouping] = ["all", "day_and_model", "day", "hour"]
    for begin, lake in lakes:
        middle = begin.date() + timedelta(days=1)
        choices = [
            Choice(zone=zone),
            Choice(end=middle, model="mini lm", zone=zone),
            Choice(middle, middle, zone=zone),
        ]
        with lake.connect() as connection:
            for choice, grouping in product(choices, groupings):
                choose(connection, choice, grouping)
                assert _uses_hours(connection)
                for query in ROLLED:
                    _same(connection, query)


def test_what_the_rollup_cannot_tell_is_read_from_the_searches(tmp_path: Path) -> None:
    lake = _random_lake(tmp_path, begin=datetime(2026, 11, 1, tzinfo=UTC), n=60)
    choices = [Choice(tag="a"), Choice(query_class="keyword"), Choice(without_bots=True)]
    with lake.connect() as connection:
        for choice in choices:
            choose(connection, Choice(), "all")
            assert _uses_hours(connection)
            choose(connection, choice, "all")
            assert not _uses_hours(connection)
            assert fetch(connection, "headline")
        choose(connection, Choice(), "tag")
        assert not _uses_hours(connection)
        choose(connection, Choice(), "all")
        count_queries(connection, Choice())
        assert not _uses_hours(connection)


def test_days_of_a_zone_that_are_no_quarters_are_read_from_the_searches(tmp_path: Path) -> None:
    # Until 1972-01-07 the clocks of Monrovia were 44 minutes and 30 seconds behind UTC.
    lake = _random_lake(tmp_path, begin=datetime(1971, 12, 1, tzinfo=UTC), n=200)
    with lake.connect() as connection:
        choose(connection, Choice(date(1971, 12, 2), zone="Africa/Monrovia"), "day")
        assert not _uses_hours(connection)
        _same(connection, "headline")


def test_a_lake_of_before_the_rollup_is_counted_by_its_next_import(tmp_path: Path) -> None:
    lake = _random_lake(tmp_path, begin=datetime(2026, 11, 1, tzinfo=UTC), n=200)
    before = report(lake)
    manifest = json.loads((lake.root / "manifest.json").read_text())
    (lake.root / "manifest.json").write_text(json.dumps(manifest | {"hours": []}))
    with lake.connect() as connection:
        choose(connection, Choice(), "model")
        assert not _uses_hours(connection)
    assert report(lake) == before
    take(tmp_path, [event()])
    with lake.connect() as connection:
        choose(connection, Choice(), "model")
        assert _uses_hours(connection)
        for query in ROLLED:
            _same(connection, query)


def test_a_lake_of_which_a_day_is_not_counted(tmp_path: Path) -> None:
    lake = _random_lake(tmp_path, begin=datetime(2026, 11, 1, tzinfo=UTC), n=200)
    manifest = read_manifest(lake.root)
    assert manifest is not None
    hours = tuple(file for file in manifest.hours if file.date != "2026-11-02")
    write_manifest(lake.root, replace(manifest, hours=hours))
    with lake.connect() as connection:
        for choice, counted in ((Choice(), False), (Choice(end=date(2026, 11, 1)), True)):
            choose(connection, choice, "model")
            assert _uses_hours(connection) == counted
            _same(connection, "headline")


def test_other_queries_count_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lake = _random_lake(tmp_path, begin=datetime(2026, 11, 1, tzinfo=UTC), n=60)
    monkeypatch.setattr("online.rollup.mark", lambda: "other")
    with lake.connect() as connection:
        choose(connection, Choice(), "model")
        assert not _uses_hours(connection)
    take(tmp_path, [event()])
    assert all(file.path.endswith("-other.parquet") for file in lake.manifest().hours)
    with lake.connect() as connection:
        choose(connection, Choice(), "model")
        assert _uses_hours(connection)
        _same(connection, "headline")


def test_a_day_that_is_written_again_is_counted_again(tmp_path: Path) -> None:
    take(tmp_path, [clicked(1), clicked(2, timestamp="2026-11-29T12:00:00Z")])
    lake = Lake(tmp_path / "events")
    with lake.writing() as writing:
        writing.view("known", [f for f in writing.files("searches") if f.date == "2026-11-30"])
        changed = "SELECT * REPLACE (5 AS best_click_rank) FROM known"
        write_days(writing.connection, changed, writing.scratch / "new")
        writing.place("searches", writing.scratch / "new", replaces={"2026-11-30"})
        writing.place("interactions", writing.scratch / "none", replaces={"2026-11-29"})
        writing.commit()
    counts = 'SELECT date, "rank", searches, clicks FROM hours ORDER BY ALL'
    yesterday, today = date(2026, 11, 29), date(2026, 11, 30)
    assert rows(lake, counts) == [
        (yesterday, 2, 1, None),
        (today, 1, None, 1),
        (today, 5, 1, None),
    ]
    with lake.writing() as writing:
        writing.place("searches", writing.scratch / "none", replaces={"2026-11-30"})
        writing.place("interactions", writing.scratch / "none", replaces={"2026-11-30"})
        writing.commit()
    assert rows(lake, counts) == [(yesterday, 2, 1, None)]


def test_only_the_days_of_a_commit_are_counted(tmp_path: Path) -> None:
    take(tmp_path, [event(), event(timestamp="2026-11-29T12:00:00Z")])
    lake = Lake(tmp_path / "events")
    first = {file.date: file.path for file in lake.manifest().hours}
    take(tmp_path, [event(query="another", timestamp="2026-11-28T12:00:00Z")])
    second = {file.date: file.path for file in lake.manifest().hours}
    assert first.items() < second.items()
    assert set(second) == {"2026-11-28", "2026-11-29", "2026-11-30"}


def test_two_commits_of_one_writer(tmp_path: Path) -> None:
    take(tmp_path, [event(), event(timestamp="2026-11-29T12:00:00Z")])
    lake = Lake(tmp_path / "events")
    with lake.writing() as writing:
        for day in ("2026-11-29", "2026-11-30"):
            writing.place("searches", writing.scratch / "none", replaces={day})
            writing.commit()
    assert lake.manifest().hours == ()


@pytest.mark.parametrize("query", ROLLED)
def test_the_rollup_knows_every_count_of_its_queries(tmp_path: Path, query: str) -> None:
    """A count that is new in sql/headline.sql or click_ranks.sql belongs into COUNTED, too."""
    take(tmp_path, [event()])
    with Lake(tmp_path / "events").connect() as connection:
        choose(connection, Choice(), "all")
        columns: list[Any] = connection.sql(sql(query)).columns
        assert columns == ["group_key", ROLLED[query], *COUNTED[query]]


def test_another_selection_is_not_counted_by_hours(tmp_path: Path) -> None:
    lake = _random_lake(tmp_path, begin=datetime(2026, 11, 1, tzinfo=UTC), n=60)
    with lake.connect() as connection:
        choose(connection, Choice(), "all")
        connection.execute("CREATE OR REPLACE VIEW selected AS SELECT *, '' AS k FROM searches")
        assert not _uses_hours(connection)
        choose(connection, Choice(), "all")
        assert _uses_hours(connection)
