"""Drawings of queries from the log as records: what each drew, brought, and stands for.

Weights are those of one design: the latest sampling that stands. Two designs side by side would
count a part of the log twice.
"""

import json
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from sqlalchemy import (
    ColumnElement,
    Connection,
    Row,
    Select,
    case,
    delete,
    exists,
    func,
    insert,
    or_,
    select,
    update,
)

from builder.store.batches import batches
from builder.store.deeds import Deed, json_text, new_deed, read_deed, taken_back
from builder.store.queries import BATCH, query_keys
from builder.store.schema import (
    activity,
    adjudications,
    judgments,
    pairs,
    queries,
    query_outcomes,
    query_samples,
    samplings,
)
from evals.records import Sample

KEPT_FOR = ("other_sampling", "graded", "in_pool", "discussed", "edited")
"""Why a query stays though the sampling that brought it is taken back, the first that fits."""


class StoredText(NamedTuple):
    """A query of the workspace, by its text."""

    query_key: int
    query_id: str
    text: str
    active: bool


class SampleRow(NamedTuple):
    """What a sampling says of one query.

    Attributes:
        query_id: A known query.
        stratum: Which it was drawn from.
        inclusion_probability: With which chance, above 0 and at most 1.
        searches: How often the log has it.
        sessions: In how many sessions.
        variants: (Spelling, searches), the most frequent first.
        new_query: Whether the sampling made the query.
    """

    query_id: str
    stratum: str
    inclusion_probability: float
    searches: int
    sessions: int
    variants: tuple[tuple[str, int], ...]
    new_query: bool


@dataclass(frozen=True, slots=True)
class SamplingRow(Deed):
    """One record."""

    sampling_id: int


def texts_of_queries(connection: Connection) -> list[StoredText]:
    """All queries, those that are active first, then as they came."""
    every = select(queries.c.query_key, queries.c.query_id, queries.c.text, queries.c.status)
    every = every.order_by(queries.c.status, queries.c.query_key)
    rows = connection.execute(every)
    return [
        StoredText(row.query_key, row.query_id, row.text, row.status == "active") for row in rows
    ]


def add_sampling(
    connection: Connection,
    parameters: Mapping[str, Any],
    outcome: Mapping[str, Any],
    created_by: str,
    samples: Iterable[SampleRow],
) -> int:
    """Write a sampling and what it drew; its number.

    Raises:
        LookupError: A query is unknown.
    """
    row = new_deed(parameters, outcome, created_by)
    result = connection.execute(insert(samplings).returning(samplings.c.sampling_id), row)
    sampling_id: int = result.scalar_one()
    for batch in batches(samples, BATCH):
        keys = _keys(connection, [sample.query_id for sample in batch])
        rows = [_sample_row(sampling_id, keys[sample.query_id], sample) for sample in batch]
        connection.execute(insert(query_samples), rows)
    return sampling_id


def find_sampling(connection: Connection, sampling_id: int) -> SamplingRow | None:
    """The record of this number, or None."""
    found = connection.execute(select(samplings).where(samplings.c.sampling_id == sampling_id))
    row = found.one_or_none()
    return None if row is None else read_deed(SamplingRow, row)


def latest_sampling(connection: Connection, without: int | None = None) -> SamplingRow | None:
    """The latest sampling that stands, or None.

    Args:
        connection: Inside a transaction.
        without: The number of a sampling that is passed over.
    """
    standing = select(samplings).where(samplings.c.taken_back_at.is_(None))
    if without is not None:
        standing = standing.where(samplings.c.sampling_id != without)
    latest = standing.order_by(samplings.c.sampling_id.desc()).limit(1)
    row = connection.execute(latest).one_or_none()
    return None if row is None else read_deed(SamplingRow, row)


def all_samplings(connection: Connection) -> list[SamplingRow]:
    """All records, the latest first."""
    every = select(samplings).order_by(samplings.c.sampling_id.desc())
    return [read_deed(SamplingRow, row) for row in connection.execute(every)]


def samples_of(connection: Connection, sampling_id: int) -> list[SampleRow]:
    """What a sampling drew, ordered by query_id."""
    drawn = select(queries.c.query_id, query_samples).join_from(query_samples, queries)
    drawn = drawn.where(query_samples.c.sampling_id == sampling_id).order_by(queries.c.query_id)
    return [_sample(row) for row in connection.execute(drawn)]


def weights_of(connection: Connection, sampling_id: int) -> dict[str, Sample]:
    """query_id -> how this sampling drew it."""
    columns = ("stratum", "inclusion_probability", "searches")
    drawn = select(queries.c.query_id, *(query_samples.c[name] for name in columns))
    drawn = drawn.join_from(query_samples, queries)
    drawn = drawn.where(query_samples.c.sampling_id == sampling_id)
    return {
        row.query_id: Sample(row.stratum, row.inclusion_probability, row.searches)
        for row in connection.execute(drawn)
    }


def ever_drawn(connection: Connection) -> dict[str, bool]:
    """query_id -> whether a sampling that stands drew it; all that any sampling drew."""
    stands = func.max(case((samplings.c.taken_back_at.is_(None), 1), else_=0))
    drawn = select(queries.c.query_id, stands.label("stands"))
    drawn = drawn.select_from(query_samples.join(queries).join(samplings))
    rows = connection.execute(drawn.group_by(queries.c.query_id))
    return {row.query_id: bool(row.stands) for row in rows}


