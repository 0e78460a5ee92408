"""A release as one file to take away."""

import zipfile
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO

from builder.errors import BuilderError
from builder.export.folders import release_folder
from builder.export.judgments import downloads_folder
from builder.people import actor_called, authorize
from builder.store.people import Person
from builder.workspace import Workspace

LARGEST = 1 << 30
"""Bytes of a folder; a larger one is taken from where it lies: a browser holds files in memory."""

_EARLIEST = (1980, 1, 1, 0, 0, 0)
"""The earliest moment that a zip file can tell: so the same release is always the same file."""
_BLOCK = 1 << 20


def archive_name(name: str, number: int) -> str:
    """What the file is called: NAME-N.zip."""
    return f"{name}-{number}.zip"


def fits_archive(workspace: Workspace, name: str, number: int) -> bool:
    """Whether the folder of the release is there and small enough to be taken away so."""
    folder = release_folder(workspace.evals_folder, name, number)
    return folder.is_dir() and sum(path.stat().st_size for path in _files(folder)) <= LARGEST


def release_archive(workspace: Workspace, actor: Person, name: str, number: int) -> bytes:
    """A zip file with the release's folder NAME-N, written on the disk first and gone from there.

    Args:
        workspace: Whose release.
        actor: Who asks for it.
        name: The task's name.
        number: Which release of it.

    Raises:
        BuilderError: There is no such release.
        NotAllowedError: The actor is no analyst now.
    """
    # Asked for by a page that may have stood open for long: what counts is the role of now.
    authorize(workspace, actor_called(workspace, actor.name), "analyst")
    folder = release_folder(workspace.evals_folder, name, number)
    if not folder.is_dir():
        raise BuilderError(f"there is no release {name}@{number}", where=str(folder))
    with TemporaryDirectory(dir=downloads_folder(workspace)) as scratch:
        file = Path(scratch) / archive_name(name, number)
        with file.open("wb") as out:
            _write(folder, file.stem, out)
        return file.read_bytes()


def _files(folder: Path) -> Iterator[Path]:
    """Every file below, in the order of their names."""
    return (path for path in sorted(folder.rglob("*")) if path.is_file() and not path.is_symlink())


def _write(folder: Path, root: str, out: IO[bytes]) -> None:
    with zipfile.ZipFile(out, "w") as archive:
        for path in _files(folder):
            entry = zipfile.ZipInfo(f"{root}/{path.relative_to(folder).as_posix()}", _EARLIEST)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            with path.open("rb") as source, archive.open(entry, "w", force_zip64=True) as target:
                while block := source.read(_BLOCK):
                    target.write(block)
