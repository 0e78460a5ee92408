"""From what a person types to a task: draft, custom/NAME, evals/NAME, NAME@N, or a folder."""

import json
import re
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from builder.errors import TaskNotFoundError
from builder.export import folders
from builder.export.names import DRAFT
from builder.export.release import write_draft
from builder.workspace import Workspace
from evals.records import Progress
from evals.taskfolder import Task, read_task

# One part of a path, whatever its letters: a folder that another tool made may be called anything.
_NAME = re.compile(
    r"(?:(?P<room>custom|evals)/)?(?P<name>[^/\\@\0.][^/\\@\0]*)(?:@(?P<number>\d+))?"
)
_AT_MOST = 20
_PARTS = ("corpus.jsonl", "corpus.jsonl.gz", "qrels", "qrels.tsv")


@dataclass(frozen=True, slots=True)
class _Asked:
    """A task name, taken apart."""

    name: str
    number: int | None
    has_room: bool


@dataclass(frozen=True, slots=True)
class Found:
    """A task folder, and what is to be said about how it was found.

    Attributes:
        folder: Where it lies.
        name: What results call the task: NAME, NAME@N, or the folder's name.
        notes: Which of several places it is.
    """

    folder: Path
    name: str
    notes: list[str] = field(default_factory=list)


def resolve_task(
    workspace: Workspace | None,
    name: str,
    split: str | None = None,
    progress: Progress | None = None,
) -> tuple[Task, list[str]]:
    """The task of this name, and what a reader of its scores should know about the choice.

    `draft` is the workspace's grades of this moment, never a release. `custom/NAME` and
    `evals/NAME` are `./evals/NAME` if that is there, else the workspace's; `NAME@N` is the N-th
    release. Anything else is a folder.

    Args:
        workspace: Where releases and grades lie; None: only folders and `./evals` are known.
        name: What was typed.
        split: Which split; None: test, train, dev, or a qrels.tsv at the root.
        progress: Hears how far a draft is written.

    Raises:
        TaskNotFoundError: The name leads to no folder; those that exist are named.
        BuilderError: It is the draft, and nothing is graded.
        EvalsError: The folder cannot be read as a task.
    """
    if name == DRAFT and workspace is not None:
        return _draft(workspace, split, progress), ["draft: the grades of this moment, no release"]
    found = find_task(workspace, name)
    return read_task(found.folder, split, name=found.name), found.notes


def find_task(workspace: Workspace | None, name: str) -> Found:
    """The task folder of this name; `draft` has none.

    Raises:
        TaskNotFoundError: The name leads to no folder; those that exist are named.
    """
    asked = _taken_apart(name)
    is_path = asked is None or not (asked.has_room or asked.number is not None)
    if name and is_path and Path(name).is_dir():
        return Found(Path(name).resolve(), Path(name).resolve().name)
    found = None if asked is None else _named(workspace, asked)
    if found is None:
        raise _not_found(workspace, name)
    return found


def task_names(workspace: Workspace | None) -> list[str]:
    """Names of the tasks in `./evals` and in the workspace, as `custom/NAME`."""
    names = {name for folder in _evals_folders(workspace) for name in _names_in(folder)}
    return [f"custom/{name}" for name in sorted(names)]


def told_by_export(folder: Path) -> dict[str, Any]:
    """What an export told of how it made the folder; empty for folders of other tools."""
    try:
        told = json.loads((folder / folders.PROVENANCE).read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return told if isinstance(told, dict) else {}


def _names_in(evals_folder: Path) -> Iterator[str]:
    """Of task folders, and of releases, even where the copy of the latest is gone."""
    for folder in _folders_in(evals_folder):
        if _holds_a_task(folder):
            yield folder.name
    for folder in _folders_in(evals_folder / folders.RELEASES):
        yield folder.name


def _folders_in(folder: Path) -> list[Path]:
    if not folder.is_dir():
        return []
    return [path for path in folder.iterdir() if path.is_dir() and not path.name.startswith(".")]


def _holds_a_task(folder: Path) -> bool:
    """Whether a folder looks like a task: in a checkout, ./evals is also a Python package."""
    return any((folder / part).exists() for part in _PARTS)


def _taken_apart(name: str) -> _Asked | None:
    """The parts of a name such as custom/NAME@N; None if it can only be a path."""
    parts = _NAME.fullmatch(name)
    if parts is None:
        return None
    number = parts["number"]
    return _Asked(parts["name"], None if number is None else int(number), parts["room"] is not None)


def _named(workspace: Workspace | None, asked: _Asked) -> Found | None:
    """The first place that has the task, and whether another has it too."""
    places = [
        place
        for folder in _evals_folders(workspace)
        if (place := _place(folder, asked)) is not None
    ]
    if not places:
        return None
    first, *others = places
    called = asked.name if asked.number is None else f"{asked.name}@{asked.number}"
    notes = [f"custom/{called} is {first}"]
    if others:
        notes = [f"TWO TASKS ARE CALLED {called}: {first} was taken, {others[0]} was not"]
    return Found(first, called, notes)


def _evals_folders(workspace: Workspace | None) -> Iterator[Path]:
    """The folders in which named tasks lie, `./evals` first; each once."""
    here = Path("evals").resolve()
    yield here
    if workspace is not None and workspace.evals_folder.resolve() != here:
        yield workspace.evals_folder


def _place(evals_folder: Path, asked: _Asked) -> Path | None:
    if asked.number is not None:
        folder = folders.release_folder(evals_folder, asked.name, asked.number)
        return folder if folder.is_dir() else None
    folder = evals_folder / asked.name
    if not folder.is_dir() and folders.release_numbers(evals_folder, asked.name):
        # An export was killed between taking the old copy away and putting the new one there.
        with folders.evals_locked(evals_folder):
            folders.show_latest(evals_folder, asked.name)
    return folder if folder.is_dir() else None


def _not_found(workspace: Workspace | None, name: str) -> TaskNotFoundError:
    if name == DRAFT:
        return TaskNotFoundError(
            "a draft needs a workspace", hint="Name one with --workspace or GOLDSMITH_WORKSPACE."
        )
    names = task_names(workspace)
    there = _listed(names) if names else "none yet; make one with `goldsmith export NAME`"
    return TaskNotFoundError(
        f"there is no task {name!r}", where=_places(workspace), hint=f"Tasks here: {there}."
    )


def _places(workspace: Workspace | None) -> str:
    return ", ".join(str(folder) for folder in _evals_folders(workspace))


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(names[:_AT_MOST])
    return f"{shown}, …" if len(names) > _AT_MOST else shown


def _draft(workspace: Workspace, split: str | None, progress: Progress | None) -> Task:
    """The grades of this moment, by the rules that `export` has by default."""
    target = workspace.cache_folder / DRAFT
    with folders.unfinished_folder(workspace.cache_folder) as workplace:
        written = workplace / DRAFT
        written.mkdir()
        with workspace.store.read() as connection:
            write_draft(workspace, connection, written, DRAFT, progress)
        task = read_task(written, split, name=DRAFT)
        # Only to be looked at: what is evaluated has been read.
        shutil.rmtree(target, ignore_errors=True)
        written.rename(target)
    return replace(task, folder=target)
