"""From task and retriever to result."""

from dataclasses import replace
from pathlib import Path

import pytest

from evals.bm25 import BM25Retriever
from evals.evaluate import evaluate, score_run
from evals.measures import score
from evals.records import Document, EvalsError, Query
from evals.runfile import write_run
from evals.taskfolder import Task, read_task, write_task


@pytest.fixture
def two_documents(tmp_path: Path) -> Task:
    folder = tmp_path / "two"
    folder.mkdir()
    write_task(
        folder,
        documents=[Document("d1", "", "the cat sat"), Document("d2", "", "the dog ran")],
        queries=[Query("q1", "where is the cat"), Query("unjudged", "dog")],
        qrels={"test": {"q1": {"d1": 3, "d2": 0}}},
    )
    return read_task(folder)


def test_two_documents(two_documents: Task) -> None:
    result = evaluate(two_documents, BM25Retriever())
    for measure in ("ndcg_at_10", "mrr_at_10", "mrr", "recall_at_10", "map", "judged_at_10"):
        assert result.metrics[measure] == 1.0
    assert result.metrics["ndcg_at_1000"] == 1.0
    assert (result.n_queries, result.corpus_size, result.split) == (1, 2, "test")
    assert result.warnings == []
    assert result.run is not None
    assert set(result.run) == {"q1"}  # what is not judged is not searched
    assert result.seconds.keys() == {"retrieval", "scoring"}


def test_what_is_printed(two_documents: Task) -> None:
    printed = evaluate(two_documents, BM25Retriever(), relevance_level=2).as_json()
    assert printed.keys() >= {
        "task",
        "model",
        "split",
        "n_queries",
        "corpus_size",
        "metrics",
        "intervals",
        "reasons",
        "recommended_metric",
        "warnings",
        "seconds",
    }
    assert (printed["task"], printed["model"], printed["relevance_level"]) == ("two", "bm25", 2)
    assert printed["recommended_metric"] == "mrr_at_10"
    assert printed["intervals"] == {}  # one query has no interval


def test_more_queries_have_intervals(builtins_task: Task) -> None:
    result = evaluate(builtins_task, BM25Retriever())
    low, high = result.as_json()["intervals"]["ndcg_at_10"]
    ndcg = result.metrics["ndcg_at_10"]
    assert ndcg is not None
    assert 0 <= low < ndcg < high <= 1
    assert result.recommended.metric == "ndcg_at_10"


def test_unanswered_and_hopeless_queries_are_said(two_documents: Task) -> None:
    task = replace(
        two_documents,
        queries=[*two_documents.queries, Query("q2", "zebra"), Query("q3", "cat")],
        qrels={**two_documents.qrels, "q2": {"d1": 1}, "q3": {"d1": 0}},
        warnings=["of the task"],
    )
    result = evaluate(task, BM25Retriever())
    assert result.metrics["ndcg_at_10"] == pytest.approx(1 / 3)
    assert result.metrics["judged_at_10"] == 1.0
    assert result.warnings == [
        "of the task",
        "1 queries share no word with any document",
        "1 of 3 queries got no document; they score 0",
        "1 of 3 queries have no document of grade 1 or more; they score 0 in binary measures",
    ]


def test_depth_bounds_the_run(builtins_task: Task) -> None:
    shallow = evaluate(builtins_task, BM25Retriever(), depth=2)
    assert shallow.run is not None
    assert max(map(len, shallow.run.values())) == 2
    with pytest.raises(EvalsError, match="depth is 5 and k is 6"):
        evaluate(builtins_task, BM25Retriever(), depth=5, k=6)
    assert "ndcg_at_7" in evaluate(builtins_task, BM25Retriever(), k=7).metrics


def test_a_run_file_scores_as_the_run_that_it_holds(builtins_task: Task, tmp_path: Path) -> None:
    result = evaluate(builtins_task, BM25Retriever())
    assert result.run is not None
    write_run(tmp_path / "bm25.run", result.run, "lexical")
    scored = score_run(builtins_task, tmp_path / "bm25.run")
    assert scored.metrics == result.metrics
    assert (scored.model, scored.depth, scored.warnings) == ("lexical", None, [])
    assert score_run(builtins_task, tmp_path / "bm25.run", name="mine").model == "mine"


def test_what_does_not_join_in_a_run_is_said(two_documents: Task, tmp_path: Path) -> None:
    path = tmp_path / "x.run"
    path.write_text("q1 Q0 d1 1 2 x\nq1 Q0 gone 2 1 x\nother Q0 d1 1 1 x\n")
    result = score_run(two_documents, path)
    assert result.metrics["ndcg_at_10"] == 1.0
    assert result.warnings == ["1 documents of the run are not in the corpus (gone)"]
    path.write_text("other Q0 d1 1 1 x\n")
    with pytest.raises(EvalsError, match="none of the 1 judged queries"):
        score_run(two_documents, path)


def test_a_foreign_run_is_not_cut(two_documents: Task, tmp_path: Path) -> None:
    path = tmp_path / "deep.run"
    rows = [f"q1 Q0 x{rank} {rank} {5000 - rank} t" for rank in range(1, 1500)]
    path.write_text("\n".join([*rows, "q1 Q0 d1 1500 0 t"]))
    assert score_run(two_documents, path).metrics["mrr"] == pytest.approx(1 / 1500)


def test_the_result_holds_what_score_gives(builtins_task: Task) -> None:
    result = evaluate(builtins_task, BM25Retriever())
    assert result.run is not None
    assert result.scores == score(builtins_task.qrels, result.run)
