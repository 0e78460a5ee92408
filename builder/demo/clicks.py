"""A search log that nobody made: simulated from real rankings by a click model.

The model is the position-based one (Craswell et al., "An experimental comparison of click
position-bias models", WSDM 2008; Chuklin, Markov and de Rijke, "Click Models for Web Search",
2015): a document is clicked if the user looks at its rank and likes what is there,

    P(click at rank r) = P(examined at r) * P(attractive | grade),

each rank by itself. What comes out is to be marked as simulated wherever it is shown.
"""

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from itertools import accumulate
from typing import Any, NamedTuple, TypeAlias

from evals.records import Qrels, Query

Rankings: TypeAlias = Mapping[str, Mapping[str, Sequence[str]]]
"""model_version -> query_id -> doc_ids, the best first; an absent query found nothing."""

LISTED = 10
"""Results that a user is shown, and that the log holds."""

UNJUDGED = 0
"""Nobody graded it: it attracts as little as a document of this grade."""

HIGHEST_GRADE = 3

SESSION_LENGTHS = {1: 0.55, 2: 0.25, 3: 0.13, 4: 0.07}
"""Searches in a session -> share of sessions; 1.72 searches on average."""

WEEKDAYS = (1.0, 1.1, 1.1, 1.05, 0.9, 0.35, 0.4)
"""Sessions of a Monday to Sunday, relative to each other: most programming is work."""

HOURS = (2, 1, 1, 1, 2, 4, 8, 16, 30, 38, 40, 34, 28, 36, 42, 40, 34, 26, 20, 18, 16, 12, 8, 0)
"""Sessions that begin in each hour of a UTC day, relative to each other.

None begins in the last hour: with its pauses, every session ends on the day on which it began.
"""

SPELLINGS: Mapping[Callable[[str], str], float] = {
    lambda text: text[:1].upper() + text[1:]: 0.5,
    lambda text: f"{text} ": 0.2,
    lambda text: text.replace(" ", "  ", 1): 0.15,
    str.upper: 0.1,
    str.title: 0.05,
}
"""How else a query may be typed -> share of such searches."""

EVERY_NTH = 4
"""As long as there are both: one in so many of the popular queries is one of the others."""

SHORTEST_PAUSE, MEAN_PAUSE, LONGEST_PAUSE = 8.0, 60.0, 600.0
"""Seconds between two searches of a session: exponential beyond the shortest, cut at the longest.

The mean is that of the exponential part.
"""


@dataclass(frozen=True, slots=True)
class PositionBasedModel:
    """What a simulated user looks at, and what they like.

    Attributes:
        eta: How fast attention falls with the rank, 0 (not at all) or more.
        eps: Chance that a document of grade 0 is clicked by who looks at it, in [0, 1].
    """

    eta: float = 1.0
    eps: float = 0.1

    def examination(self, rank: int) -> float:
        """P(examined at rank) = (1 / rank) ** eta, in (0, 1]; ranks are 1-based.

        Joachims, Swaminathan and Schnabel, "Unbiased learning-to-rank with biased feedback",
        WSDM 2017, who simulate with eta = 1.
        """
        return float((1 / rank) ** self.eta)

    def attractiveness(self, grade: int) -> float:
        """P(attractive | grade) = eps + (1 - eps) (2^grade - 1) / (2^3 - 1), in [eps, 1].

        Ai et al., "Unbiased learning to rank with unbiased propensity estimation", SIGIR 2018,
        who simulate with eps = .1. Grades are 0 to 3: .1, .229, .486, 1.
        """
        return self.eps + (1 - self.eps) * (2.0**grade - 1) / (2.0**HIGHEST_GRADE - 1)

    def clicked_ranks(self, grades: Sequence[int], rng: random.Random) -> list[int]:
        """The ranks that one user clicks, ascending, in a list whose documents have `grades`."""
        return [
            rank
            for rank, grade in enumerate(grades, start=1)
            if rng.random() < self.examination(rank) * self.attractiveness(grade)
        ]


@dataclass(frozen=True, slots=True)
class Traffic:
    """How much is searched, when, and what how often.

    Attributes:
        last_day: The last UTC day of the log.
        days: How many days it covers.
        searches: How many searches it holds.
        zipf: Exponent s of popularity: the n-th most popular query is searched in proportion to
            1 / n^s, as in real logs (Xie and O'Hallaron, "Locality in search engine queries and
            its implications for caching", INFOCOM 2002).
        other_spellings: Share of searches whose query is typed with other letter case or further
            blanks; what is found is the same.
        seed: The same seed gives the same log.
    """

    last_day: date
    days: int = 28
    searches: int = 20_000
    zipf: float = 0.8
    other_spellings: float = 0.0
    seed: int = 2008


class Choices(NamedTuple):
    """What there is to choose from, and the summed weights."""

    values: Sequence[Any]
    cum_weights: Sequence[float]

    def draw(self, rng: random.Random) -> Any:
        """One of the values."""
        return rng.choices(self.values, cum_weights=self.cum_weights)[0]


