"""Grade a whole query: all its documents on one page, each graded in its place.

The documents are drawn once, as one piece of HTML; the component of the page puts the buttons into
it. A press draws only that component again, so that a long list is as fast as a short one.
"""

from datetime import UTC, datetime
from functools import partial

import streamlit as st

from builder.errors import BuilderError
from builder.judging.guidelines import current_guidelines
from builder.judging.naming import query_name, query_named
from builder.judging.queue import Filters, Pair, next_query_id, progress_of, query_pairs
from builder.people import Person
from builder.workspace import Workspace
from ui import grade_end
from ui.frame import errors_shown, in_callback, leave_if_refused, note, show_callback_error
from ui.grade_presses import WANTED_IN_URL
from ui.listing.bar import last_press, show_bar
from ui.listing.presses import QUERY_IN_URL, press_key
from ui.listing.rows import rows_html
from ui.listing.state import Listing, current_listing
from ui.restored import NOT_SAVED, was_restored
from ui.sitting import Said, current_sitting

__all__ = ["show_list"]


def show_list(workspace: Workspace, person: Person, filters: Filters) -> None:
    """The query in hand with all its documents, and the bar under them."""
    with errors_shown():
        listing = current_listing(person.name)
        show_callback_error()
        query_id = _query_asked_for(workspace, listing, filters)
        _read(workspace, listing, query_id)
        # The search in the corpus looks for the query of the pair in hand.
        current_sitting(workspace, person.name).show(_first_pair(listing))
        _show_rows(workspace, listing, person, filters)
        _show_bar(workspace, person, filters)


def _query_asked_for(workspace: Workspace, listing: Listing, filters: Filters) -> str:
    """The query that the address names, else the one in hand, which the address then names."""
    asked = st.query_params.get(QUERY_IN_URL)
    if asked:
        known = query_named(workspace, asked)
        if known is not None:
            st.query_params[QUERY_IN_URL] = query_name(known)
        return known or asked
    in_hand = next_query_id(workspace, listing.rater, filters)
    if in_hand is None:
        return ""
    st.query_params[QUERY_IN_URL] = query_name(in_hand)
    return in_hand


def _read(workspace: Workspace, listing: Listing, query_id: str) -> None:
    """Take the query's pairs, on loan to the rater."""
    pairs: list[Pair] = []
    try:
        if query_id:
            pairs = query_pairs(workspace, listing.rater, query_id)
    except BuilderError as error:
        # An address that names a query which is not there: said, and the list is empty.
        listing.said, query_id = Said("ignored", f"{error.message}."), ""
        st.query_params.pop(QUERY_IN_URL, None)
    listing.show(query_id, pairs)
    if wanted := _wanted(listing):
        listing.focus, listing.turn = wanted, listing.turn + 1


def _wanted(listing: Listing) -> str:
    """The row of the pair that the address asks for, once; "" if it asks for none of these."""
    asked = st.query_params.pop(WANTED_IN_URL, "")
    return asked if asked in listing.rows else ""


def _first_pair(listing: Listing) -> Pair | None:
    return next((row.pair for row in listing.rows.values()), None)


def _show_rows(workspace: Workspace, listing: Listing, person: Person, filters: Filters) -> None:
    if listing.rows:
        st.html(rows_html(workspace.settings, listing))
    elif listing.query_id:
        note("Nothing of this query is left for you.", "Press N for the next query.")
    else:
        progress = progress_of(workspace, person.name, filters)
        grade_end.show_end(workspace, progress, person, filters)


@st.fragment
def _show_bar(workspace: Workspace, person: Person, filters: Filters) -> None:
    """The buttons of the rows, and what became of the last press."""
    with errors_shown():
        listing = current_listing(person.name)
        leave_if_refused()
        version = current_guidelines(workspace).version
        sitting = current_sitting(workspace, person.name)
        if listing.is_stale or version != sitting.guidelines_version:
            st.rerun(scope="app")
        show_callback_error()
        show_bar(
            workspace.settings,
            listing,
            progress_of(workspace, person.name, filters),
            guidelines=version is not None,
            on_press=in_callback(partial(_on_press, workspace, person.name, filters)),
        )


def _on_press(workspace: Workspace, rater: str, filters: Filters) -> None:
    sitting = current_sitting(workspace, rater)
    sitting.active_at = datetime.now(UTC)
    listing, press = current_listing(rater), last_press()
    if was_restored(workspace):
        st.query_params.pop(QUERY_IN_URL, None)
        listing.start_anew(press.number, Said("ignored", NOT_SAVED))
        return
    press_key(
        workspace,
        listing,
        press,
        filters=filters,
        guidelines_version=sitting.guidelines_version,
    )
