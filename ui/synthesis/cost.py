"""What a run would cost, before anything is sent; and the button that sends just that."""

import hashlib
from collections.abc import Mapping
from typing import Any

import streamlit as st

from builder.jobs import Job
from builder.people import Person
from builder.store.grades import is_any_graded
from builder.synthesis.examples import LEAST_GRADE
from builder.synthesis.plan import SynthPlan
from builder.workspace import Workspace
from ui import secrets
from ui.frame import in_callback, muted, note, section, sentence
from ui.jobs import Outcome, follow, latest_job, start
from ui.numbers import count, count_of
from ui.synthesis.words import limits_in_words, money, money_span, queries_of, seconds_in_words
from ui.tables import Column, Tile, table, tiles

ESTIMATE_JOB = "synth_estimate"
ESTIMATE_TARGET = "builder.synthesis.estimate:estimate_job"
SYNTH_JOB = "synth"
SYNTH_TARGET = "builder.synthesis.running:synth_job"
NO_KEY = "The key is missing; the note above says where it may stand."
_SKIPPED = {"empty": "without text", "too_short": "too short"}
_STRATA = [
    Column("part of the corpus"),
    Column("documents", numeric=True),
    Column("chosen", numeric=True),
]


def show_cost(workspace: Workspace, person: Person, plan: SynthPlan) -> None:
    """The estimate of this plan where there is one, and the one button that comes next."""
    section("What it would cost")
    if not plan.types:
        note("No type of query is chosen.", "Choose at least one above.")
    elif (job := current_estimate(workspace, plan)) is None:
        _offer_estimate(workspace, person, plan)
    else:
        told = job.outcome or {}
        st.html(tiles(figures_of(told)))
        _offer_sending(workspace, person, job)
        show_details(told)
    follow(workspace, ESTIMATE_JOB, keep=False, fades=True)


def current_estimate(workspace: Workspace, plan: SynthPlan) -> Job | None:
    """The job with the latest estimate, if it is of this plan and nothing was sent since."""
    job, sent = latest_job(workspace, ESTIMATE_JOB), latest_job(workspace, SYNTH_JOB)
    if job is None or job.state != "done" or (sent and sent.job_id > job.job_id):
        return None
    return job if job.parameters.get("plan") == plan.as_json() else None


def start_run(workspace: Workspace, person: Person, estimated: Job) -> None:
    """Send what was estimated, once: the same estimate again starts nothing."""
    told = estimated.outcome or {}
    parameters = {
        "actor": person.name,
        "plan": estimated.parameters["plan"],
        "digest": told["digest"],
        "token": token_of(estimated),
    }
    key = secrets.key_for_job(workspace.settings)
    start(workspace, person, SYNTH_JOB, SYNTH_TARGET, parameters, environment=key)


def token_of(estimated: Job) -> str:
    """What the run of an estimate is known by, whoever starts it and in how many tabs."""
    told = f"{estimated.job_id} {estimated.created_at} {(estimated.outcome or {}).get('digest')}"
    return hashlib.sha256(told.encode()).hexdigest()[:32]


def figures_of(told: Outcome) -> list[Tile]:
    """Documents, calls, tokens with their range, price or that it is unknown, and time."""
    tokens, cost = told["tokens"], told["cost"]
    low, total, high = (rounded(tokens[name]) for name in ("low", "total", "high"))
    told_by = "measured on earlier calls" if tokens["measured"] == 1 else "guessed"
    at_once = count_of(told["concurrency"], "call")
    return [
        Tile("documents", count(told["documents"])),
        Tile("calls", count(told["calls"]), f"{queries_of(told['queries'])} asked for"),
        Tile("tokens, about", total, f"{low}\u2013{high}, {told_by}"),
        _price(cost),
        Tile(
            "time, about",
            seconds_in_words(told["seconds"]),
            f"{at_once} at once, {'as measured' if told['seconds_measured'] else 'guessed'}",
        ),
    ]


