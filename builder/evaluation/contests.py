"""Contests: results that may be compared, since they are of the same content of one split.

A result belongs to a release where its content hash is that of the release's files; so it still
counts for a newer release in which nothing changed that could move a score.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from builder.evaluation.again import Known, commands_again
from builder.export.folders import release_folder
from builder.export.provenance import SPLIT
from builder.store.releases import Release, all_releases
from builder.workspace import Workspace
from evals.results import MAIN_SCORE, Result, read_results
from evals.taskfolder import written_content_hash

_NUMBER = re.compile(r"@\d+$")


@dataclass(frozen=True, slots=True)
class Contest:
    """Results on one content of one split of a task.

    Attributes:
        task: Name of the task, without a release's number.
        split: The split.
        content_hash: Of what the results are; "" where there is none.
        release: The newest release with this content; None: a draft, or another folder.
        newest: The newest release of the task; None if it has none.
        results: The best first; one for each model and its options. Empty: a newest release on
            which nothing was evaluated yet.
        behind: Where this is the newest release: of each model that was evaluated on another
            content of the task only, the latest result, and its release (None: of none).
    """

    task: str
    split: str
    content_hash: str
    release: Release | None
    newest: Release | None
    results: Sequence[Result]
    behind: Sequence[tuple[Result, Release | None]] = ()

    @property
    def is_newest(self) -> bool:
        """Whether it is the newest release of its task."""
        return self.release is not None and self.release == self.newest

    @property
    def name(self) -> str:
        """NAME@N, or the task's name where it is no release."""
        return self.task if self.release is None else f"{self.task}@{self.release.number}"

    @property
    def moment(self) -> str:
        """When it was released, else when the newest result was made; ISO 8601 in UTC."""
        if self.release is not None:
            return self.release.created_at
        return max(result.created_at for result in self.results)

    @property
    def commands(self) -> list[str]:
        """What evaluates the models that are behind on this release."""
        models = [Known.of(result.model, result.model_key) for result, _ in self.behind]
        return commands_again(models, f"custom/{self.task}")


def contests(workspace: Workspace) -> list[Contest]:
    """All contests, the newest first; the newest release of each task even without a result.

    Raises:
        EvalsError: A file of results is broken.
    """
    with workspace.store.read() as connection:
        releases = all_releases(connection)
    of_task: dict[str, list[Result]] = {release.name: [] for release in releases}
    for result in read_results(workspace.results_folder):
        of_task.setdefault(_NUMBER.sub("", result.task), []).append(result)
    found: list[Contest] = []
    for task, results in of_task.items():
        of_name = [release for release in releases if release.name == task]
        found += _contests_of(task, results, of_name, workspace.evals_folder)
    return sorted(found, key=lambda contest: contest.moment, reverse=True)


def newest_with_results(found: Sequence[Contest]) -> Contest | None:
    """The newest release that has results; what is no release counts only where there is none."""
    released = [contest for contest in found if contest.release is not None]
    return next((contest for contest in released or found if contest.results), None)


def _contests_of(
    task: str, results: Sequence[Result], releases: Sequence[Release], evals_folder: Path
) -> list[Contest]:
    """Those of one task; `releases` has the newest first."""
    wanted = {(result.split, result.content_hash) for result in results}
    known = _releases_by_content(releases, wanted, evals_folder)
    newest = releases[0] if releases else None
    by_content: dict[tuple[str, str], list[Result]] = {}
    for result in results:
        by_content.setdefault((result.split, result.content_hash), []).append(result)
    found = [
        Contest(task, *content, known.get(content), newest, _best_first(of_content))
        for content, of_content in by_content.items()
    ]
    if newest is not None and not any(contest.is_newest for contest in found):
        found.append(Contest(task, SPLIT, "", newest, newest, []))
    return [_with_behind(contest, found) if contest.is_newest else contest for contest in found]


def _with_behind(newest: Contest, found: Sequence[Contest]) -> Contest:
    """The newest contest, with the models that were evaluated on others of its split only."""
    there = {_known(result) for result in newest.results}
    latest: dict[Known, tuple[Result, Release | None]] = {}
    for contest in sorted(found, key=lambda contest: contest.moment, reverse=True):
        if contest.split == newest.split and contest is not newest:
            for result in contest.results:
                latest.setdefault(_known(result), (result, contest.release))
    behind = [latest[model] for model in sorted(latest.keys() - there)]
    return replace(newest, behind=behind)


def _known(result: Result) -> Known:
    return Known.of(result.model, result.model_key)


def _best_first(results: Iterable[Result]) -> list[Result]:
    """The best first; evaluated as NAME and as NAME@N is evaluated once."""
    latest: dict[tuple[str, int | None, int], Result] = {}
    for result in sorted(results, key=lambda result: result.created_at):
        latest[result.model_key, result.depth, result.scores.relevance_level] = result
    return sorted(
        latest.values(), key=lambda result: (-(result.metrics[MAIN_SCORE] or 0.0), result.model)
    )


def _releases_by_content(
    releases: Sequence[Release], wanted: set[tuple[str, str]], evals_folder: Path
) -> dict[tuple[str, str], Release]:
    """(split, content hash) -> the newest release that holds it, for all of `wanted` that have one.

    Only as many releases are read as it takes.
    """
    found: dict[tuple[str, str], Release] = {}
    for release in releases:
        if wanted <= found.keys():
            break
        folder = release_folder(evals_folder, release.name, release.number)
        try:
            changed = (folder / "corpus.jsonl").stat().st_mtime_ns
            content = _content_hash(folder, changed)
        except OSError:
            continue  # the folder was removed; what it held is not known any more
        found.setdefault((SPLIT, content), release)
    return found


@lru_cache(maxsize=256)
def _content_hash(folder: Path, changed: int) -> str:
    """A release is never changed: it is read once, and again only if it was put in place anew."""
    del changed  # only a part of the key
    return written_content_hash(folder, SPLIT)
