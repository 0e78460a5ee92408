"""Agreement within each tag, query or week, on screen: where it is low, and whether it grows."""

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from builder.store.queries import get_query
from builder.workspace import Workspace
from ui.frame import muted, note
from ui.numbers import count
from ui.tables import Column, table
from ui.trust import Report, cell

SLICES = ("tag", "query", "week")
_AT_ONCE = 25
_SHOWN = "slices_shown"
_UNNAMED = {"tag": "no tag", "week": "time unknown", "query": ""}
_ABOUT = {
    "tag": "A query with several tags counts in each of them.",
    "query": "The lowest agreement first. One query alone has no interval.",
    "week": "A pair belongs to the week of its last grade; weeks are ISO weeks in UTC.",
}


def show_slices(workspace: Workspace, report: Report, by: str) -> None:
    """One row a tag, query or week, with n and intervals; of many the first ones."""
    rows = report["slices"][f"by_{by}"]
    if not rows:
        note(f"There is nothing to tell apart by {by}.")
        return
    n = st.session_state.get(_SHOWN, _AT_ONCE)
    st.html(slices_table(workspace, rows[:n], by))
    if more := min(_AT_ONCE, max(0, len(rows) - n)):
        st.button(f"Show {count(more)} more", key="more_slices", on_click=_more)
        muted(f"{count(n)} of {count(len(rows))} are shown.")
    muted(_ABOUT[by])


def slices_table(workspace: Workspace, rows: Sequence[Mapping[str, Any]], by: str) -> str:
    """Safe HTML of the rows."""
    columns = [
        Column(by.capitalize()),
        Column("alpha, ordinal", numeric=True),
        Column("same grade", numeric=True),
        Column("shared pairs", numeric=True),
        Column("grades", numeric=True),
        *([] if by == "query" else [Column("queries", numeric=True)]),
    ]
    cells = [[_name(workspace, row["name"], by), *_numbers(row, by)] for row in rows]
    return f'<div class="gs-slices">{table(columns, cells)}</div>'


def _numbers(row: Mapping[str, Any], by: str) -> list[str]:
    counts = [row["n_pairs"], row["n_grades"], *([] if by == "query" else [row["n_queries"]])]
    alpha, same = row["alpha_ordinal"], row["percent_agreement"]
    return [cell(alpha), cell(same, share=True), *map(count, counts)]


def _name(workspace: Workspace, name: str | None, by: str) -> str:
    if name is None:
        return _UNNAMED[by]
    if by != "query":
        return name
    with workspace.store.read() as connection:
        query = get_query(connection, name)
    return name if query is None else query.text


def _more() -> None:
    st.session_state[_SHOWN] = st.session_state.get(_SHOWN, _AT_ONCE) + _AT_ONCE
