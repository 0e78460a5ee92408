"""Draws queries from the log, shows what the sample stands for, and brings it into the store."""

from collections.abc import Mapping
from typing import Any

from builder.mining.options import Sampling
from builder.people import Person
from builder.workspace import Workspace
from evals.records import Progress


def mine(
    workspace: Workspace,
    options: Sampling,
    *,
    dry_run: bool = False,
    progress: Progress | None = None,
    actor: Person | None = None,
) -> dict[str, Any]:
    """Draw queries from the log, and bring those into the workspace that it does not have.

    Args:
        workspace: Its log, and where the queries go.
        options: How they are drawn.
        dry_run: Only tell what would come; nothing is written.
        progress: Hears what is done; may raise to cancel, and then nothing was written.
        actor: Who asks for it in the browser; None at the terminal.

    Returns:
        queries: {"seen", "eligible", "sampled", "dropped": {reason: n}, "new", "known", "retired"
        (known ones that nobody is asked for), "merged" (groups that became part of another; also
        a reason of dropped), "masked"}; seen = eligible + all dropped, in query groups.
        evidence: {"pairs", "labelled"} of the whole choice.
        traffic: {"searches" (seen), "eligible_searches", "sampled_searches", "share"}.
        strata: [{"stratum", "queries", "searches", "share_of_searches", "sampled",
        "sampled_searches", "share_of_stratum" (of its searches), "inclusion_probability" (None
        where it differs within the stratum)}].
        personal_data: {"handling", "queries", "searches", "by_kind": {kind: queries}}.
        sampling_id: its number; None where nothing was written.
        unchanged: the number of an earlier sampling that holds the same, or None.
        seed; parameters: `options`; warnings: [text].
        sample: [{"query_id", "text", "stratum", "searches", "sessions", "inclusion_probability",
        "weight", "known", "retired", "variants": [[text, searches]]}], by stratum, the most
        searches first.

    Raises:
        BuilderError: The log is empty, or no query of it is eligible; counted with reasons.
        NotAllowedError: The actor is no analyst.
        OnlineError: The lake is damaged.
    """
    raise NotImplementedError


def mine_job(
    workspace: Workspace, parameters: Mapping[str, Any], progress: Progress
) -> dict[str, Any]:
    """The job that mines: `parameters` holds actor (a name) and sampling (`Sampling.as_json`).

    Raises:
        BuilderError: As `mine`; NotAllowedError likewise.
    """
    raise NotImplementedError


def list_samplings(workspace: Workspace) -> list[dict[str, Any]]:
    """All samplings, the latest first.

    Returns:
        [{"sampling_id", "created_at", "created_by", "parameters" (`Sampling.as_json`), "outcome"
        (as `mine`, without "sample"), "taken_back_at", "taken_back_by" (None while it stands)}].
    """
    raise NotImplementedError


def repeat(
    workspace: Workspace,
    sampling_id: int,
    *,
    dry_run: bool = False,
    progress: Progress | None = None,
    actor: Person | None = None,
) -> dict[str, Any]:
    """Draw again as this sampling did, from the log as it is now; as `mine`.

    Raises:
        BuilderError: There is no such sampling; else as `mine`.
    """
    raise NotImplementedError
