"""The runs so far: what each brought and cost; resume one, or take one back."""

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from builder.jobs import Job
from builder.people import Person
from builder.synthesis.syntheses import list_syntheses, what_is_left
from builder.synthesis.taking_back import KEPT_IN_WORDS, take_back_synthesis
from builder.workspace import Workspace
from ui import secrets
from ui.frame import errors_shown, in_callback, muted, note, section, sentence
from ui.jobs import clock, latest_job, start
from ui.numbers import count, count_of, in_words
from ui.synthesis.cost import SYNTH_JOB
from ui.synthesis.outcome import yield_html
from ui.synthesis.words import STATES, money, plan_in_words, queries_of
from ui.taking_back import Undoing, is_said_all_the_same, offer_taking_back
from ui.text import inline

RESUME_TARGET = "builder.synthesis.running:resume_job"
AT_ONCE = 5
"""Runs on the page before the others are folded away."""
_SAID = "synthesis_taken_back"

Run = Mapping[str, Any]


def show_runs(workspace: Workspace, person: Person) -> None:
    """Each run with what can be done about it."""
    section("Runs so far")
    if said := st.session_state.pop(_SAID, None):
        note(*said)
    runs = as_at_work(list_syntheses(workspace), latest_job(workspace, SYNTH_JOB))
    if not runs:
        muted("No language model has written queries here yet.")
        return
    _show_rows(workspace, person, runs[:AT_ONCE])
    if len(runs) > AT_ONCE:
        with st.expander(f"{count(len(runs) - AT_ONCE)} earlier"):
            _show_rows(workspace, person, runs[AT_ONCE:])


def as_at_work(runs: Sequence[Run], job: Job | None) -> list[Run]:
    """The runs; the one that a job goes on with is at work, though it still loads its models."""
    resumed = job.parameters.get("synthesis_id") if job is not None and job.active else None
    return [
        {**run, "state": "running", "message": ""} if run["synthesis_id"] == resumed else run
        for run in runs
    ]


def show_so_far(workspace: Workspace) -> None:
    """What the run at work has sent, got and cost so far."""
    run = next((run for run in list_syntheses(workspace) if run["state"] == "running"), None)
    if run is not None:
        muted(f"So far: {so_far_in_words(run)}.")


def so_far_in_words(run: Run) -> str:
    """Calls, queries, tokens and cost of a run at work."""
    cost = run["cost"]
    parts = [
        count_of(run["calls"], "call"),
        f"{queries_of(run['generated'])} written",
        *([f"{count(run['kept'])} kept"] if run["kept"] else []),
        count_of(run["tokens"], "token"),
        "cost unknown" if cost is None else money(cost, run["currency"]),
    ]
    return ", ".join(parts)


def run_html(workspace: Workspace, run: Run) -> str:
    """Safe HTML: what a run brought, its state, who started it, model and host, and its plan."""
    back = ""
    if run["taken_back_at"]:
        who, when = inline(run["taken_back_by"] or ""), clock(workspace, run["taken_back_at"])
        back = f'<span class="gs-mark">taken back by {who}, {when}</span>'
    elif run["state"] != "done":
        back = f'<span class="gs-mark">{inline(STATES.get(run["state"], run["state"]))}</span>'
    lines = [facts_in_words(run), plan_in_words(run["plan"]), sentence(run["message"])]
    more = "".join(f'<div class="gs-muted">{inline(line)}</div>' for line in lines if line)
    return (
        f'<div class="gs-entry"><div class="gs-entry-title">Run {count(run["synthesis_id"])}: '
        f"{queries_of(run['kept'])} kept of {count(run['generated'])} {back}</div>"
        f'<div class="gs-muted">{inline(run["created_by"])}, '
        f"{clock(workspace, run['created_at'])} \u00b7 {inline(run['model'])} at "
        f"{inline(run['host'])}</div>{more}</div>"
    )


def facts_in_words(run: Run) -> str:
    """Accepted queries, calls, tokens, cost, and what is open."""
    cost = run["cost"]
    said = [
        _accepted(run),
        count_of(run["calls"], "call"),
        count_of(run["tokens"], "token"),
        "cost unknown" if cost is None else money(cost, run["currency"]),
    ]
    open_ones = (
        ("unseen", "not filtered yet"),
        ("waiting", "not asked yet"),
        ("failed", "given up"),
        ("unknown", "calls unknown"),
    )
    said += [f"{count(run[name])} {what}" for name, what in open_ones if run[name]]
    # Of an unknown call nothing is known, so it counts once.
    if (untold := run["untold"] - run["unknown"]) > 0:
        said.append(f"{count_of(untold, 'call')} without a count of tokens")
    return " \u00b7 ".join(said)


def left_in_words(left: Mapping[str, Any]) -> list[str]:
    """What resuming would ask for, and what is unknown, a sentence each."""
    waiting, failed, unknown = left["waiting"], left["failed"], left["unknown"]
    are = "is" if waiting == 1 else "are"
    said = ["Every task was asked for."]
    if waiting:
        said = [
            f"{count(waiting)} of {count_of(left['tasks'], 'task')} {are} left. What is answered "
            "is not asked again."
        ]
    if unknown:
        said.append(
            f"Of {count_of(unknown, 'call')} nothing was recorded: sent, and perhaps paid for. "
            "They are asked again as new calls."
        )
    if failed:
        said.append(f"{count_of(failed, 'task')} given up after several attempts.")
    return said


