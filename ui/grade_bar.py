"""The bar under a pair, as the page's own component: one element holds all buttons and all keys.

A press redraws two elements, the pair and this bar. With Streamlit's own buttons it would be
twenty, each of which the browser draws by itself: 20 ms more from key to next pair.
"""

from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal, TypeAlias

import streamlit as st

from builder.judging.queue import LONGEST_COMMENT, LONGEST_REASON
from builder.settings import Settings
from ui.sitting import Sitting

QueryOutcome: TypeAlias = Literal["unclear", "out_of_scope"]

KEY = "grade_bar"
REASONS = (
    "I lack the knowledge",
    "The document cannot be read",
    "Another language",
    "Other",
)
QUERY_WORDS: dict[QueryOutcome, str] = {"unclear": "unclear", "out_of_scope": "out of scope"}
_OTHER = len(REASONS)
_SCRIPTS = [Path(__file__).with_name(name) for name in ("elements.js", "grade_bar.js")]


def reason_chosen(choice: int, typed: str) -> str:
    """The reason for "can't judge" of this number, from 1; the last is what was typed."""
    if choice == _OTHER:
        return typed
    return REASONS[choice - 1] if 0 < choice < _OTHER else ""


def outcome_chosen(choice: int) -> QueryOutcome | None:
    """What is said of a whole query by this number, from 1; None for any other."""
    return dict(enumerate(QUERY_WORDS, start=1)).get(choice)


def show_bar(
    settings: Settings, sitting: Sitting, *, can_undo: bool, on_press: Callable[[], None]
) -> None:
    """Draw the bar for the pair on screen; `on_press` runs before the page is drawn again."""
    _component()(
        key=KEY,
        data=_data(settings, sitting, can_undo=can_undo),
        on_press_change=on_press,
    )


def _data(settings: Settings, sitting: Sitting, *, can_undo: bool) -> dict[str, Any]:
    """What the script draws; all texts are set as text there, never as markup."""
    pair = sitting.pair
    own = pair.own if pair else None
    return {
        "pair": sitting.name,
        "token": sitting.token,
        "sitting": sitting.identity,
        "answers": sitting.answers,
        "grades": [name[:1].upper() + name[1:] for name in settings.grades.names],
        "own": own.grade if own else None,
        "comment": _comment(sitting),
        "undo": can_undo,
        "said": sitting.said.as_data(),
        "guidelines": sitting.guidelines_version is not None,
        "list": True,
        "choices": CHOICES,
        "longest_comment": LONGEST_COMMENT,
        "longest_reason": LONGEST_REASON,
    }


def _comment(sitting: Sitting) -> str:
    name, kept = sitting.comment
    if name == sitting.name:
        return kept
    own = sitting.pair.own if sitting.pair else None
    if own is None:
        return ""
    # Who skipped a pair wrote down what the grade is to be thought over with.
    return own.reason if own.outcome == "skip" else own.comment


CHOICES = {
    "x": {
        "title": "Can't judge, because",
        "names": [*REASONS[:-1], "Other: type it"],
        "other": _OTHER,
        "typed": "Another reason",
    },
    "q": {
        "title": "This query is",
        "names": [name[:1].upper() + name[1:] for name in QUERY_WORDS.values()],
        "other": None,
        "typed": "Why, if you like (Tab)",
    },
}


@lru_cache(maxsize=1)
def _component() -> Callable[..., Any]:
    script = "\n".join(path.read_text(encoding="utf-8") for path in _SCRIPTS)
    return st.components.v2.component("goldsmith_grade_bar", js=script, isolate_styles=False)
