"""Dense retrieval: exact, in trec_eval's order, cancellable, and equal to mteb's own scores."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from evals.encoders import Prompts, encoder, encoder_of
from evals.evaluate import evaluate
from evals.records import Document, EvalsError, Query
from evals.retrievers import DenseRetriever, retriever
from evals.taskfolder import Task
from tests.evals.mteb_peer import mteb_scores
from tests.evals.test_encoders import needs_minilm

MEASURES = [
    f"{family}_at_{k}"
    for family in ("ndcg", "recall", "precision", "map", "mrr")
    for k in (1, 3, 5, 10, 20, 100, 1000)
]


class ByTable:
    """Embeddings looked up by text."""

    def __init__(self, table: dict[str, list[float]]) -> None:
        self.table = table
        self.batches: list[int] = []

    def encode(self, texts: Sequence[str]) -> list[list[float]]:
        self.batches.append(len(texts))
        return [self.table[text] for text in texts]


DOCUMENTS = [Document("b", "", "north"), Document("a", "", "east"), Document("c", "", "north")]
TABLE = {"north": [0.0, 1.0], "east": [2.0, 0.0], "up": [0.0, 3.0]}


def dense(table: dict[str, list[float]], batch_size: int = 256) -> DenseRetriever:
    return DenseRetriever(encoder_of(ByTable(table)), batch_size=batch_size)


def test_ties_and_depth_beyond_the_corpus() -> None:
    run = dense(TABLE).search(DOCUMENTS, [Query("q", "up")], 1000)
    assert list(run["q"].items()) == [("c", 1.0), ("b", 1.0), ("a", 0.0)]
    assert all(type(score) is float for score in run["q"].values())


def test_a_shallow_run_keeps_the_greater_of_tied_ids() -> None:
    assert dense(TABLE).search(DOCUMENTS, [Query("q", "up")], 1)["q"] == {"c": 1.0}


def test_a_constant_model_ranks_by_doc_id() -> None:
    documents = [Document(f"d{number:04}", "", "same") for number in range(3000)]
    run = dense({"same": [1.0, 1.0]}).search(documents, [Query("q", "same")], 5)
    assert list(run["q"]) == ["d2999", "d2998", "d2997", "d2996", "d2995"]


def test_nothing_to_search() -> None:
    assert dense(TABLE).search([], [Query("q", "up")], 5) == {"q": {}}
    assert dense(TABLE).search(DOCUMENTS, [], 5) == {}


def test_nan_is_refused_with_the_text_that_gave_it() -> None:
    bad = {**TABLE, "east": [np.nan, 0.0]}
    with pytest.raises(EvalsError, match="1 of 3 texts, the first is document 'a'"):
        dense(bad).search(DOCUMENTS, [Query("q", "up")], 5)
    with pytest.raises(EvalsError, match="the first is query 'q'"):
        dense({**TABLE, "up": [np.inf, 0.0]}).search(DOCUMENTS, [Query("q", "up")], 5)


def test_progress_counts_texts_and_may_cancel() -> None:
    heard: list[tuple[str, int, int | None]] = []
    queries = [Query("q", "up")]
    dense(TABLE, batch_size=2).search(DOCUMENTS, queries, 5, lambda *said: heard.append(said))
    assert heard == [
        ("loading the model", 0, None),
        ("encoding query texts", 1, 1),
        ("encoding document texts", 2, 3),
        ("encoding document texts", 3, 3),
    ]

    class CancelledError(Exception):
        pass

    def cancel(what: str, done: int, total: int | None) -> None:
        raise CancelledError(f"{what} {done}/{total}")

    with pytest.raises(CancelledError):
        dense(TABLE).search(DOCUMENTS, queries, 5, cancel)


def test_batches_do_not_change_the_order_of_embeddings() -> None:
    table = {f"{'x' * number}": [1.0, float(number)] for number in range(1, 30)}
    documents = [Document(f"d{number:02}", "", text) for number, text in enumerate(table)]
    queries = [Query("q", "x" * 29)]
    runs = [dense(table, size).search(documents, queries, 50) for size in (1, 4, 256)]
    assert runs[0] == runs[1] == runs[2]
    assert next(iter(runs[0]["q"])) == "d28"


@pytest.mark.parametrize(("query_prompt", "doc_prompt"), [("q: ", None), (None, "d: ")])
def test_bm25_takes_no_prompts(query_prompt: str | None, doc_prompt: str | None) -> None:
    with pytest.raises(EvalsError, match="bm25 takes no prompts"):
        retriever("bm25", query_prompt=query_prompt, doc_prompt=doc_prompt)
    assert retriever("bm25", query_prompt="", doc_prompt="").name == "bm25"


def test_batch_size_must_be_positive() -> None:
    with pytest.raises(EvalsError, match="batch_size is 0"):
        retriever("minilm", batch_size=0)


def assert_equal_to_mteb(task: Task, model: DenseRetriever, peer: object) -> None:
    ours = evaluate(task, model).metrics
    theirs = mteb_scores(task, peer)
    assert {name: ours[name] for name in MEASURES} == pytest.approx(
        {name: theirs[name] for name in MEASURES}, abs=5e-5
    )


@needs_minilm
@pytest.mark.model
def test_scores_equal_mteb(builtins_task: Task) -> None:
    minilm = encoder("minilm")
    assert_equal_to_mteb(builtins_task, DenseRetriever(minilm), minilm.model)


@needs_minilm
@pytest.mark.model
@pytest.mark.parametrize("similarity", ["dot", "euclidean", "manhattan"])
def test_scores_equal_mteb_with_prompts_and_other_similarities(
    builtins_task: Task, prompted_model: Path, similarity: str
) -> None:
    own = encoder(str(prompted_model))
    own.model.similarity_fn_name = similarity
    assert_equal_to_mteb(builtins_task, DenseRetriever(own), own.model)


@needs_minilm
@pytest.mark.model
def test_prompts_change_scores_and_do_not_stay(builtins_task: Task, prompted_model: Path) -> None:
    model = encoder(str(prompted_model)).model
    plain = DenseRetriever(encoder_of(model))
    prompted = DenseRetriever(encoder_of(model, Prompts("sort a list: ", "keyboard: ")))
    scores = [evaluate(builtins_task, one).metrics["ndcg_at_100"] for one in (plain, prompted)]
    assert scores[0] != scores[1]
    assert evaluate(builtins_task, plain).metrics["ndcg_at_100"] == scores[0]
    assert plain.seconds.keys() == {"loading", "encoding", "searching"}
