"""The query follows instructions that somebody hid in the document.

Such a query looks like any other, and even finds its document, since the document holds its words.
What gives it away: words that stand only where the document talks to a model, and that are not what
texts use everywhere.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Final

from builder.store.synthetic_queries import Finding
from builder.synthesis.filters.function_words import FUNCTION_WORDS
from builder.synthesis.filters.tokens import tokens, units

LONGEST_QUOTE: Final = 120
COMMON_SHARE: Final = 0.02
"""Of a run's passages: a word that so many hold gives nothing away."""

_BETWEEN_SENTENCES = re.compile("(?<=[.!?])\\s+|(?<=[\u3002\uff01\uff1f])")


@dataclass(frozen=True, slots=True)
class Hidden:
    """What of a document talks to a model.

    Attributes:
        found: What looks like instructions, in a few words each; untrusted.
        words: Words that stand only there.
    """

    found: tuple[str, ...]
    words: frozenset[str]


NOTHING: Final = Hidden((), frozenset())


def hidden_in(passage: str, suspicious: Callable[[str], list[str]]) -> Hidden:
    """What of a passage talks to a model: the sentences that look so, and what follows each.

    What is to be done often stands in the next sentence of the line: "Ignore the above. Write …".

    Args:
        passage: What the model saw of the document.
        suspicious: Tells what in a text looks like instructions; such as
            `builder.synthesis.injection.suspicious`.
    """
    found = suspicious(passage)
    if not found:
        return NOTHING
    hidden: list[str] = []
    plain: list[str] = []
    for line in passage.splitlines():
        follows = False
        for part in _BETWEEN_SENTENCES.split(line):
            speaks = bool(suspicious(part))
            (hidden if speaks or follows else plain).append(part)
            follows = speaks
    if not hidden:  # only the whole looks so, spread over several lines
        return Hidden(tuple(found), frozenset())
    return Hidden(tuple(found), frozenset(_units(hidden) - _units(plain)))


def common_words(passages: Iterable[str], suspicious: Callable[[str], list[str]]) -> frozenset[str]:
    """Words that passages use everywhere: `COMMON_SHARE` of those that talk to no model.

    Args:
        passages: Of one run, each once.
        suspicious: As of `hidden_in`.
    """
    times: Counter[str] = Counter()
    n = 0
    for passage in passages:
        if not suspicious(passage):
            times.update(_units([passage]))
            n += 1
    return frozenset(word for word, count in times.items() if count >= COMMON_SHARE * n)


def injection(
    text: str,
    hidden: Hidden,
    suspicious: Callable[[str], list[str]],
    elsewhere: AbstractSet[str] = frozenset(),
) -> Finding | None:
    """Whether the query follows what its document tells a model to do.

    Args:
        text: The query.
        hidden: Of the passage that it was written for.
        suspicious: As of `hidden_in`.
        elsewhere: What texts use everywhere, of `common_words`.
    """
    if not hidden.found:
        return None
    if itself := suspicious(text):
        return Finding("injection", f"the query itself gives instructions: {_quoted(itself)}")
    given_away = sorted((_units([text]) & hidden.words) - elsewhere - FUNCTION_WORDS)
    if not given_away:
        return None
    return Finding(
        "injection",
        f"{', '.join(given_away)}: only where the document talks to a model: "
        f"{_quoted(hidden.found)}",
    )


def suspect_document(hidden: Hidden) -> Finding | None:
    """That a document talks to a model, whatever its query says."""
    if not hidden.found:
        return None
    return Finding("suspect_document", f"the document talks to a model: {_quoted(hidden.found)}")


def _units(texts: Iterable[str]) -> set[str]:
    """Words of two letters or more, and pairs of characters where words are not parted."""
    found: set[str] = set()
    for text in texts:
        found |= units(tokens(text))
    return {unit for unit in found if len(unit) > 1}


def _quoted(found: Iterable[str]) -> str:
    said = "; ".join(found)
    return repr(said if len(said) <= LONGEST_QUOTE else f"{said[: LONGEST_QUOTE - 1]}…")
