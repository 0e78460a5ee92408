"""Rules that flag sessions as a machine's: at their limits, and after more of a session came in."""

import json
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from online.bots import RULES, Flagged, bots_document, count_bots, flag_bots, judge_again, judge_all
from online.lake import Lake
from tests.online.logs import lake_of, rows

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)


def searches(n: int, *, apart: float = 90, of: float = 0, **changes: Any) -> list[dict[str, Any]]:
    """n searches for different queries, some seconds apart, the first `of` seconds after noon."""
    return [
        {
            "timestamp": (NOON + timedelta(seconds=of + apart * number)).isoformat(),
            "query": f"query {number}",
            **changes,
        }
        for number in range(n)
    ]


def judged(folder: Path, rows_: Iterable[dict[str, Any]]) -> set[tuple[str, str]]:
    """Session and rule of all flags of a lake of these searches."""
    lake = lake_of(folder, rows_)
    judge_all(lake)
    return flags(lake)


def flags(lake: Lake) -> set[tuple[str, str]]:
    return set(rows(lake, "SELECT session_id, rule FROM bots"))


def agent(name: str) -> str:
    return json.dumps({"user_agent": name})


@pytest.mark.parametrize(
    ("rule", "under", "over"),
    [
        ("too_fast", searches(30, apart=60.001 / 29), searches(30, apart=60 / 29)),
        ("too_fast", searches(29, apart=0), [*searches(40), *searches(29, apart=1, of=5)]),
        ("too_many", searches(499, apart=30), searches(500, apart=30)),
        ("endless", searches(2, apart=86_400), searches(2, apart=86_401)),
        ("canned", searches(49, query="up?"), [*searches(9), *searches(50, query="up?")]),
        (
            "canned",
            [*searches(60, query="up?"), *searches(1, query="up?", n_clicks=1)],
            [*searches(60, query="up?"), *searches(1, n_clicks=1)],
        ),
        (
            "declared",
            [*searches(2, extra=agent("Firefox")), *searches(1, extra=agent("Googlebot/2.1"))],
            [*searches(1, extra=agent("Firefox")), *searches(1, extra=agent("Googlebot/2.1"))],
        ),
    ],
)
def test_a_rule_holds_at_its_limit(
    tmp_path: Path, rule: str, under: list[dict[str, Any]], over: list[dict[str, Any]]
) -> None:
    found = judged(
        tmp_path,
        [row | {"session_id": name} for name, part in (("u", under), ("o", over)) for row in part],
    )
    assert found == {("o", rule)}


CRAWLING = [
    "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
    "Slackbot-LinkExpanding 1.0",
    "bot",
    "Mozilla/5.0 (compatible; Baiduspider/2.0)",
    "python-requests/2.32.3",
    "curl/8.5.0",
    "Mozilla/5.0 (X11; Linux x86_64) HeadlessChrome/131.0",
    "my-crawler",
]
PEOPLE = [
    "Mozilla/5.0 (Linux; Android 8.1.0; CUBOT_POWER) Chrome/70.0 Mobile",
    "Mozilla/5.0 (Linux; Android 8.1.0; Cubot X9 Build/1)",
    "AbbottApp/3.1 okhttp/4.9",
    "Mozilla/5.0 (X11; Linux x86_64; rv:133.0) Gecko/20100101 Firefox/133.0",
    "",
]


def test_crawlers_name_themselves_and_phones_are_no_crawlers(tmp_path: Path) -> None:
    events = [
        *[{"session_id": name, "extra": agent(name)} for name in [*CRAWLING, *PEOPLE]],
        {"session_id": "nested", "extra": json.dumps({"note": {"user_agent": "Googlebot"}})},
        {"session_id": "number", "extra": json.dumps({"user_agent": 7})},
    ]
    assert judged(tmp_path, events) == {(name, "declared") for name in CRAWLING}


def test_searches_without_a_session_are_judged_by_what_they_declare_only(tmp_path: Path) -> None:
    made_up = [
        row | {"session_id": f"search:{number}", "session_given": False}
        for number, row in enumerate(searches(600, apart=0, query="up?"))
    ]
    made_up[7]["extra"] = agent("curl/8")
    assert judged(tmp_path, made_up) == {("search:7", "declared")}


def test_a_row_tells_who_when_and_how_many(tmp_path: Path) -> None:
    lake = lake_of(tmp_path, searches(500, apart=200, user_id="ann"))
    judge_all(lake)
    found = rows(lake, "SELECT * FROM bots ORDER BY rule")
    began, ended = NOON, NOON + timedelta(seconds=499 * 200)
    assert found == [
        ("s1", rule, 500, "ann", True, began, ended) for rule in ("endless", "too_many")
    ]
    assert {rule for _, rule, *_ in found} <= RULES.keys()


