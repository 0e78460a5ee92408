"""Blind re-checks: pairs that one more rater grades, and is not told why.

The pair just opens once more, for people who have not graded it. Nothing on their page says that
it was graded before, or that clicks had anything to do with it.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from builder.crosscheck.click_wording import after_sending
from builder.crosscheck.clicks import clicks_against_experts
from builder.errors import BuilderError
from builder.people import Person, authorize, called
from builder.people.roles import authorized
from builder.store import activity
from builder.store.pool import Pair
from builder.store.rechecks import (
    NewRecheck,
    Recheck,
    add_rechecks,
    obstacles,
    standing_rechecks,
    take_back_rechecks,
)
from builder.workspace import Workspace

NO_CONTRADICTION = "no_contradiction"
_TOLD = ("query_id", "doc_id", "grade", "weak_grade")
_NAMED = 200
"""So many pairs the log of deeds names; the table of rechecks holds all."""


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
    if isinstance(pairs, int) and pairs < 1:
        raise BuilderError(f"{pairs} pairs are asked for, must be at least 1")
    authorize(workspace, actor, "analyst")
    found = clicks_against_experts(workspace, rule=rule)["contradictions"]
    with workspace.store.write() as connection:
        authorized(connection, actor, "analyst")
        # What stood in the way may have changed since the list was made.
        closed = obstacles(connection, [row["pair_id"] for row in found])
        chosen, not_sent = _chosen(found, closed, pairs)
        new = [NewRecheck(row["pair_id"], row["grade"], row["weak_grade"]) for row in chosen]
        add_rechecks(connection, new, called(actor))
        told = {"sent": len(new), "not_sent": dict(sorted(not_sent.items()))}
        if new:
            which = [[row["query_id"], row["doc_id"]] for row in chosen]
            details = {**told, "pairs": which[:_NAMED]}
            activity.note(connection, called(actor), "recheck.send", "", details)
    sent = [{name: row[name] for name in _TOLD} for row in chosen]
    return {**told, "pairs": sent, "next": after_sending(len(new), not_sent)}


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
    with workspace.store.write() as connection:
        authorized(connection, actor, "analyst")
        asked = standing_rechecks(connection)
        wanted = None if pairs is None else set(pairs)
        meant = [one for one in asked if wanted is None or (one.query_id, one.doc_id) in wanted]
        waiting = [recheck for recheck in meant if recheck.waits]
        take_back_rechecks(connection, waiting)
        not_taken_back = Counter() if wanted is None else _why_not(wanted, meant)
        told = {"taken_back": len(waiting), "not_taken_back": dict(not_taken_back)}
        if waiting:
            which = [[recheck.query_id, recheck.doc_id] for recheck in waiting]
            details = {**told, "pairs": which[:_NAMED]}
            activity.note(connection, called(actor), "recheck.take_back", "", details)
    return told


def _chosen(
    found: Sequence[Mapping[str, Any]], closed: Mapping[int, str], asked: Sequence[Pair] | int
) -> tuple[list[Mapping[str, Any]], Counter[str]]:
    """What is sent of what was found, strongest first, and why the others are not."""
    not_sent: Counter[str] = Counter()
    candidates: Iterable[Mapping[str, Any]] = found
    most = len(found)
    if isinstance(asked, int):
        most = asked
    else:
        wanted = set(asked)
        candidates = [row for row in found if (row["query_id"], row["doc_id"]) in wanted]
        not_sent[NO_CONTRADICTION] += len(wanted) - len(candidates)
    chosen: list[Mapping[str, Any]] = []
    for row in candidates:
        if len(chosen) == most:
            break
        if row["pair_id"] in closed:
            not_sent[closed[row["pair_id"]]] += 1
        else:
            chosen.append(row)
    return chosen, +not_sent


def _why_not(wanted: set[Pair], meant: Sequence[Recheck]) -> Counter[str]:
    """Why some of the pairs cannot be taken back."""
    states = {(one.query_id, one.doc_id): one.waits for one in reversed(meant)}
    return +Counter(
        {
            "answered": sum(not waits for waits in states.values()),
            "not_sent": len(wanted - states.keys()),
        }
    )
