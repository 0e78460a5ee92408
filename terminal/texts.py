"""Texts of files and people on a terminal: one line, and nothing that steers it."""

import re

LONGEST = 60
"""Characters of a query or title in a line."""

_STEERS = re.compile("[\\x00-\\x1f\\x7f-\\x9f\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069]+")


def plain(text: str, longest: int | None = LONGEST) -> str:
    """A text on one line, without what steers a terminal, cut to `longest` characters."""
    line = " ".join(_STEERS.sub(" ", text).split())
    return line if longest is None or len(line) <= longest else f"{line[: longest - 1]}\u2026"
