"""Click evidence: what clicks tell of each query and document, with what is not known of it."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Literal, TypeAlias

from online.click_models import Prior, RankCtr
from online.engines import Choice
from online.evidence_records import (
    EvidenceColumns,
    EvidenceSummary,
    PairEvidence,
    Preference,
    Priors,
)
from online.lake import Lake, Progress
from online.report import EVERYTHING

__all__ = [
    "Evidence", "EvidenceColumns", "EvidenceSummary", "Order", "PairEvidence", "Preference",
    "Prior", "Priors", "RankCtr", "find_evidence", "preferences",
]  # fmt: skip

Order: TypeAlias = Literal["clicks", "impressions", "ctr", "coec", "sdbn", "skipped", "query"]


class Evidence:
    """The click evidence of a choice of searches, as it lies in its file.

    Attributes:
        file: One row a pair, as integers; it goes when the lake changes.
        summary: What all pairs together tell.
    """

    def __init__(self, file: Path, summary: EvidenceSummary) -> None:
        self.file = file
        self.summary = summary

    def of_texts(self, texts: Sequence[str]) -> dict[str, list[PairEvidence]]:
        """Text -> the pairs of its query, most clicks first; [] where the log does not know it.

        Args:
            texts: Queries in any spelling; the keys of the answer are these texts.
        """
        raise NotImplementedError

    def first(
        self,
        order: Order,
        n: int,
        *,
        text: str | None = None,
        min_impressions: int = 0,
        min_sessions: int = 0,
    ) -> list[PairEvidence]:
        """The first pairs in an order, highest first ("query": from A on, then most clicks).

        Args:
            order: Attribute of `PairEvidence`; estimates by their shrunk value, none last.
            n: How many at most.
            text: Only those whose query holds this text, in any spelling.
            min_impressions: Only those with so many impressions.
            min_sessions: Only those shown in so many sessions.
        """
        raise NotImplementedError

    def count(self, min_impressions: int = 0, min_sessions: int = 0) -> int:
        """How many pairs have so many impressions and sessions."""
        raise NotImplementedError

    def columns(
        self,
        texts: Sequence[str] | None = None,
        min_impressions: int = 0,
        min_sessions: int = 0,
        *,
        names: bool = False,
    ) -> EvidenceColumns:
        """Pairs as arrays: 120 bytes a pair, with `names` the texts of query and document too.

        Args:
            texts: Only the pairs of these queries, in any spelling; None all.
            min_impressions: Only those with so many impressions.
            min_sessions: Only those shown in so many sessions.
            names: Whether `query` and `doc_id` are wanted.
        """
        raise NotImplementedError


def find_evidence(
    lake: Lake,
    cache_folder: Path,
    choice: Choice = EVERYTHING,
    progress: Progress | None = None,
) -> Evidence:
    """The click evidence of a choice: counted, or found where it was kept.

    Args:
        lake: The events.
        cache_folder: Of the workspace; the file lies in its folder `online`.
        choice: Which searches count.
        progress: Told what is done; may raise to cancel.

    Raises:
        OnlineError: The choice makes no sense, or the lake is damaged.
    """
    raise NotImplementedError


def preferences(
    lake: Lake,
    choice: Choice = EVERYTHING,
    *,
    texts: Iterable[str] | None = None,
    min_times: int = 1,
    most: int = 10_000,
) -> list[Preference]:
    """Pairs of documents of which the lower one was clicked and the upper one was not.

    Joachims (2002), Optimizing search engines using clickthrough data, section 3 ("skip above").

    Args:
        lake: The events.
        choice: Which searches count.
        texts: Only these queries, in any spelling; None all.
        min_times: Only preferences that so many searches show.
        most: How many at most, those of most searches first.

    Raises:
        OnlineError: The choice makes no sense, or the lake is damaged.
    """
    raise NotImplementedError
