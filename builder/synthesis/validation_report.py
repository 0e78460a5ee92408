"""What experts said of the synthetic queries that were drawn for them, and what that allows."""

from typing import Any

from builder.workspace import Workspace


def validation_report(workspace: Workspace) -> dict[str, Any]:
    """What the latest validation that stands has found so far.

    A drawn query is settled once an expert has graded its source document (humans who are not left
    out; a decision of an analyst wins), nobody can judge it, or it is gone: retired, merged away or
    rewritten. It agrees where the aggregated grade (majority) is 2 or 3.

    Returns:
        validation_id (None: no validation stands); created_at; queries: synthetic queries at the
        drawing; drawn; graded; agree; cannot_judge; gone: drawn and retired, merged away or
        rewritten without a grade that counts; waiting: drawn and not settled; not_asked: of these
        such as nobody is asked for (their filling was taken back, the query is set aside);
        unfinished: graded pairs that want further grades; later: active synthetic queries that are
        in no stratum since they came after the drawing; changed: not drawn ones that were retired
        or rewritten since;
        agreement: S, agree of graded with its Wilson interval; worst: S, the same with all that
        nobody can judge or that is gone as disagreement;
        grades: {"0": n, …, "3": n} of the graded;
        strata: [{"stratum", "queries", "drawn", "graded", "agree", "cannot_judge", "gone",
        "waiting", "agreement": S, "state": "wait" | "accepted" | "left_out" | "rejected"}];
        estimates: {"share_relevant": S, "mean_grade": S} for all queries of the drawing, by the
        stratified difference estimator; collapsed: strata that were estimated together with others,
        since less than two of their drawn queries are graded;
        rule: {"least_agreement", "good_agreement"} as settled at the drawing;
        verdict: one of `builder.synthesis.verdict.VERDICTS`; accepted_strata: [stratum];
        accepted: how many queries `accepted_queries` names; sentence; next.
        S = {"value", "low", "high", "n", "reason"}.
    """
    raise NotImplementedError
