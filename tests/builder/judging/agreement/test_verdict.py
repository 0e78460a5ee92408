from dataclasses import replace

import pytest

from builder.judging.agreement import agreement, in_words
from builder.judging.agreement.copies import Copy
from builder.judging.agreement.verdict import Evidence, missing, number, verdict
from builder.store.grades import GradeRow
from estimates import Estimate
from tests.builder.judging.agreement.test_overall import rows_of


def evidence(
    value: float,
    low: float | None = None,
    high: float | None = None,
    *,
    n_pairs: int = 200,
    n_queries: int = 40,
    n_other: int = 90,
) -> Evidence:
    reason = None if low is not None else "never_differed"
    alpha = Estimate(value, low=low, high=high, n=n_pairs, reason=reason)
    return Evidence(alpha, n_pairs, n_queries, n_other, n_disputed=8)


@pytest.mark.parametrize(
    ("given", "level"),
    [
        (evidence(0.86, 0.80, 0.91), "excellent"),
        (evidence(0.86, 0.79, 0.91), "good"),  # the lower end decides, not the value
        (evidence(0.71, 0.62, 0.79), "good"),
        (evidence(0.71, 0.59, 0.81), "fair"),
        (evidence(0.52, 0.43, 0.60), "fair"),
        (evidence(0.48, 0.38, 0.57), "poor"),
        (evidence(0.05, -0.30, 0.39), "poor"),  # wide, and all of it too low
        (evidence(0.60, 0.42, 0.74), "too_few"),  # wider than .15 to each side
        (evidence(0.82, 0.61, 0.95), "good"),  # wide, and all of it good
        (evidence(0.86, 0.80, 0.91, n_pairs=49), "too_few"),
        (evidence(0.86, 0.80, 0.91, n_queries=9), "too_few"),
        (evidence(0.86, 0.80, 0.91, n_other=9), "too_few"),
        (evidence(1.0), "excellent"),  # 3 of 40 queries might differ: .925
        (evidence(1.0, n_queries=14), "good"),  # 3 of 14: .79
        (evidence(1.0, n_queries=9), "too_few"),
    ],
)
def test_the_ladder(given: Evidence, level: str) -> None:
    assert verdict(given)["level"] == level


def test_good_agreement_says_for_which_differences_it_is_fit() -> None:
    assert verdict(evidence(0.71, 0.62, 0.79)) == {
        "level": "good",
        "sentence": "Ordinal alpha .71 (.62 to .79, 200 shared pairs): fit to compare models that "
        "differ by .05 or more in nDCG@10.",
        "next": "Settle the disputed pairs that are left, then export.",
    }
    assert verdict(replace(evidence(0.71, 0.62, 0.79), n_disputed=0))["next"] == "Export."


def test_too_few_says_the_goal_and_how_much_of_it_is_reached() -> None:
    given = evidence(0.55, 0.38, 0.70, n_pairs=38, n_queries=12, n_other=20)
    assert verdict(given) == {
        "level": "too_few",
        "sentence": "38 shared pairs of 12 queries are too few to judge by: ordinal alpha .55 may "
        "be anything from .38 to .70.",
        "next": "Before you export, have two raters grade the same pairs until 100 pairs of 20 "
        "queries are shared (reached: 38 of 100 pairs, 12 of 20 queries).",
    }


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (evidence(0.5, 0.2, 0.8, n_pairs=120), 360),  # twice the width: four times the pairs
        (evidence(0.5, 0.34, 0.65, n_pairs=120), 10),
        (evidence(0.5, 0.2, 0.8, n_pairs=99), 0),  # the goal comes first
        (evidence(0.5, 0.2, 0.8, n_pairs=120, n_queries=19), 0),
    ],
)
def test_what_is_missing_beyond_the_goal(given: Evidence, expected: int) -> None:
    assert missing(given) == expected
    said = verdict(given)["next"]
    assert ("The goal of 100 shared pairs of 20 queries is reached" in said) == bool(expected)


def test_few_queries_ask_for_queries_and_give_no_range() -> None:
    said = verdict(evidence(0.5, 0.1, 0.8, n_pairs=160, n_queries=6))
    assert said["sentence"] == "160 shared pairs of 6 queries are too few to judge by."
    assert said["next"].endswith("(reached: 100 of 100 pairs, 6 of 20 queries).")


