"""One run at a time in a workspace, whoever starts it; what a killed one held is free."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from builder.errors import BuilderError
from builder.workspace import Workspace


class AnotherRunError(BuilderError):
    """Another run is at work in this workspace."""


WAIT_SECONDS = 1.0
"""Longer than a look whether a run is at work, which holds the lock for a moment."""


@contextmanager
def alone(workspace: Workspace) -> Iterator[None]:
    """No other run begins here until the block ends.

    Raises:
        AnotherRunError: Another one is at work.
    """
    from filelock import FileLock, Timeout

    lock = FileLock(_lock_file(workspace))
    try:
        lock.acquire(timeout=WAIT_SECONDS)
    except Timeout as error:
        raise AnotherRunError(
            "another run of a language model is at work in this workspace; nothing was sent",
            where=str(workspace.root),
            hint="Wait until it is done, or stop it; its answers are kept.",
        ) from error
    try:
        yield
    finally:
        lock.release()


def is_at_work(workspace: Workspace) -> bool:
    """Whether a process runs a synthesis here at this moment."""
    from filelock import FileLock, Timeout

    try:
        with FileLock(_lock_file(workspace), timeout=0):
            return False
    except Timeout:
        return True


def _lock_file(workspace: Workspace) -> Path:
    return workspace.cache_folder / "synthesis.lock"
