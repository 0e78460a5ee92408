import pytest

from builder.crosscheck import cost_job, cost_view, evaluated_tasks, keeping
from builder.errors import TaskNotFoundError
from builder.export import export_task
from builder.store import activity
from builder.store.latest import latest_changes
from builder.workspace import Workspace
from tests.builder.crosscheck.conftest import TASK, grade, keep, release


def made_at(workspace: Workspace) -> str:
    view = cost_view(workspace, TASK)
    assert view.is_fresh
    assert view.made_at is not None
    return view.made_at


def test_it_is_computed_once(disputed: Workspace) -> None:
    first = cost_view(disputed, TASK)
    assert first.cost is not None
    assert first.cost["reason"] is None
    assert cost_view(disputed, TASK) == first


@pytest.mark.parametrize("change", ["grade", "run", "release", "corrected grade"])
def test_a_change_makes_it_stale(disputed: Workspace, change: str) -> None:
    before = made_at(disputed)
    match change:
        case "grade":
            grade(disputed, "ann", {"d6": 0})
        case "corrected grade":
            grade(disputed, "ann", {"d1": 2})
        case "run":
            keep(disputed, "four", ("d1",))
        case "release":
            export_task(disputed, "shop", rule="mean")
    assert made_at(disputed) > before


def test_what_changes_nothing(disputed: Workspace) -> None:
    with disputed.store.write() as connection:
        before = latest_changes(connection)
        activity.note(connection, "ann", "job.start", "evaluation")
        activity.note(connection, "app", "backup.daily")
        assert latest_changes(connection) == before
        activity.note(connection, "ann", "query.edit", "q1")
        assert latest_changes(connection) != before


def test_in_a_large_workspace_a_job_computes_it(
    disputed: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keeping, "INLINE_DOCUMENTS", 1)
    view = cost_view(disputed, TASK)
    assert (view.cost, view.made_at, view.is_fresh) == (None, None, False)
    told: list[str] = []
    outcome = cost_job(disputed, {"task": TASK}, lambda what, *_: told.append(what))
    fresh = cost_view(disputed, TASK)
    assert fresh.cost is not None
    assert fresh.is_fresh
    assert outcome == {"task": TASK, "sentence": fresh.cost["sentence"]}
    assert "comparing raters" in told
    grade(disputed, "ann", {"d6": 0})
    stale = cost_view(disputed, TASK)
    assert (stale.cost, stale.is_fresh) == (fresh.cost, False)


def test_a_broken_file_is_made_anew(disputed: Workspace) -> None:
    cost_view(disputed, TASK)
    (file,) = (disputed.cache_folder / "disagreement").iterdir()
    file.write_text('{"made_of": 1}')
    assert cost_view(disputed, TASK).cost is not None


def test_tasks_with_runs_the_newest_first(disputed: Workspace) -> None:
    assert evaluated_tasks(disputed) == [TASK]
    keep(disputed, "one", ("d1",), task="draft")
    assert evaluated_tasks(disputed) == ["draft", TASK]
    keep(disputed, "one", ("d1",), task=f"{TASK}@1")
    assert evaluated_tasks(disputed) == [f"{TASK}@1", "draft", TASK]
    (disputed.runs_folder / "gone").mkdir()
    assert len(evaluated_tasks(disputed)) == 3


def test_no_task_without_runs(workspace: Workspace) -> None:
    grade(workspace, "ann", {"d1": 1})
    release(workspace)
    assert evaluated_tasks(workspace) == []
    with pytest.raises(TaskNotFoundError):
        cost_view(workspace, "custom/absent")
