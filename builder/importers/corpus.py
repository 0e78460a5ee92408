"""Imports documents."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

from builder.importers.intake import Intake, Options, bring_in_file
from builder.importers.rows import Checks, FaultError, Row, Shape, first_given, id_text
from builder.importers.side import SideFile
from builder.people import Person
from builder.store.documents import document_row
from builder.store.staging import known_contents, merge_documents, stage_documents
from builder.workspace import Workspace
from estimates import ImportTally
from evals.records import Document, Progress

IDS = ("_id", "id", "doc_id")
DOCUMENTS = Shape("documents", required=(IDS, ("text",)), optional=("title",))


def import_corpus(  # noqa: PLR0913 - these are the options of the command
    workspace: Workspace,
    file: Path,
    *,
    update: bool = False,
    repair: bool = False,
    format: str | None = None,  # noqa: A002 - as the command calls it
    progress: Progress | None = None,
    actor: Person | None = None,
) -> ImportTally:
    """Import the documents of a file: `_id` (or `id`, `doc_id`), `title`, `text`, metadata.

    All of it comes in at one stroke at the end; a cancelled import changes nothing.

    Args:
        workspace: Where to.
        file: JSON lines, a JSON array, CSV, TSV or Parquet, packed by gzip or not.
        update: Whether other content of a known id replaces it; else it goes into quarantine.
        repair: Whether U+FFFD replaces U+0000 and lone surrogates; else into quarantine.
        format: jsonl, json, csv, tsv or parquet; by default told by the content.
        progress: Called with what is done, rows read, and of how many; may raise to cancel.
        actor: Who asks, at least an analyst; None is the command line.

    Returns:
        What became of the rows.

    Raises:
        ImportFailedError: The file cannot be read as a whole, or holds no row.
        NotAllowedError: `actor` may not import.
    """
    options = Options(update, repair, format, progress)
    return bring_in_file(workspace, file, CorpusImport([file], file.name), options, actor)


class CorpusImport:
    """The documents of some files on their way in."""

    what: ClassVar[str] = "corpus"

    def __init__(self, files: Sequence[Path], label: str, side: SideFile | None = None) -> None:
        self.label = label
        self._files = files
        self._side = side

    def stage(self, intake: Intake) -> None:
        """Read and check all documents."""
        if self._side:
            self._side.stage(intake)
        for file in self._files:
            for batch in intake.batches(file, DOCUMENTS):
                if self._side:
                    self._side.join(intake, batch, IDS, _with_metadata)
                _stage_batch(intake, batch)
        if self._side:
            self._side.count_unmatched(intake)

    def merge(self, intake: Intake) -> None:
        """Bring the staged documents into the corpus."""
        merge_documents(intake.connection, replacing=intake.tally.updated > 0)


def document_of(row: Row, checks: Checks) -> Document:
    """The document in a row; whatever is not id, title or text is metadata.

    Raises:
        FaultError: It lacks an id or a text, or holds what cannot be kept.
    """
    cells = row.cells
    doc_id = id_text(first_given(cells, IDS), "_id")
    if "text" not in cells:
        raise FaultError("missing_text", 'The row has no text. If it is empty, write "text": "".')
    if cells["text"] is None:
        checks.notes.add("null_text")
    return Document(
        doc_id,
        checks.text(_or_empty(cells.get("title")), "title"),
        checks.text(_or_empty(cells["text"]), "text"),
        checks.json(_metadata(cells), "metadata"),
    )


def _or_empty(value: object) -> object:
    return "" if value is None else value


def _metadata(cells: Mapping[str, Any]) -> dict[str, Any]:
    """The further fields; those that BEIR nests under "metadata" are lifted out."""
    id_name = next(name for name in IDS if name in cells)
    rest = {key: cells[key] for key in cells if key not in (id_name, "title", "text")}
    nested = rest.get("metadata")
    if not isinstance(nested, dict) or nested.keys() & (rest.keys() | {"_id"}) - {"metadata"}:
        return rest
    del rest["metadata"]
    return {**nested, **rest}


def _with_metadata(cells: Mapping[str, Any], fields: dict[str, Any]) -> dict[str, Any]:
    nested = cells.get("metadata")
    return {**cells, "metadata": {**(nested if isinstance(nested, dict) else {}), **fields}}


def _stage_batch(intake: Intake, batch: Sequence[Row]) -> None:
    read = list(intake.checked(batch, document_of))
    known = known_contents(intake.connection, [document.doc_id for _, document, _ in read])
    staged: dict[str, dict[str, Any]] = {}
    for row, document, notes in read:
        fields = document_row(document)
        before, now = known.get(document.doc_id), fields["content_hash"]
        if intake.settle(row, before, now, notes):
            staged[document.doc_id] = fields
            known[document.doc_id] = now
    stage_documents(intake.connection, staged)
