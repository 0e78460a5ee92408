"""What a workspace does with search events beside counting them: import, take back, erase.

The events lie in the lake, which knows no people; who did what is noted here, in the log.
"""

import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from builder.activity import Wanted, note_events, read_activity
from builder.errors import BuilderError
from builder.people.roles import Actor, authorize, called
from builder.store import activity as log
from builder.workspace import Workspace

if TYPE_CHECKING:
    from online.forgetting import Erased
    from online.tally import EventTally
    from online.undoing import Import

Progress = Callable[[str, int, int | None], None]

TAKEN_BACK = "events.take_back"
"""What the log calls an import that was taken back."""

_LOOKED_BACK = 20
"""How many of the latest entries about removed events are looked at."""

_SHOWN = 2
"""How many characters of a user's id stay in the log, where the id has twice as many at least."""


def import_search_events(
    workspace: Workspace, file: Path, actor: str, progress: Progress | None = None, **how: Any
) -> "EventTally":
    """Bring a log into the workspace's lake; then what is older than `keep_days` goes.

    Args:
        workspace: Where to.
        file: The log.
        actor: Who does it, for the log.
        progress: Told what is done; may raise to cancel.
        how: The further arguments of `online.ingest.import_events`.

    Raises:
        OnlineError: As `online.ingest.import_events`.
    """
    from online.forgetting import expire_events
    from online.ingest import import_events

    keep_days = workspace.settings.events.keep_days
    tally = import_events(
        workspace.lake,
        file,
        quarantine_folder=workspace.quarantine_folder,
        keep_days=keep_days,
        progress=progress,
        **how,
    )
    note_events(workspace, file.name, tally, actor)
    if keep_days is not None:
        # Readers at work keep their files: nobody asked for anything to go at this moment.
        gone = expire_events(workspace.lake, keep_days, at_once=False, progress=progress)
        _note_expired(workspace, gone, keep_days, actor)
    return tally


def take_back_import(
    workspace: Workspace,
    meant: "Import",
    actor: Actor,
    progress: Progress | None = None,
    **how: Any,
) -> "Import":
    """Take the latest import of events back; the lake is as it was before it.

    Args:
        workspace: Whose events.
        meant: The import that the actor was shown (`online.undoing.latest_import`).
        actor: Who asks; None is the terminal.
        progress: Told that another import is waited for; may raise to cancel.
        how: The further arguments of `online.undoing.take_back`.

    Raises:
        NotAllowedError: The actor is no analyst.
        OnlineError: As `online.undoing.take_back`.
    """
    from online.undoing import take_back

    authorize(workspace, actor, "analyst")
    gone = take_back(workspace.lake, meant, progress, **how)
    told = {key: value for key, value in gone.as_json().items() if key != "file"}
    _note(workspace, TAKEN_BACK, gone.name, told, called(actor), when=True)
    return gone


@dataclass(frozen=True, slots=True)
class Undo:
    """Whether an import can be taken back, or was.

    Attributes:
        open: The import, while it is the latest; None where it cannot be taken back.
        done: The entry of the log that says who took it back; None where nobody did.
    """

    open: "Import | None" = None
    done: log.Entry | None = None


def undo_of(workspace: Workspace, name: str, begun: str, ended: str) -> Undo:
    """Whether the import that a job did can be taken back, or was.

    Args:
        workspace: Whose events.
        name: Of the file.
        begun: When the job began, ISO 8601.
        ended: When it ended.
    """
    from online.events import OnlineError
    from online.undoing import latest_import

    def is_of_job(file: str, at: str) -> bool:
        moments = [datetime.fromisoformat(text) for text in (begun, at, ended)]
        first, then, last = (moment.replace(microsecond=0) for moment in moments)
        return file == name and first <= then <= last

    for entry in read_activity(workspace, Wanted(kind="events"), limit=_LOOKED_BACK).entries:
        if entry.action == TAKEN_BACK and is_of_job(entry.subject, entry.details["imported_at"]):
            return Undo(done=entry)
    try:
        latest = latest_import(workspace.lake)
    except OnlineError:
        return Undo()
    return Undo(open=latest if is_of_job(latest.name, latest.at) else None)


def expire(
    workspace: Workspace, keep_days: int | None, actor: str, progress: Progress | None = None
) -> "Erased":
    """Remove the UTC days older than `keep_days`, or (None) than the settings say.

    Raises:
        BuilderError: Neither says how long events are kept.
        OnlineError: As `online.forgetting.expire_events`.
    """
    from online.forgetting import expire_events

    days = workspace.settings.events.keep_days if keep_days is None else keep_days
    if days is None:
        raise BuilderError(
            "Nobody says how long events are kept.",
            where=str(workspace.root / "workspace.toml"),
            hint="Say --keep-days 400, or write keep_days = 400 under [events] there.",
        )
    gone = expire_events(workspace.lake, days, progress=progress)
    _drop_answers(workspace, gone)
    _note_expired(workspace, gone, days, actor)
    return gone


def forget(
    workspace: Workspace, user_id: str, actor: str, progress: Progress | None = None
) -> "Erased":
    """Erase all that a user did, in the lake, in the quarantine, and in what was counted of it.

    Raises:
        OnlineError: As `online.forgetting.forget_user`.
    """
    from online.forgetting import forget_user

    gone = forget_user(workspace.lake, user_id, workspace.quarantine_folder, progress)
    _drop_answers(workspace, gone)
    _note(workspace, "events.forget", _hint_of(user_id), gone.as_json(), actor, when=bool(gone))
    return gone


def _hint_of(user_id: str) -> str:
    """A user's id for the log, which must not name who asked to be forgotten."""
    return f"{user_id[:_SHOWN]}\N{HORIZONTAL ELLIPSIS}" if len(user_id) >= 2 * _SHOWN else "a user"


def _drop_answers(workspace: Workspace, gone: "Erased") -> None:
    """Delete answers that were counted before: they may hold the queries of who is gone."""
    from online.kept import FOLDER

    if gone:
        shutil.rmtree(workspace.cache_folder / FOLDER, ignore_errors=True)


def _note_expired(workspace: Workspace, gone: "Erased", keep_days: int, actor: str) -> None:
    told = {**gone.as_json(), "keep_days": keep_days}
    told.pop("quarantined")
    _note(workspace, "events.expire", f"{keep_days} days", told, actor, when=bool(gone))


def _note(
    workspace: Workspace,
    action: str,
    subject: str,
    told: Mapping[str, Any],
    actor: str,
    *,
    when: bool,
) -> None:
    if when:
        with workspace.store.write() as connection:
            log.note(connection, actor, action, subject, told)
