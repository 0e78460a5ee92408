"""Scores by where the queries came from."""

import json
from dataclasses import replace
from pathlib import Path

from estimates import mean_interval
from evals.bm25 import BM25Retriever
from evals.breakdown import by_source
from evals.evaluate import evaluate
from evals.measures import score
from evals.records import Query
from evals.results import read_result, with_sources, write_result
from evals.taskfolder import Task
from evals.written import written_by_models

QRELS = {"a": {"d": 1}, "b": {"d": 1}, "c": {"d": 1}, "e": {"d": 1}}
RUN = {"a": {"d": 1.0}, "b": {"x": 2.0, "d": 1.0}, "c": {"x": 1.0}}
QUERIES = [
    *(Query(name, name, source="synthetic") for name in "ab"),
    Query("c", "c", source="log"),
    Query("e", "e", source="log"),
    Query("never judged", "", source="manual"),
]


def test_each_source_has_its_own_means_and_intervals() -> None:
    parts = by_source(score(QRELS, RUN), QUERIES)
    assert list(parts) == ["log", "synthetic"]
    synthetic, log = parts["synthetic"], parts["log"]
    assert (synthetic["n_queries"], log["n_queries"]) == (2, 2)
    # Ranks 1 and 2 of the two, no find of the others.
    assert synthetic["metrics"]["mrr"] == (1 + 1 / 2) / 2
    assert log["metrics"]["mrr"] == 0.0
    oracle = mean_interval([1.0, 0.5], low=0.0, high=1.0)
    assert synthetic["intervals"]["mrr"] == [oracle.low, oracle.high]
    # Nothing was retrieved for "e": judged@10 is 0 of 1 for "c", and undefined for "e".
    assert log["metrics"]["judged_at_10"] == 0.0
    assert "judged_at_10" not in log["intervals"]


def test_what_is_undefined_in_a_source_says_why() -> None:
    (nothing, _) = by_source(score({"a": {"d": 1}, "e": {"d": 1}}, RUN), QUERIES).values()
    assert nothing["metrics"]["judged_at_10"] is None
    assert nothing["reasons"]["judged_at_10"] == "nothing_retrieved"


def test_one_source_needs_no_breakdown() -> None:
    assert by_source(score({"a": {"d": 1}, "b": {"d": 1}}, RUN), QUERIES) == {}


def test_a_result_keeps_it_and_one_of_a_single_source_says_nothing(
    builtins_task: Task, tmp_path: Path
) -> None:
    plain = evaluate(builtins_task, BM25Retriever())
    assert "by_source" not in plain.as_json()
    first, *others = builtins_task.queries
    judged = replace(builtins_task, queries=[replace(first, source="synthetic"), *others])
    assert first.query_id in judged.qrels
    result = evaluate(judged, BM25Retriever())
    assert result.as_json()["by_source"]["synthetic"]["n_queries"] == 1
    assert read_result(write_result(result, tmp_path)) == result
    # A result that was written before the sources were told gets them when it is used again.
    again = with_sources(replace(result, by_source={}), judged.queries)
    assert again.by_source == result.by_source
    written = write_result(replace(result, by_source={}), tmp_path)
    assert "by_source" not in json.loads(written.read_bytes())["goldsmith"]
    assert read_result(written).by_source == {}


def test_a_task_says_how_many_queries_a_model_wrote_and_graded_alone() -> None:
    typed, written = Query("c", "c", source="log"), Query("a", "a", source="synthetic")
    alone = replace(written, validated=False)
    assert written_by_models([typed]) == []
    (said,) = written_by_models([typed, replace(written, validated=True), alone])
    assert said.startswith("2 of 3 queries were written by a language model, and 1 of these rests")
    assert "quote no absolute number" in said
    # One source alone, of which nothing more is known: no grade is said to be the model's.
    (said,) = written_by_models([written, written])
    assert said.startswith("2 of 2 queries were written by a language model: such")
