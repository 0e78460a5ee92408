"""Metrics of hand-made lakes with their derivation, and of random lakes against pandas."""

import math
import random
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any, TypeAlias

import pandas as pd
import pytest

from online.engines import Choice
from online.metrics import (
    NO_DWELL,
    NO_SESSIONS_LOGGED,
    RESULTS_UNKNOWN,
)
from online.report import daily, report
from online.slices import By, report_by
from tests.online.logs import flag, lake_of


def _at(minutes: float, day: int = 1) -> str:
    return (datetime(2026, 11, day, 12, tzinfo=UTC) + timedelta(minutes=minutes)).isoformat()


def _clicked(rank: int | None, **more: Any) -> dict[str, Any]:
    known = int(rank is not None)
    top = int(rank is not None and rank <= 2)
    counts = {"n_clicks": 1, "n_ranked_clicks": known, "n_top_clicks": top}
    return {**counts, "best_click_rank": rank, "first_click_rank": rank, **more}


def test_ctr_at_k_by_hand(tmp_path: Path) -> None:
    # Best ranks 1, 3, 4, 11, one unknown, one search without a click: of 6 searches 1, 2, 3 and 3
    # were clicked at rank 1, 3, 5 and 10 or above; 5 were clicked at all.
    ranks = (1, 3, 4, 11, None)
    found = report(lake_of(tmp_path, [*(_clicked(rank) for rank in ranks), {}]))["overall"]
    assert found["ctr_at"] == {"1": 1 / 6, "3": 2 / 6, "5": 0.5, "10": 0.5}
    assert found["ctr"] == 5 / 6
    assert found["interval_reasons"]["ctr_at_1"] == "one_session_has_no_interval"


def test_dwell_and_the_time_to_the_first_click_by_hand(tmp_path: Path) -> None:
    # Dwells 10, 30, 31 and 90 s: two of four are over 30 s, the median is 30.5. A click without a
    # dwell counts in neither. First clicks after 2, 4, 9 s: the median is 4.
    searches = [
        _clicked(1, dwell_s=dwell, first_click_s=first)
        for dwell, first in ((10, 2), (30, 4), (31, 9), (90, None), (None, None))
    ]
    found = report(lake_of(tmp_path, searches))["overall"]
    assert (found["dwell_over_30_s"], found["median_dwell_s"]) == (0.5, 30.5)
    assert found["median_first_click_s"] == 4.0


def test_no_dwell_is_no_share_of_long_dwells(tmp_path: Path) -> None:
    both = [_clicked(1, model_version="a", dwell_s=40), _clicked(1, model_version="b")]
    by_model = report(lake_of(tmp_path, both))["by_model"]
    assert by_model["a"]["dwell_over_30_s"] == 1.0
    assert by_model["b"]["dwell_over_30_s"] is None
    assert by_model["b"]["reasons"]["dwell_over_30_s"] == "not_logged"
    assert NO_DWELL != "not_logged"


def test_conversions_and_their_value_by_hand(tmp_path: Path) -> None:
    # 0.1 and 0.2 are 0.3, not 0.30000000000000004; over 4 searches .075. A refund is a value, too.
    values = (0.1, 0.2, None, None)
    searches = [
        {"session_id": f"s{n}", "n_conversions": int(value is not None), "conversion_value": value}
        for n, value in enumerate(values)
    ]
    found = report(lake_of(tmp_path, searches))["overall"]
    assert (found["conversion_value"], found["conversion_rate"]) == (0.3, 0.5)
    assert found["conversion_value_per_search"] == 0.075
    # Four sessions .1, .2, 0, 0 of one search: s = sqrt(sum (y - .075)^2 / 3) = .0957427;
    # t(3, .975) = 3.182446, half = 3.182446 * .0957427 / 2 = .152347.
    low, high = found["intervals"]["conversion_value_per_search"]
    assert (low, high) == pytest.approx((0.075 - 0.152347, 0.075 + 0.152347), abs=1e-5)


def test_a_value_that_is_no_amount_is_left_out_and_counted(tmp_path: Path) -> None:
    values = (1e300, -1.7e308, 1e15, 5.0)
    searches = [{"n_conversions": 1, "conversion_value": value} for value in values]
    found = report(lake_of(tmp_path, searches))["overall"]
    assert (found["conversion_value"], found["conversion_values_left_out"]) == (5.0, 3)
    assert found["conversion_value_per_search"] == 1.25


