"""What a query says: cleaned as an import cleans it, and written for the first time."""

import json
from dataclasses import dataclass

from builder.curation.acting import analyst
from builder.errors import BuilderError
from builder.importers.queries import query_of
from builder.importers.rows import Checks, FaultError, Row
from builder.people import Person
from builder.store import Connection, activity
from builder.store.folding import fold
from builder.store.queries import insert_queries, query_keys
from builder.store.query_edits import ADDED, free_query_id
from builder.store.query_lists import QueryRow, queries_of_text
from builder.store.quota import note_change
from builder.workspace import Workspace
from evals.records import Query

LONGEST_QUERY = 2_000
"""Characters of a query that somebody types; imported ones may be longer."""

LONGEST_NEED = 10_000


@dataclass(frozen=True, slots=True)
class QueryContent:
    """What a query says.

    Attributes:
        text: What was typed.
        need: The information need behind it, "" where nobody wrote it down.
        tags: Its tags, each once.
    """

    text: str
    need: str = ""
    tags: tuple[str, ...] = ()


def content_of(row: QueryRow) -> QueryContent:
    """What the stored query says."""
    return QueryContent(row.text, row.need, row.tags)


def clean_content(content: QueryContent) -> QueryContent:
    """The content as an import would take it, without white space around text and need.

    Raises:
        BuilderError: The text is blank, or something cannot be kept.
    """
    query_id, text, need, tags = _as_imported("form", content)
    del query_id
    return QueryContent(text.strip(), need.strip(), tags)


def check_lengths(content: QueryContent, before: QueryContent | None = None) -> None:
    """Refuse texts that nobody types; what was as long before, by an import, may stay.

    Raises:
        BuilderError: The text or the need is new and too long.
    """
    for name, longest in (("text", LONGEST_QUERY), ("need", LONGEST_NEED)):
        words: str = getattr(content, name)
        if len(words) > longest and (before is None or getattr(before, name) != words):
            raise BuilderError(
                f"The {name} has at most {longest:,} characters; this has {len(words):,}."
            )


def propose_query_id(workspace: Workspace) -> str:
    """An id for a new query that no query has now."""
    with workspace.store.read() as connection:
        return free_query_id(connection)


def add_query(
    workspace: Workspace,
    content: QueryContent,
    actor: Person | None,
    *,
    query_id: str | None = None,
) -> Query:
    """Write a new query; it has no pairs yet.

    Args:
        workspace: Where to.
        content: What it says.
        actor: Who adds it, at least an analyst; None is the terminal.
        query_id: Its id; None: a free one.

    Returns:
        The query as it is stored, of the source manual.

    Raises:
        NotAllowedError: The actor is no analyst.
        BuilderError: The content or the id cannot be kept, the id is taken, or an active query has
            the same text and need.
    """
    said = clean_content(content)
    check_lengths(said)
    asked = None if query_id is None else _clean_id(query_id)
    with workspace.store.write() as connection:
        name = analyst(connection, actor)
        chosen = asked or free_query_id(connection)
        _refuse_known(connection, chosen, said)
        query = Query(chosen, said.text, said.need, said.tags, ADDED)
        insert_queries(connection, [query])
        note_change(connection)
        details = {"text": said.text, "need": said.need, "tags": list(said.tags)}
        activity.note(connection, name, "query.add", chosen, {"after": details})
    return query


def _refuse_known(connection: Connection, query_id: str, said: QueryContent) -> None:
    if query_keys(connection, [query_id]):
        raise BuilderError(
            f"There is a query {query_id} already.", hint="Give the new one another id."
        )
    for same in queries_of_text(connection, said.text):
        if fold(same.need) == fold(said.need):
            raise BuilderError(
                f"The query {same.query_id} has this text and need already.",
                hint="Say in the need what else is meant, or edit that query.",
            )


def _clean_id(query_id: str) -> str:
    return _as_imported(query_id.strip(), QueryContent("text"))[0]


def _as_imported(query_id: str, content: QueryContent) -> tuple[str, str, str, tuple[str, ...]]:
    """Id, text, need and tags as the importer of queries takes them."""
    cells = {
        "_id": query_id,
        "text": content.text,
        "need": content.need,
        "tags": list(content.tags),
    }
    try:
        taken = query_of(Row("", 1, "", cells), Checks(repair=False))
    except FaultError as fault:
        raise BuilderError(fault.sentence) from fault
    tags = tuple(json.loads(taken.tags or "[]"))
    return taken.query_id, taken.text, taken.need or "", tags
