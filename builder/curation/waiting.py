"""What waits for an analyst: queries that raters doubt, and pairs that nobody could judge."""

from collections.abc import Collection
from dataclasses import dataclass

from builder.curation.acting import analyst, existing_query
from builder.curation.lists import ListedQuery, listed_by_key
from builder.errors import BuilderError
from builder.people import Person
from builder.store import activity, query_words, quota
from builder.store.query_lists import Sought, count_sought
from builder.store.query_outcomes import settle_outcomes
from builder.store.query_words import GivenUp, Word
from builder.workspace import Workspace

MOST = 50
"""So many queries and pairs are shown at once; the others follow as these are decided."""


@dataclass(frozen=True, slots=True)
class WaitingQuery:
    """A query that raters doubt.

    Attributes:
        listed: The query; `set_aside` if nobody is asked for it until this is decided.
        words: What raters say of it, the earliest first.
    """

    listed: ListedQuery
    words: tuple[Word, ...]


@dataclass(frozen=True, slots=True)
class WaitingPair:
    """A pair that several people could not judge.

    Attributes:
        pair: The pair.
        words: Who could not, and why, the earliest first.
    """

    pair: GivenUp
    words: tuple[Word, ...]


@dataclass(frozen=True, slots=True)
class Waiting:
    """What waits for a decision.

    Attributes:
        queries: Set aside ones first, then the latest; at most 50.
        pairs: In the order of the pool; at most 50.
        n_queries: How many queries wait, shown or not, those with such pairs included.
        n_pairs: How many pairs.
    """

    queries: tuple[WaitingQuery, ...]
    pairs: tuple[WaitingPair, ...]
    n_queries: int
    n_pairs: int


def waiting(workspace: Workspace) -> Waiting:
    """All that waits for an analyst's decision."""
    with workspace.store.read() as connection:
        keys = query_words.questioned(connection, MOST)
        listed = listed_by_key(connection, keys)
        words = query_words.words_about(connection, keys)
        stuck = query_words.given_up_pairs(connection, MOST)
        said = query_words.words_about_pairs(connection, [pair.pair_id for pair in stuck])
        return Waiting(
            tuple(WaitingQuery(listed[key], tuple(words.get(key, ()))) for key in keys),
            tuple(WaitingPair(pair, tuple(said.get(pair.pair_id, ()))) for pair in stuck),
            count_sought(connection, Sought(status="waiting")),
            query_words.count_given_up(connection),
        )


def words_about_query(workspace: Workspace, query_id: str) -> tuple[Word, ...]:
    """What raters say now of the whole query, the earliest first.

    Raises:
        BuilderError: There is no such query.
    """
    with workspace.store.read() as connection:
        key = existing_query(connection, query_id).query_key
        return tuple(query_words.words_about(connection, [key]).get(key, ()))


def dismiss_outcomes(
    workspace: Workspace,
    query_id: str,
    actor: Person | None,
    *,
    seen: Collection[int] | None = None,
) -> int:
    """Ask raters for the query again: what they said of it stands no more.

    Args:
        workspace: Where it lies.
        query_id: The query.
        actor: Who decides, at least an analyst; None is the terminal.
        seen: The `said_id` of each word that was considered; None: whatever is said.

    Returns:
        How many words were dismissed.

    Raises:
        NotAllowedError: The actor is no analyst.
        BuilderError: There is no such query, or raters said more meanwhile; nothing was changed.
    """
    with workspace.store.write() as connection:
        name = analyst(connection, actor)
        row = existing_query(connection, query_id)
        words = query_words.words_about(connection, [row.query_key]).get(row.query_key, [])
        if seen is not None and not {word.said_id for word in words} <= set(seen):
            raise BuilderError(
                f"Raters said more of the query {query_id} meanwhile. Nothing was changed.",
                hint="Read it first.",
            )
        dismissed = settle_outcomes(connection, row.query_key)
        if dismissed or row.set_aside:
            said = [{"rater": word.rater, "said": word.outcome} for word in words]
            activity.note(connection, name, "query.ask_again", query_id, {"dismissed": said})
    return dismissed


def ask_again(workspace: Workspace, pair_id: int, actor: Person | None) -> bool:
    """Ask up to two more people for a pair that others could not judge.

    Returns:
        Whether it was waiting for that; False where more people are asked already.

    Raises:
        NotAllowedError: The actor is no analyst.
        BuilderError: There is no such pair.
    """
    with workspace.store.write() as connection:
        name = analyst(connection, actor)
        pair = query_words.doubted_pair(connection, pair_id)
        if pair is None:
            raise BuilderError(f"There is no pair {pair_id}.")
        if not pair.given_up:
            return False
        quota.ask_again(connection, pair_id)
        details = {"doc_id": pair.doc_id, "pair_id": pair_id}
        activity.note(connection, name, "query.ask_more", pair.query_id, details)
    return True
