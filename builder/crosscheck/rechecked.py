"""What came of pairs that were sent to a blind re-check."""

from typing import Any

from builder.crosscheck.expert_grades import expert_grades
from builder.store import Connection
from builder.store.rechecks import Recheck, standing_rechecks
from builder.workspace import Workspace

WAITS, ANSWERED = "waiting", "answered"


def list_rechecks(workspace: Workspace, *, rule: str = "majority") -> list[dict[str, Any]]:
    """What was sent and not taken back, newest first.

    Args:
        workspace: Where they lie.
        rule: How several grades of a pair become one.

    Returns:
        [{"pair_id", "query_id", "query", "doc_id", "title", "asked_at", "asked_by", "grade" (when
        it was sent), "weak_grade", "state": "waiting" or "answered", "given": the grades of those
        who graded it since for the first time, "result": its grade now, None while it waits,
        "changed": whether that is another one, None while it waits}].

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
    found = []
    for recheck in asked:
        settled = None if recheck.waits else now.get((recheck.query_id, recheck.doc_id))
        found.append(_told(recheck, None if settled is None else settled.grade))
    return found


def _told(recheck: Recheck, result: int | None) -> dict[str, Any]:
    told = recheck._asdict()
    del told["recheck_id"]
    return {
        **told,
        "given": list(recheck.given),
        "state": WAITS if recheck.waits else ANSWERED,
        "result": result,
        "changed": None if result is None else result != recheck.grade,
    }
