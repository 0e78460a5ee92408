"""The job that sends holes of an evaluation to the queue."""

from collections.abc import Mapping
from typing import Any

from builder.evaluation.holes import pool_holes
from builder.people import actor_called
from builder.workspace import Workspace
from evals.records import Progress


def holes_job(
    workspace: Workspace, parameters: Mapping[str, Any], progress: Progress
) -> dict[str, Any]:
    """As `pool_holes`: `parameters` holds actor (a name) and its options task, k, limit, models.

    Raises:
        NotAllowedError: The actor is unknown, or no analyst.
        BuilderError: As `pool_holes`; EvalsError likewise.
    """
    options = dict(parameters)
    actor = actor_called(workspace, options.pop("actor"))
    return pool_holes(workspace, actor=actor, progress=progress, **options)
