"""Opens a log as what it is, by its content."""

from pathlib import Path

from online.lines import LogFile, require_json_lines
from online.native import NativeLines
from online.sources.source import Source


def open_source(
    file: Path,
    *,
    format: str | None = None,  # noqa: A002, ARG001 - the name of the command's option
    table: str | None = None,  # noqa: ARG001
    mapping: Path | None = None,  # noqa: ARG001
) -> Source:
    """Open a log of native lines, plain or gz.

    Raises:
        OnlineError: The file is absent, no JSON Lines, or damaged.
    """
    log = LogFile(file)
    try:
        require_json_lines(log)
    except BaseException:
        log.close()
        raise
    return NativeLines(log)
