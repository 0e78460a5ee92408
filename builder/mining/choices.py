"""A choice of searches as JSON: in the parameters of jobs and of samplings."""

from collections.abc import Mapping
from dataclasses import asdict
from datetime import date
from typing import Any

from online.engines import Choice

_DAYS = ("start", "end")


def choice_as_json(choice: Choice) -> dict[str, Any]:
    """The fields by name, days as ISO 8601; `choice_from_json` reads them again."""
    told = asdict(choice)
    return told | {day: told[day] and told[day].isoformat() for day in _DAYS}


def choice_from_json(told: Mapping[str, Any]) -> Choice:
    """The choice that `choice_as_json` wrote."""
    days = {day: told[day] and date.fromisoformat(told[day]) for day in _DAYS}
    return Choice(**{**told, **days})
