"""Dashboard: what users did with the results."""

import streamlit as st

from ui import frame, state
from ui.charts import drawn_colours
from ui.dashboards.counting import report_of
from ui.dashboards.figures import show_figures
from ui.dashboards.filters import ask_choice, note_unknown_keys
from ui.dashboards.fresh import log_or_stop
from ui.dashboards.groups import say_rest, show_clicks_by_rank, show_groups
from ui.dashboards.meanings import show_meanings
from ui.dashboards.queries import show_queries
from ui.dashboards.times import show_over_time
from ui.leaderboards import colours_for

workspace = state.current_workspace()
frame.heading(
    "Dashboard",
    "What users did with the results: how often they clicked, and how far down.",
    mark=state.mark(workspace, "events"),
)
log = log_or_stop(workspace)

choice = ask_choice(log, workspace.settings.timezone)
note_unknown_keys()
found = report_of(workspace, choice)
overall, by_model = found["overall"], found["by_model"]
if not overall["searches"]:
    frame.note("No search is like this.", "Take more days, or leave out a filter above.")
    st.stop()

searches = {model: metrics["searches"] for model, metrics in by_model.items()}
colours = drawn_colours(searches, colours_for(workspace, log.model_versions))
show_figures(overall, choice)
show_meanings(overall)
show_over_time(workspace, choice, overall, colours)
say_rest(searches, colours)
show_groups(workspace, log, by_model, colours, choice)
show_clicks_by_rank(by_model, colours, choice)
show_queries(workspace, log, choice)
frame.muted(
    "Rates are shares of searches; intervals are 95 %, clustered by session. There is one only "
    "where it would hold: from 10 sessions on, with at least 5 searches for and 5 against."
)
