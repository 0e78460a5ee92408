"""Writes what a pooling found into the pool, with a record that it can be taken back by."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from builder.store import Connection
from builder.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Recorded:
    """What a pooling brought.

    Attributes:
        pooling_id: Its record; None where nothing was named, for which there is none.
        pairs_added: Pairs that the pool did not hold.
        known: Pairs that were named and that the pool held already.
        by_source: Source -> pairs that it named, new or not.
    """

    pooling_id: int | None
    pairs_added: int
    known: int
    by_source: dict[str, int]


@dataclass(frozen=True, slots=True)
class Pooling:
    """One filling of the pool.

    Attributes:
        pooling_id: Grows with each.
        created_at: ISO 8601 in UTC.
        created_by: Who pooled; "terminal" for commands; untrusted.
        parameters: What was asked for: the fields of a PoolPlan, or {"kind": "holes", …};
            untrusted.
        outcome: What came of it then, as `pool` gives it.
        pairs: Pairs that it named and that are in the pool now.
        graded: Of these, those that have a human's grade.
        taken_back_at: When it was taken back; None while it stands.
        taken_back_by: Who took it back; None while it stands.
    """

    pooling_id: int
    created_at: str
    created_by: str
    parameters: Mapping[str, Any]
    outcome: Mapping[str, Any]
    pairs: int
    graded: int
    taken_back_at: str | None = None
    taken_back_by: str | None = None


def record_pooling(
    connection: Connection,
    named: Iterable[tuple[str, str, str, int | None]],
    parameters: Mapping[str, Any],
    outcome: Mapping[str, Any],
    actor: str,
) -> Recorded:
    """Put the pairs into the pool and write the record, with a note in the log of activity.

    Args:
        connection: Inside a writing transaction.
        named: (query_id, doc_id, source, rank) in the order in which new pairs join; rank from 1,
            or None. A pair may be named by several sources.
        parameters: What was asked for, as JSON.
        outcome: What came of it, as JSON; pooling_id, pairs_added, known and by_source of this
            record are put into the stored one.
        actor: The name of who pools (`builder.people.called`).

    Raises:
        LookupError: A query or a document is unknown.
    """
    raise NotImplementedError


def list_poolings(workspace: Workspace) -> list[Pooling]:
    """All poolings, newest first, those that were taken back too."""
    raise NotImplementedError
