"""How the queries of a release were drawn from the search log, for programs and for people."""

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, Self

from builder.store import Connection
from builder.store.samplings import find_sampling, standing_weights
from evals.records import Sample

_METHODS = {
    "stratified": "so many at random from each stratum",
    "random": "at random, every query alike",
    "traffic": "at random, by how often each is searched for",
}
_REASONS = {
    "empty": "empty",
    "too_long": "too long",
    "personal_data": "with personal data",
    "few_sessions": "of too few sessions",
    "merged": "merged into a near-duplicate",
}


@dataclass(frozen=True, slots=True)
class Sampled:
    """What is known of how the queries of a release were drawn.

    Attributes:
        samples: query_id -> how it was drawn, by the latest sampling that stands.
        samplings: The samplings that these weights come from, the latest first: what
            goldsmith.json says of each.
        elsewhere: Queries of the release that no sampling drew; they have no weight.
    """

    samples: Mapping[str, Sample]
    samplings: tuple[dict[str, Any], ...]
    elsewhere: int

    @classmethod
    def of_queries(cls, connection: Connection, query_ids: Collection[str]) -> Self:
        """What is known of these queries."""
        standing = standing_weights(connection)
        drawn = {query_id: standing[query_id] for query_id in query_ids if query_id in standing}
        counted = Counter(sampling_id for sampling_id, _ in drawn.values())
        told = [_told(connection, number, n) for number, n in sorted(counted.items(), reverse=True)]
        samples = {query_id: sample for query_id, (_, sample) in drawn.items()}
        return cls(samples, tuple(told), len(query_ids) - len(drawn))

    def as_json(self) -> dict[str, Any] | None:
        """For goldsmith.json: "queries" that have a weight, "elsewhere", "samplings"; or None."""
        if not self.samplings:
            return None
        return {
            "queries": len(self.samples),
            "elsewhere": self.elsewhere,
            "samplings": list(self.samplings),
        }

    def paragraph(self) -> str:
        """For the card, in plain text; "" where no sampling drew any of the queries."""
        if not self.samplings:
            return ""
        told = " ".join(_sentence(one) for one in self.samplings)
        weights = (
            "In `queries_metadata.jsonl` each of them has its stratum, the probability with which "
            "it was drawn, and its weight, 1 / probability: for how many queries of the log it "
            "stands. Queries that were drawn and not graded are not here, so weights speak of the "
            "log only as far as those that are here are like them."
        )
        others = (
            f" {self.elsewhere:,} queries of this release come from elsewhere and have no weight."
            if self.elsewhere
            else ""
        )
        return f"{told} {weights}{others}"


def _told(connection: Connection, sampling_id: int, n: int) -> dict[str, Any]:
    """What goldsmith.json says of a sampling of which n queries are in the release."""
    row = find_sampling(connection, sampling_id)
    if row is None:
        raise LookupError(f"sampling {sampling_id} is unknown")
    outcome, parameters = row.outcome, row.parameters
    names = ("seen", "eligible", "sampled", "dropped")
    return {
        "sampling": sampling_id,
        "created_at": row.created_at,
        "queries_here": n,
        **parameters,
        **{name: outcome["queries"][name] for name in names},
        "traffic": outcome["traffic"],
        "strata": outcome["strata"],
    }


def _sentence(told: Mapping[str, Any]) -> str:
    traffic = told["traffic"]
    dropped = ", ".join(
        f"{n:,} {_REASONS.get(reason, reason)}" for reason, n in told["dropped"].items()
    )
    way = _METHODS[told["method"]]
    if told["method"] == "stratified":
        way += f" (strata by {told['by']}, {told['allocation']} allocation)"
    return (
        f"On {told['created_at'][:10]} {told['sampled']:,} queries were drawn from a search log "
        f"of {traffic['searches']:,} searches for {told['seen']:,} different queries, {way}, seed "
        f"{told['seed']}; {told['eligible']:,} could be drawn{', left out: ' if dropped else ''}"
        f"{dropped}. They make {traffic['share']:.1%} of all searches. In this release are "
        f"{told['queries_here']:,} of them."
    )
