"""Imports judgments: raw grades with their raters, or qrels that name none."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import ClassVar

from builder.errors import BuilderError, ImportFailedError
from builder.importers.by_text import QueryTexts
from builder.importers.decisions import merge_decisions
from builder.importers.intake import ROWS, Intake, Options, bring_in_file, named, note
from builder.importers.judgment_cells import JUDGMENTS, judgment_of
from builder.importers.releases import ReleaseNotes, has_grades
from builder.importers.rows import FaultError, Row, shown
from builder.people import NamesByLook, Person, clean_name
from builder.spreadsheets import is_guarded, unguarded_row
from builder.store.judgments import ImportedJudgment, import_judgments_batch
from builder.store.people import add_person, find_person
from builder.store.staging import (
    StagedJudgment,
    add_staged_pairs,
    contradictions,
    drop_contradictions,
    known_ids,
    stage_judgments,
    staged_judgments_by_pair,
    staged_kinds,
    staged_raters,
)
from builder.workspace import Workspace
from estimates import ImportTally
from evals.qrels import WEAK_SPLIT
from evals.records import Progress


def import_judgments(  # noqa: PLR0913 - these are the options of the command
    workspace: Workspace,
    file: Path,
    *,
    rater: str | None = None,
    repair: bool = False,
    format: str | None = None,  # noqa: A002 - as the command calls it
    progress: Progress | None = None,
    actor: Person | None = None,
) -> ImportTally:
    """Import the judgments of a file.

    Raw judgments have `query-id`, `corpus-id`, `rater`, `grade` (0 to 3, or empty with the
    `outcome` skip, cannot_judge or undone), and maybe `comment`, `timestamp`, `reason`,
    `milliseconds`, `kind` (of a rater who is new here) and `recorded` (of a row without timestamp:
    when it came into the workspace that wrote the file, from which it counts); qrels have
    three columns, or the four of TREC, with or without a header. Qrels name no rater: they become
    the grades of one rater of the kind `import` who is called as the file. Books and cases of
    Quepid, and exports of Label Studio, are understood as they are. A query that a file names by
    its text is found by it.

    Rows of the outcome `adjudicated` are decisions of an analyst, their rater, on a pair (their
    reason is kept); `adjudication_undone` takes back what the file said before. They are counted
    under the note `adjudicated` and named, for they win over grades. Where a decision stands here,
    a file neither replaces it nor takes it back: such rows are quarantined as `decided_here`.

    Grades are whole numbers from 0 to 3; others are quarantined, never rounded or rescaled.

    Notes count what was kept but is odd: `new_rater` (raters that were registered), `alike_rater`
    (those among them whose names differ from another's only in case, spaces or invisible marks;
    which ones stands in `named`), `pair_added` (pairs that joined the pool), `older` (judgments
    that came late and are history), `repaired` and `fields_ignored` (rows). Of judgments.jsonl in a
    release also what is not carried over: `left_out_by_release` (raters whose grades did not count
    there and do here) and `mark_not_kept`; or `mark_kept` (into the settings, where there were no
    grades before).

    Args:
        workspace: Where to; it has the queries and documents already.
        file: JSON lines, a JSON array, CSV, TSV, TREC, Parquet, a Quepid book (JSON, CSV) or case
            (JSON), or a Label Studio export (JSON), packed by gzip or not.
        rater: Whose grades the rows are that name no rater.
        repair: Whether U+FFFD replaces U+0000 and lone surrogates; else into quarantine.
        format: jsonl, json, csv, tsv, trec, parquet, quepid-json, quepid-csv or label-studio; by
            default told by the content.
        progress: Called with what is done, rows read, and of how many; may raise to cancel.
        actor: Who asks, at least an analyst; None is the command line.

    Returns:
        What became of the rows.

    Raises:
        ImportFailedError: The file cannot be read as a whole, holds no row, or holds a release's
            weak labels from clicks, which nobody judged.
        NotAllowedError: `actor` may not import.
    """
    if plain_stem(file) == WEAK_SPLIT:
        raise ImportFailedError(
            "These labels were made of clicks: nobody judged them.",
            where=str(file),
            hint="Import qrels/test.tsv or judgments.jsonl of the release.",
        )
    part = JudgmentsImport(
        [file],
        file.name,
        fallback=rater or plain_stem(file),
        named=bool(rater),
        release=(ReleaseNotes.of_file(file), workspace),
    )
    options = Options(repair=repair, form=format, progress=progress)
    return bring_in_file(workspace, file, part, options, actor)


def plain_stem(file: Path) -> str:
    """The file's name without its endings, such as `test` for `test.tsv.gz`."""
    return file.name.removesuffix(".gz").rsplit(".", 1)[0] or file.name


