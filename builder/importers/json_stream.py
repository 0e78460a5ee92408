"""Reads JSON files of any size: one element of an array at a time, memory stays flat."""

import codecs
import json
import re
from collections.abc import Collection, Iterator
from typing import IO, Any

from builder.errors import ImportFailedError
from builder.importers.json_rows import DECODER

CHUNK = 1 << 18
"""Bytes that are read at least at a time."""

LARGEST_ELEMENT = 1 << 26
"""Characters; a larger element is a mistake, and memory must not grow with it."""

_BLANK = re.compile(r"[ \t\r\n]*")


def array_elements(stream: IO[bytes], where: str) -> Iterator[Any]:
    """The elements of the one array in the file.

    Raises:
        ImportFailedError: The file is no whole JSON array.
    """
    text = _Text(stream, where)
    if text.sign() != "[":
        raise text.broken("it is no array")
    yield from text.array()
    text.end()


def array_members(
    stream: IO[bytes], names: Collection[str], where: str
) -> Iterator[tuple[str, Any]]:
    """(name, element) of those arrays that the one object in the file holds under `names`.

    Its other members are passed over; so is a member under `names` that is no array.

    Raises:
        ImportFailedError: The file is no whole JSON object.
    """
    text = _Text(stream, where)
    if text.sign() != "{":
        raise text.broken("it is no object")
    for name in text.names():
        if name in names and text.sign() == "[":
            for element in text.array():
                yield name, element
        else:
            text.value()
    text.end()


class _Text:
    """The file's text from where it is read, as much of it as is needed."""

    def __init__(self, stream: IO[bytes], where: str) -> None:
        self._stream = stream
        self._where = where
        self._decode = codecs.getincrementaldecoder("utf-8-sig")().decode
        self._text = ""
        self._at = 0
        self._is_whole = False

    def sign(self) -> str:
        """The next character that is not blank, "" at the end; it stays."""
        while True:
            found = _BLANK.match(self._text, self._at)
            self._at = found.end() if found else self._at
            if self._at < len(self._text) or self._is_whole:
                return self._text[self._at : self._at + 1]
            self._read_on()

    def take(self, *signs: str) -> str:
        """Pass over the next character, which must be one of `signs`."""
        sign = self.sign()
        if sign not in signs or not sign:
            wanted = " or ".join(signs)
            raise self.broken(f"{wanted} is missing" if sign else "it ends in the middle")
        self._at += 1
        return sign

    def value(self) -> Any:
        """The next value."""
        self.sign()
        while True:
            try:
                value, end = DECODER.raw_decode(self._text, self._at)
            except json.JSONDecodeError as error:
                if self._is_whole:
                    raise self.broken(error.msg) from error
            except (ValueError, RecursionError) as error:
                raise self.broken(str(error)) from error
            else:
                # A number at the end of what was read may go on behind it.
                if end < len(self._text) or self._is_whole:
                    self._at = end
                    return value
            self._read_on()

    def array(self) -> Iterator[Any]:
        """The elements of the array that begins here."""
        self.take("[")
        if self.sign() == "]":
            self.take("]")
            return
        sign = ","
        while sign == ",":
            yield self.value()
            sign = self.take(",", "]")

    def names(self) -> Iterator[str]:
        """The names in the object that begins here; whoever asks takes each value."""
        self.take("{")
        if self.sign() == "}":
            self.take("}")
            return
        sign = ","
        while sign == ",":
            name = self.value()
            if not isinstance(name, str):
                raise self.broken("a name is no text")
            self.take(":")
            yield name
            sign = self.take(",", "}")

    def end(self) -> None:
        """See that nothing follows."""
        if self.sign():
            raise self.broken("something follows behind its end")

    def broken(self, why: str) -> ImportFailedError:
        """The file cannot be read as a whole."""
        return ImportFailedError(
            f"The file is no JSON as this tool writes it: {why}. Nothing was imported.",
            where=self._where,
            hint="Fetch it again; it may be cut short.",
        )

    def _read_on(self) -> None:
        """Read at least as much as is waiting, so that a long value costs linear time."""
        rest = self._text[self._at :]
        if len(rest) > LARGEST_ELEMENT:
            raise self.broken(f"an element is larger than {LARGEST_ELEMENT >> 20} MB")
        chunk = self._stream.read(max(CHUNK, len(rest)))
        self._is_whole = not chunk
        try:
            self._text, self._at = rest + self._decode(chunk, self._is_whole), 0
        except UnicodeDecodeError as error:
            raise self.broken(f"it is no UTF-8 ({error.reason})") from error
