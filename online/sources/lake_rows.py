"""What `events export` wrote, taken apart into the rows of the logs that the lake was made of.

Each keeps the identity that it has in the lake (`search_key`, `row_key`), so that nothing counts
twice, whether the lake that it comes into knows it from an export or from the log itself.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from online.sources.shaping import NATIVE, PARTS, as_text, as_time, as_truth
from online.sources.source import fault

_LISTS = {"click": "clicks", "conversion": "conversions", "impression": "impressions"}
"""Kind of what happened -> key of the native line, in the order in which the import joins them."""

_SAID = ("timestamp", "query", "user_id", "model_version", "search_id", "event_id", "tags")
_MEASURED = ("total_hits", "latency_ms")
_RESULTS = {"retrieved_doc_ids", "offset"}
_LARGEST = 2**63

Row = Mapping[str, Any]


@dataclass(slots=True)
class LogRow:
    """One row of a log, as it once came in, and what it is known by.

    Attributes:
        rows: Numbers of the rows of the export that tell of it.
        line: Its native line without further keys, or the text of what is no row.
        search_key: That of the lake; counts where the line names no `search_id`.
        row_key: That of the lake; NULL in searches without `search_id`.
        zone_assumed: Whether its time named no zone.
        extra: Its further keys as JSON.
        furthers: Those of each thing that it tells, in the order of the import.
        only_known: It cannot be told whole: it counts as known, where it is, and else is refused.
    """

    rows: list[int]
    line: dict[str, Any] | str
    search_key: int | None = None
    row_key: int | None = None
    zone_assumed: bool = False
    extra: str | None = None
    furthers: list[str | None] = field(default_factory=list)
    only_known: bool = False


def rows_of_search(number: int, row: Row) -> list[LogRow]:
    """The rows of the logs that a row of `searches` was made of.

    Raises:
        ValueError: The row is none of an export; it says why.
    """
    things = _things(row.get("told"))
    search_key, row_key = _key(row, "search_key"), _key(row, "row_key")
    if search_key is None:
        raise ValueError("search_key is missing")
    if row.get("search_id") is None:
        return [_search([number], row, things, (search_key, None))]
    by_row = _by_row(things)
    pages = {key: group for key, group in by_row.items() if _page(group)}
    if pages:
        found = [_of_page([number], group, search_key, row) for group in pages.values()]
    else:
        inline = [*by_row.pop(None, []), *by_row.pop(row_key, [])]
        found = [_search([number], row, inline, (search_key, row_key))]
    later = [group for key, group in by_row.items() if key not in pages]
    return found + [_later([number], group, search_key, row) for group in later]


def rows_of_things(numbered: Sequence[tuple[int, Row]]) -> list[LogRow]:
    """The rows of the logs that rows of `interactions` of one search were made of.

    Raises:
        ValueError: A row is none of an export; it says why.
    """
    found = []
    by_row: dict[tuple[bool, int | None], list[tuple[int, Row]]] = {}
    for number, row in numbered:
        of_search = _is_true(row, "told_by_search")
        by_row.setdefault((of_search, _key(row, "row_key")), []).append((number, row))
    for (of_search, row_key), group in by_row.items():
        numbers, things = [number for number, _ in group], [row for _, row in group]
        head = things[0]
        search_key = _key(head, "search_key")
        if _page(things) is not None and search_key is not None:
            found.append(_of_page(numbers, things, search_key, head))
        elif of_search:
            line = {"timestamp": as_time(head["timestamp"]), "action": "told_by_searches"}
            found.append(LogRow(numbers, line, search_key, row_key, only_known=True))
        else:
            found.append(_later(numbers, things, search_key, head))
    return found


def unreadable(number: int, error: Exception) -> LogRow:
    """What stands for a row that is none of an export."""
    advice = "export the lake again, and leave the file as it is"
    return LogRow([number], fault("bad_export", f"{error}; {advice}"))


def _search(
    numbers: list[int], row: Row, things: list[Row], keys: tuple[int, int | None]
) -> LogRow:
    """A search that one row of a log told, and what that row told of it."""
    keys_said = [*_SAID, *_MEASURED]
    if not _is_true(row, "results_joined"):
        keys_said += _RESULTS
    line = _shaped(row, keys_said)
    line.setdefault("query", "")  # of a text table: there is no search without one
    if _is_true(row, "session_given") and not _is_true(row, "session_joined"):
        line["session_id"] = as_text(row.get("session_id"))
    told = row.get("n_conversions") is not None
    return _as_row(numbers, line, things, keys, row, conversions_told=told)


def _of_page(numbers: list[int], group: list[Row], search_key: int, search: Row) -> LogRow:
    """One of several rows that told a search, which stands in its page as it was logged."""
    page = _page(group) or {}
    said = json.loads(str(page.get("extra")))
    query = said.get("query") if isinstance(said, Mapping) else None
    if query is None:
        raise ValueError("extra of a page tells no query")
    row = {
        **{key: page.get(key) for key in ("user_id", "event_id")},
        **{key: said.get(key) for key in (*NATIVE.keys() & said.keys(), "zone_assumed")},
        "timestamp": page.get("occurred_at"),
        "search_id": search.get("search_id"),
    }
    line = _shaped(row, [*_SAID, *_MEASURED, *_RESULTS])
    if page.get("own_session_id") is not None:
        line["session_id"] = as_text(page["own_session_id"])
    things = [thing for thing in group if thing is not page]
    keys = (search_key, _key(page, "row_key"))
    row["extra"] = said.get("further")
    told = said.get("conversions_told") is True
    return _as_row(numbers, line, things, keys, row, conversions_told=told)


def _as_row(
    numbers: list[int],
    line: dict[str, Any],
    things: list[Row],
    keys: tuple[int, int | None],
    row: Row,
    *,
    conversions_told: bool,
) -> LogRow:
    if "retrieved_doc_ids" not in line:
        line["results_logged"] = False
    furthers = _tell(line, things)
    if conversions_told:
        line.setdefault("conversions", [])
    assumed = _is_true(row, "zone_assumed")
    return LogRow(numbers, line, *keys, assumed, _object(row.get("extra")), furthers)


def _later(numbers: list[int], things: list[Row], search_key: int | None, search: Row) -> LogRow:
    """A row that told what happened in a search, after it."""
    head = things[0]
    times = [as_time(thing["occurred_at"]) for thing in things if thing.get("occurred_at")]
    is_apart = head.get("joined") is not None and not _is_true(head, "joined")
    if not is_apart and not times:
        raise ValueError("occurred_at is missing")
    line = {"timestamp": as_time(head["timestamp"]) if is_apart else min(times, key=str)}
    line |= _shaped(head, ["user_id", "event_id"])
    line |= _shaped(search, ["search_id"])
    if head.get("own_session_id") is not None:
        line["session_id"] = as_text(head["own_session_id"])
    furthers = _tell(line, things)
    if "search_id" not in line:
        line.setdefault("action", as_text(head.get("action") or head.get("kind")))
    return LogRow(numbers, line, search_key, _key(head, "row_key"), furthers=furthers)


def _tell(line: dict[str, Any], things: list[Row]) -> list[str | None]:
    """Put what happened into the line; the further keys of each thing, in the import's order."""
    if any(thing.get("kind") == "other" for thing in things):
        if len(things) > 1:
            raise ValueError("row_key joins what one row cannot tell")
        line["action"] = as_text(things[0].get("action"))
        line |= _shaped(things[0], ["dwell_s"])
        return [_object(things[0].get("extra"))]
    furthers = []
    for kind, key in _LISTS.items():
        of_kind = [thing for thing in things if thing.get("kind") == kind]
        if of_kind:
            line[key] = [_thing(thing) for thing in of_kind]
            furthers += [_object(thing.get("extra")) for thing in of_kind]
    if len(furthers) < len(things):
        raise ValueError("kind is none of a lake's")
    words = [thing.get("action") for thing in things if thing.get("kind") != "conversion"]
    if words and words[0] is not None:
        line["action"] = as_text(words[0])
    return furthers


