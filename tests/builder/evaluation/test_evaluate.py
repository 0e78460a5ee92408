import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from builder.errors import TaskNotFoundError
from builder.evaluation import evaluate_job, evaluate_models, leaderboard, score_runs
from builder.export import export_task
from builder.store.documents import insert_documents
from builder.store.judgments import ImportedJudgment, import_judgments_batch
from builder.store.people import add_person
from builder.store.queries import insert_queries
from builder.workspace import Workspace
from evals.records import Document, EvalsError, Query
from evals.results import read_results
from evals.retrievers import read_run
from tests.workspaces import new_workspace

WORDS = ["apple", "pear", "plum", "fig", "lime", "date"]


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Workspace]:
    """Six documents of one word each, three queries; each finds its word, graded 2."""
    monkeypatch.chdir(tmp_path)
    with new_workspace(tmp_path / "workspace", "shop") as opened:
        with opened.store.write() as connection:
            insert_documents(connection, [Document(f"d{word}", "", word) for word in WORDS])
            insert_queries(connection, [Query(f"q{word}", word) for word in WORDS[:3]])
        for word in WORDS[:3]:
            grade(opened, f"q{word}", f"d{word}", 2)
        export_task(opened, "shop")
        yield opened


def grade(workspace: Workspace, query_id: str, doc_id: str, given: int) -> None:
    with workspace.store.write() as connection:
        ann = add_person(connection, "ann").person_id
        import_judgments_batch(
            connection, [ImportedJudgment(query_id, doc_id, ann, "grade", given)]
        )


def test_a_result_and_its_run_are_kept(workspace: Workspace) -> None:
    (evaluation,) = evaluate_models(workspace, ["bm25"], ["custom/shop"])
    assert evaluation.reused is None
    assert evaluation.result.metrics["ndcg_at_10"] == 1.0
    assert evaluation.result.model == "bm25"
    folder = workspace.results_folder / "shop"
    assert [result.metrics for result in read_results(folder)] == [evaluation.result.metrics]
    assert evaluation.run_file is not None
    assert evaluation.run_file.parent == workspace.runs_folder / "shop"
    assert read_run(evaluation.run_file)[0]["qapple"].keys() == {"dapple"}


def test_the_document_that_is_printed(workspace: Workspace) -> None:
    (evaluation,) = evaluate_models(workspace, ["bm25"], ["custom/shop"])
    document = evaluation.as_json()
    assert json.loads(json.dumps(document, allow_nan=False)) == document
    assert (document["task"], document["model"], document["split"]) == ("shop", "bm25", "test")
    assert (document["n_queries"], document["corpus_size"]) == (3, 6)
    assert document["warnings"][0].startswith("custom/shop is ")
    assert document["run_file"] == str(evaluation.run_file)


def test_the_same_content_and_model_are_not_evaluated_twice(workspace: Workspace) -> None:
    (first,) = evaluate_models(workspace, ["bm25"], ["custom/shop"])
    (again,) = evaluate_models(workspace, ["bm25"], ["custom/shop"])
    assert again.reused == "result"
    assert again.result.created_at == first.result.created_at
    assert again.run_file == first.run_file
    assert any("--overwrite" in warning for warning in again.as_json()["warnings"])
    (anew,) = evaluate_models(workspace, ["bm25"], ["custom/shop"], overwrite=True)
    assert anew.reused is None
    assert anew.result.created_at > first.result.created_at


def test_a_changed_grade_scores_the_kept_run_again(workspace: Workspace) -> None:
    evaluate_models(workspace, ["bm25"], ["custom/shop"])
    grade(workspace, "qapple", "dpear", 3)
    export_task(workspace, "shop")
    (evaluation,) = evaluate_models(workspace, ["bm25"], ["custom/shop"])
    assert evaluation.reused == "run"
    # qapple: gain 2 at rank 1 of an ideal 3 + 2 / log2(3) = 4.2619; the other two are perfect.
    expected = (2 / (3 + 2 / 1.584962500721156) + 1 + 1) / 3
    assert evaluation.result.metrics["ndcg_at_10"] == pytest.approx(expected)
    (anew,) = evaluate_models(workspace, ["bm25"], ["custom/shop"], overwrite=True)
    assert anew.result.metrics == evaluation.result.metrics


@pytest.mark.parametrize("change", ["document", "query"])
def test_a_changed_corpus_or_query_is_searched_again(workspace: Workspace, change: str) -> None:
    evaluate_models(workspace, ["bm25"], ["custom/shop"])
    with workspace.store.write() as connection:
        if change == "document":
            insert_documents(connection, [Document("new", "", "apple")])
        else:
            insert_queries(connection, [Query("qfig", "fig")])
    if change == "query":
        grade(workspace, "qfig", "dfig", 1)
    export_task(workspace, "shop")
    (evaluation,) = evaluate_models(workspace, ["bm25"], ["custom/shop"])
    assert evaluation.reused is None


def test_other_measures_are_scored_out_of_the_kept_run(workspace: Workspace) -> None:
    evaluate_models(workspace, ["bm25"], ["custom/shop"])
    (stricter,) = evaluate_models(workspace, ["bm25"], ["custom/shop"], relevance_level=3)
    assert stricter.reused == "run"
    assert stricter.result.scores.relevance_level == 3
    (further,) = evaluate_models(workspace, ["bm25"], ["custom/shop"], k=7)
    assert further.reused == "run"
    assert "ndcg_at_7" in further.result.metrics


