"""When a zone's clocks change: what parts instants into its days and hours."""

from datetime import UTC, date, datetime, time, timedelta
from functools import cache
from itertools import pairwise
from zoneinfo import ZoneInfo

from online.events import OnlineError

ONE_DAY = timedelta(days=1)


@cache
def zone_of(name: str) -> ZoneInfo:
    """The zone of an IANA name.

    Raises:
        OnlineError: There is no such zone.
    """
    try:
        return ZoneInfo(name)
    except (OSError, ValueError):  # ZoneInfoNotFoundError is a KeyError, a folder an OSError
        pass
    except KeyError:
        pass
    raise OnlineError(f"there is no time zone {name!r}", hint="Such as UTC or Europe/Berlin.")


def begin_of(day: date, name: str) -> datetime:
    """The first instant of a day in a zone, in UTC; where clocks skip midnight, when they do."""
    midnight = datetime.combine(day, time(), zone_of(name))
    try:
        return midnight.astimezone(UTC)
    except OverflowError:  # before the year 1, or behind 9999
        return midnight.replace(tzinfo=UTC)


def offsets(name: str, first: date, last: date) -> list[tuple[datetime, int]]:
    """How far a zone's clocks are from UTC on these UTC days and a day around them.

    Args:
        name: The zone.
        first: The first day.
        last: The last day.

    Returns:
        (from this instant on, seconds east of UTC), ascending; the first holds before it too.
    """
    zone = zone_of(name)
    begin = datetime.combine(first, time(), UTC) - ONE_DAY
    days = [begin + n * ONE_DAY for n in range((last - first).days + 4)]
    found = [(begin, _seconds(zone, begin))]
    for one, other in pairwise(days):
        if _seconds(zone, one) != _seconds(zone, other):
            changed = _change(zone, one, other)
            found.append((changed, _seconds(zone, changed)))
    return found


def _change(zone: ZoneInfo, before: datetime, behind: datetime) -> datetime:
    """The instant between these two from which on the clocks tell the later time, to the second."""
    while behind - before > timedelta(seconds=1):
        middle = before + timedelta(seconds=(behind - before) // timedelta(seconds=2))
        if _seconds(zone, middle) == _seconds(zone, before):
            before = middle
        else:
            behind = middle
    return behind


def _seconds(zone: ZoneInfo, instant: datetime) -> int:
    offset = instant.astimezone(zone).utcoffset()
    return int(offset.total_seconds()) if offset else 0
