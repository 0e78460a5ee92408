"""The drawings so far: who drew when, how and how many; repeat one, or take one back."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import streamlit as st

from builder.mining import take_back_sampling
from builder.mining.mining import sample_of
from builder.people import Person
from builder.workspace import Workspace
from ui.dashboards.filters import CLASSES
from ui.downloads import Sheet, file_name, offer_csv
from ui.frame import in_callback, muted, note, section
from ui.jobs import clock
from ui.mining.drawing import add_queries
from ui.mining.report import sheet_of_sample
from ui.mining.words import ALLOCATIONS, STRATA, method_name, queries_of
from ui.numbers import count, percent
from ui.taking_back import Undoing, offer_taking_back
from ui.text import inline

AT_ONCE = 5
"""Drawings on the page before the others are folded away."""
_SAID = "drawing_taken_back"
_KEPT = {
    "graded": "they have graded pairs",
    "in_pool": "they have pairs in the pool; take that filling back to free them",
    "discussed": "raters said something about them",
    "edited": "somebody edited them",
    "other_sampling": "another sample holds them",
}
"""Why queries stay when a drawing is taken back."""

Drawing = Mapping[str, Any]


def standing(drawings: Sequence[Drawing]) -> set[int]:
    """The numbers of those that are not taken back."""
    return {row["sampling_id"] for row in drawings if row["taken_back_at"] is None}


def show_drawings(workspace: Workspace, person: Person, drawings: Sequence[Drawing]) -> None:
    """Each drawing with what can be done about it."""
    section("Samples so far")
    if said := st.session_state.pop(_SAID, None):
        note(*said)
    if not drawings:
        muted("No sample was drawn from the log yet.")
        return
    if len(standing(drawings)) > 1:
        muted(f"Weights in a release are those of sample {count(max(standing(drawings)))} alone.")
    for row in drawings[:AT_ONCE]:
        _show_row(workspace, person, row)
    if len(drawings) > AT_ONCE:
        with st.expander(f"{count(len(drawings) - AT_ONCE)} earlier"):
            for row in drawings[AT_ONCE:]:
                _show_row(workspace, person, row)


def _show_row(workspace: Workspace, person: Person, row: Drawing) -> None:
    number = row["sampling_id"]
    with st.container(key=f"drawing_{number}", horizontal=True, vertical_alignment="center"):
        st.html(drawing_html(workspace, row))
        with st.container(
            key=f"drawing_ways_{number}", horizontal=True, width="content", gap="small"
        ):
            offer_csv(
                partial(_sheet, workspace, number),
                file_name("sample", number),
                key=f"drawing_{number}",
                what=f"the queries of sample {number}",
            )
            st.button(
                "Repeat",
                key=f"repeat_{number}",
                icon=":material/replay:",
                help="Draw in the same way from the log as it is now.",
                on_click=in_callback(add_queries),
                args=(workspace, person, row["parameters"]),
            )
            if row["taken_back_at"] is None or row["left"]:
                _offer_taking_back(workspace, person, row)


def drawing_html(workspace: Workspace, row: Drawing) -> str:
    """Safe HTML: what was drawn, by whom and when, and in which way."""
    queries, traffic = row["outcome"]["queries"], row["outcome"]["traffic"]
    back = row["taken_back_at"]
    state = (
        f'<span class="gs-mark">taken back by {inline(row["taken_back_by"] or "")}, '
        f"{clock(workspace, back)}</span>"
        if back
        else ""
    )
    return (
        f'<div class="gs-entry"><div class="gs-entry-title">Sample {count(row["sampling_id"])}: '
        f"{queries_of(queries['sampled'])}, {percent(traffic['share'])} of the searches {state}"
        f'</div><div class="gs-muted">{inline(row["created_by"])}, '
        f"{clock(workspace, row['created_at'])} \u00b7 {count(queries['new'])} new, "
        f"{count(queries['known'])} known before</div>"
        f'<div class="gs-muted">{inline(way_in_words(row["parameters"]))}</div></div>'
    )


def way_in_words(parameters: Mapping[str, Any]) -> str:
    """How it was drawn, in a line."""
    way = [f"{method_name(parameters['method'])}, up to {count(parameters['limit'])}"]
    if parameters["method"] == "stratified":
        way.append(f"groups by {STRATA.get(parameters['by'], parameters['by'])}")
        allocation = ALLOCATIONS.get(parameters["allocation"])
        way += [allocation[0].lower()] if allocation else []
    if parameters["min_sessions"] > 1:
        way.append(f"at least {count(parameters['min_sessions'])} sessions")
    personal = {"drop": "without personal data", "mask": "personal data masked"}
    way.append(personal.get(parameters["personal"], "personal data kept"))
    if parameters["merge_near"]:
        way.append("near-duplicates merged")
    return " \u00b7 ".join([*way, f"seed {parameters['seed']}", *_of_which(parameters["choice"])])


def _of_which(choice: Mapping[str, Any]) -> list[str]:
    """Which part of the log."""
    days = " to ".join(filter(None, [choice.get("start"), choice.get("end")]))
    asked = choice.get("query_class")
    parts = [
        days,
        choice.get("model") and f"model {choice['model']}",
        choice.get("tag") and f"tag {choice['tag']}",
        asked and f"queries: {CLASSES.get(asked, asked)}",
        "without bots" if choice.get("without_bots") else "",
    ]
    return [part for part in parts if part]


def _sheet(workspace: Workspace, number: int) -> Sheet:
    """What a drawing drew and is still here."""
    drawn = sample_of(workspace, number)
    return sheet_of_sample([{**query, "known": not query["new"]} for query in drawn])


def _offer_taking_back(workspace: Workspace, person: Person, row: Drawing) -> None:
    """What will go and stay, in numbers, and the button; once more where something stayed."""
    number, again = row["sampling_id"], row["taken_back_at"] is not None

    def tell() -> Undoing:
        would = take_back_sampling(workspace, number, person, dry_run=True)
        return Undoing(would_go_in_words(would), not again or bool(would["queries_removed"]))

    offer_taking_back(workspace, person, number, tell, _take_back)


def _take_back(workspace: Workspace, person: Person, number: int) -> None:
    done = take_back_sampling(workspace, number, person, anyway=True)
    st.session_state[_SAID] = taken_back_in_words(done)


def would_go_in_words(would: Mapping[str, Any]) -> list[str]:
    """What taking a drawing back would remove and leave, a sentence each."""
    n = would["queries_removed"]
    goes = "goes" if n == 1 else "go"
    said = [f"{queries_of(n)} that only this sample brought {goes}." if n else "No query goes."]
    return [*said, *_what_stays(would), *_without_weight(would)]


def taken_back_in_words(done: Mapping[str, Any]) -> list[str]:
    """What went and what stays, a sentence each."""
    before = "was taken back before" if done["again"] else "is taken back"
    went = f"Sample {count(done['sampling_id'])} {before}. {_went(done)}"
    return [went, *_what_stays(done), *_without_weight(done)]


def _what_stays(told: Mapping[str, Any]) -> list[str]:
    kept = [
        f"{queries_of(n)}: {_KEPT.get(reason, reason.replace('_', ' '))}"
        for reason, n in told["kept"].items()
        if n
    ]
    return [f"Stay: {'; '.join(kept)}."] if kept else []


def _without_weight(told: Mapping[str, Any]) -> list[str]:
    n = told["lose_weight"]
    if not n:
        return []
    return [f"{queries_of(n)} that {'stays has' if n == 1 else 'stay have'} no weight then."]


def _went(done: Mapping[str, Any]) -> str:
    queries = done["queries_removed"]
    if not queries:
        return "No query is gone."
    return f"{queries_of(queries)} {'is' if queries == 1 else 'are'} gone."
