"""A workspace where there is none: the demo's, or an empty one."""

from pathlib import Path

from builder.jobs import start_job
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


def fill_with_demo(workspace: Workspace, started_by: str) -> None:
    """Have the demo fill an empty workspace; if it is at work already, nothing happens."""
    start_job(workspace, DEMO_JOB, _DEMO_TARGET, {}, started_by)
