"""A hundred teams each: who is planted is flagged, who is honest is not.

Of 400 honest teams of each kind one in a hundred had anybody flagged.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace

import pytest

from builder.judging.raters import flags_of
from tests.builder.judging.raters.simulated import Team, graded_by

RUNS = 100
FLAGGED, FALSELY = 90, 5

COPIER: Mapping[str, str] = {"fay": "ann"}
LENIENT: Mapping[str, float] = {"cy": 0.7}


@dataclass
class Tally:
    """In how many of the runs each planted rater was flagged as such, and an honest one at all."""

    flagged: Counter[str]
    runs_with_honest_flagged: int
    honest_flagged: Counter[str]


def tally(team: Team, first_seed: int = 1000) -> Tally:
    """Without times either of two copies is named: the one who was copied does not count then."""
    found = Tally(Counter(dict.fromkeys(planted(team), 0)), 0, Counter())
    for seed in range(first_seed, first_seed + RUNS):
        falsely = False
        for name, flags in flags_of(graded_by(team, seed)).items():
            codes = {flag.code for flag in flags}
            if name in planted(team):
                found.flagged[name] += bool(codes & planted(team)[name])
            elif codes and not (was_copied(team, name) and codes == {"copies"}):
                falsely = True
                found.honest_flagged[name] += 1
        found.runs_with_honest_flagged += falsely
    return found


def planted(team: Team) -> dict[str, set[str]]:
    shifted = {name: {"lenient" if by > 0 else "strict"} for name, by in team.lenient.items()}
    spammers = {name: {"outlier"} for name in team.spammers}
    return shifted | spammers | {name: {"copies"} for name in team.copiers}


def was_copied(team: Team, name: str) -> bool:
    return not team.with_times and name in team.copiers.values()


ALL_THREE = Team(spammers=["bea"], lenient=LENIENT, copiers=COPIER)


@pytest.mark.parametrize("n_pairs", [300, 600, 1000])
@pytest.mark.parametrize("noise", [0.3, 0.5, 0.7])
def test_honest_raters_are_left_alone(n_pairs: int, noise: float) -> None:
    found = tally(Team(n_pairs=n_pairs, noise=noise))
    assert found.runs_with_honest_flagged <= FALSELY, found


@pytest.mark.parametrize("docs_per_query", [10, 30])
def test_honest_raters_may_read_a_query_in_their_own_way(docs_per_query: int) -> None:
    found = tally(Team(reading=0.4, docs_per_query=docs_per_query))
    assert found.runs_with_honest_flagged <= FALSELY, found


@pytest.mark.parametrize(
    "team",
    [
        pytest.param(Team(spammers=["bea"]), id="a spammer who guesses as the team grades"),
        pytest.param(Team(spammers=["bea"], uniform_spam=True), id="a spammer who rolls dice"),
        pytest.param(Team(lenient=LENIENT), id="a lenient rater"),
        pytest.param(Team(lenient={"cy": -0.7}), id="a strict rater"),
        pytest.param(Team(copiers=COPIER), id="a copier"),
        pytest.param(Team(copiers=COPIER, changed=0.03), id="a copier who changes 3 %"),
        pytest.param(Team(copiers=COPIER, with_times=False), id="a copier, no times"),
        pytest.param(
            Team(copiers=COPIER, in_time=True, n_pairs=1000),
            id="a copier of what is there already, 1000 pairs",
        ),
        pytest.param(Team(copiers={"fay": "ann", "eve": "ann"}), id="two who copy the same"),
        pytest.param(Team(spammers=["bea", "dan"]), id="two spammers"),
        pytest.param(ALL_THREE, id="all three"),
        pytest.param(
            replace(ALL_THREE, reading=0.4, docs_per_query=30),
            id="all three, 20 queries, each read by each rater in their own way",
        ),
        pytest.param(replace(ALL_THREE, n_pairs=1000), id="all three, 1000 pairs"),
        pytest.param(
            replace(ALL_THREE, n_pairs=1000, with_times=False, changed=0.03),
            id="all three, 1000 pairs, no times, 3 % changed",
        ),
    ],
)
def test_who_is_planted_is_flagged(team: Team) -> None:
    found = tally(team)
    assert min(found.flagged.values()) >= FLAGGED, found
    assert found.runs_with_honest_flagged <= FALSELY, found


@pytest.mark.parametrize(
    ("team", "at_least"),
    [
        pytest.param(
            replace(ALL_THREE, n_pairs=300),
            {"bea": 90, "cy": 90, "fay": 50},
            id="300 pairs: 40 shared with the copier tell less",
        ),
        pytest.param(
            replace(ALL_THREE, noise=0.3, changed=0.03),
            {"bea": 90, "cy": 90, "fay": 70},
            id="careful raters, who look like copies themselves",
        ),
        pytest.param(
            Team(copiers=COPIER, in_time=True),
            {"fay": 75},
            id="a copier of what is there already: 35 pairs",
        ),
        pytest.param(
            replace(ALL_THREE, n_pairs=100), {"bea": 50, "cy": 50, "fay": 1}, id="100 pairs"
        ),
    ],
)
def test_what_few_grades_allow(team: Team, at_least: dict[str, int]) -> None:
    found = tally(team)
    assert all(found.flagged[name] >= bar for name, bar in at_least.items()), found
    assert found.runs_with_honest_flagged <= FALSELY, found
