"""Evals on real collections: trec_eval's own outputs, and published scores."""

import re
from pathlib import Path

import pytest

from evals.bm25 import BM25Retriever
from evals.encoders import encoder
from evals.evaluate import evaluate
from evals.measures import Scores, score
from evals.qrels import read_qrels
from evals.retrievers import DenseRetriever, retriever
from evals.runfile import read_run
from evals.taskfolder import Task, read_task, write_task
from tests.evals.mteb_peer import mteb_scores
from tests.evals.test_encoders import needs_minilm
from tests.evals.test_measures import our_name
from tests.evals.test_retrievers import MEASURES

pytestmark = pytest.mark.shared_data

CUTOFFS = (15, 30, 200, 500)  # those of trec_eval's defaults that are not ours


@pytest.fixture
def trec(shared_data: Path) -> Path:
    return shared_data / "trec-eval-tests" / "raw"


def scores_at_all_cutoffs(qrels: Path, run: Path, level: int = 1) -> list[Scores]:
    judged, found = read_qrels(qrels).qrels, read_run(run)[0]
    return [score(judged, found, relevance_level=level, k=k) for k in CUTOFFS]


def compare(output: Path, measured: list[Scores]) -> int:
    """Compares each line of trec_eval's output that has a counterpart; gives their number."""
    compared = 0
    for line in output.read_text().splitlines():
        trec_name, query_id, printed = (cell.strip() for cell in line.split("\t"))
        name = our_name(trec_name)
        for scores in measured:
            if name is None or name not in scores.means:
                continue
            mine = scores.means[name].value
            if query_id != "all":
                mine = scores.per_query()[query_id][name]
            assert mine == pytest.approx(float(printed), abs=5.1e-5), (name, query_id)
            compared += 1
            break
    return compared


# 9 cut-offs of P, recall, ndcg_cut, map_cut; map, recip_rank, bpref; 3 queries and "all"
EVERYTHING = (9 * 4 + 3) * 4


def test_the_official_output(trec: Path) -> None:
    measured = scores_at_all_cutoffs(trec / "qrels.test", trec / "results.test")
    assert compare(trec / "out.test.aq", measured) == EVERYTHING
    assert compare(trec / "out.test", measured) >= 9


def test_missing_queries_count_zero(trec: Path) -> None:
    measured = scores_at_all_cutoffs(trec / "qrels.test", trec / "results.trunc")
    assert compare(trec / "out.test.aqc", measured) == EVERYTHING
    assert measured[0].unanswered == ("302",)


def test_relevance_level_two(trec: Path) -> None:
    measured = scores_at_all_cutoffs(trec / "qrels.rel_level", trec / "results.test", level=2)
    assert compare(trec / "out.test.aql", measured) == EVERYTHING


def test_comments_are_no_rows(trec: Path) -> None:
    commented = read_qrels(trec / "qrels.test.with-comments")
    plain = read_qrels(trec / "qrels.test")
    assert sum(map(len, commented.qrels.values())) == sum(map(len, plain.qrels.values()))
    assert "CR#93E-1860" in commented.qrels["301"]  # a "#" inside a row begins no comment
    measured = scores_at_all_cutoffs(trec / "qrels.comment.test", trec / "results.comment.test")
    assert compare(trec / "out.comment.test", measured) >= 12


def test_bm25_on_scifact(shared_data: Path) -> None:
    ndcg = evaluate(read_task(shared_data / "scifact" / "task"), BM25Retriever()).metrics
    assert ndcg["ndcg_at_10"] is not None
    assert ndcg["ndcg_at_10"] >= 0.65


@pytest.mark.parametrize("language", ["en", "de"])
def test_bm25_on_xquad(shared_data: Path, language: str) -> None:
    result = evaluate(read_task(shared_data / "xquad" / f"task_{language}"), BM25Retriever())
    assert result.metrics["ndcg_at_10"] is not None
    assert result.metrics["ndcg_at_10"] > 0.9
    assert result.recommended.metric == "mrr_at_10"
    assert result.n_queries == 1190


def first_documents(task: Task, n: int, folder: Path) -> Task:
    """The task cut to its first documents and what is judged on them."""
    documents = task.documents[:n]
    left = {document.doc_id for document in documents}
    qrels = {query: grades for query, grades in task.qrels.items() if left.issuperset(grades)}
    queries = [query for query in task.queries if query.query_id in qrels]
    write_task(folder, documents=documents, queries=queries, qrels={"test": qrels})
    return read_task(folder)


@needs_minilm
@pytest.mark.model
def test_minilm_on_adi_equals_mteb(shared_data: Path, tmp_path: Path) -> None:
    task = read_task(shared_data / "adi" / "task")
    write_task(tmp_path, documents=task.documents, queries=task.queries, qrels={"test": task.qrels})
    written = read_task(tmp_path)
    assert written.content_hash == task.content_hash
    minilm = encoder("minilm")
    ours = evaluate(written, DenseRetriever(minilm)).metrics
    assert ours["ndcg_at_10"] == pytest.approx(0.4975, abs=5e-5)
    theirs = mteb_scores(written, minilm.model)
    assert {name: ours[name] for name in MEASURES} == pytest.approx(
        {name: theirs[name] for name in MEASURES}, abs=5e-5
    )


@needs_minilm
@pytest.mark.model
@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize("n_documents", [30, pytest.param(None, marks=pytest.mark.slow)])
def test_minilm_on_xquad(
    shared_data: Path, tmp_path: Path, language: str, n_documents: int | None
) -> None:
    """On the first documents in each run, on all of them in slow ones."""
    task = read_task(shared_data / "xquad" / f"task_{language}")
    if n_documents is not None:
        task = first_documents(task, n_documents, tmp_path)
    result = evaluate(task, retriever("minilm"))
    assert result.metrics["ndcg_at_10"] is not None
    assert 0.3 < result.metrics["ndcg_at_10"] < 1


@needs_minilm
@pytest.mark.model
@pytest.mark.slow
def test_minilm_on_scifact_equals_mteb_and_what_is_published(shared_data: Path) -> None:
    task = read_task(shared_data / "scifact" / "task")
    minilm = encoder("minilm")
    ours = evaluate(task, DenseRetriever(minilm)).metrics
    assert ours["ndcg_at_10"] == pytest.approx(0.645, abs=0.002)
    theirs = mteb_scores(task, minilm.model)
    assert {name: ours[name] for name in MEASURES} == pytest.approx(
        {name: theirs[name] for name in MEASURES}, abs=5e-5
    )


def test_every_collection_can_be_read(shared_data: Path) -> None:
    folders = [path.parent for path in sorted(shared_data.glob("*/task*/corpus.jsonl"))]
    assert len(folders) >= 7
    for folder in folders:
        task = read_task(folder)
        assert task.warnings == [], folder
        assert re.fullmatch("[0-9a-f]{64}", task.content_hash)
