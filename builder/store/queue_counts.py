"""Counts for the grading page: what a rater has done, and how much is left."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import (
    Connection,
    FromClause,
    Select,
    bindparam,
    exists,
    func,
    literal_column,
    select,
)

from builder.store.current import effective_time
from builder.store.judgment_imports import IMPORTED
from builder.store.queue import Seeker, said_by_rater, tagged, wants_grades
from builder.store.quota import asks_people
from builder.store.schema import current_judgments, judgments, pairs, queries, query_outcomes

FEW = 50
"""So many changes are followed one by one; with more, counting anew is quicker."""


@dataclass(frozen=True, slots=True)
class OwnCounts:
    """What stands for one rater, in pairs.

    Attributes:
        graded: With a grade.
        skipped: Put off for later.
        cannot_judge: Given up.
    """

    graded: int = 0
    skipped: int = 0
    cannot_judge: int = 0

    @property
    def settled(self) -> int:
        """Pairs that are not open for the rater whatever others do."""
        return self.graded + self.cannot_judge

    def __add__(self, other: "OwnCounts") -> "OwnCounts":
        return OwnCounts(
            self.graded + other.graded,
            self.skipped + other.skipped,
            self.cannot_judge + other.cannot_judge,
        )

    def __sub__(self, other: "OwnCounts") -> "OwnCounts":
        return self + OwnCounts(-other.graded, -other.skipped, -other.cannot_judge)


def count_own(connection: Connection, seeker: Seeker) -> OwnCounts:
    """What stands for the rater, in the queries with the seeker's tag if there is one."""
    whole, put_off = _OWN if seeker.tag is None else _OWN_TAGGED
    counted: Counter[str] = Counter()
    for outcome, n in connection.execute(put_off, seeker.bound()):
        counted[outcome] = n
    # Grades are by far the most: counted as what is no other outcome, they need no grouping.
    everything = connection.execute(whole, seeker.bound()).scalar_one()
    counted["grade"] = everything - counted.total()
    return _counts(counted)


def own_since(connection: Connection, rater_id: int, judgment_id: int) -> OwnCounts | None:
    """By how much `count_own` changed after that row of the log; None: count anew."""
    asked = {"rater": rater_id, "since": judgment_id}
    rows = connection.execute(_SINCE, asked).all()
    if len(rows) > FEW or any(row.token.startswith(IMPORTED) for row in rows):
        return None
    changed: Counter[str] = Counter()
    for pair_id in {row.pair_id for row in rows}:
        of_pair = asked | {"pair": pair_id}
        changed[connection.execute(_SAYS, of_pair).scalar_one()] += 1
        said = connection.execute(_SAID, of_pair).scalar_one_or_none()
        if said is not None:
            changed[said] -= 1
    return _counts(changed)


def newest_of_rater(connection: Connection, rater_id: int) -> int:
    """The rater's latest row of the log; 0 if there is none."""
    return connection.execute(_NEWEST, {"rater": rater_id}).scalar_one_or_none() or 0


def count_open(connection: Connection, seeker: Seeker) -> int:
    """How many pairs want a grade of the rater, skipped ones and those on other screens included.

    Counted as those that want any grade, without what the rater settled: either is in one index.
    """
    asked = seeker.bound()
    wanted, settled, flagged = _OPEN if seeker.tag is None else _OPEN_TAGGED
    return int(
        connection.execute(wanted, asked).scalar_one()
        - connection.execute(settled, asked).scalar_one()
        - connection.execute(flagged, asked).scalar_one()
    )


def queries_with_pairs(connection: Connection) -> list[int]:
    """The query_keys of the queries that have pairs and are neither retired nor set aside.

    Pairs that nobody is asked for, since only synthesis named them, are none for this.
    """
    return list(connection.execute(_QUERIES_WITH_PAIRS).scalars())


def tags_of_queries_with_pairs(connection: Connection) -> Sequence[str]:
    """The tags, as JSON, of each query of `queries_with_pairs` that has any."""
    tags = _QUERIES_WITH_PAIRS.with_only_columns(queries.c.tags).where(queries.c.tags != "[]")
    return connection.execute(tags).scalars().all()


def judged_lately(connection: Connection, rater_id: int, limit: int) -> list[tuple[str, bool]]:
    """Of the rater's latest rows, newest first: recorded_at, and whether it is a standing grade.

    Imported rows among them are left out.
    """
    rows = connection.execute(_LATELY, {"rater": rater_id, "limit": limit})
    return [
        (row.recorded_at, bool(row.stands)) for row in rows if not row.token.startswith(IMPORTED)
    ]


