"""What the workspace knows of a comparison's documents at this moment: grades, and who is asked."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field

from builder.evaluation.hole_runs import Frozen
from builder.export.synthetic import without_synthetic
from builder.judging.aggregation import settle_pairs
from builder.store import Connection
from builder.store.adjudications import excluded_raters, grades_and_decisions
from builder.store.documents import known_documents
from builder.store.pool_contents import askable_queries, pooled_documents
from evals.records import Qrels

NEW = "new"
QUEUED = "queued"


def grades_now(connection: Connection, task: Frozen) -> Qrels:
    """The task's grades of this moment, of its queries only.

    Aggregated as the task was, and where nobody's grade stands now as it was frozen: so the grade
    that came with a synthetic query counts where it counted there.
    """
    now: defaultdict[str, dict[str, int]] = defaultdict(dict)
    found = without_synthetic(grades_and_decisions(connection))
    rows = (row for row in found if row.query_id in task.qrels)
    for pair in settle_pairs(rows, task.rule, task.min_raters, excluded_raters(connection)):
        now[pair.query_id][pair.doc_id] = pair.grade
    return {query_id: {**frozen, **now[query_id]} for query_id, frozen in task.qrels.items()}


@dataclass(frozen=True, slots=True)
class Asking:
    """For which unjudged pairs raters can be asked.

    Attributes:
        queries: query_id -> whether raters are asked about it; unknown ones lack.
        pooled: query_id -> doc_id -> how many more grades the pair wants.
        corpus: Those of the documents asked about that the corpus has.
        left_out: Reason -> pairs for which nobody can be asked, of those that `state` was asked.
    """

    queries: Mapping[str, bool]
    pooled: Mapping[str, Mapping[str, int]]
    corpus: Collection[str]
    left_out: Counter[str] = field(default_factory=Counter)

    @classmethod
    def of(cls, connection: Connection, unjudged: Mapping[str, Iterable[str]]) -> "Asking":
        """What the workspace knows of these: query_id -> documents."""
        doc_ids = dict.fromkeys(doc_id for found in unjudged.values() for doc_id in found)
        return cls(
            askable_queries(connection, unjudged),
            pooled_documents(connection, unjudged, asked_only=True),
            known_documents(connection, doc_ids),
        )

    def state(self, query_id: str, doc_id: str) -> str | None:
        """NEW, QUEUED, or None where nobody can be asked; that is counted."""
        reason = self._why_not(query_id, doc_id)
        if reason is not None:
            self.left_out[reason] += 1
            return None
        return QUEUED if doc_id in self.pooled.get(query_id, {}) else NEW

    def _why_not(self, query_id: str, doc_id: str) -> str | None:
        if query_id not in self.queries:
            return "query_unknown"
        if not self.queries[query_id]:
            return "query_retired"
        if doc_id not in self.corpus:
            return "document_unknown"
        wanted = self.pooled.get(query_id, {}).get(doc_id)
        return "nobody_asked" if wanted == 0 else None
