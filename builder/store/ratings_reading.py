"""Reads the grades of people that stand now, as columns."""

import json
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, Select, func, select

from builder.store.ratings import Ratings
from builder.store.schema import current_judgments, judgments, pairs, people, queries

BATCH = 500
"""So many rows are objects at a time, the others numbers in columns: with fewer than 700, Python's
collector of garbage has nothing to look through (measured: half the time)."""


class _Grades(NamedTuple):
    """Columns of equal length: store's keys, grade, seconds since 1970 UTC, milliseconds."""

    pair: NDArray[np.int64]
    person: NDArray[np.int64]
    grade: NDArray[np.int64]
    seconds: NDArray[np.float64]
    milliseconds: NDArray[np.float64]


def read_ratings(connection: Connection) -> Ratings:
    """The grades of people that stand now, those of excluded raters too.

    Grades of retired queries are only counted: no release holds them. `pair` holds the store's
    pair_ids; queries and raters are in alphabetical order. A million grades take some two seconds
    and 150 MB; no writer waits meanwhile.

    Args:
        connection: Inside a transaction.
    """
    grades, n_retired = _without_retired(connection, _read_grades(connection))
    query_ids, tags, query = _queries_of(connection, grades.pair)
    raters, excluded, rater = _raters_of(connection, grades.person)
    order = np.lexsort((rater, grades.pair, query))
    return Ratings(
        query=query[order],
        pair=grades.pair[order],
        rater=rater[order],
        grade=grades.grade[order],
        seconds=grades.seconds[order],
        milliseconds=grades.milliseconds[order],
        query_ids=query_ids,
        tags=tags,
        raters=raters,
        excluded=excluded,
        others=_other_kinds(connection),
        n_retired=n_retired,
    )


def _read_grades(connection: Connection) -> _Grades:
    rows = connection.execute(_GRADES, execution_options={"yield_per": BATCH})
    parts = [_columns(part) for part in rows.partitions(BATCH)] or [_columns([])]
    return _Grades(*(np.concatenate(column) for column in zip(*parts, strict=True)))


def _columns(rows: Sequence[Any]) -> _Grades:
    pair, person, grade, moment, milliseconds = zip(*rows, strict=True) if rows else ((),) * 5
    return _Grades(
        np.array(pair, dtype=np.int64),
        np.array(person, dtype=np.int64),
        np.array(grade, dtype=np.int64),
        seconds_of(moment),
        np.array(milliseconds, dtype=np.float64),
    )


def seconds_of(moments: Sequence[str | None]) -> NDArray[np.float64]:
    """Seconds since 1970 UTC of moments as `moments.utc_text` writes them; NaN for None."""
    # All are UTC, which numpy takes for granted and does not want to read: 26 characters.
    text = np.array([moment or "NaT" for moment in moments], dtype="S26")
    known = text.astype("datetime64[us]")
    return np.where(np.isnat(known), np.nan, known.astype(np.int64) / 1e6)


def _without_retired(connection: Connection, grades: _Grades) -> tuple[_Grades, int]:
    """The grades of queries that are not retired, and how many the others are."""
    retired = list(connection.execute(_RETIRED).scalars())
    if not retired:
        return grades, 0
    keys = _query_keys(connection, grades.pair)
    kept = ~np.isin(keys[grades.pair], retired)
    left = _Grades(
        grades.pair[kept],
        grades.person[kept],
        grades.grade[kept],
        grades.seconds[kept],
        grades.milliseconds[kept],
    )
    return left, len(kept) - len(left.pair)


def _queries_of(
    connection: Connection, pair: NDArray[np.int64]
) -> tuple[list[str], list[list[str]], NDArray[np.int64]]:
    """The queries' ids and tags, by query_id, and for each pair_id the position of its query."""
    keys = _query_keys(connection, pair)
    graded, position = np.unique(keys[pair], return_inverse=True)
    wanted = set(graded.tolist())
    rows = [row for row in connection.execute(_QUERIES) if row.query_key in wanted]
    by_name = sorted(rows, key=lambda row: row.query_id)
    place = {row.query_key: at for at, row in enumerate(by_name)}
    placed = np.array([place[key] for key in graded.tolist()], dtype=np.int64)
    tags = [json.loads(row.tags) for row in by_name]
    return [row.query_id for row in by_name], tags, placed[position]


def _query_keys(connection: Connection, pair_ids: NDArray[np.int64]) -> NDArray[np.int64]:
    """query_key by pair_id, as far as the graded pairs go."""
    keys = np.zeros(int(pair_ids.max(initial=0)) + 1, dtype=np.int64)
    rows = connection.execute(_PAIRS, execution_options={"yield_per": BATCH})
    for part in rows.partitions(BATCH):
        pair_id, query_key = (np.array(column) for column in zip(*part, strict=True))
        known = pair_id < len(keys)
        keys[pair_id[known]] = query_key[known]
    return keys


def _raters_of(
    connection: Connection, person: NDArray[np.int64]
) -> tuple[list[str], dict[str, str], NDArray[np.int64]]:
    """The raters' names, who of them is excluded and why, and for each person_id its position."""
    graded, position = np.unique(person, return_inverse=True)
    wanted = set(graded.tolist())
    rows = [row for row in connection.execute(_HUMANS) if row.person_id in wanted]
    by_name = sorted(rows, key=lambda row: row.name)
    place = {row.person_id: at for at, row in enumerate(by_name)}
    placed = np.array([place[one] for one in graded.tolist()], dtype=np.int64)
    excluded = {
        row.name: row.excluded_reason or "" for row in by_name if row.excluded_at is not None
    }
    return [row.name for row in by_name], excluded, placed[position]


def _other_kinds(connection: Connection) -> dict[str, int]:
    return {kind: int(n) for kind, n in connection.execute(_OTHERS)}


def _grades() -> Select[Any]:
    joined = current_judgments.join(
        judgments, judgments.c.judgment_id == current_judgments.c.judgment_id
    )
    columns = (
        current_judgments.c.pair_id,
        current_judgments.c.rater_id,
        judgments.c.grade,
        judgments.c.judged_at,
        judgments.c.milliseconds,
    )
    humans = select(people.c.person_id).where(people.c.kind == "human")
    chosen: Select[Any] = select(*columns).select_from(joined)
    # + 0: in one go through the table, whose order is about that of the log; by the index of
    # raters each row would be looked up by itself.
    is_human = (current_judgments.c.rater_id + 0).in_(humans)
    return chosen.where(current_judgments.c.outcome == "grade", is_human)


def _others() -> Select[Any]:
    joined = people.join(current_judgments, current_judgments.c.rater_id == people.c.person_id)
    counted: Select[Any] = select(people.c.kind, func.count()).select_from(joined)
    counted = counted.where(people.c.kind != "human", current_judgments.c.outcome == "grade")
    return counted.group_by(people.c.kind).order_by(people.c.kind)


_GRADES = _grades()
_OTHERS = _others()
_PAIRS = select(pairs.c.pair_id, pairs.c.query_key)
_QUERIES = select(queries.c.query_key, queries.c.query_id, queries.c.tags)
_RETIRED = select(queries.c.query_key).where(queries.c.status == "retired")
_HUMANS = select(
    people.c.person_id, people.c.name, people.c.excluded_at, people.c.excluded_reason
).where(people.c.kind == "human")
