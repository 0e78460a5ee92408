"""Agreement and raters in one report: computed in the background, kept, and never in the way.

Reading takes one short transaction, in which no writer waits; whatever takes time comes after it.
"""

import os
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from builder.jobs import Job, read_job, recent_jobs, start_job
from builder.judging.kept_trust import KeptReport, Report, keep_report, kept_report
from builder.store import Store
from builder.store.moments import now_text
from builder.store.ratings import Ratings
from builder.store.repeats import Repeats
from builder.store.trust_marks import (
    Marks,
    count_grades_of_people,
    count_newer_grades,
    read_marks,
)
from builder.workspace import Workspace
from evals.records import Progress

if TYPE_CHECKING:
    from builder.judging.agreement import Disagreements

__all__ = [
    "INLINE_GRADES",
    "JOB",
    "TrustView",
    "compute_trust",
    "current_trust",
    "report_of",
    "trust_job",
    "trust_report",
]

JOB = "trust"
"""The kind of the job that computes the report."""

INLINE_GRADES = 20_000
"""With more grades of people than this the report is computed by a job."""

QUICK_SECONDS = 1.0
"""A report that takes longer is not made anew for each new grade ..."""
RESTS = 10
"""... but left as it is for so many times as long as it took, ..."""
SHORTEST_REST = 30.0
"""... and by a job no oftener than after so many seconds."""

_TARGET = "builder.judging.trust:trust_job"
_STARTED_BY = "goldsmith"
_STEPS = 5
_LATEST_JOBS = 50

_COMPUTING: WeakKeyDictionary[Store, threading.Lock] = WeakKeyDictionary()


@dataclass(frozen=True, slots=True)
class TrustView:
    """What there is to show of agreement and raters.

    Attributes:
        report: What `compute_trust` found; None while there is none. Nobody changes it.
        made_at: When its grades were read, ISO 8601 in UTC; None without a report.
        is_fresh: Whether it is of the grades, queries and exclusions of this moment.
        newer_grades: How many grades people gave since, corrections included.
        job: What computes a newer one, or why there is none yet: a job that failed or was
            cancelled. None while nothing is computed.
    """

    report: Report | None
    made_at: str | None
    is_fresh: bool
    newer_grades: int = 0
    job: Job | None = None


def trust_report(workspace: Workspace, *, again: bool = False) -> TrustView:
    """The report as it stands, at once; of many grades a newer one is computed meanwhile.

    With few grades (at most INLINE_GRADES) it is computed here if something has changed. With more,
    one job computes it, and the older report is shown until it is done. While raters grade it would
    always be old: so it rests for ten times as long as computing took, unless a rater was left out
    or queries have changed. A job that failed or was cancelled is not started anew for a while.

    Args:
        workspace: Whose grades.
        again: Start a job that failed or was cancelled anew.
    """
    with workspace.store.read() as connection:
        marks = read_marks(connection)
        few = count_grades_of_people(connection, INLINE_GRADES + 1) <= INLINE_GRADES
    kept = _kept(workspace, marks)
    if few and not _may_stay(kept, marks, shortest=0.0):
        kept, marks = _computed_here(workspace, marks)
    if kept is not None and kept.marks == marks:
        return TrustView(kept.report, kept.made_at, is_fresh=True)
    job = None if few else _job(workspace, kept, marks, again=again)
    if kept is None:
        return TrustView(None, None, is_fresh=False, job=job)
    with workspace.store.read() as connection:
        newer = count_newer_grades(connection, kept.marks.judgment_id)
    return TrustView(kept.report, kept.made_at, is_fresh=False, newer_grades=newer, job=job)


def current_trust(workspace: Workspace, progress: Progress | None = None) -> Report:
    """The report of this moment: the kept one if nothing has changed since, else a new one.

    Args:
        workspace: Whose grades.
        progress: Hears of each step; may raise to stop.
    """
    with workspace.store.read() as connection:
        marks = read_marks(connection)
    kept = _kept(workspace, marks)
    if kept is None or kept.marks != marks:
        kept = _made_and_kept(workspace, progress)
    return kept.report


def compute_trust(workspace: Workspace, progress: Progress | None = None) -> Report:
    """The report, computed whatever is kept.

    Args:
        workspace: Whose grades.
        progress: Hears of each step; may raise to stop.

    Returns:
        As `report_of`.
    """
    return _made(workspace, progress).report


