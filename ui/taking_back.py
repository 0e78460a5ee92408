"""The way back from a deed that is on record: what would go and stay, then the button."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import streamlit as st

from builder.people import Person
from builder.workspace import Workspace
from ui.frame import in_callback, muted

ALL_THE_SAME = "Take it back all the same"
"""What somebody ticks where much of a deed stays."""


class Undoing(NamedTuple):
    """What taking a deed back would do.

    Attributes:
        said: A sentence each.
        is_possible: Whether there is anything to take back.
        told_first: Whether somebody has to say first that it shall be done all the same.
    """

    said: Sequence[str]
    is_possible: bool = True
    told_first: bool = False


def offer_taking_back(
    workspace: Workspace,
    person: Person,
    number: int,
    tell: Callable[[], Undoing],
    take_back: Callable[[Workspace, Person, int], None],
) -> None:
    """Offer it behind a button; what it would do is counted once that is open.

    Args:
        workspace: Handed on to `take_back`.
        person: Who would do it.
        number: Of the deed; one page offers those of one kind.
        tell: Counts what would go and stay.
        take_back: Does it.
    """
    undo = st.popover("Take back", icon=":material/undo:", key=f"undo_{number}", on_change="rerun")
    if not undo.open:
        return
    with undo:
        would = tell()
        for line in would.said:
            muted(line)
        is_said = not would.told_first or st.checkbox(ALL_THE_SAME, key=_key_of_saying(number))
        st.button(
            "Take it back",
            type="primary",
            key=f"take_back_{number}",
            disabled=not (would.is_possible and is_said),
            on_click=in_callback(take_back),
            args=(workspace, person, number),
        )


def is_said_all_the_same(number: int) -> bool:
    """Whether somebody said that the deed of this number shall be taken back whatever stays."""
    return bool(st.session_state.get(_key_of_saying(number)))


def _key_of_saying(number: int) -> str:
    return f"all_the_same_{number}"
