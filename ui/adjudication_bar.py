"""The bar under a disputed pair, as the page's own component: grades, reasons, and all keys."""

from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

import streamlit as st

from builder.judging.adjudication import LONGEST_REASON, REASONS
from builder.settings import Settings
from ui.deciding import Deciding
from ui.frame import sentence
from ui.presses import Press

KEY = "adjudication_bar"
_OTHER = len(REASONS) + 1
_SCRIPTS = [Path(__file__).with_name(name) for name in ("elements.js", "adjudication_bar.js")]


def reason_of(press: Press) -> str:
    """The reason of a decision in words; "" where none was given."""
    if press.choice == _OTHER:
        return press.typed
    return REASONS[press.choice - 1] if 0 < press.choice < _OTHER else ""


def show_bar(
    settings: Settings, deciding: Deciding, *, can_undo: bool, on_press: Callable[[], None]
) -> None:
    """Draw the bar for the pair on screen; `on_press` runs before the page is drawn again."""
    _component()(
        key=KEY,
        data=_data(settings, deciding, can_undo=can_undo),
        on_press_change=on_press,
    )


def _data(settings: Settings, deciding: Deciding, *, can_undo: bool) -> dict[str, Any]:
    """What the script draws; all texts are set as text there, never as markup."""
    dispute = deciding.dispute
    decision = dispute.decision if dispute else None
    return {
        "pair": deciding.name,
        "token": deciding.token,
        "sitting": deciding.identity,
        "answers": deciding.answers,
        "grades": [sentence(name) for name in settings.grades.names],
        "decided": decision.grade if decision else None,
        "undo": can_undo,
        "said": deciding.said.as_data(),
        "guidelines": deciding.guidelines_version is not None,
        "guard": settings.guard.model_dump(),
        "choices": {
            "title": "Because",
            "names": [*map(sentence, REASONS), "Other: type it"],
            "other": _OTHER,
            "typed": "Another reason",
        },
        "longest_reason": LONGEST_REASON,
    }


@lru_cache(maxsize=1)
def _component() -> Callable[..., Any]:
    script = "\n".join(path.read_text(encoding="utf-8") for path in _SCRIPTS)
    return st.components.v2.component("goldsmith_adjudication_bar", js=script, isolate_styles=False)
