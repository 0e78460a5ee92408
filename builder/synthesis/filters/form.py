"""Whether a text is a query at all: how its answer ended, its place there, its length and form."""

import re
from typing import Final

from builder.store.synthetic_queries import Finding
from builder.synthesis.filters.passages import indexed
from builder.synthesis.filters.tokens import count_words, tokens, units
from builder.synthesis.llm.redaction import HIDDEN

WHOLE: Final = ("stop", None)
"""How an answer ends that is whole; None where a server does not say."""

LONGEST: Final = 300
"""Characters; nobody searches with more."""

_HOLLOW = re.compile(
    r"n/a|lorem ipsum.*|(?:query|question)\W{0,2}\d+"
    r"|[<{\[](?:your |the |search )*(?:query|question|text|string|keywords?)[\w ]*[>}\]]",
    re.IGNORECASE,
)
"""What stands where a query should; "None" and "<div>" are queries in some corpora."""

_REMAINS = re.compile(
    r"\s*(?:[,)\]}]|[;:|](?=[\s\"]))|[^\[{]*(?:\]\s*\}|\}\s*\]|\"\s*\})|.*\"queries\"\s*:",
    re.DOTALL,
)
"""Of JSON that a model wrote within its JSON: what closes and was never opened, or our own field.

":hover", "|| operator" and "${names[@]}" are queries.
"""

_ADDRESS = re.compile(r"(?:\w+://|~?/|\.{1,2}/)(\S+)")
FEWEST_NAMES: Final = 3
"""Of an address; of fewer, "/etc/hosts" or "http://localhost:8080", a document may name none."""


def finish_reason(ended: str | None) -> Finding | None:
    """The answer was cut off, or ended otherwise than by its own: its last query may be half."""
    if ended in WHOLE:
        return None
    return Finding("finish_reason", f"the answer ended by {ended!r}, not by itself")


def more_than_asked(ordinal: int, asked: int) -> Finding | None:
    """The answer held more queries than were asked for: those at the end were not.

    Args:
        ordinal: Its place in the answer, from 0.
        asked: How many were asked for.
    """
    if ordinal < asked:
        return None
    return Finding("more_than_asked", f"number {ordinal + 1} of an answer that was to hold {asked}")


def empty(text: str) -> Finding | None:
    """It says nothing: no letter or digit, a placeholder, or remains of the answer's form.

    So it is where a key stood in it.
    """
    if not tokens(text):
        return Finding("empty", "no letter and no digit")
    if HIDDEN in text:
        return Finding("empty", "it held a key, which was taken out")
    if _HOLLOW.fullmatch(text.strip()):
        return Finding("empty", f"only a placeholder: {text.strip()!r}")
    if remains := _REMAINS.match(text):
        return Finding("empty", f"remains of an answer's form: {remains.group().strip()[-20:]!r}")
    return None


def length(text: str, max_words: int) -> Finding | None:
    """It is no query by its length: one character, a line break, or longer than its type.

    Args:
        text: The query.
        max_words: So many words the prompt allows.
    """
    said = text.strip()
    if len(said) > LONGEST:
        return Finding("length", f"{len(said):,} characters, more than {LONGEST}")
    if len(said.splitlines()) > 1:
        return Finding("length", f"{len(said.splitlines())} lines instead of one")
    counted = count_words(said)
    if counted > max_words:
        return Finding("length", f"{counted:g} words, at most {max_words} for this type")
    if len(tokens(said)) == 1 and len(tokens(said)[0].text) == 1:
        return Finding("length", "a single character")
    return None


def foreign_address(text: str, passage: str, title: str = "") -> Finding | None:
    """It is nothing but a path or URL, and no part of that stands in its document.

    Small models write such things, which look like what they saw elsewhere. What people add to an
    address, or an address of something that the document speaks of, passes.

    Args:
        text: The query.
        passage: What the model saw of the document.
        title: The document's title.
    """
    address = _ADDRESS.fullmatch(text.strip())
    if address is None:
        return None
    names = units(tokens(address[1].replace("_", " ")))
    known = indexed(passage).units | indexed(title).units
    if len(names) < FEWEST_NAMES or not names.isdisjoint(known):
        return None
    return Finding(
        "foreign_address", f"only an address, and the document has none of its {len(names)} names"
    )
