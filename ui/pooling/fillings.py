"""The fillings of the pool so far: who, when, what; repeat one, or take one back."""

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from builder.people import Person
from builder.pooling import Pooling, PoolPlan, list_poolings, take_back_pooling
from builder.workspace import Workspace
from ui.frame import errors_shown, in_callback, muted, note, section
from ui.jobs import clock
from ui.numbers import count, count_of
from ui.pooling.preview import current_preview, for_raters, preview_button, start_repeating
from ui.pooling.words import hours, kept_in_words, plan_in_words
from ui.taking_back import Undoing, offer_taking_back
from ui.text import inline

AT_ONCE = 5
"""Fillings on the page before the others are folded away."""
_SAID = "filling_taken_back"


def show_fillings(workspace: Workspace, person: Person) -> None:
    """Each filling with what can be done about it."""
    section("Fillings so far")
    if said := st.session_state.pop(_SAID, None):
        note(*said)
    fillings = list_poolings(workspace)
    if not fillings:
        muted("Nobody filled the pool here yet; imported grades bring their pairs by themselves.")
        return
    muted("A filling is what one choice of sources put into the pool, and can be taken back whole.")
    _show_rows(workspace, person, fillings[:AT_ONCE])
    if len(fillings) > AT_ONCE:
        with st.expander(f"{count(len(fillings) - AT_ONCE)} earlier"):
            _show_rows(workspace, person, fillings[AT_ONCE:])


def filling_html(workspace: Workspace, filling: Pooling) -> str:
    """Safe HTML: what was added, by whom and when, from which sources, and how far it is."""
    back = ""
    if filling.taken_back_at:
        who, when = inline(filling.taken_back_by or ""), clock(workspace, filling.taken_back_at)
        back = f'<span class="gs-mark">taken back by {who}, {when}</span>'
    added = filling.outcome.get("pairs_added", 0)
    return (
        f'<div class="gs-entry"><div class="gs-entry-title">Filling {count(filling.pooling_id)}: '
        f"{count_of(added, 'new pair')} {back}</div>"
        f'<div class="gs-muted">{inline(filling.created_by)}, '
        f"{clock(workspace, filling.created_at)} \u00b7 {how_far(filling)}</div>"
        f'<div class="gs-muted">{inline(plan_in_words(filling.parameters))}</div></div>'
    )


def how_far(filling: Pooling) -> str:
    """How many of its new pairs are graded, and how many known ones it named as well.

    Of one that was taken back: what stayed, and why.
    """
    if not filling.stands:
        return _what_stayed(filling)
    known = filling.pairs - filling.new
    also = f"named {count(known)} more that {'was' if known == 1 else 'were'} there before"
    if not filling.new:
        return also if known else "none of its pairs is in the pool"
    graded = f"{count(filling.new_graded)} of {count(filling.new)} graded"
    return f"{graded}; {also}" if known else graded


def _what_stayed(filling: Pooling) -> str:
    if filling.stayed is None:
        return "what of it stayed was not noted then"
    if not filling.stayed:
        return "no pair stayed"
    kept = filling.outcome["taken_back"].get("kept", {})
    why = kept_in_words({reason: n for reason, n in kept.items() if reason != "there_before"})
    stayed = f"{count_of(filling.stayed, 'pair')} stayed"
    return f"{stayed} ({why})" if why else stayed


def taken_back_in_words(done: Mapping[str, Any]) -> list[str]:
    """What went and what stays, a sentence each."""
    removed = done["pairs_removed"]
    went = f"{count_of(removed, 'pair')} {_are(removed)} gone."
    said = [f"Filling {count(done['pooling_id'])} is taken back. {went}"]
    if kept := kept_in_words(done["kept"]):
        said.append(f"Stay: {kept}.")
    return said


def would_join_in_words(preview: Mapping[str, Any]) -> str:
    """What pooling again would bring: new pairs and the hours that they take."""
    if not for_raters(preview):
        return "Nothing would join the pool: it holds all that these choices name now."
    joined = f"{count_of(preview['pairs_added'], 'new pair')} would join the pool"
    if opened := preview.get("opened"):
        joined += f", and {count_of(opened, 'known pair')} be asked for"
    work = (preview.get("cost") or {}).get("hours")
    return f"{joined}, {hours(work)} of grading." if work is not None else f"{joined}."


def would_go_in_words(would: Mapping[str, Any]) -> list[str]:
    """What taking a filling back would remove and leave, a sentence each."""
    n = would["pairs_removed"]
    said = [f"{count_of(n, 'pair')} that only this filling brought {_go(n)} out of the pool."]
    if on_screen := would["leases"]:
        said.append(f"{count(on_screen)} of them {_are(on_screen)} on raters' screens right now.")
    if kept := kept_in_words(would["kept"]):
        said.append(f"Stay: {kept}.")
    return said


def _go(n: int) -> str:
    return "goes" if n == 1 else "go"


def _are(n: int) -> str:
    return "is" if n == 1 else "are"


def _show_rows(workspace: Workspace, person: Person, fillings: Sequence[Pooling]) -> None:
    for filling in fillings:
        number = filling.pooling_id
        with st.container(key=f"filling_{number}", horizontal=True, vertical_alignment="center"):
            st.html(filling_html(workspace, filling))
            with st.container(
                key=f"filling_ways_{number}", horizontal=True, width="content", gap="small"
            ):
                _offer_ways(workspace, person, filling)


def _offer_ways(workspace: Workspace, person: Person, filling: Pooling) -> None:
    number = filling.pooling_id
    if "kind" not in filling.parameters:
        _offer_pooling_again(workspace, person, filling)
    if filling.taken_back_at is None:
        _offer_taking_back(workspace, person, number)


def _offer_pooling_again(workspace: Workspace, person: Person, filling: Pooling) -> None:
    """The same choices once more: first what they would bring now, then the button that pools."""
    number = filling.pooling_id
    again = st.popover(
        "Pool again", icon=":material/replay:", key=f"again_{number}", on_change="rerun"
    )
    if not again.open:
        return
    with again, errors_shown():
        plan = PoolPlan.from_json(filling.parameters)
        preview = current_preview(workspace, plan)
        if preview is None:
            muted("The same choices, on what is there now. First count what they would bring.")
            preview_button(workspace, person, plan, f"preview_again_{number}")
            return
        muted(would_join_in_words(preview))
        if n := for_raters(preview):
            st.button(
                f"Pool {count_of(n, 'pair')}",
                type="primary",
                key=f"pool_again_{number}",
                on_click=in_callback(start_repeating),
                args=(workspace, person, number),
            )


def _offer_taking_back(workspace: Workspace, person: Person, number: int) -> None:
    def tell() -> Undoing:
        would = take_back_pooling(workspace, number, person, dry_run=True)
        return Undoing(would_go_in_words(would))

    offer_taking_back(workspace, person, number, tell, _take_back)


def _take_back(workspace: Workspace, person: Person, number: int) -> None:
    st.session_state[_SAID] = taken_back_in_words(take_back_pooling(workspace, number, person))
