"""Clicks against experts: graded pairs of which the search log says otherwise.

Clicks are no truth, and grades are not either: where the two contradict each other by much, one of
them is wrong, or the guidelines are. What comes out is a list of pairs to look at again, by raters
who do not know why (`builder.crosscheck.rechecks`), and how far the two agree at all.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from builder.crosscheck.click_wording import in_a_sentence, what_next
from builder.crosscheck.expert_grades import expert_grades
from builder.crosscheck.rechecked import told_rechecks
from builder.judging.adjudication import is_disputed
from builder.judging.aggregation import SettledPair
from builder.judging.agreement import TwoSides, two_sides
from builder.mining.weak_grades import NO_EVIDENCE, REASONS, WeakGrade, WeakGrades, weak_grades
from builder.store import Connection
from builder.store.batches import batches
from builder.store.pair_grades import GradedPair, graded_pairs
from builder.store.pool import Pair
from builder.store.rechecks import obstacles, pair_ids_of
from builder.store.task_rows import active_queries
from builder.workspace import Workspace
from evals.records import Progress
from online.engines import Choice
from online.report import EVERYTHING

JOB = "clicks_experts"
"""The kind of the job that computes it."""
JOB_TARGET = "builder.crosscheck.clicks:clicks_job"

SURE = 0.8
"""How sure a weak grade has to be to contradict a neighbour across the border of relevance."""

_AT_ONCE = 500
_EVIDENCE = (
    *("impressions", "clicks", "sessions", "clicked_sessions", "expected_clicks", "skipped"),
    *("mean_rank", "ctr", "coec", "sdbn"),
)


def clicks_against_experts(
    workspace: Workspace,
    *,
    choice: Choice = EVERYTHING,
    rule: str = "majority",
    limit: int | None = None,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """How far weak grades agree with the experts, and the pairs on which they contradict them.

    A pair is compared if its query is active, a person or an imported file graded it or an analyst
    decided it, and its clicks are evidence enough for a weak grade by the workspace's rule. The
    expert grade is that of a release: decisions win, raters who are left out do not count.

    A contradiction is a pair whose two grades differ by 2 or more; or are 1 and 2, so that only one
    of them says relevant, where the weak grade is at least `SURE`: a value near the threshold is
    evidence of neither side. Its strength is the difference times the confidence of the weak
    grade, 0 to 3.

    The first time after an import the evidence of the whole log is counted, which takes up to half
    a minute for ten million searches; later it is read from the cache.

    Args:
        workspace: Its grades and its log.
        choice: Which searches count.
        rule: How grades of one pair become one: majority, median or mean.
        limit: How many contradictions at most, the strongest; None: all.
        progress: Hears what is done; may raise to cancel.

    Returns:
        n_pairs: pairs that were compared; n_graded: graded pairs of active queries.
        not_compared: {reason: graded pairs}: no_evidence, more_clicks_than_impressions,
        too_few_impressions, too_few_sessions, never_examined, too_few_expected_clicks,
        too_little_confidence.
        flagged: {"left_out", "counted"}: searches of sessions that are flagged as bots.
        kappa_quadratic: S with n, interval over queries; share_equal: S, likewise.
        confusion: four rows (expert grade 0 to 3) of four numbers (weak grade 0 to 3).
        n_contradictions, and contradictions, the strongest first: [{"pair_id", "query_id",
        "query", "doc_id", "title", "grade", "adjudicated", "weak_grade", "difference",
        "confidence", "strength", "evidence": {"impressions", "clicks", "sessions",
        "clicked_sessions", "expected_clicks", "skipped", "mean_rank", "ctr": S, "coec": S,
        "sdbn": S}, "recheck": when it was sent (ISO 8601) or None, "recheck_state": "waiting",
        "answered" or None, "result": its grade by `rule` since somebody graded it anew, or None,
        "sendable": None, or why it cannot be sent: "waiting", "adjudicated", "nobody_left",
        "set_aside", "cannot_judge" (see `builder.store.rechecks.obstacles`)}].
        rechecks: what came of those sent, as `builder.crosscheck.rechecked.list_rechecks`.
        rule: how weak grades are made, as `WeakGradeRule.as_json`.
        reason: why nothing can be compared: "no_log", "no_grades", "no_evidence"; None if it can.
        sentence: all of that in words, and next: what to do; without names from the workspace.

    Raises:
        BuilderError: There is no such rule.
        OnlineError: The lake is damaged.
    """
    with workspace.store.read() as connection:
        active = {query.query_id for query in active_queries(connection)}
        experts = expert_grades(connection, rule, active)
    if progress is not None:
        progress("counting clicks", 0, None)
    weak = weak_grades(
        workspace,
        choice=choice,
        query_ids={query_id for query_id, _ in experts},
        progress=progress,
    )
    both = _compared(experts, weak)
    against = sorted(filter(_Both.contradict, both), key=_strongest_first)
    found = {
        **_agreement(both).as_json(),
        "n_graded": len(experts),
        "flagged": dict(weak.flagged),
        "not_compared": _not_compared(experts, weak),
        "n_contradictions": len(against),
        "rule": weak.rule.as_json(),
        "reason": _reason(experts, weak, both),
    }
    with workspace.store.read() as connection:
        found["rechecks"] = told_rechecks(connection, rule)
        found["contradictions"] = _told(connection, against[:limit], found["rechecks"])
    return {**found, "sentence": in_a_sentence(found), "next": what_next(found)}


def clicks_job(
    workspace: Workspace, _parameters: Mapping[str, Any], progress: Progress
) -> dict[str, Any]:
    """The job that counts the evidence, so that a page reads it from the cache; no parameters.

    Returns:
        {"n_pairs", "n_contradictions", "sentence"}.

    Raises:
        OnlineError: The lake is damaged.
    """
    found = clicks_against_experts(workspace, limit=0, progress=progress)
    return {name: found[name] for name in ("n_pairs", "n_contradictions", "sentence")}


class _Both(NamedTuple):
    """A pair that has a grade of experts and a weak one."""

    expert: SettledPair
    weak: WeakGrade

    @property
    def difference(self) -> int:
        return abs(self.expert.grade - self.weak.grade)

    @property
    def strength(self) -> float:
        return self.difference * self.weak.confidence

    def contradict(self) -> bool:
        return contradicts(self.expert.grade, self.weak.grade, self.weak.confidence)


def _compared(experts: Mapping[Pair, SettledPair], weak: WeakGrades) -> list[_Both]:
    by_pair = weak.by_pair()
    return [_Both(experts[pair], by_pair[pair]) for pair in sorted(experts.keys() & by_pair.keys())]


def _agreement(both: Sequence[_Both]) -> TwoSides:
    return two_sides(
        [pair.expert.query_id for pair in both],
        [pair.expert.grade for pair in both],
        [pair.weak.grade for pair in both],
    )


def contradicts(grade: int, weak_grade: int, confidence: float) -> bool:
    """Whether the two are as far apart as in a dispute, neighbours only where clicks are sure."""
    is_near = abs(grade - weak_grade) < 2
    return is_disputed([grade, weak_grade]) and not (is_near and confidence < SURE)


def _strongest_first(pair: _Both) -> tuple[float, str, str]:
    return -pair.strength, pair.expert.query_id, pair.expert.doc_id


def _not_compared(experts: Mapping[Pair, SettledPair], weak: WeakGrades) -> dict[str, int]:
    """Reason -> graded pairs without a weak grade."""
    by_pair = weak.by_pair()
    missing = (pair for pair in experts if pair not in by_pair)
    counts = Counter(weak.left_out.get(pair, NO_EVIDENCE) for pair in missing)
    return {reason: counts[reason] for reason in (NO_EVIDENCE, *REASONS)}


def _reason(
    experts: Mapping[Pair, SettledPair], weak: WeakGrades, both: Sequence[_Both]
) -> str | None:
    if not weak.has_log:
        return "no_log"
    if not experts:
        return "no_grades"
    return None if both else "no_evidence"


def _told(
    connection: Connection, against: Sequence[_Both], sent: Sequence[Mapping[str, Any]]
) -> list[dict[str, Any]]:
    pair_ids = pair_ids_of(
        connection, [(pair.expert.query_id, pair.expert.doc_id) for pair in against]
    )
    texts = _texts(connection, list(pair_ids.values()))
    closed = obstacles(connection, list(pair_ids.values()))
    newest = {recheck["pair_id"]: recheck for recheck in reversed(sent)}
    rows = []
    for pair in against:
        pair_id = pair_ids[pair.expert.query_id, pair.expert.doc_id]
        recheck = newest.get(pair_id, {})
        rows.append(
            {
                "pair_id": pair_id,
                **_row(pair, texts[pair_id]),
                "recheck": recheck.get("asked_at"),
                "recheck_state": recheck.get("state"),
                "result": recheck.get("result"),
                "sendable": closed.get(pair_id),
            }
        )
    return rows


def _row(pair: _Both, texts: GradedPair) -> dict[str, Any]:
    return {
        "query_id": pair.expert.query_id,
        "query": texts.query,
        "doc_id": pair.expert.doc_id,
        "title": texts.title,
        "grade": pair.expert.grade,
        "adjudicated": pair.expert.adjudicated,
        "weak_grade": pair.weak.grade,
        "difference": pair.difference,
        "confidence": pair.weak.confidence,
        "strength": pair.strength,
        "evidence": _evidence(pair.weak),
    }


def _evidence(weak: WeakGrade) -> dict[str, Any]:
    told = weak.evidence.as_json()
    return {name: told[name] for name in _EVIDENCE}


def _texts(connection: Connection, pair_ids: Sequence[int]) -> dict[int, GradedPair]:
    return {
        pair.pair_id: pair
        for part in batches(pair_ids, _AT_ONCE)
        for pair in graded_pairs(connection, part)
    }
