"""Result files: mteb opens them, NaN never gets in, nothing is half there."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn

import pytest

from evals.bm25 import BM25Retriever
from evals.evaluate import evaluate
from evals.measures import score
from evals.records import EvalsError
from evals.results import (
    Result,
    find_result,
    leaderboard,
    read_result,
    read_results,
    write_result,
)
from evals.taskfolder import Task


@pytest.fixture
def result(builtins_task: Task) -> Result:
    return evaluate(builtins_task, BM25Retriever())


def refuse_constant(constant: str) -> NoReturn:
    raise AssertionError(constant)


def strict(path: Path) -> Any:
    return json.loads(path.read_bytes(), parse_constant=refuse_constant)


def test_round_trip(result: Result, tmp_path: Path) -> None:
    path = write_result(result, tmp_path)
    assert read_result(path) == result
    assert [path.name for path in tmp_path.rglob("*.part")] == []


def test_mteb_opens_it(result: Result, tmp_path: Path) -> None:
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from mteb.results import TaskResult

        opened = TaskResult.from_disk(write_result(result, tmp_path))
    assert opened.task_name == "builtins"
    assert opened.dataset_revision == result.content_hash
    (scores,) = opened.scores["test"]
    assert scores["main_score"] == scores["ndcg_at_10"] == result.metrics["ndcg_at_10"]
    assert opened.get_score() == pytest.approx(result.metrics["ndcg_at_10"])
    assert opened.date is not None


def test_what_cannot_be_computed_is_null_with_its_reason(result: Result, tmp_path: Path) -> None:
    nothing = replace(result, scores=score({"q": {"d": 1}}, {}))
    written = strict(write_result(nothing, tmp_path))
    assert "judged_at_10" not in written["scores"]["test"][0]
    assert written["goldsmith"]["metrics"]["judged_at_10"] is None
    assert written["goldsmith"]["reasons"]["judged_at_10"] == "nothing_retrieved"
    assert written["goldsmith"]["per_query"]["q"]["judged_at_10"] is None


def test_a_result_is_found_by_content_and_model(result: Result, tmp_path: Path) -> None:
    assert find_result(tmp_path, result.content_hash, result.model_key) is None
    write_result(result, tmp_path)

    def found(**changes: Any) -> Result | None:
        asked = {"content_hash": result.content_hash, "model_key": result.model_key} | changes
        return find_result(tmp_path, **asked)

    assert found() == result
    assert found(k=10) == result
    assert found(content_hash="0" * 64) is None
    assert found(content_hash=result.content_hash[:12] + "0" * 52) is None
    assert found(model_key="another") is None
    assert found(depth=10) is None
    assert found(relevance_level=2) is None
    assert found(k=7) is None


def test_the_same_evaluation_replaces_its_file(result: Result, tmp_path: Path) -> None:
    first = write_result(result, tmp_path)
    later = replace(result, warnings=["later"])
    assert write_result(later, tmp_path) == first
    assert read_results(tmp_path) == [later]


def test_other_options_stand_beside_it(result: Result, tmp_path: Path) -> None:
    others = [replace(result, depth=None), replace(result, content_hash="f" * 64)]
    others += [replace(result, model_key="other"), replace(result, split="dev")]
    for each in (result, *others):
        write_result(each, tmp_path)
    assert len(read_results(tmp_path)) == 5


@pytest.mark.parametrize("name", ["../../evil", "/etc/passwd", "a/b:c*?", "日本", "", "x" * 500])
def test_names_never_leave_the_folder(result: Result, tmp_path: Path, name: str) -> None:
    folder = tmp_path / "results"
    path = write_result(replace(result, task=name, model=name, split="test"), folder)
    assert path.resolve().is_relative_to(folder.resolve())
    assert read_result(path).task == name
    assert [entry.name for entry in tmp_path.iterdir()] == ["results"]


def test_other_json_files_are_no_results(result: Result, tmp_path: Path) -> None:
    write_result(result, tmp_path)
    (tmp_path / "model_meta.json").write_text('{"name": "x"}')
    (tmp_path / "list.json").write_text("[1]")
    assert read_results(tmp_path) == [result]
    with pytest.raises(EvalsError, match="no result of Goldsmith"):
        read_result(tmp_path / "list.json")


def test_a_broken_file_is_named(result: Result, tmp_path: Path) -> None:
    path = write_result(result, tmp_path)
    whole = path.read_text(encoding="utf-8")
    path.write_text(whole[:100], encoding="utf-8")
    with pytest.raises(EvalsError, match="not a result file") as raised:
        read_results(tmp_path)
    assert raised.value.where == str(path)
    path.write_text(whole.replace('"means"', '"moans"'), encoding="utf-8")
    with pytest.raises(EvalsError, match="another format"):
        read_results(tmp_path)


def test_no_results_yet(tmp_path: Path) -> None:
    assert read_results(tmp_path / "nowhere") == []
    table = leaderboard([])
    assert len(table) == 0
    assert "ndcg_at_10" in table.columns


def test_leaderboard(result: Result, builtins_task: Task) -> None:
    worse = replace(result, model="nothing", model_key="x", scores=score(builtins_task.qrels, {}))
    table = leaderboard([worse, result])
    assert table["model"].tolist() == ["bm25", "nothing"]
    assert table["ndcg_at_10"].tolist() == [result.metrics["ndcg_at_10"], 0.0]
    assert table["n_queries"].tolist() == [8, 8]
    assert table["low"][0] < table["ndcg_at_10"][0] < table["high"][0]
    assert table["judged_at_10"].isna().tolist() == [False, True]
