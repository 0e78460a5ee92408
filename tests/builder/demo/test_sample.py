"""What lies in data/sample: as much as promised, and of the form that it should have."""

import csv
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from evals.evaluate import evaluate
from evals.retrievers import retriever
from evals.taskfolder import read_task, write_task

SAMPLE = Path(__file__).parents[3] / "data" / "sample"
EXAMPLE = SAMPLE / "evals" / "example"


@pytest.fixture(scope="module")
def judgments() -> list[dict[str, str]]:
    with (SAMPLE / "judgments.tsv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def queries() -> Iterator[dict[str, str]]:
    with (SAMPLE / "queries.jsonl").open(encoding="utf-8") as file:
        yield from map(json.loads, file)


def test_each_query_has_a_need_and_tags() -> None:
    assert len(list(queries())) >= 80
    assert len({query["_id"] for query in queries()}) == len(list(queries()))
    for query in queries():
        assert query["text"].strip()
        assert query["need"].strip()
        assert query["tags"]


def test_as_many_pairs_as_promised(judgments: list[dict[str, str]]) -> None:
    raters = Counter((row["query-id"], row["corpus-id"]) for row in judgments)
    assert len(raters) >= 800
    assert sum(n >= 2 for n in raters.values()) >= 250
    assert len({(row["query-id"], row["corpus-id"], row["rater"]) for row in judgments}) == len(
        judgments
    )


def test_every_query_is_judged_and_has_a_relevant_document(
    judgments: list[dict[str, str]],
) -> None:
    best: dict[str, int] = {}
    for row in judgments:
        assert row["grade"] in "0123"
        best[row["query-id"]] = max(best.get(row["query-id"], 0), int(row["grade"]))
    assert set(best) == {query["_id"] for query in queries()}
    assert min(best.values()) >= 2


def test_the_example_is_read_and_bm25_finds_its_answer() -> None:
    task = read_task(EXAMPLE)
    assert task.name == "example"
    assert task.qrels == {"q1": {"d1": 3, "d2": 0}}
    assert task.warnings == []
    result = evaluate(task, retriever("bm25"))
    # One relevant document, found first: DCG = ideal DCG = 3 / log2(2).
    assert result.metrics["ndcg_at_10"] == pytest.approx(1.0)
    assert result.metrics["judged_at_10"] == pytest.approx(1.0)


def test_the_example_is_what_write_task_writes(tmp_path: Path) -> None:
    task = read_task(EXAMPLE)
    card = (EXAMPLE / "README.md").read_text("utf-8").split("---\n\n", 1)[1]
    write_task(
        tmp_path,
        documents=task.documents,
        queries=task.queries,
        qrels={"test": task.qrels},
        card=card,
    )
    written = sorted(path.relative_to(tmp_path) for path in tmp_path.rglob("*") if path.is_file())
    assert written == sorted(
        path.relative_to(EXAMPLE) for path in EXAMPLE.rglob("*") if path.is_file()
    )
    for path in written:
        assert (tmp_path / path).read_bytes() == (EXAMPLE / path).read_bytes()
