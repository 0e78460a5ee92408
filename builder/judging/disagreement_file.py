"""All disagreements as one CSV file that no spreadsheet runs: at once, or many by a job."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any
from uuid import uuid4

from builder.judging.disagreement_list import Listed, Report, Wanted, all_disagreements, list_page
from builder.judging.trust import current_trust
from builder.people import Person, authorize
from builder.spreadsheets import safe_csv, safe_csv_lines
from builder.workspace import Workspace
from evals.records import Progress

__all__ = ["JOB", "JOB_TARGET", "disagreements_csv", "disagreements_job"]

JOB = "disagreements"
JOB_TARGET = "builder.judging.disagreement_file:disagreements_job"

COLUMNS = (
    *("query-id", "query", "corpus-id", "title", "lowest", "highest", "disputed", "decided"),
    *("rater", "grade", "comment", "timestamp", "left_out"),
)
_TELL_EVERY = 1000


def disagreements_csv(
    workspace: Workspace, actor: Person | None, report: Report, wanted: Wanted
) -> bytes:
    """All that are wanted, a row a grade.

    Raises:
        NotAllowedError: The actor is no analyst.
    """
    authorize(workspace, actor, "analyst")
    rows = all_disagreements(workspace, report, wanted)
    return safe_csv(COLUMNS, (cells for row in rows for cells in _cells(row)))


def disagreements_job(
    workspace: Workspace, parameters: Mapping[str, Any], progress: Progress
) -> dict[str, Any]:
    """The job that writes the file for the browser; `parameters`: tag and disputed_only.

    It is of the grades of this moment. What older jobs left is removed.

    Returns:
        file (its path), pairs (how many), tag and disputed_only.
    """
    wanted = Wanted(**parameters)
    report = current_trust(workspace, progress)
    total = list_page(workspace, report, wanted).total
    out = _new_file(workspace)
    with out.open("w", encoding="utf-8", newline="") as file:
        rows = _told(all_disagreements(workspace, report, wanted), total, progress)
        file.writelines(safe_csv_lines(COLUMNS, rows))
    return {"file": str(out), "pairs": total, **asdict(wanted)}


def _new_file(workspace: Workspace) -> Path:
    folder = workspace.cache_folder / "downloads"
    folder.mkdir(exist_ok=True)
    for old in folder.glob("disagreements-*"):
        old.unlink(missing_ok=True)
    return folder / f"disagreements-{uuid4().hex[:8]}.csv"


def _told(rows: Iterator[Listed], total: int, progress: Progress) -> Iterator[tuple[object, ...]]:
    for done, row in enumerate(rows):
        if done % _TELL_EVERY == 0:
            progress("writing the disagreements", done, total)
        yield from _cells(row)


def _cells(row: Listed) -> Iterator[tuple[object, ...]]:
    pair, decided = row.pair, None if row.decision is None else row.decision.grade
    texts = (pair.query_id, pair.query, pair.doc_id, pair.title)
    disputed = "yes" if row.disputed else "no"
    for given in pair.grades:
        left_out = "yes" if given.excluded else "no"
        said = (given.rater, given.grade, given.comment, given.moment, left_out)
        yield (*texts, row.low, row.high, disputed, decided, *said)
