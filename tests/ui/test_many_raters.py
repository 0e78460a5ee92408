"""Many raters at one real server, some killed: nothing doubled, over-filled, lost or stranded."""

from collections import Counter
from pathlib import Path

import pytest
from sqlalchemy import text

from benchmarks.app_server import running_app
from benchmarks.many_raters import acknowledged, grade_at_once
from builder.judging.queue import Pair
from builder.people import ensure_person
from builder.store.documents import insert_documents
from builder.store.judgments import RawJudgment, count_judgments, raw_judgments
from builder.store.pool import add_pairs
from builder.store.queries import insert_queries
from builder.workspace import SETTINGS_FILE, Workspace, init_workspace, open_workspace
from evals.records import Document, Query
from ui.sitting import name_in_page

RATERS_PER_PAIR = 2
_A_MINUTE_PASSES = text(
    "UPDATE leases SET expires_at = '2000-01-01T00:00:00.000000+00:00' "
    "WHERE rater_id = (SELECT person_id FROM people WHERE name = :name)"
)


@pytest.mark.parametrize(
    ("n_raters", "n_pairs", "kill_after", "wait"),
    [
        (4, 30, [3.0], False),
        # Here the leases of the killed run out by themselves, which takes a minute.
        pytest.param(10, 1000, [20.0, 45.0, 70.0], True, marks=pytest.mark.slow),
    ],
)
def test_many_raters_at_once(
    tmp_path: Path,
    n_raters: int,
    n_pairs: int,
    kill_after: list[float],
    wait: bool,
) -> None:
    names = [f"rater {number:02}" for number in range(n_raters)]
    with _workspace(tmp_path, names, n_pairs) as workspace:
        with running_app(workspace.root, tmp_path / "server.log") as address:
            killed = grade_at_once(
                address,
                names,
                tmp_path,
                kill_after=kill_after,
                is_over=lambda: _is_complete(workspace, n_pairs, names[:1] if not wait else []),
                patience=900,
            )
        assert len(killed) == len(kill_after)
        _hold_against(workspace, {name: acknowledged(tmp_path / f"{name}.tsv") for name in names})


def _hold_against(workspace: Workspace, told: dict[str, dict[str, int]]) -> None:
    with workspace.store.read() as connection:
        log = list(raw_judgments(connection))
    by_rater = Counter((row.rater, row.query_id, row.doc_id) for row in log)
    assert set(by_rater.values()) == {1}, "a pair twice to one rater"
    by_pair = Counter((row.query_id, row.doc_id) for row in log)
    assert set(by_pair.values()) == {RATERS_PER_PAIR}, "a pair over-filled or left"
    kept = {(row.rater, _in_page(row)): row.grade for row in log}
    lost = [
        (rater, pair)
        for rater, grades in told.items()
        for pair, grade in grades.items()
        if kept.get((rater, pair)) != grade
    ]
    assert lost == [], "acknowledged, and not there"
    assert sum(map(len, told.values())) >= len(log) - len(told)


def _in_page(row: RawJudgment) -> str:
    pair = Pair(0, Query(row.query_id, ""), Document(row.doc_id, "", ""), 1, 1, 1)
    return name_in_page(row.rater, pair)


def _is_complete(workspace: Workspace, n_pairs: int, gone: list[str]) -> bool:
    """Whether each pair has its grades; for those who are gone, their minute is over at once."""
    with workspace.store.write() as connection:
        for name in gone:
            connection.execute(_A_MINUTE_PASSES, {"name": name})
        return count_judgments(connection, RATERS_PER_PAIR).complete_pairs == n_pairs


def _workspace(folder: Path, names: list[str], n_pairs: int) -> Workspace:
    root = folder / "workspace"
    init_workspace(root, "many").close()
    settings = root / SETTINGS_FILE
    settings.write_text(f"lease_minutes = 1\n{settings.read_text('utf-8')}", "utf-8")
    workspace = open_workspace(root)
    for name in ("Admin", *names):
        ensure_person(workspace, name)
    pairs = [(f"q{n // 20}", f"d{n}") for n in range(n_pairs)]
    with workspace.store.write() as connection:
        query_ids = sorted({query_id for query_id, _ in pairs})
        insert_queries(
            connection, [Query(each, f"words of {each}", source="x") for each in query_ids]
        )
        insert_documents(connection, [Document(d, f"Title {d}", "Text.") for _, d in pairs])
        add_pairs(connection, pairs, "bm25")
    return workspace
