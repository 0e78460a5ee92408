"""Search logs on the page Import: how they are read where they do not say so, what was found."""

from collections.abc import Mapping
from typing import Any

import streamlit as st

from builder.workspace import Workspace
from ui.frame import muted
from ui.numbers import count, in_words
from ui.tables import Column, table

_RANKS = {"as logged": None, "from 1": 1, "from 0": 0}
_APPLICATION = {
    "queries": "queries",
    "distinct_query_ids": "different ids",
    "events": "events",
    "without_query": "without query",
    "clicks": "clicks",
    "impressions": "impressions",
    "conversions": "conversions",
    "rank_base": "first rank",
}
"""What an import tells of an application -> its column."""


def ask_how(workspace: Workspace) -> dict[str, object]:
    """How the log is read where it does not say so itself."""
    with st.container(key="event_options", horizontal=True):
        zone = st.text_input(
            "Time zone of times without one", placeholder=_example(workspace), key="log_zone"
        )
        model = st.text_input(
            "Model version, where the log names none", placeholder="bm25", key="log_model"
        )
        ranks = st.selectbox(
            "The first rank",
            list(_RANKS),
            key="log_ranks",
            help="As logged: ranks begin at 1 unless the log itself shows otherwise.",
        )
    return {"timezone": zone, "model_version": model, "rank_base": _RANKS[ranks]}


def show_applications(tally: Mapping[str, Any]) -> None:
    """Who wrote the log, where its format says so: what of, from which rank, in which times."""
    applications: Mapping[str, Mapping[str, Any]] = tally.get("applications") or {}
    if not applications:
        return
    columns = [Column("application"), *(Column(t, numeric=True) for t in _APPLICATION.values())]
    rows = [
        [name, *(_cell(said.get(key)) for key in _APPLICATION), _times(said)]
        for name, said in applications.items()
    ]
    html = table([*columns, Column("times")], rows)
    st.html(f'<div class="gs-blocks gs-applications">{html}</div>')
    muted("The first rank is the one an application counts from; all are kept as counted from 1.")


def _example(workspace: Workspace) -> str:
    zone = workspace.settings.timezone
    return f"such as {zone if zone != 'UTC' else 'Europe/Berlin'}"


def _cell(value: Any) -> str:
    return "\u2013" if value is None else count(value)


def _times(said: Mapping[str, Any]) -> str:
    return ", ".join(map(in_words, said.get("time_formats", {})))
