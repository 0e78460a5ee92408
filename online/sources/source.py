"""What the import reads: a log of any format, as rows of the native shape."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from online.events import OnlineError

if TYPE_CHECKING:
    import pyarrow as pa

MARK = "\n"
"""Begins what stands in the place of a row that has no native form; no line of text can hold it."""


@dataclass(slots=True)
class Findings:
    """What a source found out about its log while it was read, beside the rows themselves.

    Attributes:
        notes: Code -> rows that were kept but are odd in the source's own format.
        named: Code of a note -> what it is about, for a few of those that it counts; untrusted.
        applications: Application that wrote a part of the log -> what is to be said about that
            part, such as its rows, its rank base and its form of time, ready for JSON.
    """

    notes: Counter[str] = field(default_factory=Counter)
    named: dict[str, list[str]] = field(default_factory=dict)
    applications: dict[str, dict[str, Any]] = field(default_factory=dict)


class Source(Protocol):
    """A log that is open, as rows of the native shape (the keys of `online.native`).

    Rows are numbered from 1 in the order of the log; blank lines and the action lines of bulk files
    may be left out or count as lines, but are never given as rows. Each row is in `plain` or in
    `odd`, never in both.

    Attributes:
        path: Where the log lies; it names the quarantine file.
        size: Its size on disk in bytes.
        bytes_read: How much of `size` has been read, for the progress.
        failure: What stopped the reading, if anything did; it is told in place of DuckDB's error.
        n_odd: How many rows `odd` holds; known when `plain` has been read to its end.
        longest_odd: Bytes of the largest row among them, or more.
        findings: Complete when `plain` and `odd` have been read to their ends.
        scratch: A folder on the lake's disk for what has to wait there; set before `plain` is
            called, deleted after the import.
    """

    path: Path
    size: int
    n_odd: int
    longest_odd: int
    findings: Findings
    scratch: Path

    @property
    def bytes_read(self) -> int: ...  # noqa: D102 - above
    @property
    def failure(self) -> OnlineError | None: ...  # noqa: D102

    def plain(self) -> "pa.RecordBatchReader":
        """Rows whose values have the right types, as `online.native.plain_schema` names them."""
        ...

    def odd(self) -> "pa.RecordBatchReader":
        """All other rows: `line` (int64) and `text`, a native JSON object, or `fault(…)`.

        Read after `plain`, and only where `n_odd` is not 0.
        """
        ...

    def raws(self, lines: Iterator[int]) -> Iterator[bytes]:
        """What the log says in these rows, ascending numbers, for the quarantine."""
        ...

    def close(self) -> None:
        """Let go of the file."""
        ...


@runtime_checkable
class CountsRanks(Protocol):
    """A source of several applications, each of which counts ranks from 0 or from 1.

    It finds out itself, gives ranks from 1, and says in its findings what each counts from.

    Attributes:
        rank_base: 0 or 1 where it was told for the whole log; set before `plain` is called.
        rank_bases: Application -> 0 or 1, from earlier logs; set before `plain` is called.
    """

    rank_base: int | None
    rank_bases: Mapping[str, int]


@runtime_checkable
class NamesColumns(Protocol):
    """A source whose rows have columns of other names than the native keys.

    Attributes:
        names: Native key -> column or dotted path that it is read from.
    """

    @property
    def names(self) -> Mapping[str, str]: ...  # noqa: D102 - above


def fault(reason: str, message: str) -> str:
    """What stands in `odd` for a row that cannot be translated: it goes into quarantine.

    Args:
        reason: A code such as "line_too_long".
        message: A sentence for a person: what is wrong, and what to do.
    """
    return f"{MARK}{reason}{MARK}{message}"
