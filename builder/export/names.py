"""Names of tasks, plain enough for every file system; and names of people, which stay at home."""

import re
from collections.abc import Mapping

from builder.errors import BuilderError

LONGEST_NAME = 100
_PLAIN = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9_.-]*", re.ASCII)
# Windows opens a device under these names, whatever stands behind a dot.
_DEVICES = re.compile(r"(con|prn|aux|nul|com[0-9]|lpt[0-9])(\..*)?", re.ASCII | re.IGNORECASE)
DRAFT = "draft"
"""The name of the grades of this moment; no release is called so."""


def without_names(text: str, pseudonyms: Mapping[str, str]) -> str:
    """The text with pseudonyms for the names of people here, where they stand as whole words."""
    names = sorted((name for name in pseudonyms if name), key=len, reverse=True)
    if not names:
        return text
    any_name = "|".join(map(re.escape, names))
    return re.sub(rf"(?<!\w)(?:{any_name})(?!\w)", lambda found: pseudonyms[found[0]], text)


def markdown_text(text: str) -> str:
    """Text from the workspace, as it reads in Markdown: on one line, without meaning there."""
    shown = " ".join(text.split())
    return "".join(f"\\{sign}" if sign in "\\`*_{}[]<>()#+!|&~$:" else sign for sign in shown)


def check_task_name(name: str) -> str:
    """The name, if a task can be called so.

    Raises:
        BuilderError: It is empty, longer than 100 characters, holds anything but letters, digits,
            "-", "_" and ".", begins or ends with a dot, is a device of Windows, or is "draft".
    """
    reason = _reason_against(name)
    if reason:
        raise BuilderError(
            f"a task cannot be called {name[:60]!r}: {reason}",
            hint="Use letters A to Z, digits, - and _, such as shop-search-2026.",
        )
    return name


def _reason_against(name: str) -> str | None:
    if not name:
        return "the name is empty"
    if len(name) > LONGEST_NAME:
        return f"it has {len(name)} characters, at most {LONGEST_NAME} are allowed"
    if not _PLAIN.fullmatch(name) or ".." in name or name.endswith("."):
        return "only letters A to Z, digits, -, _ and single dots inside are allowed"
    if _DEVICES.fullmatch(name):
        return "Windows keeps this name for a device"
    return "that names the grades of this moment" if name.lower() == DRAFT else None