def simulate_log(
    rankings: Rankings,
    queries: Sequence[Query],
    qrels: Qrels,
    traffic: Traffic,
    clicks: PositionBasedModel | None = None,
    others: Sequence[Query] = (),
) -> Iterator[dict[str, Any]]:
    """A search log in the native shape of events, in the order of time.

    Each session of 1 to 4 searches meets one of the model versions, all equally likely; each of
    its searches is for a query of its own, drawn by popularity. Who is popular is drawn once.

    A user may click at several ranks. CTR and click-MRR are made of the best-ranked click. So for
    grades g_1, g_2, ... of a list, with p_r = P(examined at r) * P(attractive | g_r), an event has
    that click at rank r with probability p_r * (1 - p_1) * ... * (1 - p_(r-1)). What was clicked
    below it tells of the documents there: without it, a lower rank looks the worse the better what
    stands above it is.

    Args:
        rankings: What each model version finds; of each ranking the first 10 are shown.
        queries: What is searched for; their order does not matter.
        qrels: Grades 0 to 3; a document without one attracts as one of grade 0.
        traffic: How much, when, how often; and the seed.
        clicks: What users look at and like; the defaults of the literature if None.
        others: Queries that are searched for less, in their order: each fourth of the popular
            ones is one of these, the rest are the long tail.

    Returns:
        Events: timestamp (UTC, with zone), query, session_id, model_version, retrieved_doc_ids,
        clicked_doc_id and click_rank (1-based; both None without a click), and `clicks` where there
        were more than that one: doc_id and rank of the others, downwards.

    Raises:
        ValueError: There is no model version, no query, or no day.
    """
    if not rankings or not queries or traffic.days < 1:
        raise ValueError("a log needs a model version, a query and a day")
    simulation = _Simulation(rankings, qrels, traffic, clicks or PositionBasedModel())
    return iter(simulation.log(queries, others))


class _Simulation:
    """One log in the making; every draw comes from one generator, in one order."""

    def __init__(
        self, rankings: Rankings, qrels: Qrels, traffic: Traffic, clicks: PositionBasedModel
    ) -> None:
        self._rankings = rankings
        self._qrels = qrels
        self._traffic = traffic
        self._clicks = clicks
        self._rng = random.Random(traffic.seed)
        # Sorted: two dictionaries with the same content give the same log.
        self._model_versions = sorted(rankings)
        self._lengths = _choices(SESSION_LENGTHS)
        self._spellings = _choices(SPELLINGS)
        self._hours = _choices(dict(enumerate(HOURS)))
        self._days = _choices(_day_weights(traffic))

    def log(self, queries: Sequence[Query], others: Sequence[Query]) -> list[dict[str, Any]]:
        """All events, sorted by time."""
        popular = self._by_popularity(queries, others)
        events: list[dict[str, Any]] = []
        number = 0
        while len(events) < self._traffic.searches:
            number += 1
            events += self._session(f"s{number:06d}", popular)
        del events[self._traffic.searches :]
        return sorted(events, key=lambda event: (event["timestamp"], event["session_id"]))

    def _by_popularity(self, queries: Sequence[Query], others: Sequence[Query]) -> Choices:
        ranked = sorted(queries, key=lambda query: query.query_id)
        self._rng.shuffle(ranked)
        tail = list(others)
        for place in range(EVERY_NTH - 1, len(ranked) * EVERY_NTH // (EVERY_NTH - 1), EVERY_NTH):
            ranked[place:place], tail = tail[:1], tail[1:]
        ranked += tail
        places = range(1, len(ranked) + 1)
        return Choices(ranked, list(accumulate(place**-self._traffic.zipf for place in places)))

    def _session(self, session_id: str, popular: Choices) -> Iterator[dict[str, Any]]:
        moment = self._start()
        model_version = self._rng.choice(self._model_versions)
        for _ in range(self._lengths.draw(self._rng)):
            query: Query = popular.draw(self._rng)
            yield {
                "timestamp": moment.isoformat(timespec="milliseconds"),
                "query": self._typed(query.text),
                "session_id": session_id,
                "model_version": model_version,
                **self._result_list(model_version, query.query_id),
            }
            moment += self._pause()

    def _typed(self, text: str) -> str:
        """The query as this user types it."""
        # Without other spellings nothing is drawn, so that a log stays what it was.
        share = self._traffic.other_spellings
        if not share or self._rng.random() >= share:
            return text
        spell: Callable[[str], str] = self._spellings.draw(self._rng)
        return spell(text)

    def _start(self) -> datetime:
        midnight = datetime.combine(self._days.draw(self._rng), time(), UTC)
        return midnight + timedelta(hours=self._hours.draw(self._rng) + self._rng.random())

    def _pause(self) -> timedelta:
        seconds = SHORTEST_PAUSE + self._rng.expovariate(1 / MEAN_PAUSE)
        return timedelta(seconds=min(seconds, LONGEST_PAUSE))

    def _result_list(self, model_version: str, query_id: str) -> dict[str, Any]:
        """What is shown, and what is clicked of it."""
        shown = list(self._rankings[model_version].get(query_id, ())[:LISTED])
        judged = self._qrels.get(query_id, {})
        grades = [judged.get(doc_id, UNJUDGED) for doc_id in shown]
        ranks = self._clicks.clicked_ranks(grades, self._rng)
        rank = ranks[0] if ranks else None
        found = {
            "retrieved_doc_ids": shown,
            "clicked_doc_id": None if rank is None else shown[rank - 1],
            "click_rank": rank,
        }
        clicks = [{"doc_id": shown[lower - 1], "rank": lower} for lower in ranks[1:]]
        return {**found, "clicks": clicks} if clicks else found


def _choices(weights: Mapping[Any, float]) -> Choices:
    return Choices(list(weights), list(accumulate(weights.values())))


def _day_weights(traffic: Traffic) -> dict[date, float]:
    days = (traffic.last_day - timedelta(days=ago) for ago in reversed(range(traffic.days)))
    return {day: WEEKDAYS[day.weekday()] for day in days}
