"""How many grades a pair wants, whatever changes it."""

import sqlite3
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import select

from builder.judging.queue import next_pair, progress_of
from builder.people import ensure_person
from builder.store import Connection, Store, open_store
from builder.store.documents import insert_documents
from builder.store.judgments import NewJudgment, import_judgments_batch, record_judgment
from builder.store.people import add_person
from builder.store.pool import add_pairs
from builder.store.queries import insert_queries
from builder.store.quota import (
    QuotaRule,
    applied_rule,
    apply_rule,
    needs_rule,
    queue_changes,
    set_query_state,
)
from builder.store.schema import pairs
from builder.workspace import SETTINGS_FILE, Workspace, init_workspace, open_workspace
from evals.records import Document, Query
from tests.builder.store.conftest import imported, pair_of

N_DOCUMENTS = 60
TWO = QuotaRule(2, 1.0)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """Three queries with sixty pairs each."""
    opened = open_store(tmp_path / "workbench.db")
    with opened.write() as connection:
        insert_documents(connection, [Document(f"d{n}", "", "x") for n in range(N_DOCUMENTS)])
        insert_queries(connection, [Query(f"q{n}", "text") for n in range(3)])
        for query in range(3):
            add_pairs(connection, [(f"q{query}", f"d{n}") for n in range(N_DOCUMENTS)], "bm25")
    yield opened
    opened.close()


def column(connection: Connection, name: str) -> list[int | None]:
    chosen = select(pairs.c[name]).order_by(pairs.c.pair_id)
    return list(connection.execute(chosen).scalars())


def slots_of(connection: Connection, pair_id: int) -> int | None:
    return column(connection, "open_slots")[pair_id - 1]


def test_without_a_rule_pairs_want_nothing_yet(store: Store) -> None:
    with store.write() as connection:
        assert set(column(connection, "quota")) == {None}
        assert set(column(connection, "open_slots")) == {0}
        assert needs_rule(connection, TWO)
        assert apply_rule(connection, TWO) == 3 * N_DOCUMENTS
        assert (applied_rule(connection), needs_rule(connection, TWO)) == (TWO, False)
        assert set(column(connection, "open_slots")) == {2}
        assert apply_rule(connection, TWO) == 0


def test_a_share_of_the_pairs_overlaps(store: Store) -> None:
    with store.write() as connection:
        apply_rule(connection, QuotaRule(3, 0.0))
        assert set(column(connection, "quota")) == {1}
        apply_rule(connection, QuotaRule(3, 0.25))
        few = column(connection, "quota")
        apply_rule(connection, QuotaRule(3, 0.5))
        more = column(connection, "quota")
    assert set(few) == set(more) == {1, 3}
    assert 0.15 < Counter(few)[3] / len(few) < 0.35
    assert 0.4 < Counter(more)[3] / len(more) < 0.6
    # A greater share takes none away, and queries do not share one pattern.
    assert all(after == 3 for before, after in zip(few, more, strict=True) if before == 3)
    assert few[:N_DOCUMENTS] != few[N_DOCUMENTS : 2 * N_DOCUMENTS]


def test_the_same_pairs_overlap_whatever_their_order(tmp_path: Path) -> None:
    chosen = []
    for name, step in (("there", 1), ("back", -1)):
        workspace = init_workspace(tmp_path / name, "x")
        with workspace, workspace.store.write() as connection:
            apply_rule(connection, QuotaRule(2, 0.5))
            insert_documents(connection, [Document(f"d{n}", "", "x") for n in range(40)])
            insert_queries(connection, [Query("q", "text")])
            add_pairs(connection, [("q", f"d{n}") for n in range(40)][::step], "bm25")
            rows = connection.execute(select(pairs.c.doc_key, pairs.c.quota))
            chosen.append({row.doc_key for row in rows if row.quota == 2})
    assert chosen[0] == chosen[1]


def test_slots_follow_grades_and_the_state_of_the_query(store: Store) -> None:
    with store.write() as connection:
        apply_rule(connection, TWO)
        pair_id = pair_of(connection, "q1", "d1")
        for number, left in enumerate([1, 0, 0]):
            rater = add_person(connection, f"rater {number}").person_id
            record_judgment(connection, NewJudgment(pair_id, rater, "grade", f"{number}", grade=1))
            assert slots_of(connection, pair_id) == left
        set_query_state(connection, 2, status="retired")
        assert slots_of(connection, pair_id) == slots_of(connection, pair_id + 1) == 0
        set_query_state(connection, 2, status="active")
        assert (slots_of(connection, pair_id), slots_of(connection, pair_id + 1)) == (0, 2)
        set_query_state(connection, 2, set_aside=True)
        assert slots_of(connection, pair_id + 1) == 0
        set_query_state(connection, 2, set_aside=False)
        apply_rule(connection, QuotaRule(4, 1.0))
        assert (slots_of(connection, pair_id), slots_of(connection, pair_id + 1)) == (1, 4)


