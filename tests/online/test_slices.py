"""The report by day, hour and query: by hand, against a plain computation, and how far it holds."""

import random
import unicodedata
from collections import Counter, defaultdict
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from online import OnlineError
from online.engines import Choice
from online.lake import Lake
from online.metrics import Moments, ratio
from online.queries import query_table
from online.report import report, report_on
from online.slices import TOO_FEW, By, holds, report_by
from tests.online.logs import clicked, event, take


def test_days_and_hours_by_hand(tmp_path: Path) -> None:
    take(
        tmp_path,
        [
            clicked(2, timestamp="2026-11-29T23:59:00Z", session_id="over midnight"),
            event(timestamp="2026-11-30T00:10:00Z", session_id="over midnight"),
            event(timestamp="2026-11-30T00:50:00Z", session_id="b", retrieved_doc_ids=[]),
            clicked(1, timestamp="2026-11-30T15:00:00+01:00", session_id="b"),
        ],
    )
    lake = Lake(tmp_path / "events")
    by_day = report_by(lake, "day")["by_day"]
    assert list(by_day) == ["2026-11-29", "2026-11-30"]
    assert [day["searches"] for day in by_day.values()] == [1, 3]
    assert [day["sessions"] for day in by_day.values()] == [1, 2]
    assert [day["click_mrr"] for day in by_day.values()] == [0.5, pytest.approx(1 / 3)]
    assert by_day["2026-11-30"]["zero_result_rate"] == pytest.approx(1 / 3)
    assert by_day["2026-11-30"]["clicks_by_rank"] == {"1": 1}
    by_hour = report_by(lake, "hour", start=date(2026, 11, 30))["by_hour"]
    assert {hour: metrics["searches"] for hour, metrics in by_hour.items()} == {
        "2026-11-30T00:00Z": 2,
        "2026-11-30T14:00Z": 1,
    }


SPELLED = ["Sort  a list", "sort a LIST ", "\u00a0sort\u3000a\tlist", "sort a list"]
CAFE = ["caf\u00e9", "cafe\u0301", "CAFE\u0301", "CAF\u00c9"]


def test_spellings_of_a_query_are_one(tmp_path: Path) -> None:
    queries = [*SPELLED, *CAFE, *CAFE, "sorting", "", "  "]
    take(
        tmp_path,
        [
            event(query=query, timestamp=f"2026-11-30T12:00:{n:02}Z")
            for n, query in enumerate(queries)
        ],
    )
    found = query_table(Lake(tmp_path / "events"), Choice(), "busiest")
    assert [(row["query"], row["searches"], row["spellings"]) for row in found["by_query"]] == [
        ("caf\u00e9", 8, 4),
        ("sort a list", 4, 4),
        ("", 2, 2),
        ("sorting", 1, 1),
    ]
    assert found["queries"] == 4


def _random_lines() -> list[dict[str, Any]]:
    draw = random.Random(11)
    lines = []
    for n in range(900):
        rank = draw.choice([None, None, 1, 1, 2, 3])
        query = f"{draw.choice(['How', 'how', ' HOW'])} {min(draw.randint(1, 30), 12)}"
        moment = datetime(2026, 11, draw.randint(1, 3), tzinfo=UTC) + timedelta(seconds=n * 95)
        changes: dict[str, Any] = {"query": query, "session_id": f"s{draw.randint(1, 400)}"}
        changes |= {"model_version": draw.choice("AB"), "timestamp": moment.isoformat()}
        lines.append(clicked(rank, **changes) if rank else event(**changes))
    return lines


def test_queries_against_a_plain_computation(tmp_path: Path) -> None:
    take(tmp_path, _random_lines())
    of_query: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for line in _random_lines():
        if line["model_version"] == "A":
            key = " ".join(unicodedata.normalize("NFC", line["query"].lower()).split())
            of_query[key].append(line)
    found = query_table(Lake(tmp_path / "events"), Choice(model="A"), "busiest", most=5)
    expected = sorted(of_query, key=lambda query: (-len(of_query[query]), query))
    assert found["queries"] == len(expected) == 12
    assert [row["query"] for row in found["by_query"]] == expected[:5]
    for row in found["by_query"]:
        lines = of_query[row["query"]]
        sessions = Counter(line["session_id"] for line in lines)
        clicks = Counter(line["session_id"] for line in lines if line["click_rank"])
        sums = _moments([(clicks[name], n) for name, n in sessions.items()])
        assert (row["searches"], row["sessions"]) == (len(lines), len(sessions))
        assert row["ctr"] == pytest.approx(sum(clicks.values()) / len(lines))
        by_hand = sum(1 / line["click_rank"] for line in lines if line["click_rank"])
        assert row["click_mrr"] == pytest.approx(by_hand / len(lines))
        if holds(sums):
            assert row["intervals"]["ctr"] == pytest.approx([ratio(sums).low, ratio(sums).high])
        else:
            assert row["interval_reasons"]["ctr"] == TOO_FEW
    assert holds(sums) != holds(_moments([(1, 1), (0, 1)]))


