"""Text files line by line, as they are: every line with its number, nothing lost silently.

Lines end at LF alone. `str.splitlines` would also cut at U+2028, U+0085 and others, which
stand inside texts; the file is therefore cut as bytes and decoded line by line.
"""

import gzip
import json
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, NoReturn

from evals.records import EvalsError

GZIP_MAGIC = b"\x1f\x8b"
UTF16_BOMS = (b"\xff\xfe", b"\xfe\xff")


def numbered_lines(path: Path) -> Iterator[tuple[int, str]]:
    """Each line that is not blank, with its 1-based number, without its line end (LF or CR LF).

    gzip is recognised by content; a UTF-8 byte order mark is dropped.

    Raises:
        EvalsError: The file is absent, no UTF-8, or broken gzip.
    """
    with _opened(path) as stream:
        for number, raw in enumerate(stream, start=1):
            line = _decoded(raw, path, number).removesuffix("\n").removesuffix("\r")
            if line and not line.isspace():
                yield number, line


def json_rows(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Each JSON object of a JSONL file, with its 1-based line number.

    Raises:
        EvalsError: A line is no JSON object, or holds a lone surrogate or NaN.
    """
    for number, line in numbered_lines(path):
        where = f"{path}:{number}"
        try:
            row = json.loads(line, parse_constant=_refuse_constant)
        except (ValueError, RecursionError) as error:
            raise EvalsError(
                f"not a JSON object: {error}",
                where=where,
                hint="Each line of a .jsonl file is one JSON object.",
            ) from error
        if not isinstance(row, dict):
            raise EvalsError(f"a JSON object is needed, found {type(row).__name__}", where=where)
        if "\\u" in line:
            _refuse_lone_surrogates(row, where)
        yield number, row


def id_text(value: object, field: str, where: str) -> str:
    """An id as text: a string as it is, a whole JSON number as its digits.

    Raises:
        EvalsError: The id is missing, empty, holds U+0000, or is of another type.
    """
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str):
        raise EvalsError(
            f"{field} is {json.dumps(value)}; an id is text or a whole number", where=where
        )
    if not value or "\0" in value:
        # trec_eval keeps ids as C strings, which end at U+0000: two ids would become one.
        what = "holds U+0000" if value else "is empty"
        raise EvalsError(f"{field} {what}", where=where, hint="Give it another id.")
    return value


@contextmanager
def _opened(path: Path) -> Iterator[IO[bytes]]:
    try:
        with path.open("rb") as raw:
            start = raw.read(2)
            raw.seek(0)
            if start in UTF16_BOMS:
                raise EvalsError("the file is UTF-16", where=str(path), hint="Save it as UTF-8.")
            if start != GZIP_MAGIC:
                yield raw
                return
            with gzip.GzipFile(fileobj=raw) as unpacked:
                yield unpacked  # type: ignore[misc]
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise EvalsError(f"broken gzip file: {error}", where=str(path)) from error
    except OSError as error:
        reason = error.strerror or str(error)
        raise EvalsError(f"cannot be read: {reason}", where=str(path)) from error


def _decoded(raw: bytes, path: Path, number: int) -> str:
    try:
        line = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise EvalsError(
            f"not UTF-8: byte 0x{raw[error.start]:02x} at column {error.start + 1}",
            where=f"{path}:{number}",
            hint="Save the file as UTF-8.",
        ) from error
    return line.removeprefix("\ufeff") if number == 1 else line


def _refuse_constant(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not JSON")


def _refuse_lone_surrogates(value: object, where: str) -> None:
    """JSON can spell half a character; no file in UTF-8 can hold it."""
    try:
        json.dumps(value, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError as error:
        found = f"U+{ord(error.object[error.start]):04X}"
        raise EvalsError(
            f"lone surrogate {found}, half a character",
            where=where,
            hint="Repair the text where it comes from; imports into a workspace have --repair.",
        ) from error
