import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from builder.errors import BuilderError
from builder.judging.aggregation import RULES, aggregate, majority, mean, median, settle_pairs
from builder.store.judgments import GradeRow

grade_lists = st.lists(st.integers(0, 3), min_size=1, max_size=9)


def row(
    rater: str, grade: int | None, *, kind: str = "human", pair: tuple[str, str] = ("q1", "d1")
) -> GradeRow:
    outcome = "skip" if grade is None else "grade"
    return GradeRow(*pair, rater=rater, kind=kind, outcome=outcome, grade=grade)


@pytest.mark.parametrize(
    ("grades", "by_majority", "by_median", "by_mean"),
    [
        ([2], 2, 2, 2),
        ([1, 2], 1, 1, 2),  # no majority: lower median 1; mean 1.5, half up
        ([0, 1, 3], 1, 1, 1),  # all once: the median; mean 4/3
        ([1, 1, 3], 1, 1, 2),  # mean 5/3
        ([0, 3, 3, 1, 2], 3, 2, 2),  # 3 twice, the rest once; mean 9/5
        ([0, 0, 3, 3, 1], 1, 1, 1),  # 0 and 3 both twice: no majority; mean 7/5
        ([0, 1], 0, 0, 1),  # mean 0.5, half up
        ([2, 2, 3, 3], 2, 2, 3),  # mean 2.5, half up
    ],
)
def test_rules_by_hand(grades: list[int], by_majority: int, by_median: int, by_mean: int) -> None:
    assert (majority(grades), median(grades), mean(grades)) == (by_majority, by_median, by_mean)


@given(grade_lists, st.randoms(use_true_random=False))
def test_a_rule_gives_a_grade_within_what_was_given_in_any_order(
    grades: list[int], chance: random.Random
) -> None:
    shuffled = grades.copy()
    chance.shuffle(shuffled)
    for rule in RULES.values():
        assert min(grades) <= rule(grades) <= max(grades)
        assert rule(grades) == rule(shuffled)


@given(grade_lists)
def test_more_than_half_decide(grades: list[int]) -> None:
    for grade in range(4):
        if 2 * grades.count(grade) > len(grades):
            assert majority(grades) == median(grades) == grade


def test_human_and_import_grades_count_together() -> None:
    rows = [row("ann", 0), row("bob", 3), row("old.tsv", 3, kind="import")]
    assert aggregate(rows) == {"q1": {"d1": 3}}


@pytest.mark.parametrize("kind", ["human", "import"])
def test_a_synthetic_grade_gives_way(kind: str) -> None:
    synthetic = row("generator", 2, kind="synthetic")
    assert aggregate([synthetic]) == {"q1": {"d1": 2}}
    assert aggregate([synthetic, row("ann", 0, kind=kind)]) == {"q1": {"d1": 0}}


def test_a_skip_does_not_push_the_synthetic_grade_aside() -> None:
    assert aggregate([row("generator", 2, kind="synthetic"), row("ann", None)]) == {"q1": {"d1": 2}}


def test_grades_of_a_language_model_never_count() -> None:
    assert aggregate([row("gpt", 3, kind="llm")]) == {}
    assert aggregate([row("gpt", 3, kind="llm"), row("ann", 1)]) == {"q1": {"d1": 1}}


def test_skipped_pairs_are_not_graded_zero() -> None:
    assert aggregate([row("ann", None)]) == {}


def test_min_raters_counts_grades_that_count() -> None:
    rows = [
        row("ann", 1),
        row("bob", None),
        row("gpt", 1, kind="llm"),
        row("ann", 2, pair=("q1", "d2")),
        row("bob", 2, pair=("q1", "d2")),
    ]
    assert aggregate(rows, min_raters=2) == {"q1": {"d2": 2}}


@given(st.randoms(use_true_random=False))
@settings(deadline=None)
def test_the_order_of_rows_does_not_matter(chance: random.Random) -> None:
    rows = [
        row(rater, chance.randrange(4), pair=(f"q{query}", f"d{doc}"))
        for query in range(3)
        for doc in range(3)
        for rater in ("ann", "bob", "cy")
    ]
    expected = aggregate(rows)
    chance.shuffle(rows)
    assert aggregate(rows) == expected


