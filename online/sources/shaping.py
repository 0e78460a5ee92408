"""Values of a foreign table as the native line wants them, where that can be done without loss.

What cannot be read as what it should be is handed on as it is: the checks of the native line put
the row into quarantine and say why.
"""

import json
import math
import re
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

SEPARATOR = "|"
"""Stands between the ids of a list in one cell, unless a mapping names another."""

LARGEST_EXACT = 2**53
"""Up to here every whole number has a floating-point number of its own."""

_WHOLE = re.compile(r"[+-]?\d{1,18}(\.0*)?")
_NUMBER = re.compile(r"[+-]?(\d{1,300}(\.\d*)?|\.\d+)([eE][+-]?\d{1,3})?")
_TRUTH = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}

Shape = Callable[[Any], Any]


def plain(value: Any) -> Any:
    """A value as JSON knows it: times in ISO 8601, decimals exact, NaN and infinity null."""
    if type(value) in _AS_IT_IS:
        return value
    for kinds, written in _PLAIN:
        if isinstance(value, kinds):
            return written(value)
    return value


def _moment(value: datetime) -> str:
    return (value.astimezone(UTC) if value.tzinfo else value).isoformat()


def _decimal(value: Decimal) -> int | float | str | None:
    if not value.is_finite():
        return None
    if value == value.to_integral_value():
        return int(value)
    return float(value) if Decimal(repr(float(value))) == value else str(value)


def _binary(value: bytes) -> str:
    try:
        return value.decode()
    except UnicodeDecodeError:
        return value.hex()


def _sequence(values: list[Any] | tuple[Any, ...]) -> Any:
    """A list; the pairs of a MAP, as pyarrow gives them, are an object."""
    if values and all(isinstance(part, tuple) and len(part) == 2 for part in values):
        return {str(key): plain(part) for key, part in values}
    return [part if type(part) is str else plain(part) for part in values]


_AS_IT_IS = frozenset((str, int, bool, type(None)))
_PLAIN: tuple[tuple[Any, Callable[[Any], Any]], ...] = (
    (float, lambda number: number if math.isfinite(number) else None),
    (datetime, _moment),
    ((date, time), lambda moment: moment.isoformat()),
    (Decimal, _decimal),
    (bytes, _binary),
    ((timedelta, UUID), str),
    ((list, tuple), _sequence),
    (dict, lambda fields: {str(key): plain(part) for key, part in fields.items()}),
)


def opened(value: Any) -> Any:
    """The object that a text holds as JSON, as cells of a database do; anything else as it is."""
    if type(value) is str and value.lstrip()[:1] == "{":
        return _out_of_json(value)
    return value


def as_text(value: Any) -> Any:
    """Text, and numbers as the text of their digits: 7.0, as data frames write it, is "7"."""
    if type(value) is str:
        return value
    value = plain(value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return value
    if isinstance(value, float) and value.is_integer() and abs(value) < LARGEST_EXACT:
        value = int(value)
    return str(value)


def as_whole(value: Any) -> Any:
    """A whole number, also out of text such as "3" and "3.0"."""
    value = plain(value)
    if isinstance(value, str) and _WHOLE.fullmatch(value.strip()):
        return int(value.strip().partition(".")[0])
    return int(value) if isinstance(value, float) and value.is_integer() else value


def as_number(value: Any) -> Any:
    """A number, also out of text; decimals that a float cannot hold come as near as it can."""
    value = plain(value)
    if isinstance(value, str) and _NUMBER.fullmatch(value.strip()):
        number = float(value)
        return number if math.isfinite(number) else value
    return value


def as_truth(value: Any) -> Any:
    """True or false, also out of "true", "yes", "1", 1 and their opposites."""
    value = plain(value)
    return value if isinstance(value, bool) else _TRUTH.get(str(value).strip().lower(), value)


def as_time(value: Any) -> Any:
    """A time of the database in ISO 8601; text and numbers as they are."""
    value = plain(value)
    if isinstance(value, str):
        return value.strip()
    return int(value) if isinstance(value, float) and value.is_integer() else value


def as_ids(value: Any, separator: str = SEPARATOR) -> Any:
    """A list of ids: a list, or text that holds a JSON array or ids between separators."""
    if isinstance(value, str):
        value = _out_of_json(value) if value.lstrip().startswith("[") else _cut(value, separator)
    value = plain(value)
    if not isinstance(value, list):
        return value
    return [part if type(part) is str else as_text(part) for part in value]


def _cut(text: str, separator: str) -> list[str]:
    return [part.strip() for part in text.split(separator)] if text.strip() else []


def _out_of_json(text: str) -> Any:
    """What the text says as JSON; the text itself where it is none."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


PARTS: dict[str, Shape] = {
    "doc_id": as_text,
    "rank": as_whole,
    "timestamp": as_time,
    "dwell_s": as_number,
    "value": as_number,
    "action": as_text,
}
"""What one click, conversion or impression is made of."""


def as_things(value: Any) -> Any:
    """Clicks, conversions or impressions: a list of objects, or the JSON of one."""
    if isinstance(value, str):
        value = _out_of_json(value)
    value = plain(value)
    if not isinstance(value, list):
        return value
    return [_thing(part) if isinstance(part, Mapping) else part for part in value]


def _thing(part: Mapping[str, Any]) -> dict[str, Any]:
    shaped = {key: PARTS[key](said) if key in PARTS else said for key, said in part.items()}
    return {key: said for key, said in shaped.items() if said is not None}


def as_time_of(form: str) -> Shape:
    """Reads times that are written in a form of `datetime.strptime`; others stay as they are."""

    def read(value: Any) -> Any:
        value = as_time(value)
        moment = time_in(str(value), form)
        return value if moment is None else _moment(moment)

    return read


def time_in(text: str, form: str) -> datetime | None:
    """The time that a text tells in a form of `datetime.strptime`; None where it is in another.

    >>> time_in("2026113012", "%Y%m%d%H")
    datetime.datetime(2026, 11, 30, 12, 0)
    >>> time_in("2026113012", "%Y%m%d%H%M%S") is None
    True
    """
    try:
        moment = datetime.strptime(text, form)  # noqa: DTZ007 - the import asks for a zone
    except ValueError:
        return None
    if text.isdigit() and moment.strftime(form) != text:
        return None  # strptime is content with one digit where two are meant
    # strptime reads the name of a zone and forgets it.
    in_utc = "%Z" in form and text.endswith(("UTC", "GMT", "Z"))
    return moment.replace(tzinfo=UTC) if in_utc else moment


NATIVE: dict[str, Shape] = {
    "timestamp": as_time,
    "query": as_text,
    "session_id": as_text,
    "user_id": as_text,
    "model_version": as_text,
    "retrieved_doc_ids": as_ids,
    "offset": as_whole,
    "clicked_doc_id": as_text,
    "click_rank": as_whole,
    "clicks": as_things,
    "conversions": as_things,
    "impressions": as_things,
    "action": as_text,
    "search_id": as_text,
    "event_id": as_text,
    "tags": as_ids,
    "total_hits": as_whole,
    "latency_ms": as_number,
    "dwell_s": as_number,
    "results_logged": as_truth,
}
"""Key of the native line -> how a foreign value becomes one of its values."""
