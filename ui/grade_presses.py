"""What a press on the grading page does: nothing if it was not meant, else it is stored at once."""

from collections.abc import Callable
from datetime import UTC, datetime
from uuid import uuid4

import streamlit as st

from builder.errors import PairGoneError
from builder.judging.queue import (
    LONGEST_REASON,
    Outcome,
    Pair,
    Undone,
    cannot_judge,
    flag_query,
    skip,
    submit_grade,
    undo_last,
)
from builder.workspace import Workspace
from ui.grade_bar import QUERY_WORDS, outcome_chosen, reason_chosen
from ui.presses import Press
from ui.sitting import Said, Sitting, now_ms, shortened, title_of

WANTED_IN_URL = "pair"
VIEW_IN_URL = "view"
GONE = (
    "This pair was taken out of the pool meanwhile: your grade is not needed. Here is the next one."
)
_NO_REASON = "no reason given"
_UNDONE = {
    "grade": "Undone: your grade of ",
    "skip": "Undone: the skip of ",
    "cannot_judge": "Undone: \u201ccan't judge\u201d of ",
}


def press_key(workspace: Workspace, sitting: Sitting, press: Press) -> None:
    """Do what was pressed and note what is said of it.

    Raises:
        BuilderError: It cannot be done; nothing was stored.
    """
    sitting.answers += 1
    sitting.orphan = ""
    sitting.active_at = datetime.now(UTC)
    if press.key == "a":
        sitting.whole = sitting.name
    elif press.key == "l":
        st.query_params[VIEW_IN_URL] = "list"
    elif refusal := _refusal(sitting, press):
        sitting.said = Said("ignored", refusal)
    elif press.key == "u":
        _undo(workspace, sitting)
    else:
        _judge(workspace, sitting, press)


def _refusal(sitting: Sitting, press: Press) -> str | None:
    """Why the press does not count, or None."""
    # The token too: of a pair that was taken back, a late press may mean its first showing.
    meant = (press.name, press.token) == (sitting.name, sitting.token)
    if press.key != "u" and (sitting.pair is None or not meant):
        return "That pair is done: this press was ignored."
    if press.key == "x" and sitting.pair is not None and _own_grade(sitting.pair) is not None:
        return "You have graded this pair: another grade replaces yours, S leaves it."
    return sitting.guard.accepts(press.pressed, now_ms(), sitting.shown_at_ms)


def _judge(workspace: Workspace, sitting: Sitting, press: Press) -> None:
    """Store what was said of the pair on screen; only then say so, and go on."""
    judge = _JUDGE.get(press.key)
    if judge is None:
        sitting.said = Said("ignored", "This key does nothing here.")
        return
    try:
        said = judge(workspace, sitting, press)
    except PairGoneError:
        # Nothing was stored; what was written about the pair is not lost with it.
        said, sitting.orphan = Said("ignored", GONE), press.comment
    if said is None:
        sitting.said = Said("ignored", "Say why, then it counts.")
        return
    sitting.said = said
    _stop_wanting(sitting)
    sitting.leave()


def _grade(workspace: Workspace, sitting: Sitting, press: Press) -> Said | None:
    pair, grade = _pair(sitting), int(press.key)
    outcome = submit_grade(
        workspace,
        sitting.rater,
        pair.pair_id,
        grade,
        token=sitting.token,
        comment=press.comment,
        milliseconds=_looked(sitting, press),
        edit=_own_grade(pair) is not None,
        guidelines_version=sitting.guidelines_version,
    )
    sitting.comment = (sitting.name, press.comment)
    return _elsewhere(sitting, outcome) or Said(
        "saved", f"Last: {outcome.grade} on \u201c", title_of(pair), "\u201d, saved"
    )


