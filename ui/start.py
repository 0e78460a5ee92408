"""A workspace where there is none: the demo's, or an empty one."""

from pathlib import Path

from builder.jobs import recent_jobs, start_job
from builder.workspace import Workspace, init_workspace

DEMO_JOB = "demo"
_DEMO_TARGET = "builder.demo.recipe:demo_job"
_DEMO_NAME = "Python documentation"


def start_empty(folder: Path, name: str) -> None:
    """Make an empty workspace; without a name it is called as its folder.

    Raises:
        BuilderError: The folder is a workspace already, or cannot be written.
    """
    init_workspace(folder, name.strip() or None).close()


def start_demo(folder: Path) -> None:
    """Make a workspace and have the demo fill it, as a job that outlives the tab.

    Raises:
        BuilderError: The folder is a workspace already, or cannot be written.
    """
    with init_workspace(folder, _DEMO_NAME) as workspace:
        fill_with_demo(workspace, "demo")


def demo_is_half_made(workspace: Workspace) -> bool:
    """Whether the last attempt to fill the workspace with the demo was cancelled or failed."""
    attempts = (job for job in recent_jobs(workspace, limit=50) if job.kind == DEMO_JOB)
    last = next(attempts, None)
    return last is not None and last.state in ("cancelled", "failed")


def fill_with_demo(workspace: Workspace, started_by: str) -> None:
    """Have the demo fill an empty workspace; if it is at work already, nothing happens."""
    start_job(workspace, DEMO_JOB, _DEMO_TARGET, {}, started_by)
