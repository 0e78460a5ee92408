"""Where the demo may work: in a workspace of its own, and one demo at a time."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from builder.errors import WorkspaceError
from builder.settings import Marks, add_marks, read_settings
from builder.store.documents import count_documents
from builder.store.judgments import count_judgments
from builder.store.queries import count_queries
from builder.workspace import SETTINGS_FILE, Workspace
from evals.records import Progress

NAME = "Python documentation"
MARKS = Marks(events="simulated", grades="illustrative")
"""By these a workspace of the demo is known."""

WAIT_SECONDS = 0.5


def demo_folder(workspace: Workspace) -> Path:
    """Where the demo keeps what it can make again."""
    folder = workspace.cache_folder / "demo"
    folder.mkdir(exist_ok=True)
    return folder


def claim(workspace: Workspace) -> None:
    """Mark an empty workspace as the demo's; one that is marked already stays as it is.

    Raises:
        WorkspaceError: It holds something that no demo brought; nothing was changed.
    """
    settings_file = workspace.root / SETTINGS_FILE
    # Read anew: another demo may have come first.
    if read_settings(settings_file).marks == MARKS:
        return
    if held := _content(workspace):
        raise WorkspaceError(
            f"This workspace holds work of its own: {', '.join(held)}. Nothing was changed.",
            where=str(workspace.root),
            hint="Give the demo a folder of its own: goldsmith --workspace FOLDER demo",
        )
    add_marks(settings_file, MARKS)


@contextmanager
def alone(workspace: Workspace, progress: Progress) -> Iterator[None]:
    """Wait until no other demo is at work here; what a killed one held is free."""
    lock = FileLock(demo_folder(workspace) / "demo.lock")
    while not lock.is_locked:
        try:
            lock.acquire(timeout=WAIT_SECONDS)
        except Timeout:
            progress("waiting for another demo", 0, None)
    try:
        yield
    finally:
        lock.release()


def _content(workspace: Workspace) -> list[str]:
    """What the workspace holds, in words; nothing if it is empty."""
    with workspace.store.read() as connection:
        counts = {
            "documents": count_documents(connection),
            "queries": count_queries(connection),
            "judgments": count_judgments(connection, 1).judgments,
        }
    held = [f"{what} ({n:,})" for what, n in counts.items() if n]
    return held + ["a search log"] * bool(workspace.lake.manifest().files("searches"))
