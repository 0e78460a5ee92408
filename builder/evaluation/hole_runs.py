"""What a comparison is made of: a task as it was frozen, and the runs that answer just that."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from builder.errors import BuilderError
from builder.evaluation.contests import Contest, contests, newest_with_results
from builder.evaluation.kept import KeptAs, kept_runs, labelled
from builder.evaluation.runs import Searched, file_name
from builder.evaluation.tasks import find_task, resolve_task, told_by_export
from builder.export.folders import release_folder
from builder.export.names import DRAFT
from builder.workspace import Workspace
from evals.records import Progress, Qrels
from evals.taskfolder import Task, read_task

STALE_RUN = "stale_run"
NO_KEPT_RUN = "no_kept_run"

_State = tuple[tuple[str, int, int], ...]


@dataclass(frozen=True, slots=True)
class Frozen:
    """A task without its texts.

    Attributes:
        name: As results call it.
        qrels: Its judgments.
        content_hash: Of corpus, queries and judgments, as results have it.
        searched: Of corpus and judged queries, as runs have it.
        release: The number of the release; None where it is none.
        rule: How grades of one pair become one.
        min_raters: How many grades a pair needs.
    """

    name: str
    qrels: Qrels
    content_hash: str
    searched: str
    release: int | None
    rule: str
    min_raters: int

    @classmethod
    def of(cls, task: Task) -> "Frozen":
        """What is needed of a task."""
        told = told_by_export(task.folder)
        aggregation = told.get("aggregation") or {}
        return cls(
            name=task.name,
            qrels=task.qrels,
            content_hash=task.content_hash,
            searched=Searched(task).content_hash,
            release=told.get("release"),
            rule=aggregation.get("rule", "majority"),
            min_raters=aggregation.get("min_raters", 1),
        )


@dataclass(frozen=True, slots=True)
class Compared:
    """What is compared.

    Attributes:
        task: The task.
        runs: Model -> its latest run on this corpus and these queries.
        left_out: {"model", "why"} of models that have a result here and no such run.
    """

    task: Frozen
    runs: Mapping[str, KeptAs]
    left_out: Sequence[Mapping[str, str]]


def find_compared(
    workspace: Workspace,
    task: str | None,
    models: Sequence[str] | None = None,
    progress: Progress | None = None,
) -> Compared | None:
    """The task and its runs; None where no task is named and nothing was evaluated.

    The models are those with a result on just this content; where there are no results, such as
    of a draft that went on, all that have a run.

    Args:
        workspace: Where results and runs lie.
        task: As `resolve_task` takes it; None: the newest release with results.
        models: Only these; None: all.
        progress: Hears how far a draft is written.

    Raises:
        TaskNotFoundError: There is no such task.
        BuilderError: A model is unknown, or the draft is empty.
        EvalsError: The task or a file of results cannot be read.
    """
    found = contests(workspace)
    if task is None:
        contest = newest_with_results(found)
        if contest is None:
            return None
        frozen = _frozen_contest(workspace, contest, progress)
    else:
        frozen = _frozen_task(workspace, task, progress)
        of_content = [each for each in found if each.content_hash == frozen.content_hash]
        contest = next((each for each in of_content if each.results), None)
    return _only(_compared(workspace, frozen, contest), models)


def _frozen_contest(workspace: Workspace, contest: Contest, progress: Progress | None) -> Frozen:
    if contest.release is None:
        return _frozen_task(workspace, contest.task, progress)
    release = contest.release
    return _frozen(
        release_folder(workspace.evals_folder, release.name, release.number), contest.name
    )


def _frozen_task(workspace: Workspace, task: str, progress: Progress | None) -> Frozen:
    if task == DRAFT:
        return Frozen.of(resolve_task(workspace, task, progress=progress)[0])
    found = find_task(workspace, task)
    return _frozen(found.folder, found.name)


def _frozen(folder: Path, name: str) -> Frozen:
    files = [*folder.glob("*.json*"), *folder.glob("qrels*"), *folder.glob("qrels/*")]
    stats = ((str(file), file.stat()) for file in sorted(files))
    return _read(folder, name, tuple((file, one.st_mtime_ns, one.st_size) for file, one in stats))


@lru_cache(maxsize=16)
def _read(folder: Path, name: str, state: _State) -> Frozen:
    """A task is read once, and again only when one of its files has changed."""
    del state  # only a part of the key
    return Frozen.of(read_task(folder, name=name))


def _compared(workspace: Workspace, frozen: Frozen, contest: Contest | None) -> Compared:
    kept = kept_runs(workspace.runs_folder)
    fresh: dict[str, KeptAs] = {}
    for run in kept:
        if run.searched == frozen.searched:
            fresh.setdefault(run.model_key, run)
    if contest is None:
        asked = {run.model_key: run.model for run in kept if run.task == file_name(frozen.name)}
        asked |= {key: run.model for key, run in fresh.items()}
    else:
        asked = {result.model_key: result.model for result in contest.results}
    known = {run.model_key for run in kept}
    left_out = [
        {"model": model, "why": STALE_RUN if key in known else NO_KEPT_RUN}
        for key, model in asked.items()
        if key not in fresh
    ]
    return Compared(frozen, labelled([fresh[key] for key in asked if key in fresh]), left_out)


def _only(compared: Compared, models: Sequence[str] | None) -> Compared:
    if models is None:
        return compared
    unknown = [model for model in models if model not in compared.runs]
    if unknown:
        raise BuilderError(
            f"no run of {', '.join(unknown)} is kept for {compared.task.name}",
            hint=f"Runs are kept of {', '.join(compared.runs) or 'no model'}.",
        )
    runs = {model: compared.runs[model] for model in dict.fromkeys(models)}
    return Compared(compared.task, runs, compared.left_out)
