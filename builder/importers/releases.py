"""What a release says of itself and its rows do not hold: who is left out, what the grades are.

An import cannot carry over that a rater is left out, for here another may decide so; nor a mark
into a workspace that has grades of its own. What is not carried over is told in a note.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Self

from builder.importers.intake import Intake, named, note
from builder.importers.rows import shown
from builder.settings import Marks, add_marks, read_settings
from builder.store import Connection
from builder.store.adjudications import excluded_raters
from builder.store.judgments import current_grades
from builder.workspace import SETTINGS_FILE, Workspace

PROVENANCE: Final = "goldsmith.json"
RAW_FILE: Final = "judgments.jsonl"
LONGEST_FILE: Final = 1 << 24
LONGEST_MARK: Final = 60


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A rater whose grades did not count in the release: pseudonym, grades and why."""

    rater: str
    grades: int
    reason: str


@dataclass(frozen=True, slots=True)
class ReleaseNotes:
    """What a release says of itself.

    Attributes:
        left_out: Raters whose grades did not count.
        mark: What its grades really are, such as "illustrative"; "" where they are what they seem.
        with_raters: Whether its raw grades are imported, those of raters who are left out too.
        weak_labels: How many labels of it were made of clicks; they are no judgments.
        unvalidated: How many synthetic queries of it rest on the grade of a language model.
    """

    left_out: tuple[LeftOut, ...] = ()
    mark: str = ""
    with_raters: bool = False
    weak_labels: int = 0
    unvalidated: int = 0

    @classmethod
    def of_folder(cls, folder: Path, *, with_raters: bool = False) -> Self:
        """What the folder's goldsmith.json says; nothing where there is none that can be read."""
        told = _document(folder / PROVENANCE)
        rows = _table(told.get("aggregation")).get("excluded_raters")
        left_out = tuple(map(_left_out, rows)) if isinstance(rows, list) else ()
        mark = _table(told.get("marks")).get("grades")
        weak = _table(told.get("weak_labels")).get("labels")
        unvalidated = _table(told.get("synthetic")).get("unvalidated")
        return cls(
            left_out,
            mark if isinstance(mark, str) else "",
            with_raters,
            weak if isinstance(weak, int) and not with_raters else 0,
            unvalidated if isinstance(unvalidated, int) and not with_raters else 0,
        )

    @classmethod
    def of_file(cls, file: Path) -> Self:
        """Of the raw grades of a release; nothing for any other file."""
        if file.name != RAW_FILE:
            return cls()
        return cls.of_folder(file.parent, with_raters=True)

    def tell(self, intake: Intake, workspace: Workspace, *, is_first: bool) -> None:
        """Write into the notes what is not carried over, and keep the mark where that is right.

        Args:
            intake: Its rows are in the store.
            workspace: Where to.
            is_first: Whether there were no grades before.
        """
        here = excluded_raters(intake.connection) if self.with_raters else {}
        for row in self.left_out:
            if row.rater not in here:
                named(intake.tally, "left_out_by_release", self._told(row))
        note(intake.tally, "weak_labels_left_out", self.weak_labels)
        if self.unvalidated:
            named(intake.tally, "grades_of_models", self._told_models())
        if self.mark and intake.tally.accepted:
            self._tell_mark(intake, workspace, is_first=is_first)

    def _told(self, row: LeftOut) -> str:
        why = f" ({shown(row.reason)})" if row.reason else ""
        plural = "" if row.grades == 1 else "s"
        told = f"{shown(row.rater)}, {row.grades:,} grade{plural}{why}"
        if self.with_raters:
            return f"{told}: they count here until the rater is left out on the page Raters"
        return f"{told}: they are not in the qrels"

    def _told_models(self) -> str:
        """Qrels do not say which grade a person gave."""
        return (
            f"{self.unvalidated:,} synthetic queries rest on the grade of a language model, which "
            f"counts as an imported one here; {RAW_FILE} of the release tells them apart"
        )

    def _tell_mark(self, intake: Intake, workspace: Workspace, *, is_first: bool) -> None:
        if workspace.settings.marks.grades == self.mark:
            return
        if is_first and _can_keep(workspace, self.mark):
            file = workspace.root / SETTINGS_FILE
            add_marks(file, Marks(grades=self.mark))
            workspace.settings = read_settings(file)
            note(intake.tally, "mark_kept", 1)
            intake.tally.named["mark_kept"] = [f"the grades are {shown(self.mark)}"]
            return
        note(intake.tally, "mark_not_kept", 1)
        intake.tally.named["mark_not_kept"] = [
            f"in the release the grades are {shown(self.mark)}; where that holds for all grades "
            f"here, write it into {SETTINGS_FILE}, table [marks], key grades"
        ]


def has_grades(connection: Connection) -> bool:
    """Whether anybody has graded anything that stands."""
    return any(row.grade is not None for row in current_grades(connection))


def _can_keep(workspace: Workspace, mark: str) -> bool:
    """Whether the settings say nothing of marks, and the mark is one that they can hold."""
    fits = len(mark) <= LONGEST_MARK and mark.isprintable()
    return fits and "marks" not in workspace.settings.model_fields_set


def _document(file: Path) -> Mapping[str, Any]:
    """The JSON object in the file; empty where it is absent, too long or something else."""
    try:
        if file.stat().st_size > LONGEST_FILE:
            return {}
        return _table(json.loads(file.read_bytes()))
    except (OSError, ValueError, RecursionError):
        return {}


def _table(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _left_out(row: object) -> LeftOut:
    told = _table(row)
    grades = told.get("grades")
    return LeftOut(
        str(told.get("rater", "")),
        grades if isinstance(grades, int) else 0,
        " ".join(str(told.get("reason") or "").split()),
    )
