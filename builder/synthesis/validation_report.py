"""What experts said of the synthetic queries that were drawn for them, and what that allows."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from builder.store import Connection
from builder.store.validations import source_pairs
from builder.synthesis.experts import RELEVANT, WAITING, Evidence, Unit, evidence_of
from builder.synthesis.validation_words import (
    Standing,
    in_words,
    is_provisional,
    without_validation,
)
from builder.synthesis.verdict import Tally, Verdict, accepted_of, decide
from builder.workspace import Workspace
from estimates import Estimate
from estimates.difference import collapsed_strata, difference_estimate

_GRADES = range(4)


def validation_report(workspace: Workspace) -> dict[str, Any]:
    """What the latest validation that stands has found so far.

    A drawn query is settled once an expert has graded its source document (humans who are not left
    out; a decision of an analyst wins), nobody can judge it, or it is gone: rewritten since,
    merged away (its grades went along), or retired before anybody had graded it. It agrees where
    the aggregated grade (majority) is 2 or 3.

    Returns:
        validation_id (None: no validation stands); created_at; queries: synthetic queries at the
        drawing; drawn; graded; agree; cannot_judge; gone; waiting: drawn and not settled;
        not_asked: of these such whose document left the pool; set_aside: of these such that wait
        since an analyst has to decide on the whole query; unfinished: graded pairs that want
        further grades; complete: graded ones that want none; provisional: whether there is a
        verdict that further grades may change; later: active synthetic queries that came after the
        drawing; changed: not drawn ones that were retired or rewritten since;
        agreement: S, agree of graded with its Wilson interval; worst: S, the same with all that
        nobody can judge or that is gone as disagreement;
        grades: {"0": n, …, "3": n} of the graded;
        strata: [{"stratum", "queries", "drawn", "graded", "agree", "cannot_judge", "gone",
        "waiting", "agreement": S, "state": one of `builder.synthesis.verdict.STATES`}];
        estimates: {"share_relevant": S, "mean_grade": S} for all queries of the drawing, by the
        stratified difference estimator (None-valued without grades); collapsed: strata that were
        estimated together with others, since less than two of their drawn queries are graded;
        rule: {"least_agreement", "good_agreement"} as settled at the drawing, else of the settings;
        verdict: one of `builder.synthesis.verdict.VERDICTS`; accepted_strata: [stratum];
        accepted: how many queries `accepted_queries` names; sentence; next: what to do.
        S = {"value", "low", "high", "n", "reason"}.
    """
    with workspace.store.read() as connection:
        return report_within(connection, workspace)


def report_within(connection: Connection, workspace: Workspace) -> dict[str, Any]:
    """As `validation_report`, of the moment that a transaction sees."""
    evidence = evidence_of(connection)
    return _without(workspace, connection) if evidence is None else _report_of(evidence)


def _report_of(evidence: Evidence) -> dict[str, Any]:
    verdict = decide(evidence.units, evidence.rule)
    accepted = accepted_of(evidence, verdict)
    standing = _standing(evidence, len(accepted))
    sentence, following = in_words(verdict, evidence.rule, standing)
    return {
        "validation_id": evidence.validation_id,
        "created_at": evidence.created_at,
        **_counts(verdict.whole),
        "not_asked": standing.not_asked,
        "set_aside": standing.set_aside,
        "unfinished": standing.unfinished,
        "complete": verdict.whole.graded - standing.unfinished,
        "provisional": is_provisional(verdict, standing),
        "later": standing.later,
        "changed": standing.changed,
        "worst": verdict.whole.worst.as_json(),
        "grades": _grades(evidence.units),
        "strata": _strata(verdict),
        **_estimates(evidence.units),
        "rule": evidence.rule.model_dump(),
        "verdict": verdict.verdict,
        "accepted_strata": verdict.accepted_strata,
        "accepted": len(accepted),
        "sentence": sentence,
        "next": following,
    }


def _without(workspace: Workspace, connection: Connection) -> dict[str, Any]:
    n = len(source_pairs(connection))
    nothing = Tally(n, 0, 0, 0, 0, 0, 0)
    sentence, following = without_validation(n)
    return {
        "validation_id": None,
        "created_at": None,
        **_counts(nothing),
        **dict.fromkeys(("not_asked", "set_aside", "unfinished", "complete"), 0),
        **dict.fromkeys(("later", "changed"), 0),
        "provisional": False,
        "worst": nothing.worst.as_json(),
        "grades": _grades(()),
        "strata": [],
        **_estimates(()),
        "rule": workspace.settings.synthesis.model_dump(),
        "verdict": "none",
        "accepted_strata": [],
        "accepted": 0,
        "sentence": sentence,
        "next": following,
    }


def _counts(tally: Tally) -> dict[str, Any]:
    return {
        "queries": tally.queries,
        "drawn": tally.drawn,
        "graded": tally.graded,
        "agree": tally.agree,
        "cannot_judge": tally.cannot_judge,
        "gone": tally.gone,
        "waiting": tally.waiting,
        "agreement": tally.agreement.as_json(),
    }


def _standing(evidence: Evidence, accepted: int) -> Standing:
    waiting = [unit for unit in evidence.units if unit.said == WAITING]
    return Standing(
        accepted=accepted,
        not_asked=sum(not unit.is_asked and not unit.is_set_aside for unit in waiting),
        set_aside=sum(unit.is_set_aside for unit in waiting),
        unfinished=sum(unit.is_unfinished for unit in evidence.units if unit.drawn),
        later=evidence.later,
        changed=sum(not unit.drawn and not unit.stands for unit in evidence.units),
    )


def _grades(units: Sequence[Unit]) -> dict[str, int]:
    given = Counter(unit.grade for unit in units if unit.drawn)
    return {str(grade): given[grade] for grade in _GRADES}


def _strata(verdict: Verdict) -> list[dict[str, Any]]:
    return [
        {"stratum": name, **_counts(tally), "state": verdict.states[name]}
        for name, tally in verdict.strata.items()
    ]


def _estimates(units: Sequence[Unit]) -> dict[str, Any]:
    """The estimates for all queries of the drawing, and which strata they take together."""
    strata = [unit.stratum for unit in units]
    graded = [unit.drawn and unit.grade is not None for unit in units]
    grades = [unit.grade if unit.drawn else None for unit in units]
    share = _estimate(
        [float(unit.synthetic >= RELEVANT) for unit in units],
        [None if grade is None else float(grade >= RELEVANT) for grade in grades],
        strata,
        high=1.0,
    )
    mean = _estimate(
        [float(unit.synthetic) for unit in units],
        [None if grade is None else float(grade) for grade in grades],
        strata,
        high=3.0,
    )
    return {
        "estimates": {"share_relevant": share, "mean_grade": mean},
        "collapsed": collapsed_strata(strata, graded) if any(graded) else [],
    }


def _estimate(
    synthetic: Sequence[float], human: Sequence[float | None], strata: Sequence[str], high: float
) -> dict[str, Any]:
    if not any(value is not None for value in human):
        return Estimate.undefined("nothing_graded").as_json()
    return difference_estimate(synthetic, human, strata, low=0.0, high=high).as_json()
