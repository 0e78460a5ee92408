import json
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings

from builder.judging.agreement import agreement, agreement_of, in_words
from builder.judging.agreement.sums import STATISTICS, as_sums, sums_by
from builder.judging.agreement.units import counted
from builder.store.judgments import GradeRow
from builder.store.ratings import ratings_of
from tests.builder.judging.agreement.drawing import grade_rows

CASES = json.loads(
    (Path(__file__).resolve().parents[3] / "cases" / "agreement_cases.json").read_text("utf-8")
)["cases"]

# Ten pairs, A against B. Agreement: 7 of 10 equal. Kappa: p_o = .7, margins A 3 2 2 3, B 2 3 2 3,
# p_e = (6 + 6 + 4 + 9) / 100 = .25, so .45 / .75 = .6. Nominal alpha: n = 20, grades 5 5 4 6,
# D_o = 3/10, D_e = (400 - 25 - 25 - 16 - 36) / (20 * 19) = 298/380, 1 - .3 * 380 / 298 = .6174.
A = [0, 1, 2, 3, 0, 1, 2, 3, 3, 0]
B = [0, 1, 2, 3, 1, 1, 3, 3, 2, 0]


def rows_of(
    raters_by_pairs: list[list[int | None]], *, kind: str = "human", pairs_per_query: int = 1
) -> list[GradeRow]:
    return [
        GradeRow(
            f"q{pair // pairs_per_query}",
            f"d{pair}",
            f"rater {rater}",
            kind,
            "skip" if grade is None else "grade",
            grade,
        )
        for rater, grades in enumerate(raters_by_pairs)
        for pair, grade in enumerate(grades)
    ]


def from_contingency(table: list[list[int]]) -> list[list[int | None]]:
    both = [
        (one, other)
        for one, counts in enumerate(table)
        for other, n in enumerate(counts)
        for _ in range(n)
    ]
    return [[one for one, _ in both], [other for _, other in both]]


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_published_values(case: dict[str, Any]) -> None:
    grades = case["grades"]
    rows = rows_of(from_contingency(grades) if case["kind"] == "contingency" else grades)
    found = agreement_of(ratings_of(rows), resamples=2, n_grades=case["n_grades"])
    for name, expected in case["expected"].items():
        value = statistic(found, name)["value"]
        assert value == pytest.approx(expected, abs=case["tolerance"]), name
    for name, reason in case.get("reasons", {}).items():
        assert statistic(found, name)["value"] is None, name
        assert statistic(found, name)["reason"] == reason, name


def statistic(found: dict[str, Any], name: str) -> dict[str, Any]:
    holder: dict[str, Any] = found["pairwise"][0] if name.startswith("kappa") else found
    of_name: dict[str, Any] = holder[name]
    return of_name


def test_two_raters_by_hand() -> None:
    found = agreement(rows_of([list(A), list(B)]))
    assert found["alpha_ordinal"]["value"] == pytest.approx(0.8855, abs=5e-5)
    assert found["alpha_nominal"]["value"] == pytest.approx(0.6174, abs=5e-5)
    assert found["alpha_interval"]["value"] == pytest.approx(0.8942, abs=5e-5)
    assert found["percent_agreement"]["value"] == pytest.approx(0.70)
    (pair,) = found["pairwise"]
    assert pair["raters"] == ["rater 0", "rater 1"]
    assert pair["n"] == 10
    assert pair["kappa_nominal"]["value"] == pytest.approx(0.6000, abs=5e-5)
    assert pair["kappa_quadratic"]["value"] == pytest.approx(0.8889, abs=5e-5)


def test_percent_agreement_is_over_rating_pairs() -> None:
    # One pair with three raters, 2 2 3: one of three rating pairs equal. One with two: equal.
    # Over rating pairs (1 + 1) / (3 + 1) = .5; the mean over documents would be 2/3.
    found = agreement(rows_of([[2, 1], [2, 1], [3, None]]))
    assert found["percent_agreement"]["value"] == pytest.approx(0.5)


def test_counts() -> None:
    found = agreement(rows_of([[0, 1, None, 2], [0, None, None, 3], [None, None, None, 3]]))
    assert (found["n_raters"], found["n_judged"], found["n_pairs"], found["n_grades"]) == (
        3,
        3,
        2,
        6,
    )
    assert found["raters"] == [
        {"rater": "rater 0", "n": 3, "flags": []},
        {"rater": "rater 1", "n": 2, "flags": []},
        {"rater": "rater 2", "n": 1, "flags": []},
    ]


@pytest.mark.parametrize("kind", ["import", "synthetic", "llm"])
def test_only_people_count(kind: str) -> None:
    people = rows_of([list(A), list(B)])
    machine = [row._replace(rater="other", kind=kind, grade=3) for row in rows_of([[3] * len(A)])]
    found = agreement(people + machine)
    assert found.pop("others") == {kind: len(A)}
    assert found == {name: of for name, of in agreement(people).items() if name != "others"}