def test_settled_pairs_say_how_many_grades_stand_behind_them() -> None:
    pairs = list(settle_pairs([row("ann", 1), row("bob", 1), row("ann", 0, pair=("q2", "d1"))]))
    assert [(pair.grade, pair.n_grades) for pair in pairs] == [(1, 2), (0, 1)]


def test_an_unknown_rule_is_refused_by_name() -> None:
    with pytest.raises(BuilderError, match="mode") as refusal:
        aggregate([], rule="mode")
    assert refusal.value.hint == "choose one of majority, median, mean"


def test_min_raters_below_one_is_refused() -> None:
    with pytest.raises(BuilderError, match="min_raters is 0"):
        aggregate([], min_raters=0)


def decision(grade: int, *, pair: tuple[str, str] = ("q1", "d1")) -> GradeRow:
    return GradeRow(*pair, "dana", "adjudicator", "adjudicated", grade)


grade_rows = st.builds(
    row,
    st.sampled_from(["ann", "bob", "cy", "dana"]),
    st.none() | st.integers(0, 3),
    kind=st.sampled_from(["human", "import", "synthetic", "llm"]),
    pair=st.tuples(st.sampled_from(["q1", "q2"]), st.sampled_from(["d1", "d2"])),
)
pools = st.lists(grade_rows, max_size=16, unique_by=lambda row: row[:3])
decided_pairs = st.dictionaries(
    st.tuples(st.sampled_from(["q1", "q2"]), st.sampled_from(["d1", "d2"])), st.integers(0, 3)
)


@given(
    pools,
    decided_pairs,
    st.sampled_from(list(RULES)),
    st.integers(1, 3),
    st.sets(st.sampled_from(["ann", "bob"])),
    st.randoms(use_true_random=False),
)
@settings(deadline=None)
def test_decisions_win_and_who_is_left_out_is_as_if_absent_in_any_order(
    rows: list[GradeRow],
    decided: dict[tuple[str, str], int],
    rule: str,
    min_raters: int,
    excluded: set[str],
    chance: random.Random,
) -> None:
    together = rows + [decision(grade, pair=pair) for pair, grade in decided.items()]
    chance.shuffle(together)
    settled = aggregate(together, rule, min_raters, excluded)
    present = [row for row in rows if row.rater not in excluded]
    expected = {query: dict(of) for query, of in aggregate(present, rule, min_raters).items()}
    for (query, document), grade in decided.items():
        expected.setdefault(query, {})[document] = grade
    assert settled == expected


def test_a_decision_needs_no_raters_and_says_so() -> None:
    rows = [row("ann", 0), row("bob", 3), decision(2), decision(1, pair=("q1", "d2"))]
    first, second = settle_pairs(rows, "mean", 3)
    assert (first.grade, first.n_grades, first.adjudicated) == (2, 2, True)
    assert (second.grade, second.n_grades, second.adjudicated) == (1, 0, True)


def test_where_only_a_rater_left_out_graded_the_synthetic_grade_counts() -> None:
    rows = [row("generator", 2, kind="synthetic"), row("ann", 0)]
    assert aggregate(rows, excluded={"ann"}) == {"q1": {"d1": 2}}
    assert aggregate([row("ann", 0)], excluded={"ann"}) == {}


def test_a_rater_who_is_left_out_still_decides() -> None:
    assert aggregate([row("ann", 0), decision(3)], excluded={"ann", "dana"}) == {"q1": {"d1": 3}}


def test_a_rater_cannot_decide_by_an_outcome_or_a_kind_alone() -> None:
    by_outcome = row("eve", 3)._replace(outcome="adjudicated")
    by_kind = row("eve", 3, kind="adjudicator")
    assert aggregate([row("ann", 1), row("bob", 1), by_outcome, by_kind]) == {"q1": {"d1": 1}}
