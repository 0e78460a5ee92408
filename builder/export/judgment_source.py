"""Judgments on their way out: under which names they go, and the count of what stays behind."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from builder.export.selection import pseudonyms_of
from builder.judging.adjudication import REASONS
from builder.settings import Settings
from builder.store import Connection
from builder.store.adjudications import (
    ADJUDICATED,
    ADJUDICATOR,
    TAKEN_BACK,
    Decision,
    all_decisions,
    count_decisions,
)
from builder.store.judgment_rows import (
    MODELS,
    JudgmentRow,
    count_standing,
    log_rows,
    queries_by_id,
    standing_raters,
    standing_rows,
)
from evals.records import Progress, Query

TELL_EVERY = 1000
PAIRS_AT_ONCE = 200
"""Pairs whose documents are fetched together; long texts shall not fill the memory."""

OWN_GRADES = ("human", "import")
"""Kinds of raters that other tools are told of. They cannot tell a language model from a person."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What is asked for.

    Attributes:
        form: The format.
        pseudonymous: Raters under pseudonyms; what they wrote stays at home, it may name people.
        excel: A table that survives a spreadsheet.
        everything: The whole log instead of what stands.
        rule: How grades of one pair become one, in the format that holds one.
    """

    form: str
    pseudonymous: bool = False
    excel: bool = False
    everything: bool = False
    rule: str = "majority"


@dataclass(slots=True)
class Tally:
    """What was written and what was not.

    Attributes:
        written: Judgments and decisions in the file; in trec, pairs with their one grade.
        pairs: Pairs in the file.
        raters: Raters in the file, language models too; none in trec.
        of_models: Judgments in the file that are of language models.
        outcomes: Outcome -> judgments in the file.
        left_out: Reason -> judgments that stand and are not in the file.
        withheld: Comments and reasons that stayed at home because raters are pseudonymous.
        warnings: What a reader of the file should know.
    """

    written: int = 0
    pairs: int = 0
    raters: set[str] = field(default_factory=set)
    of_models: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    left_out: Counter[str] = field(default_factory=Counter)
    withheld: int = 0
    warnings: list[str] = field(default_factory=list)

    def take(self, row: JudgmentRow) -> None:
        """Count a judgment that is written."""
        self.written += 1
        self.raters.add(row.rater)
        self.of_models += row.kind in MODELS
        self.outcomes[row.outcome] += 1

    def as_json(self) -> dict[str, Any]:
        """The counts by name."""
        return {
            "written": self.written,
            "pairs": self.pairs,
            "raters": len(self.raters),
            "of_models": self.of_models,
            "outcomes": dict(sorted(self.outcomes.items())),
            "left_out": dict(sorted(self.left_out.items())),
            "withheld_texts": self.withheld,
            "warnings": [*self.warnings, *self._about_models()],
        }

    def _about_models(self) -> list[str]:
        if not self.of_models:
            return []
        people = f"{self.written - self.of_models:,} of people or imports"
        return [f"{self.of_models:,} of the judgments are a language model's, {people}"]


class JudgmentSource:
    """The judgments of one moment, with what the formats need beside them.

    Attributes:
        connection: Reads that moment.
        settings: The workspace's.
        asked: What is asked for.
        tally: What was written so far.
    """

    def __init__(
        self, connection: Connection, settings: Settings, asked: Asked, progress: Progress | None
    ) -> None:
        self.connection = connection
        self.settings = settings
        self.asked = asked
        self.tally = Tally()
        self._progress = progress
        self._names = pseudonyms_of(connection) if asked.pseudonymous else None

    def rows(self) -> Iterator[JudgmentRow]:
        """What stands, or the whole log, ordered by query, document and rater.

        Decisions come behind the judgments of their pair, and at the end where there are none.
        """
        decided = self._decided()
        for pair, of_pair in groupby(self._judgments(), _pair):
            yield from of_pair
            yield from map(self._under_its_name, decided.pop(pair, ()))
        for rows in decided.values():
            yield from map(self._under_its_name, rows)

    def _judgments(self) -> Iterator[JudgmentRow]:
        found = (log_rows if self.asked.everything else standing_rows)(self.connection)
        total = None if self.asked.everything else count_standing(self.connection)
        for done, row in enumerate(found):
            if self._progress and done % TELL_EVERY == 0:
                self._progress("writing judgments", done, total)
            yield self._under_its_name(row)

    def _decided(self) -> dict[tuple[str, str], list[JudgmentRow]]:
        """(query_id, doc_id) -> what was decided of it, in the order in which it counts."""
        found = all_decisions(self.connection, standing=not self.asked.everything)
        decided: dict[tuple[str, str], list[JudgmentRow]] = {}
        for pair, of_pair in groupby(found, lambda one: (one.query_id, one.doc_id)):
            decisions = list(of_pair)
            decided[pair] = [_as_row(decision) for decision in decisions]
            if not decisions[-1].stands:
                decided[pair].append(_taken_back(decisions[-1]))
        return decided

    def pairs(self) -> Iterator[tuple[tuple[str, str], list[JudgmentRow]]]:
        """((query_id, doc_id), what people and imported files say of it); the rest is counted."""
        if decided := count_decisions(self.connection):
            self.tally.left_out[ADJUDICATED] += decided
        for pair, of_pair in groupby(self._judgments(), _pair):
            kept = []
            for row in of_pair:
                if row.kind in OWN_GRADES:
                    kept.append(row)
                else:
                    self.tally.left_out[row.kind] += 1
            if kept:
                yield pair, kept

    def queries(self) -> Mapping[str, Query]:
        """All queries by id."""
        return queries_by_id(self.connection)

    def graders(self) -> list[str]:
        """Of whom `pairs` holds grades, by the names under which they go."""
        names = standing_raters(self.connection, OWN_GRADES)
        return names if self._names is None else sorted(self._names[name] for name in names)

    def _under_its_name(self, row: JudgmentRow) -> JudgmentRow:
        if self._names is None:
            return row
        # A usual reason of a decision names nobody.
        is_usual = row.outcome == ADJUDICATED and row.reason in REASONS
        reason = row.reason if is_usual else ""
        self.tally.withheld += bool(row.comment) + (row.reason != reason)
        return row._replace(rater=self._names[row.rater], comment="", reason=reason)


def _pair(row: JudgmentRow) -> tuple[str, str]:
    return row.query_id, row.doc_id


def _as_row(decision: Decision) -> JudgmentRow:
    return JudgmentRow(
        decision.query_id,
        decision.doc_id,
        decision.adjudicator,
        ADJUDICATOR,
        ADJUDICATED,
        decision.grade,
        "",
        decision.reason,
        decision.decided_at,
        decision.milliseconds,
        decision.guidelines_version,
        None,
    )


def _taken_back(last: Decision) -> JudgmentRow:
    """Says that nothing of the pair stands; when it was taken back, the table does not know."""
    row = _as_row(last)._replace(outcome=TAKEN_BACK, grade=None, reason="", milliseconds=None)
    return row._replace(guidelines_version=None)
