"""How long a server wants to be left alone: in its headers, or in the error that it sends."""

import math
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

_PART = r"\d{1,9}(?:\.\d{1,12})?(?:ms|h|m|s)"
_DURATION = re.compile(rf"(?:{_PART})+")
_PARTS = re.compile(r"([\d.]+)(ms|h|m|s)")
_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}
_IN_WORDS = re.compile(rf"\bretry in ((?:{_PART})+)", re.IGNORECASE)


def wait_named(headers: Mapping[str, str], now: datetime | None = None) -> float | None:
    """Seconds that a server wants to be left alone, at least 0; None where it does not say.

    Read are retry-after-ms, and retry-after as seconds or as a date.

    >>> wait_named({"retry-after": "3"}), wait_named({"retry-after": "soon"})
    (3.0, None)
    """
    milliseconds = _number(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return max(0.0, milliseconds / 1000)
    named = headers.get("retry-after", "")
    seconds = _number(named)
    if seconds is None:
        seconds = _seconds_until(named, now or datetime.now(UTC))
    return None if seconds is None else max(0.0, seconds)


def wait_in(error: Mapping[str, Any]) -> float | None:
    """Seconds that an error in a body says to wait, at least 0; None where it does not say.

    Gemini sends no header, but a google.rpc.RetryInfo (so documented) in details, and the same in
    words: both are reported by users.

    >>> wait_in({"details": [{"retryDelay": "26s"}]}), wait_in({"message": "retry in 1m0.5s."})
    (26.0, 60.5)
    """
    details = error.get("details")
    told = [
        _seconds(detail.get("retryDelay"))
        for detail in (details if isinstance(details, list) else [])
        if isinstance(detail, Mapping)
    ]
    if known := [seconds for seconds in told if seconds is not None]:
        return max(known)
    message = error.get("message")
    found = _IN_WORDS.search(message) if isinstance(message, str) else None
    return None if found is None else _seconds(found[1])


def _seconds(duration: Any) -> float | None:
    """Of a duration as protobuf and Go write it: 26s, 0.5s, 1m30s, 800ms."""
    if not isinstance(duration, str) or not _DURATION.fullmatch(duration):
        return None
    return sum(float(number) * _SECONDS[unit] for number, unit in _PARTS.findall(duration))


def _number(text: str | None) -> float | None:
    try:
        number = float(text or "")
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _seconds_until(text: str, now: datetime) -> float | None:
    try:
        moment = parsedate_to_datetime(text)
    except (ValueError, TypeError, IndexError):
        return None
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return (moment - now).total_seconds()
