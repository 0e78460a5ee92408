"""The guidelines: how this team grades, which version a grade was made under, what changed.

guidelines.md is the current text, and may be edited by hand; every text that it ever held is kept
as a numbered version in the store.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path
from typing import Literal, TypeAlias
from weakref import WeakKeyDictionary

from builder.errors import BuilderError
from builder.judging.words import check_words
from builder.people import Person, authorize
from builder.store import Connection, Store, activity
from builder.store import guidelines as table
from builder.store.guidelines import FROM_FILE, Version
from builder.store.guidelines_file import LONGEST_TEXT, Settled, read_file, settle
from builder.workspace import Workspace

__all__ = [
    "FROM_FILE",
    "LONGEST_NOTE",
    "LONGEST_TEXT",
    "ChangedMeanwhileError",
    "DiffLine",
    "Guidelines",
    "GuidelinesVersion",
    "current_guidelines",
    "guideline_versions",
    "line_diff",
    "save_guidelines",
]

LONGEST_NOTE = 200
_TERMINAL = "terminal"
_SURE_AFTER_SECONDS = 2.0
"""A file changed more recently than this may change again without a new time."""

LineKind: TypeAlias = Literal["same", "removed", "added", "gap"]
_Signature: TypeAlias = tuple[int, int, int] | None


class ChangedMeanwhileError(BuilderError):
    """Somebody else saved guidelines since this text was read."""


@dataclass(frozen=True, slots=True)
class Guidelines:
    """How this team grades, now.

    Attributes:
        version: The number of this text; None if nothing was ever written.
        text: The text, untrusted; "" if nothing was ever written.
        problem: What is wrong with guidelines.md, a sentence; then the text is the last one that
            was kept. "" if nothing is.
    """

    version: int | None
    text: str
    problem: str = ""


@dataclass(frozen=True, slots=True)
class GuidelinesVersion:
    """One text of the guidelines.

    Attributes:
        version: Its number; later ones are greater.
        text: The text; untrusted.
        note: What was changed, "" if nothing was said; untrusted.
        author: Who saved it, "file" for a change by hand; untrusted.
        created_at: When, ISO 8601 in UTC.
        n_judgments: How many judgments were made under it, replaced ones too, undone ones not.
    """

    version: int
    text: str
    note: str
    author: str
    created_at: str
    n_judgments: int


@dataclass(frozen=True, slots=True)
class DiffLine:
    """One line of a comparison.

    Attributes:
        kind: In both texts, only in the older, only in the newer, or "gap": lines left out.
        text: The line; for a gap "".
    """

    kind: LineKind
    text: str


@dataclass(frozen=True, slots=True)
class _Known:
    """What was last read, of which file and which latest version."""

    signature: _Signature
    key: tuple[int, str] | None
    guidelines: Guidelines


_KNOWN: WeakKeyDictionary[Store, _Known] = WeakKeyDictionary()
_JUDGED: WeakKeyDictionary[Store, tuple[float, dict[int, int]]] = WeakKeyDictionary()


def current_guidelines(workspace: Workspace) -> Guidelines:
    """How this team grades, now; a text written into the file by hand becomes a version here.

    Cheap while nothing changes: a look at the file's time and one at the latest version's number.
    A file that cannot be read keeps nobody from grading: the last text that was kept is given.
    """
    signature = _signature(workspace.guidelines_file)
    with workspace.store.read() as connection:
        key = table.latest_key(connection)
    known = _KNOWN.get(workspace.store)
    if known is not None and (known.signature, known.key) == (signature, key):
        return known.guidelines
    settled = settle(workspace.store, workspace.guidelines_file)
    _remember(workspace, signature, settled)
    return _guidelines(settled)


def save_guidelines(
    workspace: Workspace, text: str, note: str, actor: Person | None, *, base_version: int | None
) -> Guidelines:
    """Make the text the current one: a new version, and the content of guidelines.md.

    A process that dies in between leaves the version, and whoever looks next completes the file.

    Args:
        workspace: Whose guidelines.
        text: The new text, at most 100,000 characters.
        note: What was changed, at most 200 characters; may be "".
        actor: Who saves it; None for the terminal.
        base_version: The version that the text was made from.

    Returns:
        The guidelines as they are now; the same version as before where the text is the same.

    Raises:
        NotAllowedError: The actor is no analyst.
        ChangedMeanwhileError: There is a newer version than `base_version`; nothing was changed.
        BuilderError: The text or the note cannot be kept, or guidelines.md holds no text.
    """
    authorize(workspace, actor, "analyst")
    kept, said = _checked_text(text), _checked_note(note)
    current_guidelines(workspace)
    with workspace.store.write() as connection:
        latest = _refuse_other_base(connection, workspace.guidelines_file, base_version)
        if latest is None or latest.text != kept:
            author = actor.name if actor else _TERMINAL
            _add(connection, workspace.guidelines_file, Version(0, kept, said, author, ""))
    return current_guidelines(workspace)


def guideline_versions(workspace: Workspace) -> list[GuidelinesVersion]:
    """All versions, newest first, with the number of judgments made under each."""
    current_guidelines(workspace)
    with workspace.store.read() as connection:
        versions = table.all_versions(connection)
        judged = _judged(workspace.store, connection)
    return [
        GuidelinesVersion(
            v.version, v.text, v.note, v.author, v.created_at, judged.get(v.version, 0)
        )
        for v in versions
    ]


def line_diff(older: str, newer: str, context: int = 2) -> list[DiffLine]:
    """What changed, line by line, with so many lines around each change; empty if nothing did."""
    old, new = (text.rstrip("\n").split("\n") for text in (older, newer))
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    lines: list[DiffLine] = []
    end = 0
    for group in matcher.get_grouped_opcodes(context):
        if group[0][1] > end:
            lines.append(DiffLine("gap", ""))
        for kind, old_start, old_end, new_start, new_end in group:
            if kind == "equal":
                lines += _lines("same", old[old_start:old_end])
            else:
                lines += _lines("removed", old[old_start:old_end])
                lines += _lines("added", new[new_start:new_end])
        end = group[-1][2]
    return [*lines, DiffLine("gap", "")] if lines and end < len(old) else lines


def _judged(store: Store, connection: Connection) -> dict[int, int]:
    """Judgments by version; counted anew after a hundred times as long as the last count took."""
    known = _JUDGED.get(store)
    if known is None or time.monotonic() > known[0]:
        started = time.monotonic()
        counted = table.judgments_by_version(connection)
        now = time.monotonic()
        known = (now + 100 * (now - started), counted)
        _JUDGED[store] = known
    return known[1]


def _lines(kind: LineKind, texts: Sequence[str]) -> list[DiffLine]:
    return [DiffLine(kind, text) for text in texts]


def _add(connection: Connection, file: Path, new: Version) -> None:
    """Write the version; the file gets its text once this is committed."""
    made = table.add_version(connection, new.text, new.note, new.author)
    table.note_file_behind(connection, read_file(file).digest)
    details = {"note": new.note} if new.note else {}
    activity.note(connection, new.author, "guidelines.save", f"version {made.version}", details)


def _refuse_other_base(
    connection: Connection, file: Path, base_version: int | None
) -> Version | None:
    """The latest version, which must be the one that the text was made from."""
    latest, state = table.latest_version(connection), read_file(file)
    if (latest.version if latest else None) != base_version:
        by = (
            f"{latest.author} saved version {latest.version}" if latest else "a backup was restored"
        )
        raise ChangedMeanwhileError(
            f"The guidelines were changed meanwhile: {by}. Nothing was saved.",
            hint="Copy your text, load the new version, and put your change into it.",
        )
    if state.digest and state.text is None:
        raise BuilderError(
            f"{state.problem} Nothing was saved.",
            where=str(file),
            hint="Move the file away or mend it, then save again.",
        )
    if latest is not None and state.text not in (None, latest.text):
        raise ChangedMeanwhileError(
            f"{file.name} was changed by hand in this moment. Nothing was saved.",
            hint="Copy your text, load the new version, and put your change into it.",
        )
    return latest


def _checked_text(text: str) -> str:
    kept = text.replace("\r\n", "\n").replace("\r", "\n").rstrip() + "\n"
    if not kept.strip():
        raise BuilderError("Guidelines need words.", hint="Say what each grade means.")
    check_words(kept, "a text of guidelines", LONGEST_TEXT)
    return kept


def _checked_note(note: str) -> str:
    kept = " ".join(note.split())
    check_words(kept, "a note", LONGEST_NOTE)
    return kept


def _signature(file: Path) -> _Signature:
    """Changes when the file does; None where it is not there."""
    try:
        status = file.stat()
    except OSError:
        return None
    return (status.st_mtime_ns, status.st_size, status.st_ino)


def _remember(workspace: Workspace, signature: _Signature, settled: Settled) -> None:
    """Keep what was read, unless the file changed, or may yet change without a new time."""
    changed_at = 0 if signature is None else signature[0] / 1e9
    unsure = abs(time.time() - changed_at) < _SURE_AFTER_SECONDS
    if unsure or signature != _signature(workspace.guidelines_file):
        _KNOWN.pop(workspace.store, None)
        return
    key = (settled.version.version, settled.version.created_at) if settled.version else None
    _KNOWN[workspace.store] = _Known(signature, key, _guidelines(settled))


def _guidelines(settled: Settled) -> Guidelines:
    latest = settled.version
    if latest is None:
        return Guidelines(None, "", settled.problem)
    return Guidelines(latest.version, latest.text, settled.problem)
