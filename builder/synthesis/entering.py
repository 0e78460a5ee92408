"""How a candidate enters the evaluation set, and how it leaves it: inside one transaction.

Used by the review and by whoever takes a synthesis back.
"""

import hashlib
import unicodedata
from collections.abc import Collection, Iterator, Sequence
from itertools import count
from typing import NamedTuple
from uuid import uuid4

from builder.people.names import LONGEST_NAME
from builder.store import Connection
from builder.store.judgments import NewJudgment, record_judgment
from builder.store.people import Person, add_person, find_person
from builder.store.pool import add_pairs
from builder.store.queries import insert_queries, query_keys
from builder.store.query_edits import update_content
from builder.store.query_lists import query_row_of
from builder.store.quota import SYNTHETIC, set_query_state
from builder.store.synthetic_queries import Candidate
from builder.store.synthetic_review import (
    model_asked,
    pairs_of_queries,
    synthetic_grades,
    worked_on,
)
from evals.records import Query

SOURCE = SYNTHETIC
"""The source of such queries and pairs, and the kind of the rater who grades them."""

GRADE = 2
"""What the document that a query was written for is taken for."""

_DIGITS = 10


class Entered(NamedTuple):
    """What became of a candidate.

    Attributes:
        query_id: The query that it is now.
        query_key: The same, for the store.
    """

    query_id: str
    query_key: int


def enter(connection: Connection, chosen: Sequence[tuple[Candidate, str]]) -> list[Entered]:
    """Write query, pair and judgment of each candidate, inside a writing transaction.

    A candidate that was a query before becomes that query again, with the text that is given now.
    Whoever calls it has made sure that no active query says the same.

    Args:
        connection: Inside a writing transaction.
        chosen: Candidates, each with the text of its query.

    Returns:
        What each became, in their order.
    """
    query_ids = _query_ids(connection, [candidate for candidate, _ in chosen])
    known = query_keys(connection, query_ids)
    new = []
    for query_id, (_, text) in zip(query_ids, chosen, strict=True):
        if query_id in known:
            _revive(connection, known[query_id], query_id, text)
        else:
            new.append(Query(query_id, text, source=SOURCE))
    insert_queries(connection, new)
    keys = query_keys(connection, query_ids)
    named = [(query_id, one.doc_id) for query_id, (one, _) in zip(query_ids, chosen, strict=True)]
    add_pairs(connection, named, SOURCE)
    _grade(
        connection,
        [(keys[query_id], one) for query_id, (one, _) in zip(query_ids, chosen, strict=True)],
    )
    return [Entered(query_id, keys[query_id]) for query_id in query_ids]


def withdraw(connection: Connection, query_key: int) -> str | None:
    """Retire the query of a candidate and undo its synthetic grade, inside a writing transaction.

    Returns:
        None if that was done, or why the query stays as it is: judged, decided, discussed or
        in_drawing, as `synthetic_review.worked_on` says.
    """
    reason = worked_on(connection, [query_key]).get(query_key)
    if reason is None:
        retire(connection, query_key)
    return reason


def retire(connection: Connection, query_key: int) -> None:
    """As `withdraw`, of a query of which the caller knows that nobody has worked on it."""
    for pair_id, rater_id in synthetic_grades(connection, query_key):
        record_judgment(connection, NewJudgment(pair_id, rater_id, "undone", _token()))
    set_query_state(connection, query_key, status="retired")


def _query_ids(connection: Connection, candidates: Sequence[Candidate]) -> list[str]:
    """The id of each: "syn-" and digits that follow from what was asked and which answer it is.

    A request that was sent twice, in two runs, brings two queries: the second one's digits follow
    from a further number as well.
    """
    first = [next(_possible_ids(candidate)) for candidate in candidates]
    taken = set(query_keys(connection, first))
    found: list[str] = []
    for candidate in candidates:
        found.append(candidate.query_id or _free_id(connection, candidate, taken))
        taken.add(found[-1])
    return found


def _free_id(connection: Connection, candidate: Candidate, taken: Collection[str]) -> str:
    """The first possible id that no query has; of those in `taken` that is known."""
    for number, query_id in enumerate(_possible_ids(candidate)):
        if query_id not in taken and not (number and query_keys(connection, [query_id])):
            return query_id
    raise AssertionError("ids never end")


def _possible_ids(candidate: Candidate) -> Iterator[str]:
    told = f"{candidate.request_hash} {candidate.ordinal}"
    for number in count():
        digest = hashlib.sha256(f"{told} {number}".encode() if number else told.encode())
        yield f"syn-{digest.hexdigest()[:_DIGITS]}"


def _revive(connection: Connection, query_key: int, query_id: str, text: str) -> None:
    row = query_row_of(connection, query_id)
    if row is None:
        raise LookupError(f"query {query_id!r} has vanished")
    update_content(connection, query_key, text, row.need, row.tags)
    set_query_state(connection, query_key, status="active")


def _grade(connection: Connection, entered: Sequence[tuple[int, Candidate]]) -> None:
    """Let the models grade the documents of these queries, by their query_keys."""
    pair_ids = pairs_of_queries(connection, [query_key for query_key, _ in entered])
    raters: dict[tuple[int, str | None], Person] = {}
    for query_key, candidate in entered:
        model = candidate.synthesis_id, candidate.model
        if model not in raters:
            raters[model] = _rater(connection, candidate)
        pair_id, rater = pair_ids[query_key, candidate.doc_id], raters[model].person_id
        record_judgment(connection, NewJudgment(pair_id, rater, "grade", _token(), grade=GRADE))


def _rater(connection: Connection, candidate: Candidate) -> Person:
    """Who stands for the model; another name where somebody else is called so."""
    model = model_asked(connection, candidate.synthesis_id) or candidate.model or "unknown model"
    for number in count(1):
        name = _name(model, "" if number == 1 else f" ({number})")
        known = find_person(connection, name)
        if known is None or known.kind == SYNTHETIC:
            break
    return known or add_person(connection, name, kind=SYNTHETIC)


def _name(model: str, end: str) -> str:
    """A name as `builder.people.clean_name` takes it; models are called as servers like."""
    printed = "".join(letter for letter in model if letter.isprintable())
    begin = unicodedata.normalize("NFC", f"{SYNTHETIC}: {printed.strip()}")
    return begin[: LONGEST_NAME - len(end)].strip() + end


def _token() -> str:
    return f"{SYNTHETIC}-{uuid4().hex}"
