"""What a press in the list does: it is stored at once, or the row says why it is not."""

from collections.abc import Callable
from uuid import uuid4

import streamlit as st

from builder.errors import BuilderError, NotAllowedError, PairGoneError
from builder.judging.naming import query_name
from builder.judging.queue import (
    Filters,
    Outcome,
    Undone,
    cannot_judge,
    flag_query,
    next_query_id,
    submit_grade,
    undo_last,
)
from builder.workspace import Workspace
from ui.grade_bar import QUERY_WORDS
from ui.grade_presses import VIEW_IN_URL, undone_words
from ui.listing.bar import Press
from ui.listing.state import Listing, Row
from ui.sitting import Said, name_in_page, now_ms, shortened

QUERY_IN_URL = "query"
_LONGEST_WAY_BACK = 100


def press_key(
    workspace: Workspace,
    listing: Listing,
    press: Press,
    *,
    filters: Filters,
    guidelines_version: int | None,
) -> None:
    """Do what was pressed and note what is said of it; nothing is stored where it says not."""
    listing.answered = press.number
    listing.said = Said()
    row = listing.rows.get(press.name)
    if press.key in _OF_PAGE:
        _OF_PAGE[press.key](workspace, listing, press, filters)
    elif row is None:
        listing.said = Said("ignored", "That document is not in the list any more.")
    elif press.key == "a":
        listing.whole.add(row.name)
        listing.focus, listing.is_stale = row.name, True
    else:
        _judge(workspace, listing, row, press, guidelines_version)


def _judge(
    workspace: Workspace,
    listing: Listing,
    row: Row,
    press: Press,
    guidelines_version: int | None,
) -> None:
    """Store what was said of a row; only then say so beside it."""
    listing.focus = row.name
    try:
        if press.key == "x":
            _cannot_judge(workspace, listing, row, press, guidelines_version)
        elif press.key == "m" and row.outcome == "grade":
            _grade(workspace, listing, row, press, row.grade, guidelines_version)
        elif press.key in ("0", "1", "2", "3"):
            _grade(workspace, listing, row, press, int(press.key), guidelines_version)
    except NotAllowedError:
        raise
    except PairGoneError:
        row.tell("ignored", "Taken out of the pool meanwhile: your grade is not needed.")
    except BuilderError as error:
        row.tell("ignored", f"Not saved: {error.message}.")


def _grade(
    workspace: Workspace,
    listing: Listing,
    row: Row,
    press: Press,
    grade: int | None,
    guidelines_version: int | None,
) -> None:
    """The grade of a row; the same one with the same comment changes nothing."""
    if grade is None:
        return
    is_edit = row.outcome == "grade"
    if is_edit and (row.grade, row.comment) == (grade, press.comment):
        row.tell("saved", "Saved")
        return
    outcome = submit_grade(
        workspace,
        listing.rater,
        row.pair.pair_id,
        grade,
        token=press.token,
        comment=press.comment,
        milliseconds=_looked(listing, press),
        edit=row.outcome != "",
        guidelines_version=guidelines_version,
    )
    if not _is_elsewhere(row, outcome):
        row.outcome, row.grade, row.comment = "grade", outcome.grade, press.comment
        row.tell("saved", "Changed, saved" if is_edit else "Saved")


def _cannot_judge(
    workspace: Workspace,
    listing: Listing,
    row: Row,
    press: Press,
    guidelines_version: int | None,
) -> None:
    reason = press.cannot_judge_reason
    if not reason:
        row.tell("ignored", "Say why, then it counts.")
        return
    outcome = cannot_judge(
        workspace,
        listing.rater,
        row.pair.pair_id,
        reason,
        token=press.token,
        comment=press.comment,
        milliseconds=_looked(listing, press),
        guidelines_version=guidelines_version,
    )
    if not _is_elsewhere(row, outcome):
        row.outcome, row.grade, row.comment = "cannot_judge", None, press.comment
        row.reason = reason
        row.tell("saved", "Can't judge, saved")


def _is_elsewhere(row: Row, outcome: Outcome) -> bool:
    """Whether the pair was graded before, say in another tab: then that grade stands."""
    if outcome.status != "already_graded":
        return False
    row.outcome, row.grade = "grade", outcome.grade
    row.tell("ignored", f"Your {outcome.grade} stands; press again to change it")
    return True


def _looked(listing: Listing, press: Press) -> int | None:
    """Milliseconds: as the browser saw it, but never more than has passed here."""
    if press.looked_ms is None:
        return None
    return min(press.looked_ms, round(now_ms() - listing.drawn_at_ms))


# What is of the page, not of a row ----------------------------------------------------------------


def _next(workspace: Workspace, listing: Listing, _press: Press, filters: Filters) -> None:
    here = listing.query_id
    there = next_query_id(workspace, listing.rater, filters, here or None)
    if there is None or there == here:
        listing.said = Said("ignored", "No other query has anything left for you.")
        return
    if here:
        listing.visited = [*listing.visited, here][-_LONGEST_WAY_BACK:]
    _go(listing, there)


def _previous(_workspace: Workspace, listing: Listing, _press: Press, _filters: Filters) -> None:
    if listing.visited:
        _go(listing, listing.visited.pop())
    else:
        listing.said = Said("ignored", "You have not gone on from any query yet.")


def _one_by_one(_workspace: Workspace, listing: Listing, _press: Press, _filters: Filters) -> None:
    st.query_params.pop(VIEW_IN_URL, None)
    st.query_params.pop(QUERY_IN_URL, None)
    listing.is_stale = True


def _undo(workspace: Workspace, listing: Listing, _press: Press, _filters: Filters) -> None:
    undone = undo_last(workspace, listing.rater, token=uuid4().hex)
    if undone is None:
        listing.said = Said("ignored", "There is nothing to undo.")
        return
    listing.said = undone_words(undone)
    if undone.what in QUERY_WORDS:
        listing.flagged = max(0, listing.flagged - 1)
    _go(listing, undone.query_id)
    listing.focus, listing.turn = _name_of(listing, undone), listing.turn + 1


def _name_of(listing: Listing, undone: Undone) -> str:
    return "" if undone.pair is None else name_in_page(listing.rater, undone.pair)


def _flag(workspace: Workspace, listing: Listing, press: Press, filters: Filters) -> None:
    """Say of the whole query that it is unclear or out of scope, and go on."""
    query, outcome = listing.query, press.query_outcome
    if query is None or outcome is None:
        return
    reason = press.typed or f"It is {QUERY_WORDS[outcome]}"
    flag_query(workspace, listing.rater, query.query_id, outcome, reason, token=uuid4().hex)
    listing.flagged += 1
    words = shortened(query.text)
    listing.said = Said("saved", "Query \u201c", words, f"\u201d is {QUERY_WORDS[outcome]}, saved")
    there = next_query_id(workspace, listing.rater, filters, query.query_id)
    if there is None:
        st.query_params.pop(QUERY_IN_URL, None)
        listing.is_stale = True
    else:
        _go(listing, there)


def _go(listing: Listing, query_id: str) -> None:
    st.query_params[QUERY_IN_URL] = query_name(query_id)
    listing.focus, listing.is_stale = "", True


_OF_PAGE: dict[str, Callable[[Workspace, Listing, Press, Filters], None]] = {
    "n": _next,
    "p": _previous,
    "l": _one_by_one,
    "u": _undo,
    "q": _flag,
}
