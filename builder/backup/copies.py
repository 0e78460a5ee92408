"""A copy on demand, and which copies there are."""

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal, TypeAlias

from builder.errors import BuilderError, WorkspaceError
from builder.people import Person, authorize
from builder.store import activity
from builder.store.copies import copy_database, revision_of
from builder.store.guidelines_file import settle
from builder.workspace import Workspace

BACKUPS_FOLDER = "backups"
TERMINAL = "terminal"
DAILY_NAME = re.compile(r"daily-\d{4}-\d{2}-\d{2}\.db")
_UPGRADE_NAME = re.compile(r"workbench-\d{4}_\w+-\d{8}T\d+\.db")
_REPLACED_NAME = re.compile(r"replaced-\d{8}T\d+(-damaged)?\.db")

Kind: TypeAlias = Literal["daily", "upgrade", "replaced", "other"]


@dataclass(frozen=True, slots=True)
class Copied:
    """A copy that was made.

    Attributes:
        file: Where it lies, absolute.
        size: Bytes.
        revision: Of which schema it is.
    """

    file: Path
    size: int
    revision: str


@dataclass(frozen=True, slots=True)
class Backup:
    """A copy in the workspace's folder `backups`.

    Attributes:
        file: Where it lies.
        kind: Made each day, before an upgrade, before a restore (what was replaced), or other.
        size: Bytes.
        made_at: When, in UTC.
    """

    file: Path
    kind: Kind
    size: int
    made_at: datetime


def back_up_to(
    workspace: Workspace, target: Path, actor: Person | None = None, *, force: bool = False
) -> Copied:
    """Copy the database of this moment into the file `target`: a whole file or none.

    Args:
        workspace: Whose database; others may write meanwhile.
        target: Where to; its folder must be there.
        actor: Who asks for it; None for the terminal.
        force: Whether a file that is there may be replaced.

    Raises:
        NotAllowedError: The actor is no admin.
        BuilderError: There is a file already, or the copy cannot be written.
    """
    authorize(workspace, actor, "admin")
    target = target.resolve()
    _refuse_target(workspace, target, force=force)
    # What was written into guidelines.md by hand is in the copy, too.
    settle(workspace.store, workspace.guidelines_file)
    copy_database(workspace.store.path, target)
    with workspace.store.write() as connection:
        activity.note(connection, actor.name if actor else TERMINAL, "backup.make", target.name)
    return Copied(target, target.stat().st_size, revision_of(target))


def list_backups(workspace: Workspace) -> list[Backup]:
    """The copies in the folder `backups`, newest first."""
    found: list[Backup] = []
    for file in (workspace.root / BACKUPS_FOLDER).glob("*.db"):
        try:
            status = file.stat()
        except FileNotFoundError:
            continue  # removed in this moment, as the oldest daily copy is
        made_at = datetime.fromtimestamp(status.st_mtime, UTC)
        found.append(Backup(file, _kind(file.name), status.st_size, made_at))
    return sorted(found, key=lambda copy: (copy.made_at, copy.file.name), reverse=True)


def backups_folder(root: Path) -> Path:
    """The workspace's folder of copies; made if absent."""
    folder = root / BACKUPS_FOLDER
    folder.mkdir(exist_ok=True)
    return folder


def _kind(name: str) -> Kind:
    if DAILY_NAME.fullmatch(name):
        return "daily"
    if _UPGRADE_NAME.fullmatch(name):
        return "upgrade"
    return "replaced" if _REPLACED_NAME.fullmatch(name) else "other"


def _refuse_target(workspace: Workspace, target: Path, *, force: bool) -> None:
    live = workspace.store.path
    if target.name.startswith(live.name) and target.parent.resolve() == live.parent.resolve():
        raise BuilderError(
            "The database cannot be copied onto itself.",
            where=str(target),
            hint="Name another file, best on another disk.",
        )
    if target.is_dir():
        raise BuilderError(
            "That is a folder.", where=str(target), hint=f"Name a file in it: {target}/goldsmith.db"
        )
    if not target.parent.is_dir():
        raise WorkspaceError("Its folder is not there.", where=str(target), hint="Make it first.")
    if target.exists() and not force:
        raise BuilderError(
            "There is a file of this name already. Nothing was changed.",
            where=str(target),
            hint="Name another file, or replace it with --force.",
        )