@pytest.mark.parametrize("by", ["day", "hour"])
def test_parts_add_up_to_the_report(tmp_path: Path, by: By) -> None:
    take(tmp_path, _random_lines())
    lake = Lake(tmp_path / "events")
    found = report_by(lake, by, end=date(2026, 11, 2))
    whole = report(lake, end=date(2026, 11, 2))
    assert {name: found[name] for name in whole} == whole
    parts = found[f"by_{by}"]
    assert list(parts) == sorted(parts)
    assert sum(part["searches"] for part in parts.values()) == whole["overall"]["searches"]
    assert sum(part["clicks"] for part in parts.values()) == whole["overall"]["clicks"]


def test_parts_of_an_empty_lake(tmp_path: Path) -> None:
    lake = Lake(tmp_path / "events")
    assert report_by(lake, "day")["by_day"] == {}
    assert report_by(lake, "hour")["by_hour"] == {}
    found = query_table(lake, Choice(), "busiest")
    assert (found["by_query"], found["queries"], found["searches"]) == ([], 0, 0)
    with pytest.raises(OnlineError, match="is after the last"):
        report_by(lake, "day", start=date(2026, 11, 2), end=date(2026, 11, 1))


def test_the_first_click_is_not_always_the_best_ranked_one(tmp_path: Path) -> None:
    """No shape of log brings several clicks in yet; the queries and formulas wait for it."""
    # Best and first rank; model a: 1 and 5, 2 and 2, none. 1/5 + 1/2 = .7 of 3, and 1.5 of 3.
    # Model b: 12 and 12; 1 and one without a rank, which counts 0.
    searches = [
        ("s1", "a", 1, 5), ("s1", "a", 2, 2), ("s2", "a", None, None),
        ("s2", "b", 12, 12), ("s3", "b", 1, None),
    ]  # fmt: skip
    with Lake(tmp_path / "events").connect() as connection:
        connection.executemany(
            "INSERT INTO searches (session_id, model_version, best_click_rank, first_click_rank, "
            "n_clicks, n_ranked_clicks, n_top_clicks, n_results) VALUES (?, ?, ?, ?, 1, 1, 0, 1)",
            searches,
        )
        found = report_on(connection, Choice())
    model_a, model_b = found["by_model"]["a"], found["by_model"]["b"]
    assert model_a["first_click_mrr"] == pytest.approx(0.7 / 3)
    assert model_a["click_mrr"] == pytest.approx(1.5 / 3)
    assert model_b["first_click_mrr"] == pytest.approx(1 / 12 / 2)
    assert found["overall"]["first_click_mrr"] == pytest.approx((0.7 + 1 / 12) / 5)
    # Sessions of a: (.7, 2) and (0, 1), as residuals from R = .7 / 3.
    expected = ratio(_moments([(0.7, 2), (0, 1)]))
    low, high = model_a["intervals"]["first_click_mrr"]
    assert (low, high) == pytest.approx((expected.low, expected.high))


def test_without_other_first_clicks_both_are_the_same(tmp_path: Path) -> None:
    take(tmp_path, _random_lines())
    overall = report(Lake(tmp_path / "events"))["overall"]
    assert overall["first_click_mrr"] == overall["click_mrr"] > 0
    assert overall["intervals"]["first_click_mrr"] == overall["intervals"]["click_mrr"]


def _moments(sessions: list[tuple[float, float]]) -> Moments:
    return Moments(
        sessions=len(sessions),
        y=sum(y for y, _ in sessions),
        x=sum(x for _, x in sessions),
        y_y=sum(y * y for y, _ in sessions),
        x_x=sum(x * x for _, x in sessions),
        y_x=sum(y * x for y, x in sessions),
    )


@pytest.mark.parametrize(("sessions", "rate"), [(10, 0.4), (15, 0.2), (30, 0.1), (50, 0.95)])
def test_the_intervals_that_are_given_hold(sessions: int, rate: float) -> None:
    # 600 groups of sessions with an inclination to click of their own, and 1 to 3 searches each.
    # Of 200 or more intervals that hold in 95 % at least 91 % do: 2.6 standard deviations.
    draw = random.Random(20261130)
    given: list[bool] = []
    for _ in range(600):
        group = []
        for _ in range(sessions):
            inclination, n = draw.betavariate(4 * rate, 4 * (1 - rate)), draw.randint(1, 3)
            group.append((float(sum(draw.random() < inclination for _ in range(n))), float(n)))
        estimate = ratio(_moments(group))
        if holds(_moments(group)) and estimate.low is not None and estimate.high is not None:
            given.append(estimate.low <= rate <= estimate.high)
    assert len(given) > 200
    assert sum(given) / len(given) > 0.91


def test_without_the_rule_few_searches_would_promise_too_much() -> None:
    # 8 sessions of one search, of which a tenth clicks: in .9^8 = 43 % nobody does, and there is
    # no interval; where it is given it holds in far less than 95 %.
    draw = random.Random(1)
    hits = 0
    for _ in range(1000):
        estimate = ratio(_moments([(float(draw.random() < 0.1), 1.0) for _ in range(8)]))
        hits += estimate.low is not None and estimate.low <= 0.1 <= (estimate.high or 0.0)
    assert hits < 700
