"""One rater in detail: against whom, on what, since when; and whether the grades shall count."""

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from builder.errors import BuilderError, NotAllowedError
from builder.judging.agreement.words import in_words
from builder.people import Person, find_active
from builder.people.excluding import (
    LONGEST_REASON,
    Exclusion,
    exclude_rater,
    find_exclusion,
    include_rater,
    pairs_that_would_lose,
)
from builder.workspace import Workspace
from ui.confusion import confusion_table
from ui.disagreements import link_to_pairs_of
from ui.frame import in_callback, muted, note, section, sentence
from ui.guidelines import local_time
from ui.numbers import count, count_of
from ui.raters import (
    STILL_GRADES,
    Profile,
    bias_in_words,
    flags_html,
    link_to_people,
    ordered,
    signed,
    signed_beside,
    span_of,
)
from ui.tables import Column, Tile, table, tiles, with_note
from ui.text import button_label
from ui.trust import UNDEFINED, Statistic, beside, cell, value

IN_URL = "profile"
_SAID = "raters_said"
_REFUSED = "raters_refused"


def show_chosen(workspace: Workspace, actor: Person, profiles: Sequence[Profile]) -> None:
    """Ask for whom, as the address says, and show that rater."""
    by_name = {profile["rater"]: profile for profile in ordered(profiles)}
    name = st.selectbox(
        "Rater",
        list(by_name),
        index=None,
        placeholder="Whom?",
        key=IN_URL,
        bind="query-params",
        width=320,
    )
    if name is not None:
        show_profile(workspace, by_name[name])
        show_excluding(workspace, actor, by_name[name])


def show_profile(workspace: Workspace, profile: Profile) -> None:
    """Figures, flags, confusion with the others, each other rater, and week by week."""
    st.html(tiles(_figures(profile)))
    if profile["flags"]:
        st.html(flags_html(profile["flags"]))
    else:
        muted("No flags.")
    with st.container(key="profile_pairs"):
        link_to_pairs_of(profile["rater"])
    left, right = st.columns(2, gap="large")
    with left:
        section("Against the others' grades")
        st.html(confusion_html(workspace, profile["confusion"]))
    with right:
        section("With each other rater")
        _show_pairwise(profile)
    section("Week by week")
    _show_weeks(profile)


def confusion_html(workspace: Workspace, confusion: Sequence[Sequence[int]]) -> str:
    """Safe HTML: a row an own grade, a column a grade that somebody else gave to the same pair."""
    total = sum(map(sum, confusion))
    if not total:
        return '<p class="gs-muted">Nobody else graded the same pairs.</p>'
    caption = f"{count(total)} comparisons with another rater's grade; equal ones are framed."
    names = workspace.settings.grades.names
    return confusion_table(confusion, names, "Own grade", "others", caption)


def show_excluding(workspace: Workspace, actor: Person, profile: Profile) -> None:
    """Leave the rater out of aggregation, or take that back, and what it means for others."""
    if said := st.session_state.pop(_SAID, None):
        note(said)
    exclusion = find_exclusion(workspace, profile["rater"])
    if exclusion is None:
        _offer_excluding(workspace, actor, profile["rater"])
    else:
        _offer_including(workspace, actor, profile["rater"], exclusion)


def _offer_excluding(workspace: Workspace, actor: Person, name: str) -> None:
    section("Leave out of aggregation")
    pairs = pairs_that_would_lose(workspace, name)
    again = (
        f"{count_of(pairs, 'pair')} would lack a grade then: raters are asked again."
        if pairs
        else "No pair would lack a grade then."
    )
    muted(
        f"The grades of {name} would count neither in releases nor in agreement. They stay, and "
        f"this can be taken back. {again}"
    )
    with st.container(horizontal=True, vertical_alignment="bottom", key="excluding"):
        reason_key = f"exclude_reason_{name}"
        st.text_input(
            "Reason, which goes into each release",
            key=reason_key,
            max_chars=LONGEST_REASON,
            placeholder="Why these grades do not count",
        )
        st.button(
            f"Leave out {button_label(name)}",
            key="exclude_rater",
            on_click=in_callback(_exclude),
            args=(workspace, actor, name, reason_key),
        )
    if refused := st.session_state.pop(_REFUSED, None):
        note(refused, kind="error")


def _offer_including(workspace: Workspace, actor: Person, name: str, exclusion: Exclusion) -> None:
    section("Left out of aggregation")
    when = local_time(exclusion.since, workspace.settings.timezone)
    still = find_active(workspace, name) is not None
    goes_on = f"{name} {STILL_GRADES}." if still else f"{name} is deactivated."
    note(f"Reason: {exclusion.reason}", f"By {exclusion.by}, {when}. The grades stay.", goes_on)
    st.button(
        "Let the grades count again",
        key="include_rater",
        on_click=in_callback(_include),
        args=(workspace, actor, name),
    )
    if still:
        link_to_people(actor)


def _figures(profile: Profile) -> list[Tile]:
    others, majority = profile["with_others"], profile["with_majority"]
    return [
        Tile("grades", count(profile["n"]), "one a graded pair"),
        Tile("with the others", value(others), beside(others, "comparisons")),
        Tile(
            "with the majority", value(majority, share=True), beside(majority, "pairs", share=True)
        ),
        _bias_tile(profile["bias"]),
    ]


def _bias_tile(bias: Statistic) -> Tile:
    if bias["value"] is None:
        return Tile("bias", UNDEFINED, in_words(bias["reason"]))
    return Tile("bias", signed(bias["value"]), f"{bias_in_words(bias)} {span_of(bias)}")


def _show_pairwise(profile: Profile) -> None:
    if not profile["pairwise"]:
        muted("Nobody else graded the same pairs.")
        return
    columns = [
        Column("Rater"),
        Column("quadratic kappa", numeric=True),
        Column("pairs", numeric=True),
    ]
    rows = [
        [row["rater"], cell(row["kappa_quadratic"]), count(row["n"])] for row in profile["pairwise"]
    ]
    st.html(f'<div class="gs-pairwise">{table(columns, rows)}</div>')


def _show_weeks(profile: Profile) -> None:
    if not profile["by_week"]:
        muted("Nobody knows when these grades were given.")
        return
    columns = [
        Column("Week"),
        Column("Grades", numeric=True),
        Column("Seconds a pair", numeric=True),
        Column("With the others", numeric=True),
        Column("Bias", numeric=True),
    ]
    weeks = table(columns, [_week(row) for row in profile["by_week"]])
    st.html(f'<div class="gs-weeks">{weeks}</div>')


def _week(row: Mapping[str, Any]) -> list[str]:
    seconds = row["median_s"]
    return [
        row["week"],
        count(row["n"]),
        "unknown" if seconds is None else f"{seconds:.1f}",
        cell(row["with_others"]),
        with_note(bias_in_words(row["bias"]), signed_beside(row["bias"])),
    ]


def _exclude(workspace: Workspace, actor: Person, name: str, reason_key: str) -> None:
    """What is wrong with the reason is said beside the field: the page's top is out of sight."""
    try:
        again = exclude_rater(workspace, name, st.session_state.get(reason_key) or "", actor)
    except NotAllowedError:
        raise
    except BuilderError as error:
        st.session_state[_REFUSED] = sentence(error.message)
        return
    st.session_state[_SAID] = f"{name} is left out. Asked for again: {count_of(again, 'pair')}."


def _include(workspace: Workspace, actor: Person, name: str) -> None:
    include_rater(workspace, name, actor)
    st.session_state[_SAID] = f"The grades of {name} count again."
