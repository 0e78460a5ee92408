"""From log lines to the verdict of an A/B test: by hand, against a plain computation, in words."""

import json
import random
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace
from datetime import date
from math import sqrt
from pathlib import Path
from typing import Any

import pytest

from online import OnlineError
from online.ab import ABTest, Plan, compare_arms
from online.ab_document import ab_document
from online.abtest import NEAR_THE_EDGE, TOO_FEW_UNITS, sample_ratio
from online.lake import Lake
from online.metrics import NO_CLICKS, NOT_LOGGED
from online.verdict import PEEKING, advice, guard_sentence, verdict, warnings
from online.wording import alarm_in_words
from tests.online.logs import clicked, event, take

AB = Plan("bm25", "minilm")
DAYS = 10


def _arm(model: str, sessions: int, clicks: int, rank: int = 1) -> Iterable[dict[str, Any]]:
    """One search a session, the first ones clicked, spread over ten days."""
    for n in range(sessions):
        line = clicked(rank) if n < clicks else event()
        yield line | {
            "timestamp": f"2026-11-{1 + n % DAYS:02}T12:00:00Z",
            "session_id": f"{model}-{n}",
            "model_version": model,
        }


def _tested(folder: Path, lines: Iterable[dict[str, Any]], plan: Plan = AB) -> ABTest:
    folder.mkdir(exist_ok=True)
    lines = list(lines)
    assert take(folder, lines).accepted == len(lines)
    return compare_arms(Lake(folder / "events"), plan)


@pytest.fixture(scope="module")
def by_hand(tmp_path_factory: pytest.TempPathFactory) -> Lake:
    """100 of 1,000 sessions clicked, against 130 of 1,000."""
    folder = tmp_path_factory.mktemp("by_hand")
    _tested(folder, [*_arm("bm25", 1000, 100), *_arm("minilm", 1000, 130)])
    return Lake(folder / "events")


def test_one_search_a_session_by_hand(by_hand: Lake) -> None:
    # .13 - .10, error sqrt((.09 + .1131) / 999) = .014258, -+ 1.959964 of it; z = 2.104.
    test = compare_arms(by_hand, AB)
    found = test.metrics["ctr"].difference
    assert found.value == pytest.approx(0.03)
    assert (found.low, found.high) == pytest.approx((0.0021, 0.0579), abs=5e-5)
    assert found.p_value == pytest.approx(0.035, abs=5e-4)
    # All clicks are at rank 1, so click-MRR is CTR; two metrics were tested: twice .0354.
    assert found.p_holm == pytest.approx(2 * 0.03537, abs=1e-4)
    assert test.metrics["click_mrr"].difference.value == pytest.approx(0.03)
    assert test.metrics["clicks_at_1_2"].difference.reason == NEAR_THE_EDGE
    assert test.metrics["zero_result_rate"].difference.reason == NEAR_THE_EDGE
    assert test.metrics["conversion_rate"].difference.reason == NOT_LOGGED
    assert (test.unit, test.units, test.searches) == ("session", (1000, 1000), (1000, 1000))
    assert test.ratio.p_value == 1.0
    assert (test.duration, test.guard_reasons) == (DAYS, [])


def test_the_document_is_that_of_the_design(by_hand: Lake) -> None:
    document = ab_document(compare_arms(by_hand, AB))
    json.dumps(document, allow_nan=False)
    assert (document["control"], document["treatment"]) == ("bm25", "minilm")
    assert document["units"] == {"bm25": 1000, "minilm": 1000}
    assert document["overlap"] == {"units": 0, "searches": 0, "handled": "left_out"}
    assert {"p_value", "alarm"} <= set(document["srm"])
    keys = {"control", "treatment", "difference", "low", "high", "p_value", "p_holm"}
    assert all(keys <= set(metric) for metric in document["metrics"].values())
    assert document["metrics"]["ctr"]["control"] == 0.1
    assert [row["day"] for row in document["by_day"]] == [f"2026-11-{d:02}" for d in range(1, 11)]
    assert document["verdict"]["code"] == "no_difference"
    assert document["guard"] == {"fires": False, "reasons": []}


def test_an_interval_without_0_that_holm_does_not_follow_is_said(by_hand: Lake) -> None:
    there = verdict(compare_arms(by_hand, AB))
    assert there.code == "no_difference"
    assert "Taken alone it would count (p = .035)" in " ".join(there.sentences)
    back = compare_arms(by_hand, Plan("minilm", "bm25"))
    assert verdict(back).code == "no_difference"
    # The guard watches one metric only: no correction.
    assert back.guard_reasons == ["ctr_dropped"]


