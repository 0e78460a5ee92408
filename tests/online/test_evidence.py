"""Click evidence: counts against brute force, and by hand; what is left out; where it is kept."""

import json
import math
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from online.engines import Choice
from online.events import OnlineError
from online.evidence import Evidence, PairEvidence, find_evidence, is_evidence_kept, preferences
from online.kept import sweep_kept
from online.lake import Lake
from tests.online.evidence_oracle import COUNTS, Oracle, random_log
from tests.online.logs import flag, lake_of


def evidence_of(folder: Path, *args: Any, choice: Choice | None = None) -> Evidence:
    """The evidence of a lake of these searches and interactions."""
    folder.mkdir(exist_ok=True)
    return find_evidence(lake_of(folder, *args), folder / "cache", choice or Choice())


def all_pairs(evidence: Evidence) -> dict[tuple[str, str], PairEvidence]:
    found = evidence.first("query", 10_000)
    assert len(found) == evidence.summary.pairs
    return {(pair.query, pair.doc_id): pair for pair in found}


@pytest.mark.parametrize("seed", range(6))
def test_all_counts_are_those_of_brute_force(tmp_path: Path, seed: int) -> None:
    log = random_log(seed, own_texts=seed % 2 == 1)
    model = "bm25" if seed > 3 else None
    lake = lake_of(tmp_path, *log)
    evidence = find_evidence(lake, tmp_path / "cache", Choice(model=model))
    oracle = Oracle(*log, model=model)
    found = all_pairs(evidence)
    assert {key: {name: getattr(pair, name) for name in COUNTS} for key, pair in found.items()} == {
        key: {name: pair[name] for name in COUNTS} for key, pair in oracle.pairs.items()
    }
    summary = evidence.summary
    assert summary.looked_down_to == oracle.depth
    assert {row.rank: (row.impressions, row.clicks, row.parts) for row in summary.rank_ctr} == {
        rank: (n, oracle.clicks_at[rank], oracle.parts(rank)) for rank, n in oracle.ranks.items()
    }
    assert {name: getattr(summary, name) for name in LEFT_OUT} == {
        name: oracle.left_out[name] for name in LEFT_OUT
    }
    for key, pair in found.items():
        assert pair.expected_clicks == oracle.pairs[key]["parts"] / 10**9
    compare_preferences(lake, oracle, model)


LEFT_OUT = (
    "searches_without_results", "unknown_slots", "off_list_clicks", "clicks_without_rank",
    "clicks_without_document", "impressions_without_rank", "unjoined_clicks",
    "unjoined_impressions",
)  # fmt: skip


def compare_preferences(lake: Any, oracle: Oracle, model: str | None) -> None:
    found = preferences(lake, Choice(model=model))
    assert {(one.query, one.preferred, one.over): one.times for one in found} == dict(
        oracle.preferences
    )


def searched(key: int, query: str = "tea", **changes: Any) -> dict[str, Any]:
    """A search of a session of its own that found d1 to d5."""
    return {"search_key": key, "query": query, "session_id": f"s{key}"} | changes


def click_on(key: int, place: int, **changes: Any) -> dict[str, Any]:
    """A click on the document at a place of d1 to d5."""
    return {
        "search_key": key, "session_id": f"s{key}", "doc_id": f"d{place}", "rank": place,
        "position": place,
    } | changes  # fmt: skip


