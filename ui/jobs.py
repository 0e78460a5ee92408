"""Long work as the page shows it: how far it is, a way to stop it, and what came of it."""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

import streamlit as st

from builder.jobs import Job, cancel_job, read_job, recent_jobs, start_job, still_holds
from builder.people import Person, authorize
from builder.workspace import Workspace
from ui.frame import errors_shown, in_callback, muted, note, sentence
from ui.import_words import on_the_page, place_on_the_page
from ui.numbers import count
from ui.sign_in import person_signed_in

Outcome = Mapping[str, Any]
_VISIT, _SEEN = "visit", "ended_jobs_seen"


def start(  # noqa: PLR0913 - a job is all of that
    workspace: Workspace,
    person: Person,
    kind: str,
    target: str,
    parameters: Mapping[str, Any],
    *,
    noted: bool = True,
    environment: Mapping[str, str] | None = None,
) -> None:
    """Start a job that takes an analyst; if one of this kind is at work, that one goes on.

    Args:
        workspace: Where it works.
        person: Who starts it.
        kind: What is done.
        target: The function that does it, as `builder.jobs.start_job` has it.
        parameters: What the function is given; kept with the job.
        noted: Whether the start goes into the log of activity; not of what only counts.
        environment: What its process finds in its environment besides, such as a key; kept nowhere.

    Raises:
        NotAllowedError: The person is no analyst.
    """
    authorize(workspace, person, "analyst")
    start_job(
        workspace, kind, target, parameters, person.name, noted=noted, environment=environment
    )


def latest_job(workspace: Workspace, *kinds: str) -> Job | None:
    """The newest job of these kinds, or None."""
    jobs = recent_jobs(workspace, limit=50)
    return next((job for job in jobs if job.kind in kinds), None)


def follow(
    workspace: Workspace,
    *kinds: str,
    show: Callable[[Job, Outcome], None] | None = None,
    beside: Callable[[], None] | None = None,
    keep: bool = True,
    fades: bool = False,
) -> bool:
    """Show the newest job of these kinds; whether it is still at work.

    While it works the page asks once a second; when it ends the whole page is drawn anew.

    Args:
        workspace: Where it runs.
        kinds: Kinds of jobs that this page starts.
        show: Draws the outcome of a job that is done.
        beside: Draws what else there is to see of a job at work, again at each look.
        keep: Whether a job that is done stays on the page; one that failed always does.
        fades: Whether its end is shown only while that still holds, and not on the next visit.
    """
    job = latest_job(workspace, *kinds)
    if job is None:
        return False
    if job.active:
        _watch(workspace, job.job_id, person_signed_in(workspace), beside)
    elif fades and not (_is_first_visit(job) and still_holds(workspace, job)):
        pass
    elif keep or job.state != "done":
        _show_end(workspace, job, show)
    return job.active


def note_visit(page: str) -> None:
    """Note that the session draws this page: coming from another one is a new visit."""
    known, visit = st.session_state.get(_VISIT, ("", 0))
    st.session_state[_VISIT] = (page, visit + (page != known))


def _is_first_visit(job: Job) -> bool:
    """Whether the session sees the end of this job for the first time, or on that visit still."""
    visit: int = st.session_state.get(_VISIT, ("", 0))[1]
    seen: dict[int, int] = st.session_state.setdefault(_SEEN, {})
    first = seen.setdefault(job.job_id, visit)
    return first == visit


@st.fragment(run_every=1.0)
def _watch(
    workspace: Workspace,
    job_id: int,
    person: Person | None,
    beside: Callable[[], None] | None,
) -> None:
    with errors_shown():
        job = read_job(workspace, job_id)
        if not job.active:
            st.rerun()
        note(f"{sentence(job.message)} \u2026", _how_far(job))
        if job.total:
            st.progress(min(1.0, job.done / job.total))
        if beside:
            beside()
        st.button(
            "Stopping \u2026" if job.cancel_requested else "Cancel",
            key=f"cancel_{job_id}",
            # Nobody is not the terminal, which may do everything.
            disabled=job.cancel_requested or person is None,
            on_click=in_callback(cancel_job),
            args=(workspace, job_id, person),
        )


def _show_end(workspace: Workspace, job: Job, show: Callable[[Job, Outcome], None] | None) -> None:
    when = clock(workspace, job.finished_at)
    if job.state == "done":
        # Of an import: whoever chooses the next file shall not take this for its result.
        file = (job.outcome or {}).get("file")
        what = f"Last import: {file}. " if file else ""
        muted(f"{what}Finished {when}, started by {job.started_by}.")
        if show:
            show(job, job.outcome or {})
    elif job.state == "cancelled":
        note(f"Cancelled: {sentence(job.message) or job.kind}.", when)
    else:
        error = (job.outcome or {}).get("error", {})
        place, hint = place_on_the_page(error.get("where") or ""), error.get("hint") or ""
        where = f"Where: {place}" if place else ""
        note(f"Failed: {job.message}", where, sentence(on_the_page(hint)), kind="error")


def _how_far(job: Job) -> str:
    done = f"{count(job.done)} of {count(job.total)}" if job.total else ""
    return " \u00b7 ".join(filter(None, [done, "It goes on if you close this tab"]))


def clock(workspace: Workspace, moment: str | None) -> str:
    """The time in the workspace's zone, to the minute."""
    if moment is None:
        return ""
    local = datetime.fromisoformat(moment).astimezone(ZoneInfo(workspace.settings.timezone))
    return local.strftime("%d %b %H:%M")