def test_row_order_changes_nothing() -> None:
    rows = rows_of([list(A), list(B), [*B[5:], *A[5:]]], pairs_per_query=2)
    expected = agreement(rows, seed=4)
    random.Random(1).shuffle(rows)
    assert agreement(rows, seed=4) == expected


@pytest.mark.parametrize(
    ("grades", "reason"),
    [
        ([], "no_human_grades"),
        ([[0, 1, 2]], "one_rater"),
        ([[0, None], [None, 1]], "no_pair_graded_by_two"),
    ],
)
def test_nothing_to_compare(grades: list[list[int | None]], reason: str) -> None:
    found = agreement(rows_of(grades))
    for name in ("alpha_ordinal", "alpha_nominal", "alpha_interval", "percent_agreement"):
        assert found[name]["value"] is None
        assert found[name]["reason"] == reason
    assert found["pairwise"] == []


def test_where_all_raters_are_left_out_it_is_not_said_that_nobody_graded() -> None:
    out = {"rater 0": "a test", "rater 1": "guesses"}
    found = agreement(rows_of([[0, 1, 2], [1, 1, 2]]), excluded=out)
    assert found["n_raters"] == 0
    assert found["alpha_ordinal"]["reason"] == "all_raters_left_out"
    verdict = found["verdict"]
    assert verdict["level"] == "undefined"
    assert verdict["sentence"].startswith("Every rater who graded is left out")
    assert "Take a rater back" in verdict["next"]


def test_all_grades_equal_leaves_alpha_and_kappa_undefined() -> None:
    found = agreement(rows_of([[2, 2, 2], [2, 2, 2]]))
    assert found["alpha_ordinal"]["value"] is None
    assert found["alpha_ordinal"]["reason"] == "all_grades_equal"
    assert found["pairwise"][0]["kappa_quadratic"]["reason"] == "all_grades_equal"
    assert found["percent_agreement"]["value"] == 1.0


def test_a_rater_with_one_pair_has_no_kappa_but_counts_in_alpha() -> None:
    found = agreement(rows_of([[0, 1, 2, 3], [0, 1, 2, 2], [None, None, None, 3]]))
    assert found["alpha_ordinal"]["value"] is not None
    kappas = {tuple(pair["raters"]): pair["kappa_quadratic"] for pair in found["pairwise"]}
    assert kappas["rater 0", "rater 2"]["reason"] == "too_few_units"
    assert kappas["rater 0", "rater 1"]["value"] is not None


def test_a_constant_rater_against_another_has_kappa_zero() -> None:
    (pair,) = agreement(rows_of([[1, 1, 1, 1], [0, 1, 2, 3]]))["pairwise"]
    assert pair["kappa_nominal"]["value"] == 0.0


def test_one_query_has_a_value_and_no_interval() -> None:
    found = agreement(rows_of([list(A), list(B)], pairs_per_query=len(A)))
    assert found["alpha_ordinal"]["value"] == pytest.approx(0.8855, abs=5e-5)
    assert found["alpha_ordinal"]["low"] is None
    assert found["alpha_ordinal"]["reason"] == "one_query_has_no_interval"


def test_intervals_hold_the_value_and_are_wider_by_query() -> None:
    chance = random.Random(7)
    # Five pairs of a query share one mood: the second rater is right on all of them or on none.
    truth = [chance.randrange(4) for _ in range(200)]
    second = [
        grade if pair // 5 % 2 == 0 else chance.randrange(4) for pair, grade in enumerate(truth)
    ]
    by_query = agreement(rows_of([list(truth), list(second)], pairs_per_query=5))["alpha_ordinal"]
    by_pair = agreement(rows_of([list(truth), list(second)]))["alpha_ordinal"]
    assert by_query["low"] < by_query["value"] < by_query["high"]
    assert by_query["high"] - by_query["low"] > by_pair["high"] - by_pair["low"]


def test_undefined_resamples_are_counted() -> None:
    # Five queries, of which one alone is not all 2s: (4/5)^5 = 33 % of the draws hold only 2s.
    found = agreement(rows_of([[2, 2, 2, 2, 0], [2, 2, 2, 2, 1]]), resamples=400, seed=1)
    undefined = found["resampling"]["undefined"]["alpha_ordinal"]
    assert 100 < undefined < 165
    assert found["resampling"]["queries"] == 5
    assert found["alpha_ordinal"]["low"] is not None


@pytest.mark.parametrize("n_queries", [2, 4])
def test_few_queries_have_a_value_and_no_interval(n_queries: int) -> None:
    found = agreement(rows_of([list(A[:n_queries]), list(B[1 : n_queries + 1])]))
    assert found["alpha_ordinal"]["value"] is not None
    assert found["alpha_ordinal"]["low"] is None
    assert found["alpha_ordinal"]["reason"] == "too_few_queries"


