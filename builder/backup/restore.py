"""Back again: the content of a copy takes the place of the present one, which is kept first."""

import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from shutil import copyfile

from builder.backup.copies import TERMINAL, backups_folder
from builder.errors import BuilderError, WorkspaceError
from builder.people import Person, require
from builder.settings import read_settings
from builder.store import Connection, activity, open_store
from builder.store import guidelines as versions
from builder.store.copies import (
    check_columns,
    check_database,
    copy_database,
    flush,
    match_page_size,
    replace_content,
)
from builder.store.guidelines_file import read_file, settle
from builder.store.history import count_log
from builder.store.quota import QuotaRule, apply_rule, needs_rule, note_other_content
from builder.store.rechecks import reopen_rechecks
from builder.workspace import DATABASE_FILE, GUIDELINES_FILE, SETTINGS_FILE

_SIDE_FILES = ("", "-wal", "-shm")


@dataclass(frozen=True, slots=True)
class Restored:
    """What came of a restore.

    Attributes:
        file: The copy that was restored, absolute.
        revision: Of which schema it was; an older one was upgraded.
        judgments: Rows of the log that are there now.
        guidelines_version: The current guidelines; guidelines.md has this text. None: the copy
            held none, and guidelines.md stays as it was.
        kept: The copy of what was there before; None if nothing was.
        restart: Whether an app that runs on this workspace must be started anew: the database was
            absent or damaged, and a new file took its place.
    """

    file: Path
    revision: str
    judgments: int
    guidelines_version: int | None
    kept: Path | None
    restart: bool


@dataclass(frozen=True, slots=True)
class _Staged:
    """The copy, checked and upgraded, ready to take the place of the present database."""

    path: Path
    revision: str
    judgments: int


def restore_backup(root: Path, file: Path, actor: Person | None = None) -> Restored:
    """Replace the content of the workspace's database by that of a copy; the app may be running.

    Before that the copy is checked and, where its schema is older, upgraded (the file itself stays
    as it is), and the present database is copied into `backups`, with every grade that was
    acknowledged. guidelines.md follows: it gets the text that was the current one in the copy; what
    it said is kept beside the present database's copy.

    Args:
        root: The workspace's folder; its database may be absent or damaged.
        file: A copy as `back_up_to` makes it, or any workbench.db.
        actor: Who restores it; None for the terminal.

    Raises:
        NotAllowedError: The actor is no admin.
        BuilderError: The copy is absent, damaged, none of ours or of a newer Goldsmith, or the
            present database cannot be kept, or workspace.toml not be read; nothing was changed.
    """
    if actor is not None:
        require(actor, "admin")
    root, file = root.absolute(), file.absolute()
    _refuse_place(root, file)
    (root / "cache").mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="restore-", dir=root / "cache") as scratch:
        by = actor.name if actor else TERMINAL
        with _named(file, Path(scratch) / DATABASE_FILE):
            staged = _stage(file, Path(scratch), root, by)
        kept, restart = _put_in_place(root, staged)
    return Restored(
        file, staged.revision, staged.judgments, _settled_guidelines(root), kept, restart
    )


def _refuse_place(root: Path, file: Path) -> None:
    if not (root / SETTINGS_FILE).is_file():
        raise WorkspaceError(
            f"This folder is no workspace: {SETTINGS_FILE} is not there.",
            where=str(root),
            hint="Make one with `goldsmith init` first, then restore into it.",
        )
    if not file.is_file():
        raise BuilderError(
            "There is no such file.", where=str(file), hint=f"Copies may lie in {root / 'backups'}."
        )
    if file.resolve() == (root / DATABASE_FILE).resolve():
        raise BuilderError("That is the database itself.", where=str(file), hint="Name a copy.")


@contextmanager
def _named(file: Path, staged: Path) -> Iterator[None]:
    """Say of the file that was given what is wrong with its copy, which is gone by then."""
    try:
        yield
    except BuilderError as error:
        if error.where == str(staged):
            error.where = str(file)
        raise


def _stage(file: Path, folder: Path, root: Path, by: str) -> _Staged:
    """Copy, check and upgrade what is to be restored, where nobody sees it yet."""
    settings = read_settings(root / SETTINGS_FILE)
    rule = QuotaRule(settings.raters_per_pair, settings.overlap_share)
    path = folder / DATABASE_FILE
    copy_database(file, path, check=False)
    revision = check_database(path)
    store = open_store(path)
    try:
        check_columns(path)
        with store.write() as connection:
            judgments = count_log(connection)
            details = {"revision": revision, "judgments": judgments}
            activity.note(connection, by, "backup.restore", file.name, details)
            _lead_the_file(connection, root / GUIDELINES_FILE)
            if needs_rule(connection, rule):
                apply_rule(connection, rule)
                reopen_rechecks(connection)
            note_other_content(connection)
    finally:
        store.close()
    return _Staged(path, revision, judgments)


def _lead_the_file(connection: Connection, guidelines: Path) -> None:
    """Have guidelines.md follow what is restored, if that holds guidelines."""
    state, latest = read_file(guidelines), versions.latest_version(connection)
    is_behind = latest is not None and latest.text != state.text
    versions.note_file_behind(connection, state.digest if is_behind else None)


def _put_in_place(root: Path, staged: _Staged) -> tuple[Path | None, bool]:
    """Let the staged content take the place; what was kept, and whether it is a new file."""
    live = root / DATABASE_FILE
    moment = datetime.now(UTC).strftime("%Y%m%dT%H%M%S%f")
    kept = backups_folder(root) / f"replaced-{moment}.db"
    guidelines = root / GUIDELINES_FILE
    if guidelines.is_file():
        copyfile(guidelines, kept.with_suffix(".md"))
    if not live.is_file() or not live.stat().st_size:
        return _put_anew(live, staged.path, None), True
    try:
        match_page_size(staged.path, live)
        replace_content(live, staged.path, lambda: copy_database(live, kept, check=False))
    except (sqlite3.DatabaseError, WorkspaceError) as error:
        if not _is_damaged(live):
            raise _explained(error, live) from error
        return _put_anew(live, staged.path, kept.with_stem(f"{kept.stem}-damaged")), True
    return kept, False


def _put_anew(live: Path, staged: Path, kept: Path | None) -> Path | None:
    """Put the staged file where none is, or a damaged one; that one is kept as it is."""
    for side in _SIDE_FILES:
        part = live.with_name(live.name + side)
        if kept is not None and part.exists():
            copyfile(part, kept.with_name(kept.name + side))
        if side:
            part.unlink(missing_ok=True)
    flush(staged)
    staged.replace(live)
    flush(live.parent)
    return kept


def _is_damaged(live: Path) -> bool:
    try:
        check_database(live)
    except WorkspaceError:
        return True
    return False


def _explained(error: BuilderError | sqlite3.DatabaseError, live: Path) -> BuilderError:
    if isinstance(error, BuilderError):
        return error
    return WorkspaceError(f"The database cannot be replaced: {error}.", where=str(live))


def _settled_guidelines(root: Path) -> int | None:
    """Write the restored guidelines into the file; their version."""
    store = open_store(root / DATABASE_FILE)
    try:
        settled = settle(store, root / GUIDELINES_FILE)
    finally:
        store.close()
    return settled.version.version if settled.version else None
