"""Generate: queries that a language model writes, reviewed and validated by people."""

import streamlit as st

from ui import frame, state
from ui.synthesis.review import show_review
from ui.synthesis.validation import show_validation
from ui.synthesis.views import show_generate

VIEWS = {"generate": "Generate", "review": "Review", "validation": "Validation"}

workspace = state.current_workspace()
person = state.require_person(workspace)
frame.heading(
    "Generate",
    "Let a language model write queries for your documents, and have people say which are good.",
)

view = st.segmented_control(
    "What to show",
    list(VIEWS),
    format_func=VIEWS.__getitem__,
    default="generate",
    required=True,
    key="view",
    bind="query-params",
    label_visibility="collapsed",
)
if view == "generate":
    show_generate(workspace, person)
elif view == "review":
    show_review(workspace, person)
else:
    show_validation(workspace, person)
