"""The query was copied out of its document rather than asked: it would be found by its words alone.

A keyword query of product terms stands in the text naturally, so short queries are never taken for
copies. Leakage, the share of the query's words that stand in the passage, is measured of all.
"""

from typing import Final, NamedTuple

from builder.store.synthetic_queries import Finding
from builder.synthesis.filters.passages import indexed
from builder.synthesis.filters.tokens import joined, tokens, units, weight

MOST_IN_A_ROW: Final = 6
"""Words in a row; a query with as many is copied, however long it is."""
MOST_SHARE: Final = 0.8
"""Of a query's words, in a row; a query with as many is copied …"""
SHORTEST: Final = 5
"""… if it has so many words at least."""


class Span(NamedTuple):
    """The longest part of a query that stands in a text in a row.

    Attributes:
        words: How many words.
        share: Of the query's words.
        text: The part.
    """

    words: float
    share: float
    text: str


def leakage(text: str, passage: str) -> float | None:
    """The share of the query's words that stand in the passage, 0 to 1; None without any word.

    Each word counts once. Of scripts that part no words, neighbouring characters count.
    """
    counted = tokens(text)
    own = units(counted) or {token.text for token in counted}
    return len(own & indexed(passage).units) / len(own) if own else None


def longest_span(text: str, passage: str) -> Span:
    """The longest part of the query that stands in the passage, word by word in a row."""
    own, there = tokens(text), indexed(passage)
    best = own[:0]
    ending: dict[int, int] = {}  # place in the passage -> tokens in a row that end there
    for at, token in enumerate(own, start=1):
        ending = {place: ending.get(place - 1, 0) + 1 for place in there.places.get(token.text, ())}
        run = own[at - max(ending.values(), default=0) : at]
        if weight(run) > weight(best):
            best = run
    whole = weight(own)
    return Span(weight(best), weight(best) / whole if whole else 0.0, joined(best))


def copied_span(text: str, passage: str, title: str = "") -> Finding | None:
    """Whether the query was copied from the passage or the title.

    Args:
        text: The query.
        passage: What the model saw of the document.
        title: The document's title.
    """
    for where, said in (("passage", passage), ("title", title)):
        span = longest_span(text, said)
        long_enough = weight(tokens(text)) >= SHORTEST and span.share >= MOST_SHARE
        if span.words >= MOST_IN_A_ROW or long_enough:
            told = f"{span.words:g} words in a row, {span.share:.0%} of the query, stand in the"
            return Finding("copied_span", f"{told} {where}: {span.text!r}")
    return None
