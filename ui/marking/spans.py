"""What is marked, and where it stands."""

from typing import NamedTuple


class Terms(NamedTuple):
    """What is marked.

    Attributes:
        words: Words of the query, in the form in which they are compared, longest first.
        language: ISO 639-1 code of the texts.
    """

    words: tuple[str, ...] = ()
    language: str = "en"


class Span(NamedTuple):
    """A place in a text.

    Attributes:
        start: Its first character.
        end: The character behind it.
        term: Which of the terms stands there, from 0.
        weight: 1 for a form of the term, less for a part of another word.
    """

    start: int
    end: int
    term: int
    weight: float
