"""Runs of a language model as records: what there is, what is left, what each call brought."""

import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from builder.errors import BuilderError
from builder.store import Connection
from builder.store.llm_calls import (
    UNREACHABLE,
    Spent,
    call_of_candidate,
    count_outcomes,
    last_message,
    ledger_rows,
    models_served,
    spent_by,
)
from builder.store.syntheses import (
    SynthesisRow,
    active_queries_of,
    all_syntheses,
    count_task_documents,
    count_tasks,
    find_synthesis,
)
from builder.store.synthetic_queries import CandidateCounts, count_candidates
from builder.synthesis.alone import is_at_work
from builder.synthesis.budget import CAPS
from builder.workspace import Workspace

INTERRUPTED = "interrupted"
STOPPED = {
    "cap_calls": "The limit of {max_calls:,} calls is reached.",
    "cap_tokens": "The limit of {max_total_tokens:,} tokens is reached; a further call might pass "
    "it.",
    "cap_cost": "The limit of {max_cost:g} {currency} is reached; a further call might pass it.",
    "quota": "The server says that the money or the allowance is used up.",
    "rejected": "The server rejects every request of this kind.",
    "failures": "Too many calls failed, one after the other.",
    "unreachable": "The server cannot be reached; what it did not get costs nothing.",
    "rate_limited": "The server wants to be left alone for more than ten minutes.",
    "cancelled": "It was stopped on request.",
    "error": "Goldsmith could not go on.",
    INTERRUPTED: "Its process ended without a word.",
}
"""Why a run stopped -> a sentence, in which its limits have their places."""

_TELLS_MORE = {
    "quota": "quota",
    "rejected": None,
    "failures": None,
    "rate_limited": "rate_limited",
    "unreachable": "unreachable",
}
"""Why a run stopped -> the outcome whose message from the server says more; None: any."""


def list_syntheses(workspace: Workspace) -> list[dict[str, Any]]:
    """All runs, the latest first, those that were taken back too.

    Returns:
        [{"synthesis_id", "created_at", "created_by", "state": "running" (a process is at work),
        "stopped" or "done", "stopped" (why, of `STOPPED`, or None), "message", "model", "host",
        "plan" (`SynthPlan.as_json`), "tasks", "taken_back_at", "taken_back_by", "left": active
        queries that it brought, and what
        `outcome_of` tells of this moment}]; names, models and messages are untrusted.
    """
    at_work = is_at_work(workspace)
    with workspace.store.read() as connection:
        return [_listed(connection, row, at_work=at_work) for row in all_syntheses(connection)]


def latest_synthesis(workspace: Workspace) -> int | None:
    """The number of the latest run; None where there is none. Counts nothing, unlike the list."""
    with workspace.store.read() as connection:
        return next((row.synthesis_id for row in all_syntheses(connection)), None)


def what_is_left(workspace: Workspace, synthesis_id: int) -> dict[str, Any]:
    """How far a run is.

    Returns:
        {"synthesis_id", "host", "state", "stopped", "message", "tasks", "answered", "waiting",
        "failed", "calls", "unknown" (calls of which nothing is recorded: they may have been paid
        for), "in_flight" (calls on their way), "unseen" (queries that no filter has seen)}.

    Raises:
        BuilderError: There is no such run.
    """
    at_work = is_at_work(workspace)
    with workspace.store.read() as connection:
        row = known_synthesis(connection, synthesis_id)
        tasks, spent = count_tasks(connection, synthesis_id), spent_by(connection, synthesis_id)
        unseen = count_candidates(connection, synthesis_id).unseen
        state = state_of(connection, row, at_work=at_work)
    is_running = state["state"] == "running"
    return {
        "synthesis_id": synthesis_id,
        "host": row.parameters["host"],
        **state,
        "tasks": sum(tasks.values()),
        **{name: tasks.get(name, 0) for name in ("answered", "waiting", "failed")},
        "calls": spent.calls,
        "unknown": 0 if is_running else spent.unknown,
        "in_flight": spent.unknown if is_running else 0,
        "unseen": unseen,
    }


def calls_of(workspace: Workspace, synthesis_id: int) -> list[dict[str, Any]]:
    """The ledger of a run: every HTTP request, in the order of sending.

    Returns:
        [{"call_id", "task_id", "position", "doc_id", "first_character", "last_character" (of the
        passage that its task asks for by now), "prompt", "prompt_hash", "language",
        "request_hash" (of what its task asks for by now), "attempt", "seed",
        "sent_at", "answered_at", "rung", "request_bytes", "max_tokens", "outcome" (None: unknown),
        "message", "status", "model_served", "finish_reason", "prompt_tokens",
        "completion_tokens", "cached_tokens", "cost", "milliseconds", "answer"}]; messages and
        answers are untrusted.

    Raises:
        BuilderError: There is no such run.
    """
    with workspace.store.read() as connection:
        known_synthesis(connection, synthesis_id)
        return [dict(row) for row in ledger_rows(connection, synthesis_id)]


def provenance_of(workspace: Workspace, candidate_id: int) -> dict[str, Any]:
    """How a query came to be.

    Returns:
        {"candidate_id", "synthesis_id", "doc_id", "first_character", "last_character",
        "model_asked", "model_served", "base_url", "host", "prompt", "prompt_hash", "language",
        "examples", "temperature", "max_tokens", "seed", "rung", "attempt", "sent_at", "answer" (as
        the server gave it), "finish_reason", "prompt_tokens", "completion_tokens", "cost" (of the
        whole call), "currency", "request_hash"}.

    Raises:
        BuilderError: There is no such query.
    """
    with workspace.store.read() as connection:
        return provenance_within(connection, candidate_id)


