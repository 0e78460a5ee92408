"""What a file consists of for an import: rows, each with its place and its raw text."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

_UNSTORABLE = re.compile("[\0\ud800-\udfff]")
_UNFIT_FOR_IDS = re.compile("[\x00-\x1f\x7f\ud800-\udfff]")

LONGEST_ID = 2048
"""Characters; ids are often addresses, and browsers cut those at about this length."""


class FaultError(Exception):
    """Why one row cannot be taken: a reason code for counting and a sentence for a person."""

    def __init__(self, reason: str, sentence: str) -> None:
        super().__init__(sentence)
        self.reason = reason
        self.sentence = sentence


@dataclass(slots=True)
class Row:
    """One row of a file.

    Attributes:
        file: The file's name.
        line: The 1-based line where it begins; in Parquet and JSON arrays its 1-based number.
        raw: The row as it stands in the file; bytes where it may be no text.
        cells: Column or key -> value.
        fault: Why the row could not be read, if it could not.
        query_text: The query as it was typed, in files that name queries so and not by an id.
    """

    file: str
    line: int
    raw: str | bytes
    cells: Mapping[str, Any] = field(default_factory=dict)
    fault: FaultError | None = None
    query_text: Any = None


Names = tuple[str, ...]
"""Names under which one thing may stand in a file; the first that is there counts."""


@dataclass(frozen=True, slots=True)
class Shape:
    """What a row of one import is made of.

    Attributes:
        what: What the rows are, in the plural.
        required: Columns without which a table is no such table; the first one tells a header.
        optional: Columns that may be there.
        bare: Columns of a table without a header, by the number of its columns.
    """

    what: str
    required: tuple[Names, ...]
    optional: Names = ()
    bare: Mapping[int, Names] = field(default_factory=dict)

    @property
    def names(self) -> frozenset[str]:
        """All names that this import understands."""
        return frozenset(self.optional).union(*self.required)


def first_given(cells: Mapping[str, Any], names: tuple[str, ...]) -> Any:
    """The value under the first of `names` that the row has; None if it has none of them."""
    return next((cells[name] for name in names if name in cells), None)


def id_text(value: object, name: str) -> str:
    """An id as text: text as it stands, a whole number as its digits.

    Raises:
        FaultError: The id is missing, blank, too long, holds control characters, or is no text
            (1.0, 1e3, true: nobody knows how it was once written).
    """
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if value is None or (isinstance(value, str) and not value.strip()):
        raise FaultError("missing_id", f"The row has no {name}. Give it one.")
    if not isinstance(value, str):
        raise FaultError(
            "bad_id",
            f"{name} is {shown(value)}, and an id is text or a whole number. Write it in quotes.",
        )
    if len(value) > LONGEST_ID:
        raise FaultError(
            "bad_id",
            f"{name} is {len(value):,} characters long, and {LONGEST_ID} are allowed. "
            "Perhaps a quotation mark is missing in a row before.",
        )
    found = _UNFIT_FOR_IDS.search(value)
    if found:
        raise FaultError(
            "bad_id",
            f"{name} {shown(value)} holds {code_point(found[0])}, which no qrels file can hold. "
            "Take it out of the id, here and in the judgments.",
        )
    return value


class Checks:
    """Looks into the texts of one row, mends them if that is wanted, and notes what is odd.

    Attributes:
        notes: Codes of what is odd in the row though it can be kept.
    """

    def __init__(self, *, repair: bool) -> None:
        self.notes: set[str] = set()
        self._repair = repair

    def text(self, value: object, name: str) -> str:
        """The value, which must be text, without U+0000 and lone surrogates.

        Raises:
            FaultError: It is no text, or holds such characters and repair is not wanted.
        """
        if not isinstance(value, str):
            raise FaultError("not_text", f"{name} is {shown(value)}, not text. Write it in quotes.")
        if value.isascii() and "\0" not in value:
            return value  # the usual case, told without a look at every character
        found = _UNSTORABLE.search(value)
        if found is None:
            return value
        if not self._repair:
            raise _unstorable(found, name)
        self.notes.add("repaired")
        return _UNSTORABLE.sub("\ufffd", value)

    def json(self, value: Any, name: str) -> Any:
        """The JSON value with every text in it, keys too, treated as by `text`."""
        if isinstance(value, str):
            return self.text(value, name)
        if isinstance(value, list):
            return [self.json(part, name) for part in value]
        if isinstance(value, dict):
            return {
                self.text(key, f"a key of {name}"): self.json(part, f"{name}.{key}")
                for key, part in value.items()
            }
        return value


def _unstorable(found: re.Match[str], name: str) -> FaultError:
    place = f"{name} holds {code_point(found[0])} at character {found.start() + 1:,}"
    if found[0] == "\0":
        return FaultError(
            "nul_character",
            f"{place}, which databases and search tools cut texts at. Take it out, or import "
            "with --repair, which puts U+FFFD in its place.",
        )
    return FaultError(
        "lone_surrogate",
        f"{place}, half a character, which no UTF-8 file can hold. Mend the program that wrote "
        "it, or import with --repair, which puts U+FFFD in its place.",
    )


def is_storable(text: str) -> bool:
    """Whether databases can hold the text: no U+0000 in it, and no half characters."""
    return _UNSTORABLE.search(text) is None


def code_point(character: str) -> str:
    """A character's name in Unicode's own notation, such as U+0000."""
    return f"U+{ord(character):04X}"


def shown(value: object, longest: int = 60) -> str:
    """A value as a message may quote it: short, and printable in any terminal."""
    written = repr(value)
    return written if len(written) <= longest else f"{written[: longest - 1]}…"
