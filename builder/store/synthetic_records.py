"""What a model wrote and what was found of it, as records."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypedDict


class Finding(NamedTuple):
    """What one filter has to say against a candidate, or noticed of it.

    Attributes:
        filter: Its code, such as "copied_span".
        detail: A sentence with the numbers; it may quote untrusted text.
    """

    filter: str
    detail: str


@dataclass(frozen=True, slots=True)
class Candidate:
    """One query that a model wrote, and what is known of it.

    Attributes:
        candidate_id: Its key.
        synthesis_id: The run that it came with.
        task_id: What was asked for.
        call_id: The answer that holds it.
        ordinal: Its place in the answer, from 0.
        text: As the model wrote it; untrusted.
        verdict: "kept" or "rejected"; None until the filters have seen it.
        reasons: Why it was rejected, the decisive one first.
        flags: What a reviewer should know though it was kept.
        measured: What the filters measured: "words", "leakage", "copied_words", "ranks", …
        review: "accepted" or "rejected"; None while it waits.
        reviewed_at: ISO 8601 in UTC; None while it waits.
        reviewed_by: Who reviewed it; None while it waits.
        edited_text: What the reviewer made of it; None where it stands as it was written.
        query_id: The query that it became; None where it is none.
        doc_id: The document that it was written for.
        title: The document's title; untrusted.
        passage: What the model saw of the document; untrusted.
        first_character: Where the passage begins in the document's text, from 0.
        last_character: Before which character it ends.
        prompt: Which type of query was asked for.
        prompt_hash: Of which version of the prompt.
        language: ISO 639-1 code of the language that was asked for.
        stratum: Which part of the corpus the document was chosen from.
        position: Of the task in its run.
        request_hash: Of all that the answer may depend on.
        examples: (query_id, doc_id) of the pairs that the model was shown.
        finish_reason: How the answer ended; None where the server did not say.
        model: What the server says that answered; None where it did not say.
    """

    candidate_id: int
    synthesis_id: int
    task_id: int
    call_id: int
    ordinal: int
    text: str
    verdict: str | None
    reasons: tuple[Finding, ...]
    flags: tuple[Finding, ...]
    measured: Mapping[str, Any]
    review: str | None
    reviewed_at: str | None
    reviewed_by: str | None
    edited_text: str | None
    query_id: str | None
    doc_id: str
    title: str
    passage: str
    first_character: int
    last_character: int
    prompt: str
    prompt_hash: str
    language: str
    stratum: str
    position: int
    request_hash: str
    examples: tuple[tuple[str, str], ...]
    finish_reason: str | None
    model: str | None

    @property
    def says(self) -> str:
        """The text that stands: what a reviewer made of it, else what the model wrote."""
        return self.text if self.edited_text is None else self.edited_text


class Wanted(TypedDict, total=False):
    """Which candidates are wanted.

    Attributes:
        verdict: "kept", "rejected", or "unseen" by the filters; None: all.
        review: "accepted", "rejected", or "waiting" for a reviewer; None: all.
        limit: At most so many; None: all.
    """

    verdict: str | None
    review: str | None
    limit: int | None


class KeptText(NamedTuple):
    """A candidate that the filters kept, without its passage.

    Attributes:
        candidate_id: Its key.
        text: What a reviewer made of it, else what the model wrote.
        doc_id: The document that it was written for.
        query_id: The query that it became; None where it is none.
    """

    candidate_id: int
    text: str
    doc_id: str
    query_id: str | None


@dataclass(frozen=True, slots=True)
class Judged:
    """What the filters say of one candidate.

    Attributes:
        candidate_id: Which.
        reasons: Why it is rejected, the decisive one first; none: it is kept.
        flags: What a reviewer should know.
        measured: What was measured, JSON-able.
    """

    candidate_id: int
    reasons: tuple[Finding, ...] = ()
    flags: tuple[Finding, ...] = ()
    measured: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class CandidateCounts:
    """How many queries a model wrote and what became of them.

    generated = kept + all rejected + unseen, and kept and rejected ones are reviewed or not.

    Attributes:
        generated: All.
        kept: Those that the filters kept.
        rejected: Reason -> those that it was decisive for.
        flagged: Flag -> kept ones that have it; one with two flags counts for both.
        unseen: Those that no filter has seen yet.
        accepted: Those that a reviewer accepted.
        refused: Those that a reviewer rejected.
        waiting: Kept ones that nobody has reviewed.
    """

    generated: int
    kept: int
    rejected: Mapping[str, int]
    flagged: Mapping[str, int]
    unseen: int
    accepted: int
    refused: int
    waiting: int