Steps: TypeAlias = list[tuple[float, str, int | None]]
REFORMULATED: dict[str, tuple[Steps, list[int]]] = {
    # Session -> (minute, query, seconds to the first click or None; -1 has no time), ...; and which
    # of them are reformulated.
    "another query within 5 minutes": ([(0, "a", None), (5, "b", None)], [0]),
    "too late": ([(0, "a", None), (5.01, "b", None)], []),
    "typed again, or its second page": ([(0, "A b", None), (1, " a  B", None)], []),
    "a click before": ([(0, "a", 59), (1, "b", None)], []),
    "a click after": ([(0, "a", 61), (1, "b", None)], [0]),
    "a click without time": ([(0, "a", -1), (1, "b", None)], []),
    "twice": ([(0, "a", None), (1, "b", None), (2, "a", None)], [0, 1]),
    "back again at once": ([(0, "a", None), (1, "a", None), (2, "b", None)], [1]),
}


def _session(name: str, steps: Steps) -> list[dict[str, Any]]:
    rows = []
    for minute, query, first in steps:
        row = {"timestamp": _at(minute), "query": query, "session_id": name}
        clicked = {} if first is None else _clicked(1, first_click_s=None if first < 0 else first)
        rows.append(row | clicked)
    return rows


def test_reformulations_by_hand(tmp_path: Path) -> None:
    searches: list[dict[str, Any]] = []
    for name, (steps, _) in REFORMULATED.items():
        searches += [row | {"model_version": name} for row in _session(name, steps)]
    found = report(lake_of(tmp_path, searches))
    for name, (steps, reformulated) in REFORMULATED.items():
        rate = found["by_model"][name]["reformulation_rate"]
        assert rate == pytest.approx(len(reformulated) / len(steps)), name
    total = sum(len(reformulated) for _, reformulated in REFORMULATED.values())
    assert found["overall"]["reformulation_rate"] == pytest.approx(total / len(searches))


def test_what_follows_need_not_be_chosen_itself(tmp_path: Path) -> None:
    first = {"timestamp": "2026-11-01T23:58:00Z", "query": "red shoes", "tags": ["web", "new"]}
    then = {"timestamp": "2026-11-02T00:01:00Z", "query": "red boots 2", "model_version": "minilm"}
    lake = lake_of(tmp_path, [first, then])
    day = date(2026, 11, 1)
    choices = [
        Choice(day, day),
        Choice(day, day, zone="Europe/London"),
        Choice(model="bm25"),
        Choice(tag="new"),
        Choice(query_class="keyword"),
        Choice(model="bm25", tag="web", query_class="keyword", without_bots=True),
    ]
    for choice in choices:
        assert report(lake, choice)["overall"]["reformulation_rate"] == 1.0, choice
    assert report(lake)["overall"]["reformulation_rate"] == 0.5
    by_tag = report_by(lake, "tag")
    assert {tag: m["reformulation_rate"] for tag, m in by_tag["by_tag"].items()} == {
        "new": 1.0,
        "web": 1.0,
    }
    assert by_tag["untagged"]["reformulation_rate"] == 0.0
    by_class = report_by(lake, "class")["by_class"]
    assert {name: m["reformulation_rate"] for name, m in by_class.items()} == {
        "keyword": 1.0,
        "with_number": 0.0,
    }


def test_sessions_that_are_one_search_hold_no_reformulation(tmp_path: Path) -> None:
    alone = [
        {"session_id": f"search:{n}", "session_given": False, "timestamp": _at(n), "query": f"q{n}"}
        for n in range(3)
    ]
    by_user = [
        {"session_id": "user:u:0", "session_given": False, "timestamp": _at(n), "query": f"q{n}"}
        for n in range(2)
    ]
    found = report(lake_of(tmp_path / "alone", alone))["overall"]
    assert (found["sessions"], found["sessions_made_up"]) == (3, 3)
    assert found["reformulation_rate"] is None
    assert found["reasons"]["reformulation_rate"] == NO_SESSIONS_LOGGED
    found = report(lake_of(tmp_path / "both", [*alone, *by_user]))["overall"]
    assert (found["sessions_made_up"], found["reformulation_rate"]) == (4, 0.5)


