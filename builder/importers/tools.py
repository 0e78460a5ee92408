"""Files of other tools for grading: which tool wrote one, and the rows in it."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO

from builder.importers import label_studio, quepid
from builder.importers.files import LABEL_STUDIO, QUEPID_CSV, QUEPID_JSON
from builder.importers.rows import Row, Shape


def tool_of(head: Sequence[str], shape: Shape) -> str | None:
    """The format of the tool that wrote the file, told by its first lines; None: no tool did."""
    if quepid.is_json(head, shape):
        return QUEPID_JSON
    if shape.what == "judgments" and quepid.is_book_csv(head[0]):
        return QUEPID_CSV
    if shape.what == "judgments" and label_studio.is_export(head):
        return LABEL_STUDIO
    return None


def tool_rows(form: str, path: Path, stream: IO[bytes], shape: Shape) -> Iterator[Row]:
    """The rows of a tool's file, as those of an import of this shape.

    Raises:
        ImportFailedError: The file cannot be read as a whole, or holds nothing of this shape.
    """
    if form == QUEPID_JSON:
        return quepid.json_rows(path, stream, shape)
    if form == QUEPID_CSV:
        return quepid.book_csv_rows(path, stream, shape)
    return label_studio.annotation_rows(path, stream, shape)
