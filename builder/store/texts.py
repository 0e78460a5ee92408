"""Texts as databases take them."""

import re

_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


def storable(text: str) -> str:
    """The text with U+FFFD for U+0000 and for lone surrogates: JSON may hold them, no database."""
    return _UNSTORABLE.sub("\ufffd", text)
