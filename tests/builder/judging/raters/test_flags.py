"""Each flag: raised where it is due, with its numbers in words, and not where it is not."""

import re
from dataclasses import replace

import numpy as np
import pytest

from builder.judging.raters import Flag, flags_of
from builder.store.ratings import Ratings
from builder.store.repeats import Repeats
from tests.builder.judging.raters.by_hand import ratings
from tests.builder.judging.raters.simulated import HONEST, Team, graded_by


def only_flag(graded: Ratings, rater: str, repeats: Repeats | None = None) -> Flag:
    """The rater's only flag; nobody else has any."""
    flags = flags_of(graded, repeats)
    (flag,) = flags.pop(rater)
    assert not any(flags.values()), flags
    return flag


def test_an_outlier() -> None:
    flag = only_flag(graded_by(Team(spammers=["bea"]), 1), "bea")
    assert flag.code == "outlier"
    assert "bea agrees with the others much less than they agree among themselves" in flag.sentence
    n = re.search(r"over ([\d,]+) comparisons; each of (\d+) grades against every", flag.sentence)
    assert n
    assert int(n.group(1).replace(",", "")) >= int(n.group(2)) > 0
    assert "The rest: 0." in flag.sentence


@pytest.mark.parametrize(
    ("by", "code", "word"), [(0.8, "lenient", "higher"), (-0.9, "strict", "lower")]
)
def test_lenient_and_strict(by: float, code: str, word: str) -> None:
    flags = flags_of(graded_by(Team(lenient={"cy": by}), 2))
    assert [name for name, raised in flags.items() if raised] == ["cy"]
    (flag,) = (flag for flag in flags["cy"] if flag.code != "outlier")
    assert flag.code == code
    assert f"of a grade {word} than the others on the same pairs (between 0." in flag.sentence


def with_pace(graded: Ratings, seconds: dict[str, float]) -> Ratings:
    """Each rater's times are scattered around so many seconds; those not named have none."""
    factor = np.array([seconds.get(name, np.nan) for name in graded.raters])[graded.rater]
    spread = np.random.default_rng(0).lognormal(0.0, 0.5, len(graded))
    return replace(graded, milliseconds=1000.0 * factor * spread)


def test_too_fast_beside_the_others() -> None:
    pace = dict.fromkeys(HONEST, 9.0) | {"ann": 3.0, "dan": 2.0}
    flag = only_flag(with_pace(graded_by(Team(), 3), pace), "dan")
    assert flag.code == "too_fast"
    found = re.match(
        r"dan takes (.*) s a pair \(half of \d+ pairs took less\), the others (.*) s\.",
        flag.sentence,
    )
    assert found
    assert [float(number) for number in found.groups()] == pytest.approx([2.0, 9.0], rel=0.1)


def test_too_fast_where_nobody_elses_times_are_known() -> None:
    graded = graded_by(Team(), 3)
    assert not any(flags_of(with_pace(graded, {"dan": 1.5})).values())
    flag = only_flag(with_pace(graded, {"dan": 0.6}), "dan")
    assert flag.code == "too_fast"
    assert "the others" not in flag.sentence


def test_a_few_times_are_no_pace() -> None:
    graded = with_pace(graded_by(Team(), 3), dict.fromkeys(HONEST, 9.0) | {"dan": 0.5})
    dan = np.flatnonzero(graded.rater == HONEST.index("dan"))
    graded.milliseconds[dan[19:]] = np.nan
    assert not any(flags_of(graded).values())
    graded.milliseconds[dan[19]] = 500.0
    assert only_flag(graded, "dan").code == "too_fast"


def test_one_grade_only() -> None:
    graded = graded_by(Team(), 7)
    constant = np.where(graded.rater == HONEST.index("eve"), 1, graded.grade)
    flags = flags_of(replace(graded, grade=constant))
    codes = {name: [flag.code for flag in raised] for name, raised in flags.items() if raised}
    assert list(codes) == ["eve"]
    assert "one_grade" in codes["eve"]
    (flag,) = (flag for flag in flags["eve"] if flag.code == "one_grade")
    n = int(np.count_nonzero(graded.rater == HONEST.index("eve")))
    assert f"eve gave grade 1 in {n} of {n} pairs" in flag.sentence


