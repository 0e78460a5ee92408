"""Review of generated queries by keyboard: one candidate at a time, beside its passage.

As on the grading page a press runs a callback before the next candidate is drawn: it asks the press
guard, stores what was said in its own transaction and only then says "saved".
"""

from functools import partial

import streamlit as st

from builder.errors import BuilderError
from builder.people import Person, has_role
from builder.synthesis.review import Sight, accept_all, latest_reviewed, look
from builder.workspace import Workspace
from ui.frame import errors_shown, in_callback, muted, note, show_callback_error
from ui.numbers import count, count_of
from ui.presses import last_press
from ui.restored import NOT_SAVED, was_restored
from ui.sitting import Said
from ui.synthesis.review_bar import KEY, show_bar
from ui.synthesis.review_card import candidate_html
from ui.synthesis.review_choices import choose_wanted
from ui.synthesis.review_presses import press_key
from ui.synthesis.review_state import Reviewing, current_reviewing
from ui.synthesis.words import queries_of


def show_review(workspace: Workspace, person: Person) -> None:
    """Draw the review: filters, progress, the candidate in hand and its bar of keys.

    Args:
        workspace: Whose candidates.
        person: Who reviews; has to be an analyst.
    """
    if not has_role(person, "analyst"):
        note("Analysts review what a model wrote.", "Ask an admin for the role analyst.")
        return
    _review(workspace, person)


@st.fragment
def _review(workspace: Workspace, person: Person) -> None:
    """What is chosen, the candidate that comes next, the bar, and what became of the last press."""
    with errors_shown():
        reviewing = current_reviewing(workspace, person.name)
        with st.container(key="desk_tools", horizontal=True, vertical_alignment="center"):
            has_any = choose_wanted(workspace, reviewing)
            sight = look(workspace, reviewing.wanted, reviewing.later, reviewing.first)
            _offer_all(workspace, person, reviewing, sight)
        show_callback_error()
        reviewing.show(sight.candidate)
        if sight.candidate is None:
            _show_end(reviewing, sight, has_any=has_any)
        else:
            st.html(candidate_html(sight.candidate, sight))
        show_bar(
            workspace.settings,
            reviewing,
            can_undo=latest_reviewed(workspace, person) is not None,
            on_press=in_callback(partial(_on_press, workspace, person)),
        )


def _on_press(workspace: Workspace, person: Person) -> None:
    reviewing = current_reviewing(workspace, person.name)
    if was_restored(workspace):
        # What is on screen may be another candidate by now, or none.
        reviewing.start_anew(Said("ignored", NOT_SAVED))
        return
    try:
        press_key(workspace, person, reviewing, last_press(KEY))
    except BuilderError:
        reviewing.said = Said("ignored", "Not saved.")
        raise


def _offer_all(workspace: Workspace, person: Person, reviewing: Reviewing, sight: Sight) -> None:
    """Accept what remains and no filter flagged, once somebody has confirmed how many."""
    wanted, n = reviewing.wanted, sight.progress.unflagged
    if wanted.verdict != "kept" or wanted.flagged or not n:
        return
    # Another key once it is done: so it closes.
    key = f"accept_all_{reviewing.rounds}"
    with st.popover(f"Accept all unflagged ({count(n)})", icon=":material/done_all:", key=key):
        muted(
            f"{queries_of(n)} of this choice that no filter flagged and nobody has reviewed "
            f"{'becomes' if n == 1 else 'become'} part of the evaluation set, unread."
        )
        st.button(
            f"Accept {queries_of(n)}",
            key=f"{key}_really",
            type="primary",
            on_click=in_callback(partial(_accept_all, workspace, person)),
        )


def _accept_all(workspace: Workspace, person: Person) -> None:
    reviewing = current_reviewing(workspace, person.name)
    wanted = reviewing.wanted
    became = accept_all(
        workspace, wanted.synthesis_id, only_unflagged=True, actor=person, prompt=wanted.prompt
    )
    reviewing.leave()
    reviewing.rounds += 1
    left = became["same_text"] + became["unfit"]
    why = (
        f" {count_of(left, 'one')} {'waits' if left == 1 else 'wait'}: a query of the set says the "
        "same, or the text cannot be a query."
        if left
        else ""
    )
    reviewing.said = Said("saved", f"Accepted {queries_of(became['accepted'])}.{why}")


def _show_end(reviewing: Reviewing, sight: Sight, *, has_any: bool) -> None:
    """Nothing waits: why, and what comes next."""
    progress = sight.progress
    if not has_any:
        note("There is nothing to review yet.", "Generate queries first; they come here.")
    elif not progress.total:
        note("There is none of this choice.", "Choose another run, type or state above.")
    else:
        note(
            f"All {queries_of(progress.total)} of this choice are reviewed: "
            f"{count(progress.accepted)} accepted, {count(progress.rejected)} rejected.",
            "Next: have people grade a part of them blind, under Validation."
            if reviewing.wanted.verdict == "kept"
            else "",
        )
