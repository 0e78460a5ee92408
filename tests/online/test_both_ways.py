"""What flagged sessions do to an effect stands beside the verdict; few searches without a user."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from online.ab import ABTest, Plan, compare_arms
from online.ab_document import ab_document
from online.bots import judge_all
from online.lake import Lake
from online.verdict import advice, verdict
from online.wording import without_user_in_words
from tests.online.logs import lake_of

AB = Plan("bm25", "minilm")
CRAWLER = json.dumps({"user_agent": "Googlebot/2.1"})
CLICK = {"n_clicks": 1, "n_ranked_clicks": 1, "n_top_clicks": 1, "best_click_rank": 1}


def _sessions(model: str, n: int, clicks: int, **changes: Any) -> list[dict[str, Any]]:
    """n sessions of one search, the first ones clicked."""
    name = "bot" if "extra" in changes else "s"
    return [
        {"session_id": f"{name}-{model}-{k}", "model_version": model}
        | (CLICK if k < clicks else {})
        | changes
        for k in range(n)
    ]


def _lake(folder: Path, treated: int, bots: int) -> Lake:
    """100 of 1,000 people clicked; `treated` of 1,000; and bots that never click in the control."""
    rows = [
        *_sessions("bm25", 1000, 100),
        *_sessions("minilm", 1000, treated),
        *_sessions("bm25", bots, 0, extra=CRAWLER),
        *_sessions("minilm", bots, bots, extra=CRAWLER),
    ]
    lake = lake_of(folder, rows)
    judge_all(lake)
    return lake


def test_an_effect_that_only_bots_make_is_said_on_top(tmp_path: Path) -> None:
    lake = _lake(tmp_path, 100, 100)
    test = compare_arms(lake, AB)
    found = verdict(test)
    assert (found.code, found.depends_on_bots) == ("better", True)
    assert found.headline == "Only with flagged sessions: minilm is better than bm25."
    # The same as the other plan finds by itself.
    alone = compare_arms(lake, Plan("bm25", "minilm", without_bots=True))
    assert test.other_way == alone.metrics
    assert alone.other_way == test.metrics
    assert found.sentences[0] == (
        "Without flagged sessions (200 searches, 9.1 %): CTR 10.0 % and 10.0 %, 0 points (95 % "
        "interval -2.6 to +2.6). That changes the conclusion: No difference between minilm and "
        "bm25 is established."
    )
    back = verdict(alone)
    assert (back.code, back.depends_on_bots) == ("no_difference", True)
    assert back.sentences[0].startswith("With flagged sessions (200 searches, 9.1 %): CTR 9.1 %")
    assert back.headline == "No difference between minilm and bm25 is established."
    said = ab_document(test)["verdict"]
    assert said["depends_on_bots"] is True


def test_units_in_both_arms_are_no_change_of_the_conclusion(tmp_path: Path) -> None:
    # 230 of 2,230 saw both arms, beside 200 bots that are not among these 2,000 without them.
    test = replace(compare_arms(_lake(tmp_path, 200, 100), AB), crossing_units=230)
    found = verdict(test)
    assert found.code == "better"
    assert "changes the conclusion" not in found.sentences[0]


@pytest.mark.parametrize(
    ("bots", "words"), [(1, ": much the same."), (40, ": the estimate moves by more than half ")]
)
def test_an_effect_that_stays_is_told_both_ways(tmp_path: Path, bots: int, words: str) -> None:
    found = verdict(compare_arms(_lake(tmp_path, 200, bots), AB))
    assert (found.code, found.depends_on_bots) == ("better", bots > 1)
    assert found.headline == "minilm is better than bm25."
    assert words in found.sentences[0]


def _named(folder: Path, missing: int) -> ABTest:
    """40 searches, of which the last ones name no user."""
    rows = [*_sessions("bm25", 20, 5), *_sessions("minilm", 20, 5)]
    for n, row in enumerate(rows[: 40 - missing]):
        row["user_id"] = f"u{n}"
    return compare_arms(lake_of(folder, rows), AB)


def test_few_searches_without_a_user_are_told_where_they_choose_the_unit(tmp_path: Path) -> None:
    for missing, unit, words in (
        (0, "user", ""),
        (3, "session", "3 of 40 searches name no user, so sessions are the unit: choose users to"),
        (40, "session", ""),
    ):
        folder = tmp_path / str(missing)
        folder.mkdir()
        test = _named(folder, missing)
        assert test.unit == unit
        said = without_user_in_words(test)
        assert said.startswith(words)
        assert bool(said) == bool(words)
        assert any("Sessions are the unit" in line for line in advice(test)) == (missing == 40)