def test_one_grade_where_nearly_everybody_gives_it() -> None:
    # Nine of ten documents are not relevant, whoever looks at them.
    random = np.random.default_rng(5)
    truth = np.where(random.random(300) < 0.1, 2, 0)
    given = {name: truth.tolist() for name in ("a", "b")}
    given["c"] = [0] * 300
    codes = {flag.code for flag in flags_of(ratings(given, pairs_per_query=10))["c"]}
    assert "one_grade" not in codes


def test_copies_name_the_later() -> None:
    flag = only_flag(graded_by(Team(copiers={"fay": "ann"}), 1), "fay")
    assert flag.code == "copies"
    assert flag.sentence.startswith("fay gave the same grade as ann in all ")
    assert "By the times it was fay who copied." in flag.sentence
    assert flag.sentence.endswith("Ask them; leave one out, else the grade counts twice.")


def test_copies_of_what_was_there() -> None:
    flag = only_flag(graded_by(Team(copiers={"fay": "ann"}, in_time=True, n_pairs=1000), 1), "fay")
    assert flag.code == "copies"
    assert " shared pairs that ann had graded before; two independent" in flag.sentence


def test_copies_name_both_where_no_times_are_known() -> None:
    flags = flags_of(graded_by(Team(copiers={"fay": "ann"}, with_times=False), 1))
    raised = {name: [flag.code for flag in of] for name, of in flags.items() if of}
    assert raised == {"ann": ["copies"], "fay": ["copies"]}
    assert "The times do not tell who copied." in flags["ann"][0].sentence


def test_copies_of_many() -> None:
    grades = np.random.default_rng(1).integers(0, 4, 120).tolist()
    given: dict[str, list[int | None]] = {"hub": list(grades)}
    for at in range(4):
        given[f"r{at}"] = [None] * (30 * at) + grades[30 * at : 30 * at + 30]
    flags = flags_of(ratings(given, pairs_per_query=10))
    assert {name for name, raised in flags.items() if raised} == set(given)
    (flag,) = flags["hub"]
    assert flag.sentence.startswith("hub gave the same grade as 4 other raters in all 120 shared")
    (flag,) = flags["r2"]
    assert (
        "r2 gave the same grade as hub in all 30 shared pairs. Look at hub first" in flag.sentence
    )


def repeats(n: int, alike: int, rater: str = "bea") -> Repeats:
    first = np.zeros(n, dtype=np.int64)
    second = np.where(np.arange(n) < alike, 0, 2)
    return Repeats(np.zeros(n, dtype=np.int64), first, second, [rater])


def test_who_contradicts_themselves() -> None:
    flag = only_flag(graded_by(Team(), 6), "bea", repeats(30, 10))
    assert flag.code == "contradicts_self"
    assert "bea graded 30 pairs twice and gave the same grade again in 33% of them" in flag.sentence


@pytest.mark.parametrize(("n", "alike"), [(30, 22), (9, 0), (0, 0)])
def test_who_does_not(n: int, alike: int) -> None:
    assert not any(flags_of(graded_by(Team(), 6), repeats(n, alike)).values())


def test_repeats_of_somebody_without_a_grade_that_stands() -> None:
    assert not any(flags_of(graded_by(Team(), 6), repeats(30, 0, "gone")).values())


@pytest.mark.parametrize(
    "graded",
    [
        ratings({"a": []}),
        ratings({"a": [0, 1, 2]}),
        ratings({"a": [0] * 40, "b": [0] * 40}),
        ratings({"a": [0, None], "b": [None, 3]}),
        ratings({"a": [0, 1], "b": [1, 0]}, excluded={"a": "x", "b": "y"}),
    ],
    ids=["nothing", "one rater", "one grade", "no overlap", "nobody counts"],
)
def test_little_raises_nothing(graded: Ratings) -> None:
    assert not any(flags_of(graded).values())


def test_flags_do_not_depend_on_who_is_excluded() -> None:
    """An excluded spammer and an excluded copier sway nobody, and are still told apart."""
    team = Team(spammers=["bea"], copiers={"fay": "ann"}, n_pairs=1000, with_times=False)
    graded = graded_by(team, 1)
    out = {"bea": "guessed", "fay": "copied"}
    flags = flags_of(replace(graded, excluded=out))
    codes = {name: [flag.code for flag in raised] for name, raised in flags.items() if raised}
    assert codes == {"bea": ["outlier"], "fay": ["copies"]}
