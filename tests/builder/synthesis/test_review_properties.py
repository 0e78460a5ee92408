"""Whatever is accepted, undone, pooled, graded and taken back: what pairs want follows from it.

The oracle computes quota and open slots of every pair from the rows of the store alone, by the
words of the rule: nothing but synthesis names it: 0; else as many raters as the workspace asks.
"""

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TypeAlias
from uuid import uuid4

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from sqlalchemy import select, text

from builder.errors import BuilderError
from builder.people import Person, ensure_person
from builder.pooling.recording import list_poolings, record_pooling
from builder.pooling.taking_back import take_back_pooling
from builder.store import Connection
from builder.store.documents import insert_documents
from builder.store.judgments import NewJudgment, record_judgment, undo_latest
from builder.store.people import add_person
from builder.store.quota import QuotaRule, apply_rule
from builder.store.schema import pairs
from builder.store.synthetic_queries import Judged, note_judged
from builder.synthesis.review import accept, accept_all, reject, undo_review
from builder.workspace import Workspace, init_workspace
from evals.records import Document
from tests.builder.synthesis.written import Answer, ids_waiting, write_synthesis
from tests.workspaces import copied

RATERS = 2
CANDIDATES = 3
Deed: TypeAlias = Callable[[int, int], object]
Step: TypeAlias = tuple[str, int, int]
"""(what, which candidate or pair, which of the second kind)"""


def _make(folder: Path) -> Workspace:
    workspace = init_workspace(folder, "review")
    ensure_person(workspace, "Dana")
    with workspace.store.write() as connection:
        insert_documents(connection, [Document(f"d{n}", "", "text") for n in range(2)])
        add_person(connection, "ann")
        add_person(connection, "bob")
    write_synthesis(workspace, [Answer(f"d{n % 2}", [f"what is {n}"]) for n in range(CANDIDATES)])
    with workspace.store.write() as connection:
        note_judged(connection, [Judged(n) for n in range(1, CANDIDATES + 1)])
        apply_rule(connection, QuotaRule(RATERS, 1.0))
    return workspace


def wanted_from_scratch(connection: Connection) -> dict[int, tuple[int, int]]:
    """pair_id -> (quota, open slots), read out of sources, judgments and states of queries."""
    found = {}
    rows = connection.execute(
        text(
            "SELECT pair_id, status, patience,"
            " (SELECT group_concat(source) FROM pair_sources s WHERE s.pair_id = p.pair_id) AS by,"
            " (SELECT count(*) FROM current_judgments c JOIN people r ON r.person_id = c.rater_id"
            "  WHERE c.pair_id = p.pair_id AND kind = 'human' AND outcome = 'grade') AS graded,"
            " (SELECT count(*) FROM current_judgments c JOIN people r ON r.person_id = c.rater_id"
            "  WHERE c.pair_id = p.pair_id AND kind = 'human' AND outcome = 'cannot_judge') AS no"
            " FROM pairs p JOIN queries USING (query_key)"
        )
    )
    for row in rows:
        quota = 0 if row.by == "synthetic" else RATERS
        closed = row.status != "active" or row.no >= row.patience
        found[row.pair_id] = (quota, 0 if closed else max(0, quota - row.graded))
    return found


def wanted_as_kept(connection: Connection) -> dict[int, tuple[int, int]]:
    chosen = select(pairs.c.pair_id, pairs.c.quota, pairs.c.open_slots)
    return {row.pair_id: (row.quota, row.open_slots) for row in connection.execute(chosen)}


def log(connection: Connection) -> list[tuple[int, ...]]:
    asked = "SELECT judgment_id, pair_id, rater_id, grade FROM judgments ORDER BY judgment_id"
    return [tuple(row) for row in connection.execute(text(asked))]


