"""Which results are one contest, and which models a new release leaves behind."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from builder.evaluation import Contest, contests, evaluate_models, newest_with_results, score_runs
from builder.evaluation.again import Known, commands_again
from builder.export import export_task
from builder.export.folders import release_folder
from builder.store.documents import insert_documents
from builder.store.judgments import ImportedJudgment, import_judgments_batch
from builder.store.people import add_person
from builder.store.queries import insert_queries
from builder.workspace import Workspace
from evals.records import Document, Query
from evals.taskfolder import read_task, written_content_hash
from tests.workspaces import new_workspace

ODD = 'a "quoted" \u2028 line\r\nand\ta TAB, \u00e9 and e\u0301 \ufeff'


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Workspace]:
    """Release shop@1 of two queries, with bm25 and a run called own evaluated on it."""
    monkeypatch.chdir(tmp_path)
    with new_workspace(tmp_path / "workspace", "shop") as opened:
        with opened.store.write() as connection:
            documents = [Document(f"d{n}", "", f"apple {n} {ODD}") for n in range(4)]
            insert_documents(connection, documents)
            insert_queries(connection, [Query(f"q{n}", f"apple {n} \u00e9") for n in range(3)])
        grade(opened, "q0", "d0", 2)
        grade(opened, "q1", "d1", 1)
        export_task(opened, "shop")
        (tmp_path / "own.trec").write_text("q0 Q0 d0 1 1 own\nq1 Q0 d1 1 1 own\n", "utf-8")
        evaluate_models(opened, ["bm25"], ["custom/shop"])
        score_runs(opened, tmp_path / "own.trec", ["custom/shop"])
        yield opened


def grade(workspace: Workspace, query_id: str, doc_id: str, given: int, who: str = "ann") -> None:
    with workspace.store.write() as connection:
        person = add_person(connection, who).person_id
        import_judgments_batch(
            connection, [ImportedJudgment(query_id, doc_id, person, "grade", given)]
        )


def told(found: list[Contest]) -> list[tuple[str, list[str], list[str]]]:
    return [
        (
            contest.name,
            sorted(result.model for result in contest.results),
            [f"{result.model}@{release and release.number}" for result, release in contest.behind],
        )
        for contest in found
    ]


def test_a_release_has_the_hash_that_its_results_have(workspace: Workspace) -> None:
    folder = release_folder(workspace.evals_folder, "shop", 1)
    assert written_content_hash(folder, "test") == read_task(folder).content_hash


def test_a_new_release_leaves_models_behind_and_says_how_they_come_back(
    workspace: Workspace,
) -> None:
    assert told(contests(workspace)) == [("shop@1", ["bm25", "own"], [])]
    grade(workspace, "q2", "d2", 3)
    export_task(workspace, "shop")
    newest, older = found = contests(workspace)
    assert told(found) == [("shop@2", [], ["bm25@1", "own@1"]), ("shop@1", ["bm25", "own"], [])]
    assert newest.commands == [
        "goldsmith eval bm25 -t custom/shop",
        "goldsmith score own.trec -t custom/shop",
    ]
    assert newest_with_results(found) == older
    evaluate_models(workspace, ["bm25"], ["custom/shop"])
    found = contests(workspace)
    assert told(found) == [("shop@2", ["bm25"], ["own@1"]), ("shop@1", ["bm25", "own"], [])]
    assert newest_with_results(found) == found[0]


def test_a_release_that_moves_no_score_leaves_nobody_behind(workspace: Workspace) -> None:
    grade(workspace, "q0", "d0", 2, who="bob")
    assert export_task(workspace, "shop")["release"] == 2
    assert told(contests(workspace)) == [("shop@2", ["bm25", "own"], [])]


def test_a_release_by_its_number_is_the_same_contest(workspace: Workspace) -> None:
    grade(workspace, "q2", "d2", 3)
    export_task(workspace, "shop")
    evaluate_models(workspace, ["bm25"], ["shop@2"])
    evaluate_models(workspace, ["bm25"], ["custom/shop"])
    assert told(contests(workspace))[0] == ("shop@2", ["bm25"], ["own@1"])


def test_a_draft_is_no_release(workspace: Workspace) -> None:
    evaluate_models(workspace, ["bm25"], ["draft"])
    found = contests(workspace)
    assert {contest.name: contest.release is None for contest in found} == {
        "draft": True,
        "shop@1": False,
    }
    best = newest_with_results(found)
    assert best is not None
    assert best.name == "shop@1"


def test_another_task_has_its_own_newest_release(workspace: Workspace) -> None:
    grade(workspace, "q2", "d2", 3)
    export_task(workspace, "market")
    assert told(contests(workspace)) == [("market@1", [], []), ("shop@1", ["bm25", "own"], [])]


def test_models_with_other_prompts_get_a_command_of_their_own() -> None:
    plain = Known.of("a model", '{"model": "a model", "revision": "1"}')
    newer = Known.of("a model", '{"model": "a model", "revision": "2"}')
    prompted = Known.of("e5", '{"model": "e5", "query_prompt": "query: "}')
    assert commands_again([prompted, plain, newer, Known.of("bm25", "bm25")], "custom/shop") == [
        "goldsmith eval 'a model' bm25 -t custom/shop",
        "goldsmith eval e5 --query-prompt 'query: ' -t custom/shop",
    ]
