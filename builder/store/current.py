"""Keeps what follows from the log: the current judgments, and what a pair still wants.

How many humans graded a pair (raters that an analyst excluded do not count), how many cannot judge
it, and how many more grades it wants.
"""

from collections.abc import Iterable, Set
from typing import Any, NamedTuple

from sqlalchemy import (
    ColumnElement,
    Connection,
    ScalarSelect,
    Update,
    bindparam,
    func,
    insert,
    select,
    update,
)

from builder.store.quota import refresh_open_slots
from builder.store.schema import current_judgments, judgments, pairs, people


class Current(NamedTuple):
    """The judgment that stands: `judgment_id` and `outcome` of a rater on a pair."""

    pair_id: int
    rater_id: int
    judgment_id: int
    outcome: str


def effective_time() -> ColumnElement[str]:
    """When a judgment was made, else when it came in: the time by which the latest one counts."""
    return func.coalesce(judgments.c.judged_at, judgments.c.recorded_at)


def set_current(
    connection: Connection, *, new: Iterable[Current], changed: Iterable[Current]
) -> None:
    """Note which judgments stand now, and count anew what humans say of their pairs.

    Args:
        connection: Inside a writing transaction.
        new: Of raters and pairs that had no current judgment.
        changed: Of those that had one.
    """
    inserted: list[dict[str, Any]] = [current._asdict() for current in new]
    updated: list[dict[str, Any]] = [
        {"p": pair_id, "r": rater_id, "stands": judgment_id, "says": outcome}
        for pair_id, rater_id, judgment_id, outcome in changed
    ]
    if inserted:
        connection.execute(insert(current_judgments), inserted)
    if updated:
        connection.execute(_REPLACE, updated)
    recount_pairs(connection, {row["pair_id"] for row in inserted} | {row["p"] for row in updated})


def recount_pairs(connection: Connection, pair_ids: Set[int]) -> None:
    """Count anew what humans say of these pairs, and how many more grades they want."""
    if pair_ids:
        in_order = sorted(pair_ids)
        connection.execute(_RECOUNT, [{"p": pair_id} for pair_id in in_order])
        refresh_open_slots(connection, in_order)


def _replace() -> Update:
    mine = (current_judgments.c.pair_id == bindparam("p")) & (
        current_judgments.c.rater_id == bindparam("r")
    )
    replaced = update(current_judgments).where(mine)
    return replaced.values(judgment_id=bindparam("stands"), outcome=bindparam("says"))


def _recount() -> Update:
    counted = update(pairs).where(pairs.c.pair_id == bindparam("p"))
    # What an excluded rater cannot judge is as hard for the others: only grades are left out.
    graded = _who_say("grade", people.c.excluded_at.is_(None))
    return counted.values(human_grades=graded, cannot_judges=_who_say("cannot_judge"))


def _who_say(outcome: str, *among: ColumnElement[bool]) -> ScalarSelect[int]:
    """How many humans' (`among` them only these) current judgment of the pair has this outcome."""
    said = current_judgments.join(people, people.c.person_id == current_judgments.c.rater_id)
    counted = select(func.count()).select_from(said)
    counted = counted.where(
        current_judgments.c.pair_id == bindparam("p"),
        current_judgments.c.outcome == outcome,
        people.c.kind == "human",
        *among,
    )
    return counted.scalar_subquery()


_REPLACE = _replace()
_RECOUNT = _recount()
