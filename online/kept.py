"""What was counted once is kept: the second look at the same filters, in any process, is a file.

An answer is named by the question, the state of the lake and the code that counts, so it can be old
in no way; what belongs to another state or code is deleted when the next answer is kept. A file
that was cut short or written over is as good as none: the answer is counted and written again.
"""

import hashlib
import json
import os
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import asdict, is_dataclass
from datetime import date
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar
from uuid import uuid4
from weakref import WeakValueDictionary

from online.events import OnlineError
from online.lake import Lake
from online.manifest import MANIFEST

if TYPE_CHECKING:
    from pydantic import TypeAdapter

FOLDER = "online"
"""Within the cache of a workspace."""
MOST_BYTES = 64 << 20
"""A report takes 4 KB, one by hour of a year 10 MB: then the answers not asked for longest go."""
MOST_FILE_BYTES = 2 << 30
"""The same of answers that are files: the click evidence of a million pairs takes 10 MB."""
TABLE = ".parquet"
"""How the names of answers end that are files."""
MAGIC = b"PAR1"

T = TypeVar("T")
Question = Mapping[str, Any]
Answer = dict[str, Any]
_Sizes = dict[Path, tuple[float, int]]
"""File -> when it was last asked for, and its bytes."""

_ROOMS = ("online", "estimates")
_COUNTING: WeakValueDictionary[Path, "_Turn"] = WeakValueDictionary()
_TURNS = threading.Lock()
_ADAPTERS: "dict[Any, TypeAdapter[Any]]" = {}


class _Turn:
    """Of several threads that ask the same at once, one counts and the others read."""

    def __init__(self) -> None:
        self.lock = threading.Lock()


def kept(
    cache_folder: Path, lake: Lake, question: Question, compute: Callable[[], Answer]
) -> Answer:
    """The answer to a question about a lake: kept, or computed and then kept.

    Args:
        cache_folder: Of the workspace; the answers lie in its folder `online`.
        lake: What is asked about.
        question: All that the answer depends on beside lake and code: what is asked for, days,
            model, tag, zone, … It holds what JSON has, dates, and dataclasses of these.
        compute: Gives the answer, a JSON document with texts as keys.

    Returns:
        The answer as it came out of JSON, the first time too. What could not be kept for want of
        room or permission is given all the same.

    Raises:
        ValueError: The answer holds NaN or an infinity.
        OnlineError: As `compute`; or the lake's manifest is damaged or lost.
    """
    found = _kept_text(cache_folder, lake, question, lambda: _as_json(compute()))
    answer: Answer = json.loads(found.decode("utf-8", "surrogatepass"))
    return answer


def kept_record(
    cache_folder: Path, lake: Lake, question: Question, kind: type[T], compute: Callable[[], T]
) -> T:
    """As `kept`, for an answer that is a dataclass or a list of such, nested as they may be.

    Args:
        cache_folder: Of the workspace.
        lake: What is asked about.
        question: As in `kept`.
        kind: What the answer is, such as `ABTest` or `list[DayMetrics]`.
        compute: Gives the answer.
    """
    adapter = _adapter_of(kind)
    asked = {"record": repr(kind), "question": question}
    text = _kept_text(cache_folder, lake, asked, lambda: adapter.dump_json(compute()))
    answer: T = adapter.validate_json(text)
    return answer


def kept_file(
    cache_folder: Path, lake: Lake, question: Question, write: Callable[[Path], None]
) -> Path:
    """As `kept`, for an answer that is a Parquet file of its own, as it is large.

    A file that was cut short is as good as none. The sums of its pages are not looked at each time:
    DuckDB refuses pages that were written over.

    Args:
        cache_folder: Of the workspace.
        lake: What is asked about.
        question: As in `kept`.
        write: Writes the answer to the path it is given.

    Returns:
        Where the answer lies, until the lake changes or files asked for later need the room.

    Raises:
        OnlineError: As `write`; or events were erased while they were counted.
    """
    now = _of_now(lake)
    file = _table_file(cache_folder, now, question)
    turn = _turn(file)
    with turn.lock:
        if not _is_table(file):
            file = _written(file, lake, now, write)
        with suppress(OSError):
            file.touch()
    return file


def find_kept_file(cache_folder: Path, lake: Lake, question: Question) -> Path | None:
    """Where the answer of `kept_file` lies already; None where it would have to be written.

    Args:
        cache_folder: Of the workspace.
        lake: What is asked about.
        question: As in `kept_file`.

    Raises:
        OnlineError: The lake's manifest is damaged or lost.
    """
    file = _table_file(cache_folder, _of_now(lake), question)
    return file if _is_table(file) else None


def _table_file(cache_folder: Path, now: str, question: Question) -> Path:
    digest = _digest(_as_json(question, in_order=False))
    return cache_folder / FOLDER / f"{now}-{digest}{TABLE}"


def _is_table(file: Path) -> bool:
    """Whether a Parquet file was written to its end, where its magic word stands once more."""
    try:
        with file.open("rb") as stream:
            stream.seek(-len(MAGIC), os.SEEK_END)
            return stream.read() == MAGIC
    except OSError:
        return False


