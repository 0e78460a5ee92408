"""The grading page: one press grades, saves and moves on; nothing is graded by accident.

A press runs a callback before the next pair is drawn. The callback asks the press guard, stores
the grade in its own transaction and only then says "saved". A press names the pair that was on
screen, so that a late one never means the next. The pair and the bar under it are a fragment of two
elements: a press redraws these, not the page around them.
"""

from datetime import timedelta
from functools import partial

import streamlit as st

from builder.errors import BuilderError
from builder.judging.guidelines import current_guidelines
from builder.judging.history import is_final
from builder.judging.naming import pair_named
from builder.judging.queue import (
    Filters,
    GradingProgress,
    Pair,
    next_pair,
    progress_of,
    renew_leases,
    tags_with_pairs,
)
from builder.people import Person, has_role
from builder.workspace import Workspace
from ui import grade_end, text
from ui.corpus_search import show_corpus_search
from ui.frame import errors_shown, in_callback, leave_if_refused, note, show_callback_error
from ui.grade_bar import KEY, show_bar
from ui.grade_card import pair_html
from ui.grade_presses import VIEW_IN_URL, WANTED_IN_URL, press_key
from ui.listing import show_list
from ui.numbers import count
from ui.presses import last_press
from ui.restored import NOT_SAVED, was_restored
from ui.sitting import Said, Sitting, current_sitting

TAG_IN_URL = "tag"
_ALL_TAGS = "All tags"
_TAG_CHOICE = "grade_tag"
_UNKNOWN = "That address names no pair of yours. What you graded stands in My grades."


def show_grading(workspace: Workspace, person: Person) -> None:
    """Pair after pair, until nothing is left for this rater."""
    sitting = current_sitting(workspace, person.name)
    with st.container(key="grade_tools", horizontal=True, vertical_alignment="center"):
        filters = Filters(tag=_choose_tag(workspace, sitting))
        show_corpus_search(workspace, person)
        # Renewed when a third of it is over; a little later, and each look renews it.
        every = 0.4 * timedelta(minutes=workspace.settings.lease_minutes)
        st.fragment(_keep_leases, run_every=every)(workspace, person.name)
    _note_wanted(workspace, sitting, person)
    _show_guidelines(workspace, sitting)
    if _is_list():
        show_list(workspace, person, filters)
    else:
        _grade_pairs(workspace, person, filters)


@st.fragment
def _grade_pairs(workspace: Workspace, person: Person, filters: Filters) -> None:
    """The pair that comes next, the grades, and what became of the last press."""
    with errors_shown():
        sitting = current_sitting(workspace, person.name)
        leave_if_refused()
        if _must_draw_all(workspace, sitting):
            st.rerun(scope="app")
        show_callback_error()
        if sitting.orphan:
            note("Your comment on that pair is stored nowhere. It read:", sitting.orphan)
        _seek_pair(workspace, sitting, filters)
        progress = progress_of(workspace, person.name, filters)
        if sitting.pair is None:
            grade_end.show_end(workspace, progress, person, filters)
        else:
            _say_first(workspace, sitting, sitting.pair, progress)
            st.html(pair_html(workspace.settings, sitting, sitting.pair, progress))
        show_bar(
            workspace.settings,
            sitting,
            can_undo=_can_undo(progress, sitting),
            on_press=in_callback(partial(_on_press, workspace, person.name)),
        )


def _on_press(workspace: Workspace, rater: str) -> None:
    sitting = current_sitting(workspace, rater)
    if was_restored(workspace):
        # What is on screen may be another pair by now, or none.
        st.query_params.pop(WANTED_IN_URL, None)
        sitting.start_anew(Said("ignored", NOT_SAVED))
        return
    try:
        press_key(workspace, sitting, last_press(KEY))
    except BuilderError:
        sitting.said = Said("ignored", "Not saved.")
        raise


def _seek_pair(workspace: Workspace, sitting: Sitting, filters: Filters) -> None:
    """The pair that comes now, on loan to the rater."""
    try:
        pair = next_pair(workspace, sitting.rater, filters, wanted=sitting.wanted)
    except BuilderError as error:
        if sitting.wanted is None:
            raise
        # An address that names a pair which is not there: said, and the queue goes on.
        sitting.wanted, sitting.said = None, Said("ignored", f"{error.message}.")
        pair = next_pair(workspace, sitting.rater, filters)
    sitting.show(pair)


