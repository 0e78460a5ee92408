"""The click model against its own formula, and the log against what a log must be."""

import random
from collections import Counter
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from math import prod, sqrt
from typing import Any

import pytest

from builder.demo.clicks import (
    HOURS,
    LONGEST_PAUSE,
    SESSION_LENGTHS,
    PositionBasedModel,
    Traffic,
    simulate_log,
)
from evals.records import Query

LAST_DAY = date(2026, 11, 29)
DOCS = [f"d{rank}" for rank in range(1, 13)]
QUERIES = [Query(f"q{n}", f"query {n}") for n in range(1, 6)]
RANKINGS = {
    "one": {query.query_id: DOCS for query in QUERIES},
    "two": {query.query_id: DOCS[::-1] for query in QUERIES[:4]},  # finds nothing for q5
}
GRADES = [3, 0, 2, 0, 1, 0, 0, 2, 0, 0, 0, 3]
QRELS = {query.query_id: dict(zip(DOCS, GRADES, strict=True)) for query in QUERIES}
TRAFFIC = Traffic(LAST_DAY, searches=5_000)


def near(share: float, expected: float, n: int) -> bool:
    """Within 4 standard errors of a binomial share: 6 in 100,000 are not."""
    return abs(share - expected) < 4 * sqrt(expected * (1 - expected) / n)


def a_log(traffic: Traffic = TRAFFIC, **other: Any) -> list[dict[str, Any]]:
    return list(simulate_log(RANKINGS, QUERIES, QRELS, traffic, **other))


@pytest.mark.parametrize(("rank", "looked_at"), [(1, 1.0), (2, 0.5), (4, 0.25), (10, 0.1)])
def test_attention_falls_as_one_over_the_rank(rank: int, looked_at: float) -> None:
    assert PositionBasedModel().examination(rank) == pytest.approx(looked_at)
    assert PositionBasedModel(eta=0).examination(rank) == 1


@pytest.mark.parametrize(
    # .1, .1 + .9 * 1/7, .1 + .9 * 3/7, .1 + .9
    ("grade", "liked"),
    [(0, 0.1), (1, 0.2285714), (2, 0.4857143), (3, 1.0)],
)
def test_the_better_the_grade_the_likelier_the_click(grade: int, liked: float) -> None:
    assert PositionBasedModel().attractiveness(grade) == pytest.approx(liked)


def test_clicks_at_each_rank_as_the_model_says() -> None:
    model, rng, n = PositionBasedModel(), random.Random(7), 20_000
    clicks = Counter(rank for _ in range(n) for rank in model.clicked_ranks([2] * 10, rng))
    for rank in range(1, 11):
        assert near(clicks[rank] / n, (0.1 + 0.9 * 3 / 7) / rank, n)


def test_the_log_keeps_the_best_ranked_click() -> None:
    # Among searches without a click above rank r, the share clicked at r is p_r: ranks are
    # independent. All documents have grade 2, so p_r = .4857 / r.
    qrels = {query.query_id: dict.fromkeys(DOCS, 2) for query in QUERIES}
    rankings = {"one": RANKINGS["one"]}
    traffic = replace(TRAFFIC, searches=20_000)
    ranks = [event["click_rank"] for event in simulate_log(rankings, QUERIES, qrels, traffic)]
    for rank in range(1, 11):
        not_above = [clicked for clicked in ranks if clicked is None or clicked >= rank]
        share = not_above.count(rank) / len(not_above)
        assert near(share, (0.1 + 0.9 * 3 / 7) / rank, len(not_above))


def test_click_through_rate_of_a_list_with_grades() -> None:
    # 1 - prod(1 - p_r). A grade 3 at rank 1 is always clicked, which tests little: none is there.
    qrels = {query_id: {**grades, "d1": 0, "d12": 0} for query_id, grades in QRELS.items()}
    traffic = replace(TRAFFIC, searches=20_000)
    liked = {0: 0.1, 1: 0.1 + 0.9 / 7, 2: 0.1 + 2.7 / 7}
    for version, shown in (("one", DOCS[:10]), ("two", DOCS[:1:-1])):
        rankings = {version: dict.fromkeys(qrels, shown)}
        grades = [qrels["q1"][doc_id] for doc_id in shown]
        missed = prod(1 - liked[grade] / rank for rank, grade in enumerate(grades, start=1))
        events = list(simulate_log(rankings, QUERIES, qrels, traffic))
        clicked = sum(event["click_rank"] is not None for event in events)
        assert near(clicked / len(events), 1 - missed, len(events))


def test_unjudged_documents_attract_as_grade_0() -> None:
    zeros = {query.query_id: dict.fromkeys(DOCS, 0) for query in QUERIES}
    judged = list(simulate_log(RANKINGS, QUERIES, zeros, TRAFFIC))
    assert list(simulate_log(RANKINGS, QUERIES, {}, TRAFFIC)) == judged


def test_the_same_seed_gives_the_same_log_in_whatever_order() -> None:
    turned = simulate_log(
        {
            version: dict(reversed(rankings.items()))
            for version, rankings in reversed(RANKINGS.items())
        },
        QUERIES[::-1],
        {query_id: dict(reversed(QRELS[query_id].items())) for query_id in reversed(QRELS)},
        TRAFFIC,
    )
    assert list(turned) == a_log()
    assert a_log(replace(TRAFFIC, seed=1)) != a_log()


