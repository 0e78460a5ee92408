"""A job that only counts: it shows that jobs run, report, stop and fail, at a known pace."""

import time
from collections.abc import Mapping
from typing import Any

from builder.errors import BuilderError
from builder.workspace import Workspace
from evals.records import Progress


def rehearse(
    workspace: Workspace, parameters: Mapping[str, Any], progress: Progress
) -> dict[str, Any]:
    """Count to `steps`, one every `seconds_a_step`, and fail at the end if asked to.

    Args:
        workspace: The workspace that the job runs in.
        parameters: steps, seconds_a_step (default 0), fail: "clearly" (a BuilderError) or
            "unexpectedly" (default: not at all).
        progress: Told of each step.

    Returns:
        {"steps": how many, "workspace": its name}.
    """
    steps = int(parameters["steps"])
    for step in range(steps):
        progress("counting", step, steps)
        time.sleep(float(parameters.get("seconds_a_step", 0)))
    if parameters.get("fail") == "clearly":
        raise BuilderError("the rehearsal failed", where="step 7", hint="ask for no failure")
    if parameters.get("fail") == "unexpectedly":
        raise ZeroDivisionError("nobody expected this")
    progress("counting", steps, steps)
    return {"steps": steps, "workspace": workspace.settings.name}