def add(lake: Lake, events: list[dict[str, Any]], touched: list[str]) -> Flagged:
    """As an import does: place searches, judge the sessions they touch, commit."""
    folder = lake.root.parent / "next"
    folder.mkdir()
    other = lake_of(folder, events)
    with lake.writing() as writing:
        for file in sorted((other.root / "searches").rglob("*.parquet")):
            day = writing.scratch / "searches" / file.parent.name
            day.mkdir(parents=True, exist_ok=True)
            file.rename(day / file.name)
        writing.place("searches", writing.scratch / "searches")
        writing.connection.execute(
            "CREATE TABLE touched_sessions AS SELECT unnest(?) AS session_id", [touched]
        )
        found = flag_bots(writing)
        writing.commit()
    return found


def test_an_import_judges_the_sessions_it_touches_with_what_the_lake_knows(tmp_path: Path) -> None:
    first = [*searches(300), *searches(2, apart=90_000, session_id="s2")]
    lake = lake_of(tmp_path, first)
    judge_all(lake)
    assert flags(lake) == {("s2", "endless")}
    add(lake, searches(300, of=40, apart=91), ["s1", "s1"])
    assert flags(lake) == {("s1", "too_many"), ("s2", "endless")}


def test_a_session_that_no_longer_meets_a_rule_loses_its_flag(tmp_path: Path) -> None:
    lake = lake_of(tmp_path, searches(60, query="up?"))
    judge_all(lake)
    assert flags(lake) == {("s1", "canned")}
    add(lake, searches(1, query="up?", n_clicks=1), ["s1", "gone"])
    assert flags(lake) == set()
    assert lake.manifest().bots is None


def test_a_flag_goes_with_the_searches_that_are_erased(tmp_path: Path) -> None:
    lake = lake_of(tmp_path, [*searches(2, apart=90_000), *searches(40, apart=1, session_id="s2")])
    judge_all(lake)
    assert flags(lake) == {("s1", "endless"), ("s2", "too_fast")}
    with lake.writing() as writing:
        writing.place("searches", writing.scratch / "none", replaces=["2026-12-01"])
        judge_again(writing)
        writing.commit(erase=True)
    assert flags(lake) == {("s2", "too_fast")}


def test_an_empty_lake_has_no_bots(tmp_path: Path) -> None:
    lake = Lake(tmp_path / "events")
    judge_all(lake)
    assert flags(lake) == set()


def test_counts_tell_rules_and_the_largest_sessions(tmp_path: Path) -> None:
    events = [
        *searches(600, apart=1, user_id="ann"),
        *searches(2, apart=90_000, session_id="s2"),
        *searches(40, session_id="person"),
    ]
    lake = lake_of(tmp_path, events)
    judge_all(lake)
    with lake.connect() as connection:
        told = bots_document(count_bots(connection))
    assert (told["sessions"], told["searches"]) == (2, 602)
    assert told["all"] == {"sessions": 3, "searches": 642}
    counts = {rule: (said["sessions"], said["searches"]) for rule, said in told["rules"].items()}
    assert counts == {
        "declared": (0, 0),
        "too_fast": (1, 600),
        "too_many": (1, 600),
        "endless": (1, 2),
        "canned": (0, 0),
    }
    assert [(s["session_id"], s["rules"]) for s in told["largest"]] == [
        ("s1", ["too_fast", "too_many"]),
        ("s2", ["endless"]),
    ]
    assert told["largest"][0]["began"] == "2026-11-30T12:00:00+00:00"


def test_a_constant_session_is_flagged_and_the_flags_are_doubted(tmp_path: Path) -> None:
    lake = lake_of(tmp_path, searches(1000, apart=1))
    judge_all(lake)
    with lake.connect() as connection:
        (doubt,) = count_bots(connection).doubts
    assert "100 % of the searches are flagged" in doubt


def test_an_import_tells_what_it_flagged_in_the_sessions_it_touched(tmp_path: Path) -> None:
    lake = lake_of(tmp_path, [*searches(300), *searches(2, apart=90_000, session_id="s2")])
    judge_all(lake)
    told = add(lake, searches(300, of=40, apart=91), ["s1"])
    assert told.searches == 300
    assert told.named[:2] == [
        "300 of this log's searches are in flagged sessions (600 in the lake)",
        "too_many: 600 searches, sessions: 1",
    ]
    assert "100 % of the searches are flagged" in told.named[2]