def provenance_within(connection: Connection, candidate_id: int) -> dict[str, Any]:
    """As `provenance_of`, inside a transaction."""
    told = call_of_candidate(connection, candidate_id)
    if told is None:
        raise BuilderError(f"no language model wrote a query of the number {candidate_id} here")
    parameters = json.loads(told["parameters"])
    plan = parameters["plan"]
    call = {name: value for name, value in told.items() if name != "parameters"}
    return {
        "candidate_id": candidate_id,
        **call,
        "examples": json.loads(told["examples"]),
        "model_asked": plan["model"],
        "base_url": plan["base_url"],
        "host": parameters["host"],
        "temperature": plan["temperature"],
        "currency": currency_of(parameters),
    }


def known_synthesis(connection: Connection, synthesis_id: int) -> SynthesisRow:
    """The record of this number.

    Raises:
        BuilderError: There is none.
    """
    row = find_synthesis(connection, synthesis_id)
    if row is None:
        raise BuilderError(
            f"there is no synthesis {synthesis_id} in this workspace",
            hint="`goldsmith synth --list` shows those that there are.",
        )
    return row


def outcome_of(connection: Connection, row: SynthesisRow) -> dict[str, Any]:
    """What came of a run so far, over all of its sessions.

    Returns:
        synthesis_id; documents; calls; generated; kept; rejected; flagged; unseen (by the filters);
        accepted (by a reviewer); tokens, tokens_in, tokens_out (that servers told); untold: calls
        of which they told none; cost: of the calls whose cost is known, None where no call has one;
        currency; outcomes; unknown; waiting; failed; models_served.
    """
    synthesis_id = row.synthesis_id
    spent, tasks = spent_by(connection, synthesis_id), count_tasks(connection, synthesis_id)
    return {
        "synthesis_id": synthesis_id,
        "documents": count_task_documents(connection, synthesis_id),
        "calls": spent.calls,
        **_candidates(count_candidates(connection, synthesis_id)),
        "tokens": spent.prompt_tokens + spent.completion_tokens,
        "tokens_in": spent.prompt_tokens,
        "tokens_out": spent.completion_tokens,
        "untold": spent.untold,
        "cost": _cost(row.parameters, spent),
        "currency": currency_of(row.parameters),
        "outcomes": count_outcomes(connection, synthesis_id),
        "unknown": spent.unknown,
        "waiting": tasks.get("waiting", 0),
        "failed": tasks.get("failed", 0),
        "models_served": models_served(connection, synthesis_id),
    }


def state_of(connection: Connection, row: SynthesisRow, *, at_work: bool) -> dict[str, Any]:
    """How a run stands: a killed one notes nothing itself.

    Returns:
        state: "running", "stopped" or "done"; stopped: why, of `STOPPED`, or None; message: the
        same as a sentence, "" where it did not stop.
    """
    state, reason = row.state, row.reason
    if state in ("ready", "running") and not at_work:
        state, reason = "stopped", INTERRUPTED
    is_stopped = state == "stopped"
    said = words_of_stop(connection, row, reason) if is_stopped else ""
    return {"state": state, "stopped": reason if is_stopped else None, "message": said}


def currency_of(parameters: Mapping[str, Any]) -> str | None:
    """The currency of a run's price; None where no price was known."""
    price = parameters.get("price")
    return None if price is None else str(price["currency"])


def words_of_stop(connection: Connection, row: SynthesisRow, reason: str) -> str:
    """Why a run stopped, a sentence or two; the last one may be the server's, and untrusted."""
    said = STOPPED.get(reason, "It stopped.")
    if reason in CAPS:
        limits = {"currency": currency_of(row.parameters) or "", **row.parameters["plan"]}
        return said.format_map(limits).replace(" of 1 calls", " of 1 call")
    if reason not in _TELLS_MORE:
        return said
    more = last_message(connection, row.synthesis_id, _TELLS_MORE[reason])
    before = "" if reason == UNREACHABLE else "The last answer: "
    return f"{said} {before}{more}" if more else said


def _listed(connection: Connection, row: SynthesisRow, *, at_work: bool) -> dict[str, Any]:
    plan, told = row.parameters["plan"], outcome_of(connection, row)
    state = state_of(connection, row, at_work=at_work)
    if state["state"] == "running":
        told |= {"unknown": 0}
    return {
        "created_at": row.created_at,
        "created_by": row.created_by,
        **state,
        "model": plan["model"],
        "host": row.parameters["host"],
        "plan": plan,
        "tasks": sum(count_tasks(connection, row.synthesis_id).values()),
        "taken_back_at": row.taken_back_at,
        "taken_back_by": row.taken_back_by,
        "left": len(active_queries_of(connection, row.synthesis_id)),
        **told,
    }


def _candidates(counts: CandidateCounts) -> dict[str, Any]:
    names = ("generated", "kept", "rejected", "flagged", "unseen", "accepted")
    told = asdict(counts)
    return {name: told[name] for name in names}


def _cost(parameters: Mapping[str, Any], spent: Spent) -> float | None:
    if spent.costed:
        return spent.cost
    is_priced = parameters.get("price") is not None
    is_free_so_far = spent.calls == spent.unsent and (is_priced or spent.unsent > 0)
    return 0.0 if is_free_so_far else None
