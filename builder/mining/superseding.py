"""Which queries lose their weight when another sample is drawn: weights are those of one design."""

from collections.abc import Collection, Iterator

from builder.mining.options import Sampling
from builder.store import Connection
from builder.store.samplings import SamplingRow, latest_sampling, weights_of


def losing_weight(connection: Connection, drawn: Collection[str]) -> int:
    """How many queries weigh something now and will not beside a new sampling.

    Args:
        connection: Of the store, before the new sampling is written.
        drawn: The ids of what the new sampling draws.
    """
    latest = latest_sampling(connection)
    if latest is None:
        return 0
    return len(weights_of(connection, latest.sampling_id).keys() - set(drawn))


def superseding_warnings(connection: Connection, options: Sampling, n: int) -> Iterator[str]:
    """What is said before n queries lose their weight, with the ways out.

    Args:
        connection: Of the store, before the new sampling is written.
        options: Of the new sampling.
        n: Queries of the latest sampling that the new one does not draw.
    """
    latest = latest_sampling(connection)
    if not n or latest is None:
        return
    number, of_it = latest.sampling_id, latest.outcome["queries"]["sampled"]
    yield (
        f"{n:,} of the {of_it:,} queries of sampling {number} are not in this one and lose their "
        "weight, for a release weighs by one sampling alone, the latest that stands. "
        f"{_way_out(latest, options)}"
    )


def _way_out(latest: SamplingRow, options: Sampling) -> str:
    number, limit = latest.sampling_id, latest.parameters["limit"]
    before, now = dict(latest.parameters), options.as_json()
    asked_alike = before | {"limit": 0} == now | {"limit": 0}
    if asked_alike and options.limit >= limit:
        return (
            f"The log is another than at sampling {number}: take that back first if nobody has "
            "worked on it, or go on with it."
        )
    if asked_alike:
        return f"To keep them, ask for {limit:,} or more: a greater limit keeps the smaller sample."
    return (
        f"To keep them, draw as sampling {number} did (seed {before['seed']}, the same options) "
        f"with a limit of {limit:,} or more; or take sampling {number} back first."
    )
