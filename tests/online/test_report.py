"""From log lines to rates: by hand, against a plain computation, and for no events."""

import json
import random
from collections import defaultdict
from datetime import UTC, date, datetime, timedelta
from math import fsum
from pathlib import Path
from typing import Any

import pytest

from online import OnlineError, SearchEvent, compute_online_metrics
from online.engines import Choice
from online.ingest import import_events
from online.lake import Lake
from online.report import daily, report, report_on, span

BY_HAND = [("A", "s1", 1), ("A", "s1", None), ("B", "s2", 2), ("B", "s2", 4), ("B", "s3", 0)]
"""Model, session, and the rank of the click; None is no click, 0 a click without a rank."""


def _line(n: int, model: str, session: str, rank: int | None, day: int = 1) -> dict[str, Any]:
    documents = [f"d{place}" for place in range(1, 11)]
    return {
        "timestamp": (datetime(2026, 11, day, tzinfo=UTC) + timedelta(seconds=n)).isoformat(),
        "query": f"query {n}",
        "session_id": session,
        "model_version": model,
        "retrieved_doc_ids": documents,
        "clicked_doc_id": None if rank is None else documents[max(rank, 1) - 1],
        "click_rank": rank or None,
    }


def _lake(folder: Path, lines: list[dict[str, Any]]) -> Lake:
    log = folder / "log.jsonl"
    log.write_text("".join(json.dumps(line) + "\n" for line in lines))
    lake = Lake(folder / "events")
    tally = import_events(lake, log, quarantine_folder=folder / "quarantine")
    assert tally.accepted == len(lines)
    return lake


def test_click_metrics_by_hand(tmp_path: Path) -> None:
    # CTR: 4 of 5 searches clicked. MRR: A (1 + 0) / 2 = .5; B (1/2 + 1/4 + 0) / 3 = .25;
    # all (1 + 0 + 1/2 + 1/4 + 0) / 5 = .35.
    lake = _lake(tmp_path, [_line(n, *event) for n, event in enumerate(BY_HAND)])
    found = report(lake)
    overall = found["overall"]
    assert (overall["searches"], overall["sessions"]) == (5, 3)
    assert (overall["ctr"], overall["click_mrr"], overall["no_click_rate"]) == (0.8, 0.35, 0.2)
    assert overall["clicks_by_rank"] == {"1": 1, "2": 1, "4": 1}
    assert overall["clicks_at_1_2"] == pytest.approx(2 / 3)
    assert overall["zero_result_rate"] == 0.0
    assert set(overall["reasons"].values()) == {"not_logged"}
    assert set(overall["reasons"]) == {
        "median_dwell_s", "dwell_over_30_s", "median_first_click_s", "users",
        "conversion_rate", "conversion_value", "conversion_value_per_search",
    }  # fmt: skip
    assert (found["by_model"]["A"]["ctr"], found["by_model"]["A"]["click_mrr"]) == (0.5, 0.5)
    assert (found["by_model"]["B"]["ctr"], found["by_model"]["B"]["click_mrr"]) == (1.0, 0.25)


def test_the_notebook_gives_what_the_lake_gives() -> None:
    events = [SearchEvent(**_line(n, *event)) for n, event in enumerate(BY_HAND)]
    assert compute_online_metrics(events) == {
        "overall": {"ctr": 0.8, "mrr": 0.35},
        "by_model": {
            "A": {"ctr": 0.5, "mrr": 0.5, "n_queries": 2},
            "B": {"ctr": 1.0, "mrr": 0.25, "n_queries": 3},
        },
    }
    assert compute_online_metrics([]) == {}


def _random_lines() -> list[dict[str, Any]]:
    draw = random.Random(3)
    lines = []
    for n in range(600):
        rank = draw.choice([None, None, 0, 1, 1, 2, 3, 7])
        model = f"m{draw.randint(1, 3)}"
        lines.append(_line(n, model, f"s{draw.randint(1, 90)}", rank, day=draw.randint(1, 4)))
    return lines


def test_a_random_log_against_a_plain_computation(tmp_path: Path) -> None:
    lines = _random_lines()
    found = report(_lake(tmp_path, lines))
    for name, metrics in [("", found["overall"]), *found["by_model"].items()]:
        chosen = [line for line in lines if name in ("", line["model_version"])]
        ranks = [line["click_rank"] for line in chosen if line["click_rank"]]
        clicked = [line for line in chosen if line["clicked_doc_id"]]
        assert metrics["searches"] == len(chosen)
        assert metrics["sessions"] == len({line["session_id"] for line in chosen})
        assert metrics["ctr"] == pytest.approx(len(clicked) / len(chosen))
        assert metrics["click_mrr"] == pytest.approx(fsum(1 / r for r in ranks) / len(chosen))
        assert metrics["clicks_without_rank"] == len(clicked) - len(ranks)
        assert metrics["intervals"]["click_mrr"] == pytest.approx(_mrr_interval(chosen), abs=1e-6)


