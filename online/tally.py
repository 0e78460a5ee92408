"""What became of the rows of a log."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from estimates import ImportTally


@dataclass(slots=True)
class EventTally(ImportTally):
    """An `ImportTally` that also says who wrote the log.

    Attributes:
        applications: Application that wrote a part of the log -> what is to be said about that
            part, such as its rows, its rank base and its form of time; {} where the format does not
            name applications.
    """

    applications: dict[str, dict[str, Any]] = field(default_factory=dict)

    @classmethod
    def total(cls, tallies: Iterable[ImportTally]) -> "EventTally":
        """The sum of several imports; of one application in several logs, counts are added up."""
        parts = list(tallies)
        whole = super(EventTally, cls).total(parts)
        assert isinstance(whole, EventTally)  # noqa: S101 - for the type checker
        for tally in parts:
            for name, said in getattr(tally, "applications", {}).items():
                whole.applications[name] = _added(whole.applications.get(name, {}), said)
        return whole

    def as_json(self) -> dict[str, object]:
        """The document that `events import --json` prints."""
        return super(EventTally, self).as_json() | {"applications": self.applications}


NO_COUNT = "rank_base"
"""A number that is told of an application, and no count: the latest is told of all."""

UNKNOWN_IN_PART = "without_query"
"""A count that is not known of all where it is not known of one."""


def _added(first: dict[str, Any], second: dict[str, Any]) -> dict[str, Any]:
    """Counts added, within objects too; of all else what the second says, if it says something."""
    both = {key: _sum(key, first[key], second[key]) for key in second if key in first}
    return first | second | both


def _sum(key: str, first: Any, second: Any) -> Any:
    if isinstance(first, dict) and isinstance(second, dict):
        return _added(first, second)
    if first is None or second is None:
        return None if key == UNKNOWN_IN_PART else second if first is None else first
    is_count = key != NO_COUNT and all(type(n) in (int, float) for n in (first, second))
    return first + second if is_count else second