def _thing(row: Row) -> dict[str, Any]:
    said = {part: row.get(part) for part in PARTS if part != "timestamp"}
    said["timestamp"] = row.get("occurred_at")
    if row.get("kind") != "conversion":
        del said["action"]
    return {part: PARTS[part](value) for part, value in said.items() if value is not None}


def _shaped(row: Row, keys: Sequence[str]) -> dict[str, Any]:
    return {key: NATIVE[key](row[key]) for key in keys if row.get(key) is not None}


def _things(told: Any) -> list[Row]:
    if isinstance(told, str):
        told = json.loads(told)
    if told is not None and not (
        isinstance(told, list) and all(isinstance(thing, Mapping) for thing in told)
    ):
        raise ValueError("told is no list of objects")
    return list(told or [])


def _by_row(things: list[Row]) -> dict[int | None, list[Row]]:
    found: dict[int | None, list[Row]] = {}
    for thing in things:
        found.setdefault(_key(thing, "row_key"), []).append(thing)
    return found


def _page(things: Sequence[Row]) -> Row | None:
    return next((thing for thing in things if thing.get("kind") == "page"), None)


def _key(row: Row, column: str) -> int | None:
    value = row.get(column)
    if value is None:
        return None
    key = int(value)
    if isinstance(value, float) or not -_LARGEST <= key < _LARGEST:
        raise ValueError(f"{column} is no whole number of 64 bits")
    return key


def _is_true(row: Row, column: str) -> bool:
    return as_truth(row.get(column)) is True


def _object(extra: Any) -> str | None:
    """Further keys as the JSON that they are; no text that is none comes into a lake."""
    if extra is None:
        return None
    is_object = isinstance(json.loads(str(extra)), dict)
    if not is_object:
        raise ValueError("extra is no JSON object")
    return str(extra)


def by_search(numbered: Iterator[tuple[int, Row]]) -> Iterator[list[tuple[int, Row]]]:
    """Rows of `interactions` that stand together, those of one search at a time."""

    def search(one: tuple[int, Row]) -> tuple[str, str]:
        return str(one[1].get("timestamp")), str(one[1].get("search_key"))

    for _, group in groupby(numbered, key=search):
        yield list(group)
