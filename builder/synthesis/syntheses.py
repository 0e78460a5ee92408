"""Runs of a language model as records: what there is, what is left, what each call brought."""

from typing import Any

from builder.workspace import Workspace


def list_syntheses(workspace: Workspace) -> list[dict[str, Any]]:
    """All runs, the latest first, those that were taken back too.

    Returns:
        [{"synthesis_id", "created_at", "created_by", "state": "running" (a process is at work),
        "stopped" or "done", "stopped" (why, or None), "message", "model", "host", "plan"
        (`SynthPlan.as_json`), "documents", "calls", "generated", "kept", "accepted" (queries of
        the set), "unknown", "waiting", "failed", "tokens", "cost", "currency", "taken_back_at",
        "taken_back_by"}]; names, models and messages are untrusted.
    """
    raise NotImplementedError


def what_is_left(workspace: Workspace, synthesis_id: int) -> dict[str, Any]:
    """How far a run is.

    Returns:
        {"synthesis_id", "state", "tasks", "answered", "waiting", "failed", "calls", "unknown"
        (calls of which nothing is recorded: they may have been paid for), "in_flight"}.

    Raises:
        BuilderError: There is no such run.
    """
    raise NotImplementedError


def calls_of(workspace: Workspace, synthesis_id: int) -> list[dict[str, Any]]:
    """The ledger of a run: every HTTP request, in the order of sending.

    Returns:
        [{"call_id", "position", "doc_id", "prompt", "language", "attempt", "seed", "sent_at",
        "answered_at", "rung", "outcome" (None: unknown), "message", "status", "model_served",
        "finish_reason", "prompt_tokens", "completion_tokens", "cached_tokens", "cost",
        "milliseconds", "answer"}]; messages and answers are untrusted.

    Raises:
        BuilderError: There is no such run.
    """
    raise NotImplementedError


def provenance_of(workspace: Workspace, candidate_id: int) -> dict[str, Any]:
    """How a query came to be.

    Returns:
        {"candidate_id", "synthesis_id", "doc_id", "first_character", "last_character",
        "model_asked", "model_served", "base_url", "prompt", "prompt_hash", "language", "examples",
        "temperature", "max_tokens", "seed", "rung", "attempt", "sent_at", "answer" (as the server
        gave it), "finish_reason", "prompt_tokens", "completion_tokens", "cost" (of the whole call),
        "currency", "request_hash"}.

    Raises:
        BuilderError: There is no such query.
    """
    raise NotImplementedError
