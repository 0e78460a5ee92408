"""Leaving a rater out: the grades stay, count no more, and others are asked instead."""

import re

from builder.errors import BuilderError
from builder.people.managing import known_human
from builder.people.roles import Actor, authorized, called
from builder.store import excluding as stored
from builder.store.activity import note
from builder.store.excluding import Exclusion
from builder.workspace import Workspace

__all__ = ["Exclusion", "exclude_rater", "find_exclusion", "include_rater", "pairs_that_would_lose"]

LONGEST_REASON = 500

_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


def exclude_rater(workspace: Workspace, name: str, reason: str, actor: Actor) -> int:
    """Leave a person's grades out of aggregation, of the headline of agreement and of the quota.

    The grades stay in the log, and the reason goes into each release. From this moment the pairs
    that are now short of a grade are in the queue again: how many it will be
    `pairs_that_would_lose` says before; pairs that have enough grades without it, that were given
    up, or whose query is retired or set aside, are not asked for. The rater may go on working:
    that fills no quota either; who shall not is deactivated (`builder.people.deactivate`), before
    or after. What the rater cannot judge, skips or says of queries counts as before. Somebody who
    is left out already gets the new reason.

    Args:
        workspace: Where they grade.
        name: The rater.
        reason: Why; not blank, at most 500 characters.
        actor: Who says so, at least an analyst; None is the terminal.

    Returns:
        How many pairs are asked for again.

    Raises:
        NotAllowedError: The actor is no analyst, or the name stands for no person.
        BuilderError: Nobody is called so, or the reason is unfit.
    """
    why = _checked(reason)
    with workspace.store.write() as connection:
        authorized(connection, actor, "analyst")
        rater = known_human(connection, name)
        before = stored.find_exclusion(connection, rater.person_id)
        if before is not None and before.reason == why:
            return 0
        if before is None:
            again = stored.exclude_person(connection, rater.person_id, called(actor), why)
        else:
            stored.change_reason(connection, rater.person_id, called(actor), why)
            again = 0
        told = {"reason": why, "pairs_asked_again": again}
        note(connection, called(actor), "rater.exclude", rater.name, told)
    return again


def include_rater(workspace: Workspace, name: str, actor: Actor) -> None:
    """Let the grades of somebody who was left out count again; the quota counts them, too.

    Pairs that others graded meanwhile keep these grades as well: they have more than they want.
    Where nobody is left out, nothing changes.

    Raises:
        NotAllowedError: The actor is no analyst, or the name stands for no person.
        BuilderError: Nobody is called so.
    """
    with workspace.store.write() as connection:
        authorized(connection, actor, "analyst")
        rater = known_human(connection, name)
        before = stored.find_exclusion(connection, rater.person_id)
        if before is not None:
            stored.include_person(connection, rater.person_id)
            told = {"reason_before": before.reason}
            note(connection, called(actor), "rater.include", rater.name, told)


def find_exclusion(workspace: Workspace, name: str) -> Exclusion | None:
    """Since when, by whom and why the rater is left out; None if the grades count.

    Raises:
        NotAllowedError: The name stands for no person.
        BuilderError: Nobody is called so.
    """
    with workspace.store.read() as connection:
        return stored.find_exclusion(connection, known_human(connection, name).person_id)


def pairs_that_would_lose(workspace: Workspace, name: str) -> int:
    """How many pairs would be asked for again without this rater's grades.

    0 for somebody who is left out already.

    Raises:
        NotAllowedError: The name stands for no person.
        BuilderError: Nobody is called so.
    """
    with workspace.store.read() as connection:
        rater = known_human(connection, name)
        if stored.find_exclusion(connection, rater.person_id) is not None:
            return 0
        return stored.count_losing(connection, rater.person_id)


def _checked(reason: str) -> str:
    why = reason.strip()
    if not why:
        raise BuilderError(
            "A reason is needed: it goes into each release.",
            hint="Say in a few words why these grades do not count.",
        )
    if len(why) > LONGEST_REASON:
        raise BuilderError(f"A reason has at most {LONGEST_REASON} characters, not {len(why)}.")
    if _UNSTORABLE.search(why):
        raise BuilderError("A reason cannot hold U+0000 or half a character (a lone surrogate).")
    return why
