"""Which candidates a reviewer wants to see: of which run, type and state."""

import streamlit as st

from builder.synthesis.review import Kind, Wanted, kinds_to_review
from builder.workspace import Workspace
from ui.numbers import count
from ui.sitting import Said
from ui.synthesis.review_state import Reviewing

STATES = {
    "waiting": "To review",
    "flagged": "Flagged",
    "rejected": "Filtered out",
}
_FLAGGED = {"waiting": None, "flagged": True, "rejected": None}


def choose_wanted(workspace: Workspace, reviewing: Reviewing) -> bool:
    """Ask for it, and note it in the session; whether there is anything to choose from.

    Another choice begins with its first candidate.
    """
    kinds = kinds_to_review(workspace)
    if not kinds:
        return False
    state = st.segmented_control(
        "Which state",
        list(STATES),
        format_func=STATES.__getitem__,
        default="waiting",
        required=True,
        key="review_state",
        label_visibility="collapsed",
    )
    verdict = "rejected" if state == "rejected" else "kept"
    run, prompt = _choose_run(kinds), _choose_type(kinds)
    wanted = Wanted(run, prompt, _FLAGGED[state or "waiting"], verdict)
    if wanted != reviewing.wanted:
        reviewing.wanted, reviewing.said = wanted, Said()
        reviewing.leave()
    return True


def _choose_run(kinds: list[Kind]) -> int | None:
    runs = sorted({kind.synthesis_id for kind in kinds}, reverse=True)
    if len(runs) == 1:
        return None
    chosen: int = st.selectbox(
        "Run",
        [0, *runs],
        format_func=lambda run: f"Run {count(run)}" if run else "All runs",
        key="review_run",
        label_visibility="collapsed",
        width=110,
    )
    return chosen or None


def _choose_type(kinds: list[Kind]) -> str | None:
    prompts = sorted({kind.prompt for kind in kinds})
    if len(prompts) == 1:
        return None
    chosen: str = st.selectbox(
        "Type",
        ["", *prompts],
        format_func=lambda prompt: prompt or "All types",
        key="review_type",
        label_visibility="collapsed",
        width=150,
    )
    return chosen or None
