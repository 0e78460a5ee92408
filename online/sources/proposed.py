"""A proposed mapping, as the file that a person looks at and changes."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from online.sources.guessing import Column
from online.sources.shaping import NATIVE

EXAMPLES = 2
LONGEST_EXAMPLE = 40


@dataclass(slots=True)
class Proposal:
    """A mapping to be looked at.

    Attributes:
        file: The table.
        n_rows: How many rows were looked at.
        fields: Native key -> the column that was taken for it.
        options: Native key or part of a thing -> further keys of its rule in TOML, such as
            separator.
        constants: Native key -> what is put where no column says it.
        action: The column that says what each row is; None where each is a search.
        kinds: Kind of row -> words of that column that mean it.
        parts: Part of a click -> its column; {} where rows are not one click each.
        left: Columns without a meaning; they are kept as further keys.
        unsure: What a person should look at, in sentences.
        zone_needed: Whether times name no zone, so that the import needs `--timezone`.
    """

    file: Path
    n_rows: int
    fields: dict[str, Column] = field(default_factory=dict)
    options: dict[str, dict[str, Any]] = field(default_factory=dict)
    constants: dict[str, Any] = field(default_factory=dict)
    action: Column | None = None
    kinds: dict[str, list[str]] = field(default_factory=dict)
    parts: dict[str, Column] = field(default_factory=dict)
    left: list[Column] = field(default_factory=list)
    unsure: list[str] = field(default_factory=list)
    zone_needed: bool = False

    def as_json(self) -> dict[str, Any]:
        """The document that `events map --json` prints."""
        return {
            "file": str(self.file),
            "rows": self.n_rows,
            "mapping": self.toml(),
            "fields": {
                key: {"path": column.path, "examples": _examples(column)}
                for key, column in self.fields.items()
            },
            "constants": self.constants,
            "not_mapped": [column.path for column in self.left],
            "unsure": self.unsure,
            "timezone_needed": self.zone_needed,
        }

    def toml(self) -> str:
        """The mapping as a file: two examples beside each column, doubts on top."""
        parts = (self._heading(), self._fields(), self._constants(), self._clicks(), self._left())
        return "\n".join(line for part in parts for line in part) + "\n"

    def _heading(self) -> Iterator[str]:
        rows = f"{self.n_rows:,} rows" if self.n_rows > 1 else "row"
        yield f"# Proposed from the first {rows} of {_printable(self.file.name)}."
        yield "# Look at it, then: goldsmith events import FILE --map mapping.toml"
        if self.zone_needed:
            yield "# Its times name no zone: add --timezone Europe/Berlin, or whichever it is."
        if self.unsure:
            yield from ("#", "# Not sure:")
            yield from (f"# - {_printable(sentence)}" for sentence in self.unsure)

    def _fields(self) -> Iterator[str]:
        yield from ("", "[fields]")
        inside = {key: self.fields[key] for key in NATIVE if key in self.fields}
        yield from _rules(inside, self.options)

    def _constants(self) -> Iterator[str]:
        if self.constants:
            yield from ("", "[constants]")
            yield from (f"{key} = {_toml(value)}" for key, value in self.constants.items())

    def _clicks(self) -> Iterator[str]:
        if not (self.action or self.parts):
            return
        yield from ("", "[clicks]")
        if self.action:
            yield _with_examples(f"action = {_toml(self.action.path)}", self.action)
        for kind, words in self.kinds.items():
            yield f"{kind} = {_toml(words)}"
        yield from _rules(self.parts, self.options)

    def _left(self) -> Iterator[str]:
        if not self.left:
            return
        yield from ("", "# Without a meaning, kept as further keys. The line")
        yield '#   ignore = ["name", "name"]'
        yield "# at the top of this file leaves some of them out:"
        for column in self.left:
            yield _with_examples(f"#   {_toml(column.path)}", column)


def _rules(
    columns: Mapping[str, Column], options: Mapping[str, Mapping[str, Any]]
) -> Iterator[str]:
    for key, column in columns.items():
        path, more = _toml(column.path), options.get(key, {})
        if "paths" in more:
            yield f"{key} = {{ paths = {_toml(more['paths'])} }}"
            continue
        rule = "".join(f", {option} = {_toml(value)}" for option, value in more.items())
        said = f"{{ path = {path}{rule} }}" if rule else path
        yield _with_examples(f"{key} = {said}", column)


def _with_examples(line: str, column: Column) -> str:
    shown = ", ".join(_examples(column))
    return f"{line:<44}  # {shown}" if shown else line


def _examples(column: Column) -> list[str]:
    """Two different values, short enough for one line."""
    texts = dict.fromkeys(_toml(value) for value in column.values)
    return [
        text if len(text) <= LONGEST_EXAMPLE else f"{text[: LONGEST_EXAMPLE - 1]}…"
        for text in islice(texts, EXAMPLES)
    ]


def _toml(value: Any) -> str:
    """A text, number, truth or list in TOML: as in JSON, but for control characters."""
    return _printable(json.dumps(value, ensure_ascii=False))


def _printable(text: str) -> str:
    return "".join(letter if letter.isprintable() else f"\\U{ord(letter):08x}" for letter in text)
