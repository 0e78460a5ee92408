"""Days on which the clocks of a zone change: local times of such a day may be no time, or two."""

from datetime import UTC, date, datetime, time, timedelta
from functools import cache
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

if TYPE_CHECKING:
    import pyarrow as pa

DATE_LETTERS = 10


class ClockChanges:
    """Looks for times of days on which clocks change; without a zone, nothing is looked at."""

    def __init__(self, zone: str | None) -> None:
        self._zone = zone

    def touch(self, batch: "pa.RecordBatch") -> bool:
        """Whether a `timestamp` among these rows is of such a day."""
        if self._zone is None:
            return False
        from pyarrow import compute

        dates = compute.utf8_slice_codeunits(batch.column("timestamp"), 0, DATE_LETTERS)
        return any(changes(self._zone, str(day)) for day in dates.unique().to_pylist())


@cache
def changes(zone: str, day: str) -> bool:
    """Whether clocks change on this day, such as "2026-03-29", or a day around it.

    What is no day is none on which they do.

    >>> changes("Europe/Berlin", "2026-03-29"), changes("Europe/Berlin", "2026-04-01")
    (True, False)
    """
    try:
        begin = datetime.combine(date.fromisoformat(day), time(), UTC) - timedelta(days=1)
        offsets = {
            (begin + timedelta(days=n)).astimezone(ZoneInfo(zone)).utcoffset() for n in range(4)
        }
    except (ValueError, OverflowError):
        return False
    return len(offsets) > 1
