"""Tells a key that somebody wrote where no key may stand."""

import re

_KEY = re.compile(
    r"(?<![A-Za-z0-9])(?:"
    r"sk-[\w-]{6,}|(?:gsk|hf|pk|rk|sk)_\w{12,}|(?:xai|pk|rk|key)-\w{16,}|nvapi-[\w-]{12,}"
    r"|AIza[\w-]{20,}|[Bb]earer\s+\S{6,})"
)
"""As providers write theirs; narrower than what is taken out of a server's words, since a model may
be called hf-internal-testing/tiny."""


def holds_a_key(text: str) -> bool:
    """Whether something in it looks like the key of a provider.

    >>> holds_a_key("sk-proj-abcdef"), holds_a_key("hf-internal-testing/tiny"), holds_a_key("gpt-4")
    (True, False, False)
    """
    return _KEY.search(text) is not None
