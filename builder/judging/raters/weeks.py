"""ISO weeks of moments."""

from dataclasses import dataclass
from datetime import date

import numpy as np

from builder.judging.agreement.leaving_out import Floats, Ints

DAY = 86_400.0
UNKNOWN = -1


@dataclass(frozen=True, slots=True)
class Weeks:
    """In which week something was, in UTC.

    Attributes:
        of_row: Position in `names`, UNKNOWN where the moment is; shape (rows,).
        names: The weeks that occur, in order, such as 2026-W49.
    """

    of_row: Ints
    names: list[str]


def weeks_of(seconds: Floats) -> Weeks:
    """The ISO week, Monday to Sunday, of each moment in seconds since 1970 UTC; NaN is unknown."""
    known = np.isfinite(seconds)
    # 1970-01-01 was a Thursday: the Monday of its week is day -3.
    week = np.floor_divide(np.floor_divide(seconds[known], DAY) + 3, 7).astype(np.int64)
    of_row = np.full(len(seconds), UNKNOWN, dtype=np.int64)
    if not len(week):
        return Weeks(of_row, [])
    first = int(week.min())
    occurs = np.bincount(week - first) > 0
    of_row[known] = (np.cumsum(occurs) - 1)[week - first]
    return Weeks(of_row, [_name(first + int(number)) for number in np.flatnonzero(occurs)])


def _name(number: int) -> str:
    monday = date.fromordinal(date(1970, 1, 1).toordinal() + number * 7 - 3)
    year, week, _ = monday.isocalendar()
    return f"{year}-W{week:02}"
