"""How many tokens a text has, without the model's tokenizer: by its characters, with a range."""

from collections.abc import Sequence
from typing import NamedTuple


class Guess(NamedTuple):
    """A number of tokens: not less than, likely, not more than."""

    low: float
    likely: float
    high: float


_SCRIPTS = (
    # Latin: 3.5 to 4.6 characters a token in English (measured with SmolLM2), fewer in German.
    (0x0250, Guess(1 / 5, 1 / 4, 1 / 3)),
    # Greek, Cyrillic, Arabic, Devanagari, Thai …: between the others.
    (0x2E80, Guess(1 / 4, 1 / 2, 1.0)),
    # Chinese, Japanese, Korean: 1.9 tokens a character with a small vocabulary (measured with
    # SmolLM2), well below one with a large one.
    (0x110000, Guess(0.6, 1.9, 2.1)),
)
"""Code points below this -> tokens a character."""

MESSAGE = Guess(3, 6, 16)
"""Marks around each message."""
ANSWER = Guess(8, 8, 8)
QUERY = Guess(5, 14, 40)
"""Tokens of an answer's braces, and of each query in it: 22 an answer of one query (SmolLM2)."""


def guess_prompt(texts: Sequence[str]) -> Guess:
    """Tokens of a request.

    Args:
        texts: What its messages say.
    """
    return _sum([MESSAGE] * len(texts) + [_of_text(text) for text in texts])


def guess_answer(queries: int, max_tokens: int) -> Guess:
    """Tokens of an answer.

    Args:
        queries: How many it is asked for.
        max_tokens: How long it may be; it may be as long as that.
    """
    likely = _sum([ANSWER] + [QUERY] * queries)
    return Guess(min(likely.low, max_tokens), min(likely.likely, max_tokens), max_tokens)


def _of_text(text: str) -> Guess:
    if text.isascii():
        return _times(_SCRIPTS[0][1], len(text))
    import numpy as np

    points = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4")
    bounds = [bound for bound, _ in _SCRIPTS]
    counts = np.bincount(np.searchsorted(bounds, points, side="right"), minlength=len(bounds))
    return _sum([_times(a, int(n)) for (_, a), n in zip(_SCRIPTS, counts, strict=True)])


def _times(guess: Guess, n: int) -> Guess:
    return Guess(guess.low * n, guess.likely * n, guess.high * n)


def _sum(guesses: Sequence[Guess]) -> Guess:
    return Guess(
        sum(one.low for one in guesses),
        sum(one.likely for one in guesses),
        sum(one.high for one in guesses),
    )
