"""Weak grades 0 to 3: what clicks suggest of a pair that nobody need have judged.

A weak grade is the band of thresholds into which the shrunk COEC of a pair falls (or its SDBN; see
`online.evidence_records.PairEvidence`). Its confidence is the posterior probability that the true
value lies in that band: of COEC by the gamma distribution of shape clicks + prior, of SDBN by the
beta distribution, each with the prior that all pairs of the log tell.

**The thresholds are a proposal, and nothing is known of yours until experts graded some pairs**:
`goldsmith agreement --clicks` says how far the two agree in a workspace. They come from a
simulation with known grades, as `tests/builder/mining/simulated_clicks.py` makes it: position-based
clicks (`builder.demo.clicks`), in eight settings of how fast attention falls with the rank, how
often what is not relevant is clicked, how good the rankings are and how many documents are
relevant. Of all thresholds on a grid these agree best on the average: quadratic kappa with the true
grade is .73 by COEC (.58 to .82) and .60 by SDBN (.54 to .70), of pairs with 20 impressions or
more (COEC: and an expected click; without that least its mean was .71, and in the worst setting
.51, where 12 % more pairs had a grade). What they do not stand:

- Users who click less often, each chance times .4: .66 by COEC, but .24 by SDBN, whose thresholds
  are chances of a click and want to be lower then.
- A log that keeps one click of a search, the best-ranked one, of users who click often: .22 by
  COEC, but .61 by SDBN, which says nothing of what stands below (44 % of the pairs get a grade).
- Rankings so good that what stands on top is relevant, or queries of which nearly all, or nearly
  nothing, is relevant: COEC is relative to what else stands in the same places, and forgives and
  rewards less than it should.

Weak grades are neither judgments nor qrels, and never become such by themselves.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from builder.mining.deciding import Flagged, deciding_evidence, flagged_of
from builder.settings import WeakGradeRule
from builder.store import Connection
from builder.store.documents import known_documents
from builder.store.task_rows import active_queries
from builder.workspace import Workspace
from evals.records import Progress
from online.click_models import ratio_above, share_above, shrunk
from online.engines import Choice
from online.evidence_records import MORE_CLICKS, NOT_EXAMINED
from online.report import EVERYTHING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from online.evidence import Evidence, EvidenceColumns, EvidenceSummary, PairEvidence, Priors

    Columns: TypeAlias = "EvidenceColumns | _Rows"
    Floats: TypeAlias = NDArray[np.float64]
    Ints: TypeAlias = NDArray[np.int64]

IMPRESSIONS, SESSIONS = "too_few_impressions", "too_few_sessions"
EXPECTED, CONFIDENCE = "too_few_expected_clicks", "too_little_confidence"
NO_EVIDENCE = "no_evidence"
"""Why a pair has no weak grade though it is asked for: the log never showed or clicked it."""
REASONS: Final = (MORE_CLICKS, IMPRESSIONS, SESSIONS, NOT_EXAMINED, EXPECTED, CONFIDENCE)
"""Why a pair of the log has no weak grade; of several that hold, the first."""
NO_GRADE = -1

_AT_ONCE = 500
"""So many queries are looked up together."""


@dataclass(frozen=True, slots=True)
class WeakGrade:
    """What clicks suggest of one pair; nobody judged it.

    Attributes:
        query_id: The query.
        doc_id: The document.
        grade: 0 to 3.
        confidence: Posterior probability that the true value lies in the grade's band, 0 to 1.
        evidence: The clicks behind it.
    """

    query_id: str
    doc_id: str
    grade: int
    confidence: float
    evidence: "PairEvidence"


@dataclass(frozen=True, slots=True)
class WeakGrades:
    """The weak grades of a workspace, and what has none.

    Attributes:
        grades: By query_id and doc_id.
        left_out: (query_id, doc_id) -> why the pair has none, though the log knows it.
        counts: queries (with a weak grade), pairs, by_grade {"0": pairs, …}, left_out {reason:
            pairs}, not_in_corpus (pairs of these queries whose document the corpus does not hold),
            queries_without_evidence (queries asked for of which the log tells nothing).
        searches: How many searches count.
        flagged: How many searches of flagged sessions were left out of them, or are among them.
        rule: By which rule.
    """

    grades: list[WeakGrade]
    left_out: Mapping[tuple[str, str], str]
    counts: dict[str, Any]
    searches: int
    flagged: Flagged
    rule: WeakGradeRule

    @property
    def has_log(self) -> bool:
        """Whether there are searches at all, be they left out or not."""
        return self.searches + self.flagged["left_out"] > 0

    def by_pair(self) -> dict[tuple[str, str], WeakGrade]:
        """(query_id, doc_id) -> its weak grade."""
        return {(weak.query_id, weak.doc_id): weak for weak in self.grades}


@dataclass(frozen=True, slots=True)
class Graded:
    """Weak grades as arrays of one length.

    Attributes:
        grade: 0 to 3; -1 where there is none.
        confidence: 0 to 1; NaN where there is no grade.
        reason: Position in REASONS of why there is none; -1 where there is one.
    """

    grade: "Ints"
    confidence: "Floats"
    reason: "Ints"


def weak_grades(
    workspace: Workspace,
    *,
    choice: Choice = EVERYTHING,
    query_ids: Collection[str] | None = None,
    progress: Progress | None = None,
) -> WeakGrades:
    """What clicks suggest of the active queries and the documents of the corpus.

    A query is found in the log in any of its spellings. Flagged sessions are left out where the
    rule says so, also of a choice that does not.

    Args:
        workspace: Its queries, its corpus, its log and its rule.
        choice: Which searches count.
        query_ids: Only these queries; None: all active ones.
        progress: Hears what is done; may raise to cancel.

    Raises:
        OnlineError: The choice makes no sense, or the lake is damaged.
    """
    evidence = deciding_evidence(workspace, choice, progress)
    collected = _Collected(workspace.settings.weak_grades, evidence.summary)
    with workspace.store.read() as connection:
        for texts in _texts_in_parts(connection, query_ids):
            found = evidence.of_texts(list(dict.fromkeys(texts.values())))
            doc_ids = {pair.doc_id for pairs in found.values() for pair in pairs}
            corpus = known_documents(connection, sorted(doc_ids))
            collected.take({key: found[text] for key, text in texts.items()}, corpus)
    return collected.done()


def count_labelled(evidence: "Evidence", rule: WeakGradeRule) -> int:
    """How many pairs of the whole log get a weak grade by this rule, millions at once."""
    columns = evidence.columns(min_impressions=rule.min_impressions, min_sessions=rule.min_sessions)
    sure = rule.min_confidence > 0
    graded = grade_columns(columns, rule, evidence.summary.priors, sure=sure)
    return int((graded.grade != NO_GRADE).sum())


def grade_columns(
    columns: "Columns", rule: WeakGradeRule, priors: "Priors", *, sure: bool = True
) -> Graded:
    """The weak grades of many pairs, with their confidence, or why they have none.

    Args:
        columns: What is known of the pairs.
        rule: Measure, thresholds and least evidence.
        priors: What all pairs together tell.
        sure: Whether the confidence is wanted, which takes most of the time; else it is NaN, and
            the least confidence of the rule is not looked at.
    """
    import numpy as np

    is_sdbn = rule.measure == "sdbn"
    prior = priors.sdbn if is_sdbn else priors.coec
    of = columns.examined if is_sdbn else columns.expected_clicks
    grade = np.searchsorted(
        rule.bounds, shrunk(columns.shown_clicks, of, prior), side="right"
    ).astype(np.int64)
    confidence = np.full(len(grade), np.nan)
    if sure:
        likely = share_above if is_sdbn else ratio_above
        above = [likely(bound, columns.shown_clicks, of, prior) for bound in rule.bounds]
        confidence = _in_band(grade, above)
    missing = (
        ~columns.sound,
        columns.impressions < rule.min_impressions,
        columns.sessions < rule.min_sessions,
        of <= 0,
        of < (0 if is_sdbn else rule.least_expected_clicks),
        confidence < rule.min_confidence,
    )
    reason = np.select(missing, range(len(REASONS)), default=-1).astype(np.int64)
    has_grade = reason < 0
    return Graded(
        np.where(has_grade, grade, NO_GRADE), np.where(has_grade, confidence, np.nan), reason
    )


def _in_band(grade: "Ints", above: "Sequence[Floats]") -> "Floats":
    """How likely the true value lies in the grade's band, by how likely it is above each bound."""
    import numpy as np

    from_each = np.stack([np.ones(len(grade)), *above, np.zeros(len(grade))])
    at = np.arange(len(grade))
    return np.asarray(from_each[grade, at] - from_each[grade + 1, at])


