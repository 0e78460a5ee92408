"""Which passages of a long text are shown: its beginning, and where most of the query stands."""

import unicodedata
from collections import Counter
from collections.abc import Sequence
from typing import TypeAlias

from ui.marking import Span, Terms, find

Stretch: TypeAlias = tuple[int, int]
"""First character and the one behind the last."""

MOST_MATCHES = 600
"""How many matches are weighed; in a text with more, those at its beginning."""

_WIDEST = 320


def passages(text: str, terms: Terms, budget: int) -> tuple[list[Stretch], list[Span]]:
    """Stretches of a text longer than `budget`, in its order and apart, and the matches found.

    The beginning comes first; the rest of the budget goes to the stretches that hold most of the
    query: a term that the text seldom uses counts more, and one that is shown already less.

    Args:
        text: In NFC.
        terms: Of the query.
        budget: About how many characters are shown.
    """
    found = find(text, terms, MOST_MATCHES)
    width = min(_WIDEST, budget // 3)
    head = (0, word_end(text, budget // 3))
    rest = [span for span in found if span.end > head[1]]
    if not rest:
        return [(0, word_end(text, budget))], found
    seen = Counter(span.term for span in found if span.end <= head[1])
    chosen = [head]
    left = budget - head[1]
    weights = _weights(found)
    while rest and left >= 3 * width // 4:
        stretch = _best(text, width, rest, weights, seen)
        inside = [span for span in rest if stretch[0] < span.end and span.start < stretch[1]]
        seen.update(span.term for span in inside)
        rest = [span for span in rest if span.end <= stretch[0] or span.start >= stretch[1]]
        left -= stretch[1] - stretch[0]
        chosen.append(stretch)
    # What the matches did not take goes to the beginning.
    chosen[0] = (0, word_end(text, budget // 3 + max(0, left)))
    return _joined(sorted(chosen)), found


def _joined(stretches: Sequence[Stretch]) -> list[Stretch]:
    """Stretches that touch become one."""
    joined = list(stretches[:1])
    for start, end in stretches[1:]:
        if start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return joined


def word_end(text: str, place: int) -> int:
    """Where the word at this place ends, looking ahead over at most 30 characters."""
    if place >= len(text):
        return len(text)
    ends = [text.find(mark, place, place + 30) for mark in (" ", "\n")]
    end = min((end for end in ends if end >= 0), default=place)
    return _letter_end(text, end)


def _word_start(text: str, place: int) -> int:
    """Where the word at this place begins, looking back over at most 30 characters."""
    if place <= 0:
        return 0
    space = max(text.rfind(mark, max(0, place - 30), place) for mark in (" ", "\n"))
    return space + 1 if space >= 0 else _letter_end(text, place)


def _letter_end(text: str, place: int) -> int:
    """The place itself, or behind the marks that belong to the letter before it."""
    last = min(len(text), place + 30)
    while place < last and unicodedata.category(text[place])[0] == "M":
        place += 1
    return place


def _weights(found: Sequence[Span]) -> dict[int, float]:
    """Term -> what a match of it says: less, the more often the text has it."""
    return {term: 1 / times**0.5 for term, times in Counter(span.term for span in found).items()}


def _best(
    text: str, width: int, rest: Sequence[Span], weights: dict[int, float], seen: Counter[int]
) -> Stretch:
    """The stretch of one width that holds most; of equal ones the first."""
    best, best_score = 0, -1.0
    inside: Counter[int] = Counter()
    score, last = 0.0, 0
    for first, span in enumerate(rest):
        while last < len(rest) and rest[last].end <= span.start + width * 3 // 4:
            score += _gain(rest[last], weights, seen, inside)
            inside[rest[last].term] += 1
            last += 1
        if score > best_score + 1e-9:
            best, best_score = first, score
        if last > first:
            inside[span.term] -= 1
            score -= _gain(span, weights, seen, inside)
        else:
            last = first + 1
    start = rest[best].start - width // 4
    return _word_start(text, start), word_end(text, max(start + width, rest[best].end))


def _gain(span: Span, weights: dict[int, float], seen: Counter[int], inside: Counter[int]) -> float:
    """What one more match adds to a stretch that holds those `inside`."""
    return span.weight * weights[span.term] / (1 + seen[span.term] + 3 * inside[span.term])
