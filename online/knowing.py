"""What the log of each model version knows at all, such as conversions or times.

A day without a conversion has a conversion rate of 0 where the log tells conversions, and none
where it does not: which of the two it is, the day itself cannot tell.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias, get_args

from online.engines import Choice, choose, fetch
from online.lake import Connection

Thing: TypeAlias = Literal["conversions", "dwells", "first_clicks", "conversion_values"]
THINGS: tuple[Thing, ...] = get_args(Thing)


@dataclass(frozen=True, slots=True)
class Knowledge:
    """What logs know.

    Attributes:
        users: Whether any search names a user.
        by_model: Model version -> what at least one of its searches has.
    """

    users: bool
    by_model: Mapping[str, frozenset[Thing]]

    @property
    def of_all(self) -> frozenset[Thing]:
        """What at least one model's log knows."""
        return frozenset().union(*self.by_model.values())


def what_logs_know(connection: Connection, choice: Choice) -> Knowledge:
    """What the logs of the choice's days and model know; the view `selected` is another one after.

    Its tag, its class and whether bots count are left out of account: these choose among the
    searches of a log, and do not make it another log. Days do, as a shop may begin to log more.
    """
    choose(connection, replace(choice, tag=None, query_class=None, without_bots=False), "model")
    logged = fetch(connection, "logged")[0]
    rows = fetch(connection, "known_by_model") if any(logged[thing] for thing in THINGS) else []
    by_model = {
        str(row["model_version"]): frozenset(thing for thing in THINGS if row[thing])
        for row in rows
    }
    return Knowledge(bool(logged["users"]), by_model)


def known_in_groups(
    connection: Connection, knowledge: Knowledge, groups: Iterable[str]
) -> dict[str, frozenset[Thing]]:
    """Group of `selected` -> what the log of at least one of its models knows."""
    sets = set(knowledge.by_model.values())
    if len(sets) < 2:
        return dict.fromkeys(groups, knowledge.of_all)
    found: dict[str, frozenset[Thing]] = dict.fromkeys(groups, frozenset())
    for row in fetch(connection, "models_in_groups"):
        group = row["group_key"]
        found[group] |= knowledge.by_model.get(str(row["model_version"]), frozenset())
    return found
