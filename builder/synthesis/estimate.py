"""What a run of a language model will take, before anything is sent: tokens, money, time."""

from collections.abc import Mapping
from typing import Any

from builder.synthesis.plan import SynthPlan
from builder.workspace import Workspace
from evals.records import Progress


def estimate(
    workspace: Workspace,
    plan: SynthPlan,
    progress: Progress | None = None,
    *,
    environment: Mapping[str, str],
) -> dict[str, Any]:
    """What `synth` by this plan would send at this moment; nothing is sent or written.

    Args:
        workspace: Its documents.
        plan: What is asked for.
        progress: Hears how far it is; may raise to stop.
        environment: Where the key is looked for (`os.environ`); only whether it is there is told.

    Returns:
        documents; calls (without repeats of failed ones); queries: as many as are asked for;
        tokens: {"input", "output", "total", "low", "high" (of the total), "measured" (whether
        earlier calls of this model and these prompts told the ratio)}; cost: {"value", "low",
        "high", "currency"}, None where the price of the model is unknown; seconds; concurrency;
        host; model; key_found; skipped: {reason: documents}; strata: [{"stratum", "documents",
        "chosen"}]; warnings: sentences; caps: {"max_calls", "max_total_tokens", "max_cost"};
        digest: of all that would be sent, which `synth` takes to send just that.

    Raises:
        BuilderError: The plan makes no sense, no model is named, there is no document to ask for.
        EvalsError: A model that parts the documents cannot be loaded.
    """
    raise NotImplementedError


def estimate_job(
    workspace: Workspace, parameters: Mapping[str, Any], progress: Progress
) -> dict[str, Any]:
    """The job that estimates: `parameters` holds actor (a name) and plan (`SynthPlan.as_json`).

    Returns:
        As `estimate`.

    Raises:
        BuilderError: As `estimate`; NotAllowedError where the actor is no analyst.
    """
    raise NotImplementedError
