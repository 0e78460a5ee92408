"""A/B test: whether users are better off with the new model."""

import streamlit as st

from ui import frame, state
from ui.ab_tests import (
    ask_plan,
    drawable,
    show_cautions,
    show_effect_by_day,
    show_metrics,
    show_power,
    show_sample_ratio,
    show_verdict,
    show_why_not,
    tested,
)
from ui.dashboards import span_of
from ui.leaderboards import colours_for

workspace = state.current_workspace()
frame.heading(
    "A/B test",
    "Whether users did better with one model than with another, and whether chance explains it.",
    mark=state.mark(workspace, "events"),
)
there = span_of(workspace)
if len(there.model_versions) < 2:
    show_why_not(there)
    st.stop()
plan = ask_plan(there)
if plan is None:
    st.stop()

test = tested(workspace, plan)
colours = colours_for(workspace, there.model_versions)
show_sample_ratio(test)
show_verdict(test)
show_metrics(test, colours)
titles = drawable(test)
if titles:
    frame.section("Effect by day")
    metric = st.segmented_control(
        "Metric by day",
        list(titles),
        format_func=titles.__getitem__,
        default=next(iter(titles)),
        required=True,
        key="effect_metric",
        bind="query-params",
        label_visibility="collapsed",
    )
    show_effect_by_day(test, metric, colours)
frame.section("How long to run")
show_power(test)
show_cautions(test)