def test_a_broken_sample_ratio_comes_first(tmp_path: Path) -> None:
    # Expected 1,100 each: 2 * 100^2 / 1100 = 18.18, p = 2.0e-5.
    test = _tested(tmp_path, [*_arm("bm25", 1000, 100), *_arm("minilm", 1200, 400)])
    assert test.ratio.p_value == pytest.approx(2.0e-5, rel=0.01)
    assert test.guard_reasons == ["sample_ratio"]
    found = verdict(test)
    assert (found.code, found.headline[:10]) == ("sample_ratio", "Do not use")
    assert "50:50 planned, 1,000 and 1,200 sessions came (p = 2.0e-5)" in found.sentences[0]
    assert "once in 50,000 tests" in found.sentences[0]
    planned = compare_arms(Lake(tmp_path / "events"), replace(AB, shares=(10, 12)))
    assert (planned.ratio.p_value, planned.guard_reasons) == (1.0, [])
    assert verdict(planned).code == "better"


def _random_lines(seed: int) -> list[dict[str, Any]]:
    """Sessions of 1 to 6 searches, users of 1 to 3 sessions; a few of each cross over."""
    draw = random.Random(seed)
    lines = []
    for user in range(300):
        arm = draw.choice(["bm25", "minilm"])
        for session in range(draw.randint(1, 3)):
            for n in range(draw.randint(1, 6)):
                rank = draw.choice([None, None, None, 1, 1, 2, 4, 5])
                other = {"bm25": "minilm", "minilm": "bm25"}[arm]
                line = event() if rank is None else clicked(rank)
                lines.append(
                    line
                    | {
                        "timestamp": f"2026-11-{draw.randint(1, 3):02}T12:{n:02}:00Z",
                        "query": f"{user} {session} {n}",
                        "session_id": f"s{user}-{session}",
                        "user_id": user,
                        "model_version": other if draw.random() < 0.02 else arm,
                    }
                )
    return lines


@pytest.mark.parametrize("unit", ["user", "session"])
def test_a_random_log_against_a_plain_computation(tmp_path: Path, unit: Any) -> None:
    lines = _random_lines(4)
    test = _tested(tmp_path, lines, Plan("bm25", "minilm", unit=unit))
    counted, crossing = _by_unit(lines, f"{unit}_id")
    assert test.crossing_units == len(crossing) > 3
    assert test.crossing_searches == sum(map(len, crossing.values()))
    assert test.units == tuple(len(counted[arm]) for arm in ("bm25", "minilm"))
    for metric, value in (("ctr", _click), ("click_mrr", _reciprocal)):
        found = test.metrics[metric].difference
        (control, v_c), (treatment, v_t) = (
            _mean_and_variance([[value(line) for line in unit] for unit in counted[arm].values()])
            for arm in ("bm25", "minilm")
        )
        assert found.value == pytest.approx(treatment - control)
        assert found.error == pytest.approx(sqrt(v_c + v_t), rel=1e-3)
    by_day = [sum(day.searches) for day in test.days]
    assert by_day == [
        sum(
            line["timestamp"].startswith(f"2026-11-0{day}")
            for arm in counted.values()
            for unit in arm.values()
            for line in unit
        )
        for day in (1, 2, 3)
    ]


def _by_unit(lines: list[dict[str, Any]], unit: str) -> tuple[Any, Any]:
    units: dict[Any, list[dict[str, Any]]] = defaultdict(list)
    for line in lines:
        units[line[unit]].append(line)
    arms: dict[str, dict[Any, list[dict[str, Any]]]] = {"bm25": {}, "minilm": {}}
    crossing: dict[Any, list[dict[str, Any]]] = {}
    for name, searches in units.items():
        models = {line["model_version"] for line in searches}
        (arms[models.pop()] if len(models) == 1 else crossing)[name] = searches
    return arms, crossing


def _click(line: dict[str, Any]) -> float:
    return float(line["clicked_doc_id"] is not None)


def _reciprocal(line: dict[str, Any]) -> float:
    return 1 / line["click_rank"] if line["click_rank"] else 0.0


