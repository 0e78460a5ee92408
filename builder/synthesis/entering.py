"""How a candidate enters the evaluation set, and how it leaves it: inside one transaction.

Used by the review and by whoever takes a synthesis back.
"""

from typing import NamedTuple

from builder.store import Connection

SOURCE = "synthetic"
"""The source of such queries and pairs, and the kind of the rater who grades them."""

GRADE = 2
"""What the document that a query was written for is taken for."""

LONGEST_QUERY = 300
"""So many characters a query may have; nobody searches with more."""


class Entered(NamedTuple):
    """What became of a candidate.

    Attributes:
        query_id: The query that it is now.
        query_key: The same, for the store.
    """

    query_id: str
    query_key: int


def enter(connection: Connection, candidate_id: int, text: str) -> Entered:
    """Write query, pair and judgment of a candidate, inside a writing transaction.

    Raises:
        BuilderError: A query of the set says the same.
    """
    raise NotImplementedError


def withdraw(connection: Connection, query_key: int) -> bool:
    """Retire the query of a candidate and undo its synthetic grade; whether that was done.

    Not where anybody but a model has judged the query, or said something of it: then it stays as it
    is.
    """
    raise NotImplementedError
