"""Run files that somebody hands over: kept in the workspace, so that a filling can be repeated."""

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from builder.people import Person, require
from builder.workspace import Workspace
from ui.uploads import plain_parts

FOLDER = "uploaded"
"""Within the workspace's folder of runs; what is evaluated there lies elsewhere."""
_SHORT = 8


class Upload(Protocol):
    """What Streamlit hands over, anew at each run of the page."""

    name: str

    def getvalue(self) -> bytes:
        """All of it."""


def keep_run_files(workspace: Workspace, person: Person, uploads: Sequence[Upload]) -> list[Path]:
    """Where the files lie now; the same content under the same name lies there once.

    Raises:
        NotAllowedError: The person is no analyst.
    """
    require(person, "analyst")
    folder = workspace.runs_folder / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    return [_keep(folder, upload) for upload in uploads]


def _keep(folder: Path, upload: Upload) -> Path:
    """The file under its own name, with a mark where another content has that name already."""
    content = upload.getvalue()
    plain = Path(plain_parts(upload.name)[-1])
    target = folder / plain
    if target.exists():
        if target.read_bytes() == content:
            return target
        mark = hashlib.sha256(content).hexdigest()[:_SHORT]
        target = target.with_name(f"{plain.stem}-{mark}{plain.suffix}")
    unfinished = target.with_name(f".{target.name}.part")
    unfinished.write_bytes(content)
    unfinished.replace(target)
    return target
