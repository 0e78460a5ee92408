"""One JSON document in place of a line each: refused at once, with the command that makes lines."""

import re
import shlex

from online.events import OnlineError
from online.lines import LogFile

HEAD_LINES = 40

_RESPONSE = re.compile(rb'\{.{0,2000}?"hits"\s*:\s*\{.{0,500}?"hits"\s*:\s*\[')
"""How OpenSearch and Elasticsearch answer a search: the hits in the hits."""


def require_lines(log: LogFile) -> None:
    """Refuse a log that is one JSON document: a response to a search, an array, a spread object.

    Raises:
        OnlineError: It names the command of jq that writes an object a line.
    """
    lines = log.first_lines(HEAD_LINES)
    if not lines:
        return
    if len(lines) > 1 and lines[0].startswith(b"{") and lines[0].endswith(b"}"):
        return
    if _RESPONSE.match(b" ".join(lines)):
        raise _refused(log, "a response to a search, with its hits inside", ".hits.hits[]")
    if lines[0].startswith(b"["):
        raise _refused(log, "one JSON array", ".[]")
    if lines[0] == b"{":
        raise _refused(log, "JSON whose first object is spread over several lines", ".")


def _refused(log: LogFile, what: str, inside: str) -> OnlineError:
    name = log.path.name.removesuffix(".gz")
    command = f"jq -c '{inside}' {shlex.quote(name)} > {shlex.quote(f'{name}.lines')}"
    return OnlineError(
        f"this is {what}; a log has one JSON object a line",
        where=str(log.path),
        hint=f"{command} writes them so (of a packed file, unpack it first), then import that"
        if log.packed
        else f"{command} writes them so; then import that",
    )