class JudgmentsImport:
    """The judgments of some files on their way in.

    Args:
        files: Read one after another, as if they were one.
        label: How the quarantine file is called.
        fallback: Whose the rows are that name no rater.
        named: Whether a person said so, or the file is just called so.
        release: What the release says of itself whose files these are, and the workspace that is
            to hold it; None where they are no release's.
    """

    what: ClassVar[str] = "judgments"

    def __init__(
        self,
        files: Sequence[Path],
        label: str,
        *,
        fallback: str,
        named: bool,
        release: tuple[ReleaseNotes, Workspace] | None = None,
    ) -> None:
        self.label = label
        self._files = files
        self._fallback = fallback
        self._named = named
        self._release = release
        self._texts = QueryTexts()

    def stage(self, intake: Intake) -> None:
        """Read and check all judgments."""
        for file in self._files:
            for batch in intake.batches(file, JUDGMENTS):
                for row in batch:
                    row.cells = unguarded_row(row.cells) if is_guarded(row.cells) else row.cells
                _stage_batch(intake, list(self._texts.name(intake, batch)))
        for judgment in contradictions(intake.connection):
            row = Row(judgment.file, judgment.line, judgment.raw)
            intake.refuse(row, _contradiction(judgment))
        drop_contradictions(intake.connection)

    def merge(self, intake: Intake) -> None:
        """Register raters, let pairs join the pool, and write the judgments."""
        connection, tally = intake.connection, intake.tally
        is_first = bool(self._release and self._release[0].mark) and not has_grades(connection)
        note(tally, "pair_added", add_staged_pairs(connection))
        raters = self._raters(intake)
        for chunk in _whole_chunks(staged_judgments_by_pair(connection)):
            fates = import_judgments_batch(connection, [_imported(row, raters) for row in chunk])
            tally.duplicate += fates.count("duplicate")
            tally.accepted += len(fates) - fates.count("duplicate")
            note(tally, "older", fates.count("older"))
        merge_decisions(intake)
        if self._release:
            release, workspace = self._release
            release.tell(intake, workspace, is_first=is_first)

    def _raters(self, intake: Intake) -> dict[str | None, int]:
        """The raters of the staged judgments, by name; None: who is meant where none is named."""
        keys: dict[str | None, int] = {}
        kinds = staged_kinds(intake.connection)
        looks = NamesByLook(intake.connection)
        for name in staged_raters(intake.connection):
            if name is None:
                keys[None] = self._own_rater(intake)
                continue
            known = find_person(intake.connection, name)
            note(intake.tally, "new_rater", int(known is None))
            kind = kinds.get(name, "human")
            if known is None and kind == "human":
                _tell_alike(intake.tally, looks, name)
            keys[name] = (known or add_person(intake.connection, name, kind=kind)).person_id
        return keys

    def _own_rater(self, intake: Intake) -> int:
        connection = intake.connection
        name = _rater_name(self._fallback)
        known = find_person(connection, name)
        note(intake.tally, "new_rater", int(known is None))
        if known is not None and known.kind != "import" and not self._named:
            raise ImportFailedError(
                f"The file names no raters, and {name}, as it is called, is somebody here.",
                hint="Say whose grades these are by --rater NAME.",
            )
        return add_person(connection, name, kind="import").person_id


def _tell_alike(tally: ImportTally, looks: NamesByLook, new: str) -> None:
    """Say that somebody new is called almost as somebody else: one person may have become two."""
    if (known := looks.alike(new)) is not None:
        named(tally, "alike_rater", f"{new} beside {known}")
    looks.add(new)


def _rater_name(name: str) -> str:
    try:
        return clean_name(name)
    except BuilderError as error:
        raise ImportFailedError(
            f"The judgments cannot be named {shown(name)}: {error.message}",
            hint="Say whose grades these are by --rater NAME.",
        ) from error


def _stage_batch(intake: Intake, batch: Sequence[Row]) -> None:
    connection = intake.connection
    read = list(intake.checked(batch, judgment_of))
    queries = known_ids(connection, "query_id", (judgment.query_id for _, judgment, _ in read))
    documents = known_ids(connection, "doc_id", (judgment.doc_id for _, judgment, _ in read))
    staged = []
    for row, judgment, notes in read:
        if judgment.query_id not in queries:
            intake.refuse(row, unknown("query", judgment.query_id))
        elif judgment.doc_id not in documents:
            intake.refuse(row, unknown("document", judgment.doc_id))
        else:
            intake.tally.notes.update(notes)
            staged.append(judgment)
    stage_judgments(connection, staged)


def unknown(what: str, key: str) -> FaultError:
    """Why a row cannot be taken that names a query or document which is not here."""
    return FaultError(
        f"unknown_{what}",
        f"There is no {what} {shown(key)} here. Import it first, or see whether the id is right.",
    )


def _contradiction(judgment: StagedJudgment) -> FaultError:
    return FaultError(
        "contradictory",
        f"The file names no rater and says different things of query {shown(judgment.query_id)} "
        f"and document {shown(judgment.doc_id)}. Keep the row that holds, or name the raters.",
    )


def _imported(judgment: StagedJudgment, raters: Mapping[str | None, int]) -> ImportedJudgment:
    return ImportedJudgment(
        judgment.query_id,
        judgment.doc_id,
        raters[judgment.rater],
        judgment.outcome,
        judgment.grade,
        judgment.comment,
        judgment.judged_at,
        judgment.reason,
        judgment.milliseconds,
        judgment.recorded_at,
    )


def _whole_chunks(judgments: Iterable[StagedJudgment]) -> Iterator[list[StagedJudgment]]:
    """Chunks of about a thousand; what one rater says of one pair stays together.

    So that a file in which raters change their minds is recognised when it comes again.
    """
    chunk: list[StagedJudgment] = []
    for _, same in groupby(judgments, key=lambda row: (row.query_id, row.doc_id, row.rater)):
        if len(chunk) >= ROWS:
            yield chunk
            chunk = []
        chunk += same
    if chunk:
        yield chunk
