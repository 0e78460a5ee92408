"""A log file as numbered lines of text: streaming, gz and zip too, no line lost, none trusted."""

import gzip
import io
import zipfile
import zlib
from collections.abc import Callable, Iterator
from itertools import chain, islice
from pathlib import Path, PurePosixPath
from typing import BinaryIO, NamedTuple, cast

from online.events import OnlineError

# One block holds about as many log lines as DuckDB takes at a time, and fits the processor's cache.
BLOCK_BYTES = 1 << 20
# A longer line is quarantined unread: memory stays flat whatever a file holds.
LONGEST_LINE_BYTES = 20 << 20
SHOWN_BYTES = 1000
SNIFFED_LINES = 20
SNIFFED_BYTES = 64
LISTED_MEMBERS = 8

_UNREADABLE = (OSError, EOFError, zlib.error, zipfile.BadZipFile, RuntimeError)
"""What reading raises where a file is damaged, or packed in a way that Python does not know, which
zipfile tells by a kind of RuntimeError. An archive with a password is refused before."""

_MAGIC = {
    b"PAR1": "a Parquet file",
    b"BZh": "a bzip2 file",
    b"\xfd7zXZ": "an xz file",
    b"\x28\xb5\x2f\xfd": "a zstd file",
    b"SQLite format 3": "a SQLite database",
    b"\xff\xfe": "text in UTF-16",
    b"\xfe\xff": "text in UTF-16",
}


class Block(NamedTuple):
    """Whole lines, each with its line feed.

    Attributes:
        raw: The bytes.
        cut_short: Whether this is the head of one line that is too long to be read.
    """

    raw: bytes
    cut_short: bool = False


class OverLog:
    """What reads a log file, and tells of it how far it is and what went wrong."""

    _log: "LogFile"

    @property
    def bytes_read(self) -> int:
        """How much of the file has been read in the current pass."""
        return self._log.bytes_read

    @property
    def failure(self) -> OnlineError | None:
        """What stopped the reading, if anything did."""
        return self._log.failure

    def close(self) -> None:
        """Let go of the file."""
        self._log.close()


