"""The Python API."""

import subprocess
import sys
from typing import Any

import pytest

import evals
from evals import (
    EvalsError,
    compare_models,
    ndcg_at_k,
    read_task,
    recommended_metric,
    run_domain_evaluation,
)
from evals.bm25 import BM25Retriever
from evals.taskfolder import Task


class Lengths:
    """A model made by hand: a text is its length."""

    def __init__(self) -> None:
        self.seen: list[str] = []

    def encode(self, texts: list[str]) -> list[list[float]]:
        self.seen += texts
        return [[1.0, float(len(text))] for text in texts]


def test_import_is_light() -> None:
    code = (
        "import sys, evals; heavy = {'torch', 'pandas', 'numpy', 'faiss', 'pytrec_eval'};"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_names_are_there() -> None:
    assert callable(ndcg_at_k)
    assert callable(recommended_metric)
    assert set(evals.__all__) <= set(dir(evals))
    with pytest.raises(AttributeError, match="no_such_thing"):
        evals.__getattr__("no_such_thing")


def test_run_domain_evaluation_by_name_and_path(builtins_task: Task) -> None:
    found = run_domain_evaluation("bm25", str(builtins_task.folder))
    assert 0.5 < found["ndcg_at_10"] <= 1
    assert found["metrics"]["ndcg_at_10"] == found["ndcg_at_10"]
    assert found["model"] == "bm25"
    assert (found["task"], found["split"], found["n_queries"]) == ("builtins", "test", 8)
    assert found["per_query"]["q0"]["mrr"] > 0
    assert found["intervals"]["ndcg_at_10"][0] < found["ndcg_at_10"]
    assert found["recommended_metric"] == "ndcg_at_10"


def test_run_domain_evaluation_of_an_object_with_prefixes(builtins_task: Task) -> None:
    model = Lengths()
    found = run_domain_evaluation(model, builtins_task, k=7, prefix_query="Q ", prefix_doc="D ")
    assert 0 <= found["ndcg_at_7"] <= 1
    queries = [text for text in model.seen if text.startswith("Q ")]
    assert len(queries) == len(builtins_task.queries)
    assert all(text.startswith("D ") for text in model.seen if text not in queries)


def test_run_domain_evaluation_of_a_retriever(builtins_task: Task) -> None:
    found = run_domain_evaluation(BM25Retriever(name="mine"), builtins_task)
    assert found["model"] == "mine"
    with pytest.raises(EvalsError, match="takes no prefixes"):
        run_domain_evaluation(BM25Retriever(), builtins_task, prefix_query="x")


def test_a_deep_cut_off(builtins_task: Task) -> None:
    assert run_domain_evaluation("bm25", builtins_task, k=2000)["recall_at_2000"] <= 1


def test_compare_models(builtins_task: Task) -> None:
    model = Lengths()
    table = compare_models(
        {"lengths": model, "lexical": "bm25"},
        builtins_task.folder,
        model_configs={"lengths": {"prefix_query": "Q ", "batch_size": 3}},
    )
    assert table["model"].tolist() == ["lexical", "lengths"]
    assert table["ndcg_at_10"].is_monotonic_decreasing
    assert {"low", "high", "recall_at_10", "mrr_at_10", "map", "n_queries"} <= set(table.columns)
    assert sum(text.startswith("Q ") for text in model.seen) == 8


@pytest.mark.parametrize(
    ("models", "configs", "message"),
    [
        (["bm25", "bm25"], None, "two models are called 'bm25'"),
        ("bm25", None, "models is one text"),
        (["bm25"], {"minilm": {}}, "model_configs names 'minilm'"),
        (["bm25"], {"bm25": {"prefix": "x"}}, "unknown setting 'prefix'"),
        ([7], None, "int has no encode method"),
    ],
)
def test_mistakes_are_said(builtins_task: Task, models: Any, configs: Any, message: str) -> None:
    with pytest.raises(EvalsError, match=message):
        compare_models(models, builtins_task, configs)


def test_read_task(builtins_task: Task) -> None:
    assert read_task(builtins_task.folder, split="test") == builtins_task
