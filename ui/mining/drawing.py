"""The preview of a drawing, the button that adds its queries, and what came of that."""

from collections.abc import Callable
from typing import Any

import streamlit as st

from builder.errors import BuilderError
from builder.jobs import Job
from builder.mining import Sampling, mine
from builder.people import Person
from builder.store.latest import Latest, latest_changes
from builder.workspace import Workspace
from ui.dashboards.counting import Log, state_of
from ui.frame import in_callback, muted, note, section, show_error
from ui.jobs import Outcome, follow, latest_job, start
from ui.mining.report import show_headline, show_left_out, show_sample, show_strata
from ui.mining.strata_chart import show_strata_chart
from ui.mining.words import error_on_the_page, queries_of, warning_on_the_page
from ui.numbers import count

MINE_JOB = "mine"
MINE_TARGET = "builder.mining:mine_job"
PREVIEW_JOB = "mine_preview"
_NEXT = "Next, pool the documents that shall be graded for them."
AT_ONCE = 1_000_000
"""Up to so many searches a preview takes a second or two: nobody need ask for it."""


def show_preview(workspace: Workspace, person: Person, log: Log, sampling: Sampling) -> None:
    """What would be drawn, before anything is written, and the button that adds it."""
    section("Preview")
    if log.searches > AT_ONCE:
        outcome = _preview_by_job(workspace, person, sampling)
    else:
        outcome = _preview_at_once(workspace, person, sampling)
    if outcome is None:
        return
    show_headline(outcome)
    _offer(workspace, person, sampling, outcome)
    asked = sampling.as_json()
    if warnings := [warning_on_the_page(said, sampling.by) for said in outcome["warnings"]]:
        note(*warnings, kind="warning")
    show_strata(outcome, asked)
    show_strata_chart(outcome["strata"], asked)
    show_left_out(outcome, asked)
    show_sample(outcome, asked)


def show_added(job: Job, outcome: Outcome) -> None:
    """What a drawing brought, and where to go on."""
    del job
    queries = outcome["queries"]
    if (same := outcome.get("unchanged")) is not None:
        note(f"Nothing changed: sample {same} holds the same queries.")
    elif not queries["new"]:
        note(f"{_are(queries['known'])} noted with their weights; none is new.", _NEXT)
    else:
        known = f" {_are(queries['known'])} in this workspace already." * (queries["known"] > 0)
        note(f"{_are(queries['new'])} new.{known}", _NEXT)
    st.page_link("ui/pages/pool.py", label="Pool pairs", icon=":material/arrow_forward:")


def add_queries(workspace: Workspace, person: Person, parameters: dict[str, Any]) -> None:
    """Start the job that draws and adds; `parameters` as `Sampling.as_json` gives them."""
    start(workspace, person, MINE_JOB, MINE_TARGET, {"actor": person.name, "sampling": parameters})


def _offer(workspace: Workspace, person: Person, sampling: Sampling, outcome: Outcome) -> None:
    """The one button that matters; none where the same queries are drawn already."""
    if (same := outcome.get("unchanged")) is not None:
        muted(f"Sample {same} below holds exactly these queries; there is nothing to add.")
        return
    new, known = outcome["queries"]["new"], outcome["queries"]["known"]
    with st.container(horizontal=True, vertical_alignment="center", key="add_queries"):
        st.button(
            f"Add {queries_of(new)}" if new else f"Weigh {queries_of(known)}",
            type="primary",
            key="mine",
            on_click=in_callback(add_queries),
            args=(workspace, person, sampling.as_json()),
        )
        muted(_what_happens(new, known))


def _what_happens(new: int, known: int) -> str:
    """What the button does with queries that are known."""
    if not known:
        return "They can be taken back below."
    if not new:
        return "All of them are here already. The sample notes how much each of them weighs."
    return (
        f"{count(known)} more {'is' if known == 1 else 'are'} known and "
        f"{'gets its weight' if known == 1 else 'get their weights'} from this sample. "
        "It can be taken back below."
    )


def _preview_at_once(workspace: Workspace, person: Person, sampling: Sampling) -> Outcome | None:
    try:
        return _previewed(
            str(workspace.root),
            state_of(workspace.lake),
            _changes(workspace),
            sampling,
            lambda: mine(workspace, sampling, dry_run=True, actor=person),
        )
    except BuilderError as error:
        show_error(error_on_the_page(error))
        return None


@st.cache_resource(max_entries=24, show_spinner="Drawing queries \u2026")
def _previewed(
    root: str,  # noqa: ARG001 - part of the key, as are the next three
    state: str,  # noqa: ARG001
    changes: Latest,  # noqa: ARG001
    sampling: Sampling,  # noqa: ARG001
    _draw: Callable[[], dict[str, Any]],
) -> dict[str, Any]:
    """Shared by all sessions: nobody may change it."""
    return _draw()


def _changes(workspace: Workspace) -> Latest:
    with workspace.store.read() as connection:
        return latest_changes(connection)


def _preview_by_job(workspace: Workspace, person: Person, sampling: Sampling) -> Outcome | None:
    """The last preview, and a button for a new one where it is of other options."""
    asked = {"actor": person.name, "sampling": sampling.as_json(), "dry_run": True}
    job = latest_job(workspace, PREVIEW_JOB)
    of_these = job is not None and job.state == "done" and _is_of(job, sampling)
    if not of_these:
        st.button(
            "Preview",
            type="primary",
            key="preview",
            icon=":material/visibility:",
            on_click=in_callback(start),
            args=(workspace, person, PREVIEW_JOB, MINE_TARGET, asked),
        )
        muted(f"The log is large: it takes a moment. {_what_was(job)}")
    follow(workspace, PREVIEW_JOB, keep=False)
    return job.outcome if of_these and job is not None else None


def _is_of(job: Job, sampling: Sampling) -> bool:
    """Whether a preview is of these options."""
    return (job.outcome or {}).get("parameters") == sampling.as_json()


def _what_was(job: Job | None) -> str:
    done = job is not None and job.state == "done"
    return "The last preview is of other options." if done else ""


def _are(n: int) -> str:
    return f"{queries_of(n)} {'is' if n == 1 else 'are'}"


def follow_adding(workspace: Workspace, standing: set[int]) -> None:
    """What came of the last drawing, as long as it stands.

    Args:
        workspace: Where it ran.
        standing: The numbers of the drawings that are not taken back.
    """
    job = latest_job(workspace, MINE_JOB)
    outcome = (job.outcome if job and job.state == "done" else None) or {}
    number = outcome.get("sampling_id") or outcome.get("unchanged")
    follow(workspace, MINE_JOB, show=show_added, keep=number in standing)