def _written(file: Path, lake: Lake, now: str, write: Callable[[Path], None]) -> Path:
    """The file, whole; under a name that nobody asks for where the lake changed meanwhile."""
    file.parent.mkdir(parents=True, exist_ok=True)
    draft = file.with_suffix(f".{uuid4().hex}")
    try:
        write(draft)
        if _of_now(lake) != now:
            file = draft.with_suffix(f".{uuid4().hex}{TABLE}")
        draft.replace(file)
    except FileNotFoundError as error:
        what = "the events changed while they were counted"
        raise OnlineError(what, where=str(lake.root), hint="ask again") from error
    finally:
        draft.unlink(missing_ok=True)
    if file.name.startswith(now):
        _sweep(file.parent, now)
    return file


def sweep_kept(cache_folder: Path, lake: Lake) -> None:
    """Delete all answers that are not of the lake as it is now, such as those that quote a user."""
    _sweep(cache_folder / FOLDER, _of_now(lake))


def _kept_text(
    cache_folder: Path, lake: Lake, question: Question, compute: Callable[[], bytes]
) -> bytes:
    now = _of_now(lake)
    file = cache_folder / FOLDER / f"{now}-{_digest(_as_json(question, in_order=False))}.json"
    turn = _turn(file)  # named, so that it lives as long as somebody waits
    with turn.lock:
        text = _read(file)
        if text is None:
            text = compute()
            # An import that was committed meanwhile: nobody knows which lake the answer is of.
            if _of_now(lake) == now:
                with suppress(OSError):
                    _write(file, text)
                    _sweep(file.parent, now)
    return text


def _of_now(lake: Lake) -> str:
    """How the names of files begin that hold answers of this state of the lake and this code.

    The manifest as it lies there, not its version alone: a lake brought back from a backup counts
    on from an older version, and comes to have a known version with other events.
    """
    try:
        with (lake.root / MANIFEST).open("rb") as stream:
            state = f"{os.fstat(stream.fileno()).st_mtime_ns} ".encode() + stream.read()
    except FileNotFoundError:
        state = lake.version.encode()
    return f"{_digest(state)}-{_code()}"


@cache
def _code() -> str:
    """Which code counts, so that no answer of an older Goldsmith is taken for one of this."""
    digest = hashlib.sha256()
    for room in _ROOMS:
        folder = Path(__file__).parents[1] / room
        for file in sorted([*folder.rglob("*.py"), *folder.rglob("*.sql")]):
            digest.update(file.read_bytes())
    return digest.hexdigest()[:16]


def _digest(told: bytes) -> str:
    return hashlib.sha256(told).hexdigest()[:32]


def _as_json(document: object, *, in_order: bool = True) -> bytes:
    """The text of a document; a question is the same in whatever order it is asked."""
    text = json.dumps(
        document, ensure_ascii=False, allow_nan=False, sort_keys=not in_order, default=_plain
    )
    return text.encode("utf-8", "surrogatepass")


def _plain(value: object) -> Any:
    if isinstance(value, date):
        return value.isoformat()
    if is_dataclass(value) and not isinstance(value, type):
        return asdict(value)
    raise TypeError(f"{type(value).__name__} is no part of a question or an answer")


def _adapter_of(kind: Any) -> "TypeAdapter[Any]":
    from pydantic import TypeAdapter

    if kind not in _ADAPTERS:
        _ADAPTERS[kind] = TypeAdapter(kind)  # takes longer than reading an answer
    return _ADAPTERS[kind]


def _turn(file: Path) -> _Turn:
    with _TURNS:
        return _COUNTING.setdefault(file, _Turn())


def _read(file: Path) -> bytes | None:
    """The text of a file that is as it was written; None of any other."""
    try:
        digest, _, text = file.read_bytes().partition(b"\n")
        if digest.decode("ascii", "replace") != _digest(text):
            return None
    except OSError:
        return None
    with suppress(OSError):
        file.touch()
    return text


def _write(file: Path, text: bytes) -> None:
    """Put the file there as a whole."""
    file.parent.mkdir(parents=True, exist_ok=True)
    draft = file.with_suffix(f".{uuid4().hex}")
    try:
        draft.write_bytes(_digest(text).encode() + b"\n" + text)
        draft.replace(file)
    finally:
        draft.unlink(missing_ok=True)


def _sweep(folder: Path, now: str) -> None:
    """Delete what is of another state or code, then what was not asked for longest."""
    if not folder.is_dir():
        return
    texts: _Sizes = {}
    tables: _Sizes = {}
    for file in folder.iterdir():
        with suppress(FileNotFoundError):
            if not file.name.startswith(now):
                file.unlink()
            else:
                stat = file.stat()
                sizes = tables if file.suffix == TABLE else texts
                sizes[file] = (stat.st_mtime, stat.st_size)
    _make_room(texts, MOST_BYTES)
    if tables:  # However large the latest is, somebody is about to read it.
        tables.pop(max(tables, key=lambda file: tables[file]))
    _make_room(tables, MOST_FILE_BYTES)


def _make_room(sizes: _Sizes, most: int) -> None:
    """Delete the oldest of these files until all together are no larger than `most`."""
    total = sum(size for _, size in sizes.values())
    for file in sorted(sizes, key=lambda kept_file: sizes[kept_file]):
        if total <= most:
            return
        file.unlink(missing_ok=True)
        total -= sizes[file][1]
