"""Runs a synthesis: started once, resumed as often as it takes, paid for once."""

import os
import time
from collections.abc import Callable, Mapping
from typing import Any

from builder.errors import BuilderError
from builder.people import Person, actor_called, authorize, called
from builder.store import Connection, activity
from builder.store.llm_calls import cost_calls
from builder.store.syntheses import (
    SynthesisRow,
    add_synthesis,
    add_tasks,
    find_by_token,
    keep_parameters,
    note_dead,
    note_state,
    reopen_failed,
)
from builder.synthesis.alone import AnotherRunError, alone
from builder.synthesis.budget import Caps
from builder.synthesis.llm import key_from
from builder.synthesis.plan import SynthPlan, check_caps
from builder.synthesis.prompts import load_prompts
from builder.synthesis.round_trip import check_retrievers
from builder.synthesis.session import ended, hold_session
from builder.synthesis.settled import Settled, digest_of, settled_before, settled_now
from builder.synthesis.syntheses import INTERRUPTED, known_synthesis
from builder.synthesis.tasks import Tasks, make_tasks
from builder.workspace import Workspace
from evals.records import Progress

START, RESUME = "synthesis.start", "synthesis.resume"
_TOKEN_SECONDS = 2.0
"""Between the lock and the first row of a run stand the choice of documents and their passages."""
_LOOK_SECONDS = 0.1


def synth(  # noqa: PLR0913 - a run is all of that
    workspace: Workspace,
    plan: SynthPlan,
    *,
    key: str | None,
    progress: Progress | None = None,
    actor: Person | None = None,
    token: str | None = None,
    digest: str | None = None,
    waiting_for: Callable[[int], None] | None = None,
) -> dict[str, Any]:
    """Have queries written by a language model, and filter them.

    Args:
        workspace: Its documents, and where the queries go.
        plan: What is asked for.
        key: The key of the server (`builder.synthesis.llm.key_from`); it is stored nowhere.
        progress: Hears how far it is; may raise to stop: nothing more is sent then, what is on its
            way is waited for and recorded, and the exception goes on. So it is with Ctrl-C.
        actor: Who asks for it in the browser; None at the terminal.
        token: Made by whoever starts it; the same again sends nothing and tells of the first run.
        digest: As `estimate` gave it: nothing is sent if anything would now be sent otherwise.
        waiting_for: Hears at Ctrl-C how many answers on their way are waited for, if any; a second
            Ctrl-C leaves them.

    Returns:
        synthesis_id; state: "done" or "stopped"; stopped: why, of `STOPPED`, or None; message: the
        same as a sentence, "" if done; documents; calls (HTTP requests, all sessions); generated;
        kept; rejected: {reason: n}; flagged: {flag: n}; tokens, tokens_in, tokens_out; cost: None
        where the price is unknown; currency; outcomes: {outcome: calls}; unknown: calls of which
        nothing was recorded; waiting, failed: tasks; seconds and sent (calls) of this session;
        models_served; warnings: sentences.

    Raises:
        BuilderError: The plan makes no sense, another run is at work, or the digest differs.
        EvalsError: A retriever of the plan is unknown.
        NotAllowedError: The actor is no analyst.
    """
    authorize(workspace, actor, "analyst")
    settled = settled_now(workspace.settings, plan)
    _check_key(workspace, settled, key)
    if (known := _started_before(workspace, token)) is not None:
        return ended(workspace, known)
    check_retrievers(plan.retrievers)
    try:
        with alone(workspace):
            if (known := _started_before(workspace, token)) is not None:
                return ended(workspace, known)
            synthesis_id = _begin(workspace, settled, called(actor), token, digest, progress)
            who = called(actor)
            return hold_session(
                workspace, synthesis_id, settled, key, who, progress, waiting_for=waiting_for
            )
    except AnotherRunError:
        if (known := _started_soon(workspace, token)) is None:
            raise
        return ended(workspace, known)


def resume_synthesis(  # noqa: PLR0913 - a run is all of that
    workspace: Workspace,
    synthesis_id: int,
    *,
    key: str | None,
    progress: Progress | None = None,
    actor: Person | None = None,
    max_calls: int | None = None,
    max_total_tokens: int | None = None,
    max_cost: float | None = None,
    retry_failed: bool = False,
    waiting_for: Callable[[int], None] | None = None,
) -> dict[str, Any]:
    """Ask for what has no recorded answer yet, then filter what is new.

    Model, server and parameters are those that the run began with.

    Args:
        workspace: Where the run is.
        synthesis_id: Which.
        key: As for `synth`.
        progress: As for `synth`.
        actor: As for `synth`.
        max_calls: A new limit of the whole run, earlier calls included; None keeps the old one.
        max_total_tokens: Likewise.
        max_cost: Likewise.
        retry_failed: Whether tasks that were given up are asked for again.
        waiting_for: As for `synth`.

    Returns:
        As `synth`.

    Raises:
        BuilderError: There is no such run, it was taken back, or another one is at work.
        NotAllowedError: The actor is no analyst.
    """
    authorize(workspace, actor, "analyst")
    check_caps(max_calls, max_total_tokens, max_cost)
    caps, who = Caps(max_calls, max_total_tokens, max_cost), called(actor)
    with workspace.store.read() as connection:
        _standing(connection, synthesis_id)
    with alone(workspace):
        with workspace.store.write() as connection:
            row = _standing(connection, synthesis_id)
            settled = settled_before(workspace.settings, row.parameters, caps)
            _check_key(workspace, settled, key)
            _go_on(connection, row, settled, who, retry_failed=retry_failed)
        return hold_session(
            workspace, synthesis_id, settled, key, who, progress, waiting_for=waiting_for
        )


