"""Uploaded files on their way to an import job."""

import re
import shutil
import time
import uuid
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path, PurePosixPath
from typing import Protocol

from builder.errors import BuilderError
from builder.importers.job import uploads_folder
from builder.jobs import read_job, start_job
from builder.people import Person, require
from builder.workspace import Workspace

IMPORT_JOB = "import"
_TARGET = "builder.importers.job:import_job"
_LONGEST_PART = 120
_CHUNK = 1 << 20
LONGEST_WAIT_S = 2 * 24 * 3600
"""No import takes two days."""


class Upload(Protocol):
    """What Streamlit hands over."""

    name: str

    def read(self, size: int = -1, /) -> bytes:
        """The next bytes."""


def import_uploads(
    workspace: Workspace, person: Person, what: str, uploads: Sequence[Upload], **options: object
) -> int:
    """Keep the uploads until they are imported, and start the import; the job's id.

    Args:
        workspace: Where to.
        person: Who asks.
        what: corpus, queries, judgments, events, book, or folder for several files.
        uploads: One file, or the files of a task folder with their paths as names.
        options: update, rater, timezone and what else `builder.importers.job` knows.

    Raises:
        NotAllowedError: The person is no analyst.
        BuilderError: Another import is at work.
    """
    path = keep_uploads(workspace, person, uploads, as_folder=what == "folder")
    return start_import(workspace, person, what, path, **options)


def keep_uploads(
    workspace: Workspace, person: Person, uploads: Sequence[Upload], *, as_folder: bool = False
) -> Path:
    """Where the uploaded file, or the folder of several, waits for its import.

    Raises:
        NotAllowedError: The person is no analyst.
    """
    require(person, "analyst")
    _drop_forgotten(workspace)
    place = uploads_folder(workspace) / uuid.uuid4().hex
    for upload in uploads:
        parts = plain_parts(upload.name)
        _keep(upload, place.joinpath(*(parts if as_folder else parts[-1:])))
    return _common_folder(place) if as_folder else next(place.iterdir())


def start_import(
    workspace: Workspace, person: Person, what: str, path: Path, **options: object
) -> int:
    """Import what was kept at `path`; the job's id.

    It is deleted in the end; with `keep` only where something of it came in.

    Raises:
        NotAllowedError: The person is no analyst.
        BuilderError: Another import is at work.
    """
    require(person, "analyst")
    parameters = {"what": what, "path": str(path), "actor": person.name, **options}
    job_id = start_job(workspace, IMPORT_JOB, _TARGET, parameters, person.name)
    if read_job(workspace, job_id).parameters["path"] != str(path):
        if not options.get("keep"):
            drop_upload(path)
        raise BuilderError("Another import is at work.", hint="Start this one when it has ended.")
    return job_id


def drop_upload(path: Path) -> None:
    """Delete what was kept."""
    shutil.rmtree(path.parent, ignore_errors=True)


def _drop_forgotten(workspace: Workspace) -> None:
    """Delete uploads that nobody came back to: a log holds what users did, and waits no longer."""
    folder = uploads_folder(workspace)
    for place in folder.iterdir() if folder.is_dir() else ():
        with suppress(FileNotFoundError):
            if time.time() - place.stat().st_mtime > LONGEST_WAIT_S:
                shutil.rmtree(place, ignore_errors=True)


def _keep(upload: Upload, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    with target.open("wb") as file:
        while chunk := upload.read(_CHUNK):
            file.write(chunk)


def plain_parts(name: str) -> list[str]:
    """A browser's file name as the parts of a path that leads nowhere else."""
    parts = [re.sub(r"[^\w.() -]", "_", part) for part in PurePosixPath(name).parts]
    plain = [part[-_LONGEST_PART:] for part in parts if part.strip(". _")]
    return plain or ["upload"]


def _common_folder(place: Path) -> Path:
    """The uploaded folder; files that came without one get one."""
    inside = list(place.iterdir())
    if len(inside) == 1 and inside[0].is_dir():
        return inside[0]
    folder = place / "task"
    folder.mkdir()
    for path in inside:
        shutil.move(path, folder / path.name)
    return folder
