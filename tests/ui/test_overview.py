"""The row of steps: what the numbers of grades mean, in one word each."""

from dataclasses import replace
from pathlib import Path
from uuid import uuid4

import pytest

from builder.evaluation import contests, evaluate_models, score_runs
from builder.evaluation.holes import pool_holes
from builder.export import export_task
from builder.judging.queue import next_pair, submit_grade
from builder.people import ensure_person
from builder.store.documents import insert_documents
from builder.workspace import SETTINGS_FILE, Workspace, init_workspace, open_workspace
from evals.records import Document
from tests.online.logs import lake_of
from ui.overview import Step, closed_in_words, is_empty, next_round, next_step
from ui.overview_steps import steps_of


def grades_step(workspace: Workspace) -> str:
    step = step_called(workspace, "Grades")
    return f"{step.count} {step.state}"


def step_called(workspace: Workspace, name: str) -> Step:
    (step,) = (step for step in steps_of(workspace) if step.name == name)
    return step


@pytest.mark.parametrize(
    ("replaced", "by", "told"),
    [
        ("", "", "6 of 6 pairs graded, 1 complete (2 grades each)"),
        ("overlap_share = 1.0", "overlap_share = 0.0", "6 of 6 pairs graded, 2 complete"),
        ("raters_per_pair = 2", "raters_per_pair = 1", "6 of 6 pairs graded"),
    ],
)
def test_graded_is_not_complete(
    filled_workspace: Workspace, replaced: str, by: str, told: str
) -> None:
    pairs = [next_pair(filled_workspace, "Dana")]
    ensure_person(filled_workspace, "Ben")
    for rater in ("Dana", "Ben"):
        assert pairs[0] is not None
        submit_grade(filled_workspace, rater, pairs[0].pair_id, 1, token=uuid4().hex)
    other = next_pair(filled_workspace, "Dana")
    assert other is not None
    submit_grade(filled_workspace, "Dana", other.pair_id, 1, token=uuid4().hex)
    settings = filled_workspace.root / SETTINGS_FILE
    text = settings.read_text("utf-8")
    assert replaced in text
    settings.write_text(text.replace(replaced, by), "utf-8")
    with open_workspace(filled_workspace.root) as opened:
        assert grades_step(opened) == told


def test_the_best_is_named_of_one_release_only(filled_workspace: Workspace) -> None:
    export_task(filled_workspace, "shop")
    worst = filled_workspace.root / "worst.trec"
    worst.write_text("q0 Q0 d0 1 1 worst\nq1 Q0 d5 1 1 worst\n", "utf-8")
    evaluate_models(filled_workspace, ["bm25"], ["custom/shop"])
    score_runs(filled_workspace, worst, ["custom/shop"])
    step = step_called(filled_workspace, "Models")
    assert (step.count, step.action, step.done) == ("2", "Leaderboard", True)
    assert "best on <bdi>shop@1</bdi>: <bdi>bm25</bdi>" in step.state
    assert "n = 2 queries" in step.state

    with filled_workspace.store.write() as connection:
        insert_documents(connection, [Document("new", "", "file")])
    export_task(filled_workspace, "shop")
    steps = steps_of(filled_workspace)
    step = step_called(filled_workspace, "Models")
    assert (step.count, step.action, next_step(steps)) == ("0", "Evaluate", step)
    assert step.state.startswith("none evaluated on <bdi>shop@2</bdi> yet<br>best on <bdi>shop@1<")

    score_runs(filled_workspace, worst, ["custom/shop"])
    step = step_called(filled_workspace, "Models")
    assert (step.count, step.action, step.done) == ("1", "Evaluate again", True)
    assert "only on <bdi>shop@2</bdi>: <bdi>worst</bdi>" in step.state
    assert step.state.endswith("1 more not evaluated on it yet")
    assert "bm25" not in step.state


def test_a_workspace_with_nothing_but_events_is_not_empty(tmp_path: Path) -> None:
    with init_workspace(tmp_path / "log", "log") as workspace:
        assert is_empty(steps_of(workspace))
        assert step_called(workspace, "Search log").asked == {"what": "Search events"}
        lake_of(workspace.root, [{"timestamp": "2026-11-05T12:00:00Z"}])
        steps = steps_of(workspace)
        assert not is_empty(steps)
        assert [step.name for step in steps] == [
            *("Corpus", "Search log", "Generated", "Queries", "Pool", "Grades"),
            *("Release", "Models", "Holes"),
        ]
        # Queries come out of the log, but a corpus comes first.
        assert next_step(steps) is steps[0]
        assert (steps[1].action, steps[3].action) == ("Draw queries", "Draw queries")


def test_a_log_is_never_insisted_on(filled_workspace: Workspace, tmp_path: Path) -> None:
    with init_workspace(tmp_path / "no-log", "no log") as workspace:
        steps = steps_of(workspace)
        assert not steps[1].done
        assert next_step([replace(step, done=True) for step in steps if not step.optional]) is None
        assert next_step([steps[1]]) is None
    assert step_called(filled_workspace, "Queries").state == "queries, 0 from the log"


def test_the_loop_is_closed_and_goes_round_again(filled_workspace: Workspace) -> None:
    export_task(filled_workspace, "shop")
    evaluate_models(filled_workspace, ["bm25"], ["custom/shop"])
    steps = steps_of(filled_workspace)
    # bm25 finds all six documents for both queries; three of each are graded.
    holes = steps[-1]
    assert (holes.name, holes.count, holes.action) == ("Holes", "6", "Have them judged")
    assert "judged@10: <bdi>bm25</bdi> 0.500" in holes.state
    assert next_step(steps) is None
    assert next_round(steps) is holes
    assert closed_in_words(steps).endswith("6 documents in the models' top 10 are unjudged.")

    pool_holes(filled_workspace, limit=4)
    steps = steps_of(filled_workspace)
    assert "6 of them" not in steps[-1].state
    assert "4 of them in the queue" in steps[-1].state
    assert next_round(steps) is steps[5]
    assert closed_in_words(steps).endswith("4 pairs wait for grades.")
    assert "10 without" not in steps[4].state
    assert "holes of an evaluation</bdi> 4" in steps[4].state


def test_a_broken_task_folder_takes_no_other_step_down(filled_workspace: Workspace) -> None:
    export_task(filled_workspace, "shop")
    evaluate_models(filled_workspace, ["bm25"], ["custom/shop"])
    before = contests(filled_workspace)
    frozen = filled_workspace.evals_folder / ".releases" / "shop" / "1"
    (frozen / "queries.jsonl").write_text("broken", "utf-8")
    assert [contest.name for contest in contests(filled_workspace)] == [before[0].name]
    steps = steps_of(filled_workspace)
    assert (steps[7].count, steps[8].count, steps[8].done) == ("1", "\u2013", False)
    assert steps[8].state.startswith("cannot be counted")
    assert next_step(steps) is None


def test_where_all_is_judged_nothing_waits() -> None:
    step = Step("Pool", "1", "", "pool", "Pool pairs", done=True)
    assert "nothing waits" in closed_in_words([step])
