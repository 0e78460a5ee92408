import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from builder.activity import Wanted, read_activity
from builder.errors import BuilderError, NotAllowedError
from builder.jobs import Job, cancel_job, log_file, main, read_job, recent_jobs, start_job
from builder.people import ensure_person
from builder.store import jobs as table
from builder.workspace import Workspace
from tests.workspaces import new_workspace

REHEARSE = "tests.builder.rehearsal:rehearse"
PATIENCE_SECONDS = 30


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    with new_workspace(tmp_path / "workspace", "shop") as opened:
        yield opened


def start(workspace: Workspace, kind: str = "rehearsal", **parameters: Any) -> int:
    return start_job(workspace, kind, REHEARSE, parameters, "ann", package="tests")


def wait(workspace: Workspace, job_id: int, until: Callable[[Job], bool]) -> Job:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < deadline:
        job = read_job(workspace, job_id)
        if until(job):
            return job
        time.sleep(0.05)
    log = log_file(workspace, job_id).read_text("utf-8")
    raise TimeoutError(f"{read_job(workspace, job_id)} {log}")


def wait_to_end(workspace: Workspace, job_id: int) -> Job:
    return wait(workspace, job_id, lambda job: not job.active)


def wait_to_count(workspace: Workspace, job_id: int) -> Job:
    return wait(workspace, job_id, lambda job: job.state == "running" and job.done > 0)


def test_a_job_runs_in_a_process_of_its_own_and_its_outcome_is_kept(workspace: Workspace) -> None:
    job = wait_to_end(workspace, start(workspace, steps=3))
    assert job.state == "done"
    assert job.outcome == {"steps": 3, "workspace": "shop"}
    assert (job.message, job.done, job.total) == ("done", 3, 3)
    assert job.started_by == "ann"
    assert job.pid not in (None, os.getpid())
    assert job.finished_at is not None


def test_progress_is_seen_and_a_running_job_stops_on_request(workspace: Workspace) -> None:
    job_id = start(workspace, steps=10_000, seconds_a_step=0.01)
    running = wait_to_count(workspace, job_id)
    assert (running.message, running.total) == ("counting", 10_000)
    cancel_job(workspace, job_id)
    job = wait_to_end(workspace, job_id)
    assert (job.state, job.message, job.outcome) == ("cancelled", "stopped on request", None)
    assert job.done < 10_000


def test_an_analyst_stops_a_job_and_both_deeds_are_in_the_log(workspace: Workspace) -> None:
    ensure_person(workspace, "boss")
    rater = ensure_person(workspace, "ravi")
    job_id = start(workspace, steps=10_000, seconds_a_step=0.01)
    with pytest.raises(NotAllowedError, match="analyst"):
        cancel_job(workspace, job_id, rater)
    assert not read_job(workspace, job_id).cancel_requested
    boss = ensure_person(workspace, "boss")
    cancel_job(workspace, job_id, boss)
    cancel_job(workspace, job_id, boss)
    wait_to_end(workspace, job_id)
    deeds = [
        (entry.actor, entry.action, entry.subject)
        for entry in read_activity(workspace, Wanted(kind="job")).entries
    ]
    assert deeds == [("boss", "job.cancel", "rehearsal"), ("ann", "job.start", "rehearsal")]


def test_a_second_start_returns_the_active_job(workspace: Workspace) -> None:
    first = start(workspace, steps=10_000, seconds_a_step=0.01)
    assert start(workspace, steps=1) == first
    other = start(workspace, kind="other", steps=1)
    assert other != first
    assert wait_to_end(workspace, other).state == "done"
    cancel_job(workspace, first)
    wait_to_end(workspace, first)
    again = start(workspace, steps=1)
    assert again not in (first, other)
    assert wait_to_end(workspace, again).state == "done"
    assert [job.job_id for job in recent_jobs(workspace, limit=2)] == [again, other]


def test_a_clear_error_keeps_message_place_and_hint(workspace: Workspace) -> None:
    job = wait_to_end(workspace, start(workspace, steps=1, fail="clearly"))
    assert (job.state, job.message) == ("failed", "the rehearsal failed")
    assert job.outcome == {
        "error": {
            "message": "the rehearsal failed",
            "where": "step 7",
            "hint": "ask for no failure",
        }
    }