def test_results_that_are_not_known_are_no_zero_results(tmp_path: Path) -> None:
    unknown = {"n_results": None, "retrieved_doc_ids": None}
    searches: list[dict[str, Any]] = [{"n_results": 0}, {}, {}, unknown]
    found = report(lake_of(tmp_path / "some", searches))["overall"]
    assert (found["zero_result_rate"], found["results_unknown"]) == (1 / 3, 1)
    found = report(lake_of(tmp_path / "none", [unknown]))["overall"]
    assert (found["zero_result_rate"], found["results_unknown"]) == (None, 1)
    assert found["reasons"]["zero_result_rate"] == RESULTS_UNKNOWN


def test_users_and_bots_are_counted(tmp_path: Path) -> None:
    names = [("u1", "s1"), ("u1", "s2"), ("u2", "bot"), (None, "bot"), (None, "s3")]
    searches = [{"user_id": user, "session_id": name} for user, name in names]
    lake = lake_of(tmp_path, [*searches, {"session_id": "bot", "model_version": "crawled"}])
    flag(lake, "bot")
    found = report(lake)
    assert (found["overall"]["users"], found["overall"]["searches_without_user"]) == (2, 3)
    assert (found["overall"]["searches"], found["overall"]["bot_searches"]) == (6, 3)
    assert found["by_model"]["crawled"]["users"] is None
    without = report(lake, without_bots=True)
    assert (without["overall"]["searches"], without["overall"]["bot_searches"]) == (3, 3)
    # A model that only bots saw does not vanish in silence.
    assert without["by_model"]["crawled"]["searches"] == 0
    assert without["by_model"]["crawled"]["bot_searches"] == 1
    assert without["by_model"]["crawled"]["reasons"]["ctr"] == "no_searches"


def test_all_are_bots(tmp_path: Path) -> None:
    lake = lake_of(tmp_path, [{"session_id": "bot"}, {"session_id": "bot", "model_version": "b"}])
    flag(lake, "bot")
    found = report(lake, without_bots=True)
    assert (found["overall"]["searches"], found["overall"]["bot_searches"]) == (0, 2)
    assert found["overall"]["ctr"] is None


def _random_rows(seed: int, n: int = 500) -> list[dict[str, Any]]:
    draw = random.Random(seed)
    rows = []
    for _ in range(n):
        rank = draw.choice([None, None, 1, 2, 3, 7, 12])
        row: dict[str, Any] = {} if rank is None else _clicked(rank)
        if rank is not None:
            row |= {"dwell_s": draw.choice([None, round(draw.expovariate(1 / 40), 1)])}
            row |= {"first_click_s": draw.choice([None, round(draw.expovariate(0.2), 1)])}
            row |= {"n_conversions": draw.choice([0, 0, 1])}
            if row["n_conversions"]:
                row["conversion_value"] = round(draw.uniform(-5, 100), 2)
        rows.append(
            row
            | {
                "timestamp": _at(draw.uniform(0, 600), day=draw.randint(1, 3)),
                "query": draw.choice(["sort a list", "Sort  a LIST", "how to sort", "7 zip", ""]),
                "session_id": f"s{draw.randint(1, 60)}",
                "user_id": draw.choice([None, "u1", "u2", "u3"]),
                "model_version": draw.choice(["a", "b c"]),
                "tags": draw.choice([None, [], ["x"], ["x", "y"]]),
                "n_results": draw.choice([None, 0, 5, 5, 5]),
            }
        )
    return rows


def _frame(rows: list[dict[str, Any]]) -> pd.DataFrame:
    """The rows with what pandas makes of them; `again` says whether they were reformulated."""
    frame = pd.DataFrame(rows)
    for name in ("n_clicks", "n_ranked_clicks", "n_top_clicks"):
        frame[name] = frame[name].fillna(0)
    frame["moment"] = pd.to_datetime(frame["timestamp"], utc=True, format="ISO8601")
    frame["asked"] = frame["query"].map(lambda query: " ".join(query.lower().split()))
    frame["key"] = range(len(frame))
    frame = frame.sort_values(["session_id", "moment", "key"])
    follows = frame.groupby("session_id")[["moment", "asked"]].shift(-1)
    gap = (follows["moment"] - frame["moment"]).dt.total_seconds()
    unclicked = (frame["n_clicks"] == 0) | (frame["first_click_s"] > gap)
    other = follows["asked"].notna() & (follows["asked"] != frame["asked"])
    frame["again"] = (gap <= 300) & other & unclicked
    return frame


