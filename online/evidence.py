"""Click evidence: what clicks tell of each query and document, with what is not known of it.

`find_evidence` counts it once for a choice of searches and state of the lake, and keeps it as one
Parquet file of integers; `Evidence` reads that file. What was shown, and in which search, is
decided in `online.evidence_searches`; the formulas are those of `online.click_models`.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args
from uuid import uuid4

from estimates import Estimate
from online.click_models import PARTS, Prior, RankCtr, ratio, share, shrunk
from online.connections import READER_MEMORY, literal, open_engine
from online.engines import Choice, Relation
from online.events import OnlineError
from online.evidence_counting import SUMMARY, read_summary, write_evidence
from online.evidence_records import (
    MORE_CLICKS,
    NEVER_CLICKED,
    NEVER_SHOWN,
    NOT_EXAMINED,
    EvidenceColumns,
    EvidenceSummary,
    PairEvidence,
    Preference,
    Priors,
)
from online.evidence_searches import group_keys
from online.kept import find_kept_file, kept_file
from online.lake import Connection, Lake, Progress
from online.preferences import preferences
from online.report import EVERYTHING

__all__ = [
    "Evidence", "EvidenceColumns", "EvidenceSummary", "Order", "PairEvidence", "Preference",
    "Prior", "Priors", "RankCtr", "find_evidence", "is_evidence_kept", "preferences",
]  # fmt: skip

Order: TypeAlias = Literal["clicks", "impressions", "ctr", "coec", "sdbn", "skipped", "query"]
ORDERS: tuple[Order, ...] = get_args(Order)
_MEASURES = {
    "ctr": ("shown_clicks", "impressions"),
    "coec": ("shown_clicks", "expected_clicks"),
    "sdbn": ("shown_clicks", "examined"),
    "satisfaction": ("last_clicks", "shown_clicks"),
}
"""Estimate -> what it is the share, or ratio, of."""
_COUNTS = (
    "impressions", "clicks", "click_events", "shown_clicks", "sessions", "clicked_sessions",
    "examined", "last_clicks", "skipped",
)  # fmt: skip


class Evidence:
    """The click evidence of a choice of searches, as it lies in its file.

    Attributes:
        file: One row a pair, as integers; it goes when the lake changes.
        summary: What all pairs together tell.
    """

    def __init__(self, file: Path) -> None:
        """Read what the file tells of itself.

        Raises:
            OnlineError: It is gone, as the lake changed.
        """
        self.file = file
        with self._open() as (connection, _):
            ((told,),) = connection.execute(
                "SELECT value FROM parquet_kv_metadata(?) WHERE key = ?", [literal(file), SUMMARY]
            ).fetchall()
        self.summary: EvidenceSummary = read_summary(told)

    def of_texts(self, texts: Sequence[str]) -> dict[str, list[PairEvidence]]:
        """Text -> the pairs of its query, most clicks first; [] where the log does not know it.

        Args:
            texts: Queries in any spelling; the keys of the answer are these texts.
        """
        with self._open() as (connection, pairs):
            keys = group_keys(connection, texts)
            key_of = dict(keys.project("query, group_key").fetchall())
            found = pairs.join(keys.project("group_key").distinct(), "group_key", how="semi")
            rows = _rows(found.order(_LOUDEST))
        of_key: dict[str, list[PairEvidence]] = {key: [] for key in key_of.values()}
        for row in rows:
            of_key[row["group_key"]].append(self._pair(row))
        return {text: of_key[key_of[text]] for text in texts}

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

        Raises:
            ValueError: There is no such order.
        """
        if order not in ORDERS:
            raise ValueError(f"there is no order {order!r}; there are {', '.join(ORDERS)}")
        with self._open() as (connection, pairs):
            found = _at_least(pairs, min_impressions, min_sessions)
            if text is not None:
                needle = group_keys(connection, [text]).project("group_key AS needle")
                found = found.join(needle, "contains(group_key, needle)").project(
                    "* EXCLUDE needle"
                )
            rows = _rows(found.order(self._in_order(order)).limit(n))
        return [self._pair(row) for row in rows]

    def count(self, min_impressions: int = 0, min_sessions: int = 0) -> int:
        """How many pairs have so many impressions and sessions."""
        with self._open() as (_, pairs):
            found = _at_least(pairs, min_impressions, min_sessions).aggregate("count(*)")
            return int(found.fetchall()[0][0])

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
            names: Whether `query` and `doc_id` are wanted; pairs then come by query, most clicks
                first.
        """
        with self._open() as (connection, pairs):
            found = _at_least(pairs, min_impressions, min_sessions)
            if texts is not None:
                keys = group_keys(connection, texts).project("group_key").distinct()
                found = found.join(keys, "group_key", how="semi")
            wanted = [*_COUNTS, "expected_parts", *(("group_key", "doc_id") if names else ())]
            found = found.order(_LOUDEST) if names else found
            arrays = found.project(", ".join(wanted)).fetchnumpy()
        return self._columns(arrays)

    def _columns(self, arrays: dict[str, Any]) -> EvidenceColumns:
        import numpy as np

        told: dict[str, Any] = {name: arrays[name] for name in _COUNTS}
        told["expected_clicks"] = arrays["expected_parts"] / PARTS
        sound = arrays["clicks"] <= arrays["impressions"]
        for measure, (hits, of) in _MEASURES.items():
            values = shrunk(told[hits], told[of], getattr(self.summary.priors, measure))
            told[measure] = np.where(sound & (told[of] > 0), values, np.nan)
        told |= {"query": arrays.get("group_key"), "doc_id": arrays.get("doc_id")}
        return EvidenceColumns(**told, sound=sound)

    @contextmanager
    def _open(self) -> "Iterator[tuple[Connection, Relation]]":
        """A connection, and the pairs."""
        if not self.file.exists():
            what = "the events changed since their click evidence was counted"
            raise OnlineError(what, where=str(self.file), hint="ask for it again")
        spill = self.file.parent.parent / f".spill-{uuid4().hex}"
        with open_engine(spill, READER_MEMORY) as connection:
            yield connection, connection.read_parquet(literal(self.file))

    def _in_order(self, order: Order) -> str:
        if order == "query":
            return _LOUDEST
        if order not in _MEASURES:
            return f"{order} DESC, {_LOUDEST}"
        prior: Prior = getattr(self.summary.priors, order)
        hits, of = _MEASURES[order]
        of = of.replace("expected_clicks", f"expected_parts / {PARTS}.0")
        value = f"({hits} + {prior.strength * prior.mean!r}) / ({of} + {prior.strength!r})"
        exists = f"clicks <= impressions AND {of} > 0"
        return f"CASE WHEN {exists} THEN {value} END DESC NULLS LAST, clicks DESC, {_LOUDEST}"

    def _pair(self, row: dict[str, Any]) -> PairEvidence:
        priors, shown = self.summary.priors, row["shown_clicks"]
        impressions, expected = row["impressions"], row["expected_parts"] / PARTS
        return PairEvidence(
            query=row["group_key"],
            doc_id=row["doc_id"],
            **{name: row[name] for name in _COUNTS},
            ctr=_fault(row) or share(shown, impressions, priors.ctr),
            coec=_fault(row) or _ratio(shown, expected, priors.coec, impressions),
            sdbn=_fault(row) or _share(shown, row["examined"], priors.sdbn, NOT_EXAMINED),
            satisfaction=_fault(row)
            or _share(row["last_clicks"], shown, priors.satisfaction, NEVER_CLICKED),
            expected_clicks=expected,
            mean_rank=row["rank_sum"] / impressions if impressions else None,
        )


_LOUDEST = "group_key, clicks DESC, impressions DESC, doc_id"


def _fault(row: dict[str, Any]) -> Estimate | None:
    """Why the pair has no estimates; None where it has."""
    if row["clicks"] <= row["impressions"]:
        return None
    reason = MORE_CLICKS if row["impressions"] else NEVER_SHOWN
    return Estimate.undefined(reason, row["impressions"])


def _share(hits: int, of: int, prior: Prior, otherwise: str) -> Estimate:
    return share(hits, of, prior) if of else Estimate.undefined(otherwise)


def _ratio(clicks: int, expected: float, prior: Prior, n: int) -> Estimate:
    if not expected:
        return Estimate.undefined(NOT_EXAMINED, n)
    return ratio(clicks, expected, prior, n)


def _at_least(pairs: Relation, impressions: int, sessions: int) -> Relation:
    return pairs.filter(f"impressions >= {int(impressions)} AND sessions >= {int(sessions)}")


def _rows(found: Relation) -> list[dict[str, Any]]:
    names = found.columns
    return [dict(zip(names, row, strict=True)) for row in found.fetchall()]


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
        OnlineError: The choice makes no sense, the lake is damaged, or it changed meanwhile.
    """

    def write(file: Path) -> None:
        with lake.connect() as connection:
            write_evidence(connection, choice, file, progress)

    return Evidence(kept_file(cache_folder, lake, _question(choice), write))


def is_evidence_kept(lake: Lake, cache_folder: Path, choice: Choice = EVERYTHING) -> bool:
    """Whether `find_evidence` would find it, and need not count; a matter of milliseconds.

    Args:
        lake: The events.
        cache_folder: Of the workspace.
        choice: Which searches count.

    Raises:
        OnlineError: The lake's manifest is damaged or lost.
    """
    return find_kept_file(cache_folder, lake, _question(choice)) is not None


def _question(choice: Choice) -> dict[str, Choice]:
    return {"evidence": choice}
