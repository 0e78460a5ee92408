"""Runs a synthesis: started once, resumed as often as it takes, paid for once."""

from collections.abc import Mapping
from typing import Any

from builder.people import Person
from builder.synthesis.plan import SynthPlan
from builder.workspace import Workspace
from evals.records import Progress


def synth(  # noqa: PLR0913 - a run is all of that
    workspace: Workspace,
    plan: SynthPlan,
    *,
    key: str | None,
    progress: Progress | None = None,
    actor: Person | None = None,
    token: str | None = None,
    digest: str | None = None,
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

    Returns:
        synthesis_id; state: "done" or "stopped"; stopped: why, of `STOPPED`, or None; message: the
        same as a sentence, "" if done; documents; calls (HTTP requests, all sessions); generated;
        kept; rejected: {reason: n}; flagged: {flag: n}; tokens, tokens_in, tokens_out; cost: None
        where the price is unknown; currency; outcomes: {outcome: calls}; unknown: calls of which
        nothing was recorded; waiting, failed: tasks; seconds (of this session); models_served;
        warnings: sentences.

    Raises:
        BuilderError: The plan makes no sense, another run is at work, or the digest differs.
        NotAllowedError: The actor is no analyst.
    """
    raise NotImplementedError


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

    Returns:
        As `synth`.

    Raises:
        BuilderError: There is no such run, it was taken back, or another one is at work.
        NotAllowedError: The actor is no analyst.
    """
    raise NotImplementedError


def synth_job(
    workspace: Workspace, parameters: Mapping[str, Any], progress: Progress
) -> dict[str, Any]:
    """The job that runs: `parameters` holds actor (a name), plan (`as_json`), token and digest.

    The key comes in the environment of its process (`builder.jobs.start_job(environment=…)`).

    Raises:
        BuilderError: As `synth`; NotAllowedError likewise.
    """
    raise NotImplementedError


def resume_job(
    workspace: Workspace, parameters: Mapping[str, Any], progress: Progress
) -> dict[str, Any]:
    """The job that resumes: `parameters` holds actor, synthesis_id, and new limits if any.

    Start it with the kind of `synth_job` too, so that one of them is active at a time.

    Raises:
        BuilderError: As `resume_synthesis`; NotAllowedError likewise.
    """
    raise NotImplementedError
