"""A copy a day while the app runs: made by one process, the last seven kept, failures told."""

import threading
from datetime import UTC, datetime
from pathlib import Path
from weakref import WeakKeyDictionary

from builder.backup.copies import DAILY_NAME, backups_folder
from builder.errors import BuilderError
from builder.store import Store, activity
from builder.store.copies import copy_database
from builder.store.guidelines_file import settle
from builder.workspace import Workspace

KEPT_DAYS = 7
RETRY_SECONDS = 3600.0
LOOK_SECONDS = 60.0
"""How often the clock is looked at: a machine that slept does not know of its midnight."""

_APP = "app"
_MADE, _FAILED = "backup.daily", "backup.daily.failed"
_LOCK = ".daily.lock"


def make_daily_copy(workspace: Workspace, now: datetime | None = None) -> Path | None:
    """Make the copy of this UTC day and remove those that are too old.

    Args:
        workspace: Whose database.
        now: This moment.

    Returns:
        The copy; None if there is one already or another process is making it.

    Raises:
        BuilderError: It cannot be made.
        OSError: The folder cannot be written.
    """
    from filelock import FileLock, Timeout

    day = (now or datetime.now(UTC)).astimezone(UTC).date()
    folder = backups_folder(workspace.root)
    copy = folder / f"daily-{day.isoformat()}.db"
    if copy.exists():
        return None
    try:
        with FileLock(folder / _LOCK, timeout=0):
            return None if copy.exists() else _make(workspace, copy)
    except Timeout:
        return None


def daily_problem(workspace: Workspace) -> str:
    """Why the last daily copy could not be made, a sentence; "" if it could, or none was due."""
    with workspace.store.read() as connection:
        latest = activity.entries(connection, limit=1, prefix=_MADE)
    told = _untold(workspace.store)
    if told or not latest or latest[0].action != _FAILED:
        return told
    return str(latest[0].details.get("reason", ""))


def keep_daily_copies(workspace: Workspace) -> None:
    """From now on make the copy of each day, in a thread of this process; again is harmless."""
    if workspace not in _KEEPERS:
        _KEEPERS[workspace] = keeper = _Keeper(workspace)
        keeper.start()


def stop_daily_copies(workspace: Workspace) -> None:
    """Make no more copies; one that is being made is finished."""
    keeper = _KEEPERS.pop(workspace, None)
    if keeper is not None:
        keeper.stop()


def _make(workspace: Workspace, copy: Path) -> Path:
    settle(workspace.store, workspace.guidelines_file)
    copy_database(workspace.store.path, copy)
    with workspace.store.write() as connection:
        details = {"bytes": copy.stat().st_size}
        activity.note(connection, _APP, _MADE, copy.name, details)
    _remove_old(copy.parent, copy)
    return copy


def _remove_old(folder: Path, newest: Path) -> None:
    """Remove daily copies but the last seven; no other file, whatever it is called."""
    daily = sorted(file for file in folder.iterdir() if DAILY_NAME.fullmatch(file.name))
    for file in daily[:-KEPT_DAYS]:
        if file != newest:
            file.unlink(missing_ok=True)
    for unfinished in folder.glob(".daily-*.part*"):
        # Of a process that was killed: we hold the lock, so nobody is writing it.
        unfinished.unlink(missing_ok=True)


class _Keeper(threading.Thread):
    """Looks at the clock and makes the copy of each day."""

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(name="daily-copies", daemon=True)
        self._workspace = workspace
        self._over = threading.Event()

    def run(self) -> None:
        """Make a copy at once and whenever a day begins; after a failure try again each hour."""
        wait = 0.0
        while not self._over.wait(wait):
            wait = LOOK_SECONDS if self._copied() else RETRY_SECONDS

    def stop(self) -> None:
        """End once the copy in hand is done."""
        self._over.set()
        self.join()

    def _copied(self) -> bool:
        """Make the copy that is due; whether nothing went wrong."""
        try:
            make_daily_copy(self._workspace)
        except Exception as error:  # noqa: BLE001 - whatever it is, people are told, and grade on
            _tell(self._workspace, _reason(error))
            return False
        _UNTOLD.pop(self._workspace.store, None)
        return True


def _reason(error: Exception) -> str:
    if isinstance(error, BuilderError):
        return error.message
    if isinstance(error, OSError) and error.strerror:
        return f"{error.strerror}."
    return f"{type(error).__name__}: {error}"


def _tell(workspace: Workspace, reason: str) -> None:
    """Note the failure in the log of activity; where that fails too, in this process's memory."""
    _UNTOLD[workspace.store] = reason
    try:
        with workspace.store.write() as connection:
            activity.note(connection, _APP, _FAILED, details={"reason": reason})
    except BuilderError:
        return
    _UNTOLD.pop(workspace.store, None)


def _untold(store: Store) -> str:
    return _UNTOLD.get(store, "")


_KEEPERS: WeakKeyDictionary[Workspace, _Keeper] = WeakKeyDictionary()
_UNTOLD: WeakKeyDictionary[Store, str] = WeakKeyDictionary()
