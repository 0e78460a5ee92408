"""The loop as a row of steps: what is there, what state it is in, and what comes next."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import streamlit as st

from ui.imports import KINDS
from ui.text import inline

_PAGES = "ui/pages"


@dataclass(frozen=True, slots=True)
class Step:
    """One step of the loop.

    Attributes:
        name: What it is called.
        count: The number that matters.
        state: Safe HTML: what state it is in.
        page: The page's file on which it is done.
        action: What to do there.
        done: Whether the next step can begin.
        imported: Which kind of things the page Import is to ask for, one of `KINDS`.
        optional: Whether the loop closes without it.
        goes_on: What this step has for the next round, a sentence; "" where nothing waits.
        address: What else the page's address says.
    """

    name: str
    count: str
    state: str
    page: str
    action: str
    done: bool
    imported: str = ""
    optional: bool = False
    goes_on: str = ""
    address: dict[str, str] = field(default_factory=dict)

    @property
    def asked(self) -> dict[str, str] | None:
        """What the page's address says; the page Import chooses by the title of a kind."""
        if self.imported:
            return {"what": KINDS[self.imported].title}
        return self.address or None


def show_steps(steps: Sequence[Step]) -> None:
    """The steps side by side, as many in a row as fit; the next one is marked."""
    upcoming = next_step(steps) or next_round(steps)
    with st.container(key="steps", horizontal=True, gap="small"):
        for number, step in enumerate(steps, start=1):
            is_next = step is upcoming
            key = f"step_next_{number}" if is_next else f"step_{number}"
            with st.container(border=True, key=key, gap="small"):
                st.html(_card(number, step))
                st.page_link(
                    f"{_PAGES}/{step.page}.py",
                    label=step.action,
                    icon=":material/arrow_forward:",
                    query_params=step.asked,
                )


def is_empty(steps: Sequence[Step]) -> bool:
    """Whether nothing is there at all: a log of searches alone is something already."""
    return not any(step.done for step in steps)


def next_step(steps: Sequence[Step]) -> Step | None:
    """The first step that is not done and has to be; None when the loop is closed."""
    return next((step for step in steps if not (step.done or step.optional)), None)


def next_round(steps: Sequence[Step]) -> Step | None:
    """The first step of a closed loop that has something for the next round, or None."""
    return next((step for step in steps if step.goes_on), None)


def closed_in_words(steps: Sequence[Step]) -> str:
    """That the loop is closed, and with what it goes round again."""
    upcoming = next_round(steps)
    if upcoming is None:
        return (
            "The loop is closed, and nothing waits: every document that the models show is judged."
        )
    return f"The loop is closed. It goes round again: {upcoming.goes_on}"


def _card(number: int, step: Step) -> str:
    return (
        f'<div class="gs-step"><div class="gs-step-name"><span class="gs-step-number">{number}'
        f'</span>{inline(step.name)}</div><div class="gs-step-count">{inline(step.count)}</div>'
        f'<div class="gs-step-state">{step.state}</div></div>'
    )