def grade_pairs(pairs: "Sequence[PairEvidence]", rule: WeakGradeRule, priors: "Priors") -> Graded:
    """The weak grades of some pairs of the log, in their order; see `grade_columns`."""
    return grade_columns(_Rows.of(pairs), rule, priors)


@dataclass(frozen=True, slots=True)
class _Rows:
    """The evidence of single pairs, as arrays of one length."""

    impressions: "Ints"
    shown_clicks: "Ints"
    sessions: "Ints"
    examined: "Ints"
    expected_clicks: "Floats"
    sound: "NDArray[np.bool_]"

    @classmethod
    def of(cls, pairs: "Sequence[PairEvidence]") -> "_Rows":
        import numpy as np

        def counts(name: str) -> "Ints":
            return np.array([getattr(pair, name) for pair in pairs], dtype=np.int64)

        return cls(
            counts("impressions"),
            counts("shown_clicks"),
            counts("sessions"),
            counts("examined"),
            np.array([pair.expected_clicks for pair in pairs], dtype=np.float64),
            np.array([pair.ctr.value is not None for pair in pairs], dtype=np.bool_),
        )


@dataclass(slots=True)
class _Collected:
    """Weak grades on their way into one answer."""

    rule: WeakGradeRule
    summary: "EvidenceSummary"
    grades: list[WeakGrade] = field(default_factory=list)
    left_out: dict[tuple[str, str], str] = field(default_factory=dict)
    not_in_corpus: int = 0
    without_evidence: int = 0

    def take(self, of_queries: "Mapping[str, Sequence[PairEvidence]]", corpus: set[str]) -> None:
        """Take the evidence of some queries in."""
        self.without_evidence += sum(not pairs for pairs in of_queries.values())
        rows = [(key, pair) for key, pairs in of_queries.items() for pair in pairs]
        inside = [row for row in rows if row[1].doc_id in corpus]
        self.not_in_corpus += len(rows) - len(inside)
        graded = grade_pairs([pair for _, pair in inside], self.rule, self.summary.priors)
        told = zip(
            inside,
            graded.grade.tolist(),
            graded.confidence.tolist(),
            graded.reason.tolist(),
            strict=True,
        )
        for (query_id, pair), grade, confidence, reason in told:
            if grade == NO_GRADE:
                self.left_out[query_id, pair.doc_id] = REASONS[reason]
            else:
                self.grades.append(WeakGrade(query_id, pair.doc_id, grade, confidence, pair))

    def done(self) -> WeakGrades:
        """All of it, counted."""
        self.grades.sort(key=lambda weak: (weak.query_id, weak.doc_id))
        by_grade = Counter(weak.grade for weak in self.grades)
        counts = {
            "queries": len({weak.query_id for weak in self.grades}),
            "pairs": len(self.grades),
            "by_grade": {str(grade): by_grade[grade] for grade in range(4)},
            "left_out": dict(sorted(Counter(self.left_out.values()).items())),
            "not_in_corpus": self.not_in_corpus,
            "queries_without_evidence": self.without_evidence,
        }
        flagged, searches = flagged_of(self.summary), self.summary.searches
        return WeakGrades(self.grades, self.left_out, counts, searches, flagged, self.rule)


def _texts_in_parts(
    connection: Connection, query_ids: Collection[str] | None
) -> Iterator[dict[str, str]]:
    """query_id -> text of the active queries that are asked for, some hundred at a time."""
    wanted = None if query_ids is None else set(query_ids)
    texts = {
        query.query_id: query.text
        for query in active_queries(connection)
        if wanted is None or query.query_id in wanted
    }
    in_order = list(texts.items())
    for start in range(0, len(in_order), _AT_ONCE):
        yield dict(in_order[start : start + _AT_ONCE])
