"""The bar under a disputed pair, as the page's own component: grades, reasons, and all keys."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import streamlit as st

from builder.judging.adjudication import LONGEST_REASON, REASONS
from builder.settings import Settings
from ui.deciding import Deciding
from ui.frame import sentence
from ui.sitting import as_text

KEY = "adjudication_bar"
_OTHER = len(REASONS) + 1
_SCRIPTS = [Path(__file__).with_name(name) for name in ("elements.js", "adjudication_bar.js")]
_DAY_MS = 24 * 60 * 60 * 1000


@dataclass(frozen=True, slots=True)
class Press:
    """One press as the browser tells it; everything in it is checked before use.

    Attributes:
        name: The pair that was on screen.
        key: What it means: 0 to 3, u, s or a.
        pressed: The key that was really pressed, which another press may repeat.
        token: Of the showing of the pair.
        choice: Which of the reasons was chosen, from 1; 0 for none.
        typed: What was typed as reason.
        looked_ms: How long the pair was looked at; None if the browser did not say.
    """

    name: str
    key: str
    pressed: str
    token: str
    choice: int
    typed: str
    looked_ms: int | None

    @property
    def reason(self) -> str:
        """The reason in words; "" where none was given."""
        if self.choice == _OTHER:
            return self.typed
        return REASONS[self.choice - 1] if 0 < self.choice < _OTHER else ""


def show_bar(
    settings: Settings, deciding: Deciding, *, can_undo: bool, on_press: Callable[[], None]
) -> None:
    """Draw the bar for the pair on screen; `on_press` runs before the page is drawn again."""
    _component()(
        key=KEY,
        data=_data(settings, deciding, can_undo=can_undo),
        on_press_change=on_press,
    )


def last_press() -> Press:
    """What was pressed, in the callback of a press."""
    sent = st.session_state[KEY].get("press")
    told: dict[str, Any] = sent if isinstance(sent, dict) else {}
    choice, looked = told.get("choice"), told.get("looked")
    return Press(
        name=as_text(told.get("pair")),
        key=as_text(told.get("key")),
        pressed=as_text(told.get("pressed"))[:10],
        token=as_text(told.get("token")),
        choice=choice if type(choice) is int else 0,
        typed=as_text(told.get("reason")).strip()[:LONGEST_REASON],
        looked_ms=looked if type(looked) is int and 0 <= looked <= _DAY_MS else None,
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
