"""Which queries of a sample the workspace has already, and what new ones are called."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from builder.mining.drawing import SampledQuery
from builder.store import Connection
from builder.store.samplings import StoredText, known_ids, texts_of_queries
from online import lake
from online.query_frame import group_keys

PREFIX = "log-"
DIGITS = 10
"""Hex digits of the SHA-256 of a query's key; more where two queries would share them."""


@dataclass(frozen=True, slots=True)
class Matched:
    """What a query of a sample is in the workspace.

    Attributes:
        query_id: Its id; of a new query the one that it gets.
        known: The query that is there already, or None.
    """

    query_id: str
    known: StoredText | None = None

    @property
    def retired(self) -> bool:
        """Whether it is there and nobody is asked for it."""
        return self.known is not None and not self.known.active


def match_queries(
    connection: Connection, log: lake.Connection, sampled: Sequence[SampledQuery]
) -> list[Matched]:
    """What each query of a sample is in the workspace.

    A query of the workspace is the same where it is typed the same but for case, white space and
    composition, as the log says it (sql/duckdb/spellings.sql). Of several an active one is taken,
    then the oldest.

    Args:
        connection: Of the store, inside a transaction.
        log: Of the lake, after the sample was drawn.
        sampled: The sample.
    """
    stored = texts_of_queries(connection)
    by_key: dict[str, StoredText] = {}
    for one, key in zip(stored, group_keys(log, [one.text for one in stored]), strict=True):
        by_key.setdefault(key, one)
    found = [_known(one, by_key) for one in sampled]
    ids = _new_ids(
        connection, [one.key for one, known in zip(sampled, found, strict=True) if known is None]
    )
    return [
        Matched(ids[one.key]) if known is None else Matched(known.query_id, known)
        for one, known in zip(sampled, found, strict=True)
    ]


def _known(one: SampledQuery, by_key: dict[str, StoredText]) -> StoredText | None:
    """The stored query that has its key, or one of its members' keys; an active one first."""
    keys = dict.fromkeys((one.key, *one.members))
    there = [by_key[key] for key in keys if key in by_key]
    return min(there, key=lambda query: not query.active, default=None)


def _new_ids(connection: Connection, keys: Sequence[str]) -> dict[str, str]:
    """Key -> an id that no query has: by the key alone, so that it is the same in every run."""
    hashes = {key: hashlib.sha256(key.encode()).hexdigest() for key in keys}
    ids = {key: f"{PREFIX}{hashes[key][:DIGITS]}" for key in keys}
    taken = known_ids(connection, ids.values())
    given: set[str] = set()
    for key, query_id in ids.items():
        digits = DIGITS
        while query_id in taken or query_id in given:
            digits += 2
            query_id = f"{PREFIX}{hashes[key][:digits]}"  # noqa: PLW2901 - until it is free
            taken |= known_ids(connection, [query_id])
        ids[key] = query_id
        given.add(query_id)
    return ids
