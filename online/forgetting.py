"""What leaves the lake: all that one user did, and the days that nobody wants to keep."""

import json
import os
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any, TypeAlias

from online.bots import judge_again
from online.connections import Connection, create_view, write_days
from online.events import OnlineError
from online.lake import COLUMNS, Lake, Progress, Writing
from online.manifest import Manifest, TableName
from online.sql import sql

NAMING = ("user_id", "client_id")
"""The keys by which rows of the quarantine name a user."""

LOGGED: tuple[TableName, ...] = ("searches", "interactions")
Rewrite: TypeAlias = Mapping[tuple[TableName, str], int]
"""Table and UTC day -> how many of its rows go."""


@dataclass(frozen=True, slots=True)
class Erased:
    """What was erased, or would be.

    Attributes:
        searches: Rows of `searches`.
        interactions: Rows of `interactions`.
        quarantined: Rows of quarantine files.
        days: The UTC days that the rows of the lake were of, ascending.
        mentions: Rows of `searches` and `interactions` that stay though a text of theirs under a
            further key is the user's id: other users are named in these searches.
    """

    searches: int = 0
    interactions: int = 0
    quarantined: int = 0
    days: tuple[str, ...] = field(default=())
    mentions: int = 0

    def __bool__(self) -> bool:
        return bool(self.searches or self.interactions or self.quarantined)

    def as_json(self) -> dict[str, Any]:
        """The counts by name; `days` is the number of days."""
        return {
            "searches": self.searches,
            "interactions": self.interactions,
            "quarantined": self.quarantined,
            "days": len(self.days),
        }


def find_user(lake: Lake, user_id: str, quarantine_folder: Path) -> Erased:
    """What `forget_user` would erase at this moment; nothing is changed."""
    with lake.connect() as connection:
        rows = _rows_of(connection, user_id)
        lines = sum(_named_lines(file, user_id) for file in _quarantine_files(quarantine_folder))
        return _erased(rows, lines, _mentions(connection))


def forget_user(
    lake: Lake, user_id: str, quarantine_folder: Path, progress: Progress | None = None
) -> Erased:
    """Erase all that a user did: searches, what happened in them, and quarantined lines.

    A search is the user's where its row or anything that happened in it names them (`user_id`; of
    old lakes also `extra.user_id`): then all of it goes. So it does where a text under any further
    key, at any depth of `extra`, is the user's id, unless somebody else is named in that search:
    then it is that person's, who may have looked at the user's page, and stays (`mentions`).

    Days that held any are written again, and their old files are deleted at once, those that
    readers still use too. Flags of bots are judged anew. Rows of others stay as they are. A kill at
    any point leaves the lake as before or after.

    Args:
        lake: The events. Another import at work is waited for.
        user_id: Whom to forget, as the log names them.
        quarantine_folder: Where the lines lie that no import could take; those that name the user
            in `user_id` or `client_id` are removed, file by file.
        progress: Told which day is written; may raise to cancel, which leaves the lake as it was.

    Returns:
        What was erased; nothing where nobody of this name is known.

    Raises:
        OnlineError: Another import did not finish in time, or the lake is damaged.
    """
    with lake.writing(progress) as writing:
        for table in LOGGED:
            writing.view(table, writing.manifest.files(table), table)
        rows = _rows_of(writing.connection, user_id)
        mentions = _mentions(writing.connection)
        for number, (table, day) in enumerate(rows):
            if progress:
                progress("writing days again", number, len(rows))
            _write_again(writing, table, day)
        lines = sum(_forget_lines(file, user_id) for file in _quarantine_files(quarantine_folder))
        if rows:
            judge_again(writing)
            writing.forbid_undo("erased")
            writing.commit(erase=True)
        return _erased(rows, lines, mentions)


def first_kept_day(keep_days: int, now: datetime | None = None) -> date:
    """The first UTC day that is kept: of all later moments at least `keep_days` days are.

    Args:
        keep_days: How many days, at least 1.
        now: This moment; None asks the clock.
    """
    return (now or datetime.now(UTC)).astimezone(UTC).date() - timedelta(days=keep_days)


def expire_events(
    lake: Lake, keep_days: int, *, at_once: bool = True, progress: Progress | None = None
) -> Erased:
    """Erase the whole UTC days of before `first_kept_day`.

    Args:
        lake: The events. Another import at work is waited for.
        keep_days: How many days to keep, at least 1.
        at_once: Delete the files now; else they stay an hour for readers at work, until the next
            import.
        progress: Told that we wait; may raise to cancel.

    Returns:
        What was erased; `quarantined` is 0.

    Raises:
        OnlineError: Fewer than one day is to be kept, or the lake is held or damaged.
    """
    if keep_days < 1:
        raise OnlineError(f"{keep_days} days cannot be kept", hint="keep one day or more")
    first = first_kept_day(keep_days).isoformat()
    if not _rows_before(lake.manifest(), first):
        return Erased()
    with lake.writing(progress) as writing:
        rows = _rows_before(writing.manifest, first)
        for table in (*LOGGED, "hours"):
            days = {file.date for file in writing.manifest.files(table) if file.date < first}
            writing.place(table, writing.scratch / "none", replaces=days)
        judge_again(writing)
        writing.change_former(lambda former: former.since(first))
        writing.commit(erase=at_once)
        return _erased(rows)


