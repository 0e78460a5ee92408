"""Keeps what follows from the log: the current judgments, and how many humans graded a pair."""

from collections.abc import Iterable
from typing import Any, NamedTuple

from sqlalchemy import (
    ColumnElement,
    Connection,
    Update,
    bindparam,
    func,
    insert,
    select,
    update,
)

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
    """Note which judgments stand now, and count the human grades of their pairs anew.

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
    touched = {row["pair_id"] for row in inserted} | {row["p"] for row in updated}
    if touched:
        connection.execute(_RECOUNT, [{"p": pair_id} for pair_id in sorted(touched)])


def _replace() -> Update:
    mine = (current_judgments.c.pair_id == bindparam("p")) & (
        current_judgments.c.rater_id == bindparam("r")
    )
    replaced = update(current_judgments).where(mine)
    return replaced.values(judgment_id=bindparam("stands"), outcome=bindparam("says"))


def _recount() -> Update:
    graded = (
        select(func.count())
        .select_from(
            current_judgments.join(people, people.c.person_id == current_judgments.c.rater_id)
        )
        .where(
            current_judgments.c.pair_id == bindparam("p"),
            current_judgments.c.outcome == "grade",
            people.c.kind == "human",
        )
    )
    graded_by = graded.scalar_subquery()
    return update(pairs).where(pairs.c.pair_id == bindparam("p")).values(human_grades=graded_by)


_REPLACE = _replace()
_RECOUNT = _recount()