def _skip(workspace: Workspace, sitting: Sitting, press: Press) -> Said | None:
    pair = _pair(sitting)
    if (grade := _own_grade(pair)) is not None:
        return Said("", f"Left as it was: {grade} on \u201c", title_of(pair), "\u201d")
    outcome = skip(
        workspace,
        sitting.rater,
        pair.pair_id,
        token=sitting.token,
        reason=press.comment[:LONGEST_REASON],
        milliseconds=_looked(sitting, press),
        guidelines_version=sitting.guidelines_version,
    )
    sitting.comment = (sitting.name, press.comment)
    return _elsewhere(sitting, outcome) or Said(
        "saved", "Skipped \u201c", title_of(pair), "\u201d: it comes again at the end"
    )


def _cannot_judge(workspace: Workspace, sitting: Sitting, press: Press) -> Said | None:
    pair, reason = _pair(sitting), reason_chosen(press.choice, press.typed)
    if not reason:
        return None
    outcome = cannot_judge(
        workspace,
        sitting.rater,
        pair.pair_id,
        reason,
        token=sitting.token,
        comment=press.comment,
        milliseconds=_looked(sitting, press),
        guidelines_version=sitting.guidelines_version,
    )
    sitting.comment = (sitting.name, press.comment)
    return _elsewhere(sitting, outcome) or Said(
        "saved", "Last: can't judge \u201c", title_of(pair), "\u201d, saved; somebody else is asked"
    )


def _flag_query(workspace: Workspace, sitting: Sitting, press: Press) -> Said | None:
    pair, outcome = _pair(sitting), outcome_chosen(press.choice)
    if not outcome:
        return None
    query_id, reason = pair.query.query_id, press.typed or _NO_REASON
    flag_query(workspace, sitting.rater, query_id, outcome, reason, token=sitting.token)
    sitting.flagged[query_id] = pair.pair_id
    said = f"\u201d is {QUERY_WORDS[outcome]}, saved"
    return Said("saved", "Last: query \u201c", shortened(pair.query.text), said)


def _undo(workspace: Workspace, sitting: Sitting) -> None:
    undone = undo_last(workspace, sitting.rater, token=uuid4().hex)
    _stop_wanting(sitting)
    sitting.leave()
    if undone is None:
        sitting.said = Said("ignored", "There is nothing to undo.")
        return
    sitting.said = undone_words(undone)
    if undone.what in QUERY_WORDS:
        # The rater wants the query back that was just sent away, not the next one first.
        sitting.wanted = sitting.flagged.pop(undone.query_id, None)


def undone_words(undone: Undone) -> Said:
    """What is told of something that was taken back."""
    words = {str(outcome): word for outcome, word in QUERY_WORDS.items()}
    if word := words.get(undone.what):
        return Said("undone", f"Undone: that the query is {word}. Its pairs come again.")
    before = _UNDONE[undone.what]
    if undone.pair is None:
        return Said("undone", f"{before}the last pair; nobody is asked about it any more.")
    return Said("undone", f"{before}\u201c", title_of(undone.pair), "\u201d. Here it is again.")


def _elsewhere(sitting: Sitting, outcome: Outcome) -> Said | None:
    """What is said where the pair was graded before, say in another tab; else None."""
    if outcome.status != "already_graded":
        return None
    after = f"\u201d was graded elsewhere: your {outcome.grade} stands."
    return Said("ignored", "\u201c", title_of(_pair(sitting)), after)


def _own_grade(pair: Pair) -> int | None:
    """The rater's own grade, where the pair was come back to."""
    return pair.own.grade if pair.own else None


def _looked(sitting: Sitting, press: Press) -> int:
    """Milliseconds: as the browser saw it, but never more than has passed here."""
    passed = round(now_ms() - sitting.shown_at_ms)
    return passed if press.looked_ms is None else min(passed, press.looked_ms)


def _stop_wanting(sitting: Sitting) -> None:
    """The pair that the address asked for is dealt with; the queue goes on."""
    sitting.wanted = None
    st.query_params.pop(WANTED_IN_URL, None)


def _pair(sitting: Sitting) -> Pair:
    if sitting.pair is None:
        raise LookupError("no pair is on screen")
    return sitting.pair


_JUDGE: dict[str, Callable[[Workspace, Sitting, Press], Said | None]] = {
    **dict.fromkeys("0123", _grade),
    "s": _skip,
    "x": _cannot_judge,
    "q": _flag_query,
}
