"""Questions of people in SQL of their own: read-only, over the lake's tables and nothing else.

Two things keep a question from doing harm. DuckDB may open the lake's own files only, and none of
its settings can change any more. And what it parsed is looked at: since DuckDB 2 a SELECT may begin
`WITH x AS (COPY … TO 'file')`, which would write over one of those files.
"""

import glob
import json
import math
from collections.abc import Iterator
from concurrent.futures import Future
from dataclasses import dataclass
from datetime import date, datetime, time
from decimal import Decimal
from threading import Thread
from typing import Any

import duckdb

from online.connections import Connection
from online.events import OnlineError
from online.lake import Lake

LIMIT = 1000
READING_NODES = {"SELECT_NODE", "SET_OPERATION_NODE", "RECURSIVE_CTE_NODE", "CTE_NODE"}
"""What a parsed question may consist of; COPY_QUERY_NODE and its kin write."""

_VIEWS = "the views are searches, interactions, hours and bots; DESCRIBE searches tells columns"
_READ_ONLY = "a question reads: write one SELECT, FROM, WITH, DESCRIBE or SUMMARIZE"
_POLL_S = 0.1


@dataclass(frozen=True, slots=True)
class Answer:
    """The rows that answer a question, ready for JSON.

    Attributes:
        columns: Their names; one may stand twice.
        types: Their types, as DuckDB names them.
        rows: Numbers, texts, true, false, null, lists and objects. Times are ISO 8601 (with their
            zone, where the column has one), decimals numbers; NaN and infinity are null.
        cut: Whether there were more rows than asked for.
    """

    columns: tuple[str, ...]
    types: tuple[str, ...]
    rows: list[list[Any]]
    cut: bool

    def as_json(self) -> dict[str, Any]:
        """The document that `goldsmith events sql --json` prints."""
        return {
            "columns": list(self.columns),
            "types": list(self.types),
            "rows": self.rows,
            "n_rows": len(self.rows),
            "cut": self.cut,
        }


def ask(lake: Lake, question: str, limit: int = LIMIT) -> Answer:
    """The answer to one SQL question about a lake.

    Args:
        lake: The events.
        question: One statement that reads the views searches, interactions, hours and bots.
        limit: How many rows at most, at least 1.

    Raises:
        OnlineError: The question is no SQL, writes, reads other files, or fails.
        KeyboardInterrupt: Somebody stopped it; the connection ended what it was doing.
    """
    with lake.connect() as connection:
        _confine(connection, lake)
        _require_reading(connection, question)
        try:
            return _interruptible(connection, question, limit)
        except duckdb.IOException:
            raise
        except duckdb.Error as error:
            raise _explained(error) from error


def _confine(connection: Connection, lake: Lake) -> None:
    """Let the connection open the lake's files only, from now on."""
    # Read after the views were made: files replaced since are named as retired.
    paths = {str(lake.root / path) for path in lake.manifest().paths}
    # DuckDB asks for a pattern before it asks for what the pattern finds.
    paths |= {glob.escape(path) for path in paths}
    listed = ", ".join(_quoted(path) for path in sorted(paths))
    connection.execute(f"SET allowed_paths = [{listed}]")
    connection.execute("SET python_enable_replacements = false")
    connection.execute("SET enable_external_access = false; SET lock_configuration = true")


def _require_reading(connection: Connection, question: str) -> None:
    try:
        statements = connection.extract_statements(question)
    except duckdb.Error as error:
        raise _explained(error) from error
    if len(statements) != 1:
        what = "there is no question" if not statements else "these are several statements"
        raise OnlineError(what, hint="write one SELECT")
    if _kind(statements[0]) != "SELECT":
        raise OnlineError(f"{_kind(statements[0])} is not for questions", hint=_READ_ONLY)
    ((text,),) = connection.execute("SELECT json_serialize_sql(?)", [question]).fetchall()
    parsed = json.loads(text)
    if parsed["error"] or not set(_nodes(parsed)) <= READING_NODES:
        raise OnlineError("the question would write", hint=_READ_ONLY)


def _kind(statement: duckdb.Statement) -> str:
    try:
        return statement.type.name.replace("_", " ")
    except ValueError:  # CONNECT, and whatever else Python's DuckDB has no name for
        return "this statement"


def _nodes(parsed: Any) -> Iterator[str]:
    """The kinds of all query nodes, however deep."""
    waiting = [parsed]
    while waiting:
        part = waiting.pop()
        if isinstance(part, dict):
            kind = part.get("type")
            if isinstance(kind, str) and kind.endswith("_NODE"):
                yield kind
            waiting += part.values()
        elif isinstance(part, list):
            waiting += part


def _interruptible(connection: Connection, question: str, limit: int) -> Answer:
    """Ask in a thread of its own: DuckDB does not hear Ctrl-C, this thread does.

    No executor: it would wait for the thread where Ctrl-C comes before anybody could tell DuckDB.
    """
    answer: Future[Answer] = Future()
    asking = Thread(target=_answered, args=(answer, connection, question, limit), daemon=True)
    try:
        asking.start()
        while asking.is_alive():
            asking.join(_POLL_S)
    except BaseException:
        while asking.is_alive():
            connection.interrupt()
            asking.join(_POLL_S)
        raise
    return answer.result()


def _answered(answer: "Future[Answer]", *asked: Any) -> None:
    try:
        answer.set_result(_fetched(*asked))
    except BaseException as error:  # noqa: BLE001 - the thread that waits raises it
        answer.set_exception(error)


def _fetched(connection: Connection, question: str, limit: int) -> Answer:
    result = connection.execute(question)
    described = result.description or []
    rows = result.fetchmany(limit + 1)
    return Answer(
        columns=tuple(str(column[0]) for column in described),
        types=tuple(str(column[1]) for column in described),
        rows=[[_plain(value) for value in row] for row in rows[:limit]],
        cut=len(rows) > limit,
    )


def _plain(value: Any) -> Any:
    """A value of DuckDB as JSON has it."""
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float | Decimal):
        return float(value) if math.isfinite(value) else None
    if isinstance(value, dict):
        return {str(key): _plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple | set):
        return [_plain(part) for part in value]
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    return value.hex() if isinstance(value, bytes | bytearray) else str(value)


def _explained(error: duckdb.Error) -> OnlineError:
    """DuckDB's own words on one line; without a file's path where it may not be read."""
    if isinstance(error, duckdb.PermissionException):
        return OnlineError("a question reads no other files, and writes none", hint=_VIEWS)
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    place = next((line for line in lines if line.startswith("LINE ")), None)
    said = [line for line in lines[1:3] if line != place and not line.startswith("^")]
    what = lines[0] if lines else type(error).__name__
    return OnlineError(what, where=place, hint=said[0] if said else _VIEWS)


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
