import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from builder.evaluation.kept import kept_runs, latest_runs, top_ten
from builder.evaluation.runs import Runs, Searched
from builder.evaluation.touches import top_ten_touches
from builder.workspace import Workspace
from evals.measures import ranked
from evals.records import Document, Query, Run
from evals.retrievers import read_run
from evals.taskfolder import Task
from tests.workspaces import new_workspace

TWELVE = {f"d{n:02}": 1.0 / (n + 1) for n in range(12)}
"""d00 is first, d09 tenth."""


class Searcher:
    """A retriever that has searched already."""

    notes = ()

    def __init__(self, name: str, key: str = "") -> None:
        self.name, self.key = name, key or name

    def search(self, *_: object) -> Run:
        raise AssertionError("it has searched already: its run is kept")


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    with new_workspace(tmp_path / "workspace", "shop") as opened:
        yield opened


def keep(
    workspace: Workspace,
    run: Run,
    model: str,
    *,
    task: str = "shop",
    text: str = "x",
    key: str = "",
) -> Path:
    """Keep a run of the model on a corpus of one text; the later call is the newer file."""
    content = Task(
        task,
        workspace.root,
        "test",
        [Document("d", "", text)],
        [Query(query_id, "words") for query_id in run],
        {query_id: {"d": 1} for query_id in run},
    )
    file = Runs(workspace.runs_folder).keep(run, Searcher(model, key), Searched(content), 1000)
    assert file is not None
    newest = max(path.stat().st_mtime_ns for path in workspace.runs_folder.rglob("*.trec"))
    os.utime(file, ns=(newest + 10**9, newest + 10**9))
    return file


def test_how_many_models_show_a_pair(workspace: Workspace) -> None:
    keep(workspace, {"q1": TWELVE, "q2": {"d00": 1.0}}, "bm25")
    keep(workspace, {"q1": {"d01": 2.0, "d11": 1.0}, "q2": {}}, "e5")
    touches = top_ten_touches(workspace)
    assert touches["q1", "d00"] == 1
    assert touches["q1", "d01"] == 2
    assert touches["q1", "d09"] == 1
    assert ("q1", "d10") not in touches
    assert touches["q1", "d11"] == 1
    assert touches["q2", "d00"] == 1
    assert len(touches) == 12


def test_without_runs_nothing_is_touched(workspace: Workspace) -> None:
    assert top_ten_touches(workspace) == {}


def test_an_older_run_of_the_same_model_says_nothing(workspace: Workspace) -> None:
    keep(workspace, {"q1": {"old": 1.0}}, "bm25", text="before")
    keep(workspace, {"q1": {"new": 1.0}}, "bm25", text="after")
    assert top_ten_touches(workspace) == {("q1", "new"): 1}


def test_a_model_counts_once_over_all_tasks(workspace: Workspace) -> None:
    keep(workspace, {"q1": {"old": 1.0}, "q2": {"d": 1.0}}, "bm25", task="draft")
    keep(workspace, {"q1": {"d": 1.0}}, "bm25", task="shop")
    assert top_ten_touches(workspace) == {("q1", "d"): 1, ("q2", "d"): 1}


def test_two_settings_of_one_model_are_two(workspace: Workspace) -> None:
    for key in ("minilm", "minilm with a prompt"):
        keep(workspace, {"q1": {"d": 1.0}}, "minilm", key=key)
    assert top_ten_touches(workspace) == {("q1", "d"): 2}


def test_a_changed_run_is_read_again(workspace: Workspace) -> None:
    keep(workspace, {"q1": {"one": 1.0}}, "bm25")
    assert top_ten_touches(workspace) == {("q1", "one"): 1}
    keep(workspace, {"q1": {"two": 1.0}}, "bm25")
    assert top_ten_touches(workspace) == {("q1", "two"): 1}


def test_what_is_given_out_is_the_askers(workspace: Workspace) -> None:
    keep(workspace, {"q1": {"one": 1.0}}, "bm25")
    top_ten_touches(workspace).clear()
    assert top_ten_touches(workspace) == {("q1", "one"): 1}


@pytest.mark.parametrize(
    "run",
    [
        pytest.param({"1": {"1": 3.0, "2": 2.0, "3": 1.0}, "2": {"2": 3.0, "1": 2.0}}, id="ones"),
        pytest.param({"q": {}, "r": {"d": 1.0}, "s": {}}, id="queries that found nothing"),
        pytest.param({"q": {}}, id="an empty file"),
        pytest.param({"a b": {"ü #1": 1.0, "d": 1.0}}, id="blanks, letters, a tie"),
        pytest.param({"q": {str(n): float(n % 7) for n in range(40)}}, id="many ties"),
        pytest.param(
            {f"q{n}": {str(n - k): -float(k) for k in range(15)} for n in range(30)}, id="n"
        ),
    ],
)
def test_the_first_ten_are_those_of_the_whole_run(workspace: Workspace, run: Run) -> None:
    file = keep(workspace, run, "bm25")
    (kept,) = kept_runs(workspace.runs_folder)
    whole = read_run(file)[0] if file.stat().st_size else {}
    assert top_ten(kept) == {query: tuple(ranked(found)[:10]) for query, found in whole.items()}


def test_what_is_known_of_kept_runs(workspace: Workspace) -> None:
    first = keep(workspace, {"q1": {"d": 1.0}}, "bm25", text="before")
    second = keep(workspace, {"q1": {"d": 1.0}}, "bm25", text="after")
    other = keep(workspace, {"q1": {"d": 1.0}}, "e5", task="other")
    runs = kept_runs(workspace.runs_folder)
    assert [kept.file for kept in runs] == [other, second, first]
    assert [kept.file for kept in latest_runs(runs)] == [other, second]
    assert [kept.file for kept in kept_runs(workspace.runs_folder, "shop")] == [second, first]
    assert (runs[0].model, runs[0].model_key, runs[0].task) == ("e5", "e5", "other")
    assert runs[1].searched == json.loads(second.with_suffix(".json").read_text())["searched"]


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '{"model": "bm25"}'])
def test_a_run_whose_description_is_broken_is_none(workspace: Workspace, text: str) -> None:
    keep(workspace, {"q1": {"d": 1.0}}, "bm25").with_suffix(".json").write_text(text)
    assert kept_runs(workspace.runs_folder) == []


def test_a_run_whose_rows_are_gone_is_none(workspace: Workspace) -> None:
    keep(workspace, {"q1": {"d": 1.0}}, "bm25").unlink()
    assert top_ten_touches(workspace) == {}