def test_coec_by_hand(tmp_path: Path) -> None:
    """Six searches: "tea" found d1 d2 four times, "coffee" d2 d1 twice; d1 was always clicked.

    Rank 1 has 6 impressions and 4 clicks, rank 2 has 6 and 2; each rank's band (1; 2-3) is itself,
    so smoothing changes nothing: CTR 2/3 and 1/3, in parts of 1e-9 666,666,666 and 333,333,333.
    "coffee" d1 stood at rank 2 twice: expected 2/3, clicks 2, COEC 3. "tea" d1 stood at rank 1 four
    times: expected 8/3, clicks 4, COEC 1.5. Of fewer than 30 pairs the prior weighs 10 expected
    clicks: (2 + 10) / (2/3 + 10) = 1.125 and (4 + 10) / (8/3 + 10) = 1.1053.
    """
    tea = [searched(key, retrieved_doc_ids=["d1", "d2"], n_clicks=1, n_ranked_clicks=1,
                    best_click_position=1) for key in range(4)]  # fmt: skip
    coffee = [searched(key, "coffee", retrieved_doc_ids=["d2", "d1"], n_clicks=1,
                       n_ranked_clicks=1, best_click_position=2) for key in (4, 5)]  # fmt: skip
    evidence = evidence_of(tmp_path, [*tea, *coffee])
    by_rank = {row.rank: row for row in evidence.summary.rank_ctr}
    assert [by_rank[1].parts, by_rank[2].parts] == [666_666_666, 333_333_333]
    pairs = all_pairs(evidence)
    deep, top = pairs["coffee", "d1"], pairs["tea", "d1"]
    assert (deep.expected_clicks, top.expected_clicks) == (2 * 0.333333333, 4 * 0.666666666)
    assert deep.shown_clicks / deep.expected_clicks == pytest.approx(3)
    assert evidence.summary.priors.coec.reason == "few_pairs"
    assert deep.coec.value == pytest.approx(1.125)
    assert top.coec.value == pytest.approx(14 / (8 / 3 + 10))
    assert (deep.mean_rank, top.mean_rank) == (2, 1)
    never = pairs["tea", "d2"]
    assert (never.skipped, never.examined, never.satisfaction.reason) == (0, 0, "never_clicked")
    assert never.sdbn.reason == "never_examined"
    assert pairs["coffee", "d2"].skipped == 2


def test_where_nothing_is_ever_clicked_coec_knows_nothing(tmp_path: Path) -> None:
    # Ranks 1 to 3 are clicked, 4 and 5 are a band that never is: d4 was shown 40 times for nothing.
    searches = [
        searched(key, n_clicks=1, n_ranked_clicks=1, best_click_position=1 + key % 3)
        for key in range(40)
    ]
    evidence = evidence_of(tmp_path, searches)
    deep = all_pairs(evidence)["tea", "d4"]
    assert (deep.impressions, deep.expected_clicks) == (40, 0)
    assert (deep.coec.value, deep.coec.reason) == (None, "never_examined")
    assert deep.ctr.value is not None
    assert [pair.doc_id for pair in evidence.first("coec", 9)][3:] == ["d4", "d5"]
    assert np.isfinite(evidence.columns().coec).sum() == 3


def test_two_clicks_on_one_document_in_one_search_count_once(tmp_path: Path) -> None:
    search = searched(0, n_clicks=3, n_ranked_clicks=3, best_click_position=2)
    evidence = evidence_of(tmp_path, [search], [click_on(0, 2)] * 2 + [click_on(0, 4)])
    pair = all_pairs(evidence)["tea", "d2"]
    assert (pair.impressions, pair.clicks, pair.click_events) == (1, 1, 2)
    assert (pair.last_clicks, pair.ctr.n, pair.coec.reason) == (0, 1, None)
    summary = evidence.summary
    assert (summary.more_clicks_than_impressions, summary.not_capped) == (1, 0)


def test_more_searches_with_a_click_than_impressions_have_no_estimates(tmp_path: Path) -> None:
    searches = [searched(0), searched(1, retrieved_doc_ids=["d1"]), searched(2)]
    clicked = [row | {"n_clicks": 1, "n_ranked_clicks": 1} for row in searches]
    seen = {"search_key": 2, "kind": "impression", "doc_id": "d1", "rank": 1, "position": 1}
    off = [click_on(1, 2, position=None), click_on(2, 2), click_on(0, 2)]
    clicked[0]["best_click_position"] = 2
    clicked[2]["best_click_position"] = 2  # in its list, but it logged what it showed: d1
    evidence = evidence_of(tmp_path, clicked, [*off, seen, click_on(1, 7, position=None)])
    pairs = all_pairs(evidence)
    more = pairs["tea", "d2"]
    assert (more.impressions, more.clicks, more.shown_clicks) == (1, 3, 1)
    assert {more.ctr.reason, more.coec.reason, more.sdbn.reason, more.satisfaction.reason} == {
        "more_clicks_than_impressions"
    }
    assert more.coec.value is None
    assert pairs["tea", "d7"].coec.reason == "never_shown"
    summary = evidence.summary
    assert (summary.not_capped, summary.never_shown, summary.off_list_clicks) == (2, 1, 3)
    assert pairs["tea", "d1"].ctr.value is not None


