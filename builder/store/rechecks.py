"""Pairs that one more person is asked to grade, since clicks say otherwise than their grade.

Each adds to `pairs.extra`, and so to the quota, what opens the pair once more. Whether somebody
answered follows from the log of judgments: an answer is a standing grade of a person who counts and
who had no grade on the pair when it was asked for.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from sqlalchemy import (
    ColumnElement,
    Connection,
    Select,
    case,
    exists,
    func,
    insert,
    select,
    tuple_,
    update,
)

from builder.store.adjudications import decided_pairs
from builder.store.batches import batches
from builder.store.moments import now_text
from builder.store.pool import Pair
from builder.store.quota import note_change, refresh_open_slots
from builder.store.schema import (
    current_judgments,
    documents,
    judgments,
    pairs,
    people,
    queries,
    query_outcomes,
    rechecks,
)

ADJUDICATED, WAITING, SET_ASIDE = "adjudicated", "waiting", "set_aside"
CANNOT_JUDGE, NOBODY_LEFT = "cannot_judge", "nobody_left"
_AT_ONCE = 400


class NewRecheck(NamedTuple):
    """A pair that is to be asked for.

    Attributes:
        pair_id: The pair.
        grade: What its grades come to now, 0 to 3.
        weak_grade: What its clicks come to, 0 to 3.
    """

    pair_id: int
    grade: int
    weak_grade: int


class Recheck(NamedTuple):
    """A pair that was asked for and not taken back.

    Attributes:
        recheck_id: Grows with each.
        pair_id: The pair.
        query_id: The query.
        doc_id: The document.
        asked_at: When, ISO 8601 in UTC.
        asked_by: By whom; untrusted, as the texts.
        grade: What its grades came to then.
        weak_grade: What its clicks came to then.
        query: The query's text.
        title: The document's title, "" if it has none.
        given: The grades of those who answered, in the order of their names.
        given_by: Their names.
    """

    recheck_id: int
    pair_id: int
    query_id: str
    doc_id: str
    asked_at: str
    asked_by: str
    grade: int
    weak_grade: int
    query: str
    title: str
    given: tuple[int, ...] = ()
    given_by: tuple[str, ...] = ()

    @property
    def waits(self) -> bool:
        """Whether nobody has answered yet."""
        return not self.given


def standing_rechecks(connection: Connection) -> list[Recheck]:
    """All that were not taken back, newest first."""
    asked = [Recheck(*row) for row in connection.execute(_STANDING)]
    given = _given_since(connection, asked)
    return [_answered(recheck, given.get(recheck.recheck_id, {})) for recheck in asked]


def add_rechecks(connection: Connection, new: Sequence[NewRecheck], asked_by: str) -> None:
    """Ask for one more grade of each of these pairs; their queues are told.

    Args:
        connection: Inside a writing transaction that found no `obstacles`.
        new: The pairs, each once.
        asked_by: Who asks.
    """
    if not new:
        return
    moment = {"asked_at": now_text(), "asked_by": asked_by}
    connection.execute(insert(rechecks), [{**recheck._asdict(), **moment} for recheck in new])
    _open_once_more(connection, [recheck.pair_id for recheck in new])


def take_back_rechecks(connection: Connection, taken: Sequence[Recheck]) -> None:
    """Ask for these no more: their pairs want as many grades as before.

    Args:
        connection: Inside a writing transaction.
        taken: Rechecks that stand, each pair once.
    """
    for part in batches([recheck.recheck_id for recheck in taken], _AT_ONCE):
        ended = update(rechecks).where(rechecks.c.recheck_id.in_(part))
        connection.execute(ended.values(taken_back_at=now_text()))
    _ask_once_less(connection, [recheck.pair_id for recheck in taken])


def reopen_rechecks(connection: Connection) -> int:
    """Open pairs again that wait for an answer and got their grades in another way.

    So it is after a rule of fewer raters, after a rater counts again, and where a merged query
    brought grades along.

    Args:
        connection: Inside the writing transaction that changed quotas or grades.

    Returns:
        How many pairs.
    """
    waiting = {recheck.pair_id for recheck in standing_rechecks(connection) if recheck.waits}
    closed = [
        pair_id
        for part in batches(sorted(waiting), _AT_ONCE)
        for pair_id in connection.execute(_IS_COMPLETE.where(pairs.c.pair_id.in_(part))).scalars()
    ]
    if closed:
        _open_once_more(connection, closed)
    return len(closed)


def carry_rechecks(connection: Connection, from_key: int, to_key: int) -> int:
    """Let the rechecks of one query's pairs be of another query's; how many went over.

    Where the other query's pair waits already, or is decided, the recheck ends with its query.
    Afterwards grades go over, and `reopen_rechecks` opens what they closed.

    Args:
        connection: Inside the writing transaction in which the grades will go over.
        from_key: The store's key of the query that is merged.
        to_key: Of the query that stays; it has a pair with each of the documents.
    """
    standing = standing_rechecks(connection)
    mine, theirs = _pairs_of(connection, from_key), _pairs_of(connection, to_key)
    going = [recheck for recheck in standing if mine.get(recheck.doc_id) == recheck.pair_id]
    taken = {recheck.pair_id for recheck in standing if recheck.waits} | decided_pairs(connection)
    ending = [one for one in going if one.waits and theirs[one.doc_id] in taken]
    take_back_rechecks(connection, ending)
    moved = [one for one in going if one not in ending]
    for recheck in moved:
        there = update(rechecks).where(rechecks.c.recheck_id == recheck.recheck_id)
        connection.execute(there.values(pair_id=theirs[recheck.doc_id]))
    _ask_once_less(connection, [recheck.pair_id for recheck in moved])
    # Answered ones count in `extra` too: the answers come along.
    _add_extra(connection, [theirs[one.doc_id] for one in moved], 1)
    return len(moved)


def pair_ids_of(connection: Connection, asked: Sequence[Pair]) -> dict[Pair, int]:
    """(query_id, doc_id) -> pair_id, of those that the pool holds."""
    found = select(queries.c.query_id, documents.c.doc_id, pairs.c.pair_id)
    found = found.select_from(pairs.join(queries).join(documents))
    return {
        (row.query_id, row.doc_id): row.pair_id
        for part in batches(asked, _AT_ONCE)
        for row in connection.execute(
            found.where(tuple_(queries.c.query_id, documents.c.doc_id).in_(part))
        )
    }


def obstacles(connection: Connection, pair_ids: Collection[int]) -> dict[int, str]:
    """pair_id -> why nobody can be asked for the pair once more; those who can are not in it.

    adjudicated: a decision stands. waiting: it was asked for and nobody answered. set_aside: its
    query waits for an analyst, or is retired. cannot_judge: so many say that they cannot judge it
    that nobody is asked. nobody_left: every active person who counts has judged it, or has said
    that its query makes no sense.
    """
    waiting = {recheck.pair_id for recheck in standing_rechecks(connection) if recheck.waits}
    known = dict.fromkeys(waiting, WAITING) | dict.fromkeys(decided_pairs(connection), ADJUDICATED)
    found: dict[int, str] = {}
    for part in batches(sorted(pair_ids), _AT_ONCE):
        for row in connection.execute(_ASKABLE.where(pairs.c.pair_id.in_(part))):
            why = known.get(row.pair_id) or _closed(row.is_asked, row.is_given_up, row.people_left)
            if why is not None:
                found[row.pair_id] = why
    return found


def _closed(is_asked: int, is_given_up: int, people_left: int) -> str | None:
    if not is_asked:
        return SET_ASIDE
    if is_given_up:
        return CANNOT_JUDGE
    return None if people_left else NOBODY_LEFT


def _open_once_more(connection: Connection, pair_ids: Sequence[int]) -> None:
    """Let each pair want one grade more than it has, and than the rule says."""
    _add_extra(connection, pair_ids, _LACKING)
    note_change(connection)


def _add_extra(
    connection: Connection, pair_ids: Sequence[int], more: ColumnElement[int] | int
) -> None:
    for part in batches(pair_ids, _AT_ONCE):
        mine = update(pairs).where(pairs.c.pair_id.in_(part))
        connection.execute(mine.values(extra=pairs.c.extra + more, quota=pairs.c.quota + more))
    refresh_open_slots(connection, pair_ids)


def _ask_once_less(connection: Connection, pair_ids: Sequence[int]) -> None:
    """Take from `extra` what a recheck put there, all of it where no other one stands."""
    others = select(func.count()).where(
        rechecks.c.pair_id == pairs.c.pair_id, rechecks.c.taken_back_at.is_(None)
    )
    left = others.correlate(pairs).scalar_subquery()
    less = case((left == 0, pairs.c.extra), (pairs.c.extra > left, 1), else_=0)
    for part in batches(pair_ids, _AT_ONCE):
        mine = update(pairs).where(pairs.c.pair_id.in_(part))
        connection.execute(mine.values(extra=pairs.c.extra - less, quota=pairs.c.quota - less))
    refresh_open_slots(connection, pair_ids)
    note_change(connection)


def _answered(recheck: Recheck, given: Mapping[str, int]) -> Recheck:
    names = tuple(sorted(given))
    return recheck._replace(given=tuple(given[name] for name in names), given_by=names)


def _given_since(connection: Connection, asked: Sequence[Recheck]) -> Mapping[int, dict[str, int]]:
    """recheck_id -> the grades that answer it, by name."""
    of_pair: defaultdict[int, list[Any]] = defaultdict(list)
    for part in batches(sorted({recheck.pair_id for recheck in asked}), _AT_ONCE):
        for row in connection.execute(_SAID.where(judgments.c.pair_id.in_(part))):
            of_pair[row.pair_id].append(row)
    return {one.recheck_id: _answers(of_pair[one.pair_id], one.asked_at) for one in asked}


def _answers(rows: Iterable[Any], asked_at: str) -> dict[str, int]:
    """The grades that stand of those who had none at that moment; rows of one pair as logged."""
    had_one: dict[str, bool] = {}
    stands: dict[str, int] = {}
    for row in rows:
        if row.recorded_at <= asked_at:
            had_one[row.name] = row.outcome == "grade"
        if row.judgment_id == row.standing_id and row.outcome == "grade":
            stands[row.name] = row.grade
    return {name: grade for name, grade in stands.items() if not had_one.get(name, False)}


def _pairs_of(connection: Connection, query_key: int) -> dict[str, int]:
    """doc_id -> pair_id of the query's pairs."""
    chosen = select(documents.c.doc_id, pairs.c.pair_id).select_from(pairs.join(documents))
    chosen = chosen.where(pairs.c.query_key == query_key)
    return {row.doc_id: row.pair_id for row in connection.execute(chosen)}


