"""Dashboard: what users did with the results."""

import streamlit as st

from ui import frame, state
from ui.dashboards import (
    DRAWN,
    seen,
    show_by_day,
    show_by_model,
    show_clicks_by_rank,
    show_figures,
    show_what_is_counted,
    span_of,
)
from ui.imports import offer_import
from ui.leaderboards import colours_for

workspace = state.current_workspace()
frame.heading(
    "Dashboard",
    "What users did with the results: how often they clicked, and how far down.",
    mark=state.mark(workspace, "events"),
)
there = span_of(workspace)
if there.first_day is None or there.last_day is None:
    frame.note("There are no search events yet.", "Import a log of searches and clicks.")
    offer_import("events")
    st.stop()

first, last = there.first_day, there.last_day
with st.container(key="filters", horizontal=True):
    start = st.date_input("From", first, first, last, key="from", bind="query-params")
    end = st.date_input("To", last, first, last, key="to", bind="query-params")
    model = st.selectbox(
        "Model version",
        there.model_versions,
        index=None,
        placeholder="All model versions",
        key="model",
        bind="query-params",
    )
found = seen(workspace, start, end, model)
colours = colours_for(workspace, there.model_versions)
show_figures(found.overall)

metric = st.segmented_control(
    "Metric by day",
    list(DRAWN),
    format_func=DRAWN.__getitem__,
    default="ctr",
    required=True,
    key="metric",
    bind="query-params",
)
show_by_day(found.days, metric, colours)
frame.section("By model version")
show_by_model(found.by_model, colours)
show_clicks_by_rank(found.by_model, colours)
show_what_is_counted(found.overall)
