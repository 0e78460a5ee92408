"""What one browser session knows of its adjudication: the pair on screen, and what waits.

All of it may be lost: decisions are in the store before anything here changes.
"""

import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b

import streamlit as st

from builder.judging.adjudication import Dispute, Waiting
from builder.judging.presses import PressGuard
from builder.workspace import Workspace
from ui.sitting import Said, now_ms, shortened

_DECIDING = "deciding"


@dataclass(slots=True)
class Deciding:
    """One browser session's adjudication.

    Attributes:
        person: Whose session it is, by name.
        guard: Decides which presses were meant.
        queue: The pairs that wait, the most urgent first, as they were when last looked up.
        later: Pairs that were put off in this session; they come when nothing else is left.
        dispute: The pair on screen; None before the first and after the last.
        name: What the pair is called in the page.
        token: Makes a second submit of this showing harmless.
        shown_at_ms: When the pair appeared, on the monotonic clock.
        said: About the last press.
        answers: How many presses were answered, so that the bar sees each answer.
        whole: The name of the pair whose text is shown in full.
        wanted: The pair_id that the address asks for, or that was taken back; None: the queue.
        is_stale: Whether what waits must be looked up again.
        guidelines_version: Of the guidelines beside the pair.
        identity: Another one after the server was started anew.
    """

    person: str
    guard: PressGuard
    queue: list[Waiting] = field(default_factory=list)
    later: list[int] = field(default_factory=list)
    dispute: Dispute | None = None
    name: str = ""
    token: str = ""
    shown_at_ms: float = 0.0
    said: Said = field(default_factory=Said)
    answers: int = 0
    whole: str = ""
    wanted: int | None = None
    is_stale: bool = True
    guidelines_version: int | None = None
    identity: str = field(default_factory=lambda: uuid.uuid4().hex)

    def load(self, queue: Sequence[Waiting]) -> None:
        """Take what waits now."""
        self.queue, self.is_stale = list(queue), False

    def in_order(self) -> Iterator[int]:
        """The pairs that wait: first the one on screen, last what was put off."""
        ids = [row.pair_id for row in self.queue]
        on_screen = self.dispute.pair_id if self.dispute else None
        put_off = {pair_id: place for place, pair_id in enumerate(self.later, start=1)}
        ids.sort(key=lambda pair_id: (pair_id != on_screen, put_off.get(pair_id, 0)))
        return iter(ids)

    def drop(self, pair_id: int) -> None:
        """The pair waits no more."""
        self.queue = [row for row in self.queue if row.pair_id != pair_id]

    def put_off(self, pair_id: int) -> None:
        """Let the pair come when nothing else is left."""
        self.later = [*(other for other in self.later if other != pair_id), pair_id]

    def show(self, dispute: Dispute | None) -> None:
        """The pair's clock starts when it is drawn first; a redraw changes nothing."""
        name = "" if dispute is None else _name_in_page(self.person, dispute)
        if name != self.name:
            self.token, self.shown_at_ms, self.whole = uuid.uuid4().hex, now_ms(), ""
        self.dispute, self.name = dispute, name

    def leave(self) -> None:
        """The pair on screen is done: the same one, shown again, is a new showing."""
        self.dispute, self.name = None, ""

    def start_anew(self, said: Said) -> None:
        """Forget all that may not be there any more, and say this."""
        self.answers += 1
        self.said, self.wanted, self.later, self.is_stale = said, None, [], True
        self.leave()


def current_deciding(workspace: Workspace, person: str) -> Deciding:
    """The session's adjudication; another person at the same screen begins a new one."""
    known: Deciding | None = st.session_state.get(_DECIDING)
    if known is None or known.person != person:
        guard = workspace.settings.guard
        known = Deciding(person, PressGuard(guard.same_key_ms, guard.other_key_ms))
        st.session_state[_DECIDING] = known
    return known


def title_in_short(dispute: Dispute) -> str:
    """The document's title for a sentence, cut where it is long; untrusted."""
    return shortened(dispute.document.title or dispute.document.doc_id)


def _name_in_page(person: str, dispute: Dispute) -> str:
    decided = "" if dispute.decision is None else str(dispute.decision.adjudication_id)
    words = "\0".join((person, dispute.query.query_id, dispute.document.doc_id, decided))
    return blake2b(words.encode("utf-8", "replace"), digest_size=9).hexdigest()
