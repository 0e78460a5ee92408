"""Blind re-checks: pairs that one more rater grades, and is not told why.

The pair just opens once more, for people who have not graded it. Nothing on their page says that
it was graded before, or that clicks had anything to do with it.
"""

from collections.abc import Sequence
from typing import Any

from builder.people import Person
from builder.store.pool import Pair
from builder.workspace import Workspace


def send_to_recheck(
    workspace: Workspace,
    pairs: Sequence[Pair] | int,
    actor: Person | None,
    *,
    rule: str = "majority",
) -> dict[str, Any]:
    """Ask one more person for a grade of each of these pairs.

    Args:
        workspace: Where they lie.
        pairs: (query_id, doc_id) out of the contradictions; or how many of those that can be
            sent, the strongest first.
        actor: Who asks, at least an analyst; None is the terminal.
        rule: How several grades of a pair become one, as in the list.

    Returns:
        sent: how many; pairs: [{"query_id", "doc_id", "grade", "weak_grade"}] of these;
        not_sent: {reason: pairs}: nobody_left (every active person who counts has graded it: decide
        it on the page Adjudicate), waiting (sent before, and nobody has graded it since),
        adjudicated, set_aside (the query waits for an analyst), cannot_judge (so many said that
        they cannot judge it that nobody is asked), no_contradiction (it is none, or not any more);
        next: what to do, in words.

    Raises:
        NotAllowedError: The actor is no analyst.
        BuilderError: The number is below 1, or there is no such rule.
        OnlineError: The lake is damaged.
    """
    raise NotImplementedError


def take_back_recheck(
    workspace: Workspace, pairs: Sequence[Pair] | None, actor: Person | None
) -> dict[str, Any]:
    """Ask nobody for these pairs any more, as long as nobody has graded them since.

    Who has one of them on screen may still grade it; the grade counts.

    Args:
        workspace: Where they lie.
        pairs: (query_id, doc_id); None: all that wait.
        actor: Who takes back, at least an analyst; None is the terminal.

    Returns:
        taken_back: how many; not_taken_back: {reason: pairs}: answered, not_sent.

    Raises:
        NotAllowedError: The actor is no analyst.
    """
    raise NotImplementedError


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
    """
    raise NotImplementedError
