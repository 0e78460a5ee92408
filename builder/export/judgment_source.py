"""Judgments on their way out: under which names they go, and the count of what stays behind."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any, TypeVar

from builder.export.selection import pseudonyms_of
from builder.settings import Settings
from builder.store import Connection
from builder.store.judgment_rows import (
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

T = TypeVar("T")


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
        written: Judgments in the file; in trec, pairs with their one grade.
        pairs: Pairs in the file.
        raters: Raters in the file; none in trec.
        outcomes: Outcome -> judgments in the file.
        left_out: Reason -> judgments that stand and are not in the file.
        withheld: Comments and reasons that stayed at home because raters are pseudonymous.
        warnings: What a reader of the file should know.
    """

    written: int = 0
    pairs: int = 0
    raters: set[str] = field(default_factory=set)
    outcomes: Counter[str] = field(default_factory=Counter)
    left_out: Counter[str] = field(default_factory=Counter)
    withheld: int = 0
    warnings: list[str] = field(default_factory=list)

    def take(self, row: JudgmentRow) -> None:
        """Count a judgment that is written."""
        self.written += 1
        self.raters.add(row.rater)
        self.outcomes[row.outcome] += 1

    def as_json(self) -> dict[str, Any]:
        """The counts by name."""
        return {
            "written": self.written,
            "pairs": self.pairs,
            "raters": len(self.raters),
            "outcomes": dict(sorted(self.outcomes.items())),
            "left_out": dict(sorted(self.left_out.items())),
            "withheld_texts": self.withheld,
            "warnings": self.warnings,
        }


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
        """What stands, or the whole log, ordered by query, document and rater."""
        found = (log_rows if self.asked.everything else standing_rows)(self.connection)
        total = None if self.asked.everything else count_standing(self.connection)
        for done, row in enumerate(found):
            if self._progress and done % TELL_EVERY == 0:
                self._progress("writing judgments", done, total)
            yield self._under_its_name(row)

    def pairs(self) -> Iterator[tuple[tuple[str, str], list[JudgmentRow]]]:
        """((query_id, doc_id), what people and imported files say of it); the rest is counted."""
        for pair, of_pair in groupby(self.rows(), lambda row: (row.query_id, row.doc_id)):
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
        self.tally.withheld += bool(row.comment) + bool(row.reason)
        return row._replace(rater=self._names[row.rater], comment="", reason="")


def in_batches(values: Iterator[T], size: int) -> Iterator[Sequence[T]]:
    """The values, `size` at a time."""
    batch: list[T] = []
    for value in values:
        batch.append(value)
        if len(batch) == size:
            yield batch
            batch = []
    if batch:
        yield batch
