"""The demo, cut to the model that needs no encoding and to a short log; `make demo` is whole."""

import csv
import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from builder.demo.corpus import build_corpus
from builder.demo.premises import NAME, claim
from builder.demo.recipe import POOL_BUDGET, SAMPLE, TASK, run_demo, write_lines
from builder.errors import WorkspaceError
from builder.importers import import_corpus
from builder.jobs import read_job, start_job
from builder.settings import read_settings
from builder.store.judgments import count_judgments
from builder.store.pool import count_pairs
from builder.workspace import init_workspace, open_workspace
from evals.taskfolder import read_task
from terminal.output import print_demo

CUT: dict[str, Any] = {"searches": 500, "models": ["bm25"]}

COUNTS = ("documents", "queries", "judgments", "dropped", "report", "agreement")
STEPS = ("simulating", "keeping the sample", "searching", "bm25 on", "computing")
"""At which the demo is killed: before log, queries, pairs, results, and at the end."""

CHECKOUT = Path(__file__).parents[3]
RUN_AND_TELL = """
import sys
from pathlib import Path
from builder.demo.recipe import run_demo

def tell(what, done, total):
    print(what, flush=True)
    if what.startswith(sys.argv[2]):
        sys.stdin.read()  # until the end comes

run_demo(Path(sys.argv[1]), tell, searches=500, models=["bm25"])
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("demo") / "workspace"


@pytest.fixture(scope="module")
def made(folder: Path) -> dict[str, Any]:
    return run_demo(folder, **CUT)


@pytest.fixture(scope="module")
def again(folder: Path, made: dict[str, Any]) -> dict[str, Any]:
    assert made
    return run_demo(folder, **CUT)


def sample_rows(name: str) -> list[dict[str, str]]:
    with (SAMPLE / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def test_everything_of_the_sample_is_in_the_workspace(made: dict[str, Any]) -> None:
    assert 3_000 <= made["documents"] <= 4_000
    assert made["queries"] == 96 + made["mine"]["queries"]["new"]
    judgments = sample_rows("judgments.tsv")
    assert made["judgments"] + sum(made["dropped"].values()) == len(judgments)
    assert made["imports"]["queries"]["accepted"] == 96


def test_queries_are_drawn_from_the_log_without_personal_data(made: dict[str, Any]) -> None:
    drawn = made["mine"]["queries"]
    # So short a log has few queries that two sessions searched for.
    assert drawn["seen"] == drawn["eligible"] + sum(drawn["dropped"].values())
    assert drawn["known"] > 20
    assert drawn["new"] > 5
    assert drawn["dropped"]["personal_data"] >= 1
    assert set(made["mine"]["personal_data"]["by_kind"]) <= {
        *("email", "phone", "payment_card", "iban")
    }


def test_pairs_of_new_queries_wait_for_grades(made: dict[str, Any], folder: Path) -> None:
    pooled = made["pool"]
    assert {"bm25", "clicks", "random"} <= set(pooled["by_source"])
    assert pooled["queries"] == made["mine"]["queries"]["new"]
    assert 30 < pooled["pairs_added"] <= POOL_BUDGET
    with open_workspace(folder) as workspace, workspace.store.read() as connection:
        waiting = count_pairs(connection) - count_judgments(connection, 1).judged_pairs
    assert waiting == pooled["pairs_added"]


def test_what_models_show_and_nobody_judged_is_counted(made: dict[str, Any]) -> None:
    (result,) = made["results"]
    assert made["holes"]["unjudged"] > 100
    judged = pytest.approx(result["metrics"]["judged_at_10"])
    assert made["holes"]["judged"] == {"bm25": judged}


def test_the_release_is_a_task_folder(made: dict[str, Any], folder: Path) -> None:
    assert made["task_dir"] == str(folder / "evals" / TASK)
    assert made["release"]["release"] == 1
    task = read_task(made["task_dir"])
    assert len(task.documents) == made["documents"]
    assert len(task.qrels) == len(task.queries) == 96
    assert made["release"]["dropped"]["unjudged"] == made["mine"]["queries"]["new"]
    assert task.warnings == []


def test_the_model_is_measured_on_the_release(made: dict[str, Any]) -> None:
    (result,) = made["results"]
    assert (result["model"], result["task"]) == ("bm25", TASK)
    assert result["n_queries"] == 96
    assert 0.3 < result["metrics"]["ndcg_at_10"] < 0.8
    assert result["reused"] is None


def test_the_log_holds_what_the_model_finds(made: dict[str, Any], folder: Path) -> None:
    assert made["imports"]["events"]["accepted"] == 500
    assert made["report"]["overall"]["searches"] == 500
    assert list(made["report"]["by_model"]) == ["bm25"]
    best: dict[str, list[str]] = {}
    with Path(made["results"][0]["run_file"]).open(encoding="utf-8") as run:
        for query_id, _, doc_id, *_ in csv.reader(run, delimiter="\t"):
            best.setdefault(query_id, []).append(doc_id)
    graded = {query.text.lower(): query.query_id for query in read_task(made["task_dir"]).queries}
    with (folder / "cache" / "demo" / "searches.jsonl").open(encoding="utf-8") as log:
        events = [json.loads(line) for line in log]
    typed = [" ".join(event["query"].lower().split()) for event in events]
    for event, text in zip(events, typed, strict=True):
        if text in graded:
            assert event["retrieved_doc_ids"] == best[graded[text]][:10]
    assert 100 < sum(text in graded for text in typed) < 400
    assert sum(event["query"] not in typed for event in events) > 30


def test_what_is_not_what_it_seems_is_marked(made: dict[str, Any], folder: Path) -> None:
    settings = read_settings(folder / "workspace.toml")
    assert settings.name == NAME
    assert settings.marks.model_dump() == made["marks"]
    assert made["marks"] == {"events": "simulated", "grades": "illustrative"}


def test_the_summary_is_json_without_nan(made: dict[str, Any]) -> None:
    assert json.loads(json.dumps(made, allow_nan=False)) == made


def test_the_summary_is_printed_with_its_marks(
    made: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    print_demo(made)
    printed = capsys.readouterr().out
    assert "queries, 1,367 grades" in printed or "grades were dropped" in printed
    assert f"{made['mine']['queries']['new']} of them new" in printed
    assert f"Pooled for the new queries: {made['pool']['pairs_added']} pairs" in printed
    assert "Agreement (illustrative): Krippendorff's alpha" in printed
    assert "What users clicked (simulated):" in printed
    assert made["task_dir"] in printed
    assert max(map(len, printed.splitlines())) <= 100 + len(made["task_dir"])


def test_the_second_run_adds_nothing(made: dict[str, Any], again: dict[str, Any]) -> None:
    for what in ("queries", "judgments", "events"):
        tally = again["imports"][what]
        assert tally["accepted"] == tally["updated"] == 0
        assert tally["read"] == made["imports"][what]["read"]
    for count in (*COUNTS, "mine", "pool", "holes"):
        assert again[count] == made[count]


def test_the_second_run_reuses_release_and_results(
    made: dict[str, Any], again: dict[str, Any]
) -> None:
    assert again["release"]["release"] == 1
    assert again["release"]["unchanged"]
    assert again["results"][0]["reused"] == "result"
    assert again["results"][0]["metrics"] == made["results"][0]["metrics"]


def test_a_cleared_cache_does_not_make_a_second_log(again: dict[str, Any], folder: Path) -> None:
    (folder / "cache" / "demo" / "searches.jsonl").unlink()
    third = run_demo(folder, searches=700, models=["bm25"])
    assert third["report"] == again["report"]


def test_a_result_without_its_run_is_made_again(again: dict[str, Any], folder: Path) -> None:
    run_file = Path(again["results"][0]["run_file"])
    run_file.unlink()
    (result,) = run_demo(folder, **CUT)["results"]
    assert result["run_file"] == str(run_file)
    assert run_file.exists()
    assert result["metrics"] == again["results"][0]["metrics"]


def test_a_workspace_with_work_of_its_own_is_refused(tmp_path: Path) -> None:
    write_lines(tmp_path / "shop.jsonl", [{"_id": "p1", "text": "A mug."}])
    with init_workspace(tmp_path / "shop") as workspace:
        import_corpus(workspace, tmp_path / "shop.jsonl")
    with pytest.raises(WorkspaceError, match="work of its own"):
        run_demo(tmp_path / "shop", **CUT)
    assert read_settings(tmp_path / "shop" / "workspace.toml").marks.events == ""


def test_grades_on_documents_that_are_not_there_are_dropped_and_counted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rest = [each for each in build_corpus() if not each.doc_id.startswith("json")]
    rows = ({"_id": each.doc_id, "title": each.title, "text": each.text} for each in rest)
    write_lines(tmp_path / "other-python.jsonl", rows)
    with init_workspace(tmp_path / "workspace", NAME) as workspace:
        claim(workspace)
        import_corpus(workspace, tmp_path / "other-python.jsonl")
    made = run_demo(tmp_path / "workspace", **CUT)
    known = {each.doc_id for each in rest}
    absent = [row for row in sample_rows("judgments.tsv") if row["corpus-id"] not in known]
    assert absent
    assert made["documents"] == len(rest)
    assert made["dropped"] == {"unknown_document": len(absent)}
    print_demo(made)
    said = f"  {len(absent)} grades were dropped: this Python lacks their documents"
    assert said in capsys.readouterr().out.splitlines()


def test_a_killed_demo_is_completed_by_the_next(tmp_path: Path, made: dict[str, Any]) -> None:
    folder = tmp_path / "workspace"
    for step in STEPS:
        assert step in kill_at(step, folder)
    completed = run_demo(folder, **CUT)
    assert completed["release"]["release"] == 1
    for count in COUNTS:
        assert completed[count] == made[count]
    assert completed["mine"]["queries"] == made["mine"]["queries"]
    assert completed["pool"]["by_source"] == made["pool"]["by_source"]


def kill_at(step: str, folder: Path) -> str:
    """Starts a demo and kills it when it says that it is at `step`; what it said last."""
    command = [sys.executable, "-c", RUN_AND_TELL, str(folder), step]
    with subprocess.Popen(
        command, cwd=CHECKOUT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as demo:
        assert demo.stdout is not None
        said = ""
        for said in demo.stdout:
            if said.startswith(step):
                break
        demo.kill()
    return said


def test_the_browser_fills_an_empty_workspace_by_a_job(
    tmp_path: Path, made: dict[str, Any]
) -> None:
    with init_workspace(tmp_path / "workspace", NAME) as workspace:
        job_id = start_job(workspace, "demo", "builder.demo.recipe:demo_job", CUT, "demo")
        deadline = time.monotonic() + 120
        while (job := read_job(workspace, job_id)).state in {"queued", "running"}:
            assert time.monotonic() < deadline
            time.sleep(0.2)
        assert job.state == "done", job.message
        assert job.outcome is not None
        assert job.outcome["judgments"] == made["judgments"]
        assert job.outcome["report"] == made["report"]
