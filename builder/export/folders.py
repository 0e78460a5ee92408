"""Folders that are whole or not there, whenever the process or the power dies.

A folder is built under a name that no reader looks at, brought to the disk, and given its name in
one step. `evals/NAME` is a copy of the latest release, `evals/.releases/NAME/N`; where a kill fell
between taking the old copy away and putting the new one there, it is made again.
"""

import filecmp
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

from filelock import FileLock, Timeout

from builder.errors import BuilderError

RELEASES = ".releases"
PROVENANCE = "goldsmith.json"
_UNFINISHED = ".goldsmith-unfinished-"
LOCK_SECONDS = 600.0


@contextmanager
def evals_locked(evals_folder: Path) -> Iterator[None]:
    """Nobody else exports into this folder meanwhile; what a killed export left is removed.

    Raises:
        BuilderError: Another export has been at work for ten minutes.
    """
    try:
        with FileLock(evals_folder / ".lock", timeout=LOCK_SECONDS):
            for leftover in evals_folder.glob(f"{_UNFINISHED}*"):
                shutil.rmtree(leftover)
            yield
    except Timeout as error:
        raise BuilderError(
            "another export has been at work here for ten minutes",
            where=str(evals_folder),
            hint="Wait until it is done.",
        ) from error


@contextmanager
def unfinished_folder(parent: Path, purpose: str = "") -> Iterator[Path]:
    """A new empty folder in `parent` that no reader looks at; removed at the end if still there."""
    folder = parent / f"{_UNFINISHED}{purpose}{uuid4().hex}"
    folder.mkdir()
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def keep_release(built: Path, evals_folder: Path, name: str, number: int) -> Path:
    """Let the built folder be release `number` of the task, in one step; its path."""
    kept = evals_folder / RELEASES / name / str(number)
    kept.parent.mkdir(parents=True, exist_ok=True)
    to_disk(built)
    for file in built.rglob("*"):
        if file.is_file():
            file.chmod(0o444)  # a release is never changed, not even by mistake
    built.rename(kept)
    _sync_folder(kept.parent)
    return kept


def release_numbers(evals_folder: Path, name: str) -> list[int]:
    """The numbers of the task's releases, ascending."""
    folder = evals_folder / RELEASES / name
    if not folder.is_dir():
        return []
    return sorted(int(entry.name) for entry in folder.iterdir() if entry.name.isdecimal())


def release_folder(evals_folder: Path, name: str, number: int) -> Path:
    """Where that release lies, or would."""
    return evals_folder / RELEASES / name / str(number)


def show_latest(evals_folder: Path, name: str) -> Path:
    """Let `evals/NAME` be a copy of the latest release; its path.

    The copy is one's own: whatever is done to it, the release stays as it is.
    """
    latest = release_folder(evals_folder, name, release_numbers(evals_folder, name)[-1])
    replace_folder(latest, evals_folder / name, scratch=evals_folder)
    return evals_folder / name


def is_latest_shown(evals_folder: Path, name: str) -> bool:
    """Whether `evals/NAME` holds what the latest release holds, byte by byte."""
    latest = release_folder(evals_folder, name, release_numbers(evals_folder, name)[-1])
    shown = evals_folder / name
    files = _files(latest)
    if files != _files(shown):
        return False
    _, different, unreadable = filecmp.cmpfiles(latest, shown, files, shallow=False)
    return not different and not unreadable


def _files(folder: Path) -> list[str]:
    found = (path for path in folder.rglob("*") if not path.is_dir())
    return sorted(str(path.relative_to(folder)) for path in found)


def replace_folder(source: Path, target: Path, *, scratch: Path) -> None:
    """Let `target` be a copy of `source`: whole, whatever happens; the old one goes last.

    Args:
        source: What is copied.
        target: What becomes the copy.
        scratch: A folder on the disk of `target` for what is unfinished.
    """
    purpose = f"{target.name}-"
    for leftover in scratch.glob(f"{_UNFINISHED}{purpose}*"):
        shutil.rmtree(leftover)
    with unfinished_folder(scratch, purpose) as workplace:
        new, old = workplace / "new", workplace / "old"
        # copyfile: the copy may be written to even where the source may not.
        shutil.copytree(source, new, copy_function=shutil.copyfile)
        to_disk(new)
        if target.exists() or target.is_symlink():
            target.rename(old)
        new.rename(target)
        _sync_folder(target.parent)


def to_disk(folder: Path) -> None:
    """Bring every file and folder below to the disk, so that a rename never shows less."""
    for parent, _, names in os.walk(folder):
        for name in names:
            with (Path(parent) / name).open("rb") as written:
                os.fsync(written.fileno())
        _sync_folder(Path(parent))


def _sync_folder(folder: Path) -> None:
    if os.name != "posix":
        return  # elsewhere a folder cannot be opened
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
