"""A pair as a rater sees it, and who may see any.

It shows the query and the document and nothing that could sway: no rank, score, source, or grade
of anybody else.
"""

from dataclasses import dataclass

from builder.errors import BuilderError, NotAllowedError, PairGoneError
from builder.judging.counts import query_place
from builder.store import Connection, Store, queue, shown
from builder.store.people import Person, find_person
from builder.store.queue import Seeker
from evals.records import Document, Query


@dataclass(frozen=True, slots=True)
class Standing:
    """What a rater says now of a pair.

    Attributes:
        judgment_id: The row of the log in which it stands.
        outcome: grade, skip or cannot_judge.
        grade: 0 to 3; None unless the outcome is grade.
        comment: What the rater wrote, "" if nothing.
        reason: Why the rater skipped or cannot judge, "" if not said.
        moment: When, ISO 8601 in UTC.
    """

    judgment_id: int
    outcome: str
    grade: int | None
    comment: str
    reason: str
    moment: str


@dataclass(frozen=True, slots=True)
class Filters:
    """Which part of the pool a rater works through.

    Attributes:
        tag: Only queries with exactly this tag; None: all.
    """

    tag: str | None = None


@dataclass(frozen=True, slots=True)
class Pair:
    """One query and one document to be graded.

    Attributes:
        pair_id: Names the pair when its grade is submitted.
        query: The query; where it came from is not said.
        document: The document.
        query_position: Which one the query is in this workspace, from 1.
        n_queries: How many queries have pairs.
        left_in_query: How many pairs of this query the rater can grade now, this one included
            unless it is judged already.
        own: What this rater says of it now; None if nothing.
    """

    pair_id: int
    query: Query
    document: Document
    query_position: int
    n_queries: int
    left_in_query: int
    own: Standing | None = None


def grading_person(connection: Connection, rater: str) -> Person:
    """The human of this name, who may grade.

    Raises:
        NotAllowedError: Nobody of this name may grade here.
    """
    person = find_person(connection, rater)
    if person is None or person.kind != "human":
        raise NotAllowedError(
            f"Nobody called {rater} grades here.", hint="Say who you are on the page Grade."
        )
    if not person.active:
        raise NotAllowedError(f"{rater} does not grade here any more.", hint="Ask an admin.")
    return person


def seeker_of(connection: Connection, rater: str, filters: Filters) -> Seeker:
    """The rater as the store knows them, and what they look for.

    Raises:
        NotAllowedError: Nobody of this name may grade here.
    """
    return Seeker(grading_person(connection, rater).person_id, filters.tag)


def known_query(connection: Connection, query_id: str) -> int:
    """The store's key of a query.

    Raises:
        BuilderError: There is no such query.
    """
    query_key = shown.query_key_of(connection, query_id)
    if query_key is None:
        raise BuilderError(
            f"there is no query {query_id} in this workspace", hint="reload the page"
        )
    return query_key


def check_pair(connection: Connection, pair_id: int) -> None:
    """See that there is such a pair.

    Raises:
        PairGoneError: There is none: where somebody has it on screen, it was taken out of the pool.
    """
    if shown.shown_pair(connection, pair_id) is None:
        raise PairGoneError(
            f"there is no pair {pair_id} in this workspace, or none any more",
            hint="reload the page",
        )


def pair_for(store: Store, connection: Connection, rater_id: int, pair_id: int, now: str) -> Pair:
    """A known pair as the rater sees it at the moment `now`."""
    found = shown.shown_pair(connection, pair_id)
    if found is None:
        raise LookupError(f"pair {pair_id} has vanished")
    still_open = queue.open_pairs(connection, Seeker(rater_id), found.query_key, now)
    own = own_standing(connection, rater_id, [pair_id]).get(pair_id)
    unsettled = own is None or own.outcome == "skip"
    left = len({*still_open, pair_id} if unsettled else set(still_open))
    position, n_queries = query_place(store, connection, found.query_key)
    return Pair(pair_id, found.query, found.document, position, n_queries, left, own)


def own_standing(connection: Connection, rater_id: int, pair_ids: list[int]) -> dict[int, Standing]:
    """pair_id -> what the rater says of it now, where the rater says anything."""
    return {
        pair_id: Standing(
            row.judgment_id, row.outcome, row.grade, row.comment, row.reason, row.moment
        )
        for pair_id, row in shown.own_words(connection, rater_id, pair_ids).items()
    }
