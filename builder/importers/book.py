"""Imports a whole Quepid book: documents, queries, pairs and judgments, out of one file."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

from builder.errors import ImportFailedError
from builder.importers.by_text import QueryTexts
from builder.importers.corpus import CorpusImport
from builder.importers.files import QUEPID_JSON, head_lines, opened
from builder.importers.intake import Intake, Options, Part, bring_in
from builder.importers.judgments import JudgmentsImport, plain_stem, unknown
from builder.importers.quepid import is_book_json
from builder.importers.queries import QueriesImport
from builder.importers.rows import Checks, Row, Shape, id_text
from builder.people import Person
from builder.store.pool import add_pairs
from builder.store.staging import known_ids, stage_fields, staged_field_ids, take_fields
from builder.workspace import Workspace
from estimates import ImportTally
from evals.records import Progress

PAIRS = Shape("pairs", required=(("query_text",), ("doc_id",)))
_KIND = "pairs"


def import_book(  # noqa: PLR0913 - these are the options of the command
    workspace: Workspace,
    file: Path,
    *,
    update: bool = False,
    repair: bool = False,
    rater: str | None = None,
    progress: Progress | None = None,
    actor: Person | None = None,
) -> dict[str, ImportTally]:
    """Import the documents, queries, pairs and judgments of a Quepid book, at one stroke.

    All its pairs join the pool with the source `import`: those that nobody judged there wait for
    our raters.

    Documents are made of `document_fields`: title (else name), text (else the words of all other
    fields), the rest as metadata. Queries have no ids in a book: one that reads alike here already
    is meant, a new one is called by its words. `unrateable` is cannot_judge, `judge_later` is skip.

    Args:
        workspace: Where to.
        file: The book as Quepid exports it (JSON), packed by gzip or not.
        update: Whether other content of a known id replaces it; else it goes into quarantine.
        repair: Whether U+FFFD replaces U+0000 and lone surrogates; else into quarantine.
        rater: Whose the ratings are that name nobody; by default a rater called as the file.
        progress: Called with what is done, rows read, and of how many; may raise to cancel.
        actor: Who asks, at least an analyst; None is the command line.

    Returns:
        What became of the rows of `corpus`, `queries`, `pool` and `judgments`.

    Raises:
        ImportFailedError: It is no book, or cannot be read as a whole.
        NotAllowedError: `actor` may not import.
    """
    with opened(file) as stream:
        head = head_lines(stream)
    if not head or not is_book_json(head):
        raise ImportFailedError(
            "This is no Quepid book.",
            where=str(file),
            hint="A task folder is imported as a whole; other files by `corpus import`, "
            "`queries import` and `judgments import`.",
        )
    stem = plain_stem(file)
    parts: dict[str, Part] = {
        "corpus": CorpusImport([file], f"{stem}-corpus"),
        "queries": QueriesImport([file], f"{stem}-queries"),
        "pool": _PoolImport(file, f"{stem}-pool"),
        "judgments": JudgmentsImport(
            [file], f"{stem}-judgments", fallback=rater or stem, named=bool(rater)
        ),
    }
    return bring_in(workspace, parts, Options(update, repair, QUEPID_JSON, progress), actor)


class _PoolImport:
    """The pairs of a book on their way into the pool."""

    what: ClassVar[str] = "pool"

    def __init__(self, file: Path, label: str) -> None:
        self.label = label
        self._file = file
        self._texts = QueryTexts()

    def stage(self, intake: Intake) -> None:
        """Read and check all pairs."""
        for batch in intake.batches(self._file, PAIRS):
            self._stage_batch(intake, list(self._texts.name(intake, batch)))

    def merge(self, intake: Intake) -> None:
        """Let those join the pool that it lacks."""
        staged = staged_field_ids(intake.connection, _KIND)
        pairs = ((query_id, doc_id) for query_id, doc_id in map(json.loads, staged))
        added = add_pairs(intake.connection, pairs, "import")
        intake.tally.duplicate += intake.tally.accepted - added
        intake.tally.accepted = added

    def _stage_batch(self, intake: Intake, batch: Sequence[Row]) -> None:
        connection = intake.connection
        read = list(intake.checked(batch, _pair_of))
        queries = known_ids(connection, "query_id", (pair[0] for _, pair, _ in read))
        documents = known_ids(connection, "doc_id", (pair[1] for _, pair, _ in read))
        keys = []
        for row, (query_id, doc_id), _ in read:
            if query_id not in queries:
                intake.refuse(row, unknown("query", query_id))
            elif doc_id not in documents:
                intake.refuse(row, unknown("document", doc_id))
            else:
                keys.append(json.dumps((query_id, doc_id)))
        again = len(keys) - len(set(keys)) + len(take_fields(connection, _KIND, keys))
        intake.tally.duplicate += again
        intake.tally.accepted += len(keys) - again
        stage_fields(connection, _KIND, dict.fromkeys(keys, "{}"))


def _pair_of(row: Row, _checks: Checks) -> tuple[str, str]:
    return (
        id_text(row.cells.get("query-id"), "query_text"),
        id_text(row.cells.get("corpus-id"), "doc_id"),
    )
