"""Finds queries by what was typed, in files that do not know our ids."""

import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence

from builder.importers.intake import Intake
from builder.importers.rows import Checks, FaultError, Row, first_given, id_text, is_storable, shown
from builder.spreadsheets import begins_formula
from builder.store import Connection
from builder.store.staging import known_ids, known_queries, query_ids_by_text
from evals.qrels import QUERY_NAMES

LONGEST_ID = 60
"""Characters of a query's text that become its id."""

_BETWEEN_WORDS = re.compile(r"[^\w.]+")


class QueryTexts:
    """Puts ids into rows that name their query by its text.

    Those are rows with a `query_text`, and rows of tables whose column `query` holds no id. What
    was looked up is kept: a file comes back to its queries.
    """

    def __init__(self) -> None:
        self._known: dict[str, set[str]] = {}

    def name(self, intake: Intake, batch: Sequence[Row]) -> Iterator[Row]:
        """The rows with their ids; where it is unclear which query is meant, they are refused."""
        read = list(intake.checked(batch, _typed))
        texts = [text for _, text, _ in read if text is not None]
        ids = self._look_up(intake.connection, texts) if texts else set()
        spellings = list(_spellings(batch))
        documents = known_ids(intake.connection, "doc_id", spellings) if spellings else set()
        for row, text, _ in read:
            try:
                if text is not None:
                    row.cells = {**row.cells, "query-id": self._id(row, text, ids)}
                if spellings:
                    row.cells = {**row.cells, "corpus-id": _document(row, documents)}
            except FaultError as fault:
                intake.refuse(row, fault)
            else:
                yield row

    def _look_up(self, connection: Connection, texts: Iterable[str]) -> set[str]:
        """Learn which queries read so; gives those of the texts that are ids."""
        spellings = {spelling for text in texts for spelling in (text, text.strip())}
        new = [text for text in spellings if text not in self._known]
        if new:
            self._known |= {text: set() for text in new}
            self._known |= query_ids_by_text(connection, new)
        return known_ids(connection, "query_id", texts)

    def _id(self, row: Row, text: str, ids: set[str]) -> str:
        hint = row.cells.get("query-id")
        found = self._known[text] or self._known[text.strip()]
        if hint in found:
            return str(hint)
        if row.query_text is None and text in ids:
            return text
        if len(found) > 1:
            raise FaultError(
                "ambiguous_query",
                f"{len(found)} queries here read {shown(text)}, and the file does not say which "
                "is meant. Name the query by its id.",
            )
        return next(iter(found), text)


def name_queries(connection: Connection, batch: Sequence[Row]) -> None:
    """Give queries that come without an id the one that their text has here, else a new one."""
    texts = [row.query_text for row in batch if isinstance(row.query_text, str)]
    known = query_ids_by_text(connection, list(filter(is_storable, texts))) if texts else {}
    made = {text: _new_id(text) for text in texts}
    taken = known_queries(connection, list(made.values())) if texts else {}
    given: dict[str, str] = {query_id: query[0] for query_id, query in taken.items()}
    for row in batch:
        text = row.query_text
        if not isinstance(text, str) or row.cells.get("_id"):
            continue
        query_id = min(known[text]) if text in known else made[text]
        if given.setdefault(query_id, text) != text:
            query_id = f"{query_id}-{_digest(text)}"
        row.cells = {"_id": query_id, **row.cells}


def _new_id(text: str) -> str:
    """An id that a person can read and every qrels file can hold, the same wherever it is made."""
    words = _BETWEEN_WORDS.sub("-", text).strip("-.")
    if not words:
        return f"q-{_digest(text)}"
    return words if len(words) <= LONGEST_ID else f"{words[:LONGEST_ID]}-{_digest(text)}"


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:8]


def _typed(row: Row, checks: Checks) -> str | None:
    """The text by which the row names its query; None if it names an id."""
    text = row.query_text
    if text is None and "query" in row.cells:
        text = first_given(row.cells, QUERY_NAMES)
    if not isinstance(text, str) or not text.strip():
        return None
    return checks.text(text, "the query")


def _spellings(batch: Sequence[Row]) -> Iterator[str]:
    """Ids with and without the blank that Quepid puts before a formula."""
    for row in batch:
        doc_id = row.cells.get("corpus-id")
        if row.query_text is not None and isinstance(doc_id, str) and _bare(doc_id) != doc_id:
            try:
                yield id_text(doc_id, "corpus-id")
                yield _bare(doc_id)
            except FaultError:
                continue  # said of the row when it is checked as a whole


def _document(row: Row, known: set[str]) -> object:
    """The document's id without the blank that keeps it from being a formula."""
    doc_id = row.cells.get("corpus-id")
    if not isinstance(doc_id, str) or _bare(doc_id) == doc_id or _bare(doc_id) not in known:
        return doc_id
    if doc_id in known:
        raise FaultError(
            "ambiguous_document",
            f"There are a document {shown(doc_id)} and one without the blank before it.",
        )
    return _bare(doc_id)


def _bare(doc_id: str) -> str:
    bare = doc_id.removeprefix(" ")
    return bare if begins_formula(bare) else doc_id
