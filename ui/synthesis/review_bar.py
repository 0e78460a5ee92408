"""The bar under a generated query, as the page's own component: its buttons and all keys."""

from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

import streamlit as st

from builder.curation.contents import LONGEST_QUERY
from builder.settings import Settings
from ui.synthesis.review_state import Reviewing

KEY = "desk_bar"
_ELEMENTS = Path(__file__).parents[1] / "elements.js"
_SCRIPTS = [_ELEMENTS, Path(__file__).with_name("review_bar.js")]


def show_bar(
    settings: Settings, reviewing: Reviewing, *, can_undo: bool, on_press: Callable[[], None]
) -> None:
    """Draw the bar for the query on screen; `on_press` runs before the page is drawn again."""
    _component()(
        key=KEY,
        data=_data(settings, reviewing, can_undo=can_undo),
        on_press_change=on_press,
    )


def _data(settings: Settings, reviewing: Reviewing, *, can_undo: bool) -> dict[str, Any]:
    """What the script draws; all texts are set as text there, never as markup."""
    return {
        "pair": reviewing.name,
        "token": reviewing.token,
        "sitting": reviewing.identity,
        "answers": reviewing.answers,
        "text": reviewing.candidate.text.strip() if reviewing.candidate else "",
        "longest": LONGEST_QUERY,
        "undo": can_undo,
        "said": reviewing.said.as_data(),
        "guard": settings.guard.model_dump(),
    }


@lru_cache(maxsize=1)
def _component() -> Callable[..., Any]:
    script = "\n".join(path.read_text(encoding="utf-8") for path in _SCRIPTS)
    return st.components.v2.component("goldsmith_review_bar", js=script, isolate_styles=False)
