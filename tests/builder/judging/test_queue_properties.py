"""Whatever raters do in whatever order, the queue offers what the log and the leases leave open."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import delete, select, update

from builder.judging.queue import (
    cannot_judge,
    flag_query,
    next_pair,
    skip,
    submit_grade,
    undo_last,
)
from builder.people import ensure_person
from builder.store.quota import note_change
from builder.store.schema import (
    current_judgments,
    judgments,
    leases,
    pairs,
    people,
    queries,
    query_outcomes,
)
from builder.workspace import Workspace
from tests.builder.judging.conftest import filled
from tests.thorough import examples

K, PATIENCE, ASIDE = 2, 2, 2
LEASE = timedelta(minutes=15)
RATERS = ("ann", "bob", "cy", "dan")
LATECOMERS = ("eve", "fay")

_raters = st.sampled_from(RATERS)
_actions = st.sampled_from(
    [*["grade"] * 5, "look", "skip", "cannot_judge", "undo", "undo", "flag", "stale"]
)
_waits = st.sampled_from([1, 1, 1, 1, 60, 7 * 60, 16 * 60])
_steps = st.lists(st.tuples(_raters, _actions, _waits), max_size=60)


@dataclass
class Pool:
    """What the log says, read plainly: each rater's last word on each pair and query."""

    queries_of: dict[int, int]
    said: dict[tuple[str, int], str] = field(default_factory=dict)
    flagged: dict[tuple[str, int], str] = field(default_factory=dict)

    def count(self, pair_id: int, outcome: str) -> int:
        return sum(
            of_pair == pair_id and word == outcome for (_, of_pair), word in self.said.items()
        )

    def slots(self, pair_id: int) -> int:
        """How many more grades the pair wants."""
        query = self.queries_of[pair_id]
        flags = sum(of == query and word != "undone" for (_, of), word in self.flagged.items())
        if flags >= ASIDE or self.count(pair_id, "cannot_judge") >= PATIENCE:
            return 0
        return max(0, K - self.count(pair_id, "grade"))


@dataclass
class Model:
    """What a plain reading of the rules leads to: who has which pair on screen, and until when."""

    now: datetime = datetime(2026, 11, 30, 12, tzinfo=UTC)
    screens: dict[str, tuple[int, datetime]] = field(default_factory=dict)
    late: set[int] = field(default_factory=set)

    def holds(self, rater: str, pair_id: int) -> bool:
        on_screen = self.screens.get(rater)
        return on_screen is not None and on_screen[0] == pair_id and on_screen[1] > self.now

    def open_pairs(self, pool: Pool, rater: str) -> dict[str, set[int]]:
        """What the rater may be shown: `new`, and `skipped` where nothing is new."""
        found: dict[str, set[int]] = {"new": set(), "skipped": set()}
        for pair_id, query in pool.queries_of.items():
            others = sum(self.holds(other, pair_id) for other in self.screens if other != rater)
            word = pool.said.get((rater, pair_id), "undone")
            flagged = pool.flagged.get((rater, query), "undone") != "undone"
            if pool.slots(pair_id) > others and not flagged and word in ("undone", "skip"):
                found["skipped" if word == "skip" else "new"].add(pair_id)
        return found

    def show(self, rater: str, pair_id: int) -> None:
        """A lease of which less than two thirds is left is renewed."""
        if not (self.holds(rater, pair_id) and self.screens[rater][1] >= self.now + LEASE * 2 / 3):
            self.screens[rater] = (pair_id, self.now + LEASE)

    def done(self, rater: str, pair_id: int) -> None:
        if not self.holds(rater, pair_id):
            self.late.add(pair_id)
        elif self.screens[rater][0] == pair_id:
            del self.screens[rater]


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    with filled(tmp_path_factory.mktemp("queue") / "w", n_queries=3, n_ranks=3) as opened:
        for name in (*RATERS, *LATECOMERS):
            ensure_person(opened, name)
        yield opened


def forget_everything(workspace: Workspace) -> None:
    with workspace.store.write() as connection:
        for table in (leases, query_outcomes, current_judgments, judgments):
            connection.execute(delete(table))
        connection.execute(update(queries).values(set_aside=0))
        anew = {"human_grades": 0, "cannot_judges": 0, "open_slots": pairs.c.quota}
        connection.execute(update(pairs).values(anew))
        note_change(connection)


