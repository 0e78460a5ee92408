"""Which synthetic queries go into a release, and which of the grades that came with them count."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Self

from builder.errors import BuilderError
from builder.judging.aggregation import is_decision
from builder.store import Connection
from builder.store.judgments import GradeRow
from builder.store.quota import SYNTHETIC
from builder.synthesis.experts import evidence_of
from builder.synthesis.verdict import accepted_of, decide
from evals.records import Validation

NONE, VALIDATED, ACCEPTED = "none", "validated", "accepted"
MODES: Final = (NONE, VALIDATED, ACCEPTED)
"""none: no synthetic query. validated: those that people graded, by people's grades alone.
accepted: besides, those of the strata that validation accepted, by the grade that came with them.
"""

SOURCE: Final = SYNTHETIC
"""Where such queries come from, and the kind of rater that their first grade is of."""


def check_mode(mode: str) -> None:
    """Let one of `MODES` pass.

    Raises:
        BuilderError: It is another word.
    """
    if mode not in MODES:
        raise BuilderError(
            f"synthetic is {mode!r}, which says nothing here", hint=f"Choose {', '.join(MODES)}."
        )


@dataclass(frozen=True, slots=True)
class Counting:
    """Which grades that came with synthetic queries count.

    Attributes:
        accepted: query_id -> its document, of the queries whose grade counts where nobody graded
            this pair; none by default.
        drawn: query_id -> its part in the latest validation that stands.
        rewritten: Queries that were drawn and say something else since: nothing counts of them,
            for people graded other words, until a new validation draws them as they are.
    """

    accepted: Mapping[str, str] = field(default_factory=dict)
    drawn: Mapping[str, Validation] = field(default_factory=dict)
    rewritten: Collection[str] = frozenset()

    @classmethod
    def of(cls, connection: Connection, mode: str) -> Self:
        """What counts in this mode, by the latest validation that stands."""
        evidence = evidence_of(connection)
        if evidence is None:
            return cls()
        parts, rewritten = evidence.parts(), evidence.rewritten()
        if mode != ACCEPTED:
            return cls(drawn=parts, rewritten=rewritten)
        verdict = decide(evidence.units, evidence.rule)
        return cls(accepted_of(evidence, verdict), parts, rewritten)

    def rows(self, rows: Sequence[GradeRow], excluded: Collection[str]) -> Sequence[GradeRow]:
        """The rows of one query without those that do not count; none of a rewritten one.

        Args:
            rows: All that is said of the query's pairs.
            excluded: Raters who are left out: where only they graded a pair, nobody did.
        """
        if rows and rows[0].query_id in self.rewritten:
            return []
        if not any(row.kind == SOURCE for row in rows):
            return rows
        settled = {row.doc_id for row in rows if _is_of_people(row, excluded)}
        return [row for row in rows if row.kind != SOURCE or self._counts(row, settled, excluded)]

    def _counts(self, row: GradeRow, settled: Collection[str], excluded: Collection[str]) -> bool:
        is_its_own = self.accepted.get(row.query_id) == row.doc_id
        is_accepted = is_its_own and row.rater not in excluded
        return is_accepted and row.grade is not None and row.doc_id not in settled


def without_synthetic(rows: Iterable[GradeRow]) -> Iterable[GradeRow]:
    """The rows without grades that came with synthetic queries: what people and files say."""
    return (row for row in rows if row.kind != SOURCE)


def resting_on_models(rows: Iterable[GradeRow]) -> set[str]:
    """The documents of a query whose grade is the one that came with it; `rows`: what counts."""
    return {row.doc_id for row in rows if row.kind == SOURCE}


def _is_of_people(row: GradeRow, excluded: Collection[str]) -> bool:
    """Whether people or an imported file graded or decided the pair, so that it needs no other."""
    if is_decision(row):
        return True
    is_grade = row.kind in ("human", "import") and row.grade is not None
    return is_grade and row.rater not in excluded
