"""How the queries of a release were drawn from the search log, for programs and for people."""

import math
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Self

from builder.store import Connection
from builder.store.samplings import SamplingRow, ever_drawn, latest_sampling, weights_of
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
        samples: query_id -> how it was drawn, by the latest sampling that stands. Only these have
            a weight: the weights of one design sum to the log, those of two count it twice.
        sampling: What goldsmith.json says of that sampling; None where none stands.
        earlier: Queries of the release that only earlier samplings drew that stand.
        taken_back: Queries that only samplings drew that were taken back.
        elsewhere: Queries that no sampling drew.
    """

    samples: Mapping[str, Sample]
    sampling: Mapping[str, Any] | None
    earlier: int
    taken_back: int
    elsewhere: int

    @classmethod
    def of_queries(cls, connection: Connection, query_ids: Collection[str]) -> Self:
        """What is known of these queries."""
        latest = latest_sampling(connection)
        drawn = {} if latest is None else weights_of(connection, latest.sampling_id)
        samples = {query_id: drawn[query_id] for query_id in query_ids if query_id in drawn}
        ever = ever_drawn(connection)
        others = Counter(ever.get(query_id) for query_id in query_ids if query_id not in drawn)
        told = None if latest is None else _told(latest, drawn, samples)
        return cls(samples, told, others[True], others[False], others[None])

    @property
    def unweighted(self) -> int:
        """Queries that were drawn and have no weight."""
        return self.earlier + self.taken_back

    def as_json(self) -> dict[str, Any] | None:
        """For goldsmith.json; None where no sampling drew any of the queries.

        Returns:
            "queries" that have a weight; those that have none: "earlier", "taken_back" and
            "elsewhere"; "samplings": the one that the weights come from, or none.
        """
        if not self.samples and not self.unweighted:
            return None
        return {
            "queries": len(self.samples),
            "earlier": self.earlier,
            "taken_back": self.taken_back,
            "elsewhere": self.elsewhere,
            "samplings": [] if self.sampling is None else [dict(self.sampling)],
        }

    def paragraph(self) -> str:
        """For the card, in plain text; "" where no sampling drew any of the queries."""
        if not self.samples and not self.unweighted:
            return ""
        return " ".join([*self._weights(), *self._without_weight()])

    def _weights(self) -> Iterator[str]:
        if self.sampling is None:
            return
        yield _sentence(self.sampling)
        if self.samples:
            yield (
                "In `queries_metadata.jsonl` each of them has its stratum, the probability with "
                "which it was drawn, and its weight, 1 / probability: for how many queries of the "
                "log it stands."
            )
            yield _what_weights_sum_to(self.sampling)

    def _without_weight(self) -> Iterator[str]:
        if self.earlier:
            yield (
                f"{_queries(self.earlier)} of this release came by an earlier sampling and "
                "were not drawn by this one: no weight, for the weights of two samplings together "
                "would count a part of the log twice."
            )
        if self.taken_back:
            yield (
                f"{_queries(self.taken_back)} of this release came by a sampling that was taken "
                "back: no weight."
            )
        if self.elsewhere:
            yield f"{_queries(self.elsewhere)} of this release came from elsewhere: no weight."


def _queries(n: int) -> str:
    return f"{n:,} {'query' if n == 1 else 'queries'}"


def _told(
    row: SamplingRow, drawn: Mapping[str, Sample], here: Mapping[str, Sample]
) -> dict[str, Any]:
    """What goldsmith.json says of a sampling that drew these queries, of which those are here."""
    outcome, parameters = row.outcome, row.parameters
    names = ("seen", "eligible", "sampled", "dropped")
    return {
        "sampling": row.sampling_id,
        "created_at": row.created_at,
        "queries_here": len(here),
        "weights": {"drawn": _sum_of_weights(drawn), "here": _sum_of_weights(here)},
        **parameters,
        **{name: outcome["queries"][name] for name in names},
        "traffic": outcome["traffic"],
        "strata": outcome["strata"],
    }


def _sum_of_weights(samples: Mapping[str, Sample]) -> float:
    return math.fsum(sample.weight for sample in samples.values())


def _what_weights_sum_to(told: Mapping[str, Any]) -> str:
    """Whether the weights speak of all that could be drawn, or of a part."""
    drawn, here = (f"{told['weights'][name]:,.1f}".removesuffix(".0") for name in ("drawn", "here"))
    missing = told["sampled"] - told["queries_here"]
    whole = f"The weights of all {_queries(told['sampled'])} drawn sum to {drawn}"
    if told["method"] == "traffic":
        whole += f", an estimate of the {told['eligible']:,} that could be drawn"
    elif any(row["queries"] and not row["sampled"] for row in told["strata"]):
        whole += f" of the {told['eligible']:,} that could be drawn (not every stratum gave any)"
    if not missing:
        return f"{whole}."
    return (
        f"{whole}; {missing:,} of them are not here (without a grade, retired, or not asked for), "
        f"and the weights here sum to {here}. So they speak of the log only as far as the queries "
        "here are like those that are missing."
    )


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