def _counts(by_outcome: Counter[str]) -> OwnCounts:
    return OwnCounts(by_outcome["grade"], by_outcome["skip"], by_outcome["cannot_judge"])


def _own(*, within_tag: bool) -> tuple[Select[Any], Select[Any]]:
    """How many pairs the rater said anything of, and by outcome those that are not graded."""
    said: FromClause = current_judgments
    mine = [current_judgments.c.rater_id == bindparam("rater")]
    if within_tag:
        said = said.join(pairs, pairs.c.pair_id == current_judgments.c.pair_id)
        mine.append(tagged(pairs.c.query_key))
    whole: Select[Any] = select(func.count()).select_from(said).where(*mine)
    put_off: Select[Any] = select(current_judgments.c.outcome, func.count()).select_from(said)
    # Written so that it leads to the small index of what is not graded.
    put_off = put_off.where(*mine, current_judgments.c.outcome != literal_column("'grade'"))
    return whole, put_off.group_by(current_judgments.c.outcome)


def _since() -> Select[Any]:
    chosen: Select[Any] = select(judgments.c.pair_id, judgments.c.token).where(
        judgments.c.rater_id == bindparam("rater"), judgments.c.judgment_id > bindparam("since")
    )
    return chosen.limit(FEW + 1)


def _says() -> Select[Any]:
    mine = current_judgments.c.rater_id == bindparam("rater")
    chosen: Select[Any] = select(current_judgments.c.outcome)
    return chosen.where(current_judgments.c.pair_id == bindparam("pair"), mine)


def _said() -> Select[Any]:
    """What stood of the pair when the row `since` was the rater's latest."""
    chosen: Select[Any] = select(judgments.c.outcome).where(
        judgments.c.pair_id == bindparam("pair"),
        judgments.c.rater_id == bindparam("rater"),
        judgments.c.judgment_id <= bindparam("since"),
    )
    return chosen.order_by(effective_time().desc(), judgments.c.judgment_id.desc()).limit(1)


def _wanted() -> Select[Any]:
    chosen: Select[Any] = select(func.count()).select_from(pairs)
    return chosen.where(wants_grades())


def _settled() -> Select[Any]:
    mine = current_judgments.join(pairs, pairs.c.pair_id == current_judgments.c.pair_id)
    chosen: Select[Any] = select(func.count()).select_from(mine)
    return chosen.where(
        current_judgments.c.rater_id == bindparam("rater"),
        current_judgments.c.outcome.not_in(("undone", "skip")),
        pairs.c.open_slots > 0,
    )


def _flagged() -> Select[Any]:
    """What is left in queries of which the rater said that they cannot be judged."""
    flagged = select(query_outcomes.c.query_key).where(
        query_outcomes.c.rater_id == bindparam("rater"), query_outcomes.c.standing == 1
    )
    chosen: Select[Any] = select(func.count()).select_from(pairs)
    return chosen.where(
        pairs.c.query_key.in_(flagged), pairs.c.open_slots > 0, ~said_by_rater("skip")
    )


def _queries_with_pairs() -> Select[Any]:
    in_pool = exists().where(pairs.c.query_key == queries.c.query_key, asks_people())
    asked = (queries.c.status == "active") & (queries.c.set_aside == 0)
    chosen: Select[Any] = select(queries.c.query_key).where(asked, in_pool)
    return chosen.order_by(queries.c.query_key)


def _lately() -> Select[Any]:
    stands = exists().where(
        current_judgments.c.pair_id == judgments.c.pair_id,
        current_judgments.c.rater_id == judgments.c.rater_id,
        current_judgments.c.judgment_id == judgments.c.judgment_id,
        current_judgments.c.outcome == "grade",
    )
    columns = (judgments.c.recorded_at, judgments.c.token, stands.label("stands"))
    chosen: Select[Any] = select(*columns)
    chosen = chosen.where(judgments.c.rater_id == bindparam("rater"))
    return chosen.order_by(judgments.c.judgment_id.desc()).limit(bindparam("limit"))


def _newest() -> Select[Any]:
    chosen: Select[Any] = select(judgments.c.judgment_id)
    chosen = chosen.where(judgments.c.rater_id == bindparam("rater"))
    return chosen.order_by(judgments.c.judgment_id.desc()).limit(1)


_OWN = _own(within_tag=False)
_OWN_TAGGED = _own(within_tag=True)
_SINCE = _since()
_SAYS = _says()
_SAID = _said()
_OPEN = (_wanted(), _settled(), _flagged())
_OPEN_TAGGED = tuple(counted.where(tagged(pairs.c.query_key)) for counted in _OPEN)
_QUERIES_WITH_PAIRS = _queries_with_pairs()
_LATELY = _lately()
_NEWEST = _newest()