def test_sessions_count_once_however_often_they_search(tmp_path: Path) -> None:
    other = ["d1", "d9"]
    searches = [
        searched(0, session_id="s"),
        searched(1, "  TEA", session_id="s", retrieved_doc_ids=other, n_clicks=1,
                 n_ranked_clicks=1, best_click_position=1),
        searched(2, "Tea", session_id="s", n_clicks=1, n_ranked_clicks=1, best_click_position=1),
        searched(3, session_id="t"),
    ]  # fmt: skip
    pairs = all_pairs(evidence_of(tmp_path, searches))
    first = pairs["tea", "d1"]
    assert (first.impressions, first.sessions, first.clicks, first.clicked_sessions) == (4, 2, 2, 1)
    assert (pairs["tea", "d9"].sessions, pairs["tea", "d2"].sessions) == (1, 2)


def test_pairs_are_found_in_any_spelling_and_any_order(tmp_path: Path) -> None:
    searches = [
        searched(key, "Green  Tea", n_clicks=1, n_ranked_clicks=1, best_click_position=place)
        for key, place in enumerate([1, 1, 3])
    ]
    evidence = evidence_of(tmp_path, [*searches, searched(9, "coffee")])
    found = evidence.of_texts(["GREEN TEA", "green tea ", "water"])
    assert [pair.doc_id for pair in found["GREEN TEA"]] == ["d1", "d3", "d2", "d4", "d5"]
    assert (found["green tea "], found["water"]) == (found["GREEN TEA"], [])
    best = evidence.first("coec", 2)
    assert [(pair.query, pair.doc_id) for pair in best] == [
        ("green tea", "d3"),
        ("green tea", "d1"),
    ]
    assert [pair.query for pair in evidence.first("query", 1)] == ["coffee"]
    assert len(evidence.first("sdbn", 100, text="EEN  t")) == 5
    assert evidence.first("clicks", 100, text="water") == []
    assert (evidence.count(), evidence.count(3), evidence.count(1, 3)) == (10, 5, 5)
    with pytest.raises(ValueError, match="no order 'luck'"):
        evidence.first("luck", 1)  # type: ignore[arg-type]


def test_columns_are_the_pairs(tmp_path: Path) -> None:
    searches, interactions = random_log(2, own_texts=False)
    evidence = evidence_of(tmp_path, searches, interactions)
    columns = evidence.columns(names=True)
    assert columns.query is not None
    assert columns.doc_id is not None
    pairs = all_pairs(evidence)
    assert len(columns) == len(pairs)
    for place, key in enumerate(zip(columns.query, columns.doc_id, strict=True)):
        pair = pairs[key]
        assert [getattr(columns, name)[place] for name in COUNTS] == [
            getattr(pair, name) for name in COUNTS
        ]
        for measure in ("ctr", "coec", "sdbn", "satisfaction"):
            value = getattr(pair, measure).value
            told = getattr(columns, measure)[place]
            assert told == pytest.approx(value) if value is not None else math.isnan(told)
        assert columns.sound[place] == (pair.clicks <= pair.impressions)
    some = evidence.columns(["TEA"], min_impressions=3)
    assert 0 < len(some) == sum(p.query == "tea" and p.impressions >= 3 for p in pairs.values())


def test_a_choice_counts_its_searches_alone(tmp_path: Path) -> None:
    searches = [
        searched(0, tags=["shop"]), searched(1, model_version="e5"), searched(2, "how to sort"),
        searched(3, timestamp="2026-12-01T12:00:00Z"),
    ]  # fmt: skip
    lake = lake_of(tmp_path, searches)

    def shown(**choice: Any) -> int:
        return find_evidence(lake, tmp_path / "cache", Choice(**choice)).summary.impressions

    assert (shown(), shown(tag="shop"), shown(model="e5")) == (20, 5, 5)
    assert shown(query_class="question") == 5
    assert shown(end=date(2026, 11, 30)) == 15


