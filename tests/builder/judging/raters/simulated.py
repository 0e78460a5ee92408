"""Raters of known honesty grade pairs of queries that resemble each other inside."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from builder.store.ratings import Ratings

HONEST = ("ann", "bea", "cy", "dan", "eve", "fay")
CUTS = (0.35, 1.05, 1.75)  # 57 % grade 0, 20 % 1, 12 % 2, 11 % 3: few documents are good
START = 1_790_000_000.0
MINUTE = 60.0


@dataclass(frozen=True)
class Team:
    """Who grades and how.

    Attributes:
        n_pairs: Pairs.
        docs_per_query: Pairs a query.
        reading: Standard deviation of what a rater makes of a query, by rater and query: the errors
            of one rater in one query resemble each other.
        noise: Standard deviation of each honest rater's error on the scale of CUTS; between .25
            and this, rater by rater. Truth has a standard deviation of 1.
        spammers: Raters who give any grade, as often as the team does.
        lenient: Rater -> how far above (or, negative, below) the truth this rater sees.
        copiers: Rater -> whom they copy.
        changed: Share of the copied grades that the copier changes.
        in_time: Whether copiers grade in their own order, and copy only what is there already.
        with_times: Whether anybody knows when it was graded.
        uniform_spam: Whether spammers give each grade equally often instead.
        raters: Everybody.
        raters_per_pair: The fewest and the most raters of a pair.
    """

    n_pairs: int = 600
    docs_per_query: int = 10
    reading: float = 0.0
    noise: float = 0.5
    spammers: Sequence[str] = ()
    lenient: Mapping[str, float] = field(default_factory=dict)
    copiers: Mapping[str, str] = field(default_factory=dict)
    changed: float = 0.0
    in_time: bool = False
    with_times: bool = True
    uniform_spam: bool = False
    raters: Sequence[str] = HONEST
    raters_per_pair: tuple[int, int] = (2, 3)


def graded_by(team: Team, seed: int) -> Ratings:
    """The grades of the team, each rater through all queries."""
    random = np.random.default_rng(seed)
    n_raters = len(team.raters)
    query = np.arange(team.n_pairs) // team.docs_per_query
    truth = random.normal(0, 0.6, query[-1] + 1)[query] + random.normal(0, 0.8, team.n_pairs)
    noise = random.uniform(0.25, team.noise, n_raters)
    read = random.normal(0, team.reading, (n_raters, query[-1] + 1))[:, query]
    grades = np.stack(
        [_seen(team, at, truth + read[at], noise[at], random) for at in range(n_raters)], axis=1
    )
    when = _times(team, random)
    given = random.random((team.n_pairs, n_raters)).argsort(axis=1).argsort(axis=1)
    fewest, most = team.raters_per_pair
    asked = given < random.integers(fewest, most + 1, team.n_pairs)[:, None]
    for copier, source in team.copiers.items():
        one, other = team.raters.index(copier), team.raters.index(source)
        kept = random.random(team.n_pairs) >= team.changed
        both = kept & asked[:, other]
        if team.in_time:
            both &= when[:, other] < when[:, one]
        else:
            when[:, one] = when[:, other] + random.uniform(20, 40) * MINUTE
        grades[both, one] = grades[both, other]
    pair, rater = np.nonzero(asked)
    pace = random.lognormal(0.0, 0.35, n_raters)  # some take half as long as others
    return Ratings(
        query=query[pair],
        pair=pair,
        rater=rater,
        grade=grades[pair, rater],
        seconds=when[pair, rater] if team.with_times else np.full(len(pair), np.nan),
        milliseconds=9000.0 * pace[rater] * random.lognormal(0.0, 0.6, len(pair)),
        query_ids=[f"q{at}" for at in range(query[-1] + 1)],
        tags=[()] * int(query[-1] + 1),
        raters=team.raters,
    )


def _seen(
    team: Team,
    at: int,
    truth: NDArray[np.float64],
    noise: float,
    random: np.random.Generator,
) -> NDArray[np.int64]:
    rater = team.raters[at]
    seen = truth + random.normal(0, noise, len(truth)) + team.lenient.get(rater, 0.0)
    if rater in team.spammers:
        seen = random.normal(0, 1, len(truth))
        if team.uniform_spam:
            return random.integers(0, 4, len(truth))
    return np.digitize(seen, CUTS)


def _times(team: Team, random: np.random.Generator) -> NDArray[np.float64]:
    """Each rater works through the pairs in an order of queries of their own, for three weeks."""
    pace = 3 * 7 * 86_400 / team.n_pairs
    turns = np.stack([random.permutation(team.n_pairs) for _ in team.raters], axis=1)
    return np.asarray(START + turns * pace, dtype=np.float64)
