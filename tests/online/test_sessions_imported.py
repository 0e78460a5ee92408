"""Sessions and bots end to end: from log lines, through any order of imports, to the lake."""

import random
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from online.ab import Plan, compare_arms
from online.lake import Lake
from tests.online.logs import event, rows, take


def search(moment: str, user: str | None = "ann", **changes: Any) -> dict[str, Any]:
    """A search without a session, known by its moment."""
    line = event(timestamp=moment, query=moment, user_id=user, **changes)
    return line if "session_id" in changes else {k: v for k, v in line.items() if k != "session_id"}


def sessions(folder: Path) -> dict[str, str]:
    """Query -> session of all searches."""
    return dict(rows(Lake(folder / "events"), "SELECT query, session_id FROM searches"))


def test_a_session_crosses_midnight_and_zones(tmp_path: Path) -> None:
    late = search("2026-11-30T23:50:00Z")
    early = search("2026-12-01T00:10:00Z")
    east = search("2026-12-01T05:55:00+05:30")
    tally = take(tmp_path, [late, early, east])
    assert tally.accepted == 3
    assert set(sessions(tmp_path).values()) == {"user:ann:1796082600000000"}
    days = rows(Lake(tmp_path / "events"), "SELECT DISTINCT date FROM searches")
    assert len(days) == 2
    assert rows(Lake(tmp_path / "events"), "SELECT bool_or(session_given) FROM searches") == [
        (False,)
    ]


def test_of_a_mixed_log_each_search_gets_the_session_that_can_be_known(tmp_path: Path) -> None:
    tally = take(
        tmp_path,
        [
            search("2026-11-30T12:00:00Z"),
            search("2026-11-30T12:10:00Z", session_id="s1"),
            search("2026-11-30T12:25:00Z"),
            search("2026-11-30T12:30:00Z", user=None),
            search("2026-11-30T12:31:00Z", user=None),
            search("2026-11-30T12:00:00Z", user="bob"),
        ],
    )
    found = sessions(tmp_path)
    assert found["2026-11-30T12:10:00Z"] == "s1"
    assert tally.notes == {"no_session": 2, "session_by_user": 3}
    own = {found["2026-11-30T12:30:00Z"], found["2026-11-30T12:31:00Z"]}
    assert len(own) == 2
    assert all(session.startswith("search:") for session in own)
    assert found["2026-11-30T12:25:00Z"].startswith("user:ann:")
    derived = "SELECT count(DISTINCT session_id) FROM searches WHERE session_id LIKE 'user:%'"
    assert rows(Lake(tmp_path / "events"), derived) == [(2,)]


def test_a_late_row_makes_one_session_of_two_and_its_clicks_follow(tmp_path: Path) -> None:
    first = search("2026-11-30T23:40:00Z") | {"clicked_doc_id": "d1", "click_rank": 1}
    second = search("2026-12-01T00:30:00Z") | {"clicked_doc_id": "d2", "click_rank": 2}
    other = search("2026-11-20T12:00:00Z")
    take(tmp_path, [first, second, other])
    lake = Lake(tmp_path / "events")
    assert len(set(sessions(tmp_path).values())) == 3
    untouched = [file for file in lake.manifest().searches if file.date == "2026-11-20"]

    take(tmp_path, [search("2026-12-01T00:05:00Z")])
    found = sessions(tmp_path)
    assert len(found) == 4
    assert found.pop("2026-11-20T12:00:00Z") not in found.values()
    assert len(set(found.values())) == 1
    (session,) = set(found.values())
    assert rows(lake, "SELECT DISTINCT session_id FROM interactions") == [(session,)]
    assert rows(lake, "SELECT count(*) FROM interactions") == [(2,)]
    assert [f for f in lake.manifest().searches if f.date == "2026-11-20"] == untouched


def test_a_click_line_holds_a_session_open(tmp_path: Path) -> None:
    click = {
        "timestamp": "2026-11-30T12:25:00Z",
        "search_id": "q1",
        "clicks": [{"doc_id": "d2", "rank": 2}],
    }
    lines = [
        search("2026-11-30T12:00:00Z", search_id="q1"),
        search("2026-11-30T12:50:00Z", search_id="q2"),
    ]
    take(tmp_path, lines)
    assert len(set(sessions(tmp_path).values())) == 2
    take(tmp_path, [click])
    assert len(set(sessions(tmp_path).values())) == 1


