"""The list's own component: the buttons of all rows, the bar under them, and all keys.

The documents are drawn once; a press redraws this one element, however many rows there are.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import streamlit as st

from builder.judging.naming import query_name
from builder.judging.queue import LONGEST_COMMENT, LONGEST_REASON, GradingProgress
from builder.settings import Settings
from ui.grade_bar import CHOICES, QueryOutcome, outcome_chosen, reason_chosen
from ui.listing.state import Listing, Row
from ui.numbers import count
from ui.sitting import as_text

KEY = "list_bar"
_SCRIPT = Path(__file__).with_name("bar.js")
_ELEMENTS = Path(__file__).parents[1] / "elements.js"
_DAY_MS = 24 * 60 * 60 * 1000


@dataclass(frozen=True, slots=True)
class Press:
    """One press as the browser tells it; everything in it is checked before use.

    Attributes:
        number: Counts the presses of a page, so that each hears its own answer.
        name: The row that it means; "" for none.
        key: What it means: 0 to 3, x, m (a comment), a, u, q, n, p or l.
        token: Of what the row showed.
        comment: What stood in the row's comment.
        choice: Which of the reasons was chosen, from 1; 0 for none.
        typed: What was typed as reason.
        looked_ms: How long since the press before; None if the browser did not say.
    """

    number: int
    name: str
    key: str
    token: str
    comment: str
    choice: int
    typed: str
    looked_ms: int | None

    @property
    def cannot_judge_reason(self) -> str:
        """The reason for "can't judge" in words; "" where none was chosen."""
        return reason_chosen(self.choice, self.typed)

    @property
    def query_outcome(self) -> QueryOutcome | None:
        """What was chosen of the whole query; None for nothing."""
        return outcome_chosen(self.choice)


def show_bar(
    settings: Settings,
    listing: Listing,
    progress: GradingProgress,
    *,
    guidelines: bool,
    on_press: Callable[[], None],
) -> None:
    """Draw all buttons; `on_press` runs before the page is drawn again."""
    data = _data(settings, listing, progress)
    data["guidelines"] = guidelines
    _component()(key=KEY, data=data, on_press_change=on_press)


def last_press() -> Press:
    """What was pressed, in the callback of a press."""
    sent = st.session_state[KEY].get("press")
    told: dict[str, Any] = sent if isinstance(sent, dict) else {}
    number, choice, looked = (told.get(name) for name in ("number", "choice", "looked"))
    return Press(
        number=number if type(number) is int else 0,
        name=as_text(told.get("row")),
        key=as_text(told.get("key")),
        token=as_text(told.get("token")),
        comment=as_text(told.get("comment")).strip(),
        choice=choice if type(choice) is int else 0,
        typed=as_text(told.get("reason")).strip()[:LONGEST_REASON],
        looked_ms=looked if type(looked) is int and 0 <= looked <= _DAY_MS else None,
    )


def _data(settings: Settings, listing: Listing, progress: GradingProgress) -> dict[str, Any]:
    """What the script draws; all texts are set as text there, never as markup."""
    said = progress.graded + progress.skipped + progress.cannot_judge + listing.flagged
    return {
        "list": query_name(listing.query_id) if listing.query_id else "",
        "sitting": listing.identity,
        "answered": listing.answered,
        "rows": [_row_data(row) for row in listing.rows.values()],
        "focus": listing.focus,
        "turn": listing.turn,
        "grades": [name[:1].upper() + name[1:] for name in settings.grades.names],
        "counts": _counts(listing, progress),
        "said": listing.said.as_data(),
        "undo": said > 0,
        "previous": bool(listing.visited),
        "guard": settings.guard.model_dump(),
        "choices": CHOICES,
        "longest_comment": LONGEST_COMMENT,
        "longest_reason": LONGEST_REASON,
    }


def _row_data(row: Row) -> dict[str, Any]:
    return {
        "name": row.name,
        "outcome": row.outcome,
        "grade": row.grade,
        "comment": row.comment,
        "reason": row.reason if row.outcome == "cannot_judge" else "",
        "kind": row.kind,
        "words": row.words,
        "token": row.token,
    }


def _counts(listing: Listing, progress: GradingProgress) -> list[str]:
    pace = progress.seconds_a_pair
    parts = (
        f"{count(listing.judged)} of {count(len(listing.rows))} here" if listing.rows else "",
        f"{count(progress.graded)} of {count(progress.total)} in all",
        f"{count(progress.sitting)} this sitting",
        f"{pace:.0f} s a pair" if pace else "",
    )
    return [part for part in parts if part]


@lru_cache(maxsize=1)
def _component() -> Callable[..., Any]:
    script = "\n".join(path.read_text(encoding="utf-8") for path in (_ELEMENTS, _SCRIPT))
    return st.components.v2.component("goldsmith_list_bar", js=script, isolate_styles=False)
