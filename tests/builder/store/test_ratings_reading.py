"""The columns hold what stands, whatever was done before."""

import math
from collections import defaultdict
from contextlib import suppress
from datetime import timedelta
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import update

from builder.store import Connection, Store
from builder.store.grades import current_grades
from builder.store.judgments import NewJudgment, import_judgments_batch, record_judgment
from builder.store.people import Person, add_person
from builder.store.ratings import Ratings, ratings_of
from builder.store.ratings_reading import read_ratings, seconds_of
from builder.store.schema import people, queries
from tests.builder.store.conftest import NOON, RollBack, graded, imported, pair_of
from tests.builder.store.test_judgment_properties import OPERATIONS, apply


def by_pair(ratings: Ratings) -> set[tuple[Any, ...]]:
    """Each pair's grades, without the pair's number, which is another one in either."""
    found: dict[int, list[Any]] = defaultdict(list)
    for at, pair in enumerate(ratings.pair.tolist()):
        seconds = ratings.seconds[at]
        query = ratings.query_ids[ratings.query[at]]
        known = None if math.isnan(seconds) else round(seconds, 6)
        row = (query, ratings.raters[ratings.rater[at]], int(ratings.grade[at]), known)
        found[pair].append(row)
    return {tuple(rows) for rows in found.values()}


@given(operations=OPERATIONS)
@settings(deadline=None, max_examples=40)
def test_they_are_the_grades_that_stand(pooled: Store, operations: list[Any]) -> None:
    with suppress(RollBack), pooled.write() as connection:
        for number, operation in enumerate(operations):
            apply(connection, number, operation)
        read, plain = read_ratings(connection), ratings_of(current_grades(connection))
        assert by_pair(read) == by_pair(plain)
        assert len(read) == len(plain)
        assert (read.query_ids, read.raters) == (plain.query_ids, plain.raters)
        order = np.lexsort((read.rater, read.pair, read.query))
        assert order.tolist() == list(range(len(read)))
        raise RollBack


def test_times_and_tags_come_along(connection: Connection, ann: Person) -> None:
    pair_id = pair_of(connection)
    tagged = update(queries).where(queries.c.query_id == "q1").values(tags='["a", "b"]')
    connection.execute(tagged)
    looked = NewJudgment(pair_id, ann.person_id, "grade", "t", grade=3, milliseconds=1500)
    record_judgment(connection, looked, NOON + timedelta(milliseconds=250))
    ratings = read_ratings(connection)
    assert ratings.pair.tolist() == [pair_id]
    assert ratings.grade.tolist() == [3]
    assert ratings.seconds.tolist() == [NOON.timestamp() + 0.25]
    assert ratings.milliseconds.tolist() == [1500.0]
    assert list(ratings.tags) == [["a", "b"]]


def test_what_nobody_timed_has_no_time(connection: Connection, ann: Person) -> None:
    import_judgments_batch(connection, [imported(ann, 2)])
    ratings = read_ratings(connection)
    assert np.isnan(ratings.seconds).all()
    assert np.isnan(ratings.milliseconds).all()


def test_who_is_excluded_is_named_and_kept(connection: Connection, ann: Person) -> None:
    record_judgment(connection, graded(ann, pair_of(connection), 1, "t"))
    left_out = update(people).values(excluded_at="2026", excluded_reason="asleep")
    connection.execute(left_out.where(people.c.name.in_(["ann", "bob"])))
    ratings = read_ratings(connection)
    assert ratings.excluded == {"ann": "asleep"}
    assert len(ratings) == 1


def test_grades_of_retired_queries_are_only_counted(connection: Connection, ann: Person) -> None:
    rows = [imported(ann, 2), imported(ann, 1, doc_id="d2"), imported(ann, 3, query_id="q2")]
    import_judgments_batch(connection, rows)
    assert (len(read_ratings(connection)), read_ratings(connection).n_retired) == (3, 0)
    connection.execute(update(queries).where(queries.c.query_id == "q1").values(status="retired"))
    ratings = read_ratings(connection)
    assert (ratings.query_ids, ratings.grade.tolist(), ratings.n_retired) == (["q2"], [3], 2)
    connection.execute(update(queries).values(status="retired"))
    ratings = read_ratings(connection)
    assert (len(ratings), ratings.raters, ratings.query_ids, ratings.n_retired) == (0, [], [], 3)


def test_other_kinds_are_counted_apart(connection: Connection, ann: Person) -> None:
    file, model = add_person(connection, "old.tsv"), add_person(connection, "gpt", kind="llm")
    rows = [imported(file, 2), imported(file, 1, doc_id="d2"), imported(model, 0)]
    import_judgments_batch(connection, [*rows, imported(ann, None)])
    ratings = read_ratings(connection)
    assert ratings.others == {"import": 2, "llm": 1}
    assert len(ratings) == 0
    assert ratings.raters == []
    assert ratings.query_ids == []


@given(st.lists(st.none() | st.datetimes(timezones=st.just(NOON.tzinfo))))
def test_moments_are_read_to_the_microsecond(moments: list[Any]) -> None:
    told = [None if one is None else one.isoformat(timespec="microseconds") for one in moments]
    for one, seconds in zip(moments, seconds_of(told), strict=True):
        assert math.isnan(seconds) if one is None else abs(seconds - one.timestamp()) < 1e-4