def test_a_search_that_turns_out_to_have_a_session_holds_no_other_together(tmp_path: Path) -> None:
    moments = ("2026-11-30T12:00:00Z", "2026-11-30T12:25:00Z", "2026-11-30T12:50:00Z")
    take(tmp_path, [search(moment, search_id=moment) for moment in moments])
    assert len(set(sessions(tmp_path).values())) == 1
    clicks = [{"doc_id": "d2", "rank": 2}]
    click: dict[str, Any] = {"timestamp": moments[1], "search_id": moments[1], "clicks": clicks}
    click["session_id"] = "s1"
    take(tmp_path, [click])
    found = sessions(tmp_path)
    assert found[moments[1]] == "s1"
    assert len(set(found.values())) == 3


def _random_lines(seed: int) -> list[dict[str, Any]]:
    """Searches of three days, some with a session or an id, and clicks on those with an id."""
    draw = random.Random(seed)
    lines = []
    for n, at in enumerate(draw.sample(range(0, 3 * 24 * 60, 7), 40)):
        line = search(_moment(at), draw.choice(["ann", "bob", None]))
        line |= {"session_id": "s1"} if draw.random() < 0.1 else {}
        if draw.random() < 0.6:
            line["search_id"] = f"q{n}"
            lines += [_click(draw, line["search_id"], at) for _ in range(draw.randint(0, 2))]
        lines.append(line)
    return lines


def _click(draw: random.Random, search_id: str, at: int) -> dict[str, Any]:
    rank = draw.randint(1, 5)
    click = {
        "timestamp": _moment(at + draw.choice([1, 20, 29, 90, 600])),
        "search_id": search_id,
        "clicks": [{"doc_id": f"d{rank}", "rank": rank}],
    }
    return click | ({"session_id": "s2"} if draw.random() < 0.1 else {})


def _moment(minute: int) -> str:
    moment = datetime(2026, 11, 27, tzinfo=UTC) + timedelta(minutes=minute)
    return moment.isoformat()


def _state(folder: Path) -> tuple[Any, ...]:
    """What the lake says of sessions, of clicks, and of bots."""
    lake = Lake(folder / "events")
    clicks = 'SELECT search_id, occurred_at, "rank", session_id, timestamp FROM interactions'
    return tuple(
        sorted(rows(lake, query))
        for query in (
            "SELECT query, session_id, session_given, n_clicks FROM searches",
            clicks,
            "FROM bots",
        )
    )


@pytest.mark.parametrize(
    "seed", [1, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(2, 8))]
)
def test_any_order_and_split_of_imports_give_the_same_sessions(tmp_path: Path, seed: int) -> None:
    lines = _random_lines(seed)
    (tmp_path / "at_once").mkdir()
    take(tmp_path / "at_once", lines)
    expected = _state(tmp_path / "at_once")
    assert len({session for _, session, *_ in expected[0]}) > 5
    assert len(expected[1]) > 5

    draw = random.Random(seed)
    draw.shuffle(lines)
    cuts = [0, *sorted(draw.sample(range(len(lines)), 3)), len(lines)]
    for start, end in pairwise(cuts):
        take(tmp_path, lines[start:end])
    assert _state(tmp_path) == expected


def test_bots_are_flagged_by_imports_and_noted(tmp_path: Path) -> None:
    fast = [search(f"2026-11-30T12:00:{n:02}Z", "robo") for n in range(20)]
    people = [search(f"2026-11-30T{n:02}:30:00Z") for n in range(24)]
    first = take(tmp_path, [*fast, *people])
    lake = Lake(tmp_path / "events")
    assert "bots" not in first.notes
    assert rows(lake, "SELECT count(*) FROM bots") == [(0,)]

    more = [search(f"2026-11-30T12:00:{n:02}Z", "robo") for n in range(20, 35)]
    second = take(tmp_path, more)
    assert second.notes["bots"] == 15
    assert second.named["bots"][0] == (
        "15 of this log's searches are in flagged sessions (35 in the lake)"
    )
    assert second.named["bots"][1].startswith("too_fast: 35 searches")
    assert rows(lake, "SELECT rule, searches, user_id FROM bots") == [("too_fast", 35, "robo")]

    again = take(tmp_path, [*fast, *more])
    assert again.accepted == 0
    assert rows(lake, "SELECT count(*) FROM bots") == [(1,)]


def test_users_without_sessions_are_the_unit_of_a_test(tmp_path: Path) -> None:
    lines = [
        search(
            f"2026-11-{1 + n:02}T12:{m:02}:00Z",
            f"{model}-{n}",
            model_version=model,
            search_id=f"{model}-{n}-{m}",
        )
        for model in ("bm25", "minilm")
        for n in range(20)
        for m in (0, 40)
    ]
    take(tmp_path, lines)
    lake = Lake(tmp_path / "events")
    test = compare_arms(lake, Plan("bm25", "minilm"))
    assert (test.unit, test.units, test.searches) == ("user", (20, 20), (40, 40))
    by_session = compare_arms(lake, Plan("bm25", "minilm", unit="session"))
    assert by_session.units == (40, 40)
