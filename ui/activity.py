"""The log of who did what when, on screen."""

from collections.abc import Mapping, Sequence
from functools import partial

import streamlit as st

from builder.activity import (
    FOLDED,
    ActivityPage,
    Entry,
    Wanted,
    action_words,
    activity_csv,
    detail_lines,
    kind_words,
    kinds_and_actors,
    read_folded,
)
from builder.people import Person, authorize
from builder.workspace import Workspace
from ui.frame import note
from ui.guidelines import local_time
from ui.numbers import count
from ui.tables import Column, Html, table
from ui.text import inline

_BEFORE_IN_URL = "before"
_COLUMNS = (Column("When"), Column("Who"), Column("What"))


def ask_which(workspace: Workspace) -> Wanted:
    """Filters by person and by kind of deed; they live in the address."""
    kinds, actors = kinds_and_actors(workspace)
    with st.container(horizontal=True, key="activity_filters"):
        actor = st.selectbox(
            "Who",
            actors,
            index=None,
            placeholder="Everybody",
            key="by",
            bind="query-params",
            on_change=_to_newest,
        )
        kind = st.selectbox(
            "What",
            kinds,
            index=None,
            placeholder="Everything",
            format_func=kind_words,
            key="kind",
            bind="query-params",
            on_change=_to_newest,
        )
    return Wanted(actor, kind)


def show_activity(workspace: Workspace, person: Person, wanted: Wanted) -> None:
    """A page of the log, ways to the next one, and the whole of it as a file.

    Raises:
        NotAllowedError: The person is no admin.
    """
    authorize(workspace, person, "admin")
    before = _before()
    page, folded = read_folded(workspace, wanted, before)
    if page.entries:
        st.html(activity_table(workspace, page.entries, folded))
    else:
        note("Nothing is here yet." if wanted == Wanted() else "Nothing fits these filters.")
    with st.container(horizontal=True, key="activity_ways"):
        _show_ways(page, before)
        if page.entries:
            _offer_file(workspace, wanted)


def activity_table(
    workspace: Workspace, entries: Sequence[Entry], folded: Mapping[int, int]
) -> str:
    """Safe HTML: a row a deed; of those that stand for several in a row, how many."""
    zone = workspace.settings.timezone
    rows = [
        [
            local_time(entry.happened_at, zone),
            entry.actor,
            Html(_deed(entry, folded.get(entry.activity_id))),
        ]
        for entry in entries
    ]
    return f'<div class="gs-activity">{table(_COLUMNS, rows, caption=f"Times in {zone}")}</div>'


def _deed(entry: Entry, several: int | None) -> str:
    if several is not None:
        return f"{inline(FOLDED[entry.action])} <b>{count(several)}</b><small>the last then</small>"
    subject = f" <b>{inline(entry.subject)}</b>" if entry.subject else ""
    lines = " \u00b7 ".join(inline(line) for line in detail_lines(entry.details))
    return f"{inline(action_words(entry.action))}{subject}<small>{lines}</small>"


def _show_ways(page: ActivityPage, before: int | None) -> None:
    st.button("Newest", on_click=_to_newest, disabled=before is None, key="activity_newest")
    st.button(
        "Older", on_click=_to, args=(page.older,), disabled=page.older is None, key="activity_older"
    )


def _offer_file(workspace: Workspace, wanted: Wanted) -> None:
    st.download_button(
        "Download as CSV",
        data=partial(activity_csv, workspace, wanted),
        file_name="activity.csv",
        mime="text/csv",
        on_click="ignore",
        icon=":material/download:",
        key=f"activity_file_{wanted.kind}_{wanted.actor}",
    )


def _before() -> int | None:
    """The page that the address names; the newest where it names none."""
    named = st.query_params.get(_BEFORE_IN_URL, "")
    return int(named) if named.isascii() and named.isdigit() and len(named) < 18 else None


def _to(before: int) -> None:
    st.query_params[_BEFORE_IN_URL] = str(before)


def _to_newest() -> None:
    st.query_params.pop(_BEFORE_IN_URL, None)
