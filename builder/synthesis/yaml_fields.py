"""Small YAML files, read strictly: every error has its line."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from builder.errors import BuilderError

MOST_BYTES = 200_000


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a file.

    Attributes:
        value: What it says.
        line: Where it stands, from 1.
        literal: Whether its text begins on the line after, as it does after a "|".
    """

    value: Any
    line: int
    literal: bool = False

    def line_of(self, place: int) -> int:
        """The line of a character of the value, which is a text."""
        return self.line + self.literal + (self.value.count("\n", 0, place) if self.literal else 0)


@dataclass(frozen=True, slots=True)
class YamlFile:
    """The fields of a YAML file that holds a mapping.

    Attributes:
        path: The file.
        fields: By name.
    """

    path: Path
    fields: dict[str, Field]

    @classmethod
    def read(cls, path: Path) -> Self:
        """The file's fields.

        Raises:
            BuilderError: It cannot be read, is no YAML, or holds something else than a mapping.
        """
        import yaml

        content = cls(path, {})
        try:
            if path.stat().st_size > MOST_BYTES:
                raise content.error(f"the file is larger than {MOST_BYTES:,} bytes", 1)
            text = path.read_text(encoding="utf-8-sig")
            root = yaml.compose(text, Loader=yaml.SafeLoader)
            values = yaml.safe_load(text)
        except (OSError, ValueError, RecursionError) as error:
            raise content.error(f"the file cannot be read: {error}", 1) from error
        except yaml.YAMLError as error:
            mark = getattr(error, "problem_mark", None)
            problem = getattr(error, "problem", None) or str(error)
            line = mark.line + 1 if mark else 1
            raise content.error(f"the file is no YAML: {problem}", line) from error
        if not isinstance(root, yaml.MappingNode):
            raise content.error("the file holds no fields", 1, "It reads title: …, user: …")
        content._take(root, values)
        return content

    def text(self, name: str, most: int, default: str | None = None) -> Field:
        """A field of text, blank only where there is a default.

        Raises:
            BuilderError: It is missing, no text, blank, or longer than `most` characters.
        """
        field = self._found(name, default)
        if not isinstance(field.value, str):
            raise self.error(f"{name} is no text", field.line, "Put it in quotes.")
        if not field.value.strip() and default is None:
            raise self.error(f"{name} is blank", field.line)
        if len(field.value) > most:
            raise self.error(f"{name} is longer than {most:,} characters", field.line)
        return field

    def number(self, name: str, least: int, most: int) -> Field:
        """A field that is a whole number in a range.

        Raises:
            BuilderError: It is missing, or something else.
        """
        field = self._found(name, None)
        value = field.value
        if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
            raise self.error(f"{name} must be a whole number from {least} to {most}", field.line)
        return field

    def rows(self, name: str, columns: Sequence[str]) -> Field:
        """A field that is a list of mappings, each with these texts; [] where it is missing.

        Raises:
            BuilderError: It is something else.
        """
        field = self._found(name, [])
        listed: list[Any] = field.value if isinstance(field.value, list) else [None]
        for row in listed:
            whole = isinstance(row, dict) and set(row) == set(columns)
            if not whole or not all(
                isinstance(text, str) and text.strip() for text in row.values()
            ):
                wanted = ", ".join(columns)
                raise self.error(f"each of {name} has the texts {wanted}", field.line)
        return field

    def refuse_others(self, known: Collection[str]) -> None:
        """Let pass a file that has no other fields.

        Raises:
            BuilderError: It has.
        """
        for name, field in self.fields.items():
            if name not in known:
                hint = f"Fields are {', '.join(known)}."
                raise self.error(f"there is no field {name!r}", field.line, hint)

    def error(self, message: str, line: int, hint: str | None = None) -> BuilderError:
        """What is wrong in a line."""
        return BuilderError(message, where=f"{self.path}, line {line}", hint=hint)

    def _take(self, root: Any, values: dict[Any, Any]) -> None:
        for key, value in root.value:
            line = key.start_mark.line + 1
            if key.value in self.fields:
                raise self.error(f"{key.value} is there twice", line)
            literal = getattr(value, "style", None) == "|"
            self.fields[key.value] = Field(values.get(key.value), line, literal)

    def _found(self, name: str, default: Any) -> Field:
        if name in self.fields:
            return self.fields[name]
        if default is None:
            raise self.error(f"the field {name} is missing", 1)
        return Field(default, 1)
