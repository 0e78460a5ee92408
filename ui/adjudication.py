"""The page Adjudicate: disputed pairs one after the other, or what was decided.

As on the grading page a press runs a callback before the next pair is drawn: it asks the press
guard, stores the decision in its own transaction and only then says "saved". Each pair is read anew
before it is shown, so that nobody decides what somebody else has decided meanwhile.
"""

from functools import partial

import streamlit as st

from builder.errors import BuilderError
from builder.evaluation.touches import top_ten_touches
from builder.judging.adjudication import (
    Dispute,
    count_decided,
    dispute_of,
    undoable,
    waiting,
)
from builder.judging.guidelines import current_guidelines
from builder.people import Person
from builder.workspace import Workspace
from ui import frame, text
from ui.adjudication_bar import KEY, show_bar
from ui.adjudication_card import dispute_html
from ui.adjudication_list import show_decisions
from ui.adjudication_presses import PAIR_IN_URL, press_key, stop_wanting
from ui.deciding import Deciding, current_deciding
from ui.frame import errors_shown, in_callback, muted, note, show_callback_error
from ui.presses import last_press
from ui.restored import NOT_SAVED, was_restored
from ui.sitting import Said

PURPOSE = "Pairs on which raters differ: your decision counts, and their grades stay."
_VIEW = "adjudicate_view"
_VIEWS = {"waiting": "Waiting", "decided": "Decided"}


def show_adjudication(workspace: Workspace, person: Person) -> None:
    """What waits for a decision, pair by pair, or the decisions that stand."""
    deciding = current_deciding(workspace, person.name)
    with st.container(key="adjudicate_tools", horizontal=True, vertical_alignment="center"):
        view = _choose_view(deciding)
        muted(PURPOSE)
    if view == "decided":
        show_decisions(workspace, person)
        return
    deciding.is_stale = True
    _want(deciding)
    _show_guidelines(workspace, deciding)
    _decide_pairs(workspace, person)


@st.fragment
def _decide_pairs(workspace: Workspace, person: Person) -> None:
    """The pair that comes next, the bar, and what became of the last press."""
    with errors_shown():
        deciding = current_deciding(workspace, person.name)
        show_callback_error()
        deciding.show(_seek(workspace, person, deciding))
        n_decided = count_decided(workspace)
        if deciding.dispute is None:
            _show_end(n_decided)
        else:
            _say_first(deciding)
            st.html(dispute_html(workspace.settings, deciding, deciding.dispute, n_decided))
        show_bar(
            workspace.settings,
            deciding,
            can_undo=undoable(workspace, person),
            on_press=in_callback(partial(_on_press, workspace, person)),
        )


def _on_press(workspace: Workspace, person: Person) -> None:
    deciding = current_deciding(workspace, person.name)
    if was_restored(workspace):
        # What is on screen may be another pair by now, or none.
        stop_wanting(deciding)
        deciding.start_anew(Said("ignored", NOT_SAVED))
        return
    try:
        press_key(workspace, person, deciding, last_press(KEY))
    except BuilderError:
        deciding.said = Said("ignored", "Not saved.")
        raise


def _seek(workspace: Workspace, person: Person, deciding: Deciding) -> Dispute | None:
    """The pair that comes now, read anew; None if none waits."""
    _look_up(workspace, deciding)
    if deciding.wanted is not None:
        asked = dispute_of(workspace, deciding.wanted, person)
        if asked is not None:
            return asked
        deciding.said = Said("ignored", f"There is no pair {deciding.wanted} here.")
        stop_wanting(deciding)
    found = _first_that_waits(workspace, person, deciding)
    if found is None:
        # Grades that came in since may have made new disputes.
        deciding.is_stale = True
        _look_up(workspace, deciding)
        found = _first_that_waits(workspace, person, deciding)
    return found


def _look_up(workspace: Workspace, deciding: Deciding) -> None:
    if deciding.is_stale:
        deciding.load(waiting(workspace, top_ten_touches(workspace)))


def _first_that_waits(workspace: Workspace, person: Person, deciding: Deciding) -> Dispute | None:
    for pair_id in deciding.in_order():
        dispute = dispute_of(workspace, pair_id, person)
        if dispute is not None and dispute.waits:
            return dispute
        deciding.drop(pair_id)
    return None


def _say_first(deciding: Deciding) -> None:
    if deciding.said == Said():
        deciding.said = Said("", "A grade, then its reason: two keys decide.")


def _want(deciding: Deciding) -> None:
    """The pair that the address asks for comes first."""
    wanted = _asked_for()
    if wanted is not None and wanted != deciding.wanted:
        deciding.wanted, deciding.said = wanted, Said()
        deciding.leave()


def _asked_for() -> int | None:
    asked = st.query_params.get(PAIR_IN_URL, "")
    return int(asked) if asked.isdecimal() and len(asked) < 16 else None


def _choose_view(deciding: Deciding) -> str:
    """Waiting or decided; who follows a link to a pair wants to see the pair."""
    if _asked_for() is not None or _VIEW not in st.session_state:
        st.session_state[_VIEW] = "waiting"
    chosen = st.segmented_control(
        "What to show",
        list(_VIEWS),
        format_func=_VIEWS.__getitem__,
        required=True,
        key=_VIEW,
        label_visibility="collapsed",
        on_change=stop_wanting,
        args=(deciding,),
    )
    return chosen or "waiting"


def _show_guidelines(workspace: Workspace, deciding: Deciding) -> None:
    """How this team grades, beside the pair where one wants it: the bar's key G shows it."""
    guidelines = current_guidelines(workspace)
    deciding.guidelines_version = guidelines.version
    st.html(
        '<section class="gs-guidelines" aria-label="Guidelines"><h2>Guidelines</h2>'
        f"{text.block(text.marked(guidelines.text), kind='gs-guidelines-text')}</section>"
    )


def _show_end(n_decided: int) -> None:
    """Nothing waits: why, and what comes next."""
    with st.container(key="adjudicate_end"):
        frame.heading("Adjudicate", "No pair waits for a decision.")
        if n_decided:
            note(
                "Everything disputed is decided.",
                "The decisions count in the next release; raters read them in My grades.",
            )
            st.page_link("ui/pages/release.py", label="Release", icon=":material/inventory_2:")
            return
        note(
            "Nothing is disputed.",
            "Pairs come here when their grades differ by two or more, or some raters said 0 or 1 "
            "and others 2 or 3.",
        )
        st.page_link("ui/pages/agreement.py", label="Agreement", icon=":material/handshake:")
