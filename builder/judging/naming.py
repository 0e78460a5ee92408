"""What queries and pairs are called where raters can see it: in pages, addresses and links.

Neither by pair_id nor by query_id. Pairs are numbered as they join the pool, so that the numbers of
one query's pairs tell the order in which a search engine ranked them, or which document a query was
written for; and a query_id can tell where the query came from.
"""

from hashlib import blake2b

from builder.store import Connection, queries
from builder.store.query_edits import documents_of
from builder.store.shown import query_key_of
from builder.workspace import Workspace

_OF_QUERY, _OF_PAIR = 6, 9
"""Bytes: names of 10,000 queries differ but for one time in five million."""


def query_name(query_id: str) -> str:
    """The query's name: 12 hexadecimal digits."""
    return _digest(_OF_QUERY, query_id)


def pair_name(rater: str, query_id: str, doc_id: str) -> str:
    """The pair's name for this rater: the query's name and 18 hexadecimal digits more."""
    return query_name(query_id) + _digest(_OF_PAIR, rater, query_id, doc_id)


def query_named(workspace: Workspace, name: str) -> str | None:
    """The query_id of the query that is called so, or whose query_id this is; None if none is."""
    with workspace.store.read() as connection:
        if query_key_of(connection, name) is not None:
            return name
        found = _named(connection, name)
    return None if found is None else found[1]


def pair_named(workspace: Workspace, rater: str, name: str) -> int | None:
    """The pair_id of the pair that is called so for this rater; None if none is."""
    with workspace.store.read() as connection:
        found = _named(connection, name[: 2 * _OF_QUERY])
        if found is None:
            return None
        query_key, query_id = found
        pairs = documents_of(connection, query_key).items()
    return next((pair for doc, pair in pairs if pair_name(rater, query_id, doc) == name), None)


def _named(connection: Connection, name: str) -> tuple[int, str] | None:
    """query_key and query_id of the query with this name."""
    if len(name) != 2 * _OF_QUERY:
        return None
    known = queries.all_query_ids(connection)
    return next((row for row in known if query_name(row[1]) == name), None)


def _digest(size: int, *words: str) -> str:
    text = "\0".join(words).encode("utf-8", "replace")
    return blake2b(text, digest_size=size).hexdigest()
