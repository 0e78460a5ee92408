"""What one browser session knows of its grading: the pair on screen and what was said last.

All of it may be lost: grades are in the store before anything here changes.
"""

import time
import uuid
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import streamlit as st

from builder.judging.naming import pair_name
from builder.judging.presses import PressGuard
from builder.judging.queue import Pair
from builder.workspace import Workspace

_SITTING = "sitting"
_TITLE_SHOWN = 60


@dataclass(frozen=True, slots=True)
class Said:
    """What is told of the last press; plain text, of which only the title is not ours.

    Attributes:
        kind: "saved", "undone", "ignored" or "".
        before: What stands before the title.
        title: A document's title, untrusted.
        after: What stands behind it.
    """

    kind: str = ""
    before: str = ""
    title: str = ""
    after: str = ""

    def as_data(self) -> dict[str, str]:
        """As the bar takes it."""
        return {
            "kind": self.kind,
            "before": self.before,
            "title": self.title,
            "after": self.after,
        }


@dataclass(slots=True)
class Sitting:
    """One browser session's grading.

    Attributes:
        rater: Whose session it is.
        guard: Decides which presses were meant.
        pair: The pair on screen; None before the first and after the last.
        name: What the pair is called in the page.
        token: Makes a second submit of this showing harmless.
        shown_at_ms: When the pair appeared, on the monotonic clock.
        active_at: When the rater last did something.
        said: About the last press.
        answers: How many presses were answered, so that the bar sees each answer.
        whole: The name of the pair whose text is shown in full.
        wanted: The pair_id that the address asks for; None once it was answered.
        comment: What stands in the comment of a pair that was taken back: (name, text).
        orphan: A comment on a pair that is gone, shown until the next press; untrusted.
        flagged: Of each query of which a word was said in this session, the pair on screen then.
        guidelines_version: Of the guidelines beside the pair.
        tag: Of which tag the queries are that the rater grades; None for all.
        identity: Another one after the server was started anew.
    """

    rater: str
    guard: PressGuard
    pair: Pair | None = None
    name: str = ""
    token: str = ""
    shown_at_ms: float = 0.0
    active_at: datetime = field(default_factory=lambda: datetime.now(UTC))
    said: Said = field(default_factory=Said)
    answers: int = 0
    whole: str = ""
    wanted: int | None = None
    comment: tuple[str, str] = ("", "")
    orphan: str = ""
    flagged: dict[str, int] = field(default_factory=dict)
    guidelines_version: int | None = None
    tag: str | None = None
    identity: str = field(default_factory=lambda: uuid.uuid4().hex)

    def show(self, pair: Pair | None) -> None:
        """The pair's clock starts when it is drawn first; a redraw changes nothing."""
        name = "" if pair is None else name_in_page(self.rater, pair)
        if name != self.name:
            self.token, self.shown_at_ms, self.whole = uuid.uuid4().hex, now_ms(), ""
        self.pair, self.name = pair, name

    def start_anew(self, said: Said) -> None:
        """Forget all that may not be there any more, and say this."""
        self.answers += 1
        self.said, self.wanted, self.comment = said, None, ("", "")
        self.flagged.clear()
        self.leave()

    def leave(self) -> None:
        """The pair on screen is done: the same one, shown again, is a new showing."""
        self.pair, self.name = None, ""


def current_sitting(workspace: Workspace, rater: str) -> Sitting:
    """The session's sitting; another rater at the same screen begins a new one."""
    known: Sitting | None = st.session_state.get(_SITTING)
    if known is None or known.rater != rater:
        guard = workspace.settings.guard
        known = Sitting(rater, PressGuard(guard.same_key_ms, guard.other_key_ms))
        st.session_state[_SITTING] = known
    return known


def name_in_page(rater: str, pair: Pair) -> str:
    """What the pair is called in the page; see builder/judging/naming.py."""
    return pair_name(rater, pair.query.query_id, pair.document.doc_id)


def title_of(pair: Pair) -> str:
    """The document's title for a sentence, cut where it is long; untrusted."""
    return shortened(pair.document.title or pair.document.doc_id)


def shortened(words: str) -> str:
    """The words on one line, cut where they are long; untrusted as they were."""
    title = " ".join(words.split())
    return title if len(title) <= _TITLE_SHOWN else f"{title[:_TITLE_SHOWN].rstrip()} \u2026"


def now_ms() -> float:
    """Milliseconds on a clock that never goes back."""
    return time.monotonic() * 1000


def as_text(value: Any) -> str:
    """A text that the browser sent, or "" where it sent anything else."""
    return value if isinstance(value, str) else ""
