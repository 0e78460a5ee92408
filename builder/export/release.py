"""Makes a release: a task folder that is frozen, numbered, and never changed again."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from builder.errors import BuilderError
from builder.export import folders
from builder.export.names import check_task_name
from builder.export.provenance import (
    SPLIT,
    Making,
    content_hash_of,
    draft_card,
    provenance,
    release_card,
    release_counts,
)
from builder.export.raters import raters_of
from builder.export.sampling_card import Sampled
from builder.export.selection import RawGrades, Selected, Selection, pseudonyms_of, select_judged
from builder.export.synthetic import SOURCE, VALIDATED
from builder.export.synthetic_card import SyntheticPart
from builder.export.synthetic_origins import Origins
from builder.export.weak import WeakLabels, weak_labels
from builder.mining.weak_grades import WeakGrades, weak_grades
from builder.people import actor_called, authorize
from builder.store import Connection, activity
from builder.store.documents import count_documents
from builder.store.moments import now_text
from builder.store.people import Person
from builder.store.releases import Release, add_release, all_releases
from builder.store.task_rows import active_queries, documents_by_id
from builder.synthesis.validation_report import report_within
from builder.workspace import Workspace
from evals.qrels import WEAK_SPLIT
from evals.records import Progress, Qrels
from evals.taskfolder import WrittenTask, write_task

T = TypeVar("T")

RAW_FILE = "judgments.jsonl"
TELL_EVERY = 1000
AT_THE_TERMINAL = "terminal"
"""Who made a release that nobody made in the browser: whoever can write the files may."""


@dataclass(frozen=True, slots=True)
class Built:
    """A task folder that is written and not yet a release."""

    folder: Path
    making: Making
    written: WrittenTask
    content_hash: str


def export_task(  # noqa: PLR0913 - the options of the command `export`
    workspace: Workspace,
    name: str,
    *,
    tag: str | None = None,
    source: str | None = None,
    min_raters: int = 1,
    rule: str = "majority",
    keep_no_relevant: bool = False,
    synthetic: str = VALIDATED,
    header: bool = True,
    weak: bool = False,
    to: Path | None = None,
    progress: Progress | None = None,
    actor: Person | None = None,
) -> dict[str, Any]:
    """Freeze the grades of this moment into `evals/NAME` and keep it as a numbered release.

    Args:
        workspace: What is exported.
        name: What the task is called.
        tag: Only queries with this tag.
        source: Only queries from this source.
        min_raters: Pairs with fewer grades that count are left out.
        rule: How grades of one pair become one: majority, median or mean.
        keep_no_relevant: Whether queries whose grades are all 0 stay; mteb scores them 0.
        synthetic: Which synthetic queries go in: "none"; "validated", those that people graded, by
            people's grades alone; or "accepted", besides those of the strata that validation
            accepted, by the grade that came with them.
        header: Whether qrels/*.tsv begin with a header line.
        weak: Whether a split of weak labels from clicks stands beside the grades.
        to: A folder that becomes a further copy: absent, empty, or a copy made before.
        progress: Hears how far it is; may raise to stop, and then nothing was changed.
        actor: Who asks for it in the browser; None at the terminal.

    Returns:
        task_dir (absolute), release (its number), documents, queries (with a judgment that is in
        the release; weak_labels counts those that have only labels from clicks), judgments, dropped
        ({"unjudged": queries, "no_relevant": queries}; where there are any, "unvalidated":
        synthetic ones that nobody graded, "rewritten": drawn for experts and rewritten since,
        "synthetic": those that were not asked for), warnings, synthetic (as
        `SyntheticPart.as_json`), adjudicated (pairs whose grade an analyst decided), unchanged
        (whether the latest release holds the same, so that no new
        one was made), content_hash, agreement, and weak_labels (what goldsmith.json says of them;
        None without `weak`).

    Raises:
        BuilderError: The name cannot be one, no query is left, a folder of that name was not made
            by an export, or there is no weak label though they are asked for.
        NotAllowedError: The actor is no analyst.
    """
    authorize(workspace, actor, "analyst")
    selection = Selection(tag, source, min_raters, rule, keep_no_relevant, synthetic)
    evals_folder = workspace.evals_folder
    _refuse_foreign(evals_folder / check_task_name(name))
    if to is not None:
        _refuse_foreign(to)
    clicks = weak_grades(workspace, progress=progress) if weak else None
    with folders.evals_locked(evals_folder), folders.unfinished_folder(evals_folder) as workplace:
        with workspace.store.read() as connection:
            build = _Build(workspace, connection, name, selection, progress, clicks)
            built = build.write(workplace, header=header)
        latest = latest_provenance(evals_folder, name)
        is_new = latest is None or latest["content_hash"] != built.content_hash
        if progress is not None:
            progress("keeping the release", 0, None)
        if is_new:
            folders.keep_release(built.folder, evals_folder, name, built.making.release)
        _note_releases(workspace, name, AT_THE_TERMINAL if actor is None else actor.name)
        if not folders.is_latest_shown(evals_folder, name):
            folders.show_latest(evals_folder, name)
        if to is not None:
            _copy_latest(evals_folder, name, to)
    number = built.making.release if is_new or latest is None else latest["release"]
    return _told(built, number, to or evals_folder / name, unchanged=not is_new)


def export_job(
    workspace: Workspace, parameters: Mapping[str, Any], progress: Progress
) -> dict[str, Any]:
    """The job that exports: `parameters` holds name, actor (a name) and options of `export_task`.

    Raises:
        BuilderError: As `export_task`.
        NotAllowedError: The actor is unknown, or no analyst.
    """
    options = dict(parameters)
    name, person = options.pop("name"), actor_called(workspace, options.pop("actor"))
    return export_task(workspace, name, actor=person, progress=progress, **options)


def latest_provenance(evals_folder: Path, name: str) -> dict[str, Any] | None:
    """goldsmith.json of the task's latest release, or None if there is none."""
    numbers = folders.release_numbers(evals_folder, name)
    return _provenance_of(evals_folder, name, numbers[-1]) if numbers else None


def _provenance_of(evals_folder: Path, name: str, number: int) -> dict[str, Any]:
    file = folders.release_folder(evals_folder, name, number) / folders.PROVENANCE
    told: dict[str, Any] = json.loads(file.read_text("utf-8"))
    return told


@dataclass(frozen=True, slots=True)
class _Build:
    """Writes one task folder out of one consistent moment of the workspace."""

    workspace: Workspace
    connection: Connection
    name: str
    selection: Selection
    progress: Progress | None
    clicks: WeakGrades | None = None

    def write(self, workplace: Path, *, header: bool) -> Built:
        """Write the folder `task` in `workplace`."""
        self._tell("collecting grades", 0, None)
        raw_file = workplace / RAW_FILE
        pseudonyms = pseudonyms_of(self.connection)
        with raw_file.open("w", encoding="utf-8", newline="\n") as stream:
            raw = RawGrades(stream, pseudonyms)
            selected = select_judged(self.connection, self.selection, raw)
        making = self._making(selected, pseudonyms)
        folder = workplace / "task"
        folder.mkdir()
        written = write_selected(
            self.connection,
            folder,
            selected,
            card=release_card(making, header=header),
            header=header,
            weak=making.weak,
            progress=self.progress,
        )
        content_hash = content_hash_of(making, written, raw.content.hexdigest(), header=header)
        raw_file.rename(folder / RAW_FILE)
        if making.weak:
            making.weak.write(folder)
        if making.origins:
            making.origins.write(folder)
        _write_provenance(folder, provenance(making, written, content_hash))
        return Built(folder, making, written, content_hash)

    def _making(self, selected: Selected, pseudonyms: Mapping[str, str]) -> Making:
        self._tell("computing agreement", 0, None)
        numbers = folders.release_numbers(self.workspace.evals_folder, self.name)
        raters = raters_of(self.connection, selected, pseudonyms)
        return Making(
            name=self.name,
            release=numbers[-1] + 1 if numbers else 1,
            created_at=now_text(),
            selection=self.selection,
            selected=selected,
            n_documents=count_documents(self.connection),
            raters=raters,
            agreement=raters.agreement(),
            settings=self.workspace.settings,
            pseudonyms=pseudonyms,
            sampled=Sampled.of_queries(self.connection, selected.qrels),
            weak=self._weak_labels(selected),
            validation=self._validation(selected),
            origins=Origins.of(self.connection, selected.validated),
        )

    def _validation(self, selected: Selected) -> Mapping[str, Any] | None:
        """What validation found; None where no synthetic query is here or left out."""
        part = SyntheticPart.of(selected, None)
        return report_within(self.connection, self.workspace) if part else None

    def _weak_labels(self, selected: Selected) -> WeakLabels | None:
        if self.clicks is None:
            return None
        queries = active_queries(self.connection)
        asked = {
            query.query_id
            for query in queries
            if self.selection.takes(query)
            and (query.source != SOURCE or query.query_id in selected.qrels)
        }
        return weak_labels(self.clicks, asked, selected.qrels)

    def _tell(self, what: str, done: int, total: int | None) -> None:
        if self.progress is not None:
            self.progress(what, done, total)


def write_draft(
    workspace: Workspace,
    connection: Connection,
    folder: Path,
    name: str,
    progress: Progress | None = None,
) -> None:
    """Write the grades of this moment, by the rules that `export` has by default; no release.

    Args:
        workspace: Whose grades.
        connection: Reads one consistent moment.
        folder: An existing empty folder.
        name: What the draft is called.
        progress: Hears how many documents are written.

    Raises:
        BuilderError: No query is left.
    """
    selection = Selection()
    selected, pseudonyms = select_judged(connection, selection), pseudonyms_of(connection)
    making = Making(
        name=name,
        release=0,
        created_at=now_text(),
        selection=selection,
        selected=selected,
        n_documents=count_documents(connection),
        raters=raters_of(connection, selected, pseudonyms),
        agreement=None,
        settings=workspace.settings,
        pseudonyms=pseudonyms,
        sampled=Sampled.of_queries(connection, selected.qrels),
    )
    card = draft_card(making)
    written = write_selected(connection, folder, selected, card=card, progress=progress)
    _write_provenance(folder, provenance(making, written, None))


def write_selected(  # noqa: PLR0913 - all of them are parts of one folder
    connection: Connection,
    folder: Path,
    selected: Selected,
    *,
    card: str = "",
    header: bool = True,
    weak: WeakLabels | None = None,
    progress: Progress | None = None,
) -> WrittenTask:
    """Write corpus, queries and qrels of what was selected into an existing empty folder.

    Args:
        connection: Reads the moment in which was selected.
        folder: An existing empty folder.
        selected: What was selected.
        card: Body of README.md.
        header: Whether qrels/*.tsv begin with a header line.
        weak: Labels that become a split of their own, their queries among the others.
        progress: Hears how many documents are written.

    Raises:
        EvalsError: As `evals.taskfolder.write_task`.
    """
    documents = documents_by_id(connection)
    if progress is not None:
        documents = _telling(documents, count_documents(connection), progress)
    splits: dict[str, Qrels] = {SPLIT: selected.qrels}
    if weak is not None:
        splits[WEAK_SPLIT] = weak.qrels
    wanted = set().union(*splits.values())
    samples = Sampled.of_queries(connection, wanted).samples
    queries = (query for query in active_queries(connection, samples) if query.query_id in wanted)
    return write_task(
        folder,
        documents=documents,
        queries=map(selected.told, queries),
        qrels=splits,
        card=card,
        header=header,
    )


def _write_provenance(folder: Path, document: Mapping[str, Any]) -> None:
    text = json.dumps(document, ensure_ascii=False, allow_nan=False, indent=2)
    (folder / folders.PROVENANCE).write_text(text + "\n", encoding="utf-8", newline="\n")


def _telling(rows: Iterable[T], total: int, progress: Progress) -> Iterator[T]:
    """The rows, and every thousand of them the news that they are written."""
    for done, row in enumerate(rows):
        if done % TELL_EVERY == 0:
            progress("writing documents", done, total)
        yield row
    progress("writing documents", total, total)


def _note_releases(workspace: Workspace, name: str, made_by: str) -> None:
    """Note releases that the store does not know: this one, and one whose export was killed."""
    evals_folder = workspace.evals_folder
    with workspace.store.write() as connection:
        known = {release.number for release in all_releases(connection, name)}
        for number in folders.release_numbers(evals_folder, name):
            if number not in known:
                told = _provenance_of(evals_folder, name, number)
                counts = release_counts(told)
                row = (name, number, told["content_hash"], told["created_at"], made_by)
                add_release(connection, Release(*row, counts))
                activity.note(connection, made_by, "release.make", f"{name}@{number}", counts)


def _copy_latest(evals_folder: Path, name: str, to: Path) -> None:
    """Let `to` be a further copy of the latest release."""
    number = folders.release_numbers(evals_folder, name)[-1]
    to.parent.mkdir(parents=True, exist_ok=True)
    folders.replace_folder(
        folders.release_folder(evals_folder, name, number), to, scratch=to.parent
    )


def _refuse_foreign(folder: Path) -> None:
    """Stop before a folder is replaced that no export made.

    Raises:
        BuilderError: The folder holds something else.
    """
    if folder.is_dir() and (not any(folder.iterdir()) or (folder / folders.PROVENANCE).is_file()):
        return
    if folder.exists() or folder.is_symlink():
        raise BuilderError(
            "there is something already that no export made; it is left as it is",
            where=str(folder.absolute()),
            hint="Move it away, or take another name.",
        )


def _told(built: Built, number: int, shown: Path, *, unchanged: bool) -> dict[str, Any]:
    making = built.making
    return {
        "task_dir": str(shown.absolute()),
        "release": number,
        "documents": built.written.documents,
        "queries": making.counts["queries"],
        "judgments": making.counts["judgments"],
        "dropped": making.dropped,
        "warnings": [*built.written.warnings, *making.warnings],
        "adjudicated": making.selected.adjudicated.total(),
        "unchanged": unchanged,
        "content_hash": built.content_hash,
        "agreement": making.agreement,
        "synthetic": making.synthetic.as_json(),
        "weak_labels": making.weak.as_json() if making.weak else None,
    }
