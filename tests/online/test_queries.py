"""The table of queries: which come first, against all of them computed, and between two periods."""

import math
import random
from collections import defaultdict
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from estimates import holm, wilson
from online import OnlineError
from online.abtest import difference
from online.engines import Choice
from online.lake import Lake
from online.metrics import Moments
from online.queries import Kind, query_table, wilson_bound
from online.slices import holds
from tests.online.logs import lake_of

BEFORE = Choice(date(2026, 11, 1), date(2026, 11, 7))
NOW = Choice(date(2026, 11, 8), date(2026, 11, 14))


def _searches(
    query: str, n: int, clicked: int, *, sessions: int | None = None, **more: Any
) -> list[dict[str, Any]]:
    """n searches, of which the first `clicked` were clicked at rank 2, in a session each."""
    click = {"n_clicks": 1, "n_ranked_clicks": 1, "best_click_rank": 2, "first_click_rank": 2}
    return [
        (click if place < clicked else {})
        | {"query": query, "session_id": f"{query} {place % (sessions or n)}", **more}
        for place in range(n)
    ]


def _names(found: dict[str, Any]) -> list[str]:
    return [row["query"] for row in found["by_query"]]


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Lake:
    nothing: dict[str, Any] = {"n_results": 0, "retrieved_doc_ids": []}
    searches = [
        *_searches("common", 200, 100),
        *_searches("bad", 60, 2),
        *_searches("rare", 3, 0),
        *_searches("one man", 100, 0, sessions=1),
        *_searches("two men", 100, 0, sessions=12),
        *_searches("good", 40, 38),
        *_searches("lucky", 2, 2),
        *_searches("unknown word", 12, 0, **nothing),
        *_searches("Unknown WORD", 3, 0, **nothing),
    ]
    return lake_of(tmp_path_factory.mktemp("queries"), searches)


def test_0_of_3_is_not_the_worst(lake: Lake) -> None:
    """By the upper end of Wilson's interval, as if each session spoke with one voice.

    bad: 2 of 60 in 60 sessions, at most .1136. two men: 0 of 100, in 12 sessions of 8 or 9, which
    are 100^2 / (4 * 81 + 8 * 64) = 11.96 voices: z^2 / (n + z^2) = .2431; unknown word: 0 of 15,
    .2039. rare and one man have too few sessions.
    """
    found = query_table(lake, Choice(), "worst", most=3)
    assert _names(found) == ["bad", "unknown word", "two men"]
    bounds = [row["ctr_bound"] for row in found["by_query"]]
    assert bounds == pytest.approx([0.1136, 0.2039, 0.2431], abs=1e-4)
    assert bounds[0] == pytest.approx(wilson(2, 60).high)
    assert (found["queries"], found["searches"]) == (8, 520)


def test_2_of_2_is_not_the_best(lake: Lake) -> None:
    found = query_table(lake, Choice(), "best", most=2)
    assert _names(found) == ["good", "common"]
    assert found["by_query"][0]["ctr_bound"] == pytest.approx(wilson(38, 40).low)
    assert found["by_query"][0]["interval_reasons"]["ctr"] == "too_few_for_an_interval"
    assert found["by_query"][1]["intervals"]["ctr"][0] > 0.4


def test_the_most_searches_without_results(lake: Lake) -> None:
    found = query_table(lake, Choice(), "zero-results")
    (row,) = found["by_query"]
    assert (row["query"], row["spellings"], row["searches_without_results"]) == (
        "unknown word", 2, 15,
    )  # fmt: skip
    assert (row["zero_result_rate"], found["eligible"]) == (1.0, 1)


def test_much_traffic_without_clicks(lake: Lake) -> None:
    # CTR of all: 142 of 520. 100 searches without a click lack 27.3, bad lacks 60 * .273 - 2.
    found = query_table(lake, Choice(), "no-clicks", most=3)
    assert _names(found) == ["one man", "two men", "bad"]
    lacking = [row["clicks_lacking"] for row in found["by_query"]]
    share = 142 / 520
    assert lacking == pytest.approx([100 * share, 100 * share, 60 * share - 2])


def test_what_was_chosen_counts(lake: Lake) -> None:
    assert query_table(lake, Choice(model="none"), "worst")["by_query"] == []
    found = query_table(lake, Choice(query_class="keyword"), "busiest", most=1)
    assert (_names(found), found["eligible"]) == (["common"], 8)


def _random_searches() -> list[dict[str, Any]]:
    """300 queries, each with its own traffic, inclination to click, and habit of long sessions."""
    draw = random.Random(5)
    searches = []
    for number in range(300):
        n, rate, sessions = draw.randint(1, 40), draw.random() ** 2, draw.choice([1, 3, 12, 40])
        for _ in range(n):
            searches += _searches(f"q{number}", 1, int(draw.random() < rate))
            searches[-1]["session_id"] = f"{number} {draw.randrange(sessions)}"
    return searches


