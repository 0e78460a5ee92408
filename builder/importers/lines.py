"""Text files line by line. A line ends at LF alone: U+2028 and its like stand inside of texts."""

from typing import IO

from builder.importers.files import UTF8_BOM
from builder.importers.rows import FaultError

LONGEST_LINE = 1 << 26
"""Bytes; a longer line is a mistake, and memory must not grow with it."""


class Lines:
    """The lines of a text file, decoded, with their line ends; knows what was read lately.

    Attributes:
        number: The 1-based number of the line that was read last.
    """

    def __init__(self, stream: IO[bytes]) -> None:
        self.number = 0
        self._stream = stream
        self._taken: list[bytes] = []
        self._again: list[bytes] = []
        self._fault: FaultError | None = None

    def __iter__(self) -> "Lines":
        return self

    def __next__(self) -> str:
        line = self._again.pop() if self._again else self._stream.readline(LONGEST_LINE)
        if not line:
            raise StopIteration
        self.number += 1
        if self.number == 1:
            line = line.removeprefix(UTF8_BOM)
        self._taken.append(line)
        if len(line) == LONGEST_LINE and not line.endswith(b"\n"):
            self._fault = self._fault or self._skip_rest()
        return self._decoded(line)

    def take(self) -> tuple[int, bytes, FaultError | None]:
        """What was read since the last time: first line number, bytes, and what is wrong."""
        first = self.number - len(self._taken) + 1
        raw, fault = b"".join(self._taken), self._fault
        self._taken, self._fault = [], None
        return first, raw, fault

    def unread_but_first(self) -> None:
        """Give back all that was read since the last `take`, but for its first line."""
        back = self._taken[1:]
        self.number -= len(back)
        self._again += reversed(back)
        self._taken = self._taken[:1]
        self._fault = None

    def _decoded(self, line: bytes) -> str:
        try:
            return line.decode("utf-8")
        except UnicodeDecodeError as error:
            self._fault = self._fault or FaultError(
                "bad_utf8",
                f"Byte 0x{line[error.start]:02x} at column {error.start + 1:,} is no UTF-8. "
                "Save the file as UTF-8.",
            )
            return line.decode("utf-8", "surrogateescape")

    def _skip_rest(self) -> FaultError:
        length = LONGEST_LINE
        while rest := self._stream.readline(LONGEST_LINE):
            length += len(rest)
            if rest.endswith(b"\n"):
                break
        return FaultError(
            "line_too_long",
            f"The line is {length:,} bytes long, and {LONGEST_LINE:,} are allowed. "
            "Perhaps a line end is missing.",
        )
