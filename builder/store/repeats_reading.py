"""Reads what raters graded more than once: whether they contradict themselves is told from it."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import groupby, pairwise
from typing import Any

import numpy as np
from sqlalchemy import Connection, Row, Select, func, select

from builder.store.current import effective_time
from builder.store.judgment_imports import IMPORTED
from builder.store.query_edits import CARRIED
from builder.store.repeats import Repeats
from builder.store.schema import judgments, people

APART = timedelta(hours=1)
"""A grade given again sooner is taken for a correction: the rater remembers the first."""

BATCH = 500


@dataclass(frozen=True, slots=True)
class _Graded:
    """One grade of a rater on a pair.

    Attributes:
        grade: 0 to 3.
        moment: When it was given, else when it came in.
        timed: Whether it is known when it was given.
        carried: Whether it was given for another query, which was merged into this one.
    """

    grade: int
    moment: str
    timed: bool
    carried: bool


@dataclass(slots=True)
class _Said:
    """What one rater said of one pair, up to a row of the log: the grades that nobody took back."""

    graded: list[_Graded] = field(default_factory=list)

    def take(self, row: Row[Any]) -> None:
        """Take in the next row of the log."""
        pressed = not row.token.startswith(IMPORTED)
        if row.outcome != "grade" or pressed:
            self._withdraw()
        if row.outcome == "grade":
            carried = row.token.startswith(CARRIED)
            self.graded.append(_Graded(row.grade, row.moment, row.judged_at is not None, carried))

    def _withdraw(self) -> None:
        """What stood is taken back, or corrected by who saw it."""
        if self.graded:
            self.graded.remove(max(self.graded, key=lambda one: one.moment))

    def repeats(self) -> Iterator[tuple[int, int]]:
        """Grade and next grade, where the second was given without a look at the first."""
        in_time = sorted(self.graded, key=lambda one: one.moment)
        for first, second in pairwise(in_time):
            if first.carried or second.carried or _apart(first, second):
                yield first.grade, second.grade


def read_repeats(connection: Connection) -> Repeats:
    """Where people graded the same pair twice without a look at their first grade.

    The app asks nobody twice, and shows the grade that is there to whoever comes back. So what its
    own log holds of one rater and pair are corrections, and no contradictions: a grade that was
    undone and given anew, and one that was edited on the page Grade, in the list or in My grades.
    These count as one grade, the last. Repeats are

    - imported grades of one rater and pair that were given an hour or more apart by the times in
      the file. Sooner, it is a correction. Without times nothing is known, and equal ones were
      taken for duplicates on import: to count the others would make everybody contradict
      themselves.
    - grades for two queries that were merged because they mean the same, whenever they were given.

    A whole log that another workspace wrote (`judgments export --all`) tells edits as it tells
    repeats: edits of an hour later count as repeats where such a file was imported.

    Args:
        connection: Inside a transaction.
    """
    rows = connection.execute(_SAID_OFTEN, execution_options={"yield_per": BATCH})
    found = [
        (name, first, second)
        for (name, _), said in groupby(rows, key=lambda row: (row.name, row.pair_id))
        for first, second in _repeats(said)
    ]
    raters = sorted({name for name, _, _ in found})
    place = {name: at for at, name in enumerate(raters)}
    columns = np.array([(place[name], *graded) for name, *graded in found], dtype=np.int64)
    rater, first, second = columns.reshape(-1, 3).T
    return Repeats(rater, first, second, raters)


def _repeats(said: Iterable[Row[Any]]) -> Iterator[tuple[int, int]]:
    so_far = _Said()
    for row in said:
        so_far.take(row)
    return so_far.repeats()


def _apart(first: _Graded, second: _Graded) -> bool:
    if not (first.timed and second.timed):
        return False
    return datetime.fromisoformat(second.moment) - datetime.fromisoformat(first.moment) >= APART


def _said_often() -> Select[Any]:
    """The log of all people and pairs with more than one row."""
    often = select(judgments.c.pair_id, judgments.c.rater_id)
    often = often.group_by(judgments.c.pair_id, judgments.c.rater_id).having(func.count() > 1)
    of_both = often.subquery()
    joined = of_both.join(people, people.c.person_id == of_both.c.rater_id).join(
        judgments,
        (judgments.c.pair_id == of_both.c.pair_id) & (judgments.c.rater_id == of_both.c.rater_id),
    )
    columns = (
        people.c.name,
        judgments.c.pair_id,
        judgments.c.outcome,
        judgments.c.grade,
        judgments.c.judged_at,
        judgments.c.token,
        effective_time().label("moment"),
    )
    chosen: Select[Any] = select(*columns).select_from(joined).where(people.c.kind == "human")
    return chosen.order_by(people.c.person_id, judgments.c.pair_id, judgments.c.judgment_id)


_SAID_OFTEN = _said_often()