def _expected(frame: pd.DataFrame) -> dict[str, Any]:
    n = len(frame)
    known = frame["n_results"].notna()
    dwell = frame["dwell_s"].dropna()
    at = {str(k): float((frame["best_click_rank"] <= k).sum() / n) for k in (1, 3, 5, 10)}
    return {
        "searches": n,
        "sessions": frame["session_id"].nunique(),
        "users": frame["user_id"].nunique(),
        "searches_without_user": int(frame["user_id"].isna().sum()),
        "ctr": float((frame["n_clicks"] > 0).mean()),
        "click_mrr": float((1 / frame["best_click_rank"]).fillna(0).mean()),
        "ctr_at": at,
        "zero_result_rate": float((frame["n_results"] == 0).sum() / known.sum()),
        "results_unknown": int((~known).sum()),
        "dwell_over_30_s": float((dwell > 30).mean()),
        "median_dwell_s": float(dwell.median()),
        "median_first_click_s": float(frame["first_click_s"].median()),
        "conversion_rate": float((frame["n_conversions"] > 0).sum() / n),
        "conversion_value": float(frame["conversion_value"].sum()),
        "conversion_value_per_search": float(frame["conversion_value"].sum() / n),
        "reformulation_rate": float(frame["again"].mean()),
    }


def _is_close(found: dict[str, Any], expected: dict[str, Any]) -> None:
    for name, value in expected.items():
        assert found[name] == pytest.approx(value), name


@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_random_lakes_against_pandas(tmp_path: Path, seed: int) -> None:
    rows = _random_rows(seed)
    lake, frame = lake_of(tmp_path, rows), _frame(rows)
    found = report_by(lake, "tag")
    _is_close(found["overall"], _expected(frame))
    for model, metrics in found["by_model"].items():
        _is_close(metrics, _expected(frame[frame["model_version"] == model]))
    tagged = frame["tags"].map(lambda tags: tags or [])
    for tag, metrics in found["by_tag"].items():
        _is_close(metrics, _expected(frame[tagged.map(lambda tags, tag=tag: tag in tags)]))
    _is_close(found["untagged"], _expected(frame[tagged.map(len) == 0]))
    tokyo = frame["moment"].dt.tz_convert("Asia/Tokyo").dt.strftime("%Y-%m-%d")
    by_day = report_by(lake, "day", zone="Asia/Tokyo")["by_day"]
    assert sorted(by_day) == sorted(tokyo.unique())
    for day, metrics in by_day.items():
        _is_close(metrics, _expected(frame[tokyo == day]))


@pytest.mark.parametrize("by", ["hour", "class"])
def test_what_adds_up_adds_up(tmp_path: Path, by: By) -> None:
    rows = _random_rows(3, 300)
    clicks = [
        {"search_key": n, "timestamp": row["timestamp"], "model_version": row["model_version"],
         "rank": row["best_click_rank"]}
        for n, row in enumerate(rows) if row.get("best_click_rank")
    ]  # fmt: skip
    lake = lake_of(tmp_path, rows, clicks)
    for choice in (Choice(zone="Asia/Kolkata"), Choice(model="a", tag="y")):
        found = report_by(lake, by, choice)
        parts, whole = found[f"by_{by}"].values(), found["overall"]
        for name in ("searches", "clicks", "results_unknown", "searches_without_user"):
            assert sum(part[name] for part in parts) == whole[name], (choice, name)
        assert whole["clicks"] > 0
        clicked = math.fsum(part["ctr"] * part["searches"] for part in parts)
        assert clicked == pytest.approx(whole["ctr"] * whole["searches"])
        by_rank = [sum(part["clicks_by_rank"].get("1", 0) for part in parts)]
        assert by_rank == [whole["clicks_by_rank"]["1"]]
        value = math.fsum(part["conversion_value"] or 0 for part in parts)
        assert value == pytest.approx(whole["conversion_value"] or 0)
        again = math.fsum(part["reformulation_rate"] * part["searches"] for part in parts)
        assert again == pytest.approx(whole["reformulation_rate"] * whole["searches"])


def test_daily_does_not_look_for_reformulations(tmp_path: Path) -> None:
    (row,) = daily(lake_of(tmp_path, [{}]))
    assert row.metrics.estimates["reformulation_rate"].reason == "not_asked"
