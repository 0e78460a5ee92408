"""Imports a whole Quepid book: documents, queries and judgments, out of one file."""

from pathlib import Path

from builder.errors import ImportFailedError
from builder.importers.corpus import CorpusImport
from builder.importers.files import QUEPID_JSON, head_lines, opened
from builder.importers.intake import Options, Part, bring_in
from builder.importers.judgments import JudgmentsImport, plain_stem
from builder.importers.quepid import is_book_json
from builder.importers.queries import QueriesImport
from builder.people import Person
from builder.workspace import Workspace
from estimates import ImportTally
from evals.records import Progress


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
    """Import the documents, queries and judgments of a Quepid book, at one stroke.

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
        What became of the rows of `corpus`, `queries` and `judgments`.

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
        "judgments": JudgmentsImport(
            [file], f"{stem}-judgments", fallback=rater or stem, named=bool(rater)
        ),
    }
    return bring_in(workspace, parts, Options(update, repair, QUEPID_JSON, progress), actor)
