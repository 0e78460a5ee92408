"""Imports queries."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from builder.importers.by_text import name_queries
from builder.importers.intake import Intake, Options, bring_in_file
from builder.importers.rows import Checks, FaultError, Row, Shape, first_given, id_text, shown
from builder.importers.side import SideFile
from builder.people import Person
from builder.store.staging import known_queries, merge_queries, stage_queries
from builder.workspace import Workspace
from estimates import ImportTally
from evals.records import Progress

IDS = ("_id", "id", "query_id", "query-id")
QUERIES = Shape("queries", required=(IDS, ("text",)), optional=("need", "tags"))

_UNDERSTOOD = QUERIES.names
_TAG_BORDER = re.compile("[,;|]")


def import_queries(  # noqa: PLR0913 - these are the options of the command
    workspace: Workspace,
    file: Path,
    *,
    update: bool = False,
    repair: bool = False,
    format: str | None = None,  # noqa: A002 - as the command calls it
    progress: Progress | None = None,
    actor: Person | None = None,
) -> ImportTally:
    """Import the queries of a file: `_id`, `text`, and where there are any `need` and `tags`.

    Tags are a list, or one text cut at commas, semicolons and bars. A row without a need or tags
    says nothing about them: what is known of the query stays. Further fields are left out, and
    the rows that have some are counted in the notes as `fields_ignored`.

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
    return bring_in_file(workspace, file, QueriesImport([file], file.name), options, actor)


class QueriesImport:
    """The queries of some files on their way in."""

    what: ClassVar[str] = "queries"

    def __init__(self, files: Sequence[Path], label: str, side: SideFile | None = None) -> None:
        self.label = label
        self._files = files
        self._side = side

    def stage(self, intake: Intake) -> None:
        """Read and check all queries."""
        if self._side:
            self._side.stage(intake)
        for file in self._files:
            for batch in intake.batches(file, QUERIES):
                if self._side:
                    self._side.join(intake, batch, IDS, _with_fields)
                name_queries(intake.connection, batch)
                _stage_batch(intake, batch)
        if self._side:
            self._side.count_unmatched(intake)

    def merge(self, intake: Intake) -> None:
        """Bring the staged queries into the store."""
        merge_queries(intake.connection, replacing=intake.tally.updated > 0)


@dataclass(frozen=True, slots=True)
class GivenQuery:
    """What a row says about a query; None where it says nothing.

    Attributes:
        query_id: Its id.
        text: Its text.
        need: The information need, or None.
        tags: Its tags as JSON, or None.
    """

    query_id: str
    text: str
    need: str | None
    tags: str | None


def query_of(row: Row, checks: Checks) -> GivenQuery:
    """The query in a row.

    Raises:
        FaultError: It lacks an id or a text, or holds what cannot be kept.
    """
    cells = row.cells
    query_id = id_text(first_given(cells, IDS), "_id")
    text = cells.get("text")
    if text is None or (isinstance(text, str) and not text.strip()):
        raise FaultError("missing_text", "The query has no text, so nothing can be searched.")
    need, tags = cells.get("need"), cells.get("tags")
    if any(cells[key] not in (None, {}) for key in cells.keys() - _UNDERSTOOD):
        checks.notes.add("fields_ignored")
    return GivenQuery(
        query_id,
        checks.text(text, "text"),
        None if need is None else checks.text(need, "need"),
        None if tags is None else json.dumps(_tags(tags, checks), ensure_ascii=False),
    )


def _tags(value: Any, checks: Checks) -> list[str]:
    parts = _TAG_BORDER.split(value) if isinstance(value, str) else value
    if not isinstance(parts, list):
        raise FaultError("bad_tags", f"tags is {shown(value)}, neither a list nor text.")
    told = [checks.text(part, "a tag").strip() for part in parts]
    return list(dict.fromkeys(tag for tag in told if tag))


def _with_fields(cells: Mapping[str, Any], fields: dict[str, Any]) -> dict[str, Any]:
    return {**fields, **cells}


def _stage_batch(intake: Intake, batch: Sequence[Row]) -> None:
    read = list(intake.checked(batch, query_of))
    known = known_queries(intake.connection, [query.query_id for _, query, _ in read])
    staged: dict[str, dict[str, Any]] = {}
    for row, query, notes in read:
        before = known.get(query.query_id)
        _, need, tags = before or ("", "", "[]")
        now = (
            query.text,
            need if query.need is None else query.need,
            tags if query.tags is None else query.tags,
        )
        if intake.settle(row, before, now, notes):
            text, need, tags = known[query.query_id] = now
            fields = {"query_id": query.query_id, "text": text, "need": need, "tags": tags}
            staged[query.query_id] = fields
    stage_queries(intake.connection, staged)
