"""Opens what a person hands in, and says what it is by looking into it."""

import gzip
import io
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, cast

from builder.errors import ImportFailedError

GZIP = b"\x1f\x8b"
PARQUET = b"PAR1"
UTF8_BOM = b"\xef\xbb\xbf"
HEAD = 1 << 16

FORMATS = ("jsonl", "json", "csv", "tsv", "trec", "parquet")
QUEPID_JSON, QUEPID_CSV, LABEL_STUDIO = "quepid-json", "quepid-csv", "label-studio"
TOOL_FORMATS = (QUEPID_JSON, QUEPID_CSV, LABEL_STUDIO)
"""What other tools for grading write."""

_STRANGERS = {
    b"PK\x03\x04": "a zip archive or a spreadsheet",
    b"BZh": "packed by bzip2",
    b"\xfd7zXZ\x00": "packed by xz",
    b"\x28\xb5\x2f\xfd": "packed by zstd",
    b"SQLite format 3\x00": "an SQLite database",
    b"%PDF": "a PDF",
    b"\xff\xfe": "UTF-16 text",
    b"\xfe\xff": "UTF-16 text",
}

HINT = "Files are JSON lines, CSV, TSV or Parquet, in UTF-8, packed by gzip or not."


@contextmanager
def opened(path: Path) -> Iterator[IO[bytes]]:
    """The content of a file, unpacked if it is gzip; can be read from its start again (`seek`).

    Raises:
        ImportFailedError: It is absent, a folder, of no use here, or broken gzip.
    """
    if path.exists() and not path.is_file() and not path.is_dir():
        raise ImportFailedError("This is no regular file.", where=str(path), hint=HINT)
    try:
        raw = path.open("rb")
    except OSError as error:
        raise _unreadable(path, error) from error
    with raw:
        packed = raw.read(2) == GZIP
        raw.seek(0)
        if not packed:
            _refuse_strangers(path, raw)
            yield raw
            return
        try:
            with gzip.GzipFile(fileobj=raw) as unpacked:
                stream = io.BufferedReader(cast("io.RawIOBase", unpacked), HEAD)
                _refuse_strangers(path, stream)
                yield stream
        except (EOFError, gzip.BadGzipFile, zlib.error) as error:
            raise ImportFailedError(
                f"The gzip file is broken: {error}. Nothing was imported.",
                where=str(path),
                hint="Fetch or pack it again.",
            ) from error


def head_lines(stream: IO[bytes], most: int = 20) -> list[str]:
    """The first lines that are not blank, at most 64 KB in all; the stream stands at its start."""
    head = stream.read(HEAD)
    stream.seek(0)
    lines = head.removeprefix(UTF8_BOM).split(b"\n")
    told = (line.decode("utf-8", "backslashreplace").removesuffix("\r") for line in lines)
    return [line for line in told if line.strip()][:most]


def is_parquet(stream: IO[bytes]) -> bool:
    """Whether the file begins as Parquet does; the stream stands at its start."""
    start = stream.read(len(PARQUET))
    stream.seek(0)
    return start == PARQUET


def _refuse_strangers(path: Path, stream: IO[bytes]) -> None:
    start = stream.read(16)
    stream.seek(0)
    for magic, what in _STRANGERS.items():
        if start.startswith(magic):
            raise ImportFailedError(f"The file is {what}.", where=str(path), hint=HINT)


def _unreadable(path: Path, error: OSError) -> ImportFailedError:
    if path.is_dir():
        return ImportFailedError(
            "This is a folder, and a file is needed.",
            where=str(path),
            hint="A whole task folder is imported by `goldsmith import FOLDER`.",
        )
    return ImportFailedError(f"The file cannot be read: {error.strerror}.", where=str(path))