def _standing() -> Select[Any]:
    columns = (
        *(rechecks.c.recheck_id, rechecks.c.pair_id, queries.c.query_id, documents.c.doc_id),
        *(rechecks.c.asked_at, rechecks.c.asked_by, rechecks.c.grade, rechecks.c.weak_grade),
        *(queries.c.text, documents.c.title),
    )
    joined = (
        rechecks.join(pairs, pairs.c.pair_id == rechecks.c.pair_id)
        .join(queries, queries.c.query_key == pairs.c.query_key)
        .join(documents, documents.c.doc_key == pairs.c.doc_key)
    )
    chosen: Select[Any] = select(*columns).select_from(joined)
    chosen = chosen.where(rechecks.c.taken_back_at.is_(None))
    return chosen.order_by(rechecks.c.recheck_id.desc())


def _said() -> Select[Any]:
    """The log of people who count, each row with the id of what stands now."""
    stands = (current_judgments.c.pair_id == judgments.c.pair_id) & (
        current_judgments.c.rater_id == judgments.c.rater_id
    )
    joined = judgments.join(people, people.c.person_id == judgments.c.rater_id)
    chosen: Select[Any] = select(
        judgments.c.pair_id,
        judgments.c.judgment_id,
        people.c.name,
        judgments.c.outcome,
        judgments.c.grade,
        judgments.c.recorded_at,
        current_judgments.c.judgment_id.label("standing_id"),
    ).select_from(joined.join(current_judgments, stands))
    chosen = chosen.where(people.c.kind == "human", people.c.excluded_at.is_(None))
    return chosen.order_by(judgments.c.judgment_id)


