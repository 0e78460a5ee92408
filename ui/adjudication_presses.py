"""What a press on the page Adjudicate does: nothing if it was not meant, else it is stored."""

from typing import Any

import streamlit as st

from builder.judging.adjudication import Decided, Dispute, decide, undo_decision
from builder.people import Person
from builder.workspace import Workspace
from ui.adjudication_bar import reason_of
from ui.deciding import Deciding, title_in_short
from ui.presses import Press, refusal_of
from ui.sitting import Said, now_ms, shortened

PAIR_IN_URL = "pair"


def press_key(workspace: Workspace, person: Person, deciding: Deciding, press: Press) -> None:
    """Do what was pressed and note what is said of it.

    Raises:
        BuilderError: It cannot be done; nothing was stored.
    """
    deciding.answers += 1
    is_there = deciding.dispute is not None
    if press.key == "a":
        deciding.whole = deciding.name
    elif refusal := refusal_of(deciding, press, is_there=is_there, what="pair"):
        deciding.said = Said("ignored", refusal)
    elif press.key == "u":
        _undo(workspace, person, deciding)
    elif deciding.dispute is not None:
        _deal_with(workspace, person, deciding, press, deciding.dispute)


def _deal_with(
    workspace: Workspace, person: Person, deciding: Deciding, press: Press, dispute: Dispute
) -> None:
    """Put the pair off, or decide on it; only then say so, and go on."""
    if press.key == "s":
        deciding.put_off(dispute.pair_id)
        deciding.said = Said("", "Put off: \u201c", title_in_short(dispute), "\u201d comes at last")
    elif press.key in ("0", "1", "2", "3"):
        if not reason_of(press):
            deciding.said = Said("ignored", "Say why, then it counts.")
            return
        deciding.said = _decide(workspace, person, deciding, press, dispute)
    else:
        deciding.said = Said("ignored", "This key does nothing here.")
        return
    stop_wanting(deciding)
    deciding.leave()


def _decide(
    workspace: Workspace, person: Person, deciding: Deciding, press: Press, dispute: Dispute
) -> Said:
    before: dict[str, Any] = {}
    if dispute.decision is not None:
        before["instead_of"] = dispute.decision.adjudication_id
    decided = decide(
        workspace,
        person,
        dispute.pair_id,
        int(press.key),
        reason_of(press),
        token=deciding.token,
        milliseconds=_looked(deciding, press),
        guidelines_version=deciding.guidelines_version,
        **before,
    )
    deciding.drop(dispute.pair_id)
    return _told(decided)


def _told(decided: Decided) -> Said:
    decision = decided.decision
    title = shortened(decision.title or decision.doc_id)
    if decided.status == "decided_before":
        who = shortened(decision.adjudicator)
        after = f"\u201d as {decision.grade} meanwhile. Yours was not saved."
        return Said("ignored", f"{who} decided \u201c", title, after)
    if not decision.stands:
        return Said("ignored", "That was taken back already: \u201c", title, "\u201d")
    return Said("saved", f"Last: decided {decision.grade} on \u201c", title, "\u201d, saved")


def _undo(workspace: Workspace, person: Person, deciding: Deciding) -> None:
    undone = undo_decision(workspace, person)
    stop_wanting(deciding)
    deciding.leave()
    if undone is None:
        deciding.said = Said("ignored", "There is nothing to undo.")
        return
    deciding.wanted, deciding.is_stale = undone.pair_id, True
    title = shortened(undone.title or undone.doc_id)
    deciding.said = Said("undone", "Undone: your decision on \u201c", title, "\u201d. Here it is.")


def stop_wanting(deciding: Deciding) -> None:
    """The pair that was asked for is dealt with; the queue goes on."""
    deciding.wanted = None
    st.query_params.pop(PAIR_IN_URL, None)


def _looked(deciding: Deciding, press: Press) -> int:
    """Milliseconds: as the browser saw it, but never more than has passed here."""
    passed = round(now_ms() - deciding.shown_at_ms)
    return passed if press.looked_ms is None else min(passed, press.looked_ms)