def test_fair_agreement_says_how_many_more_pairs_may_show_that_it_is_good() -> None:
    # +-.11 below the value; .09 would reach .6: 200 * (.12 / .11)^2 - 200 = 38.
    said = verdict(evidence(0.71, 0.59, 0.81))
    assert said["sentence"].endswith(
        "fit only to compare models that differ by .10 or more in nDCG@10."
    )
    assert "; 40 more pairs graded by two raters may show" in said["next"]
    assert "more pairs" not in verdict(evidence(0.52, 0.43, 0.60))["next"]


def test_poor_agreement_is_not_for_export() -> None:
    said = verdict(evidence(0.22, 0.10, 0.33))
    assert "agree too little" in said["sentence"]
    assert said["next"].startswith("Do not export yet")


def test_agreement_that_may_be_fair_says_how_many_more_pairs_may_show_it() -> None:
    # .11 below the value; .09 would reach .4: 817 * (.11 / .09)^2 - 817 = 403.
    said = verdict(evidence(0.49, 0.38, 0.57, n_pairs=817))
    assert said["level"] == "poor"
    assert "it may be below .40, too little to compare models" in said["sentence"]
    assert "; 410 more pairs graded by two raters may show that they are fair" in said["next"]
    assert "more pairs" not in verdict(evidence(0.43, 0.38, 0.48))["next"]


@pytest.mark.parametrize(
    ("given", "following"),
    [
        (evidence(0.71, 0.62, 0.79), "See why a rater stands out, settle the disputed pairs"),
        (evidence(0.52, 0.43, 0.60), "For finer comparisons see why a rater stands out, settle "),
        (evidence(0.22, 0.10, 0.33), "Do not export yet: see why a rater stands out, write into"),
    ],
)
def test_raters_who_stand_out_are_looked_at_first(given: Evidence, following: str) -> None:
    assert verdict(replace(given, n_odd=1))["next"].startswith(following)
    several = verdict(replace(given, n_odd=3))["next"]
    assert "see why 3 raters stand out, " in several.lower()


def test_copies_are_no_evidence() -> None:
    whole = evidence(0.95, 0.93, 0.97, n_pairs=562)
    nothing = Evidence(Estimate.undefined("no_pair_graded_by_two"), 0, 0, 0, 0)
    known = [Copy(("ana", "ben"), 562, 562, "ben", 300.0)]
    said = verdict(whole, nothing, copied=562, copies=known)
    assert said["level"] == "no_evidence"
    assert said["sentence"].startswith("562 of 562 shared pairs hold copied grades")
    assert said["next"].startswith("Ask ben about the copies, and leave out who copied: ")
    rest = evidence(0.55, 0.46, 0.63, n_pairs=150)
    said = verdict(whole, rest, copied=412, copies=known)
    assert said["level"] == "fair"
    assert said["sentence"].startswith(
        "Ordinal alpha .55 (.46 to .63, 150 shared pairs), counting ben's copies of ana once; .95 "
        "with them: fit only to compare models"
    )
    assert said["next"].startswith("Ask ben about the copies, and leave out who copied: until then")


@pytest.mark.parametrize(
    ("raters", "named"),
    [
        ([("ana", "ben")], "ana and ben"),
        ([("ana", "ben"), ("ben", "cy")], "ana, ben and cy"),
        ([("hub", f"r{n}") for n in range(4)], "5 raters"),
    ],
)
def test_copies_of_which_nobody_knows_who_copied_name_all(
    raters: list[tuple[str, str]], named: str
) -> None:
    copies = [Copy(couple, 100, 100, None, 60.0) for couple in raters]
    whole, rest = evidence(0.95, 0.93, 0.97), evidence(0.5, 0.2, 0.8, n_pairs=60)
    said = verdict(whole, rest, copied=100, copies=copies)
    assert said["sentence"].startswith(f"Counting the copies among {named} once, 60 shared pairs ")
    assert said["next"].startswith(f"Ask {named} about the copies")


