"""The cost of disagreement as the browser shows it: kept, and computed anew when it is stale."""

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from builder.crosscheck.cost import cost_of_disagreement
from builder.evaluation.kept import kept_runs
from builder.evaluation.runs import file_name
from builder.evaluation.tasks import find_task, task_names
from builder.export.folders import release_folder
from builder.export.names import DRAFT
from builder.store.documents import count_documents
from builder.store.latest import latest_changes
from builder.store.moments import now_text
from builder.workspace import Workspace
from evals.records import Progress

JOB = "disagreement"
JOB_TARGET = "builder.crosscheck.keeping:cost_job"

INLINE_DOCUMENTS = 20_000
"""Up to so many documents, and so many judgments, it takes about a second: nobody need wait."""

INLINE_JUDGMENTS = 20_000
FORMAT = 2
_FOLDER = "disagreement"
_RELEASE = re.compile(r"(?P<name>.+)@(?P<number>\d+)")


@dataclass(frozen=True, slots=True)
class CostView:
    """What is known of a task.

    Attributes:
        cost: As `cost_of_disagreement` gives it; None if it was never computed.
        made_at: When, ISO 8601 in UTC; None if never.
        is_fresh: Whether grades, models and task are still the same.
    """

    cost: dict[str, Any] | None
    made_at: str | None
    is_fresh: bool


def evaluated_tasks(workspace: Workspace) -> list[str]:
    """Names of the tasks for which runs are kept, that of the newest run first.

    Folders outside of workspace and `./evals` were known by their path only and are not in it.
    """
    names = {file_name(name.removeprefix("custom/")): name for name in task_names(workspace)}
    names[DRAFT] = DRAFT
    folders = dict.fromkeys(kept.task for kept in kept_runs(workspace.runs_folder))
    known = (names.get(folder) or _release_called(workspace, folder) for folder in folders)
    return [name for name in known if name is not None]


def cost_view(workspace: Workspace, task: str) -> CostView:
    """The cost of disagreement on the task: kept, or in a small workspace computed at once.

    In a large one what is kept comes back though it be stale, and `cost_job` makes it anew.

    Raises:
        TaskNotFoundError: There is no such task.
        BuilderError: As `cost_of_disagreement`; EvalsError likewise.
    """
    kept = _kept(_file(workspace, task))
    if kept is not None and kept["made_of"] == _made_of(workspace, task):
        return CostView(kept["cost"], kept["made_at"], is_fresh=True)
    if _is_small(workspace):
        kept = _renew(workspace, task, None)
        return CostView(kept["cost"], kept["made_at"], is_fresh=True)
    if kept is None:
        return CostView(None, None, is_fresh=False)
    return CostView(kept["cost"], kept["made_at"], is_fresh=False)


def cost_job(
    workspace: Workspace, parameters: Mapping[str, Any], progress: Progress
) -> dict[str, Any]:
    """The job that computes it and keeps it; `parameters` holds the task.

    Returns:
        {"task", "sentence"}.

    Raises:
        TaskNotFoundError: There is no such task.
        BuilderError: As `cost_of_disagreement`; EvalsError likewise.
    """
    kept = _renew(workspace, parameters["task"], progress)
    return {"task": parameters["task"], "sentence": kept["cost"]["sentence"]}


def _renew(workspace: Workspace, task: str, progress: Progress | None) -> dict[str, Any]:
    # Before it is computed: what comes meanwhile makes it stale.
    made_of = _made_of(workspace, task)
    cost = cost_of_disagreement(workspace, task, progress=progress)
    kept = {"made_of": made_of, "made_at": now_text(), "cost": cost}
    file = _file(workspace, task)
    file.parent.mkdir(parents=True, exist_ok=True)
    unfinished = file.with_name(f"{file.name}.{hashlib.sha256(made_of.encode()).hexdigest()[:8]}")
    text = json.dumps(kept, ensure_ascii=False, allow_nan=False)
    unfinished.write_bytes(text.encode("utf-8", "surrogatepass"))
    unfinished.replace(file)
    return kept


def _kept(file: Path) -> dict[str, Any] | None:
    """What was kept; None if it is not there, or of another making."""
    try:
        kept = json.loads(file.read_bytes().decode("utf-8", "surrogatepass"))
        return {name: kept[name] for name in ("made_of", "made_at", "cost")}
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _made_of(workspace: Workspace, task: str) -> str:
    """SHA-256 of what the numbers depend on: grades, runs, and the files of the task."""
    with workspace.store.read() as connection:
        changes = asdict(latest_changes(connection))
    name, files = task, []
    if task != DRAFT:
        found = find_task(workspace, task)
        name, files = found.name, [_state(file) for file in _files(found.folder)]
    runs = [
        [kept.file.name, kept.changed, kept.size]
        for kept in kept_runs(workspace.runs_folder, file_name(name))
    ]
    told = json.dumps([FORMAT, changes, files, runs], sort_keys=True)
    return hashlib.sha256(told.encode("utf-8", "surrogatepass")).hexdigest()


def _files(folder: Path) -> Iterator[Path]:
    for place in (folder, folder / "qrels"):
        if place.is_dir():
            yield from sorted(path for path in place.iterdir() if path.is_file())


def _state(file: Path) -> list[Any]:
    stat = file.stat()
    return [str(file), stat.st_mtime_ns, stat.st_size]


def _file(workspace: Workspace, task: str) -> Path:
    return workspace.cache_folder / _FOLDER / f"{file_name(task)}.json"


def _is_small(workspace: Workspace) -> bool:
    with workspace.store.read() as connection:
        few = latest_changes(connection).judgment_id <= INLINE_JUDGMENTS
        return few and count_documents(connection) <= INLINE_DOCUMENTS


def _release_called(workspace: Workspace, folder: str) -> str | None:
    """custom/NAME@N, if the folder of runs is of a release that is there."""
    parts = _RELEASE.fullmatch(folder)
    if parts is None:
        return None
    place = release_folder(workspace.evals_folder, parts["name"], int(parts["number"]))
    return f"custom/{folder}" if place.is_dir() else None