def test_an_unfinished_run_is_not_used(workspace: Workspace) -> None:
    (first,) = evaluate_models(workspace, ["bm25"], ["custom/shop"])
    assert first.run_file is not None
    first.run_file.with_suffix(".json").unlink()
    (again,) = evaluate_models(workspace, ["bm25"], ["custom/shop"], k=7)
    assert again.reused is None


def test_several_tasks_come_one_after_the_other(workspace: Workspace) -> None:
    export_task(workspace, "other", rule="mean")
    evaluations = evaluate_models(workspace, ["bm25"], ["custom/shop", "custom/other"])
    assert [one.result.task for one in evaluations] == ["shop", "other"]


def test_a_task_that_is_absent_stops_before_anything_is_evaluated(workspace: Workspace) -> None:
    with pytest.raises(TaskNotFoundError):
        evaluate_models(workspace, ["bm25"], ["custom/shop", "custom/absent"])
    assert read_results(workspace.results_folder) == []


def test_an_unknown_option_is_a_mistake(workspace: Workspace) -> None:
    with pytest.raises(TypeError):
        evaluate_models(workspace, ["bm25"], ["custom/shop"], depht=3)


def test_a_draft_is_evaluated_and_its_results_kept_apart(workspace: Workspace) -> None:
    grade(workspace, "qapple", "dfig", 0)
    (evaluation,) = evaluate_models(workspace, ["bm25"], ["draft"])
    assert evaluation.result.task == "draft"
    assert len(read_results(workspace.results_folder / "draft")) == 1


def test_without_a_workspace_only_the_output_is_kept(workspace: Workspace, tmp_path: Path) -> None:
    folder, output = str(workspace.evals_folder / "shop"), tmp_path / "out"
    before = sorted(workspace.root.rglob("*"))
    (evaluation,) = evaluate_models(None, ["bm25"], [folder])
    assert evaluation.run_file is None
    assert sorted(workspace.root.rglob("*")) == before
    (kept,) = evaluate_models(None, ["bm25"], [folder], output=output)
    assert len(read_results(output)) == 1
    assert kept.run_file is not None
    assert kept.run_file.is_relative_to(output)
    assert evaluate_models(None, ["bm25"], [folder], output=output)[0].reused == "result"


def test_a_reused_result_reaches_the_output_too(workspace: Workspace, tmp_path: Path) -> None:
    evaluate_models(workspace, ["bm25"], ["custom/shop"])
    (again,) = evaluate_models(workspace, ["bm25"], ["custom/shop"], output=tmp_path / "out")
    assert again.reused == "result"
    assert len(read_results(tmp_path / "out")) == 1


def test_a_run_whose_ids_do_not_fit_is_not_kept(workspace: Workspace) -> None:
    with workspace.store.write() as connection:
        insert_documents(connection, [Document("a\tb", "", "apple")])
    export_task(workspace, "shop")
    (evaluation,) = evaluate_models(workspace, ["bm25"], ["custom/shop"])
    assert evaluation.run_file is None
    assert any("not kept" in note for note in evaluation.notes)


def test_a_run_made_elsewhere(workspace: Workspace, tmp_path: Path) -> None:
    run = tmp_path / "mine.trec"
    run.write_text("qapple Q0 dapple 1 2.5 mine\nqapple Q0 dfig 2 1.5 mine\n", "utf-8")
    (evaluation,) = score_runs(workspace, run, ["custom/shop"])
    assert evaluation.result.metrics["ndcg_at_10"] == pytest.approx(1 / 3)
    assert evaluation.result.model == "mine"
    assert len(read_results(workspace.results_folder / "shop")) == 1
    with pytest.raises(EvalsError):
        score_runs(workspace, tmp_path / "absent.trec", ["custom/shop"])


def test_the_leaderboard_of_a_task(workspace: Workspace, tmp_path: Path) -> None:
    assert leaderboard(workspace, "shop").empty
    run = tmp_path / "mine.trec"
    run.write_text("qapple Q0 dapple 1 2.5 mine\n", "utf-8")
    score_runs(workspace, run, ["custom/shop"])
    evaluate_models(workspace, ["bm25"], ["custom/shop"])
    assert list(leaderboard(workspace, "shop")["model"]) == ["bm25", "mine"]


def test_the_job(workspace: Workspace) -> None:
    parameters = {"models": ["bm25"], "tasks": ["custom/shop"], "overwrite": True}
    outcome = evaluate_job(workspace, parameters, lambda *_: None)
    assert [result["model"] for result in outcome["results"]] == ["bm25"]
    json.dumps(outcome, allow_nan=False)


@pytest.mark.model
def test_an_encoder_is_not_loaded_for_a_kept_run(workspace: Workspace) -> None:
    (first,) = evaluate_models(workspace, ["minilm"], ["custom/shop"])
    assert first.result.metrics["ndcg_at_10"] == 1.0
    grade(workspace, "qapple", "dpear", 1)
    export_task(workspace, "shop")
    told: list[str] = []
    (again,) = evaluate_models(
        workspace, ["minilm"], ["custom/shop"], progress=lambda what, *_: told.append(what)
    )
    assert again.reused == "run"
    assert told == []
    (anew,) = evaluate_models(
        workspace,
        ["minilm"],
        ["custom/shop"],
        overwrite=True,
        progress=lambda what, *_: told.append(what),
    )
    assert "minilm on shop: encoding document texts" in told
    assert anew.result.metrics == again.result.metrics