@pytest.mark.parametrize(
    ("grades", "level", "sentence"),
    [
        ([], "undefined", "Nobody has graded yet: agreement cannot be told."),
        ([[0, 1]], "undefined", "There is only one rater: agreement cannot be told."),
        (
            [[0, None], [None, 1]],
            "undefined",
            "No pair was graded by two raters: agreement cannot be told.",
        ),
        (
            [[2, 2, 2], [2, 2, 2]],
            "undefined",
            "All 3 shared pairs got one and the same grade: agreement cannot be told from chance.",
        ),
        ([[0], [1]], "too_few", "1 shared pair of 1 query is too little to judge by."),
    ],
)
def test_what_cannot_be_told(grades: list[list[int | None]], level: str, sentence: str) -> None:
    said = agreement(rows_of(grades))["verdict"]
    assert (said["level"], said["sentence"]) == (level, sentence)
    assert "have two raters" in said["next"].lower()


def test_one_grade_for_nearly_all_is_too_little_to_go_by() -> None:
    # 99 pairs graded 0 twice and one graded 3 twice: alpha is 1, and would be 0 with one slip.
    grades: list[list[int | None]] = [[*[0] * 99, 3], [*[0] * 99, 3]]
    found = agreement(rows_of(grades))
    assert found["alpha_ordinal"]["value"] == pytest.approx(1.0)
    assert found["verdict"]["level"] == "too_few"
    assert found["verdict"]["sentence"] == (
        "Only 1 of 100 shared pairs got another grade than the commonest, too few to judge by."
    )


def test_copied_grades_are_taken_out_of_the_verdict() -> None:
    # Ben grades after Ana and gives the same everywhere; Cleo is independent on 60 other pairs.
    ana = [pair * 7 % 4 for pair in range(160)]
    rows = [
        GradeRow(f"q{pair // 4}", f"d{pair}", rater, "human", "grade", grade, judged_at=time)
        for pair in range(160)
        for rater, grade, time in (
            ("ana", ana[pair], "2026-11-02T10:00:00+00:00"),
            ("ben", ana[pair], "2026-11-02T11:00:00+00:00"),
            ("cleo", (ana[pair] + (pair % 3 == 0)) % 4, "2026-11-02T09:00:00+00:00"),
        )
        if rater != "ben" or pair < 100
        if rater != "cleo" or pair >= 100
    ]
    found = agreement(rows)
    assert found["copies"] == [{"raters": ["ana", "ben"], "n": 100, "later": "ben"}]
    alone = agreement([row for row in rows if row.rater != "ben"])
    assert found["alpha_ordinal_without_copies"] == alone["alpha_ordinal"]
    assert "counting ben's copies of ana once" in found["verdict"]["sentence"].lower()
    assert alone["copies"] == []
    assert alone["alpha_ordinal_without_copies"] is None


def test_who_copies_only_what_is_there_keeps_the_grades_that_came_first() -> None:
    # Ben grades half of the pairs before Ana, honestly, and copies her other half.
    ana = [pair * 7 % 4 for pair in range(400)]
    rows = [
        GradeRow(f"q{pair // 4}", f"d{pair}", rater, "human", "grade", grade, judged_at=time)
        for pair in range(400)
        for rater, grade, time in (
            ("ana", ana[pair], "2026-11-02T10:00:00+00:00"),
            (
                ("ben", (ana[pair] + pair // 8 % 2) % 4, "2026-11-02T09:00:00+00:00")
                if pair < 200
                else ("ben", ana[pair], "2026-11-02T11:00:00+00:00")
            ),
        )
    ]
    found = agreement(rows)
    assert found["copies"] == [{"raters": ["ana", "ben"], "n": 200, "later": "ben"}]
    first = agreement([row for row in rows if row.rater == "ana" or int(row.doc_id[1:]) < 200])
    assert found["alpha_ordinal_without_copies"] == first["alpha_ordinal"]


def test_numbers_are_written_as_agreement_is() -> None:
    written = [number(value) for value in (0.714, -0.05, 1.0, -0.001, 0.0, -1.0)]
    assert written == [".71", "-.05", "1.00", ".00", ".00", "-1.00"]


def test_reasons_in_words() -> None:
    assert in_words(None) == ""
    assert in_words("one_rater") == "there is only one rater"
    assert in_words("something_new") == "something new"
