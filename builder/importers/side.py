"""Side files of a task folder: further fields of documents or queries, one JSON object a line."""

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from builder.importers.intake import Intake, note
from builder.importers.rows import Checks, Row, Shape, first_given, id_text
from builder.store.staging import stage_fields, take_fields, unmatched_fields

FIELDS = Shape("further fields", required=(("_id",),))

Join = Callable[[Mapping[str, Any], dict[str, Any]], dict[str, Any]]
"""What the cells of a row become by the fields that the side file has for it."""


class SideFile:
    """Further fields by id, staged on disk, so that memory stays flat.

    Args:
        kind: Whose fields they are: corpus or queries.
        file: JSON lines.
    """

    def __init__(self, kind: Literal["corpus", "queries"], file: Path) -> None:
        self._kind = kind
        self._file = file

    def stage(self, intake: Intake) -> None:
        """Read all fields; rows that cannot be read go into quarantine."""
        for batch in intake.batches(self._file, FIELDS):
            fields = {key: told for _, (key, told), _ in intake.checked(batch, _fields_of)}
            stage_fields(intake.connection, self._kind, fields)

    def join(self, intake: Intake, batch: Sequence[Row], ids: tuple[str, ...], how: Join) -> None:
        """Put the fields into the rows that they belong to."""
        asked = [str(first_given(row.cells, ids)) for row in batch]
        found = take_fields(intake.connection, self._kind, asked)
        for row, key in zip(batch, asked, strict=True):
            if key in found:
                row.cells = how(row.cells, json.loads(found[key]))

    def count_unmatched(self, intake: Intake) -> None:
        """Note how many rows of the side file belong to nothing; after all rows are staged."""
        column = "doc_id" if self._kind == "corpus" else "query_id"
        unmatched = unmatched_fields(intake.connection, self._kind, column)
        note(intake.tally, "fields_without_row", unmatched)


def _fields_of(row: Row, _checks: Checks) -> tuple[str, str]:
    fields = {key: value for key, value in row.cells.items() if key != "_id"}
    # ASCII, so that what no store can hold stays an escape until the row is checked as a whole.
    return id_text(row.cells.get("_id"), "_id"), json.dumps(fields)
