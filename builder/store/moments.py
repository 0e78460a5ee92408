"""How the store writes a moment: ISO 8601 in UTC, always as long, so that text order is time."""

from datetime import UTC, datetime


def utc_text(moment: datetime) -> str:
    """The moment as text such as 2026-11-30T12:00:00.000000+00:00 (32 characters).

    Raises:
        ValueError: The moment has no time zone.
        OverflowError: The moment lies outside the years 1 to 9999 in UTC.
    """
    if moment.utcoffset() is None:
        raise ValueError(f"moment == {moment.isoformat()}, must have a time zone")
    return moment.astimezone(UTC).isoformat(timespec="microseconds")


def now_text() -> str:
    """This moment as text."""
    return utc_text(datetime.now(UTC))
