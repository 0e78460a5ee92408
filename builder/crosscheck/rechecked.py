"""What came of pairs that were sent to a blind re-check."""

from collections.abc import Sequence
from typing import Any

from builder.crosscheck.expert_grades import all_expert_grades, expert_grades, settled_by
from builder.judging.adjudication import is_disputed
from builder.judging.aggregation import SettledPair
from builder.store import Connection
from builder.store.rechecks import Recheck, standing_rechecks
from builder.workspace import Workspace

WAITS, ANSWERED = "waiting", "answered"
DECISION = "decision"
_OUTCOME = ("agrees", "result", "settled_by", "changed", "disputed")


def list_rechecks(workspace: Workspace, *, rule: str = "majority") -> list[dict[str, Any]]:
    """What was sent and not taken back, newest first.

    Args:
        workspace: Where they lie.
        rule: How several grades of a pair become one.

    Returns:
        [{"pair_id", "query_id", "query", "doc_id", "title", "asked_at", "asked_by", "grade" (when
        it was sent), "weak_grade", "state": "waiting" or "answered", "given": the grades of those
        who graded it since for the first time, "given_by": their names (untrusted), "agrees":
        whether all of these are the grade when it was sent, "result": what the pair is settled to
        now, "settled_by": "majority", "lower_median", "mean" or "decision", "changed": whether
        that is another one than when it was sent, "disputed": whether somebody should decide, as
        a new grade is 2 or more from the one when it was sent, or only one of them says relevant,
        and nobody decided; the last five are None while it waits, and where no grade counts}].

    Raises:
        BuilderError: There is no such rule.
    """
    with workspace.store.read() as connection:
        return told_rechecks(connection, rule)


def told_rechecks(connection: Connection, rule: str) -> list[dict[str, Any]]:
    """As `list_rechecks`, inside a transaction."""
    asked = standing_rechecks(connection)
    answered = {recheck.query_id for recheck in asked if not recheck.waits}
    now = expert_grades(connection, rule, answered)
    grades = all_expert_grades(connection, answered)
    found = []
    for recheck in asked:
        pair = (recheck.query_id, recheck.doc_id)
        outcome: dict[str, Any] = dict.fromkeys(_OUTCOME)
        if not recheck.waits and pair in now:
            outcome = _outcome(recheck, now[pair], grades[pair], rule)
        found.append(_told(recheck) | outcome)
    return found


def _told(recheck: Recheck) -> dict[str, Any]:
    told = recheck._asdict()
    del told["recheck_id"]
    return {
        **told,
        "given": list(recheck.given),
        "given_by": list(recheck.given_by),
        "state": WAITS if recheck.waits else ANSWERED,
    }


def _outcome(
    recheck: Recheck, settled: SettledPair, grades: Sequence[int], rule: str
) -> dict[str, Any]:
    return {
        "agrees": set(recheck.given) == {recheck.grade},
        "result": settled.grade,
        "settled_by": DECISION if settled.adjudicated else settled_by(grades, rule),
        "changed": settled.grade != recheck.grade,
        "disputed": not settled.adjudicated and is_disputed([recheck.grade, *recheck.given]),
    }