def test_the_seed_decides_the_interval_and_not_the_value() -> None:
    rows = rows_of([list(A), list(B)])
    one, same, other = (agreement(rows, seed=seed)["alpha_ordinal"] for seed in (1, 1, 2))
    assert one == same
    assert one["value"] == other["value"]
    assert one != other


def test_the_document_is_strict_json() -> None:
    found = agreement(rows_of([[2, 2], [2, 2]]))
    assert json.loads(json.dumps(found, allow_nan=False)) == found


@given(rows=grade_rows)
@settings(deadline=None, max_examples=50)
def test_whatever_the_grades_there_is_a_number_or_a_reason(rows: list[GradeRow]) -> None:
    found = agreement(rows, resamples=20)
    json.dumps(found, allow_nan=False)
    for name in STATISTICS:
        assert (found[name]["value"] is None) <= bool(found[name]["reason"])
        assert in_words(found[name]["reason"]) != found[name]["reason"]
    assert found["verdict"]["sentence"].endswith(".")
    assert found["verdict"]["next"].endswith(".")


@given(rows=grade_rows)
@settings(deadline=None, max_examples=50)
def test_the_own_formula_gives_what_the_library_gives(rows: list[GradeRow]) -> None:
    found = agreement(rows, resamples=2)
    units = counted(ratings_of(rows))
    sums = as_sums(sums_by(units, units.query).columns.sum(axis=0), 4)
    for level in ("ordinal", "nominal", "interval"):
        value = found[f"alpha_{level}"]["value"]
        if value is not None:
            assert value == pytest.approx(STATISTICS[f"alpha_{level}"](sums), abs=1e-9)


def test_excluded_raters_are_left_out_and_named() -> None:
    rows = rows_of([list(A), list(B), [3] * len(A)])
    found = agreement(rows, excluded={"rater 2": "always 3", "nobody": "unknown"})
    assert found.pop("excluded") == [{"rater": "rater 2", "reason": "always 3", "n": 10}]
    without = agreement(rows_of([list(A), list(B)]))
    assert without.pop("excluded") == []
    assert found == without


def test_flags_stand_beside_their_raters() -> None:
    ratings = ratings_of(rows_of([list(A), list(B)]))
    raters = agreement_of(ratings, flags={"rater 1": ["too_fast"]})["raters"]
    assert [rater["flags"] for rater in raters] == [[], ["too_fast"]]


def test_who_stands_out_is_in_the_verdict_whatever_for() -> None:
    ratings = ratings_of(rows_of([[*A] * 10, [*B] * 10]))
    flagged = agreement_of(ratings, flags={"rater 0": ["copies"], "rater 1": ["lenient"]})
    assert flagged["verdict"]["next"] == "See why 2 raters stand out, then export."
    copied = agreement_of(ratings, flags={"rater 0": ["copies"], "rater 1": []})
    assert copied["verdict"]["next"] == "See why a rater stands out, then export."
    nobody = agreement_of(ratings, flags={"who graded nothing": ["lenient"]})
    assert nobody["verdict"]["next"] == "Export."


def test_the_prevalence_of_ac_counts_pairs_of_one_rater_too() -> None:
    # Pairs 0 0, 1 1 and 0 1 agree by 2/3. With two pairs of a lone 3 the shares of the grades are
    # .3 .3 0 .4: p_e = (.21 + .21 + .24) / 3 = .22, AC1 = (2/3 - .22) / .78 = .5726. Without them
    # they are .5 .5: p_e = .5 / 3, AC1 = .6.
    shared: list[list[int | None]] = [[0, 1, 0], [0, 1, 1]]
    assert agreement(rows_of(shared))["ac1"]["value"] == pytest.approx(0.6)
    lone = [[*shared[0], 3, 3], [*shared[1], None, None]]
    assert agreement(rows_of(lone))["ac1"]["value"] == pytest.approx(0.5726, abs=5e-5)


def test_raters_who_never_differ_have_no_interval() -> None:
    found = agreement(rows_of([[0, 1, 2, 3] * 5, [0, 1, 2, 3] * 5]))
    for name in ("alpha_ordinal", "percent_agreement", "ac1"):
        assert found[name]["value"] == pytest.approx(1.0)
        assert (found[name]["low"], found[name]["reason"]) == (None, "never_differed")


@pytest.mark.parametrize(("n_queries", "warnings"), [(9, ["few_queries"]), (10, [])])
def test_few_queries_are_warned_of(n_queries: int, warnings: list[str]) -> None:
    grades = [[*A, *A][: 2 * n_queries], [*B, *B][: 2 * n_queries]]
    found = agreement(rows_of([[*row] for row in grades], pairs_per_query=2))
    assert found["n_queries"] == n_queries
    assert found["warnings"] == warnings
    assert [in_words(warning) for warning in found["warnings"]] != warnings or not warnings
