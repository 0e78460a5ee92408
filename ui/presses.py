"""A press in a page's own bar, as the browser tells it; everything in it is checked before use."""

from dataclasses import dataclass
from typing import Any, Protocol

import streamlit as st

from builder.judging.presses import PressGuard
from builder.judging.queue import LONGEST_REASON
from ui.sitting import as_text, now_ms

_DAY_MS = 24 * 60 * 60 * 1000


@dataclass(frozen=True, slots=True)
class Press:
    """One press.

    Attributes:
        name: The pair that was on screen.
        key: What it means: 0 to 3, or the letter of a button.
        pressed: The key that was really pressed, which another press may repeat.
        token: Of the showing of the pair.
        comment: What stood in the comment, where the bar has one.
        choice: Which of the choices was taken, from 1; 0 for none.
        typed: What was typed as reason.
        looked_ms: How long the pair was looked at; None if the browser did not say.
    """

    name: str
    key: str
    pressed: str
    token: str
    comment: str
    choice: int
    typed: str
    looked_ms: int | None


def last_press(bar: str) -> Press:
    """What was pressed in the bar of this key, in the callback of a press."""
    sent = st.session_state[bar].get("press")
    told: dict[str, Any] = sent if isinstance(sent, dict) else {}
    choice, looked = told.get("choice"), told.get("looked")
    return Press(
        name=as_text(told.get("pair")),
        key=as_text(told.get("key")),
        pressed=as_text(told.get("pressed"))[:10],
        token=as_text(told.get("token")),
        comment=as_text(told.get("comment")).strip(),
        choice=choice if type(choice) is int else 0,
        typed=as_text(told.get("reason")).strip()[:LONGEST_REASON],
        looked_ms=looked if type(looked) is int and 0 <= looked <= _DAY_MS else None,
    )


class Showing(Protocol):
    """What is on screen: its name, and which showing of it this is."""

    @property
    def name(self) -> str:
        """What it is called in the page."""

    @property
    def token(self) -> str:
        """Another one for each showing."""

    @property
    def guard(self) -> PressGuard:
        """Decides which presses come too fast."""

    @property
    def shown_at_ms(self) -> float:
        """When it appeared, on the monotonic clock."""


def refusal_of(showing: Showing, press: Press, *, is_there: bool, what: str) -> str | None:
    """Why a press does not count, or None.

    Args:
        showing: What is on screen.
        press: What was pressed.
        is_there: Whether anything is on screen to be dealt with.
        what: What that is, such as "pair"; ours.
    """
    meant = (press.name, press.token) == (showing.name, showing.token)
    if press.key != "u" and not (is_there and meant):
        return f"That {what} is done: this press was ignored."
    return showing.guard.accepts(press.pressed, now_ms(), showing.shown_at_ms)