def _mean_and_variance(units: list[list[float]]) -> tuple[float, float]:
    """The delta method as residuals, without any shortcut by sums of squares."""
    n, k = sum(map(len, units)), len(units)
    mean = sum(map(sum, units)) / n
    squares = sum((sum(unit) - mean * len(unit)) ** 2 for unit in units)
    return mean, k / (k - 1) * squares / n**2


def test_users_are_the_unit_where_every_search_names_one(tmp_path: Path) -> None:
    lines = _random_lines(5)
    assert _tested(tmp_path / "all", lines).unit == "user"
    del lines[0]["user_id"]
    some = _tested(tmp_path / "some", lines)
    assert some.unit == "session"
    asked = compare_arms(Lake(tmp_path / "some" / "events"), replace(AB, unit="user"))
    assert (asked.unit, asked.without_unit) == ("user", 1)
    assert any("1 searches name no user" in words for words in warnings(asked))


def test_users_that_no_search_names_cannot_be_the_unit(by_hand: Lake) -> None:
    with pytest.raises(OnlineError, match="names a user"):
        compare_arms(by_hand, replace(AB, unit="user"))


def test_small_and_odd_tests_say_what_is_the_matter(tmp_path: Path) -> None:
    # One session an arm, no clicks; one search names no session; the arms have no day in common.
    lines = [
        event(session_id="a"),
        event(session_id="b", model_version="minilm", timestamp="2026-12-01T12:00:00Z"),
    ]
    test = _tested(tmp_path, lines)
    assert test.metrics["ctr"].difference.reason == TOO_FEW_UNITS
    assert test.metrics["clicks_at_1_2"].difference.reason == NO_CLICKS
    assert test.ratio.p_value is None
    assert (verdict(test).code, test.guard_reasons) == ("cannot_tell", [])
    said = warnings(test)
    assert said[0].startswith("No day has searches of both arms")
    assert any("Fewer than 1,000 searches in bm25 (1)" in words for words in said)
    assert said[-1] == PEEKING
    json.dumps(ab_document(test), allow_nan=False)


def test_units_that_all_saw_both_arms_leave_nothing(tmp_path: Path) -> None:
    lines = [
        event(session_id=f"s{n}", model_version=model, query=f"{n}")
        for n in range(5)
        for model in ("bm25", "minilm")
    ]
    test = _tested(tmp_path, lines)
    assert (test.units, test.crossing_units, test.days) == ((0, 0), 5, [])
    assert verdict(test).code == "nothing_to_compare"
    assert any("5 sessions (100.0 %) saw both arms" in words for words in warnings(test))
    json.dumps(ab_document(test), allow_nan=False)


def test_what_lacks_a_session_or_a_rank_is_counted(tmp_path: Path) -> None:
    lines = [*_arm("bm25", 20, 8), *_arm("minilm", 20, 8)]
    lines += [clicked(None, 1, session_id=None), event(session_id=None, model_version="minilm")]
    test = _tested(tmp_path, lines)
    assert (test.sessions_made_up, test.without_rank, test.units) == (2, 1, (21, 21))
    said = " ".join(warnings(test))
    assert "2 searches name no session" in said
    assert "1 clicked searches log no rank" in said


def test_warning_under_1000_and_advice_under_10000_searches(by_hand: Lake, tmp_path: Path) -> None:
    enough = compare_arms(by_hand, AB)
    assert not any("Fewer than" in words for words in warnings(enough))
    assert any("Fewer than 10,000" in words for words in advice(enough))
    few = _tested(tmp_path, [*_arm("bm25", 1000, 400), *_arm("minilm", 999, 600)])
    assert any("Fewer than 1,000 searches in minilm (999)" in words for words in warnings(few))
    assert verdict(few).code == "better"
    assert verdict(few).headline == "A first hint: minilm is better than bm25."
    assert "a hint, no decision" in verdict(few).sentences[-1]


def test_an_arm_that_lost_its_clicks_is_worse_without_an_interval(tmp_path: Path) -> None:
    test = _tested(tmp_path, [*_arm("bm25", 1000, 100), *_arm("minilm", 1000, 0)])
    found = verdict(test)
    assert (found.code, test.guard_reasons) == ("worse", ["ctr_dropped"])
    assert found.sentences[0].startswith("CTR falls from 10.0 % to 0.0 %: -10.0 points, p < .001")
    back = compare_arms(Lake(tmp_path / "events"), Plan("minilm", "bm25"))
    assert (verdict(back).code, back.guard_reasons) == ("better", [])
    few = _tested(tmp_path / "few", [*_arm("bm25", 1000, 4), *_arm("minilm", 1000, 8)])
    assert verdict(few).code == "no_difference"
    assert "4 times in 5" not in " ".join(verdict(few).sentences)


