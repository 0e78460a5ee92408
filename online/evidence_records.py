"""What clicks tell of a query and a document: the records that `online.evidence` gives."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from estimates import Estimate
from online.click_models import Prior, RankCtr

if TYPE_CHECKING:
    from numpy import bool_, float64, int64, object_
    from numpy.typing import NDArray

MORE_CLICKS = "more_clicks_than_impressions"
"""Why a pair has no estimates: the log lacks impressions of it, so no share of them is known."""
NEVER_SHOWN = "never_shown"
"""The same where the log knows no impression of the pair at all."""
NOT_EXAMINED = "never_examined"
"""Why a pair has no attractiveness: in no search did anybody look down to where it stood. And why
it has no COEC: where it stood nothing is ever clicked, so that no click is expected."""
NEVER_CLICKED = "never_clicked"
"""Why a pair has no satisfaction."""


@dataclass(frozen=True, slots=True)
class Priors:
    """One prior for each measure: see `PairEvidence`."""

    ctr: Prior
    coec: Prior
    sdbn: Prior
    satisfaction: Prior


@dataclass(frozen=True, slots=True)
class PairEvidence:
    """What clicks tell of one query and one document.

    Counts are of searches: a document that was clicked twice in one search, as by somebody who came
    back to the list, or shown in it at two ranks, counts once; of two ranks the upper. Estimates
    are shrunk by `Priors`, with 95 % credible intervals; raw values follow from the counts. They
    have no value, but a reason, where `clicks` is more than `impressions`.

    Attributes:
        query: The query without regard to how it is typed (sql/duckdb/spellings.sql).
        doc_id: The document.
        impressions: Searches that showed it.
        clicks: Searches in which it was clicked, whether the log says that they showed it or not.
        click_events: Clicks on it, each of several in one search.
        shown_clicks: Those of `clicks` that are known to have shown it: what the estimates count.
        sessions: Sessions in which it was shown.
        clicked_sessions: Sessions in which it was clicked.
        ctr: shown_clicks / impressions.
        coec: shown_clicks / expected_clicks: 1 is as often as the ranks where it stood are clicked
            on the average, 2 twice as often. Where hardly a click is expected, as deep in a long
            list, little is known however often it was shown: it is near 1, its interval wide.
            Where none is expected it has no value.
        sdbn: Attractiveness: the chance of a click where it is examined.
        satisfaction: The chance that a click on it is the last one of its search.
        expected_clicks: Sum over its impressions of the CTR of the rank where it stood.
        examined: Searches in which it was examined, as SDBN assumes.
        last_clicks: Searches in which the click on it was the last one.
        skipped: Searches in which it stood above a clicked document and was not clicked.
        mean_rank: Of its impressions, from 1; None without any.
    """

    query: str
    doc_id: str
    impressions: int
    clicks: int
    click_events: int
    shown_clicks: int
    sessions: int
    clicked_sessions: int
    ctr: Estimate
    coec: Estimate
    sdbn: Estimate
    satisfaction: Estimate
    expected_clicks: float
    examined: int
    last_clicks: int
    skipped: int
    mean_rank: float | None

    def as_json(self) -> dict[str, Any]:
        """The same with estimates as value, low, high, n and reason."""
        estimates = ("ctr", "coec", "sdbn", "satisfaction")
        return {
            name: getattr(self, name).as_json() if name in estimates else getattr(self, name)
            for name in self.__slots__
        }


@dataclass(frozen=True, slots=True)
class EvidenceSummary:
    """What all pairs together tell, and what was left out.

    Attributes:
        queries: Queries of which there is a pair.
        pairs: Queries and documents of which something is known.
        searches: Searches of the choice.
        searches_without_results: Those of which neither list nor ranks of impressions are told;
            none of their documents has an impression.
        unknown_slots: Places of lists whose document is not told.
        impressions: Of all pairs.
        clicks: Of all pairs.
        click_events: Of all pairs.
        off_list_clicks: Those of `clicks` on documents that their search is not known to have
            shown: they are in `clicks` of a pair, and in no estimate.
        clicks_without_rank: Click events whose rank the log does not tell. A document that was
            shown has the rank at which it was: such clicks count like all others.
        clicks_without_document: Click events that name no document, and no rank that tells one.
        impressions_without_rank: Logged impressions without rank or place, which count as none.
        unjoined_clicks: Click events of searches that the lake does not know and whose query they
            do not tell; they are in no pair.
        unjoined_impressions: The same of impressions.
        searches_of_events: Part of `searches`: those that events tell by a query text of their own
            (UBI), which differs from that of their search, or whose search is not known.
        more_clicks_than_impressions: Pairs with more click events than impressions. Clicks that
            repeat one of the same search count once, which caps most of them.
        not_capped: Those of them of which it still holds: a fault of the log; they have no
            estimates.
        never_shown: Those of these without any impression.
        flagged_searches: Searches of sessions that the lake's rules take for bots (online/bots.py),
            as far as the choice names them otherwise.
        flagged_left_out: Whether they are left out, and so not among `searches`.
        looked_down_to: The place down to which searches without click are taken as examined.
        priors: Of the measures.
        rank_ctr: By rank.
        by_model: Model version -> its searches.
    """

    queries: int
    pairs: int
    searches: int
    searches_without_results: int
    unknown_slots: int
    impressions: int
    clicks: int
    click_events: int
    off_list_clicks: int
    clicks_without_rank: int
    clicks_without_document: int
    impressions_without_rank: int
    unjoined_clicks: int
    unjoined_impressions: int
    searches_of_events: int
    more_clicks_than_impressions: int
    not_capped: int
    never_shown: int
    flagged_searches: int
    flagged_left_out: bool
    looked_down_to: int
    priors: Priors
    rank_ctr: list[RankCtr] = field(default_factory=list)
    by_model: dict[str, int] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """The same as nested objects; ranks in the list `rank_ctr`."""
        from dataclasses import asdict

        return asdict(self)


@dataclass(frozen=True, slots=True)
class EvidenceColumns:
    """Many pairs as numpy arrays of one length, for weak grades of millions at once.

    Attributes:
        query: As in `PairEvidence`; None where names were not asked for.
        doc_id: Likewise.
        impressions: Counts as in `PairEvidence`, as are the next eight.
        expected_clicks: As in `PairEvidence`.
        ctr: Shrunk means, as are the next three; NaN where `PairEvidence` has no value.
        sound: Whether the pair has estimates: False where it has more clicks than impressions.
    """

    impressions: "NDArray[int64]"
    clicks: "NDArray[int64]"
    click_events: "NDArray[int64]"
    shown_clicks: "NDArray[int64]"
    sessions: "NDArray[int64]"
    clicked_sessions: "NDArray[int64]"
    examined: "NDArray[int64]"
    last_clicks: "NDArray[int64]"
    skipped: "NDArray[int64]"
    expected_clicks: "NDArray[float64]"
    ctr: "NDArray[float64]"
    coec: "NDArray[float64]"
    sdbn: "NDArray[float64]"
    satisfaction: "NDArray[float64]"
    sound: "NDArray[bool_]"
    query: "NDArray[object_] | None" = None
    doc_id: "NDArray[object_] | None" = None

    def __len__(self) -> int:
        return len(self.impressions)


@dataclass(frozen=True, slots=True)
class Preference:
    """A document that was clicked though another stood above it, which was not clicked.

    Attributes:
        query: As in `PairEvidence`.
        preferred: The doc_id that was clicked.
        over: The doc_id that stood above it and was not.
        times: In how many searches.
    """

    query: str
    preferred: str
    over: str
    times: int
