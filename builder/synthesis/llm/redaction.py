"""Text of a server, made fit to be kept: without keys, and without characters no store can hold."""

import re
from typing import Any
from urllib.parse import quote

from builder.store.texts import storable

HIDDEN = "[key removed]"
LONGEST_MESSAGE = 500
_SHORT_KEY = 8
_LOOKS_LIKE_A_KEY = re.compile(
    r"\b(?:sk|pk|rk|gsk|xai|hf|nvapi|key)[-_][\w*.\-]{6,}"
    r"|\bAIza[\w-]{20,}"
    r"|\b[Bb]earer\s+[^\s\"',;]{6,}"
    r"|(?<=api-key: )\S+|(?<=api_key=)[^\s&\"']+|(?<=apikey=)[^\s&\"']+"
    # A URL that carries a user's password.
    r"|(?<=://)[^\s/@:]{1,100}:[^\s/@]{1,100}(?=@)",
)


class Redactor:
    """Takes one key out of texts, wherever it stands; never shows it."""

    def __init__(self, key: str | None) -> None:
        self._key = re.compile("|".join(_forms(key))) if key else None

    def text(self, text: str) -> str:
        """The text without the key, and with "\ufffd" for what no UTF-8 text can hold."""
        text = storable(text)
        return text if self._key is None else self._key.sub(HIDDEN, text)

    def message(self, text: str) -> str:
        """One line of at most 500 characters, without the key and without all that looks like one.

        A server may repeat a key in parts ("sk-ab****yz"), or one that is not ours.
        """
        # Cut first: what a server sends may be long, and made to keep a pattern busy.
        line = " ".join(self.text(text).split())[: 4 * LONGEST_MESSAGE]
        line = _LOOKS_LIKE_A_KEY.sub(HIDDEN, line)
        line = "".join(character for character in line if character.isprintable())
        return line if len(line) <= LONGEST_MESSAGE else line[: LONGEST_MESSAGE - 1] + "\u2026"

    def values(self, value: Any) -> Any:
        """A JSON value whose strings, keys of objects too, are so cleaned."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, list):
            return [self.values(part) for part in value]
        if isinstance(value, dict):
            return {self.text(name): self.values(part) for name, part in value.items()}
        return value


def _forms(key: str) -> list[str]:
    # As it stands and as a URL holds it. A short key is a word that may stand in any text: there
    # only the whole word is the key.
    forms = sorted({re.escape(key), re.escape(quote(key, safe=""))}, key=len, reverse=True)
    if len(key) >= _SHORT_KEY:
        return forms
    return [rf"(?<!\w){form}(?!\w)" for form in forms]