def synth_job(
    workspace: Workspace, parameters: Mapping[str, Any], progress: Progress
) -> dict[str, Any]:
    """The job that runs: `parameters` holds actor (a name), plan (`as_json`), token and digest.

    The key comes in the environment of its process (`builder.jobs.start_job(environment=…)`).

    Raises:
        BuilderError: As `synth`; NotAllowedError likewise.
    """
    return synth(
        workspace,
        SynthPlan.from_json(parameters["plan"]),
        key=key_from(workspace.settings, os.environ),
        progress=progress,
        actor=actor_called(workspace, parameters["actor"]),
        token=parameters.get("token"),
        digest=parameters.get("digest"),
    )


def resume_job(
    workspace: Workspace, parameters: Mapping[str, Any], progress: Progress
) -> dict[str, Any]:
    """The job that resumes: `parameters` holds actor, synthesis_id, and new limits if any.

    Start it with the kind of `synth_job` too, so that one of them is active at a time.

    Raises:
        BuilderError: As `resume_synthesis`; NotAllowedError likewise.
    """
    names = ("max_calls", "max_total_tokens", "max_cost")
    return resume_synthesis(
        workspace,
        parameters["synthesis_id"],
        key=key_from(workspace.settings, os.environ),
        progress=progress,
        actor=actor_called(workspace, parameters["actor"]),
        retry_failed=bool(parameters.get("retry_failed", False)),
        **{name: parameters.get(name) for name in names},
    )


def _check_key(workspace: Workspace, settled: Settled, key: str | None) -> None:
    if not key and settled.endpoint.is_openai:
        variable = workspace.settings.llm.key_variable
        raise BuilderError(
            f"there is no key for {settled.endpoint.host}; nothing was sent",
            hint=f"Put it into the environment variable {variable}, or into the secrets of the "
            "app. Goldsmith keeps it nowhere.",
        )


def _started_before(workspace: Workspace, token: str | None) -> int | None:
    """The run that was started with this token."""
    if token is None:
        return None
    with workspace.store.read() as connection:
        row = find_by_token(connection, token)
    return None if row is None else row.synthesis_id


def _started_soon(workspace: Workspace, token: str | None) -> int | None:
    """As `_started_before`, of a run that may be about to begin."""
    given_up = time.monotonic() + _TOKEN_SECONDS
    while (known := _started_before(workspace, token)) is None and token is not None:
        if time.monotonic() > given_up:
            return None
        time.sleep(_LOOK_SECONDS)
    return known


def _begin(
    workspace: Workspace,
    settled: Settled,
    who: str,
    token: str | None,
    digest: str | None,
    progress: Progress | None,
) -> int:
    """Write what will be asked for; its synthesis_id."""
    with workspace.store.write() as connection:
        # We hold the lock: whichever run was at work is no more.
        note_dead(connection, INTERRUPTED)
    tasks = make_tasks(workspace, settled.plan, progress)
    if digest is not None and digest != digest_of(settled, tasks.specs):
        raise BuilderError(
            "documents, prompts or settings have changed since the estimate; nothing was sent",
            hint="Look at the estimate again, then start.",
        )
    prompts = {name: one.as_json() for name, one in load_prompts(workspace).items()}
    used = {name: prompts[name] for name in settled.plan.types}
    parameters = {**settled.as_json(), "prompts": used, **_chosen(tasks)}
    with workspace.store.write() as connection:
        synthesis_id = add_synthesis(connection, parameters, who, token)
        add_tasks(connection, synthesis_id, tasks.specs)
        _note(connection, START, synthesis_id, settled, who, {"calls": len(tasks.specs)})
    return synthesis_id


def _chosen(tasks: Tasks) -> dict[str, Any]:
    return {
        "skipped": tasks.skipped,
        "strata": list(tasks.strata),
        "warnings": list(tasks.warnings),
    }


def _standing(connection: Connection, synthesis_id: int) -> SynthesisRow:
    row = known_synthesis(connection, synthesis_id)
    if row.taken_back_at is not None:
        raise BuilderError(f"synthesis {synthesis_id} was taken back; nothing was sent")
    return row


def _go_on(
    connection: Connection, row: SynthesisRow, settled: Settled, who: str, *, retry_failed: bool
) -> None:
    """Note that a run goes on, with these limits and this price."""
    keep_parameters(connection, row.synthesis_id, {**row.parameters, **settled.as_json()})
    if settled.price is not None:
        cost_calls(
            connection,
            row.synthesis_id,
            settled.price.cost(1, 0),
            settled.price.cost(0, 1),
        )
    again = reopen_failed(connection, row.synthesis_id) if retry_failed else 0
    note_dead(connection, INTERRUPTED)
    note_state(connection, row.synthesis_id, "running")
    _note(connection, RESUME, row.synthesis_id, settled, who, {"failed_again": again})


def _note(
    connection: Connection,
    action: str,
    synthesis_id: int,
    settled: Settled,
    who: str,
    more: Mapping[str, Any],
) -> None:
    told = {"model": settled.endpoint.model, "host": settled.endpoint.host, **more}
    limits = {name: n for name, n in Caps.of(settled.plan).as_json().items() if n is not None}
    activity.note(connection, who, action, str(synthesis_id), {**told, **limits})
