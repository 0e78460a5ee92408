"""Candidates as a reviewer meets them, and what was said of them."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which candidates a reviewer wants to see.

    Attributes:
        synthesis_id: Only of this run; None: of all that stand.
        prompt: Only of this type; None: of all.
        flagged: True: only what a filter flagged; False: only what none did; None: both.
        verdict: kept, or rejected: what the filters rejected and a reviewer may rescue.
    """

    synthesis_id: int | None = None
    prompt: str | None = None
    flagged: bool | None = None
    verdict: str = "kept"


@dataclass(frozen=True, slots=True)
class ReviewCandidate:
    """One candidate, with all that a reviewer sees. Texts are untrusted.

    Attributes:
        candidate_id: Which.
        synthesis_id: The run that wrote it.
        text: As the model wrote it.
        prompt: The type that was asked for.
        language: ISO 639-1 code in which it was asked for.
        doc_id: The document that it was written for.
        title: The document's title.
        passage: The part of the document's text that the model saw.
        first_character: Where in the text the passage begins, from 0.
        text_length: How many characters the document's text has.
        verdict: kept or rejected, by the filters.
        reasons: Why it was rejected: [{"filter", "detail"}, …].
        flags: What was only noticed, alike.
        measured: What the filters measured.
        review: accepted, rejected, or None while it waits.
        edited_text: What a reviewer made of it; None where it stands as it was written.
        query_id: The query that it became; None if none.
    """

    candidate_id: int
    synthesis_id: int
    text: str
    prompt: str
    language: str
    doc_id: str
    title: str
    passage: str
    first_character: int
    text_length: int
    verdict: str
    reasons: list[dict[str, object]]
    flags: list[dict[str, object]]
    measured: dict[str, object]
    review: str | None
    edited_text: str | None
    query_id: str | None


@dataclass(frozen=True, slots=True)
class ReviewProgress:
    """How far the review is, of the candidates that somebody wants to see.

    Attributes:
        total: All of them.
        accepted: Of these.
        rejected: Of these.
        unflagged: Waiting ones that no filter flagged.
    """

    total: int
    accepted: int
    rejected: int
    unflagged: int

    @property
    def waiting(self) -> int:
        """How many wait for a reviewer."""
        return self.total - self.accepted - self.rejected
