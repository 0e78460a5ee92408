"""What a Python search service imports, or copies, to log its searches and clicks.

One file, standard library only, Python 3.11 or newer.

    log = SearchLogger("/var/log/search")
    search_id = log.log_search(
        query="sort a list", results=["d7", "d2"], model_version="minilm-2", session_id="s1"
    )
    log.log_click(search_id, "d2", rank=2)        # when the click comes, in whatever process

A call takes tens of microseconds and never waits for the disk; what is wrong with values or disk
is never raised. A line goes into a bounded buffer, and a thread writes it. What the disk refuses
waits in the buffer until it is taken; what is lost is counted (`SearchLogger.lost`) and told by one
`logging` warning a minute.

**Files.** Each process writes its own `searches-TIME-PID-RANDOM.jsonl.part`, one JSON object a
line, UTF-8. It is finished when it is full, when the UTC day ends, and on `close`: flushed to the
disk and renamed to `….jsonl`, which never changes again. So import `*.jsonl`; a `.part` may be
imported too, and again later, since what is known already counts as duplicate. A process that is
killed (kill -9) loses what its buffer held, usually the last milliseconds, and leaves at most one
torn line, the last, which the import quarantines and counts; the next logger in that folder renames
the file. A power cut may take more of an unfinished file: the operating system still held it.

**What `goldsmith events import` makes of it.** Lines with one search_id become one search, in
whatever order, files and imports they come: clicks and conversions of `log_click` and
`log_conversion` join their search, and wait in the lake where it is not known yet.

**After os.fork** (gunicorn with preload) parent and child log on, each into a file of its own. The
child begins with an empty buffer and counts of 0: what was logged before the fork is written by its
parent. A normal exit writes everything; `os._exit`, by which the children of multiprocessing end,
does not, so call `close` there.
"""

import atexit
import contextlib
import glob
import json
import logging
import math
import operator
import os
import secrets
import threading
import time
import uuid
import weakref
from collections import Counter, deque
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

try:
    import fcntl
except ImportError:  # Windows: what killed processes left keeps its name
    fcntl = None  # type: ignore[assignment]

LONGEST_LINE_BYTES = 8 << 20
CHUNK_BYTES = 1 << 20
DEEPEST = 16
RETRY_S = 1.0
WARNING_EVERY_S = 60.0
HIGHEST_RANK = 10**9
LARGEST = 1e15
EARLIEST = datetime(1970, 1, 1, tzinfo=UTC)
LATEST = datetime(2999, 12, 31, tzinfo=UTC)

_warnings = logging.getLogger(__name__)
_loggers: "weakref.WeakSet[SearchLogger]" = weakref.WeakSet()


