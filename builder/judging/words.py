"""What people write beside their grades, checked before it is kept."""

import re

from builder.errors import BuilderError

_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


def check_words(words: str, name: str, longest: int) -> None:
    """Let pass what can be kept.

    Args:
        words: What was written.
        name: What it is called in the message, with its article: "a comment".
        longest: How many characters it may have.

    Raises:
        BuilderError: It is longer, or holds U+0000 or half a character.
    """
    if len(words) > longest:
        raise BuilderError(f"{name} has at most {longest:,} characters, this one {len(words):,}")
    if _UNSTORABLE.search(words):
        raise BuilderError(f"{name} cannot hold U+0000 or half a character (a lone surrogate)")
