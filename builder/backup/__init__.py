"""Backups of the database: copies on demand, one a day while the app runs, and back again.

A copy holds what the team cannot make again: grades, queries, people, guidelines, activity. Not in
it are workspace.toml, events, releases and results, which are files already.
"""

from builder.backup.copies import Backup, Copied, back_up_to, list_backups
from builder.backup.daily import (
    daily_problem,
    keep_daily_copies,
    make_daily_copy,
    stop_daily_copies,
)
from builder.backup.restore import Restored, restore_backup

__all__ = [
    "Backup",
    "Copied",
    "Restored",
    "back_up_to",
    "daily_problem",
    "keep_daily_copies",
    "list_backups",
    "make_daily_copy",
    "restore_backup",
    "stop_daily_copies",
]
