"""Keeps the rows that no import could take, with the reason, so that somebody can mend them."""

import json
import os
import re
import tempfile
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import IO, Self

from builder.importers.rows import FaultError

LONGEST_RAW = 2000
"""Characters of a bad row that are kept; its whole length is noted beside."""


class Quarantine:
    """The bad rows of one import.

    Rows go into a file without a name, which vanishes with the process; `publish` gives it one.
    So a quarantine file belongs to an import that was finished, and it is always whole.

    Attributes:
        reasons: Reason -> rows put in for it.
    """

    def __init__(self, folder: Path, name: str) -> None:
        self.reasons: Counter[str] = Counter()
        self._folder = folder
        self._name = name
        self._rows: IO[bytes] | None = None
        self._published: Path | None = None

    def put(self, file: str, line: int, fault: FaultError, raw: str | bytes) -> None:
        """Keep one bad row, its raw text cut at 2,000 characters."""
        text = raw.decode("utf-8", "backslashreplace") if isinstance(raw, bytes) else raw
        record = {
            "file": file,
            "line": line,
            "reason": fault.reason,
            "message": fault.sentence,
            "raw": text[:LONGEST_RAW],
            "raw_characters": len(text),
        }
        told = json.dumps(record, ensure_ascii=False)
        if self._rows is None:
            self._rows = tempfile.TemporaryFile(dir=self._folder)  # noqa: SIM115
        # A lone surrogate comes out as \udc80: the escape that JSON has for it.
        self._rows.write(told.encode("utf-8", "backslashreplace") + b"\n")
        self.reasons[fault.reason] += 1

    def publish(self) -> Path | None:
        """Give the file its name, whole and safe on disk; None if no row was bad."""
        if self._rows is None:
            return None
        moment = datetime.now(UTC).strftime("%Y%m%dT%H%M%S%f")
        target = self._folder / f"{_plain(self._name)}-{moment}.jsonl"
        unfinished = target.with_suffix(".part")
        self._rows.seek(0)
        with unfinished.open("xb") as copy:
            while chunk := self._rows.read(1 << 20):
                copy.write(chunk)
            copy.flush()
            os.fsync(copy.fileno())
        self._published = unfinished.replace(target)
        return self._published

    def withdraw(self) -> None:
        """Take the published file back: the import came to nothing after all."""
        if self._published is not None:
            self._published.unlink(missing_ok=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if error is not None:
            self.withdraw()
        if self._rows is not None:
            self._rows.close()


def _plain(name: str) -> str:
    """The name as any file system takes it."""
    return re.sub(r"[^\w.-]+", "_", name)[:80].strip(".") or "import"
