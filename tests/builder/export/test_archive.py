"""A release taken away as a zip file is the folder, file by file."""

import io
import zipfile
from pathlib import Path

import pytest

from builder.errors import BuilderError, NotAllowedError
from builder.export import export_task
from builder.export.archive import fits_archive, release_archive
from builder.people import add_person
from builder.workspace import Workspace


def test_the_archive_holds_the_folder_and_is_always_the_same(workspace: Workspace) -> None:
    dana = add_person(workspace, "Dana", "analyst", None)
    folder = Path(export_task(workspace, "shop")["task_dir"])
    assert fits_archive(workspace, "shop", 1)
    assert not fits_archive(workspace, "shop", 2)
    packed = release_archive(workspace, dana, "shop", 1)
    assert packed == release_archive(workspace, dana, "shop", 1)
    with zipfile.ZipFile(io.BytesIO(packed)) as archive:
        assert archive.testzip() is None
        held = {name: archive.read(name) for name in archive.namelist()}
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert held == {f"shop-1/{path.relative_to(folder)}": path.read_bytes() for path in files}


def test_who_may_not_or_asks_for_none_gets_none(workspace: Workspace) -> None:
    dana = add_person(workspace, "Dana", "analyst", None)
    rater = add_person(workspace, "Ray", "rater", None)
    export_task(workspace, "shop")
    with pytest.raises(NotAllowedError):
        release_archive(workspace, rater, "shop", 1)
    with pytest.raises(BuilderError, match="no release shop@7"):
        release_archive(workspace, dana, "shop", 7)
