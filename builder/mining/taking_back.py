"""Takes a sampling back: the queries that only it brought go, unless somebody worked on them."""

from typing import Any

from builder.people import Person
from builder.workspace import Workspace


def take_back_sampling(
    workspace: Workspace, sampling_id: int, actor: Person | None = None
) -> dict[str, Any]:
    """Let the queries go that only this sampling brought.

    A query stays if anybody judged, decided or said anything on it, if another sampling that
    stands drew it, or if an analyst changed it. One that only has pairs goes with its pairs.

    Returns:
        sampling_id; queries_removed; pairs_removed; kept: {reason: queries}, of the queries that
        it brought: judged, other_sampling, edited.

    Raises:
        BuilderError: There is no such sampling, or it was taken back before.
        NotAllowedError: The actor is no analyst.
    """
    raise NotImplementedError
