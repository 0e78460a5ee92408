"""What is wrong with a UBI record, in UBI's own words; what the import finds is in native words."""

import json
from collections.abc import Callable
from typing import Any, NamedTuple

from online.sources.source import fault
from online.sources.ubi_records import RESULTS, Record

LARGEST_RANK = 1_000_000_000
LONGEST_SHOWN = 60


class _Check(NamedTuple):
    key: str
    is_right: Callable[[Any], bool]
    reason: str
    said: str
    advice: str


def _is_text(value: Any) -> bool:
    return type(value) is str


def _are_ids(value: Any) -> bool:
    return type(value) is list and all(type(doc_id) is str and doc_id for doc_id in value)


def _is_rank(value: Any) -> bool:
    return type(value) is int and 1 <= value <= LARGEST_RANK


_TEXT = "write an id as text or as a whole number"
_LINE = (
    _Check("search_id", _is_text, "bad_search_id", "query_id", _TEXT),
    _Check("user_id", _is_text, "bad_user", "user_id or client_id", _TEXT),
    _Check("session_id", _is_text, "bad_session", "session_id", _TEXT),
    _Check("event_id", _is_text, "bad_event_id", "event_id", _TEXT),
    _Check("query", _is_text, "bad_query", "user_query", "write the query as text"),
    _Check(
        "retrieved_doc_ids",
        _are_ids,
        "bad_results",
        " or ".join(RESULTS[:2]),
        "write a list of ids, each a text that is not empty",
    ),
    _Check(
        "offset",
        _is_rank,
        "bad_offset",
        "what query_attributes say of the page (from, offset, or page and size)",
        "write how many results stand before the first that is listed",
    ),
)
_THING = (
    _Check("doc_id", _is_text, "bad_{}", "event_attributes.object.object_id", _TEXT),
    _Check(
        "rank",
        _is_rank,
        "bad_rank",
        "event_attributes.position.ordinal",
        "write a whole number, 0 or 1 for the first result as the application counts",
    ),
)


def fault_of(line: Record) -> str | None:
    """What stands in place of a line that says something impossible; None where all is well.

    Args:
        line: A native line out of a UBI record.
    """
    if "timestamp" not in line:
        return fault("missing_timestamp", "timestamp is missing or null; every record needs one")
    if found := _first_wrong(line, _LINE):
        return found
    for kind in ("click", "conversion", "impression"):
        for thing in line.get(f"{kind}s", ()):
            if found := _first_wrong(thing, _THING, kind):
                return found
    return None


def _first_wrong(place: Record, checks: tuple[_Check, ...], kind: str = "") -> str | None:
    for check in checks:
        if check.key in place and not check.is_right(place[check.key]):
            shown = json.dumps(place[check.key])[:LONGEST_SHOWN]
            reason = check.reason.format(kind)
            return fault(reason, f"{check.said} is {shown}; {check.advice}")
    return None
