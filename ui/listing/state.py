"""What one browser session knows of the query that it grades as a whole.

All of it may be lost: grades are in the store before anything here changes.
"""

import uuid
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

import streamlit as st

from builder.judging.queue import Pair
from evals.records import Query
from ui.sitting import Said, name_in_page, now_ms

_LISTING = "listing"

Kind: TypeAlias = Literal["", "saved", "ignored"]


@dataclass(slots=True)
class Row:
    """One document of the query.

    Attributes:
        pair: As it was when the list was drawn.
        name: What the pair is called in the page.
        outcome: What the rater says of it now: grade, skip, cannot_judge, or "" for nothing.
        grade: 0 to 3; None unless the outcome is grade.
        comment: What the rater wrote.
        reason: Why the rater cannot judge it.
        kind: What is told beside the row: "saved", "ignored" or "".
        words: The same in words; ours.
        token: Makes a second submit of what is on screen harmless.
    """

    pair: Pair
    name: str
    outcome: str = ""
    grade: int | None = None
    comment: str = ""
    reason: str = ""
    kind: Kind = ""
    words: str = ""
    token: str = field(default_factory=lambda: uuid.uuid4().hex)

    def tell(self, kind: Kind, words: str) -> None:
        """Say this beside the row; the next submit is a new one."""
        self.kind, self.words, self.token = kind, words, uuid.uuid4().hex


@dataclass(slots=True)
class Listing:
    """The query on screen.

    Attributes:
        rater: Whose session it is.
        query_id: Of the query on screen; "" where there is none.
        rows: Name in the page -> its row, in the rater's order.
        whole: Names of the rows whose text is shown in full.
        focus: The row that the keys shall mean when the list is drawn anew; "" for the first that
            is not judged.
        turn: Goes up where the keys shall mean that row now, though the query is the same.
        visited: The query_ids from which the rater went on, the latest last.
        drawn_at_ms: When the list was drawn, on the monotonic clock.
        answered: The number of the press that was answered last.
        said: About the last press that was of no row.
        flagged: How many words about whole queries this session can take back.
        is_stale: Whether the rows must be drawn anew, for another query or more text.
        identity: Another one after the server was started anew.
    """

    rater: str
    query_id: str = ""
    rows: dict[str, Row] = field(default_factory=dict)
    whole: set[str] = field(default_factory=set)
    focus: str = ""
    turn: int = 0
    visited: list[str] = field(default_factory=list)
    drawn_at_ms: float = 0.0
    answered: int = 0
    said: Said = field(default_factory=Said)
    flagged: int = 0
    is_stale: bool = False
    identity: str = field(default_factory=lambda: uuid.uuid4().hex)

    def show(self, query_id: str, pairs: Iterable[Pair]) -> None:
        """Take these pairs; what is told beside a row stays while the query does."""
        before = self.rows if query_id == self.query_id else {}
        if not before:
            self.whole, self.drawn_at_ms = set(), now_ms()
        rows = (_row(self.rater, pair) for pair in pairs)
        self.rows = {row.name: _kept(row, before.get(row.name)) for row in rows}
        self.query_id, self.is_stale = query_id, False

    def start_anew(self, answered: int, said: Said) -> None:
        """Forget all that may not be there any more, and say this."""
        self.answered, self.said = answered, said
        self.query_id, self.rows, self.visited = "", {}, []
        self.focus = ""
        self.flagged, self.is_stale = 0, True

    @property
    def query(self) -> Query | None:
        """The query on screen; None where there are no documents for this rater."""
        row = next(iter(self.rows.values()), None)
        return row.pair.query if row else None

    @property
    def judged(self) -> int:
        """How many rows are graded, or cannot be judged."""
        return sum(row.outcome in ("grade", "cannot_judge") for row in self.rows.values())


def current_listing(rater: str) -> Listing:
    """The session's listing; another rater at the same screen begins a new one."""
    known: Listing | None = st.session_state.get(_LISTING)
    if known is None or known.rater != rater:
        known = Listing(rater)
        st.session_state[_LISTING] = known
    return known


def _row(rater: str, pair: Pair) -> Row:
    row, own = Row(pair, name_in_page(rater, pair)), pair.own
    if own is not None:
        row.outcome, row.grade = own.outcome, own.grade
        row.comment, row.reason = own.comment, own.reason
        row.kind, row.words = _standing(row)
    return row


def _standing(row: Row) -> tuple[Kind, str]:
    """What is told of what stood there already."""
    if row.outcome == "grade":
        return "saved", "Saved"
    if row.outcome == "cannot_judge":
        return "saved", "Can't judge, saved"
    return "", "Skipped before"


def _kept(row: Row, before: Row | None) -> Row:
    """The row with what was told beside it, where it still stands as it did."""
    if before and (before.outcome, before.grade) == (row.outcome, row.grade):
        row.kind, row.words = before.kind, before.words
    return row