class LogFile:
    """A log file that is read from its start as often as `blocks` is called.

    It is opened once: a file that is replaced or rotated away while it is read stays the one that
    was opened. Use it as a context manager.

    Attributes:
        path: Where it lies.
        size: Its size on disk in bytes, compressed if it is.
        bytes_read: How much of `size` has been read in the current pass.
        failure: What stopped the reading, if anything did.
        edit: Called with the raw of each block, whose place its answer takes; it may change lines
            but neither add nor drop one.

    Raises:
        OnlineError: There is no such file, it is a folder, it cannot be opened, or it is a zip
            archive of anything but one file.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        if path.is_dir():
            raise OnlineError("this is a folder, not a log file", where=str(path))
        try:
            self._file = path.open("rb")
        except OSError as error:
            raise OnlineError(f"cannot open the log: {error.strerror}", where=str(path)) from error
        self.size = path.stat().st_size
        self.bytes_read = 0
        self.failure: OnlineError | None = None
        self.edit: Callable[[bytes], bytes] | None = None
        head = self._file.read(4)
        self._gzipped = head.startswith(b"\x1f\x8b")
        self._member: zipfile.ZipInfo | None = None
        if head in (b"PK\x03\x04", b"PK\x05\x06"):
            try:
                self._archive, self._member = self._only_member()
            except OnlineError:
                self._file.close()
                raise

    def __enter__(self) -> "LogFile":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the file."""
        self._file.close()

    @property
    def packed(self) -> bool:
        """Whether the file is packed, by gzip or zip."""
        return self._gzipped or self._member is not None

    def head(self) -> bytes:
        """The first `SNIFFED_BYTES` bytes, unpacked.

        Raises:
            OnlineError: They cannot be read.
        """
        try:
            return self._rewound().read(SNIFFED_BYTES)
        except _UNREADABLE as error:
            raise self._unreadable(error) from error

    def blocks(self) -> Iterator[Block]:
        """All lines from the start, in blocks of about a megabyte; a byte order mark is dropped.

        Raises:
            OnlineError: The file cannot be read to its end, such as a damaged gz file.
        """
        try:
            for block in self._blocks():
                if self.edit and not block.cut_short:
                    yield Block(self.edit(block.raw))
                else:
                    yield block
        except _UNREADABLE as error:
            self.failure = self._unreadable(error)
            raise self.failure from error

    def first_lines(self, most: int) -> list[bytes]:
        """The first lines that are not blank, without their ends.

        Raises:
            OnlineError: They cannot be read.
        """
        lines = (line for block in self.blocks() for line in block.raw.split(b"\n"))
        return list(islice((line.strip() for line in lines if line.strip()), most))

    def numbered(self) -> Iterator[tuple[int, Block]]:
        """Every block with the number of its first line."""
        first = 1
        for block in self.blocks():
            yield first, block
            first += block.raw.count(b"\n")

    def _blocks(self) -> Iterator[Block]:
        chunks = self._chunks()
        pending: list[bytes | memoryview] = []  # a line whose line feed has not come yet
        while (chunk := next(chunks, None)) is not None:
            end = chunk.rfind(b"\n") + 1
            if end:
                yield Block(b"".join([*pending, memoryview(chunk)[:end]]))
                pending = [memoryview(chunk)[end:]]
                continue
            pending.append(chunk)
            if sum(map(len, pending)) > LONGEST_LINE_BYTES:
                yield Block(b"".join(pending)[:SHOWN_BYTES] + b"\n", cut_short=True)
                chunks, pending = chain(_after_line_feed(chunks), chunks), []
        if last := b"".join(pending):
            yield Block(last + b"\n")

    def _chunks(self) -> Iterator[bytes]:
        stream = self._rewound()
        yield stream.read(BLOCK_BYTES).removeprefix(b"\xef\xbb\xbf")
        while chunk := stream.read(BLOCK_BYTES):
            self.bytes_read = self._file.tell()
            yield chunk
        self.bytes_read = self._file.tell()

    def _rewound(self) -> BinaryIO:
        self._file.seek(0)
        self.bytes_read = 0
        if self._gzipped:
            # Buffered: GzipFile.read alone returns what one call of zlib happens to give.
            return cast("BinaryIO", io.BufferedReader(gzip.GzipFile(fileobj=self._file)))
        if self._member is not None:
            unpacked = cast("io.RawIOBase", self._archive.open(self._member))
            return cast("BinaryIO", io.BufferedReader(unpacked))
        return cast("BinaryIO", self._file)

    def _unreadable(self, error: Exception) -> OnlineError:
        return OnlineError(
            f"the log cannot be read to its end: {error}",
            where=str(self.path),
            hint="nothing was imported; copy the file again or repair it",
        )

    def _only_member(self) -> tuple[zipfile.ZipFile, zipfile.ZipInfo]:
        """The archive and the one file in it.

        Raises:
            OnlineError: It holds none, several, or one behind a password.
        """
        try:
            archive = zipfile.ZipFile(self._file)
        except _UNREADABLE as error:
            raise self._unreadable(error) from error
        members = [member for member in archive.infolist() if _is_log(member)]
        if len(members) != 1:
            raise self._not_one_member([member.filename for member in members])
        if members[0].flag_bits & 1:
            raise OnlineError(
                "the zip archive is locked by a password",
                where=str(self.path),
                hint="unpack it, then import the file",
            )
        return archive, members[0]

    def _not_one_member(self, names: list[str]) -> OnlineError:
        shown = ", ".join(names[:LISTED_MEMBERS]) + (", …" if len(names) > LISTED_MEMBERS else "")
        held = f"{len(names):,} files: {shown}" if names else "no file"
        return OnlineError(
            f"the zip archive holds {held}",
            where=str(self.path),
            hint="pack exactly one log into an archive, or unpack it and import each file",
        )


def _is_log(member: zipfile.ZipInfo) -> bool:
    """Whether this is a file of its own: no folder, and not what macOS adds beside each file."""
    path = PurePosixPath(member.filename)
    return not (member.is_dir() or path.parts[0] == "__MACOSX" or path.name == ".DS_Store")


def _after_line_feed(chunks: Iterator[bytes]) -> Iterator[bytes]:
    """What stands behind the next line feed, in the chunk that holds it."""
    for chunk in chunks:
        if b"\n" in chunk:
            yield chunk.split(b"\n", 1)[1]
            return


def require_json_lines(log: LogFile) -> None:
    """Refuse a file that is something else altogether; single bad lines are no reason.

    Raises:
        OnlineError: None of the first lines begins a JSON object, or the file is of another kind.
    """
    head = next(log.blocks(), Block(b"")).raw
    for magic, kind in _MAGIC.items():
        if head.startswith(magic):
            raise _not_json_lines(log, f"it is {kind}")
    if head[8:12] == b"DUCK":
        raise _not_json_lines(log, "it is a DuckDB database")
    lines = [line.strip() for line in head.split(b"\n") if line.strip()][:SNIFFED_LINES]
    if lines and not any(line.startswith(b"{") for line in lines):
        raise _not_json_lines(log, f"it begins with {lines[0][:40].decode(errors='replace')!r}")
    if len(lines) > 1 and lines[0] in (b"{", b"["):
        raise _not_json_lines(log, "its first value is spread over several lines")


def _not_json_lines(log: LogFile, finding: str) -> OnlineError:
    return OnlineError(
        f"this is no JSON Lines file: {finding}",
        where=str(log.path),
        hint="write one JSON object a line, in UTF-8, plain, gz or zip; "
        "or a table whose first line names its columns: CSV, TSV, Parquet, DuckDB",
    )
