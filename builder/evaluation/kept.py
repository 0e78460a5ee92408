"""All kept runs: whose they are, which is the latest, and the first ten of each query."""

import hashlib
import json
import mmap
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

TOP = 10
"""How many documents of a query are read of a run: what people see on a first page."""

_FIRST_RANK = b"\t1\t"


@dataclass(frozen=True, slots=True)
class KeptAs:
    """A kept run, without its rows.

    Attributes:
        task: The folder in which it lies, named after its task.
        model: How people call the model.
        model_key: Its identity, with revision and prompts.
        searched: The content that it answers, as `Searched.content_hash`.
        file: The run.
        changed: When the file was written, in nanoseconds since 1970.
        size: Bytes of the file.
    """

    task: str
    model: str
    model_key: str
    searched: str
    file: Path
    changed: int
    size: int


def kept_runs(folder: Path, task: str = "*") -> list[KeptAs]:
    """All runs that are kept in `folder`, the newest first.

    Args:
        folder: Where runs lie, as `Workspace.runs_folder`.
        task: Only those of the task whose folder is called so.
    """
    found = filter(None, map(_kept_as, folder.glob(f"{task}/*.json")))
    return sorted(found, key=lambda kept: (-kept.changed, kept.file))


def latest_runs(runs: list[KeptAs]) -> list[KeptAs]:
    """The first of each model and task: of runs with the newest first, the latest."""
    latest: dict[tuple[str, str], KeptAs] = {}
    for kept in runs:
        latest.setdefault((kept.task, kept.model_key), kept)
    return list(latest.values())


def top_ten(kept: KeptAs) -> Mapping[str, tuple[str, ...]]:
    """query_id -> its first ten documents, the best first; at most ten, and none where none was.

    The rest of the file is passed over, and what was read once is read again only when the file
    has changed.
    """
    return top_documents(kept, TOP)


def top_documents(kept: KeptAs, k: int) -> Mapping[str, tuple[str, ...]]:
    """As `top_ten`, of the first k."""
    return _top(kept.file, kept.changed, kept.size, k)


def labelled(runs: Sequence[KeptAs]) -> dict[str, KeptAs]:
    """Each run under its model's name; where two settings share it, with what files call them."""
    times = Counter(kept.model for kept in runs)
    return {
        kept.model if times[kept.model] == 1 else f"{kept.model} ({_short(kept.model_key)})": kept
        for kept in runs
    }


def _short(model_key: str) -> str:
    return hashlib.sha256(model_key.encode("utf-8", "surrogatepass")).hexdigest()[:6]


@lru_cache(maxsize=64)
def _top(file: Path, changed: int, size: int, k: int) -> Mapping[str, tuple[str, ...]]:
    del changed  # only a part of the key
    if not size:
        return {}
    with file.open("rb") as stream, mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as run:
        return dict(_first_documents(run, start, k) for start in _first_lines(run))


def _first_lines(run: mmap.mmap) -> Iterator[int]:
    """Where the line of rank 1 of each query begins.

    A run that we wrote parts its columns by TABs, no id holds one, and the ranks of a query begin
    with 1: a search for that column passes over the other 999 lines.
    """
    at = 0
    while (hit := run.find(_FIRST_RANK, at)) >= 0:
        start = max(at, run.rfind(b"\n", at, hit) + 1)
        end = run.find(b"\n", hit)
        at = len(run) if end < 0 else end + 1
        # A document called 1 stands between TABs too.
        if run[start:at].split(b"\t")[3] == b"1":
            yield start


def _first_documents(run: mmap.mmap, start: int, k: int) -> tuple[str, tuple[str, ...]]:
    """The query of the line at `start`, and the documents of the ranks 1 to k."""
    run.seek(start)
    rows = [run.readline().decode("utf-8").split("\t") for _ in range(k)]
    query_id = rows[0][0]
    ranks = enumerate(rows, start=1)
    return query_id, tuple(
        row[2]
        for rank, row in ranks
        if len(row) == 6 and row[0] == query_id and int(row[3]) == rank
    )


def _kept_as(about: Path) -> KeptAs | None:
    """The run beside which this file lies; None for one that is not finished or not ours."""
    try:
        told: dict[str, Any] = json.loads(about.read_text("utf-8"))
        file = about.with_suffix(".trec")
        stat = file.stat()
        return KeptAs(
            task=about.parent.name,
            model=str(told["model"]),
            model_key=str(told["model_key"]),
            searched=str(told["searched"]),
            file=file,
            changed=stat.st_mtime_ns,
            size=stat.st_size,
        )
    except (OSError, ValueError, KeyError, TypeError):
        return None