def queries_left(connection: Connection) -> dict[int, int]:
    """Sampling -> the queries that it made and that are here."""
    here = select(query_samples.c.sampling_id, func.count().label("n"))
    here = here.where(query_samples.c.new_query == 1).group_by(query_samples.c.sampling_id)
    return {row.sampling_id: row.n for row in connection.execute(here)}


class TakingBack(NamedTuple):
    """What goes with a sampling, and what does not.

    Attributes:
        going: Key -> id of the queries that go.
        kept: Reason of `KEPT_FOR` -> queries made by samplings that stay all the same.
        unweighted: Queries that weigh something by it, stay, and weigh nothing afterwards.
    """

    going: dict[int, str]
    kept: dict[str, int]
    unweighted: int


def plan_taking_back(connection: Connection, sampling_id: int) -> TakingBack:
    """What taking a sampling back would do at this moment, also once more.

    A query with a pair stays: a rater may have it on screen at this moment.
    """
    made_here = _made_by_samplings(connection, sampling_id)
    reasons: dict[int, str] = {}
    for reason in KEPT_FOR:
        for key in connection.execute(_kept_for(reason, sampling_id)).scalars():
            reasons.setdefault(key, reason)
    going = {key: query_id for key, query_id in made_here.items() if key not in reasons}
    kept = Counter(reasons[key] for key in made_here if key in reasons)
    unweighted = _unweighted(connection, sampling_id, set(going.values()))
    return TakingBack(going, dict(sorted(kept.items())), unweighted)


def take_back(
    connection: Connection, sampling_id: int, taken_back_by: str, plan: TakingBack
) -> None:
    """Do what was planned in this transaction; who took it back first stays on record."""
    which = samplings.c.sampling_id == sampling_id, samplings.c.taken_back_at.is_(None)
    connection.execute(update(samplings).where(*which).values(taken_back(taken_back_by)))
    _delete(connection, list(plan.going))


def _unweighted(connection: Connection, sampling_id: int, going: Collection[str]) -> int:
    latest = latest_sampling(connection)
    if latest is None or latest.sampling_id != sampling_id:
        return 0
    heir = latest_sampling(connection, without=sampling_id)
    weighed = set() if heir is None else weights_of(connection, heir.sampling_id).keys()
    return len(weights_of(connection, sampling_id).keys() - weighed - set(going))


def _made_by_samplings(connection: Connection, sampling_id: int) -> dict[int, str]:
    """Key -> query_id of what this sampling drew and this or an earlier one had made."""
    made = select(query_samples.c.query_key).where(query_samples.c.new_query == 1)
    drawn = select(queries.c.query_key, queries.c.query_id).join_from(query_samples, queries)
    drawn = drawn.where(query_samples.c.sampling_id == sampling_id)
    rows = connection.execute(drawn.where(queries.c.query_key.in_(made)))
    return {row.query_key: row.query_id for row in rows}


def _kept_for(reason: str, sampling_id: int) -> Select[Any]:
    """The keys of what this sampling drew and what stays for this reason."""
    key = query_samples.c.query_key
    others = query_samples.alias("others")
    conditions: dict[str, ColumnElement[bool]] = {
        "other_sampling": exists()
        .where(others.c.query_key == key, others.c.sampling_id == samplings.c.sampling_id)
        .where(samplings.c.taken_back_at.is_(None), others.c.sampling_id != sampling_id),
        "graded": or_(
            exists().where(pairs.c.query_key == key, judgments.c.pair_id == pairs.c.pair_id),
            exists().where(pairs.c.query_key == key, adjudications.c.pair_id == pairs.c.pair_id),
        ),
        "in_pool": exists().where(pairs.c.query_key == key),
        "discussed": exists().where(query_outcomes.c.query_key == key),
        "edited": exists().where(
            activity.c.subject == queries.c.query_id, activity.c.action.like("query.%")
        ),
    }
    drawn = select(key).join_from(query_samples, queries)
    return drawn.where(query_samples.c.sampling_id == sampling_id, conditions[reason])


def _delete(connection: Connection, keys: Sequence[int]) -> None:
    for batch in batches(keys, BATCH):
        connection.execute(delete(query_samples).where(query_samples.c.query_key.in_(batch)))
        connection.execute(delete(queries).where(queries.c.query_key.in_(batch)))


def known_ids(connection: Connection, query_ids: Collection[str]) -> set[str]:
    """Those of these ids that are taken."""
    found: set[str] = set()
    for batch in batches(query_ids, BATCH):
        found |= query_keys(connection, batch).keys()
    return found


def _keys(connection: Connection, query_ids: Sequence[str]) -> dict[str, int]:
    """As `query_keys`, of ids that have to be known."""
    keys = query_keys(connection, query_ids)
    for query_id in query_ids:
        if query_id not in keys:
            raise LookupError(f"query {query_id!r} is unknown")
    return keys


def _sample_row(sampling_id: int, query_key: int, sample: SampleRow) -> dict[str, Any]:
    return {
        "sampling_id": sampling_id,
        "query_key": query_key,
        "stratum": sample.stratum,
        "inclusion_probability": sample.inclusion_probability,
        "searches": sample.searches,
        "sessions": sample.sessions,
        "variants": json_text([list(variant) for variant in sample.variants]),
        "new_query": int(sample.new_query),
    }


def _sample(row: Row[Any]) -> SampleRow:
    return SampleRow(
        row.query_id,
        row.stratum,
        row.inclusion_probability,
        row.searches,
        row.sessions,
        tuple((text, n) for text, n in json.loads(row.variants)),
        bool(row.new_query),
    )
