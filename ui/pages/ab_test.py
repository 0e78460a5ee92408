"""A/B test: whether users are better off with the new model."""

import streamlit as st

from ui import frame, state
from ui.ab_plans import ask_plan, show_why_not
from ui.ab_tests import (
    drawable,
    show_cautions,
    show_effect_by_day,
    show_metrics,
    show_power,
    show_sample_ratio,
    show_verdict,
    tested,
)
from ui.charts import drawn_colours
from ui.dashboards.counting import log_of
from ui.dashboards.filters import note_unoffered
from ui.dashboards.fresh import watch_events
from ui.leaderboards import colours_for

workspace = state.current_workspace()
frame.heading(
    "A/B test",
    "Whether users did better with one model than with another, and whether chance explains it.",
    mark=state.mark(workspace, "events"),
)
watch_events(workspace)
log = log_of(workspace)
if log is None or len(log.model_versions) < 2:
    show_why_not(log)
    st.stop()
plan = ask_plan(log, workspace.settings.timezone)
if plan is None:
    st.stop()

test = tested(workspace, plan)
colours = drawn_colours(dict.fromkeys(plan.arms, 1), colours_for(workspace, log.model_versions))
show_sample_ratio(test)
show_verdict(test)
show_metrics(test, colours)
titles = drawable(test)
if titles:
    frame.section("Effect by day")
    note_unoffered("effect_metric", titles.values())
    metric = st.selectbox(
        "Metric",
        list(titles),
        format_func=titles.__getitem__,
        key="effect_metric",
        bind="query-params",
        label_visibility="collapsed",
        width=320,
    )
    show_effect_by_day(test, metric, colours)
frame.section("How long to run")
show_power(test)
show_cautions(test)
