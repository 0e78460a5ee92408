"""Clicks against experts: graded pairs of which the search log says otherwise.

Clicks are no truth, and grades are not either: where the two contradict each other by much, one of
them is wrong, or the guidelines are. What comes out is a list of pairs to look at again, by raters
who do not know why (`builder.crosscheck.rechecks`), and how far the two agree at all.
"""

from collections.abc import Mapping
from typing import Any

from builder.workspace import Workspace
from evals.records import Progress
from online.engines import Choice
from online.report import EVERYTHING

JOB = "clicks_experts"
"""The kind of the job that computes it."""
JOB_TARGET = "builder.crosscheck.clicks:clicks_job"


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

    A contradiction is a pair whose two grades differ by 2 or more, or of which one is 0 or 1 and
    the other 2 or 3. Its strength is the difference times the confidence of the weak grade, 0 to 3.

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
        too_few_impressions, too_few_sessions, too_little_confidence.
        kappa_quadratic: S with n, interval over queries; share_equal: S, likewise.
        confusion: four rows (expert grade 0 to 3) of four numbers (weak grade 0 to 3).
        n_contradictions, and contradictions, the strongest first: [{"pair_id", "query_id",
        "query", "doc_id", "title", "grade", "adjudicated", "weak_grade", "difference",
        "confidence", "strength", "evidence": {"impressions", "clicks", "sessions",
        "clicked_sessions", "expected_clicks", "skipped", "mean_rank", "ctr": S, "coec": S,
        "sdbn": S}, "recheck": when it was sent (ISO 8601) or None, "recheck_state": "waiting",
        "answered" or None, "result": its grade by `rule` since somebody graded it anew, or None,
        "sendable": None, or why it cannot be sent: "waiting", "adjudicated", "nobody_left",
        "set_aside", "cannot_judge"}].
        rechecks: what came of those sent, as `builder.crosscheck.rechecks.list_rechecks`.
        rule: how weak grades are made, as `WeakRule.as_json`.
        reason: why nothing can be compared: "no_log", "no_grades", "no_evidence"; None if it can.
        sentence: all of that in words, and next: what to do; without names from the workspace.

    Raises:
        BuilderError: There is no such rule.
        OnlineError: The lake is damaged.
    """
    raise NotImplementedError


def clicks_job(
    workspace: Workspace, parameters: Mapping[str, Any], progress: Progress
) -> dict[str, Any]:
    """The job that counts the evidence, so that a page reads it from the cache; no parameters.

    Returns:
        {"n_pairs", "n_contradictions", "sentence"}.

    Raises:
        OnlineError: The lake is damaged.
    """
    raise NotImplementedError
