"""Which synthetic queries go into a release: the choice, and what each would bring."""

from collections.abc import Mapping

import streamlit as st

from builder.export.synthetic import VALIDATED
from builder.export.synthetic_choices import synthetic_choices
from builder.workspace import Workspace
from ui.numbers import count
from ui.synthesis.words import queries_of

MODES: Mapping[str, tuple[str, str]] = {
    "none": ("None", "Only queries that people typed or imported."),
    "validated": (
        "Validated",
        "Those that people graded in the words that they have now, by people's grades alone.",
    ),
    "accepted": (
        "Accepted",
        "Besides, all of the parts that validation accepted: where nobody graded, the grade is the "
        "one that came with the query.",
    ),
}
"""Mode -> its name, and what it means."""


def ask_synthetic(workspace: Workspace) -> str:
    """Which ones; the default where there are none to choose from."""
    brings = synthetic_choices(workspace)
    if not brings["queries"]:
        return VALIDATED
    chosen: str = st.radio(
        f"Synthetic queries, of which there are {count(brings['queries'])}",
        list(MODES),
        index=list(MODES).index(VALIDATED),
        format_func=lambda mode: choice_label(mode, brings),
        captions=captions_of(brings),
    )
    return chosen


def captions_of(brings: Mapping[str, int]) -> list[str]:
    """What each mode means; of accepted ones, too, that there are none yet."""
    none, validated, accepted = (about for _, about in MODES.values())
    if brings["accepted"] == brings["validated"]:
        accepted = f"{accepted} So far validation adds none."
    return [none, validated, accepted]


def choice_label(mode: str, brings: Mapping[str, int]) -> str:
    """A mode with how many queries it would bring at most."""
    name = MODES[mode][0]
    return name if mode == "none" else f"{name}: up to {queries_of(brings[mode])}"
