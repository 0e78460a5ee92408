"""Jobs in the store: what was started, how far it is, and what came of it."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, Update, insert, select, update

from builder.store.moments import now_text
from builder.store.schema import jobs

ACTIVE = ("queued", "running")


@dataclass(frozen=True, slots=True)
class Job:
    """One long piece of work.

    Attributes:
        job_id: The store's key.
        kind: What is done; of each kind one job is active at a time.
        target: module:function that does it.
        parameters: What the function is given.
        state: queued, running, done, failed or cancelled.
        message: What it is doing, or why it failed.
        done: How much of it is done.
        total: Of how much; None while unknown.
        cancel_requested: Whether somebody asked to stop it.
        pid: The process that does it; None before it started.
        outcome: What the function returned; for a failed job {"error": {"message", "where",
            "hint"}}; else None.
        started_by: Who started it.
        created_at: When it was started, ISO 8601 in UTC.
        heartbeat_at: When its process last gave a sign of life; None before the first.
        finished_at: When it ended; None while it is active.
    """

    job_id: int
    kind: str
    target: str
    parameters: Mapping[str, Any]
    state: str
    message: str
    done: int
    total: int | None
    cancel_requested: bool
    pid: int | None
    outcome: Mapping[str, Any] | None
    started_by: str
    created_at: str
    heartbeat_at: str | None
    finished_at: str | None

    @property
    def active(self) -> bool:
        """Whether it waits or runs."""
        return self.state in ACTIVE


def add_job(
    connection: Connection, kind: str, target: str, parameters: Mapping[str, Any], started_by: str
) -> int:
    """Queue a job of a kind of which none is active; its job_id.

    Raises:
        sqlalchemy.exc.IntegrityError: A job of this kind is active.
        TypeError: The parameters are no JSON.
    """
    row = {
        "kind": kind,
        "target": target,
        "parameters": json.dumps(dict(parameters), ensure_ascii=False),
        "active_key": kind,
        "state": "queued",
        "message": "waiting to start",
        "started_by": started_by,
        "created_at": now_text(),
    }
    added = insert(jobs).returning(jobs.c.job_id)
    return int(connection.execute(added, row).scalar_one())


def find_job(connection: Connection, job_id: int) -> Job | None:
    """The job, or None."""
    row = connection.execute(select(jobs).where(jobs.c.job_id == job_id)).one_or_none()
    return None if row is None else _job(row)


def active_jobs(connection: Connection) -> list[Job]:
    """The jobs that wait or run, oldest first."""
    chosen = select(jobs).where(jobs.c.active_key.is_not(None)).order_by(jobs.c.job_id)
    return [_job(row) for row in connection.execute(chosen)]


def latest_jobs(connection: Connection, limit: int) -> list[Job]:
    """The latest jobs, newest first."""
    chosen = select(jobs).order_by(jobs.c.job_id.desc()).limit(limit)
    return [_job(row) for row in connection.execute(chosen)]


def claim_job(connection: Connection, job_id: int, pid: int) -> bool:
    """Let the process `pid` run the job; False if it does not wait to be run (any more)."""
    moment = now_text()
    claimed = _change(job_id, "queued").values(
        state="running", message="starting", pid=pid, heartbeat_at=moment
    )
    return connection.execute(claimed).rowcount == 1


def note_process(connection: Connection, job_id: int, pid: int) -> None:
    """Note which process was started for a job that waits."""
    connection.execute(_change(job_id, "queued").values(pid=pid))


def note_progress(
    connection: Connection, job_id: int, message: str, done: int, total: int | None
) -> None:
    """Note how far a running job is, which is a sign of life."""
    noted = _change(job_id, "running")
    noted = noted.values(message=message, done=done, total=total, heartbeat_at=now_text())
    connection.execute(noted)


def request_cancel(connection: Connection, job_id: int) -> None:
    """Ask an active job to stop."""
    asked = _change(job_id, *ACTIVE)
    connection.execute(asked.values(cancel_requested=1))


def finish_job(
    connection: Connection,
    job_id: int,
    state: str,
    message: str,
    outcome: Mapping[str, Any] | None = None,
) -> None:
    """Note how an active job ended; one that has ended already stays as it is.

    Raises:
        TypeError: The outcome is no JSON.
        ValueError: The outcome holds NaN or an infinity.
    """
    told = None
    if outcome is not None:
        told = json.dumps(dict(outcome), ensure_ascii=False, allow_nan=False)
    ended = _change(job_id, *ACTIVE).values(
        state=state, message=message, outcome=told, active_key=None, finished_at=now_text()
    )
    connection.execute(ended)


def _change(job_id: int, *states: str) -> Update:
    return update(jobs).where(jobs.c.job_id == job_id, jobs.c.state.in_(states))


def _job(row: Row[Any]) -> Job:
    return Job(
        job_id=row.job_id,
        kind=row.kind,
        target=row.target,
        parameters=json.loads(row.parameters),
        state=row.state,
        message=row.message,
        done=row.done,
        total=row.total,
        cancel_requested=bool(row.cancel_requested),
        pid=row.pid,
        outcome=None if row.outcome is None else json.loads(row.outcome),
        started_by=row.started_by,
        created_at=row.created_at,
        heartbeat_at=row.heartbeat_at,
        finished_at=row.finished_at,
    )
