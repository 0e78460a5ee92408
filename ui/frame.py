"""The frame of a page: heading, purpose, messages, and the one guard against our own errors."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import ParamSpec, TypeAlias

import streamlit as st

from builder.errors import BuilderError, NotAllowedError
from evals.records import EvalsError
from online.events import OnlineError
from ui.text import inline

_STYLE = Path(__file__).with_name("style.css")
_NOTICE = "notice"
P = ParamSpec("P")
OurError: TypeAlias = BuilderError | EvalsError | OnlineError
_OURS = (BuilderError, EvalsError, OnlineError)


def use_style() -> None:
    """Put the style sheet into the page."""
    st.html(_STYLE)


def heading(title: str, purpose: str, *, mark: str | None = None) -> None:
    """The page's title, the sentence that says what it is for, and what its numbers are not.

    Args:
        title: The page's name, ours.
        purpose: One sentence, ours.
        mark: A word such as "simulated" for pages that show what no person did.
    """
    badge = f'<span class="gs-mark">{inline(mark)}</span>' if mark else ""
    st.html(
        f'<div class="gs-head"><h1>{inline(title)}{badge}</h1>'
        f'<p class="gs-lead">{inline(purpose)}</p></div>'
    )


def section(title: str) -> None:
    """A heading of the second order."""
    st.html(f'<h2 class="gs-h2">{inline(title)}</h2>')


def note(message: str, *more: str, kind: str = "") -> None:
    """A quiet message; `kind` is "", "warning" or "error"."""
    lines = "".join(f"<p>{inline(line)}</p>" for line in (message, *more) if line)
    role = "alert" if kind == "error" else "status"
    st.html(f'<div class="gs-note gs-{kind or "plain"}" role="{role}">{lines}</div>')


def muted(sentence: str) -> None:
    """A small line that explains."""
    st.html(f'<p class="gs-muted">{inline(sentence)}</p>')


@contextmanager
def errors_shown() -> Iterator[None]:
    """Show our own errors as message, place and hint; any other error stays a crash."""
    try:
        yield
    except _OURS as error:
        show_error(error)


def show_error(error: OurError) -> None:
    """One of our errors as the person reads it."""
    place = f"Where: {error.where}" if error.where else ""
    note(sentence(error.message), place, sentence(error.hint or ""), kind="error")


def in_callback(callback: Callable[P, None]) -> Callable[P, None]:
    """A callback whose errors are kept for the page: it runs before the page's guard stands."""

    def guarded(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            callback(*args, **kwargs)
        except _OURS as error:
            st.session_state[_NOTICE] = error

    return guarded


def show_callback_error() -> None:
    """Show, once, what a callback could not do."""
    if error := take_callback_error():
        show_error(error)


def leave_if_refused() -> None:
    """Draw the whole page anew where a callback found that somebody may not do that any more.

    A fragment would find the same again and say it twice; the door says it once.
    """
    if isinstance(st.session_state.get(_NOTICE), NotAllowedError):
        st.rerun(scope="app")


def take_callback_error() -> OurError | None:
    """What a callback could not do, for the last time; None if nothing."""
    error: OurError | None = st.session_state.pop(_NOTICE, None)
    return error


def sentence(words: str) -> str:
    """The words with a capital at the beginning."""
    return words[:1].upper() + words[1:]