class Doing:
    """The deeds, by name; what cannot be done in a state is refused and changes nothing."""

    def __init__(self, workspace: Workspace, dana: Person) -> None:
        self.workspace, self.dana = workspace, dana

    def do(self, what: str, first: int, second: int) -> None:
        deeds: dict[str, Deed] = {
            "accept": lambda one, _: accept(self.workspace, one, actor=self.dana),
            "edit": lambda one, n: accept(self.workspace, one, f"edited {one} {n}", self.dana),
            "reject": lambda one, _: reject(self.workspace, one, self.dana),
            "undo": lambda one, _: undo_review(self.workspace, one, self.dana),
            "all": lambda _, n: accept_all(self.workspace, only_unflagged=bool(n)),
            "pool": self._pool,
            "take_back": self._take_back,
            "grade": self._grade,
            "ungrade": self._take_grade_back,
        }
        with suppress(BuilderError):
            deeds[what](first, second)

    def _pool(self, first: int, second: int) -> None:
        with self.workspace.store.write() as connection:
            ids = connection.execute(text("SELECT query_id FROM queries ORDER BY 1")).scalars()
            named = [(one, f"d{second % 2}", f"s{first}", None) for one in list(ids)[:first]]
            if named:
                record_pooling(connection, named, {}, {}, "Dana")

    def _take_back(self, first: int, _: int) -> None:
        standing = [one.pooling_id for one in list_poolings(self.workspace) if one.stands]
        if standing:
            take_back_pooling(self.workspace, standing[first % len(standing)], self.dana)

    def _grade(self, first: int, second: int) -> None:
        with self.workspace.store.write() as connection:
            pair_ids = sorted(wanted_as_kept(connection))
            if not pair_ids:
                return
            outcome, grade = ("grade", second) if second else ("cannot_judge", None)
            pair_id = pair_ids[first % len(pair_ids)]
            rater = add_person(connection, ("ann", "bob")[second % 2]).person_id
            said = NewJudgment(pair_id, rater, outcome, uuid4().hex, grade=grade)
            record_judgment(connection, said)

    def _take_grade_back(self, first: int, _: int) -> None:
        with self.workspace.store.write() as connection:
            rater = add_person(connection, ("ann", "bob")[first % 2]).person_id
            undo_latest(connection, rater, uuid4().hex)


DEEDS = ["accept", "edit", "reject", "undo", "all", "pool", "take_back", "grade", "ungrade"]
STEPS = st.lists(
    st.tuples(
        st.sampled_from(
            ["accept", "edit", "reject", "undo", "all", "pool", "take_back", "grade", "ungrade"]
        ),
        st.integers(1, CANDIDATES),
        st.integers(0, 2),
    ),
    max_size=12,
)


@settings(max_examples=8, deadline=None)
@given(STEPS)
@example([("accept", 1, 0), ("pool", 1, 0), ("take_back", 1, 0)])
@example([("accept", 1, 0), ("pool", 1, 0), ("grade", 0, 2), ("take_back", 1, 0), ("undo", 1, 0)])
@example([("accept", 1, 0), ("undo", 1, 0), ("pool", 3, 0), ("edit", 1, 1), ("take_back", 1, 0)])
@example([("all", 1, 0), ("pool", 3, 1), ("grade", 1, 0), ("ungrade", 1, 0)])
def test_quota_and_open_slots_follow_from_what_stands(
    tmp_path_factory: pytest.TempPathFactory, steps: list[Step]
) -> None:
    folder = tmp_path_factory.mktemp("review") / "w"
    with copied(_make, folder) as workspace:
        doing = Doing(workspace, ensure_person(workspace, "Dana"))
        before: list[tuple[int, ...]] = []
        for step in steps:
            doing.do(*step)
            with workspace.store.read() as connection:
                assert wanted_as_kept(connection) == wanted_from_scratch(connection), step
                now = log(connection)
            assert now[: len(before)] == before, step
            before = now
        with workspace.store.write() as connection:
            assert apply_rule(connection, QuotaRule(RATERS, 1.0)) == 0
            waiting = text("SELECT count(*) FROM synthetic_queries WHERE review IS NULL")
            n = connection.execute(waiting).scalar_one()
        assert len(ids_waiting(workspace)) == n