def test_an_unexpected_error_keeps_its_type_and_names_the_log(workspace: Workspace) -> None:
    job = wait_to_end(workspace, start(workspace, steps=1, fail="unexpectedly"))
    assert (job.state, job.message) == ("failed", "ZeroDivisionError: nobody expected this")
    assert job.outcome is not None
    log = log_file(workspace, job.job_id)
    assert str(log) in job.outcome["error"]["hint"]
    assert "Traceback" in log.read_text("utf-8")


def test_a_killed_worker_is_shown_as_failed(workspace: Workspace) -> None:
    job_id = start(workspace, steps=10_000, seconds_a_step=0.01)
    pid = wait_to_count(workspace, job_id).pid
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    job = wait_to_end(workspace, job_id)
    assert job.state == "failed"
    assert "without a word" in job.message
    assert wait_to_end(workspace, start(workspace, steps=1)).state == "done"


def test_a_worker_that_fell_silent_is_shown_as_failed(workspace: Workspace) -> None:
    # Never started: whoever queued it was killed before it could start the process.
    with workspace.store.write() as connection:
        job_id = table.add_job(connection, "rehearsal", REHEARSE, {}, "ann")
        connection.exec_driver_sql(
            "UPDATE jobs SET created_at = '2025-01-01T00:00:00.000000+00:00'"
        )
    job = read_job(workspace, job_id)
    assert job.state == "failed"
    assert "no sign of life" in job.message


def test_a_job_outlives_the_process_that_started_it(workspace: Workspace) -> None:
    starter = (
        "import sys; from pathlib import Path; from builder.workspace import open_workspace;"
        "from builder.jobs import start_job\n"
        "with open_workspace(Path(sys.argv[1])) as workspace:\n"
        "    print(start_job(workspace, 'rehearsal', 'tests.builder.rehearsal:rehearse',"
        " {'steps': 40, 'seconds_a_step': 0.05}, 'ann', 'tests'), flush=True)\n"
        "    sys.stdin.read()\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", starter, str(workspace.root)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        assert process.stdout is not None
        job_id = int(process.stdout.readline())
        wait_to_count(workspace, job_id)
        os.killpg(process.pid, signal.SIGKILL)
    job = wait_to_end(workspace, job_id)
    assert (job.state, job.done) == ("done", 40)


def test_a_job_that_was_stopped_before_it_began_does_not_run(workspace: Workspace) -> None:
    job_id = start(workspace, steps=10_000, seconds_a_step=0.01)
    cancel_job(workspace, job_id)
    assert wait_to_end(workspace, job_id).state == "cancelled"


def test_stopping_what_has_ended_changes_nothing(workspace: Workspace) -> None:
    job = wait_to_end(workspace, start(workspace, steps=1))
    cancel_job(workspace, job.job_id)
    assert read_job(workspace, job.job_id) == job


NOT_OURS = ["os:system", "os.path:join", "builder:x", "builder.jobs", "builderx.y:z"]
NOT_OURS += ["builder.a:b:c", REHEARSE, ""]


@pytest.mark.parametrize("target", NOT_OURS)
def test_only_our_own_code_is_run(workspace: Workspace, target: str) -> None:
    with pytest.raises(BuilderError, match="no job of ours"):
        start_job(workspace, "x", target, {}, "ann")
    assert recent_jobs(workspace) == []


@pytest.mark.parametrize("target", NOT_OURS)
def test_a_workspace_from_elsewhere_cannot_name_other_code(
    workspace: Workspace, target: str
) -> None:
    with workspace.store.write() as connection:
        job_id = table.add_job(connection, "x", target, {"steps": 1}, "ann")
    log_file(workspace, job_id).parent.mkdir(parents=True, exist_ok=True)
    log_file(workspace, job_id).touch()
    main([str(workspace.root), str(job_id), "builder"])
    job = read_job(workspace, job_id)
    assert (job.state, job.message) == ("failed", f'"{target}" is no job of ours')


def test_an_unknown_job_is_said_to_be_unknown(workspace: Workspace) -> None:
    with pytest.raises(BuilderError, match="no job 7"):
        read_job(workspace, 7)
