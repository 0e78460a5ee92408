"""Copies of the database on screen, and what keeps the daily one from being made."""

from collections.abc import Sequence

import streamlit as st

from builder.backup import Backup, daily_problem, list_backups
from builder.workspace import Workspace
from ui.frame import muted, note, sentence
from ui.guidelines import local_time
from ui.tables import Column, table

_KINDS = {
    "daily": "each day",
    "upgrade": "before an upgrade",
    "replaced": "before a restore",
    "other": "by hand",
}
_MEGABYTE = 1_000_000


def show_daily_problem(workspace: Workspace) -> None:
    """Say that the last daily copy could not be made, if so; else nothing."""
    if problem := daily_problem(workspace):
        note(
            "The daily copy of the database could not be made.",
            sentence(problem),
            "Grading goes on; Goldsmith tries again each hour. Until then make a copy by hand: "
            "goldsmith backup OUT",
            kind="warning",
        )


def show_backups(workspace: Workspace) -> None:
    """The copies in the folder backups, newest first, unfolded on demand."""
    show_daily_problem(workspace)
    copies = list_backups(workspace)
    with st.expander("Backups of the database", icon=":material/backup:"):
        if copies:
            _show_copies(workspace, copies)
        else:
            muted("There is none yet. One is made each day while the app runs.")


def _show_copies(workspace: Workspace, copies: Sequence[Backup]) -> None:
    muted(
        "In the folder backups of the workspace: best copied to another disk, too. "
        "goldsmith restore FILE brings one back."
    )
    columns = [Column("file"), Column("made"), Column("when"), Column("MB", numeric=True)]
    zone = workspace.settings.timezone
    st.html(table(columns, [_row(copy, zone) for copy in copies]))


def _row(copy: Backup, zone: str) -> list[str]:
    made_at = local_time(copy.made_at.isoformat(), zone)
    return [copy.file.name, _KINDS[copy.kind], made_at, f"{copy.size / _MEGABYTE:,.1f}"]