def report_of(ratings: Ratings, repeats: Repeats, progress: Progress | None = None) -> Report:
    """Agreement, its slices, the raters, and the pairs on which they differ; plain JSON.

    Args:
        ratings: The grades of people.
        repeats: What raters graded twice.
        progress: Hears of each step; may raise to stop.

    Returns:
        agreement (as `agreement_of`, with the raters' flags), slices (as `slices`), raters (as
        `rater_profiles`), disagreements ([{pair_id, low, high, n}], the widest spread first) and
        disputed (the pair_ids among them that an analyst should decide, decided ones included).
    """
    from builder.judging.agreement import agreement_of, disagreements, disputed, slices
    from builder.judging.raters import rater_profiles

    _tell(progress, "comparing the raters", 1)
    raters = rater_profiles(ratings, repeats)
    flags = {
        rater["rater"]: [flag["code"] for flag in rater["flags"]]
        for rater in raters
        if rater["excluded"] is None
    }
    _tell(progress, "computing agreement", 2)
    agreement = agreement_of(ratings, flags=flags)
    _tell(progress, "computing agreement by tag, query and week", 3)
    by = slices(ratings)
    _tell(progress, "listing disagreements", 4)
    return {
        "agreement": agreement,
        "slices": by,
        "raters": raters,
        "disagreements": _rows(disagreements(ratings)),
        "disputed": disputed(ratings).pair.tolist(),
    }


def _rows(found: "Disagreements") -> list[dict[str, int]]:
    columns = (found.pair.tolist(), found.low.tolist(), found.high.tolist(), found.n.tolist())
    return [
        {"pair_id": pair_id, "low": low, "high": high, "n": n}
        for pair_id, low, high, n in zip(*columns, strict=True)
    ]


def trust_job(
    workspace: Workspace, _parameters: Mapping[str, Any], progress: Progress
) -> dict[str, Any]:
    """The job that computes the report and keeps it; how many grades it is of, and the seconds."""
    if hasattr(os, "nice"):
        os.nice(10)  # whoever grades comes first
    kept = _made(workspace, progress)
    keep_report(workspace, kept)
    return {"grades": kept.report["agreement"]["n_grades"], "seconds": round(kept.seconds, 1)}


def _made(workspace: Workspace, progress: Progress | None) -> KeptReport:
    from builder.store.ratings_reading import read_ratings
    from builder.store.repeats_reading import read_repeats

    began, made_at = time.monotonic(), now_text()
    _tell(progress, "reading the grades", 0)
    with workspace.store.read() as connection:
        marks = read_marks(connection)
        ratings, repeats = read_ratings(connection), read_repeats(connection)
    report = report_of(ratings, repeats, progress)
    return KeptReport(report, marks, made_at, time.monotonic() - began)


def _made_and_kept(workspace: Workspace, progress: Progress | None) -> KeptReport:
    """A new report, in the cache if there is room: what cannot be kept is shown all the same."""
    made = _made(workspace, progress)
    with suppress(OSError):
        keep_report(workspace, made)
    return made


def _tell(progress: Progress | None, what: str, done: int) -> None:
    if progress is not None:
        progress(what, done, _STEPS)


def _kept(workspace: Workspace, marks: Marks) -> KeptReport | None:
    """The kept report, if it is of this content: after a restore its pairs may be other ones."""
    kept = kept_report(workspace)
    return kept if kept is not None and kept.marks.content == marks.content else None


def _computed_here(workspace: Workspace, marks: Marks) -> tuple[KeptReport, Marks]:
    """A new report, and what it is of; of several who ask at once one computes."""
    with _COMPUTING.setdefault(workspace.store, threading.Lock()):
        kept = _kept(workspace, marks)
        if kept is None or kept.marks != marks:
            kept = _made_and_kept(workspace, None)
    return kept, kept.marks


def _may_stay(kept: KeptReport | None, marks: Marks, shortest: float) -> bool:
    """Whether nothing has changed, or nothing but grades, and that for a short while.

    Args:
        kept: The kept report.
        marks: What there is now.
        shortest: So many seconds it stays at least where grades came in.
    """
    if kept is None:
        return False
    rest = RESTS * kept.seconds if kept.seconds > QUICK_SECONDS else 0.0
    newer = replace(kept.marks, judgment_id=marks.judgment_id, standing=marks.standing)
    return kept.marks == marks or (newer == marks and _age(kept.made_at) < max(shortest, rest))


def _job(workspace: Workspace, kept: KeptReport | None, marks: Marks, *, again: bool) -> Job | None:
    """The job that computes, the one that did not get done, or None while the report rests."""
    latest = _latest_job(workspace)
    if latest is not None and latest.active:
        return latest
    if not again:
        if _may_stay(kept, marks, shortest=SHORTEST_REST):
            return None
        if latest is not None and _was_in_vain(latest, kept):
            return latest
    return read_job(workspace, start_job(workspace, JOB, _TARGET, {}, _STARTED_BY, noted=False))


def _was_in_vain(job: Job, kept: KeptReport | None) -> bool:
    """Whether the job ended just now without a report of its own that can be read."""
    if job.finished_at is None or _age(job.finished_at) > SHORTEST_REST:
        return False
    return kept is None or kept.made_at < job.created_at


def _latest_job(workspace: Workspace) -> Job | None:
    jobs = recent_jobs(workspace, _LATEST_JOBS)
    return next((job for job in jobs if job.kind == JOB), None)


def _age(moment: str) -> float:
    """Seconds since then."""
    return (datetime.now(UTC) - datetime.fromisoformat(moment)).total_seconds()
