"""Who copied whom, and who merely agrees."""

from dataclasses import replace

import numpy as np
import pytest

from builder.judging.agreement.copies import find_copies
from builder.judging.agreement.meetings import meetings_of, tables_by_raters
from tests.builder.judging.raters.by_hand import ratings
from tests.builder.judging.raters.simulated import Team, graded_by

COPYING = Team(copiers={"fay": "ann"})


def test_meetings_are_every_two_grades_of_a_pair() -> None:
    graded = ratings({"a": [0, 1, None], "b": [3, None, 2], "c": [2, 1, None]})
    met = meetings_of(graded)
    raters = {
        (int(graded.pair[one]), int(graded.rater[one]), int(graded.rater[other]))
        for one, other in zip(met.one, met.other, strict=True)
    }
    assert raters == {(100, 0, 1), (100, 1, 2), (100, 0, 2), (101, 0, 2)}
    tables = tables_by_raters(graded, met)
    assert tables[0, 1, 0, 3] == tables[1, 0, 3, 0] == 1
    assert tables[0, 2, 1, 1] == tables[2, 0, 1, 1] == tables[0, 2, 0, 2] == 1
    assert tables.sum() == 8


def test_who_copied_whom() -> None:
    (copy,) = find_copies(graded_by(COPYING, 1))
    assert (copy.raters, copy.later) == (("ann", "fay"), "fay")
    assert copy.n == copy.identical > 50
    assert 0.6 * copy.n < copy.expected < 0.9 * copy.n


def test_the_later_is_known_by_the_times_alone() -> None:
    graded = graded_by(COPYING, 1)
    backwards = replace(graded, seconds=-graded.seconds)
    (copy,) = find_copies(backwards)
    assert copy.later == "ann"


@pytest.mark.parametrize("known", [0.0, 0.4])
def test_nobody_is_the_later_where_most_times_are_missing(known: float) -> None:
    graded = graded_by(COPYING, 1)
    missing = np.random.default_rng(0).random(len(graded)) >= known
    (copy,) = find_copies(replace(graded, seconds=np.where(missing, np.nan, graded.seconds)))
    assert copy.later is None


def test_who_copies_only_what_is_there_already() -> None:
    """Half of the shared pairs fay graded first, and honestly."""
    team = replace(COPYING, n_pairs=1000, in_time=True)
    copies = [copy for seed in range(10) for copy in find_copies(graded_by(team, seed))]
    assert len(copies) == 10
    assert {(copy.raters, copy.later) for copy in copies} == {(("ann", "fay"), "fay")}
    in_time = [copy for copy in copies if copy.in_time]
    assert len(in_time) >= 5
    assert all(copy.n == copy.identical for copy in in_time)
    no_times = replace(team, with_times=False)
    assert len([copy for seed in range(10) for copy in find_copies(graded_by(no_times, seed))]) < 5


def test_nobody_is_the_later_where_the_order_is_mixed() -> None:
    graded = graded_by(COPYING, 1)
    sign = np.where(graded.pair % 2, 1.0, -1.0)
    (copy,) = find_copies(replace(graded, seconds=sign * graded.seconds))
    assert copy.later is None


def test_a_few_changed_grades_do_not_hide_a_copy() -> None:
    (copy,) = find_copies(graded_by(replace(COPYING, n_pairs=1000, changed=0.05), 1))
    assert copy.raters == ("ann", "fay")
    assert 0.9 * copy.n < copy.identical < copy.n


def test_who_copies_everybody_is_found_by_all_overlaps_together() -> None:
    # Six raters, twelve shared pairs a couple: none is evidence alone.
    random = np.random.default_rng(3)
    names = [f"r{at}" for at in range(6)]
    given: dict[str, list[int | None]] = {name: [] for name in [*names, "zoe"]}
    for pair in range(180):
        truth = int(random.choice(4, p=[0.4, 0.25, 0.2, 0.15]))
        asked = {names[pair % 6]} if pair < 72 else {names[pair % 6], names[(pair // 6) % 6]}
        for name in names:
            noise = int(random.choice([-1, 0, 1], p=[0.15, 0.7, 0.15]))
            given[name].append(min(3, max(0, truth + noise)) if name in asked else None)
        given["zoe"].append(given[names[pair % 6]][-1] if pair < 72 else None)
    found = find_copies(ratings(given, pairs_per_query=5))
    assert [copy.raters for copy in found] == [(name, "zoe") for name in names]
    assert all(copy.with_others and copy.n == copy.identical == 12 for copy in found)


def test_a_team_that_agrees_nearly_always_is_no_team_of_copies() -> None:
    # Chance-corrected, these agree in .75 to .9.
    for seed in range(20):
        graded = graded_by(Team(noise=0.25, n_pairs=1000), seed)
        unlike = np.random.default_rng(seed).random(len(graded)) < 0.08
        easy = np.where(unlike, graded.grade, np.where(graded.pair % 3, 0, 3))
        assert find_copies(replace(graded, grade=easy)) == []


def test_rare_relevance_makes_equal_grades_cheap() -> None:
    # Of 400 documents 396 are not relevant: two raters who say 0 all along agree by chance.
    grades = [0] * 400
    other = [0] * 400
    for at in (5, 100):
        grades[at] = 3
    for at in (100, 300):
        other[at] = 3
    assert find_copies(ratings({"a": grades, "b": other}, pairs_per_query=10)) == []


def test_excluded_raters_bear_no_witness() -> None:
    graded = graded_by(COPYING, 1)
    assert find_copies(replace(graded, excluded={"fay": "copied"})) == []
    assert len(find_copies(replace(graded, excluded={"bea": "guessed"}))) == 1


def test_nothing_to_find() -> None:
    assert find_copies(ratings({"a": [], "b": []})) == []
    assert find_copies(ratings({"a": [0, 1, 2]})) == []
    assert find_copies(ratings({"a": [0, 1, 2, 3] * 2, "b": [0, 1, 2, 3] * 2})) == []


def test_other_scales() -> None:
    grades = [0, 1, 2, 3, 4] * 30
    (copy,) = find_copies(ratings({"a": grades, "b": grades}, pairs_per_query=5))
    assert copy.identical == 150
