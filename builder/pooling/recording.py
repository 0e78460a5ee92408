"""Writes what a pooling found into the pool, with a record that it can be taken back by."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from builder.errors import BuilderError
from builder.store import Connection, activity
from builder.store.poolings import (
    NamedPair,
    PoolingRow,
    add_pooling,
    drop_pooling,
    keep_outcome,
    name_pairs,
    pooling_row,
    pooling_rows,
)
from builder.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Recorded:
    """What a pooling brought.

    Attributes:
        pooling_id: Its record; None where there is none, for neither a pair nor a source of a pair
            was new.
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
    """One filling of the pool, as people call it.

    Attributes:
        pooling_id: Grows with each.
        created_at: ISO 8601 in UTC.
        created_by: Who pooled; "terminal" for commands; untrusted.
        parameters: What was asked for: the fields of a PoolPlan, or {"kind": "holes", …};
            untrusted.
        outcome: What came of it then, as `pool` gives it; once it was taken back also taken_back:
            what `take_back_pooling` gave.
        pairs: Pairs that it named and that are in the pool now.
        graded: Of these, those that have a human's grade.
        taken_back_at: When it was taken back; None while it stands.
        taken_back_by: Who took it back; None while it stands.
        new: Of `pairs` those that it brought; the others it named, and they were there before.
        new_graded: Of `new`, those that have a human's grade.
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
    new: int = 0
    new_graded: int = 0

    @property
    def stands(self) -> bool:
        """Whether it was not taken back."""
        return self.taken_back_at is None

    @property
    def stayed(self) -> int | None:
        """Pairs that it had brought and that stayed when it was taken back; None while it stands.

        None also of one that was taken back before this was noted.
        """
        told = self.outcome.get("taken_back")
        return None if told is None else told["stayed"]

    def as_json(self) -> dict[str, Any]:
        """Every attribute, for one JSON document."""
        return asdict(self)


def record_pooling(
    connection: Connection,
    named: Iterable[tuple[str, str, str, int | None]],
    parameters: Mapping[str, Any],
    outcome: Mapping[str, Any],
    actor: str,
) -> Recorded:
    """Put the pairs into the pool and write the record, with a note in the log of activity.

    What adds neither a pair nor a source of one leaves no record: there is nothing to take back.

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
    found = [NamedPair(*one) for one in named]
    pooling_id = add_pooling(connection, parameters, actor)
    brought = name_pairs(connection, pooling_id, found)
    is_kept = brought.new > 0 or brought.new_sources > 0
    recorded = Recorded(
        pooling_id if is_kept else None, brought.new, brought.known, brought.by_source
    )
    if is_kept:
        keep_outcome(connection, pooling_id, {**outcome, **asdict(recorded)})
    else:
        drop_pooling(connection, pooling_id)
    told = {"pairs_added": brought.new, "by_source": brought.by_source}
    number = {"pooling_id": pooling_id} if is_kept else {}
    subject = ", ".join(brought.by_source)
    activity.note(connection, actor, "pool.add", subject, told | number)
    return recorded


def list_poolings(workspace: Workspace) -> list[Pooling]:
    """All poolings, newest first, those that were taken back too."""
    with workspace.store.read() as connection:
        return [_pooling(row) for row in pooling_rows(connection)]


def find_pooling(workspace: Workspace, pooling_id: int) -> Pooling:
    """The pooling of this id.

    Raises:
        BuilderError: There is none.
    """
    with workspace.store.read() as connection:
        return known_pooling(connection, pooling_id)


def known_pooling(connection: Connection, pooling_id: int) -> Pooling:
    """As `find_pooling`, inside a transaction."""
    row = pooling_row(connection, pooling_id)
    if row is None:
        raise BuilderError(
            f"there is no filling {pooling_id} in this workspace",
            hint="`goldsmith pool --list` shows all of them.",
        )
    return _pooling(row)


def _pooling(row: PoolingRow) -> Pooling:
    return Pooling(**asdict(row))
