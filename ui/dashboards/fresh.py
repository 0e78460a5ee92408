"""New events appear by themselves: the page asks every few seconds whether the lake changed."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import streamlit as st

from builder.workspace import Workspace
from online.manifest import MANIFEST
from ui.dashboards.counting import Log, log_of, state_of
from ui.frame import muted, note
from ui.imports import offer_import

EVERY_S = 3.0
_SEEN = "events_seen"
_CAME = "events_came"


def watch_events(workspace: Workspace) -> None:
    """Say when events last came in; draw the page anew when more come.

    Stands above what is counted, so that it goes on where counting fails.
    """
    state = state_of(workspace.lake)
    before = st.session_state.get(_SEEN)
    if before not in (None, state):
        st.session_state[_CAME] = state
    st.session_state[_SEEN] = state
    _watch(workspace, state)


def log_or_stop(workspace: Workspace) -> Log:
    """What the lake holds; without a log the page ends with the way to one.

    What stands here is drawn anew when events come in.
    """
    watch_events(workspace)
    log = log_of(workspace)
    if log is None:
        note("There are no search events yet.", "Import a log of searches and clicks.")
        offer_import("events")
        st.stop()
    return log


@st.fragment(run_every=EVERY_S)
def _watch(workspace: Workspace, drawn: str) -> None:
    if state_of(workspace.lake) != drawn:
        st.rerun(scope="app")
    if drawn != "empty":
        muted(_said(workspace, new=st.session_state.get(_CAME) == drawn))


def _said(workspace: Workspace, *, new: bool) -> str:
    zone = workspace.settings.timezone
    came = datetime.fromtimestamp((workspace.lake.root / MANIFEST).stat().st_mtime, UTC)
    local, today = came.astimezone(ZoneInfo(zone)), datetime.now(ZoneInfo(zone)).date()
    when = f"{local:%H:%M}" if local.date() == today else f"{local:%H:%M} on {local:%Y-%m-%d}"
    said = f"New events, as of {when}" if new else f"Events as of {when}"
    return f"{said}. Days and hours are those of {zone}."