def test_better_and_worse_at_once_is_mixed(tmp_path: Path) -> None:
    # Clicked more often, but far down: CTR .4 to .6, click-MRR .4 to .12.
    test = _tested(tmp_path, [*_arm("bm25", 2000, 800), *_arm("minilm", 2000, 1200, rank=5)])
    found = verdict(test)
    assert found.code == "mixed"
    assert found.headline.startswith("minilm is better in some ways")
    assert found.sentences[0].startswith("CTR rises from 40.0 % to 60.0 %: +20.0 points")
    assert found.sentences[1].startswith("Click-MRR falls from 0.400 to 0.120: -0.280")
    assert verdict(compare_arms(Lake(tmp_path / "events"), Plan("minilm", "bm25"))).code == "mixed"


def test_days_are_chosen_and_days_needed_are_told(by_hand: Lake) -> None:
    half = replace(AB, start=date(2026, 11, 1), end=date(2026, 11, 5))
    test = compare_arms(by_hand, half)
    assert (test.searches, test.duration) == ((500, 500), 5)
    # 5 % of a CTR of .1 is half a point.
    smallest = test.metrics["ctr"].difference.smallest_effect
    assert smallest is not None
    assert test.effect_wanted("ctr") == pytest.approx(0.05 * 0.1)
    assert test.days_needed("ctr") == pytest.approx(5 * (smallest / 0.005) ** 2 - 5, abs=1)


@pytest.mark.parametrize(
    ("plan", "message"),
    [
        (Plan("bm25", "bm25"), "both 'bm25'"),
        (Plan("bm25", "other"), "no searches of 'other'"),
        (replace(AB, start=date(2027, 1, 1)), "no searches of 'bm25' in these days"),
        (replace(AB, start=date(2026, 11, 2), end=date(2026, 11, 1)), "is after the last"),
        (replace(AB, shares=(50, 0)), "positive"),
        (replace(AB, effect=float("nan")), "positive"),
    ],
)
def test_a_plan_that_makes_no_sense_is_refused(by_hand: Lake, plan: Plan, message: str) -> None:
    with pytest.raises(OnlineError, match=message):
        compare_arms(by_hand, plan)


def test_an_empty_lake_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(OnlineError) as refused:
        compare_arms(Lake(tmp_path / "events"), AB)
    assert "events import" in (refused.value.hint or "")


@pytest.mark.parametrize(("crossing", "code"), [(2, "better"), (3, "units_in_both_arms")])
def test_a_tenth_of_the_units_in_both_arms_leaves_no_verdict(
    by_hand: Lake, crossing: int, code: str
) -> None:
    # 2 of 22 units are 9.1 %, 3 of 23 are 13.0 %.
    ctr = replace(compare_arms(by_hand, AB).metrics["ctr"].difference, p_holm=0.01)
    test = compare_arms(by_hand, AB)
    metrics = {**test.metrics, "ctr": replace(test.metrics["ctr"], difference=ctr)}
    test = replace(test, units=(10, 10), crossing_units=crossing, metrics=metrics)
    found = verdict(test)
    assert found.code == code
    assert any("both arms" in words for words in (found.headline, *warnings(test)))
    if code != "better":
        assert found.headline == "Do not use this test: 13.0 % of the sessions saw both arms."
        assert (guard_sentence(test) or "").endswith(found.headline)


@pytest.mark.parametrize(
    ("units", "headline", "words"),
    [
        ((5, 4), "cannot be tested yet", "too few"),
        ((1000, 1000), "gives no alarm", "1,000 and 1,000 sessions came (p = 1); the alarm is"),
        ((3049, 3300), "is doubtful", "(p = .002); the alarm is below .001. Chance alone"),
        ((1000, 1200), "fails", "(p = 2.0e-5)."),
    ],
)
def test_a_silent_alarm_is_no_proof(
    by_hand: Lake, units: tuple[int, int], headline: str, words: str
) -> None:
    test = replace(compare_arms(by_hand, AB), units=units, ratio=sample_ratio(units, (1, 1)))
    said = alarm_in_words(test)
    assert headline in said[0]
    assert words in said[1]