@pytest.mark.parametrize(("kind", "sign"), [("worst", 1), ("best", -1)])
def test_no_query_is_missed(tmp_path: Path, kind: Kind, sign: int) -> None:
    """The first candidates go by searches; the answer must be that of all queries by sessions."""
    searches = _random_searches()
    sessions: dict[str, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
    for row in searches:
        sessions[row["query"]][row["session_id"]].append(int("n_clicks" in row))
    expected = []
    for query, of_query in sessions.items():
        n = sum(len(clicks) for clicks in of_query.values())
        share = sum(map(sum, of_query.values())) / n
        voices = n**2 / sum(len(clicks) ** 2 for clicks in of_query.values())
        if len(of_query) >= 10:
            expected.append((sign * wilson_bound(share, voices, sign), -n, query))
    found = query_table(lake_of(tmp_path, searches), Choice(), kind, most=5)
    bounds = [sign * row["ctr_bound"] for row in found["by_query"]]
    assert bounds == pytest.approx([bound for bound, _, _ in sorted(expected)[:5]])
    assert len(expected) > 20


def test_wilson_of_parts_of_searches() -> None:
    for clicked, n in ((0, 3), (38, 40), (7, 7), (1, 1000)):
        whole = wilson(clicked, n)
        bounds = [wilson_bound(clicked / n, n, sign) for sign in (-1, 1)]
        assert bounds == pytest.approx([whole.low, whole.high], abs=1e-12)


@pytest.fixture(scope="module")
def periods(tmp_path_factory: pytest.TempPathFactory) -> Lake:
    old, new = "2026-11-03T12:00:00Z", "2026-11-10T12:00:00Z"
    searches = [
        *_searches("same", 80, 40, timestamp=old),
        *_searches("same", 90, 44, timestamp=new),
        *_searches("fell", 100, 60, timestamp=old),
        *_searches("Fell", 100, 20, timestamp=new),
        *_searches("seldom", 100, 60, timestamp=old),
        *_searches("seldom", 19, 0, timestamp=new),
        *_searches("gone", 30, 10, timestamp=old),
        *_searches("came", 40, 20, timestamp=new),
        *_searches("came too", 2, 1, timestamp=new),
    ]
    for number, row in enumerate(searches):
        row["session_id"] = f"s{number}"
    return lake_of(tmp_path_factory.mktemp("periods"), searches)


def test_changes_between_two_periods(periods: Lake) -> None:
    """fell: .6 of 100 to .2 of 100; same: .5 of 80 to 44 / 90; four tests, corrected together."""
    found = query_table(periods, NOW, "changed", BEFORE)
    assert _names(found) == ["fell", "same"]
    assert (found["tested"], found["eligible"]) == (2, 2)
    fell, same = found["by_query"]
    assert (fell["searches_before"], fell["searches"], fell["sessions"]) == (100, 100, 100)
    assert (fell["ctr_before"], fell["ctr"]) == (0.6, 0.2)
    assert (fell["click_mrr_before"], fell["click_mrr"]) == (0.3, 0.1)
    # Var = (.6 * .4 + .2 * .8) / 99, half = 1.98 * sqrt(.004040) = .1255 with Welch's t.
    change = fell["differences"]["ctr"]
    assert change["value"] == pytest.approx(-0.4)
    assert (change["low"], change["high"]) == pytest.approx((-0.5255, -0.2745), abs=1e-3)
    raw = [
        row["differences"][name]["p_value"] for row in (fell, same) for name in ("ctr", "click_mrr")
    ]
    adjusted = [
        row["differences"][name]["p_holm"] for row in (fell, same) for name in ("ctr", "click_mrr")
    ]
    assert adjusted == pytest.approx(holm(raw))
    assert adjusted[0] < 1e-6
    assert adjusted[2] > 0.5


def test_queries_that_came_and_went(periods: Lake) -> None:
    found = query_table(periods, NOW, "changed", BEFORE, most=1)
    assert found["new"]["queries"] == 2
    assert _names(found["new"]) == ["came"]
    assert _names(found["vanished"]) == ["gone"]
    assert found["vanished"]["by_query"][0]["ctr"] == pytest.approx(1 / 3)
    told = ("queries", "queries_before", "searches", "searches_before")
    assert [found[name] for name in told] == [5, 4, 251, 310]


def test_a_difference_is_that_of_an_ab_test(periods: Lake) -> None:
    row = query_table(periods, NOW, "changed", BEFORE)["by_query"][1]
    before, now = Moments(80, 40, 80, 40, 80, 40), Moments(90, 44, 90, 44, 90, 44)
    expected = difference(before, now)
    assert row["differences"]["ctr"]["low"] == pytest.approx(expected.low)
    assert row["differences"]["ctr"]["p_value"] == pytest.approx(expected.p_value)
    assert holds(now)
    assert math.isclose(row["differences"]["ctr"]["value"], 44 / 90 - 0.5)


@pytest.mark.parametrize(
    "against", [None, NOW, Choice(), Choice(date(2026, 11, 1), date(2026, 11, 8))]
)
def test_periods_that_cannot_be_compared(periods: Lake, against: Choice | None) -> None:
    with pytest.raises(OnlineError, match=r"nothing to compare with|overlap"):
        query_table(periods, NOW, "changed", against)


def test_models_can_be_compared_too(periods: Lake) -> None:
    found = query_table(periods, Choice(model="bm25"), "changed", Choice(model="minilm"))
    assert found["new"]["queries"] == found["queries"] == 6
    assert found["by_query"] == []


def test_an_empty_lake_has_no_queries(tmp_path: Path) -> None:
    empty = Lake(tmp_path / "events")
    kinds: tuple[Kind, ...] = ("busiest", "worst", "best", "zero-results", "no-clicks")
    for kind in kinds:
        found = query_table(empty, Choice(), kind)
        assert (found["by_query"], found["queries"], found["eligible"]) == ([], 0, 0)
    assert query_table(empty, NOW, "changed", BEFORE)["tested"] == 0
