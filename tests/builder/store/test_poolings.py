"""Whatever is pooled, graded, merged and taken back in whatever order: the pool is what is left."""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from sqlalchemy import select, text

from builder.store import Connection, Store, open_store
from builder.store.documents import insert_documents
from builder.store.judgments import NewJudgment, record_judgment
from builder.store.leases import span, take_leases
from builder.store.moments import now_text
from builder.store.people import add_person
from builder.store.pool import add_pairs, count_pairs
from builder.store.pool_removal import plan_removal, remove_pooling
from builder.store.poolings import NamedPair, add_pooling, name_pairs, pooling_row, pooling_rows
from builder.store.queries import insert_queries, query_keys
from builder.store.query_edits import copy_pairs
from builder.store.query_outcomes import QueryOutcome, record_outcome
from builder.store.queue import latest_marks, queries_touched
from builder.store.schema import documents, leases, pair_sources, pairs, pooled_pairs, queries
from builder.store.staging import StagedJudgment, add_staged_pairs, open_staging, stage_judgments
from evals.records import Document, Query
from tests.builder.store.conftest import NOON, RollBack, pair_of

Where = tuple[str, str]
Named = dict[tuple[str, str, str], int | None]
"""(query, document, source) -> rank"""


@pytest.fixture(scope="module")
def empty_pool(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """Two queries and three documents without any pair, and a rater."""
    opened = open_store(tmp_path_factory.mktemp("poolings") / "workbench.db")
    with opened.write() as connection:
        insert_documents(connection, [Document(f"d{n}", "", "text") for n in range(3)])
        insert_queries(connection, [Query("q0", "zero"), Query("q1", "one")])
        add_person(connection, "ann")
    yield opened
    opened.close()


@pytest.fixture
def connection(empty_pool: Store) -> Iterator[Connection]:
    with suppress(RollBack), empty_pool.write() as opened:
        yield opened
        raise RollBack


def named_now(connection: Connection) -> Named:
    columns = (queries.c.query_id, documents.c.doc_id, pair_sources.c.source, pair_sources.c.rank)
    chosen = select(*columns)
    joined = pairs.join(queries).join(documents)
    chosen = chosen.select_from(joined.join(pair_sources))
    return {(row[0], row[1], row[2]): row[3] for row in connection.execute(chosen)}


def pool_by(connection: Connection, *named: tuple[str, str, str, int | None]) -> int:
    pooling_id = add_pooling(connection, {}, "ann")
    name_pairs(connection, pooling_id, [NamedPair(*one) for one in named])
    return pooling_id


def grade(connection: Connection, where: Where, token: str) -> None:
    ann = add_person(connection, "ann").person_id
    judgment = NewJudgment(pair_of(connection, *where), ann, "grade", token, grade=1)
    record_judgment(connection, judgment, NOON)


@dataclass
class Model:
    """The pool as a list of who named what, in order; None is what no pooling brought."""

    events: dict[Where, list[tuple[int | None, str, int | None]]] = field(default_factory=dict)
    judged: set[Where] = field(default_factory=set)
    flagged: set[str] = field(default_factory=set)

    def name(self, by: int | None, where: Where, source: str, rank: int | None) -> None:
        named = self.events.setdefault(where, [])
        if all((by, source) != event[:2] for event in named):
            named.append((by, source, rank))

    def take_back(self, pooling_id: int) -> int:
        removed = 0
        for where, named in list(self.events.items()):
            others = [event for event in named if event[0] != pooling_id]
            if where in self.judged or where[0] in self.flagged:
                # What it was the first to say stays said, by nobody any more.
                first = {source: (by, rank) for by, source, rank in reversed(named)}
                stays = [(s, rank) for s, (by, rank) in first.items() if by == pooling_id]
                self.events[where] = [(None, source, rank) for source, rank in stays] + others
                continue
            self.events[where] = others
            if not self.events[where]:
                del self.events[where]
                removed += 1
        return removed

    @property
    def named(self) -> Named:
        first: Named = {}
        for (query_id, doc_id), named in self.events.items():
            for _, source, rank in named:
                first.setdefault((query_id, doc_id, source), rank)
        return first


_where = st.tuples(st.sampled_from(["q0", "q1"]), st.sampled_from(["d0", "d1", "d2"]))
_naming = st.tuples(_where, st.sampled_from(["bm25", "random"]), st.none() | st.integers(1, 9))
_pool = st.tuples(st.just("pool"), st.lists(_naming, min_size=1, max_size=6))
_operation = (
    _pool
    | _pool
    | st.tuples(st.just("take back"), st.integers(0, 5))
    | st.tuples(st.just("add"), _where, st.sampled_from(["rater", "bm25"]))
    | st.tuples(st.just("grade"), _where)
    | st.tuples(st.just("flag"), st.sampled_from(["q0", "q1"]))
    | st.just(("merge",))
)


class Doing:
    """Does the same to the store and to the model."""

    def __init__(self, connection: Connection) -> None:
        self.connection, self.model = connection, Model()
        self.standing: list[int] = []
        self.merged = False

    def do(self, number: int, operation: tuple[Any, ...]) -> None:
        match operation:
            case ("pool", named):
                self._pool(named)
            case ("take back", place) if self.standing:
                self._take_back(self.standing.pop(place % len(self.standing)))
            case ("add", where, source) if (*where, source) not in self.model.named:
                add_pairs(self.connection, [where], source)
                self.model.name(None, where, source, None)
            case ("grade", where) if where in self.model.events:
                grade(self.connection, where, f"t{number}")
                self.model.judged.add(where)
            case ("flag", query_id):
                self._flag(query_id, f"t{number}")
            case ("merge",):
                self._merge()

    def _pool(self, named: list[tuple[Where, str, int | None]]) -> None:
        pooling_id = pool_by(self.connection, *((*where, by, rank) for where, by, rank in named))
        self.standing.append(pooling_id)
        known = len(self.model.events)
        for where, source, rank in named:
            self.model.name(pooling_id, where, source, rank)
        counted = (
            select(pooled_pairs.c.pair_id)
            .distinct()
            .where(pooled_pairs.c.pooling_id == pooling_id, pooled_pairs.c.new_pair == 1)
        )
        new = len(self.connection.execute(counted).all())
        assert new == len(self.model.events) - known

    def _take_back(self, pooling_id: int) -> None:
        planned = plan_removal(self.connection, pooling_id)
        done = remove_pooling(self.connection, pooling_id, "ann")
        assert done == planned
        assert len(done.removed) == self.model.take_back(pooling_id)

    def _flag(self, query_id: str, token: str) -> None:
        key = query_keys(self.connection, [query_id])[query_id]
        rater = add_person(self.connection, "ann").person_id
        said = QueryOutcome(key, rater, "unclear", "", token, now_text())
        record_outcome(self.connection, said)
        self.model.flagged.add(query_id)

    def _merge(self) -> None:
        """q1 into q0."""
        self.merged = True
        copy_pairs(self.connection, query_keys(self.connection, ["q1"])["q1"], "q0")
        for (query_id, doc_id), named in list(self.model.events.items()):
            if query_id == "q1":
                for event in named:
                    self.model.name(event[0], ("q0", doc_id), *event[1:])

    def check(self) -> None:
        found, wanted = named_now(self.connection), self.model.named
        assert found.keys() == wanted.keys()
        assert count_pairs(self.connection) == len(self.model.events)
        if not self.merged:  # a merge changes the order in which a source's ranks come
            assert found == wanted


@settings(max_examples=60, deadline=None)
@given(st.lists(_operation, max_size=14))
@example(  # what no pooling brought for the merged query stays with the other one
    [
        ("add", ("q1", "d0"), "bm25"),
        ("pool", [(("q0", "d0"), "bm25", 1)]),
        ("merge",),
        ("take back", 0),
    ]
)
@example(  # what a pooling brought for the merged query goes from the other one, too
    [("pool", [(("q1", "d0"), "bm25", 1)]), ("merge",), ("take back", 0)]
)
def test_taking_back_leaves_what_others_named_or_people_touched(
    empty_pool: Store, operations: list[tuple[Any, ...]]
) -> None:
    with suppress(RollBack), empty_pool.write() as connection:
        doing = Doing(connection)
        for number, operation in enumerate(operations):
            doing.do(number, operation)
            doing.check()
        raise RollBack


def test_a_record_says_what_it_has_in_the_pool(connection: Connection) -> None:
    first = pool_by(connection, ("q0", "d0", "bm25", 1), ("q0", "d0", "run:x", 4))
    second = pool_by(connection, ("q0", "d0", "bm25", 2), ("q1", "d1", "bm25", 1))
    grade(connection, ("q0", "d0"), "t")
    rows = {
        row.pooling_id: (row.pairs, row.graded, row.new, row.new_graded)
        for row in pooling_rows(connection)
    }
    assert rows == {second: (2, 1, 1, 0), first: (1, 1, 1, 1)}
    kept = remove_pooling(connection, second, "ann").kept
    assert kept == {"there_before": 1}
    told = pooling_row(connection, second)
    assert told is not None
    assert (told.taken_back_by, told.pairs) == ("ann", 0)


@pytest.mark.parametrize("imported", [False, True])
def test_the_id_of_a_removed_pair_is_never_given_again(
    connection: Connection, *, imported: bool
) -> None:
    """A rater who has the removed pair on screen must not grade another one by its id."""
    pooling_id = pool_by(connection, ("q0", "d0", "bm25", 1), ("q0", "d1", "bm25", 2))
    gone, marks = pair_of(connection, "q0", "d1"), latest_marks(connection)
    rater = add_person(connection, "ann").person_id
    take_leases(connection, rater, [gone], span(NOON.replace(year=2099), 10))
    done = remove_pooling(connection, pooling_id, "ann")
    assert (done.leases, len(done.removed)) == (1, 2)
    assert connection.execute(select(leases)).all() == []
    if imported:
        open_staging(connection)
        rows = [
            StagedJudgment("f", 1, "q1", f"d{n}", None, "grade", 1, "", None, "") for n in (2, 1)
        ]
        stage_judgments(connection, rows)
        assert add_staged_pairs(connection) == 2
    else:
        pool_by(connection, ("q1", "d2", "bm25", 1), ("q1", "d1", "bm25", 2))
    new = set(connection.execute(select(pairs.c.pair_id)).scalars())
    assert len(new) == 2
    assert min(new) > gone
    assert queries_touched(connection, marks) == {query_keys(connection, ["q1"])["q1"]}


def test_a_pooling_that_fails_halfway_leaves_nothing(empty_pool: Store) -> None:
    with pytest.raises(LookupError), empty_pool.write() as connection:
        pool_by(connection, ("q0", "d0", "bm25", 1), ("q0", "gone", "bm25", 2))
    with empty_pool.read() as connection:
        left = [
            connection.execute(text(f"SELECT count(*) FROM {table}")).scalar_one()  # noqa: S608
            for table in ("poolings", "pooled_pairs", "pairs")
        ]
    assert left == [0, 0, 0]