def _rows_before(manifest: Manifest, first: str) -> Rewrite:
    rows: dict[tuple[TableName, str], int] = {}
    for table in LOGGED:
        for file in manifest.files(table):
            if file.date < first:
                rows[table, file.date] = rows.get((table, file.date), 0) + file.rows
    return rows


def _rows_of(connection: Connection, user_id: str) -> Rewrite:
    """How many rows of which days go with a user; reads the views `searches`, `interactions`."""
    connection.execute("SET VARIABLE user = ?", [user_id])
    connection.execute(sql("duckdb/user_macros"))
    connection.execute(f"CREATE TEMP TABLE traces AS {sql('duckdb/user_traces')}")
    rows: dict[tuple[TableName, str], int] = {}
    for table in LOGGED:
        connection.execute(f'CREATE OR REPLACE TEMP VIEW present AS FROM "{table}"')
        marked = connection.sql(sql("duckdb/marked_rows")).filter("erased")
        found = marked.aggregate("CAST(date AS VARCHAR) AS day, count(*)", "day").order("day")
        rows |= {(table, str(day)): int(n) for day, n in found.fetchall()}
    return rows


def _mentions(connection: Connection) -> int:
    """Rows that hold the user's id and stay; after `_rows_of`."""
    found = 0
    for table in LOGGED:
        connection.execute(f'CREATE OR REPLACE TEMP VIEW present AS FROM "{table}"')
        staying = connection.sql(sql("duckdb/marked_rows")).filter(
            "NOT erased AND holds_user(extra)"
        )
        found += int(staying.aggregate("count(*)").fetchall()[0][0])
    return found


def _write_again(writing: Writing, table: TableName, day: str) -> None:
    """Place the rows of one day that stay."""
    files = [writing.root / f.path for f in writing.manifest.files(table) if f.date == day]
    connection, folder = writing.connection, writing.scratch / f"{table}-{day}"
    connection.execute("DROP VIEW present")
    create_view(connection, "present", files, COLUMNS[table])
    connection.execute(f"CREATE OR REPLACE TEMP VIEW marked AS {sql('duckdb/marked_rows')}")
    write_days(connection, "SELECT * EXCLUDE (erased) FROM marked WHERE NOT erased", folder)
    writing.place(table, folder, replaces={day})


def _erased(rows: Rewrite, lines: int = 0, mentions: int = 0) -> Erased:
    counts = {t: sum(n for (table, _), n in rows.items() if table == t) for t in LOGGED}
    days = tuple(sorted({day for _, day in rows}))
    return Erased(counts["searches"], counts["interactions"], lines, days, mentions)


def _quarantine_files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.glob("*.jsonl") if path.is_file())


def _named_lines(file: Path, user_id: str) -> int:
    with file.open("rb") as lines:
        return sum(_names(line, user_id) for line in lines)


def _forget_lines(file: Path, user_id: str) -> int:
    """Write a quarantine file again without the lines that name a user; how many these were.

    The file is replaced as a whole, or goes where nothing stays.
    """
    named = _named_lines(file, user_id)
    if not named:
        return 0
    draft = file.with_name(f".{file.name}.draft")
    try:
        with file.open("rb") as lines, draft.open("wb") as kept:
            kept.writelines(line for line in lines if not _names(line, user_id))
            kept.flush()
            os.fsync(kept.fileno())
            empty = not kept.tell()
        if empty:
            file.unlink()
        else:
            draft.replace(file)
    finally:
        draft.unlink(missing_ok=True)
    return named


def _names(line: bytes, user_id: str) -> bool:
    """Whether the raw text of a quarantined row names a user."""
    try:
        raw = str(json.loads(line).get("raw", ""))
    except (ValueError, AttributeError, RecursionError):
        return False
    if user_id not in raw and "\\" not in raw:
        return False
    try:
        return user_id in _users(json.loads(raw))
    except (ValueError, RecursionError):
        # Cut off, or no JSON for another reason: that is why it lies here.
        return any(pattern.search(raw) for pattern in _patterns(user_id))


def _users(value: Any) -> Iterator[str]:
    """All that a parsed line says about users, however deep."""
    waiting = [value]
    while waiting:
        part = waiting.pop()
        if isinstance(part, dict):
            yield from (str(part[key]) for key in NAMING if isinstance(part.get(key), str | int))
            waiting += part.values()
        elif isinstance(part, list):
            waiting += part


def _patterns(user_id: str) -> Collection[re.Pattern[str]]:
    """How a line that is no JSON names a user: "user_id": "u1", "user_id": 7, or user_id=u1."""
    keys = "|".join(NAMING)
    quoted = "|".join(
        re.escape(json.dumps(user_id, ensure_ascii=ascii_only)) for ascii_only in (True, False)
    )
    plain = re.escape(user_id)
    return [
        re.compile(rf'"({keys})"\s*:\s*({quoted}|{plain}(?![\w.]))'),
        re.compile(rf"\b({keys})\s*[=:]\s*{plain}(?![\w.-])"),
    ]
