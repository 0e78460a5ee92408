"""Chooses among the candidates: what is new, balanced and paid for, with all counts.

What only synthesis named is in the pool, but raters are asked for it once somebody else names it:
it is balanced and paid for as what is new.
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from builder.pooling.balance import LEAST, Balanced, Candidate, balanced, interleaved
from builder.pooling.budget import budget_in_pairs, spent, team_pace
from builder.pooling.contributors import HOPELESS, Candidates, Contributor
from builder.pooling.expectation import expected
from builder.pooling.plan import PoolPlan
from builder.store import Connection
from builder.store.pool_contents import known_query_ids, pooled_documents, unasked_documents
from builder.store.pool_yield import yields
from builder.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Chosen:
    """What a pooling does.

    Attributes:
        named: (query_id, doc_id, source, rank) of all that is named, new or not.
        new: How many pairs are new.
        known: How many that are named are in the pool.
        by_source: Source -> pairs that it names.
        outcome: The counts that do not depend on what is written.
    """

    named: list[tuple[str, str, str, int | None]]
    new: int
    known: int
    by_source: dict[str, int]
    outcome: dict[str, Any]


@dataclass(frozen=True, slots=True)
class _Sorted:
    """The candidates of each query: those in the pool, and those that are new, balanced.

    Of `new` those in `unasked` are in the pool, too: query_id -> doc_ids.
    """

    known: dict[str, list[Candidate]]
    new: dict[str, Balanced]
    unasked: Mapping[str, Collection[str]]

    @property
    def n_known(self) -> int:
        return sum(map(len, self.known.values()))

    @property
    def hopeless_left_out(self) -> int:
        return sum(len(of_query.left_out) for of_query in self.new.values())

    @property
    def n_new(self) -> int:
        """New ones that the balance lets pass."""
        return sum(len(of_query.kept) for of_query in self.new.values())

    def added(self, paid: Mapping[str, Sequence[Candidate]]) -> dict[str, list[Candidate]]:
        """Of what is paid for what the pool does not hold."""
        return {
            query_id: [one for one in kept if one.doc_id not in self.unasked.get(query_id, ())]
            for query_id, kept in paid.items()
        }


def choose(
    workspace: Workspace, connection: Connection, plan: PoolPlan, candidates: Candidates
) -> Chosen:
    """What of the candidates joins the pool as `connection` sees it.

    Raises:
        BuilderError: The budget of hours is too small for a single pair.
    """
    status = known_query_ids(connection)
    asked = [query_id for query_id in candidates.queries if status.get(query_id) == "active"]
    pace = team_pace(workspace, connection)
    budget = budget_in_pairs(plan, pace)
    found = _sorted(connection, plan, asked, candidates.contributors)
    paid = spent({query_id: of.kept for query_id, of in found.new.items()}, budget, plan.seed)
    added, n_paid = found.added(paid), sum(map(len, paid.values()))
    new = sum(map(len, added.values()))
    named = [one for query_id in asked for one in _named(query_id, found, paid)]
    gone = len(candidates.queries) - len(asked)
    dropped = candidates.dropped + Counter(
        {"hopeless": found.hopeless_left_out, "queries_retired_meanwhile": gone}
    )
    firsts = (candidate.named[0] for kept in paid.values() for candidate in kept)
    outcome = {
        "candidates": found.n_known + found.n_new + found.hopeless_left_out,
        "queries": len(asked),
        "per_query": spread([len(added[query_id]) for query_id in asked]),
        "opened": n_paid - new,
        "cut_by_budget": found.n_new - n_paid,
        "dropped": dict(sorted(dropped.items())),
        "sources": [_of_source(one, asked, added) for one in candidates.contributors],
        "balance": _balance(plan, paid, found),
        "expected": expected(firsts, yields(connection, HOPELESS)),
        "cost": pace.cost(n_paid),
        "warnings": list(candidates.warnings),
        "flagged": dict(candidates.flagged),
    }
    by_source = Counter(source for _, _, source, _ in named)
    known = found.n_known + n_paid - new
    return Chosen(named, new, known, dict(sorted(by_source.items())), outcome)


def _sorted(
    connection: Connection,
    plan: PoolPlan,
    asked: Sequence[str],
    contributors: Sequence[Contributor],
) -> _Sorted:
    held, unasked = pooled_documents(connection, asked), unasked_documents(connection)
    found = _Sorted({}, {}, unasked)
    for query_id in asked:
        ordered = interleaved(contributors, query_id)
        here = held.get(query_id, {}).keys() - unasked.get(query_id, ())
        found.known[query_id] = [one for one in ordered if one.doc_id in here]
        new = (one for one in ordered if one.doc_id not in here)
        found.new[query_id] = balanced(new, plan.negatives)
    return found


def _named(
    query_id: str, found: _Sorted, paid: dict[str, list[Candidate]]
) -> list[tuple[str, str, str, int | None]]:
    """In the order of the doc_ids: how the pairs of a query are numbered says nothing of ranks."""
    both = sorted([*found.known[query_id], *paid[query_id]], key=lambda one: one.doc_id)
    return [(query_id, one.doc_id, source, rank) for one in both for source, rank in one.named]


def _of_source(
    contributor: Contributor, asked: Sequence[str], added: Mapping[str, list[Candidate]]
) -> dict[str, Any]:
    source = contributor.source
    found = [len(contributor.found.get(query_id, ())) for query_id in asked]
    new = sum(source in dict(one.named) for kept in added.values() for one in kept)
    return {
        "source": source,
        "candidates": sum(found),
        "new": new,
        "queries_without": found.count(0),
        "expects_relevant": contributor.is_hopeful,
    }


def _balance(plan: PoolPlan, paid: dict[str, list[Candidate]], found: _Sorted) -> dict[str, Any]:
    """How many of the new pairs only chance and skipped results name."""
    hopeless = {
        query_id: sum(not one.is_hopeful for one in kept) for query_id, kept in paid.items()
    }
    filled = sum(
        hopeless[query_id] > plan.negatives * len(kept) + 1e-9 for query_id, kept in paid.items()
    )
    return {
        "negatives": plan.negatives,
        "least": LEAST,
        "hopeless": sum(hopeless.values()),
        "left_out": found.hopeless_left_out,
        "queries_filled_up": filled,
    }


def spread(lengths: Sequence[int]) -> dict[str, float]:
    """The fewest, the median and the most pairs of a query; 0 without queries."""
    if not lengths:
        return {"min": 0, "median": 0, "max": 0}
    return {"min": min(lengths), "median": median(lengths), "max": max(lengths)}