def read_log(workspace: Workspace) -> Pool:
    with workspace.store.read() as connection:
        keys = select(pairs.c.pair_id, pairs.c.query_key)
        pool = Pool({row.pair_id: row.query_key for row in connection.execute(keys)})
        log = select(people.c.name, judgments.c.pair_id, judgments.c.outcome)
        log = log.join(people, people.c.person_id == judgments.c.rater_id)
        for name, pair_id, outcome in connection.execute(log.order_by(judgments.c.judgment_id)):
            pool.said[name, pair_id] = outcome
        words = select(people.c.name, query_outcomes.c.query_key, query_outcomes.c.outcome)
        words = words.join(people, people.c.person_id == query_outcomes.c.rater_id)
        for name, query, outcome in connection.execute(words.order_by(query_outcomes.c.outcome_id)):
            pool.flagged[name, query] = outcome
        stored = select(pairs.c.pair_id, pairs.c.open_slots)
        for pair_id, open_slots in connection.execute(stored):
            assert open_slots == pool.slots(pair_id)
    return pool


def look(workspace: Workspace, model: Model, rater: str) -> int | None:
    """Ask for the next pair, and see that it is one that is open, or that none is."""
    may_be = model.open_pairs(read_log(workspace), rater)
    pair = next_pair(workspace, rater, now=model.now)
    if pair is None:
        assert not may_be["new"]
        assert not may_be["skipped"]
        model.screens.pop(rater, None)
        return None
    held = model.holds(rater, pair.pair_id)
    assert pair.pair_id in (may_be["new"] or may_be["skipped"]) or (
        held and pair.pair_id in may_be["skipped"]
    )
    model.show(rater, pair.pair_id)
    return pair.pair_id


def undo(workspace: Workspace, model: Model, rater: str) -> None:
    undone = undo_last(workspace, rater, now=model.now)
    if undone is not None and undone.pair is not None:
        model.screens[rater] = (undone.pair.pair_id, model.now + LEASE)


def answer_late(workspace: Workspace, model: Model, rater: str) -> None:
    """Grade what was on screen last, whatever became of it."""
    if rater in model.screens:
        pair_id = model.screens[rater][0]
        before = read_log(workspace).said.get((rater, pair_id))
        told = submit_grade(workspace, rater, pair_id, 1, token=uuid4().hex, now=model.now)
        assert (told.status == "already_graded") == (before == "grade")
        model.done(rater, pair_id)


def flag(workspace: Workspace, model: Model, rater: str) -> None:
    pair = next_pair(workspace, rater, now=model.now)
    assert pair is not None
    query_id, token = pair.query.query_id, uuid4().hex
    flag_query(workspace, rater, query_id, "unclear", "why", token=token, now=model.now)
    model.screens.pop(rater)


def answer(workspace: Workspace, model: Model, rater: str, action: str) -> None:
    """Say something of the pair that comes next."""
    pair_id = look(workspace, model, rater)
    if pair_id is None or action == "look":
        return
    if action == "flag":
        flag(workspace, model, rater)
        return
    token, now = uuid4().hex, model.now
    if action == "grade":
        submit_grade(workspace, rater, pair_id, 2, token=token, now=now)
    elif action == "skip":
        skip(workspace, rater, pair_id, token=token, now=now)
    else:
        cannot_judge(workspace, rater, pair_id, "too hard", token=token, now=now)
    model.done(rater, pair_id)


def step(workspace: Workspace, model: Model, rater: str, action: str) -> None:
    if action == "undo":
        undo(workspace, model, rater)
    elif action == "stale":
        answer_late(workspace, model, rater)
    else:
        answer(workspace, model, rater, action)


@given(steps=_steps)
@settings(max_examples=examples(20, 100), deadline=None)
def test_the_queue_offers_what_is_open_and_completes_the_pool(
    small: Workspace, steps: list[tuple[str, str, int]]
) -> None:
    forget_everything(small)
    model = Model()
    for rater, action, seconds in steps:
        step(small, model, rater, action)
        model.now += timedelta(seconds=seconds)
        pool = read_log(small)
        for pair_id in pool.queries_of:
            assert pool.count(pair_id, "grade") <= K or pair_id in model.late
    model.now += timedelta(hours=1)
    for rater in (*RATERS, *LATECOMERS):
        while (left := look(small, model, rater)) is not None:
            submit_grade(small, rater, left, 1, token=uuid4().hex, now=model.now)
            model.done(rater, left)
            model.now += timedelta(seconds=1)
    pool = read_log(small)
    assert {pool.slots(pair_id) for pair_id in pool.queries_of} == {0}
    for pair_id in pool.queries_of:
        assert pool.count(pair_id, "grade") <= K or pair_id in model.late