def rounded(n: int) -> str:
    """A guessed number with three figures that count: 35,700 for 35,739."""
    return count(int(float(f"{n:.3g}")))


def receives_in_words(told: Outcome, *, examples: bool = True) -> list[str]:
    """Who receives which texts, a sentence each; untrusted."""
    besides = ", and queries of the team as examples" if examples else ""
    said = [
        f"{told['host']} will receive the texts of {count_of(told['documents'], 'document')}"
        f"{besides}."
    ]
    if limits := limits_in_words(told.get("caps") or {}):
        said.append(f"Hard limits: {', '.join(limits)}.")
    return said


def lacks_the_key(workspace: Workspace, told: Outcome) -> bool:
    """Whether the server wants a key and there is none now, whatever it was at the estimate."""
    needed: bool = told["key_needed"]
    return needed and not secrets.key_for_job(workspace.settings)


def show_details(told: Outcome) -> None:
    """What is left out, what is odd, and from which parts of the corpus the documents are."""
    if skipped := {reason: n for reason, n in told["skipped"].items() if n}:
        named = ", ".join(f"{count(n)} {_SKIPPED.get(why, why)}" for why, n in skipped.items())
        note(f"Documents left out: {named}.")
    for warning in told["warnings"]:
        note(sentence(str(warning)), kind="warning")
    if len(told["strata"]) > 1:
        with st.expander("From which parts of the corpus"):
            st.html(table(_STRATA, [_stratum(row) for row in told["strata"]]))


def _offer_estimate(workspace: Workspace, person: Person, plan: SynthPlan) -> None:
    job = latest_job(workspace, ESTIMATE_JOB)
    with st.container(horizontal=True, vertical_alignment="center", key="offer_estimate"):
        # No callback: it would have the choices of before, where a press ends the typing of one.
        pressed = st.button(
            "Estimate",
            type="primary",
            key="estimate",
            icon=":material/calculate:",
            disabled=job is not None and job.active,
        )
        muted("Counts documents, calls and tokens. Nothing is sent.")
    if pressed:
        _start_estimate(workspace, person, plan)
        st.rerun()


def _start_estimate(workspace: Workspace, person: Person, plan: SynthPlan) -> None:
    plan.check()
    parameters = {"actor": person.name, "plan": plan.as_json()}
    key = secrets.key_for_job(workspace.settings)
    start(
        workspace, person, ESTIMATE_JOB, ESTIMATE_TARGET, parameters, noted=False, environment=key
    )


def _offer_sending(workspace: Workspace, person: Person, job: Job) -> None:
    """Who receives the texts, and the button that sends them."""
    told = job.outcome or {}
    examples = _has_examples(workspace, job.parameters["plan"])
    note(*receives_in_words(told, examples=examples), kind="warning")
    sent, lacks_key = latest_job(workspace, SYNTH_JOB), lacks_the_key(workspace, told)
    with st.container(horizontal=True, vertical_alignment="center", key="offer_sending"):
        st.button(
            f"Send {count_of(told['calls'], 'call')}",
            type="primary",
            key="send",
            icon=":material/send:",
            disabled=lacks_key or (sent is not None and sent.active),
            on_click=in_callback(start_run),
            args=(workspace, person, job),
        )
        muted(NO_KEY if lacks_key else "Other choices above need a new estimate.")


def _has_examples(workspace: Workspace, plan: Mapping[str, Any]) -> bool:
    """Whether the run may show queries of the team: of pairs that somebody found relevant."""
    if not plan.get("examples"):
        return False
    with workspace.store.read() as connection:
        return is_any_graded(connection, LEAST_GRADE)


def _price(cost: Mapping[str, Any] | None) -> Tile:
    if cost is None:
        return Tile("price", "unknown", "the model is not in the table [prices] of the settings")
    return Tile("price, about", money(cost["value"], cost["currency"]), money_span(cost))


def _stratum(row: Mapping[str, Any]) -> list[str]:
    return [row["stratum"] or "all documents", count(row["documents"]), count(row["chosen"])]