def _say_first(
    workspace: Workspace, sitting: Sitting, pair: Pair, progress: GradingProgress
) -> None:
    """What is told before anything was pressed: how it goes, or what stands where one came back."""
    if sitting.said != Said():
        return
    if pair.own is not None and pair.own.grade is not None:
        final = is_final(workspace, sitting.rater, pair.pair_id)
        rest = "that stays, S goes on." if final else "another grade replaces it, S leaves it."
        sitting.said = Said("", f"You gave it {pair.own.grade}: {rest}")
    elif not progress.graded:
        sitting.said = Said("", "One key grades, saves and moves on.")


def _can_undo(progress: GradingProgress, sitting: Sitting) -> bool:
    said = progress.graded + progress.skipped + progress.cannot_judge
    return said > 0 or bool(sitting.flagged)


def _must_draw_all(workspace: Workspace, sitting: Sitting) -> bool:
    """Whether the page around the pair has changed: another view, or newer guidelines."""
    return _is_list() or current_guidelines(workspace).version != sitting.guidelines_version


def _is_list() -> bool:
    """Whether the address asks for whole queries instead of one pair after the other."""
    return st.query_params.get(VIEW_IN_URL) == "list"


def _choose_tag(workspace: Workspace, sitting: Sitting) -> str | None:
    """Of which tag the queries are that one grades; None for all. Kept in the address.

    A link of the menu has no tag: who comes back by it goes on with the tag chosen before.
    """
    tags = tags_with_pairs(workspace)
    if not tags:
        return None
    numbers = dict(tags)
    is_coming = _TAG_CHOICE not in st.session_state
    asked = st.query_params.get(TAG_IN_URL) or (sitting.tag if is_coming else None)
    chosen: str = st.selectbox(
        "Tag",
        [_ALL_TAGS, *numbers],
        index=list(numbers).index(asked) + 1 if asked in numbers else 0,
        format_func=lambda tag: f"{tag} ({count(numbers[tag])})" if tag in numbers else tag,
        label_visibility="collapsed",
        width=180,
        key=_TAG_CHOICE,
    )
    sitting.tag = chosen if chosen in numbers else None
    return _kept_in_url(sitting.tag)


def _kept_in_url(tag: str | None) -> str | None:
    if tag is None:
        st.query_params.pop(TAG_IN_URL, None)
    elif st.query_params.get(TAG_IN_URL) != tag:
        st.query_params[TAG_IN_URL] = tag
    return tag


def _note_wanted(workspace: Workspace, sitting: Sitting, person: Person) -> None:
    """The pair that the address names; of one that nobody knows it is said where to look."""
    asked = st.query_params.get(WANTED_IN_URL, "")
    wanted = _pair_called(workspace, person, asked) if asked else None
    if asked and wanted is None:
        st.query_params.pop(WANTED_IN_URL, None)
        sitting.wanted, sitting.said = None, Said("ignored", _UNKNOWN)
    elif wanted != sitting.wanted:
        sitting.wanted, sitting.said = wanted, Said()


def _pair_called(workspace: Workspace, person: Person, asked: str) -> int | None:
    """The pair_id; by its number, as links once had it, for whom numbers tell nothing new."""
    if asked.isdecimal() and len(asked) < 16 and has_role(person, "analyst"):
        return int(asked)
    return pair_named(workspace, person.name, asked)


def _show_guidelines(workspace: Workspace, sitting: Sitting) -> None:
    """How this team grades, beside the pair where the rater wants it: the bar's key G shows it.

    The style sheet places it: in a column of Streamlit's the pair would lie three blocks deeper,
    each of which is drawn anew with each press.
    """
    guidelines = current_guidelines(workspace)
    sitting.guidelines_version = guidelines.version
    st.html(
        '<section class="gs-guidelines" aria-label="Guidelines"><h2>Guidelines</h2>'
        f"{text.block(text.marked(guidelines.text), kind='gs-guidelines-text')}</section>"
    )


def _keep_leases(workspace: Workspace, rater: str) -> None:
    """While the page is open the pair on it stays on loan to the rater."""
    with errors_shown():
        renew_leases(workspace, rater, active_at=current_sitting(workspace, rater).active_at)