def _askable() -> Select[Any]:
    """Each pair with whether its query is asked for, whether it is given up, and who is left."""
    has_judged = exists().where(
        current_judgments.c.pair_id == pairs.c.pair_id,
        current_judgments.c.rater_id == people.c.person_id,
        current_judgments.c.outcome.in_(["grade", "cannot_judge"]),
    )
    has_flagged = exists().where(
        query_outcomes.c.query_key == pairs.c.query_key,
        query_outcomes.c.rater_id == people.c.person_id,
        query_outcomes.c.standing == 1,
    )
    counts: ColumnElement[bool] = (people.c.kind == "human") & (people.c.active == 1)
    left = select(func.count()).select_from(people).where(counts, people.c.excluded_at.is_(None))
    left = left.where(~has_judged.correlate(pairs, people), ~has_flagged.correlate(pairs, people))
    left = left.correlate(pairs)
    is_asked = (queries.c.status == "active") & (queries.c.set_aside == 0)
    chosen: Select[Any] = select(
        pairs.c.pair_id,
        case((is_asked, 1), else_=0).label("is_asked"),
        case((pairs.c.cannot_judges >= pairs.c.patience, 1), else_=0).label("is_given_up"),
        left.scalar_subquery().label("people_left"),
    )
    return chosen.select_from(pairs.join(queries, queries.c.query_key == pairs.c.query_key))


_STANDING = _standing()
_SAID = _said()
_ASKABLE = _askable()
_IS_COMPLETE = select(pairs.c.pair_id).where(pairs.c.human_grades >= pairs.c.quota)
_LACKING = case(
    # More people graded it than the rule asks for: up to one more than have.
    (pairs.c.human_grades >= pairs.c.quota, pairs.c.human_grades + 1 - pairs.c.quota),
    else_=1,
)