def _mrr_interval(chosen: list[dict[str, Any]]) -> tuple[float, float]:
    """The delta method over sessions as residuals, without any shortcut by sums of squares."""
    from scipy.stats import t

    sessions: dict[str, list[float]] = defaultdict(list)
    for line in chosen:
        sessions[line["session_id"]].append(1 / line["click_rank"] if line["click_rank"] else 0.0)
    n, k = len(chosen), len(sessions)
    mean = fsum(value for session in sessions.values() for value in session) / n
    squares = fsum((fsum(session) - mean * len(session)) ** 2 for session in sessions.values())
    half = t.ppf(0.975, k - 1) * (k / (k - 1) * squares) ** 0.5 / n
    return mean - half, mean + half


def test_days_and_models_are_chosen(tmp_path: Path) -> None:
    lines = _random_lines()
    lake = _lake(tmp_path, lines)
    second = [line for line in lines if line["timestamp"].startswith("2026-11-02")]
    chosen = report(lake, start=date(2026, 11, 2), end=date(2026, 11, 2), model="m1")
    assert list(chosen["by_model"]) == ["m1"]
    expected = sum(line["model_version"] == "m1" for line in second)
    assert chosen["overall"]["searches"] == expected
    rows = daily(lake, start=date(2026, 11, 2), end=date(2026, 11, 3))
    assert [(row.day.day, row.model_version) for row in rows] == [
        (day, f"m{model}") for day in (2, 3) for model in (1, 2, 3)
    ]
    of_second = sum(row.metrics.searches for row in rows if row.day.day == 2)
    assert of_second == len(second)
    whole = span(lake)
    assert (whole.first_day, whole.last_day) == (date(2026, 11, 1), date(2026, 11, 4))
    assert (whole.model_versions, whole.searches) == (("m1", "m2", "m3"), 600)


def test_an_empty_lake_has_0_searches_and_reasons(tmp_path: Path) -> None:
    found = report(Lake(tmp_path / "events"))
    assert found["by_model"] == {}
    assert found["overall"]["searches"] == 0
    assert found["overall"]["ctr"] is None
    assert found["overall"]["reasons"]["ctr"] == "no_searches"
    assert daily(Lake(tmp_path / "events")) == []
    assert span(Lake(tmp_path / "events")).first_day is None


def test_dwell_and_conversions_where_a_log_has_them(tmp_path: Path) -> None:
    """No shape of log brings them in yet; the queries and formulas wait for it."""
    # Per model: dwell 2, 4, 9 has the median 4, and 2, 4 has 3; one of three searches converted.
    searches = [
        (f"s{n}", model, int(n == 0), dwell)
        for model, dwells in (("a", (2.0, 4.0, 9.0)), ("b", (2.0, 4.0, None)))
        for n, dwell in enumerate(dwells)
    ]
    with Lake(tmp_path / "events").connect() as connection:
        connection.executemany(
            "INSERT INTO searches (session_id, model_version, n_conversions, dwell_s, n_clicks, "
            "n_ranked_clicks, n_top_clicks, n_results) VALUES (?, ?, ?, ?, 1, 0, 0, 1)",
            searches,
        )
        found = report_on(connection, Choice())
    assert found["by_model"]["a"]["median_dwell_s"] == 4.0
    assert found["by_model"]["b"]["median_dwell_s"] == 3.0
    assert found["overall"]["median_dwell_s"] == 4.0  # of 2, 2, 4, 4, 9
    assert found["overall"]["conversion_rate"] == pytest.approx(1 / 3)
    assert found["overall"]["sessions"] == 3  # each of them saw both models
    assert found["by_model"]["a"]["sessions"] == 3
    assert found["overall"]["reasons"] == {
        "clicks_at_1_2": "no_ranked_clicks",
        "median_first_click_s": "not_logged",
        "conversion_value": "not_logged",
        "conversion_value_per_search": "not_logged",
        "users": "not_logged",
    }


def test_days_in_the_wrong_order_are_refused(tmp_path: Path) -> None:
    with pytest.raises(OnlineError, match="is after the last"):
        report(Lake(tmp_path), start=date(2026, 11, 2), end=date(2026, 11, 1))