class SearchLogger:
    """Logs searches, clicks and conversions into a folder; one a process, shared by its threads."""

    def __init__(
        self,
        folder: str | os.PathLike[str],
        *,
        name: str = "searches",
        max_file_bytes: int = 64 << 20,
        buffer_bytes: int = 16 << 20,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """Touches nothing on the disk: that begins with the first line.

        Args:
            folder: Where the files go; made when needed.
            name: What file names begin with.
            max_file_bytes: After how many bytes a file is finished and the next one begun.
            buffer_bytes: How much may wait to be written; what does not fit is lost and counted.
            clock: Seconds since 1970, for timestamps and for the day of a file.
        """
        self._file = _RotatingFile(Path(folder), name, max_file_bytes, clock)
        self._buffer_bytes = buffer_bytes
        self._clock = clock
        self._closing = False
        self.after_fork()
        _loggers.add(self)

    def __enter__(self) -> "SearchLogger":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def log_search(  # noqa: PLR0913 - all of them may be known of a search
        self,
        query: str,
        results: Iterable[str | int],
        model_version: str,
        *,
        session_id: str | int | None = None,
        user_id: str | int | None = None,
        clicked_doc_id: str | int | None = None,
        click_rank: int | None = None,
        offset: int | None = None,
        total_hits: int | None = None,
        latency_ms: float | None = None,
        tags: Iterable[str] | None = None,
        timestamp: datetime | None = None,
        search_id: str | None = None,
        event_id: str | None = None,
        extra: Mapping[str, Any] | None = None,
    ) -> str:
        """Log one submitted query with its results, and its click where it is known already.

        U+0000 and halves of surrogate pairs become U+FFFD; "" as an optional id is none. A call
        whose values cannot be logged is lost, counted, and told in the warning.

        Args:
            query: What was typed; "" is allowed.
            results: Ids of the documents, in the order shown; [] where nothing was found.
            model_version: What ranked them, such as "bm25" or "minilm-2".
            session_id: The visit that it belongs to.
            user_id: Who searched.
            clicked_doc_id: The document that was clicked.
            click_rank: Where it stood, absolute and 1-based: page 2 goes on counting.
            offset: How many results came before the first of `results`, on page 2 and behind.
            total_hits: How many documents matched.
            latency_ms: How long the search took, in milliseconds.
            tags: Labels such as "mobile".
            timestamp: When it was submitted; now by default. A naive one is local time.
            search_id: Your own id of this search, not used before; a new one by default.
            event_id: Your own id of this line, where you may log it twice; a repeat must have the
                same search_id and timestamp.
            extra: Anything else; what is no JSON is logged as its text.

        Returns:
            The search_id, for `log_click`; also where the search was lost.
        """
        if search_id is None or search_id == "":
            search_id = uuid.uuid4().hex

        def line() -> dict[str, Any]:
            return {
                "timestamp": self._stamp(timestamp),
                "query": _text("query", query),
                "session_id": _optional_id("session_id", session_id),
                "model_version": _id("model_version", model_version),
                "retrieved_doc_ids": _listed("results", results, _id),
                **_click(clicked_doc_id, click_rank),
                **_ids_of(search_id, event_id),
                "user_id": _optional_id("user_id", user_id),
                "offset": _count("offset", offset, 0, HIGHEST_RANK),
                "total_hits": _count("total_hits", total_hits),
                "latency_ms": _number("latency_ms", latency_ms, 0.0),
                "tags": None if tags is None else _listed("tags", tags, _text),
            }

        self._log(line, extra)
        return search_id

    def log_click(  # noqa: PLR0913 - all of them may be known of a click
        self,
        search_id: str,
        doc_id: str | int,
        rank: int | None = None,
        *,
        dwell_s: float | None = None,
        timestamp: datetime | None = None,
        event_id: str | None = None,
        extra: Mapping[str, Any] | None = None,
    ) -> None:
        """Log a click on a result of a search that was logged before, by whatever process.

        Args:
            search_id: What `log_search` returned.
            doc_id: The document that was clicked.
            rank: Where it stood, absolute and 1-based; None where that is not known.
            dwell_s: How long the document was looked at, in seconds.
            timestamp: When it was clicked; as in `log_search`, and so are event_id and extra.
            event_id: Your own id of this line.
            extra: Anything else.
        """

        def line() -> dict[str, Any]:
            when = self._stamp(timestamp)
            click: dict[str, Any] = {"doc_id": _id("doc_id", doc_id), "timestamp": when}
            click |= {"rank": _rank("rank", rank), "dwell_s": _number("dwell_s", dwell_s, 0.0)}
            return {"timestamp": when, **_ids_of(search_id, event_id), "clicks": [_given(click)]}

        self._log(line, extra)

    def log_conversion(
        self,
        search_id: str,
        doc_id: str | int | None = None,
        *,
        value: float | None = None,
        timestamp: datetime | None = None,
        event_id: str | None = None,
        extra: Mapping[str, Any] | None = None,
    ) -> None:
        """Log that a search led to what it was for: a purchase, a download, a solved ticket.

        Args:
            search_id: What `log_search` returned.
            doc_id: The document that it was about; None where there is no single one.
            value: What it was worth, in one currency or unit throughout.
            timestamp: When that was; as in `log_search`, and so are event_id and extra.
            event_id: Your own id of this line.
            extra: Anything else.
        """

        def line() -> dict[str, Any]:
            when = self._stamp(timestamp)
            gain: dict[str, Any] = {"doc_id": _optional_id("doc_id", doc_id), "timestamp": when}
            gain["value"] = _number("value", value)
            ids = _ids_of(search_id, event_id)
            return {"timestamp": when, **ids, "conversions": [_given(gain)]}

        self._log(line, extra)

    @property
    def written(self) -> int:
        """How many lines of this process are in the files."""
        return self._written

    @property
    def waiting(self) -> int:
        """How many lines wait to be written."""
        return self._taken - self._written - self._reasons["not_written"]

    @property
    def lost(self) -> int:
        """How many calls of this process are in no file and never will be."""
        return self._reasons.total()

    @property
    def lost_by_reason(self) -> dict[str, int]:
        """Reason -> calls that were lost.

        `buffer_full`: the disk did not keep up; `refused`: values that cannot be logged; `closed`:
        logged after `close`; `not_written`: the disk refused them until the end.
        """
        return dict(+self._reasons)

    def flush(self, timeout_s: float = 5.0) -> bool:
        """Wait until everything that was logged before is written; False where it was not."""
        with self._changed:
            due = self._taken
            return self._changed.wait_for(lambda: due <= self._taken - self.waiting, timeout_s)

    def close(self, timeout_s: float = 5.0) -> None:
        """Write what waits, finish the file, and end the thread; waits at most `timeout_s`.

        What cannot be written then is lost. At a normal exit of the process this is done for you.
        """
        with self._changed:
            self._closing = True
            self._changed.notify_all()
            thread = self._thread
        if thread is None or not thread.is_alive():
            self._finish_up()
            return
        thread.join(timeout_s)
        if thread.is_alive():
            _say("the disk is slow: %d search events still wait", self.waiting)

    def after_fork(self) -> None:
        """Begin afresh in a child process; os.fork does this by itself."""
        self._changed = threading.Condition()
        self._lines: deque[bytes] = deque()
        self._writing: deque[bytes] = deque()
        self._bytes = self._taken = self._written = self._told = 0
        self._reasons: Counter[str] = Counter()
        self._problem = self._refusal = ""
        self._warned_at = -math.inf
        self._thread: threading.Thread | None = None
        self._file.forget()

    def _stamp(self, timestamp: datetime | None) -> str:
        moment = datetime.fromtimestamp(self._clock(), UTC)
        if timestamp is not None:
            moment = timestamp.astimezone(UTC)
        if not EARLIEST <= moment <= LATEST:
            raise ValueError(f"timestamp is {moment}; it must lie between 1970 and 2999")
        return moment.isoformat(timespec="microseconds").replace("+00:00", "Z")

    def _log(self, line: Callable[[], dict[str, Any]], extra: Mapping[str, Any] | None) -> None:
        """Take a line into the buffer; whatever goes wrong is counted, and nothing is raised."""
        try:
            raw = _as_bytes(line() | ({} if extra is None else {"extra": _plain(dict(extra))}))
        except Exception as error:  # noqa: BLE001 - a search must not fail because its log does
            self._lose("refused", _words(error))
            return
        with self._changed:
            if self._closing:
                self._lose("closed", "the logger is closed")
            elif self._bytes + len(raw) > self._buffer_bytes:
                self._lose("buffer_full", self._refusal or "the disk does not keep up")
            else:
                self._lines.append(raw)
                self._bytes += len(raw)
                self._taken += 1
                self._wake()

    def _lose(self, reason: str, problem: str) -> None:
        with self._changed:
            self._reasons[reason] += 1
            self._problem = problem
            self._wake()

    def _wake(self) -> None:
        """Wake the thread, or start it; where there can be none, `close` does its work."""
        if self._thread is None and not self._closing:
            thread = threading.Thread(target=self._run, name="search-logger", daemon=True)
            with contextlib.suppress(RuntimeError):  # no more threads, or Python is ending
                thread.start()
                self._thread = thread
        self._changed.notify_all()

    def _run(self) -> None:
        while not self._closing:
            self._write()
            self._warn()
            self._wait()
        self._finish_up()

    def _wait(self) -> None:
        """Until there is something to do, a refused write is due again, or a minute has passed."""
        with self._changed:
            if self._writing:
                self._changed.wait_for(lambda: self._closing, RETRY_S)
            else:
                self._changed.wait_for(self._has_work, WARNING_EVERY_S)

    def _has_work(self) -> bool:
        return bool(self._lines) or self._closing or self._must_warn()

    def _write(self) -> None:
        with self._changed:
            self._writing.extend(self._lines)
            self._lines.clear()
        n, size = len(self._writing), sum(map(len, self._writing))
        try:
            self._file.write(self._writing)
            self._refusal = ""
        except Exception as error:  # noqa: BLE001 - the thread must live on
            self._problem = self._refusal = _words(error)
        with self._changed:
            self._written += n - len(self._writing)
            self._bytes -= size - sum(map(len, self._writing))
            self._changed.notify_all()

    def _finish_up(self) -> None:
        """The last attempt: what cannot be written now is lost."""
        self._write()
        with self._changed:
            self._reasons["not_written"] += len(self._writing)
            self._writing.clear()
            self._changed.notify_all()
        with contextlib.suppress(OSError):
            self._file.finish()
        self._warned_at = -math.inf
        self._warn()

    def _must_warn(self) -> bool:
        news = self.lost != self._told or self._writing
        return bool(news) and time.monotonic() - self._warned_at >= WARNING_EVERY_S

    def _warn(self) -> None:
        if not self._must_warn():
            return
        self._told, self._warned_at = self.lost, time.monotonic()
        _say(
            "search events: %d lost so far %s, %d wait, %d written; last problem: %s",
            self._told, self.lost_by_reason, self.waiting, self._written, self._problem,
        )  # fmt: skip


class _RotatingFile:
    """The disk's side: one open file at a time, for one thread at a time."""

    def __init__(self, folder: Path, name: str, max_bytes: int, clock: Callable[[], float]) -> None:
        self._folder, self._name, self._max_bytes, self._clock = folder, name, max_bytes, clock
        self._fd: int | None = None
        self._path, self._size, self._day = folder, 0, ""

    def write(self, lines: deque[bytes]) -> None:
        """Move the lines into files, as far as that goes: after an OSError the rest is in `lines`.

        Without lines it only finishes a file of yesterday.
        """
        if self._fd is not None and self._must_end():
            self.finish()
        while lines:
            if self._fd is None or (self._size and self._size + len(lines[0]) > self._max_bytes):
                self._begin()
            chunk = self._next_chunk(lines)
            if self._append(b"".join(chunk)):
                for _ in chunk:
                    lines.popleft()

    def finish(self) -> None:
        """Flush the file to the disk and rename it; one without a line is deleted."""
        fd, self._fd = self._fd, None
        if fd is None:
            return
        try:
            os.fsync(fd)
        finally:
            os.close(fd)
        with contextlib.suppress(FileNotFoundError):  # deleted by others, or renamed as left over
            if self._size:
                self._path.rename(self._path.with_suffix(""))
            else:
                self._path.unlink()

    def forget(self) -> None:
        """Let go of a file that belongs to the parent process."""
        fd, self._fd = self._fd, None
        if fd is not None:
            os.close(fd)

    def _must_end(self) -> bool:
        """Whether its day is over, or somebody has deleted it under our hands."""
        assert self._fd is not None  # noqa: S101 - for the type checker
        return self._today() != self._day or not os.fstat(self._fd).st_nlink

    def _today(self) -> str:
        return datetime.fromtimestamp(self._clock(), UTC).strftime("%Y%m%d")

    def _begin(self) -> None:
        self.finish()
        self._folder.mkdir(parents=True, exist_ok=True)
        self._finish_left_over()
        begun = datetime.fromtimestamp(self._clock(), UTC).strftime("%Y%m%dT%H%M%S")
        unique = f"{begun}-{os.getpid()}-{secrets.token_hex(4)}"
        self._path = self._folder / f"{self._name}-{unique}.jsonl.part"
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND
        self._fd, self._size, self._day = os.open(self._path, flags, 0o640), 0, begun[:8]
        _lock(self._fd)

    def _finish_left_over(self) -> None:
        """Rename what killed processes left: files that hold lines, and that nobody has locked.

        An empty one may be one that is just begun, and not locked yet: it stays.
        """
        for left in self._folder.glob(f"{glob.escape(self._name)}-*.jsonl.part"):
            with contextlib.suppress(OSError):
                fd = os.open(left, os.O_RDWR)
                try:
                    if os.fstat(fd).st_size and _lock(fd):
                        left.rename(left.with_suffix(""))
                finally:
                    os.close(fd)

    def _next_chunk(self, lines: Iterable[bytes]) -> list[bytes]:
        """The first line and what else fits into the file, up to a megabyte."""
        room = min(CHUNK_BYTES, self._max_bytes - self._size)
        chunk: list[bytes] = []
        for line in lines:
            room -= len(line)
            if chunk and room < 0:
                break
            chunk.append(line)
        return chunk

    def _append(self, chunk: bytes) -> bool:
        """Whether all of the chunk is written; otherwise nothing of it is, and the file finished.

        Raises:
            OSError: Not even a file that was just begun takes the chunk.
        """
        assert self._fd is not None  # noqa: S101 - for the type checker
        rest = memoryview(chunk)
        try:
            while rest:
                rest = rest[os.write(self._fd, rest) :]
        except OSError:
            with contextlib.suppress(OSError):
                os.ftruncate(self._fd, self._size)
            with contextlib.suppress(OSError):
                self.finish()
            if self._size:  # a file may have reached a limit of its own: try the next one
                return False
            raise
        self._size += len(chunk)
        return True


def _lock(fd: int) -> bool:
    """Whether the file is ours alone now, until it is closed; False where files have no locks."""
    if fcntl is None:
        return False
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _say(message: str, *values: object) -> None:
    with contextlib.suppress(Exception):  # a handler may raise what it likes
        _warnings.warning(message, *values)


def _words(error: Exception) -> str:
    with contextlib.suppress(Exception):  # an error may not even be able to say what it is
        return f"{type(error).__name__}: {error}"
    return type(error).__name__


def _as_bytes(line: Mapping[str, Any]) -> bytes:
    text = json.dumps(_given(line), ensure_ascii=False, allow_nan=False)
    raw = text.encode() + b"\n"
    if len(raw) > LONGEST_LINE_BYTES:
        raise ValueError(f"the line has {len(raw):,} bytes; {LONGEST_LINE_BYTES:,} are the most")
    return raw


def _given(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in fields.items() if value is not None}


def _ids_of(search_id: str, event_id: str | None) -> dict[str, Any]:
    return {
        "search_id": _id("search_id", search_id),
        "event_id": _optional_id("event_id", event_id),
    }


def _click(doc_id: Any, rank: Any) -> dict[str, Any]:
    if rank is not None and doc_id is None:
        raise ValueError("click_rank without clicked_doc_id")
    return {
        "clicked_doc_id": None if doc_id is None else _id("clicked_doc_id", doc_id),
        "click_rank": _rank("click_rank", rank),
    }


def _text(field: str, value: Any) -> str:
    """The text without what no import takes: U+0000 and halves of surrogate pairs."""
    if not isinstance(value, str):
        raise TypeError(f"{field} is {value!r:.60}, which is no text")
    if value.isascii() and "\0" not in value:
        return value
    raw = value.replace("\0", "\ufffd").encode("utf-16-le", "surrogatepass")
    return raw.decode("utf-16-le", "replace")


def _id(field: str, value: Any) -> str:
    """A text that is not empty; a whole number is the text of its digits."""
    if not isinstance(value, str | bool) and hasattr(value, "__index__"):
        value = str(operator.index(value))
    text = _text(field, value)
    if not text:
        raise ValueError(f"{field} is empty")
    return text


def _optional_id(field: str, value: Any) -> str | None:
    return None if value is None or value == "" else _id(field, value)


def _listed(field: str, values: Iterable[Any], each: Callable[[str, Any], str]) -> list[str]:
    if isinstance(values, str | bytes):
        raise TypeError(f"{field} is {values!r:.60}, which is no list")
    return [each(field, value) for value in values]


def _count(field: str, value: Any, lowest: int = 0, highest: int = 2**63 - 1) -> int | None:
    if value is None:
        return None
    whole = None if isinstance(value, bool) else operator.index(value)
    if whole is None or not lowest <= whole <= highest:
        raise ValueError(f"{field} is {value!r:.60}; the lowest is {lowest}")
    return whole


def _rank(field: str, value: Any) -> int | None:
    return _count(field, value, 1, HIGHEST_RANK)


def _number(field: str, value: Any, lowest: float = -LARGEST) -> float | None:
    if value is None:
        return None
    number = math.nan if isinstance(value, str) else float(value)
    if not lowest <= number <= LARGEST:  # NaN is not
        raise ValueError(f"{field} is {value!r:.60}, which is no such number")
    return number


def _plain(value: Any, depth: int = 0) -> Any:
    """The value as JSON that every import takes; what is none, as its text."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int | float) and abs(value) < 2**53:  # NaN is not
        return value
    if isinstance(value, Mapping) and depth < DEEPEST:
        return {_text("key", str(k)): _plain(v, depth + 1) for k, v in value.items()}
    if isinstance(value, list | tuple | set | frozenset) and depth < DEEPEST:
        return [_plain(part, depth + 1) for part in value]
    return _text("extra", str(value))


@atexit.register
def _close_all() -> None:
    for logger in list(_loggers):
        logger.close()


def _begin_afresh() -> None:
    for logger in list(_loggers):
        logger.after_fork()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_begin_afresh)