def start_resuming(workspace: Workspace, person: Person, synthesis_id: int) -> None:
    """Go on with a run; tasks that were given up are asked again where the page says so."""
    parameters: dict[str, Any] = {"actor": person.name, "synthesis_id": synthesis_id}
    if (calls := st.session_state.get(_limit_key(synthesis_id))) is not None:
        parameters["max_calls"] = calls
    if st.session_state.get(_again_key(synthesis_id)):
        parameters["retry_failed"] = True
    key = secrets.key_for_job(workspace.settings)
    start(workspace, person, SYNTH_JOB, RESUME_TARGET, parameters, environment=key)


def would_go_in_words(would: Mapping[str, Any]) -> list[str]:
    """What taking a run back would remove and leave, a sentence each."""
    n = would["queries_removed"]
    went = f"{queries_of(n)} will be retired." if n else "No query of the set is retired."
    closed = "" if would["again"] else "The run cannot be reviewed or gone on with any more."
    said = [went, *_rest(would), closed, "What was asked and paid stays on record."]
    return [line for line in said if line]


def taken_back_in_words(done: Mapping[str, Any]) -> list[str]:
    """What went and what stays, a sentence each."""
    n = done["queries_removed"]
    went = f"{queries_of(n)} {'is' if n == 1 else 'are'} retired." if n else "No query is retired."
    before = "was taken back before" if done["again"] else "is taken back"
    return [f"Run {count(done['synthesis_id'])} {before}. {went}", *_rest(done)]


def _accepted(run: Run) -> str:
    """How many queries reviewers accepted, and how many of them stand in the set."""
    accepted, left = run["accepted"], run["left"]
    if accepted == left:
        return f"{count(accepted)} accepted"
    return f"{count(accepted)} accepted, {count(left)} of them in the set"


def _rest(told: Mapping[str, Any]) -> list[str]:
    """How many candidates nobody looks at any more, and why queries stay."""
    said = []
    if n := told["unreviewed"]:
        said.append(f"{queries_of(n)} not reviewed yet {'waits' if n == 1 else 'wait'} no more.")
    stay = [
        f"{queries_of(n)}: {KEPT_IN_WORDS.get(reason, in_words(reason))}"
        for reason, n in told["kept"].items()
        if n
    ]
    return [*said, f"Stay: {'; '.join(stay)}."] if stay else said


def _show_rows(workspace: Workspace, person: Person, runs: Sequence[Run]) -> None:
    for run in runs:
        number = run["synthesis_id"]
        with st.container(key=f"batch_{number}", horizontal=True, vertical_alignment="center"):
            st.html(run_html(workspace, run))
            with st.container(
                key=f"batch_ways_{number}", horizontal=True, width="content", gap="small"
            ):
                _offer_ways(workspace, person, run)


def _offer_ways(workspace: Workspace, person: Person, run: Run) -> None:
    number = run["synthesis_id"]
    if run["generated"]:
        _offer_yield(run)
    if run["state"] == "running":
        return
    if run["taken_back_at"] is not None:
        if run["left"]:
            _offer_taking_back(workspace, person, number)
        return
    if run["waiting"] or run["failed"] or run["unseen"] or run["state"] != "done":
        _offer_resuming(workspace, person, run)
    _offer_taking_back(workspace, person, number)


def _offer_yield(run: Run) -> None:
    key = f"yield_{run['synthesis_id']}"
    shown = st.popover("Yield", icon=":material/filter_alt:", key=key, on_change="rerun")
    if shown.open:
        with shown:
            st.html(yield_html(run["generated"], run["kept"], run["rejected"]))


def _offer_resuming(workspace: Workspace, person: Person, run: Run) -> None:
    """What is left and unknown, a new limit of calls, and the button."""
    number = run["synthesis_id"]
    at_work = latest_job(workspace, SYNTH_JOB)
    # Another key after each run: so it closes.
    key = f"resume_{number}_{at_work.job_id if at_work else 0}"
    again = st.popover("Resume", icon=":material/play_arrow:", key=key, on_change="rerun")
    if not again.open:
        return
    with again, errors_shown():
        left = what_is_left(workspace, number)
        for line in left_in_words(left):
            muted(line)
        if (old := run["plan"].get("max_calls")) is not None:
            st.number_input(
                f"At most so many calls of the whole run; {count_of(run['calls'], 'call')} made",
                1,
                value=max(old, run["calls"] + left["waiting"]),
                key=_limit_key(number),
            )
        once_more = bool(left["failed"]) and st.checkbox(
            "Ask once more for those that were given up", key=_again_key(number)
        )
        is_open = left["waiting"] or run["unseen"] or once_more or run["state"] != "done"
        st.button(
            f"Send to go on with run {count(number)}",
            type="primary",
            key=f"resume_send_{number}",
            disabled=not is_open or (at_work is not None and at_work.active),
            on_click=in_callback(start_resuming),
            args=(workspace, person, number),
        )


def _offer_taking_back(workspace: Workspace, person: Person, number: int) -> None:
    """What will go and stay, and the button; once more where queries stayed."""

    def tell() -> Undoing:
        would = take_back_synthesis(workspace, number, person, dry_run=True)
        can_go = not would["again"] or bool(would["queries_removed"])
        return Undoing(would_go_in_words(would), can_go, told_first=would["needs_anyway"])

    offer_taking_back(workspace, person, number, tell, _take_back)


def _take_back(workspace: Workspace, person: Person, number: int) -> None:
    anyway = is_said_all_the_same(number)
    done = take_back_synthesis(workspace, number, person, anyway=anyway)
    st.session_state[_SAID] = taken_back_in_words(done)


def _limit_key(number: int) -> str:
    return f"resume_calls_{number}"


def _again_key(number: int) -> str:
    return f"resume_failed_{number}"
