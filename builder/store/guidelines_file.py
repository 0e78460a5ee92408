"""guidelines.md beside its versions: the two are brought together whenever somebody looks.

A text that was written into the file by hand becomes a version; a version that has not reached the
file yet (its saving was cut short, or a backup was restored) is written into it.
"""

import hashlib
import os
import time
from dataclasses import dataclass
from pathlib import Path

from builder.store import activity
from builder.store import guidelines as table
from builder.store.engine import Connection, Store
from builder.store.guidelines import FROM_FILE, Version

LONGEST_TEXT = 100_000
"""Characters; what raters shall read before they grade is shorter."""

QUIET_SECONDS = 1.0
"""A file that was written in this moment may be half written: it is read a moment later."""


@dataclass(frozen=True, slots=True)
class FileState:
    """What the file holds.

    Attributes:
        digest: Names its content; "" where there is no file.
        text: What it says, with line feeds as line ends; None where it cannot be read as text.
        problem: Why it cannot be read, a sentence; "" if it can.
    """

    digest: str
    text: str | None
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Settled:
    """What the guidelines are once file and versions were brought together.

    Attributes:
        version: The latest version; None if nothing was ever written.
        problem: What keeps the file from being read or written, a sentence; "" if nothing does.
    """

    version: Version | None
    problem: str = ""


def read_file(path: Path) -> FileState:
    """What the file holds now."""
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return FileState("", None, f"{path.name} is not there.")
    except OSError as error:
        return FileState("", None, f"{path.name} cannot be read: {error.strerror}.")
    digest = hashlib.sha256(content).hexdigest()
    try:
        text = content.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
    except UnicodeDecodeError as error:
        fault = f"is no UTF-8 text: byte {error.start} is wrong."
    else:
        fault = _fault(text)
    return FileState(digest, None, f"{path.name} {fault}") if fault else FileState(digest, text)


def _fault(text: str) -> str:
    """Why these are no guidelines; "" if they may be."""
    if not text.strip():
        return "is empty."
    if "\0" in text:
        return "holds U+0000, which no text holds."
    return f"has more than {LONGEST_TEXT:,} characters." if len(text) > LONGEST_TEXT else ""


def write_file(path: Path, text: str) -> None:
    """Replace the file's content: all of it or nothing, and on the disk when this returns.

    Raises:
        OSError: The folder or the file cannot be written.
    """
    # A link stays a link: teams keep their guidelines in a repository of their own.
    target = path.resolve()
    unfinished = target.with_name(f".{target.name}.{os.getpid()}.part")
    with unfinished.open("w", encoding="utf-8", newline="\n") as stream:
        stream.write(text)
        stream.flush()
        os.fsync(stream.fileno())
    unfinished.replace(target)
    _flush_folder(target.parent)


def settle(store: Store, path: Path) -> Settled:
    """Bring file and versions together; writes only where they differ."""
    state = read_file(path)
    with store.read() as connection:
        latest, behind = table.latest_version(connection), table.file_behind(connection)
    if behind is None and not _is_news(latest, state, path):
        return Settled(latest, state.problem)
    try:
        with store.write() as connection:
            return _settle(connection, path)
    except OSError as error:
        return Settled(latest, f"{path.name} cannot be written: {error.strerror}.")


def _settle(connection: Connection, path: Path) -> Settled:
    """As `settle`, alone: nobody else writes meanwhile."""
    state, latest = read_file(path), table.latest_version(connection)
    behind = table.file_behind(connection)
    if behind is not None:
        if latest is not None and behind == state.digest and state.text != latest.text:
            write_file(path, latest.text)
            state = read_file(path)
        table.note_file_behind(connection, None)
    if state.text is None or not _is_news(latest, state, path):
        return Settled(latest, state.problem)
    made = table.add_version(connection, state.text, "", FROM_FILE)
    activity.note(connection, FROM_FILE, "guidelines.file", f"version {made.version}")
    return Settled(made)


def _is_news(latest: Version | None, state: FileState, path: Path) -> bool:
    """Whether the file holds a text that is no version yet, and is not being written just now."""
    if state.text is None or (latest is not None and latest.text == state.text):
        return False
    return latest is None or abs(time.time() - path.stat().st_mtime) > QUIET_SECONDS


def _flush_folder(folder: Path) -> None:
    """Have the disk keep the new name, too; where folders can be flushed."""
    try:
        opened = os.open(folder, os.O_RDONLY)
    except OSError:
        return
    try:
        os.fsync(opened)
    finally:
        os.close(opened)
