"""Takes a sampling back: the queries that only it brought go, unless somebody worked on them."""

from typing import Any

from builder.errors import BuilderError
from builder.mining.mining import known_sampling
from builder.people import Person, authorize, called
from builder.store import activity
from builder.store.samplings import take_back
from builder.workspace import Workspace

TAKEN_BACK = "sampling.take_back"


def take_back_sampling(
    workspace: Workspace, sampling_id: int, actor: Person | None = None
) -> dict[str, Any]:
    """Let the queries go that only samplings brought, of which this was the last that stood.

    A query stays if another sampling that stands drew it (other_sampling), if it has a pair in the
    pool (in_pool: a rater may have that on screen; taking the pooling back first frees it), if
    raters said something about it (discussed), or if an analyst changed it (edited). Queries that
    were there before the first sampling of theirs stay without being counted.

    Returns:
        sampling_id; queries_removed; kept: {reason: queries}.

    Raises:
        BuilderError: There is no such sampling, or it was taken back before.
        NotAllowedError: The actor is no analyst.
    """
    authorize(workspace, actor, "analyst")
    with workspace.store.write() as connection:
        row = known_sampling(connection, sampling_id)
        if row.taken_back_at is not None:
            raise BuilderError(
                f"sampling {sampling_id} was taken back already, on {row.taken_back_at[:10]} "
                f"by {row.taken_back_by}"
            )
        gone = take_back(connection, sampling_id, called(actor))
        told = {"queries_removed": len(gone.queries), "kept": gone.kept}
        activity.note(connection, called(actor), TAKEN_BACK, str(sampling_id), told)
    return {"sampling_id": sampling_id, **told}
