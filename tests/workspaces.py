"""Workspaces for tests: each kind is made once in a process, and copied from then on.

To make one runs all steps of the schema, and to fill one imports files; a copy takes milliseconds.
"""

import os
import re
from collections.abc import Callable, Hashable
from pathlib import Path
from typing import NamedTuple

from builder.workspace import SETTINGS_FILE, Workspace, init_workspace, open_workspace


class _Kept(NamedTuple):
    """A file of a workspace, or a folder: then without content."""

    name: Path
    content: bytes | None
    modified_ns: int


_made: dict[Hashable, list[_Kept]] = {}


def new_workspace(folder: Path, name: str = "shop") -> Workspace:
    """What `init_workspace` makes."""
    return copied(init_workspace, folder, name)


def copied(make: Callable[..., Workspace], folder: Path, *given: Hashable) -> Workspace:
    """What `make(folder, *given)` makes, opened; it must not depend on anything else."""
    made = _made.get((make, given))
    if made is None:
        make(folder, *given).close()
        _made[make, given] = [_read(path, folder) for path in sorted(folder.rglob("*"))]
    else:
        folder.mkdir(parents=True, exist_ok=True)
        for kept in made:
            _write(kept, folder)
    return open_workspace(folder)


def ask_raters(root: Path, n: int) -> None:
    """Let a workspace ask so many raters for each pair, from when it is opened next."""
    settings = root / SETTINGS_FILE
    text = settings.read_text("utf-8")
    asked, found = re.subn(r"(?m)^raters_per_pair = \d+$", f"raters_per_pair = {n}", text)
    assert found == 1
    settings.write_text(asked, "utf-8")


def _read(path: Path, folder: Path) -> _Kept:
    assert not path.is_symlink()
    content = None if path.is_dir() else path.read_bytes()
    return _Kept(path.relative_to(folder), content, path.stat().st_mtime_ns)


def _write(kept: _Kept, folder: Path) -> None:
    path = folder / kept.name
    if kept.content is None:
        path.mkdir(exist_ok=True)
        return
    path.write_bytes(kept.content)
    os.utime(path, ns=(kept.modified_ns, kept.modified_ns))
