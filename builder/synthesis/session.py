"""A session of a run: asks for what waits, filters what came, and tells of both."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from builder.errors import BuilderError
from builder.store import activity
from builder.store.llm_calls import last_attempts, spent_by
from builder.store.syntheses import count_tasks, keep_outcome, note_state, waiting_tasks
from builder.synthesis.alone import is_at_work
from builder.synthesis.asking import CANCELLED, ERROR, Asking
from builder.synthesis.budget import CAP_COST, CAP_TOKENS, Budget, Caps
from builder.synthesis.filtering import filter_synthesis
from builder.synthesis.llm import LLMClient, remembered_rung
from builder.synthesis.plan import SynthPlan
from builder.synthesis.prompts import Prompt
from builder.synthesis.settled import Settled
from builder.synthesis.syntheses import known_synthesis, outcome_of, state_of
from builder.synthesis.tasks import Writer
from builder.synthesis.waiting import Task
from builder.workspace import Workspace
from evals.records import EvalsError, Progress

END = "synthesis.end"
_SHOWN = 3
"""So many of like warnings are told in full."""


@dataclass(slots=True)
class _Session:
    """What only this session knows of a run."""

    began: float = field(default_factory=time.monotonic)
    sent: int = 0
    warnings: list[str] = field(default_factory=list)

    def as_json(self) -> dict[str, Any]:
        seconds = time.monotonic() - self.began
        return {"seconds": seconds, "sent": self.sent, "warnings": self.warnings}


def hold_session(  # noqa: PLR0913 - a run is all of that
    workspace: Workspace,
    synthesis_id: int,
    settled: Settled,
    key: str | None,
    who: str,
    progress: Progress | None,
    *,
    waiting_for: Callable[[int], None] | None = None,
) -> dict[str, Any]:
    """Ask for what waits, filter what is new, and keep what came of it; as `running.synth`.

    Whoever calls it holds the lock of the workspace, and has noted that the run is running.
    """
    session, stopped = _Session(), ERROR
    variable = workspace.settings.llm.key_variable
    asking: Asking | None = None
    try:
        with LLMClient(settled.endpoint, key, variable) as client:
            asking = _asking(workspace, synthesis_id, settled, client)
            asking.ask(progress, waiting_for)
    except BaseException as error:
        stopped = CANCELLED if _is_interrupt(error) else ERROR
        raise
    else:
        stopped = ""
    finally:
        if asking is not None:
            stopped = asking.stopped or stopped
            session.sent = asking.sent
            session.warnings += _unaskable(asking.unaskable) + _no_call(asking, settled)
        _end(workspace, synthesis_id, stopped, who, session)
    session.warnings += _filter(workspace, synthesis_id, settled.plan, progress)
    return _keep(workspace, synthesis_id, session)


def _is_interrupt(error: BaseException | None) -> bool:
    """Whether somebody pressed Ctrl-C; Python makes a RuntimeError of it while a class is made."""
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__cause__ or error.__context__
    return error is not None


def ended(workspace: Workspace, synthesis_id: int) -> dict[str, Any]:
    """What came of a run, as it stands, in the words of `running.synth`."""
    at_work = is_at_work(workspace)
    with workspace.store.read() as connection:
        row = known_synthesis(connection, synthesis_id)
        told = outcome_of(connection, row)
        state = state_of(connection, row, at_work=at_work)
    if state["state"] == "running":
        told["unknown"] = 0
    return {
        **state,
        "seconds": row.outcome.get("seconds", 0.0),
        "sent": row.outcome.get("sent", 0),
        "warnings": row.outcome.get("warnings", []),
        **told,
    }


def _asking(workspace: Workspace, synthesis_id: int, settled: Settled, client: LLMClient) -> Asking:
    with workspace.store.read() as connection:
        row = known_synthesis(connection, synthesis_id)
        attempts = last_attempts(connection, synthesis_id)
        tasks = [
            Task(one.task_id, one.fields, attempts.get(one.task_id, 0))
            for one in waiting_tasks(connection, synthesis_id)
        ]
        spent = spent_by(connection, synthesis_id)
    prompts = {name: Prompt.from_json(told) for name, told in row.parameters["prompts"].items()}
    return Asking(
        workspace,
        tasks,
        settled.manner,
        client=client,
        writer=Writer(workspace, prompts, settled.plan),
        budget=Budget(Caps.of(settled.plan), spent, settled.price),
        rung=remembered_rung(workspace, settled.endpoint),
    )


def _end(
    workspace: Workspace, synthesis_id: int, stopped: str, who: str, session: _Session
) -> None:
    """Note how the session ended; a run of which nothing waits is done, whatever stopped it."""
    with workspace.store.write() as connection:
        waiting = count_tasks(connection, synthesis_id).get("waiting", 0)
        if waiting:
            note_state(connection, synthesis_id, "stopped", stopped or ERROR)
        else:
            note_state(connection, synthesis_id, "done")
        row = known_synthesis(connection, synthesis_id)
        told = outcome_of(connection, row)
        kept = {**told, **session.as_json()}
        keep_outcome(connection, synthesis_id, kept)
        names = ("calls", "generated", "tokens", "cost", "waiting", "unknown")
        details = {"state": row.state, "reason": row.reason, **{name: told[name] for name in names}}
        activity.note(connection, who, END, str(synthesis_id), details)


def _filter(
    workspace: Workspace, synthesis_id: int, plan: SynthPlan, progress: Progress | None
) -> list[str]:
    """Let the filters see what is new; what kept them from it, for what was paid for stands."""
    try:
        told = filter_synthesis(
            workspace, synthesis_id, retrievers=plan.retrievers, progress=progress
        )
    except (BuilderError, EvalsError) as error:
        return [f"The filters have not seen everything: {error.message}"]
    return [
        f"The search {name} did not look for the queries: {why}"
        for name, why in told.get("not_run", {}).items()
    ]


def _keep(workspace: Workspace, synthesis_id: int, session: _Session) -> dict[str, Any]:
    with workspace.store.write() as connection:
        row = known_synthesis(connection, synthesis_id)
        told = outcome_of(connection, row)
        chosen = row.parameters.get("warnings", [])
        all_warnings = [*chosen, *session.warnings, *_of_tokens(told)]
        kept = {**told, **session.as_json(), "warnings": all_warnings}
        keep_outcome(connection, synthesis_id, kept)
    return ended(workspace, synthesis_id)


def _of_tokens(told: dict[str, Any]) -> list[str]:
    warnings = []
    if told["unknown"]:
        warnings.append(
            f"Of {_calls(told['unknown'])} nothing was recorded, and may have been paid for."
        )
    if (untold := told["untold"] - told["unknown"]) > 0:
        warnings.append(
            f"Of {_calls(untold)} the server told no tokens; tokens and cost are without, and "
            "limits count the most that may have been taken."
        )
    return warnings


def _calls(n: int) -> str:
    return "1 call" if n == 1 else f"{n:,} calls"


def _no_call(asking: Asking, settled: Settled) -> list[str]:
    """That a limit let nothing through, and what it would have to allow."""
    most, price = asking.needed, settled.price
    if asking.sent or most is None:
        return []
    needs = f"up to {most.total:,} tokens"
    if asking.stopped == CAP_COST and price is not None:
        needs = f"up to {price.cost(*most):.2g} {price.currency}"
    elif asking.stopped != CAP_TOKENS:
        return []
    return [f"The limit allows no call: one needs {needs}, besides what is spent."]


def _unaskable(reasons: list[str]) -> list[str]:
    if not reasons:
        return []
    different = list(dict.fromkeys(reasons))
    more = f"; and {len(different) - _SHOWN:,} more reasons" if len(different) > _SHOWN else ""
    told = "; ".join(different[:_SHOWN])
    return [f"{len(reasons):,} tasks could not be asked for any more: {told}{more}"]