def test_an_event_has_the_native_shape() -> None:
    event = next(event for event in a_log() if "clicks" in event)
    assert list(event) == [
        "timestamp",
        "query",
        "session_id",
        "model_version",
        "retrieved_doc_ids",
        "clicked_doc_id",
        "click_rank",
        "clicks",
    ]
    assert datetime.fromisoformat(event["timestamp"]).tzinfo == UTC


def test_clicks_lie_in_the_list_at_their_rank() -> None:
    clicked = [event for event in a_log() if event["click_rank"] is not None]
    assert clicked
    for event in clicked:
        first = {"doc_id": event["clicked_doc_id"], "rank": event["click_rank"]}
        clicks = [first, *event.get("clicks", ())]
        for click in clicks:
            assert event["retrieved_doc_ids"][click["rank"] - 1] == click["doc_id"]
        assert [click["rank"] for click in clicks] == sorted({click["rank"] for click in clicks})
    assert all(event["clicked_doc_id"] is None for event in a_log() if event["click_rank"] is None)


def test_ten_results_are_shown_and_none_where_none_were_found() -> None:
    shown = {
        (event["model_version"], event["query"]): event["retrieved_doc_ids"] for event in a_log()
    }
    assert shown["one", "query 1"] == DOCS[:10]
    assert shown["two", "query 5"] == []


def test_as_many_searches_as_asked_for_on_the_days_asked_for() -> None:
    log = a_log(replace(TRAFFIC, days=14))
    days = {datetime.fromisoformat(event["timestamp"]).date() for event in log}
    assert len(log) == 5_000
    assert days == {LAST_DAY - timedelta(days=ago) for ago in range(14)}
    assert [event["timestamp"] for event in log] == sorted(event["timestamp"] for event in log)


def test_work_days_and_working_hours_are_busy() -> None:
    moments = [datetime.fromisoformat(event["timestamp"]) for event in a_log()]
    by_day = Counter(moment.weekday() for moment in moments)
    by_hour = Counter(moment.hour for moment in moments)
    assert min(by_day[day] for day in range(5)) > 1.5 * max(by_day[5], by_day[6])
    assert by_hour[14] > 10 * by_hour[3]


def test_sessions_meet_one_model_and_end_on_their_day() -> None:
    sessions: dict[str, list[dict[str, Any]]] = {}
    for event in a_log():
        sessions.setdefault(event["session_id"], []).append(event)
    versions: Counter[str] = Counter()
    for events in sessions.values():
        assert len({event["model_version"] for event in events}) == 1
        assert len({event["timestamp"][:10] for event in events}) == 1
        versions[events[0]["model_version"]] += 1
    assert near(versions["one"] / len(sessions), 0.5, len(sessions))
    lengths = Counter(len(events) for events in sessions.values())
    for length, share in SESSION_LENGTHS.items():
        assert near(lengths[length] / len(sessions), share, len(sessions))


def test_no_session_can_reach_the_next_day() -> None:
    last = max(hour for hour, weight in enumerate(HOURS) if weight)
    assert (last + 1) * 3600 + (max(SESSION_LENGTHS) - 1) * LONGEST_PAUSE < 24 * 3600


def test_popularity_falls_as_zipf_says() -> None:
    log = a_log(replace(TRAFFIC, searches=20_000, zipf=1.0))
    searched = [n for _, n in Counter(event["query"] for event in log).most_common()]
    # 1, 1/2 … 1/5, together 137/60
    for place, n in enumerate(searched, start=1):
        assert near(n / len(log), 60 / 137 / place, len(log))


def test_other_queries_are_the_long_tail() -> None:
    others = [Query(f"x{n}", f"other {n}") for n in range(20)]
    log = simulate_log(RANKINGS, QUERIES, QRELS, replace(TRAFFIC, searches=20_000), others=others)
    searched = Counter(event["query"] for event in log)
    # One in four of the popular ones, then all the others, in their order.
    places = [text for text, _ in searched.most_common(6)]
    assert places.index("other 0") == 3
    weights = [place**-0.8 for place in range(1, 26)]
    for text, place in (("other 0", 4), ("other 1", 7), ("other 19", 25)):
        assert near(searched[text] / 20_000, weights[place - 1] / sum(weights), 20_000)


def test_a_query_is_typed_in_several_ways() -> None:
    log = a_log(replace(TRAFFIC, searches=20_000, other_spellings=0.2))
    typed = Counter(event["query"] for event in log)
    plain = {query.text for query in QUERIES}
    otherwise = sum(n for text, n in typed.items() if text not in plain)
    # One of them, str.title of "query 1", is what a capital at the beginning gives.
    assert near(otherwise / 20_000, 0.2, 20_000)
    assert {"Query 1", "query 1 ", "query  1", "QUERY 1"} <= set(typed)
    assert {" ".join(text.lower().split()) for text in typed} == plain


@pytest.mark.parametrize("absent", ["rankings", "queries", "days"])
def test_a_log_of_nothing_is_refused(absent: str) -> None:
    rankings = {} if absent == "rankings" else RANKINGS
    queries = [] if absent == "queries" else QUERIES
    traffic = replace(TRAFFIC, days=0) if absent == "days" else TRAFFIC
    with pytest.raises(ValueError, match="needs a model version, a query and a day"):
        simulate_log(rankings, queries, QRELS, traffic)
