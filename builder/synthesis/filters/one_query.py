"""All that can be said of one candidate by itself, without looking at others."""

from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final

from builder.store.synthetic_queries import Candidate, Finding, Judged
from builder.synthesis.filters.copied_span import copied_span, leakage, longest_span
from builder.synthesis.filters.example_copy import example_copy
from builder.synthesis.filters.form import (
    empty,
    finish_reason,
    foreign_address,
    length,
    more_than_asked,
)
from builder.synthesis.filters.injection import Hidden, hidden_in, injection, suspect_document
from builder.synthesis.filters.language import language
from builder.synthesis.filters.refers_to_document import refers_to_document
from builder.synthesis.filters.tokens import count_words

MAX_WORDS: Final = 30
"""Of a query whose prompt is not known any more."""
_DIGITS = 3


@dataclass(frozen=True, slots=True)
class Asking:
    """What a run asked for, as far as its filters want to know.

    Attributes:
        per_call: How many queries each call was asked for.
        max_words: Prompt -> how long its queries may be, in words.
        shown: (prompt, query_id, doc_id) of an example -> its text.
        suspicious: Tells what in a text looks like instructions to a model.
        common: Words that the run's passages use everywhere.
    """

    per_call: int
    max_words: Mapping[str, int]
    shown: Mapping[tuple[str, str, str], str]
    suspicious: Callable[[str], list[str]]
    common: AbstractSet[str] = field(default_factory=frozenset)

    def examples_of(self, candidate: Candidate) -> list[str]:
        """The queries that the model was shown; those that are no more are left out."""
        names = ((candidate.prompt, *example) for example in candidate.examples)
        return [self.shown[name] for name in names if name in self.shown]


def judge_alone(candidate: Candidate, asking: Asking) -> Judged:
    """Why a candidate is rejected by itself, what is noticed, and what is measured.

    All reasons are told, not only the first: who rescues a query wants to know them.
    """
    hidden = _hidden(candidate.passage, asking.suspicious)
    nothing = empty(candidate.text)
    found = [
        finish_reason(candidate.finish_reason),
        more_than_asked(candidate.ordinal, asking.per_call),
        nothing,
        *([] if nothing else _said(candidate, asking, hidden)),
    ]
    suspect = suspect_document(hidden)
    return Judged(
        candidate.candidate_id,
        tuple(one for one in found if one is not None),
        () if suspect is None else (suspect,),
        _measured(candidate),
    )


def _said(candidate: Candidate, asking: Asking, hidden: Hidden) -> Sequence[Finding | None]:
    text, passage = candidate.text, candidate.passage
    return (
        length(text, asking.max_words.get(candidate.prompt, MAX_WORDS)),
        foreign_address(text, passage, candidate.title),
        refers_to_document(text, passage),
        language(text, candidate.language, passage),
        example_copy(text, asking.examples_of(candidate)),
        copied_span(text, passage, candidate.title),
        injection(text, hidden, asking.suspicious, asking.common),
    )


def _measured(candidate: Candidate) -> dict[str, Any]:
    share = leakage(candidate.text, candidate.passage)
    span = longest_span(candidate.text, candidate.passage)
    return {
        "words": count_words(candidate.text),
        "leakage": None if share is None else round(share, _DIGITS),
        "copied_words": span.words,
        "copied_share": round(span.share, _DIGITS),
    }


@lru_cache(maxsize=64)
def _hidden(passage: str, suspicious: Callable[[str], list[str]]) -> Hidden:
    """Several queries come of one passage."""
    return hidden_in(passage, suspicious)
