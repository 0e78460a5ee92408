"""Long work: started once, goes on when the tab or the server closes, and its outcome is kept.

Each job is a process of its own, `python -m builder.jobs WORKSPACE JOB_ID PACKAGE`, in its own
session; it shares nothing with whoever started it but the workspace. What it prints goes into a
log file in `cache/jobs/`. A process that ended without a word is recognised and its job shown as
failed.
"""

import importlib
import json
import os
import re
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple, Protocol, Self

from builder.errors import BuilderError, WorkspaceError
from builder.people import Person, authorize, called
from builder.store import activity
from builder.store import jobs as table
from builder.store.jobs import Job
from builder.store.latest import moment_of_latest
from builder.store.poolings import pooling_stands
from builder.store.releases import all_releases
from builder.workspace import Workspace, open_workspace
from evals.records import EvalsError, Progress
from online.events import OnlineError

__all__ = ["Cancelled", "Job", "cancel_job", "read_job", "recent_jobs", "start_job", "still_holds"]

TICK_SECONDS = 0.2
"""How often a worker may write its progress and looks whether it shall stop."""

HEARTBEAT_SECONDS = 2.0
SILENCE_SECONDS = 60
"""A worker that gave no sign of life for so long is taken for dead even if its pid is in use."""

_TARGET = re.compile(r"([a-z_]+)(\.[a-z_]+)+:[a-z_]+")


class Cancelled(Exception):  # noqa: N818 - it is a request, not an error
    """Somebody asked the job to stop; raised out of its progress callback."""


class JobFunction(Protocol):
    """What a job runs."""

    def __call__(
        self, workspace: Workspace, parameters: Mapping[str, Any], progress: Progress
    ) -> dict[str, Any]:
        """Do the work and return its outcome, as JSON."""


def start_job(  # noqa: PLR0913 - a job is all of that
    workspace: Workspace,
    kind: str,
    target: str,
    parameters: Mapping[str, Any],
    started_by: str,
    package: str = "builder",
    *,
    noted: bool = True,
    environment: Mapping[str, str] | None = None,
) -> int:
    """Start a job in a process of its own; its job_id, or that of the active job of this kind.

    Args:
        workspace: Where it works.
        kind: What is done; a second start of an active kind starts nothing.
        target: "module:function" of the package, f(workspace, parameters, progress) -> dict.
        parameters: JSON; what the function is given.
        started_by: The name of who starts it.
        package: Whose modules may be run. The caller's code says so, never the workspace: its
            table of jobs may come from anywhere.
        noted: Whether the start goes into the log of activity; not of what only fills the cache.
        environment: Variables for the process besides ours, such as a key; they reach it in no
            other way, and are written nowhere. A job that is active already does not get them.

    Raises:
        BuilderError: The target lies outside the package.
    """
    _check_target(target, package)
    _bury_the_dead(workspace)
    with workspace.store.write() as connection:
        for job in table.active_jobs(connection):
            if job.kind == kind:
                return job.job_id
        job_id = table.add_job(connection, kind, target, parameters, started_by)
        if noted:
            activity.note(connection, started_by, "job.start", kind)
    _spawn(workspace, job_id, package, environment or {})
    return job_id


def read_job(workspace: Workspace, job_id: int) -> Job:
    """The job as it stands.

    Raises:
        BuilderError: There is no such job.
    """
    _bury_the_dead(workspace)
    with workspace.store.read() as connection:
        job = table.find_job(connection, job_id)
    if job is None:
        raise BuilderError(f"there is no job {job_id} in this workspace")
    return job


def recent_jobs(workspace: Workspace, limit: int = 20) -> list[Job]:
    """The latest jobs, newest first."""
    _bury_the_dead(workspace)
    with workspace.store.read() as connection:
        return table.latest_jobs(connection, limit)


def cancel_job(workspace: Workspace, job_id: int, actor: Person | None = None) -> None:
    """Ask the job to stop; it does at its next report of progress. Nothing if it has ended.

    Raises:
        NotAllowedError: The actor is no analyst.
    """
    authorize(workspace, actor, "analyst")
    with workspace.store.write() as connection:
        job = table.find_job(connection, job_id)
        if job is not None and job.active and not job.cancel_requested:
            activity.note(connection, called(actor), "job.cancel", job.kind)
        table.request_cancel(connection, job_id)


