"""workspace.toml, read strictly: a mistyped key is an error, never a silent default."""

import difflib
import re
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import BaseModel, ValidationError

from builder.errors import SettingsError
from builder.settings.keys import holds_a_key
from builder.settings.whole import Settings

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

_GRADE_HINT = "Grades are the numbers 0 to 3; their names may be changed, the numbers not."
_KEY_HINT = "Keys never stand in the settings: key_variable names the environment variable of one."


def read_settings(path: Path) -> Settings:
    """The settings in the TOML file `path`.

    Raises:
        SettingsError: The file is absent, is no TOML (the message names the line), or holds an
            unknown key or a value that does not fit (the message names the key).
    """
    try:
        text = path.read_bytes().decode("utf-8")
    except OSError as error:
        reason = f"The settings cannot be read: {error.strerror}."
        raise SettingsError(reason, where=str(path)) from error
    except UnicodeDecodeError as error:
        raise SettingsError(
            f"The settings are not UTF-8 text: byte {error.start} is wrong.",
            where=str(path),
            hint="Save the file as UTF-8.",
        ) from error
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise _broken_toml(path, str(error), text.count("\n") + 1) from error
    try:
        return Settings.model_validate(table)
    except ValidationError as error:
        raise explained(path, error.errors()[0]) from error


def _broken_toml(path: Path, message: str, last_line: int) -> SettingsError:
    line = re.search(r"line (\d+)", message)
    where = f"{path}, line {line[1] if line else last_line}"
    return SettingsError(
        f"The settings are no valid TOML: {message}.",
        where=where,
        hint='A line reads key = value, and text stands in quotes: name = "Shop search".',
    )


def explained(path: Path, error: "ErrorDetails") -> SettingsError:
    """What does not fit in the settings, as a message that names the key."""
    key = ".".join(str(part) for part in error["loc"])
    if error["type"] == "extra_forbidden":
        return _unknown_key(path, error["loc"])
    if error["type"] == "missing":
        return SettingsError(f"The setting {key} is missing.", where=str(path))
    reason = error["msg"].removeprefix("Value error, ")
    if key == "llm.key_variable":
        return _no_variable(path, key)
    if isinstance(error["input"], str) and holds_a_key(error["input"]):
        # Not repeated, whatever else is wrong with it.
        return SettingsError(
            f"The setting {key} holds what looks like a key.",
            where=f"{path}, {key}",
            hint=f"{_KEY_HINT} Whoever saw this file may know it: have it replaced.",
        )
    return SettingsError(
        f"The setting {key} does not fit: {reason}.",
        where=f"{path}, {key} = {error['input']!r:.80}",
    )


def _no_variable(path: Path, key: str) -> SettingsError:
    # What stands there is not repeated: it may be a key.
    return SettingsError(
        f"The setting {key} does not fit: it names the environment variable that holds the key.",
        where=f"{path}, {key}",
        hint='Write key_variable = "OPENAI_API_KEY"; a key itself never stands in the settings.',
    )


def _unknown_key(path: Path, loc: Sequence[int | str]) -> SettingsError:
    key = ".".join(str(part) for part in loc)
    known = _known_keys()
    nearest = difflib.get_close_matches(key, known, n=1, cutoff=0.5)
    hint = f"Did you mean {nearest[0]}?" if nearest else f"Known keys: {', '.join(known)}."
    if loc[0] == "grades":
        hint = _GRADE_HINT
    if loc[0] == "llm" and "key" in str(loc[-1]):
        hint = _KEY_HINT
    return SettingsError(f"The setting {key} is unknown.", where=f"{path}, {key}", hint=hint)


def _known_keys() -> list[str]:
    keys: list[str] = []
    for name, field in Settings.model_fields.items():
        table = field.annotation
        if isinstance(table, type) and issubclass(table, BaseModel):
            keys += [f"{name}.{part.alias or key}" for key, part in table.model_fields.items()]
        else:
            keys.append(name)
    return keys
