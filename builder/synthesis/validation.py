"""Draws synthetic queries for blind validation by experts, and takes a drawing back."""

from collections.abc import Mapping
from typing import Any, Final

from builder.people import Person
from builder.workspace import Workspace
from evals.records import Progress

SOURCE: Final = "validation"
"""Who names the pairs that a validation puts into the pool, source documents and others alike."""
DRAWN: Final = "validation.draw"
TAKEN_BACK: Final = "validation.take_back"


def draw_validation(  # noqa: PLR0913 - what is drawn, and how
    workspace: Workspace,
    share: float = 0.25,
    seed: int = 0,
    others: int = 3,
    *,
    dry_run: bool = False,
    progress: Progress | None = None,
    actor: Person | None = None,
) -> dict[str, Any]:
    """Draw synthetic queries at random, stratified, and put them blind into the experts' queue.

    Of each drawn query the source document and up to `others` further ones that two retrievers rank
    for it join the pool under one source, in one filling: nothing tells which is which. The latest
    validation that stands is the one that counts. The same drawing again writes nothing.

    Args:
        workspace: Whose synthetic queries.
        share: Which share of them, above 0 and at most 1.
        seed: A greater share of the same seed holds the smaller one.
        others: Further documents of each drawn query; 0 tells raters which document it came from.
        dry_run: Only tell what would be drawn; nothing is written.
        progress: Hears what is done; may raise to cancel, and then nothing was written.
        actor: Who asks for it in the browser; None at the terminal.

    Returns:
        validation_id: None where nothing was written; unchanged: the number of the latest
        validation where that drew the same, else None; queries: active synthetic queries; drawn;
        strata: [{"stratum", "queries", "drawn"}]; by: what they are parted by, "type and language",
        "type" or "nothing"; others: further documents that were named; alone: drawn queries for
        which none was found; pairs_added; pooling_id; graded: drawn ones that an expert has graded
        already; share; seed; warnings: [sentence].

    Raises:
        BuilderError: There is no synthetic query, the share makes no sense, no retriever runs, or
            the queries changed meanwhile.
        NotAllowedError: The actor is no analyst.
    """
    raise NotImplementedError


def draw_validation_job(
    workspace: Workspace, parameters: Mapping[str, Any], progress: Progress
) -> dict[str, Any]:
    """The job that draws: `parameters` holds actor (a name), share, seed and others.

    With "dry_run": True it only tells what would be drawn.
    """
    raise NotImplementedError


def list_validations(workspace: Workspace) -> list[dict[str, Any]]:
    """All drawings, the latest first.

    Returns:
        [{"validation_id", "created_at", "created_by", "parameters" (share, seed, others, rule),
        "outcome" (as `draw_validation`, once taken back also "taken_back"), "taken_back_at",
        "taken_back_by" (None while it stands)}].
    """
    raise NotImplementedError


def take_back_validation(
    workspace: Workspace,
    validation_id: int | None = None,
    actor: Person | None = None,
    *,
    dry_run: bool = False,
) -> dict[str, Any]:
    """Let a validation stand no more, and take its filling out of the pool.

    What anybody has graded stays, as with every filling. The validation before it, if one stands,
    counts again.

    Args:
        workspace: Whose.
        validation_id: Which; None: the latest that stands.
        actor: Who asks for it in the browser; None at the terminal.
        dry_run: Only tell what would become of it; nothing is written.

    Returns:
        validation_id; filling: as `builder.pooling.take_back_pooling`, None where it had none or
        that was taken back before; standing: the number of the validation that counts afterwards,
        None if none.

    Raises:
        BuilderError: There is no such validation, or it was taken back before.
        NotAllowedError: The actor is no analyst.
    """
    raise NotImplementedError