def test_searches_of_flagged_sessions_are_told_be_they_left_out_or_not(tmp_path: Path) -> None:
    sessions = ["ann", "bot", "bot", "script", "ann"]
    searches = [searched(n, session_id=name) for n, name in enumerate(sessions)]
    # A search that an event tells by its own query counts as one of its session's.
    typed = {
        "search_id": "x", "search_key": 1, "doc_id": "d2", "rank": 2, "session_id": "bot",
        "extra": '{"user_query": "how to sort"}',
    }  # fmt: skip
    lake = lake_of(tmp_path, searches, [typed])
    assert told(find_evidence(lake, tmp_path)) == (6, 0, False)
    flag(lake, "bot", "script")
    assert told(find_evidence(lake, tmp_path)) == (6, 4, False)
    assert not is_evidence_kept(lake, tmp_path, Choice(without_bots=True))
    without = find_evidence(lake, tmp_path, Choice(without_bots=True))
    assert told(without) == (2, 4, True)
    assert without.summary.impressions == 10
    assert is_evidence_kept(lake, tmp_path, Choice(without_bots=True))
    asked = Choice(query_class="question", without_bots=True)
    assert told(find_evidence(lake, tmp_path, asked)) == (0, 1, True)


def told(evidence: Evidence) -> tuple[int, int, bool]:
    summary = evidence.summary
    return summary.searches, summary.flagged_searches, summary.flagged_left_out


def test_an_empty_lake_has_no_evidence(tmp_path: Path) -> None:
    evidence = find_evidence(Lake(tmp_path / "events"), tmp_path / "cache")
    assert (evidence.summary.pairs, evidence.summary.searches, evidence.count()) == (0, 0, 0)
    assert evidence.of_texts(["tea"]) == {"tea": []}
    assert len(evidence.columns()) == 0
    json.dumps(evidence.summary.as_json(), allow_nan=False)
    assert preferences(Lake(tmp_path / "events")) == []


def test_evidence_is_kept_until_the_lake_changes(tmp_path: Path) -> None:
    lake = lake_of(tmp_path, [searched(0)])
    steps: list[str] = []
    first = find_evidence(lake, tmp_path, progress=lambda *told: steps.append(told[0]))
    assert len(steps) == len(set(steps)) == 6
    again = find_evidence(lake, tmp_path, progress=lambda *_: pytest.fail("counted again"))
    assert again.file == first.file
    assert again.summary == first.summary
    first.file.write_bytes(first.file.read_bytes()[:-9])
    assert find_evidence(lake, tmp_path).count() == 5
    with lake.writing() as writing:
        writing.commit()
    sweep_kept(tmp_path, lake)
    with pytest.raises(OnlineError, match="changed since"):
        again.count()


def test_counting_can_be_cancelled_and_leaves_nothing(tmp_path: Path) -> None:
    lake = lake_of(tmp_path, [searched(0)])

    def cancel(*told: Any) -> None:
        if told[1] == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        find_evidence(lake, tmp_path, progress=cancel)
    assert list((tmp_path / "online").iterdir()) == []


def test_evidence_of_a_lake_that_changes_meanwhile_is_not_found_again(tmp_path: Path) -> None:
    lake = lake_of(tmp_path, [searched(0)])

    def change(*told: Any) -> None:
        if told[1] == 5:
            with lake.writing() as writing:
                writing.commit()

    found = find_evidence(lake, tmp_path, progress=change)
    assert found.count() == 5
    assert find_evidence(lake, tmp_path).file != found.file


def test_preferences_of_some_queries(tmp_path: Path) -> None:
    def clicked_at(key: int, query: str, place: int) -> dict[str, Any]:
        return searched(key, query, n_clicks=1, n_ranked_clicks=1, best_click_position=place)

    searches = [clicked_at(0, "tea", 3), clicked_at(1, "Tea", 3), clicked_at(2, "tea", 2),
                clicked_at(3, "coffee", 2)]  # fmt: skip
    lake = lake_of(tmp_path, searches)
    told = [(p.preferred, p.over, p.times) for p in preferences(lake, texts=["TEA"])]
    assert told == [("d3", "d1", 2), ("d3", "d2", 2), ("d2", "d1", 1)]
    assert len(preferences(lake, min_times=2)) == 2
    assert len(preferences(lake, most=1)) == 1
