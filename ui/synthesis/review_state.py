"""What one browser session knows of its review: the candidate on screen, and what was put off.

All of it may be lost: what was said of candidates is in the store before anything here changes.
"""

import uuid
from dataclasses import dataclass, field

import streamlit as st

from builder.judging.presses import PressGuard
from builder.synthesis.review import Candidate, Wanted
from builder.workspace import Workspace
from ui.sitting import Said, now_ms

_REVIEWING = "reviewing"


@dataclass(slots=True)
class Reviewing:
    """One browser session's review.

    Attributes:
        person: Whose session it is, by name.
        guard: Decides which presses were meant.
        wanted: Which candidates they want to see.
        later: Those that were put off in this session; they come when nothing else is left.
        first: The one that was taken back last, and is shown first; None: none.
        candidate: The one on screen; None before the first and after the last.
        token: Another one for each showing.
        shown_at_ms: When it appeared, on the monotonic clock.
        said: About the last press.
        answers: How many presses were answered, so that the bar sees each answer.
        rounds: How often all that remained were accepted at once.
        identity: Another one after the server was started anew.
    """

    person: str
    guard: PressGuard
    wanted: Wanted = field(default_factory=Wanted)
    later: list[int] = field(default_factory=list)
    first: int | None = None
    candidate: Candidate | None = None
    token: str = ""
    shown_at_ms: float = 0.0
    said: Said = field(default_factory=Said)
    answers: int = 0
    rounds: int = 0
    identity: str = field(default_factory=lambda: uuid.uuid4().hex)

    @property
    def name(self) -> str:
        """What the candidate on screen is called in the page; "" for none."""
        return "" if self.candidate is None else f"c{self.candidate.candidate_id}"

    def show(self, candidate: Candidate | None) -> None:
        """The candidate's clock starts when it is drawn first; a redraw changes nothing."""
        before = self.name
        self.candidate = candidate
        if self.name != before:
            self.token, self.shown_at_ms = uuid.uuid4().hex, now_ms()

    def put_off(self, candidate_id: int) -> None:
        """Let the candidate come when nothing else is left."""
        self.later = [*(other for other in self.later if other != candidate_id), candidate_id]

    def leave(self) -> None:
        """The candidate on screen is done: the same one, shown again, is a new showing."""
        self.candidate, self.first = None, None

    def start_anew(self, said: Said) -> None:
        """Forget all that may not be there any more, and say this."""
        self.answers += 1
        self.said, self.later = said, []
        self.leave()


def current_reviewing(workspace: Workspace, person: str) -> Reviewing:
    """The session's review; another person at the same screen begins a new one."""
    known: Reviewing | None = st.session_state.get(_REVIEWING)
    if known is None or known.person != person:
        guard = workspace.settings.guard
        known = Reviewing(person, PressGuard(guard.same_key_ms, guard.other_key_ms))
        st.session_state[_REVIEWING] = known
    return known