def test_imported_judgments_of_humans_fill_places(store: Store) -> None:
    with store.write() as connection:
        apply_rule(connection, TWO)
        ann, file = add_person(connection, "ann"), add_person(connection, "file", kind="import")
        rows = [imported(ann, 1), imported(file, 2), imported(ann, 1, doc_id="d2")]
        import_judgments_batch(connection, rows)
        slots = column(connection, "open_slots")
        assert slots[pair_of(connection, "q1", "d1") - 1] == 1
        assert slots[pair_of(connection, "q1", "d2") - 1] == 1
        assert Counter(slots) == {2: 3 * N_DOCUMENTS - 2, 1: 2}


def set_raters(workspace: Workspace, old: int, new: int) -> None:
    file = workspace.root / SETTINGS_FILE
    text = file.read_text("utf-8")
    changed = text.replace(f"raters_per_pair = {old}", f"raters_per_pair = {new}")
    assert changed != text
    file.write_text(changed, "utf-8")


def test_changed_settings_hold_when_the_workspace_is_opened(tmp_path: Path) -> None:
    with init_workspace(tmp_path / "w", "shop") as workspace:
        with workspace.store.write() as connection:
            insert_documents(connection, [Document("d", "", "x")])
            insert_queries(connection, [Query("q", "text")])
            add_pairs(connection, [("q", "d")], "bm25")
            assert column(connection, "quota") == [2]
        set_raters(workspace, 2, 3)
    for _ in range(2):
        with open_workspace(tmp_path / "w") as again, again.store.read() as connection:
            assert column(connection, "quota") == column(connection, "open_slots") == [3]
            changes = queue_changes(connection)
    assert changes == 2  # when it was made, and when it was opened first


# A workspace that a Goldsmith before leases has left: two pairs, one with a grade.
MAKE_OLD = """
import sys
from pathlib import Path
from sqlalchemy import text
from builder.store import engine
from builder.store.revisions import migrate
made = engine._engine(Path(sys.argv[1]))
STATEMENTS = '''
INSERT INTO people (person_id, name, kind, role, created_at) VALUES (1, 'ann', 'human', 'rater', '')
INSERT INTO people (person_id, name, kind, role, created_at) VALUES (2, 'bob', 'human', 'rater', '')
INSERT INTO documents (doc_id, title, text, content_hash) VALUES ('d1', '', 'x', '')
INSERT INTO documents (doc_id, title, text, content_hash) VALUES ('d2', '', 'x', '')
INSERT INTO queries (query_id, text, source, created_at) VALUES ('q', 'text', 'log', '')
INSERT INTO pairs (query_key, doc_key, created_at, human_grades) VALUES (1, 1, '', 1)
INSERT INTO pairs (query_key, doc_key, created_at) VALUES (1, 2, '')
INSERT INTO judgments VALUES (1, 1, 1, 'grade', 3, '', NULL, '2026-01-01', NULL, 'a')
INSERT INTO judgments VALUES (2, 2, 1, 'cannot_judge', NULL, '', NULL, '2026-01-01', NULL, 'b')
INSERT INTO current_judgments VALUES (1, 1, 1, 'grade')
INSERT INTO current_judgments VALUES (2, 1, 2, 'cannot_judge')
'''.strip().splitlines()
with made.connect() as connection:
    connection.connection.driver_connection.execute("PRAGMA journal_mode = WAL")
    with engine.writing(connection):
        migrate(connection, "0002_jobs")
        for statement in STATEMENTS:
            connection.execute(text(statement))
made.dispose()
"""


def test_a_workspace_from_before_leases_goes_on(tmp_path: Path) -> None:
    root = tmp_path / "w"
    init_workspace(root, "shop").close()
    for file in root.glob("workbench.db*"):
        file.unlink()
    subprocess.run([sys.executable, "-c", MAKE_OLD, str(root / "workbench.db")], check=True)
    with closing(sqlite3.connect(root / "workbench.db")) as old:
        assert old.execute("SELECT version_num FROM alembic_version").fetchone() == ("0002_jobs",)
    with open_workspace(root) as workspace:
        with workspace.store.read() as connection:
            assert column(connection, "quota") == [2, 2]
            assert column(connection, "open_slots") == [1, 2]
            assert column(connection, "cannot_judges") == [0, 1]
        assert next_pair(workspace, "ann") is None
        assert progress_of(workspace, "bob").left == 2
        ensure_person(workspace, "cy")
        assert progress_of(workspace, "cy").left == 2