def still_holds(workspace: Workspace, job: Job) -> bool:
    """Whether what the end of a job says is still so.

    What a job brought holds until a newer release is made or its filling is taken back; why one
    failed holds until anything changes.
    """
    ended = job.finished_at or ""
    with workspace.store.read() as connection:
        if job.state != "done":
            changed = moment_of_latest(connection)
            return changed is None or changed <= ended
        if any(release.created_at > ended for release in all_releases(connection)):
            return False
        number = (job.outcome or {}).get("pooling_id")
        return number is None or pooling_stands(connection, number)


def log_file(workspace: Workspace, job_id: int) -> Path:
    """Where the job's process prints."""
    return workspace.cache_folder / "jobs" / f"{job_id}.log"


def _check_target(target: str, package: str) -> None:
    found = _TARGET.fullmatch(target)
    if found is None or found[1] != package:
        raise BuilderError(
            f'"{target}" is no job of ours', hint=f"a job reads {package}.room:function"
        )


def _spawn(workspace: Workspace, job_id: int, package: str, environment: Mapping[str, str]) -> None:
    log = log_file(workspace, job_id)
    log.parent.mkdir(parents=True, exist_ok=True)
    # -P: the folder in which somebody happens to stand is no place to import from.
    worker = [sys.executable, "-P", "-m", "builder.jobs"]
    try:
        with log.open("ab") as printed:
            process = subprocess.Popen(  # noqa: S603 - our own interpreter and module
                [*worker, str(workspace.root), str(job_id), package],
                stdin=subprocess.DEVNULL,
                stdout=printed,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                env={**_environment(), **environment},
            )
    except OSError as error:
        _fail(workspace, job_id, f"its process could not be started: {error.strerror}")
        return
    # Waited for, so that a dead worker of a living server is no zombie that looks alive.
    threading.Thread(target=process.wait, daemon=True).start()
    with workspace.store.write() as connection:
        table.note_process(connection, job_id, process.pid)


def _environment() -> dict[str, str]:
    """This process's environment, with our own folder first where modules are looked for."""
    home = str(Path(__file__).resolve().parents[1])
    others = os.environ.get("PYTHONPATH")
    return {**os.environ, "PYTHONPATH": f"{home}{os.pathsep}{others}" if others else home}


def _bury_the_dead(workspace: Workspace) -> None:
    """Show active jobs whose process has vanished as failed."""
    with workspace.store.read() as connection:
        active = table.active_jobs(connection)
    for job in active:
        if reason := _death(workspace, job):
            hint = f"What it printed is in {log_file(workspace, job.job_id)}."
            _fail(workspace, job.job_id, reason, hint=hint)


def _death(workspace: Workspace, job: Job) -> str | None:
    """Why the job cannot be alive; None if it may be."""
    if job.pid is not None and not _is_running(job.pid):
        return "Its process ended without a word: it was killed, or the memory was full."
    if time.time() - _last_sign_of_life(workspace, job) > SILENCE_SECONDS:
        return f"Its process gave no sign of life for {SILENCE_SECONDS} s."
    return None


def _last_sign_of_life(workspace: Workspace, job: Job) -> float:
    """Seconds since the epoch."""
    told = datetime.fromisoformat(job.heartbeat_at or job.created_at).timestamp()
    try:
        return max(told, log_file(workspace, job.job_id).stat().st_mtime)
    except FileNotFoundError:
        return told


def _is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _fail(workspace: Workspace, job_id: int, reason: str, hint: str | None = None) -> None:
    ending = _failure(reason, hint=hint)
    with workspace.store.write() as connection:
        table.finish_job(connection, job_id, *ending)


# The worker's side


class _Ending(NamedTuple):
    """How a job ended: its last state, its message, and its outcome."""

    state: str
    message: str
    outcome: Mapping[str, Any] | None = None


