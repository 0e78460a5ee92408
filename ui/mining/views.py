"""The two views of the page: queries to draw, and what clicks tell."""

from collections.abc import Callable

import streamlit as st

from builder.mining import list_samplings
from builder.mining.weak_grades import count_labelled
from builder.people import Person
from builder.workspace import Workspace
from online.engines import Choice
from online.evidence import Evidence
from ui.dashboards.counting import Log, state_of
from ui.frame import section
from ui.mining.clicks import (
    evidence_of,
    show_evidence_figures,
    show_rank_ctr,
    show_why_no_evidence,
)
from ui.mining.drawing import follow_adding, show_preview
from ui.mining.drawings import show_drawings, standing
from ui.mining.meanings import show_click_meanings
from ui.mining.options import ask_sampling
from ui.mining.pairs import show_pairs
from ui.mining.weak import show_rule, warn_of_weak_grades


def draw_queries(workspace: Workspace, person: Person, log: Log, choice: Choice) -> None:
    """How to draw, the preview, and the drawings so far."""
    sampling = ask_sampling(log, choice)
    drawings = list_samplings(workspace)
    follow_adding(workspace, standing(drawings))
    show_preview(workspace, person, log, sampling)
    show_drawings(workspace, person, drawings)


def show_clicks(workspace: Workspace, person: Person, log: Log, choice: Choice) -> None:
    """What clicks tell of queries and documents, and the weak grades that are made of it."""
    warn_of_weak_grades()
    evidence = evidence_of(workspace, person, log, choice)
    if evidence is None:
        return
    summary = evidence.summary
    if show_why_no_evidence(summary):
        return
    show_evidence_figures(summary, _labelled(workspace, choice, evidence))
    show_click_meanings()
    show_rule(workspace)
    show_pairs(workspace, evidence, choice)
    section("Clicks by rank")
    show_rank_ctr(summary, choice)


def _labelled(workspace: Workspace, choice: Choice, evidence: Evidence) -> int:
    """How many pairs have a weak grade by the workspace's rule."""
    rule = workspace.settings.weak_grades
    lake = workspace.lake
    asked = (str(lake.root), state_of(lake), choice, rule.model_dump_json())
    return _counted(asked, lambda: count_labelled(evidence, rule))


@st.cache_data(max_entries=16, show_spinner=False)
def _counted(
    asked: tuple[str, str, Choice, str],  # noqa: ARG001 - the key
    _count: Callable[[], int],
) -> int:
    return _count()
