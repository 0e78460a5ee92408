"""Click evidence of documents whose grades are known: what thresholds of weak grades are tried on.

The clicks are those of the position-based model in `builder.demo.clicks`; beside it each setting
says how good the rankings are, and how many documents are relevant.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from builder.demo.clicks import PositionBasedModel
from online.click_models import Spread, beta_prior, gamma_prior, shrunk, smooth_rank_ctr
from online.evidence import EvidenceColumns, Prior, Priors

LISTED, POOL, QUERIES = 10, 30, 400
GRADES = range(4)


@dataclass(frozen=True, slots=True)
class Setting:
    """How a log comes about.

    Attributes:
        shares: Of grades 0 to 3 among the documents of a query.
        noise: Standard deviation of what a ranking takes for a document's grade.
        rankings: How many models ranked, with equal traffic.
        eta: How fast attention falls with the rank.
        eps: Chance of a click on what is not relevant, by who looks at it.
        willing: What all chances of a click are multiplied by.
        one_click: Whether the log keeps the best-ranked click of a search only.
        searches: How many; the n-th most popular query in proportion to 1 / n^.8.
    """

    shares: tuple[float, float, float, float] = (0.55, 0.2, 0.15, 0.1)
    noise: float = 1.0
    rankings: int = 2
    eta: float = 1.0
    eps: float = 0.1
    willing: float = 1.0
    one_click: bool = False
    searches: int = 120_000


SETTINGS = {
    "usual": Setting(),
    "poor rankings": Setting(noise=2.0),
    "much is relevant": Setting(shares=(0.3, 0.3, 0.2, 0.2)),
    "little is relevant": Setting(shares=(0.8, 0.1, 0.06, 0.04)),
    "steep attention": Setting(eta=1.5),
    "flat attention": Setting(eta=0.5),
    "one ranking": Setting(rankings=1),
    "few clicks by chance": Setting(eps=0.02),
}
SHY = Setting(willing=0.4)
ONE_CLICK = Setting(one_click=True)


@dataclass(frozen=True, slots=True)
class Simulated:
    """Pairs with their evidence and true grades."""

    columns: EvidenceColumns
    priors: Priors
    grades: NDArray[np.int64]


class _Log:
    """Counts by query, document and rank, of a log that is not kept."""

    def __init__(self, setting: Setting, rng: np.random.Generator) -> None:
        shape = (QUERIES, POOL)
        self.grades = rng.choice(4, size=shape, p=setting.shares)
        self.clicks, self.examined = (np.zeros(shape, dtype=np.int64) for _ in range(2))
        self.at_rank = np.zeros((*shape, LISTED), dtype=np.int64)
        self.clicks_at = np.zeros(LISTED, dtype=np.int64)
        model = PositionBasedModel(setting.eta, setting.eps)
        seen = np.array([model.examination(rank) for rank in range(1, LISTED + 1)])
        liked = np.array([model.attractiveness(grade) for grade in GRADES]) * setting.willing
        orders = [self._ranking(setting.noise, rng) for _ in range(setting.rankings)]
        popular = np.arange(1, QUERIES + 1) ** -0.8
        searches = rng.multinomial(setting.searches, popular / popular.sum())
        for query, n in enumerate(searches):
            for order in orders:
                chance = seen * liked[self.grades[query, order[query]]]
                clicked = rng.random((n // len(orders), LISTED)) < chance
                if setting.one_click:
                    clicked &= clicked.cumsum(axis=1) == 1
                self._take(query, order[query], clicked)

    def _ranking(self, noise: float, rng: np.random.Generator) -> NDArray[np.int64]:
        """Of each query the documents at ranks 1 to 10."""
        taken_for = self.grades + rng.normal(0, noise, self.grades.shape)
        return np.argsort(-taken_for, axis=1)[:, :LISTED]

    def _take(self, query: int, ranked: NDArray[np.int64], clicked: NDArray[np.bool_]) -> None:
        last = np.where(clicked.any(axis=1), LISTED - 1 - clicked[:, ::-1].argmax(axis=1), LISTED)
        self.clicks[query, ranked] += clicked.sum(axis=0)
        self.examined[query, ranked] += (np.arange(LISTED) <= last[:, None]).sum(axis=0)
        self.at_rank[query, ranked, np.arange(LISTED)] += len(clicked)
        self.clicks_at += clicked.sum(axis=0)


def simulated(setting: Setting, seed: int) -> Simulated:
    """The evidence of one log, of documents that were shown."""
    log = _Log(setting, np.random.default_rng(seed))
    shown_at = log.at_rank.sum(axis=(0, 1))
    pairs_at = zip(shown_at.tolist(), log.clicks_at.tolist(), strict=True)
    by_rank = np.array([row.expected for row in smooth_rank_ctr(dict(enumerate(pairs_at, 1)))])
    shown = log.at_rank.sum(axis=2) > 0
    impressions, clicks = log.at_rank.sum(axis=2)[shown], log.clicks[shown]
    examined, expected = log.examined[shown], (log.at_rank @ by_rank)[shown]
    coec, sdbn = gamma_prior(_spread(clicks, expected)), beta_prior(_spread(clicks, examined))
    return Simulated(
        columns_of(impressions, clicks, impressions, examined, expected),
        Priors(ctr=sdbn, coec=coec, sdbn=sdbn, satisfaction=sdbn),
        log.grades[shown],
    )


def columns_of(
    impressions: NDArray[np.int64],
    clicks: NDArray[np.int64],
    sessions: NDArray[np.int64],
    examined: NDArray[np.int64],
    expected: NDArray[np.float64],
) -> EvidenceColumns:
    """Evidence of which only these columns matter."""
    nothing, unknown = np.zeros_like(clicks), np.full(len(clicks), np.nan)
    return EvidenceColumns(
        impressions=impressions,
        clicks=clicks,
        shown_clicks=clicks,
        sessions=sessions,
        clicked_sessions=nothing,
        click_events=clicks,
        examined=examined,
        last_clicks=nothing,
        skipped=nothing,
        expected_clicks=expected,
        ctr=unknown,
        coec=shrunk(clicks, expected, Prior(1.0, 1.0, 1)),
        sdbn=unknown,
        satisfaction=unknown,
        sound=clicks <= impressions,
    )


def _spread(hits: NDArray[np.int64], of: NDArray[np.float64] | NDArray[np.int64]) -> Spread:
    hits, of = hits[of > 0], of[of > 0]
    return Spread(
        len(of), int(hits.sum()), float(of.sum()), float((of**2).sum()), float((hits**2 / of).sum())
    )