_STOPPED = _Ending("cancelled", "stopped on request")


def _failure(message: str, where: str | None = None, hint: str | None = None) -> _Ending:
    return _Ending("failed", message, {"error": {"message": message, "where": where, "hint": hint}})


class _Reporter:
    """Tells the store how far a job is, and the job whether it shall stop; in a thread of its own.

    The work is never kept waiting by what is told of it: `progress` only leaves a note.
    """

    def __init__(self, workspace: Workspace, job_id: int) -> None:
        self._workspace = workspace
        self._job_id = job_id
        self._note: tuple[str, int, int | None] = ("starting", 0, None)
        self._told_at = 0.0
        self._told: tuple[str, int, int | None] | None = None
        self._cancelled = threading.Event()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._report_until_over, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()
        self._report()

    def progress(self, what: str, done: int, total: int | None) -> None:
        """Leave a note of how far the job is.

        Raises:
            Cancelled: Somebody asked the job to stop.
        """
        self._note = (what, done, total)
        if self._cancelled.is_set():
            raise Cancelled

    def _report_until_over(self) -> None:
        while not self._over.wait(TICK_SECONDS):
            # The log's time is a sign of life that needs no lock of the database.
            os.utime(log_file(self._workspace, self._job_id))
            self._report()

    def _report(self) -> None:
        try:
            self._tell()
            self._listen()
        except WorkspaceError as error:
            # Another process writes for long; the work goes on, the next report will be told.
            print(error.message, file=sys.stderr)  # noqa: T201 - into the job's log

    def _tell(self) -> None:
        note = self._note
        if note == self._told and time.monotonic() - self._told_at < HEARTBEAT_SECONDS:
            return
        with self._workspace.store.write() as connection:
            table.note_progress(connection, self._job_id, *note)
        self._told, self._told_at = note, time.monotonic()

    def _listen(self) -> None:
        with self._workspace.store.read() as connection:
            job = table.find_job(connection, self._job_id)
        if job is None or job.cancel_requested:
            self._cancelled.set()


def _work(workspace: Workspace, job_id: int, package: str) -> None:
    """Run the job, if it still waits to be run."""
    with workspace.store.write() as connection:
        claimed = table.claim_job(connection, job_id, os.getpid())
        job = table.find_job(connection, job_id)
    if job is None or not claimed:
        return
    ending = _STOPPED if job.cancel_requested else _reported(workspace, job, package)
    with workspace.store.write() as connection:
        table.finish_job(connection, job_id, *ending)


def _reported(workspace: Workspace, job: Job, package: str) -> _Ending:
    """Run the job and tell of its progress meanwhile."""
    with _Reporter(workspace, job.job_id) as reporter:
        return _run(workspace, job, package, reporter.progress)


def _run(workspace: Workspace, job: Job, package: str, progress: Progress) -> _Ending:
    try:
        outcome = _function(job.target, package)(workspace, job.parameters, progress)
        json.dumps(outcome, allow_nan=False)
    except Cancelled:
        return _STOPPED
    except (BuilderError, EvalsError, OnlineError) as error:
        return _failure(error.message, error.where, error.hint)
    except Exception as error:  # noqa: BLE001 - whatever it is, the job's page must show it
        traceback.print_exc()
        hint = f"This is a mistake in Goldsmith; its trace is in {log_file(workspace, job.job_id)}."
        return _failure(f"{type(error).__name__}: {error}", hint=hint)
    return _Ending("done", "done", outcome)


def _function(target: str, package: str) -> JobFunction:
    _check_target(target, package)
    module, name = target.split(":")
    function: JobFunction = getattr(importlib.import_module(module), name)
    return function


def main(arguments: Sequence[str]) -> int:
    """Run a job of a workspace by a function of the package: WORKSPACE JOB_ID PACKAGE."""
    root, job_id, package = arguments
    with open_workspace(Path(root)) as workspace:
        _work(workspace, int(job_id), package)
    return 0


if __name__ == "__main__":
    # Under its own name, so that the job's code and we mean the same classes.
    from builder.jobs import main as run

    sys.exit(run(sys.argv[1:]))
