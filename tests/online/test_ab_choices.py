"""A/B tests of chosen searches: a tag, a class of queries, and traffic with and without bots."""

import json
from pathlib import Path
from typing import Any

import pytest

from online import OnlineError
from online.ab import Plan, compare_arms
from online.ab_document import ab_document
from online.bots import judge_all
from online.lake import Lake
from online.verdict import verdict, warnings
from online.wording import bots_in_words
from tests.online.logs import lake_of

AB = Plan("bm25", "minilm")
WITHOUT_BOTS = Plan("bm25", "minilm", without_bots=True)
CRAWLER = json.dumps({"user_agent": "Googlebot/2.1"})


def sessions(model: str, n: int, *, name: str = "s", **changes: Any) -> list[dict[str, Any]]:
    """n sessions of one search."""
    return [
        {"session_id": f"{name}-{model}-{number}", "model_version": model, **changes}
        for number in range(n)
    ]


def flagged(folder: Path, people: tuple[int, int], bots: tuple[int, int]) -> Lake:
    """A judged lake with so many sessions of people and of crawlers in the arms."""
    rows = [
        row
        for model, persons, crawlers in zip(("bm25", "minilm"), people, bots, strict=True)
        for row in (
            *sessions(model, persons),
            *sessions(model, crawlers, name="bot", extra=CRAWLER),
        )
    ]
    lake = lake_of(folder, rows)
    judge_all(lake)
    return lake


def test_bots_that_break_the_split_are_named(tmp_path: Path) -> None:
    lake = flagged(tmp_path, (1000, 1000), (0, 200))
    test = compare_arms(lake, AB)
    assert (test.units, test.ratio.alarm) == ((1000, 1200), True)
    assert test.bots is not None
    assert (test.bots.searches, test.bots.units_without) == ((0, 200), (1000, 1000))
    found = verdict(test)
    assert found.code == "sample_ratio"
    assert found.sentences[-1].startswith(
        "It is the bots: without the 0 and 200 searches of flagged sessions: 50:50 planned, 1,000 "
        "and 1,000 sessions came (p = 1)."
    )
    assert "200 searches (9.1 %) are of sessions flagged as bots, and count." in warnings(test)

    without = compare_arms(lake, WITHOUT_BOTS)
    assert (without.units, without.searches, without.guard_reasons) == (
        (1000, 1000),
        (1000, 1000),
        [],
    )
    assert "passes only without bots; with the 0 and 200 searches" in warnings(without)[0]


def test_a_split_that_only_bots_mend_is_no_sound_one(tmp_path: Path) -> None:
    test = compare_arms(flagged(tmp_path, (1000, 1200), (200, 0)), AB)
    assert (test.ratio.alarm, test.guard_reasons) == (False, [])
    assert warnings(test)[0].startswith("The sample ratio passes only with bots; without the 200")


def test_the_document_tells_the_traffic_both_ways(tmp_path: Path) -> None:
    lake = flagged(tmp_path, (30, 30), (0, 10))
    document = ab_document(compare_arms(lake, WITHOUT_BOTS))
    json.dumps(document, allow_nan=False)
    assert document["bots"]["left_out"] is True
    assert document["bots"]["searches"] == {"bm25": 0, "minilm": 10}
    assert document["bots"]["with"]["units"] == {"bm25": 30, "minilm": 40}
    assert document["bots"]["without"]["srm"] == document["srm"]


def test_a_lake_without_bots_says_nothing_of_them(tmp_path: Path) -> None:
    test = compare_arms(flagged(tmp_path, (10, 10), (0, 0)), AB)
    assert (test.bots, bots_in_words(test), ab_document(test)["bots"]) == (None, "", None)


def test_a_tag_and_a_class_choose_searches(tmp_path: Path) -> None:
    tagged: dict[str, Any] = {"tags": ["beta", "web"]}
    lake = lake_of(
        tmp_path,
        [
            *sessions("bm25", 30, **tagged),
            *sessions("minilm", 20, **tagged),
            *sessions("minilm", 50, name="other", query="", tags=["web"]),
        ],
    )
    beta = Plan("bm25", "minilm", tag="beta")
    assert compare_arms(lake, beta).searches == (30, 20)
    assert compare_arms(lake, Plan("bm25", "minilm", query_class="keyword")).searches == (30, 20)
    with pytest.raises(OnlineError, match="no searches of 'bm25' in these days with the tag 'x'"):
        compare_arms(lake, Plan("bm25", "minilm", tag="x"))


def test_who_saw_the_other_arm_outside_of_the_tag_has_seen_it(tmp_path: Path) -> None:
    lake = lake_of(
        tmp_path,
        [
            *sessions("bm25", 9, tags=["beta"]),
            *sessions("minilm", 9, tags=["beta"]),
            {"session_id": "both", "model_version": "bm25", "tags": ["beta"]},
            {"session_id": "both", "model_version": "minilm"},
        ],
    )
    test = compare_arms(lake, Plan("bm25", "minilm", tag="beta"))
    assert (test.units, test.crossing_units, test.crossing_searches) == ((9, 9), 1, 1)
