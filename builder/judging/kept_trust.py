"""The report of agreement and raters in the cache: whole and of known content, or absent.

Disagreements are columns in the file: as an object each they would be five times as large.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any
from uuid import uuid4
from weakref import WeakKeyDictionary

from builder.store import Store
from builder.store.trust_marks import Marks
from builder.workspace import Workspace

COMPUTED_BY = (
    *("judging/trust.py", "judging/kept_trust.py", "judging/agreement/*.py", "judging/raters/*.py"),
    *("store/rating*.py", "store/repeats*.py"),
)
"""The sources that make the report, below `builder`."""

_FILE = "trust.json"
_DISAGREEMENT = ("pair_id", "low", "high", "n")

Report = dict[str, Any]
_Stamp = tuple[int, int, int]
"""By which another file of the same name is recognised: inode, size, time of change."""


@dataclass(frozen=True, slots=True)
class KeptReport:
    """A report and what it is of.

    Attributes:
        report: What `compute_trust` found; nobody changes it.
        marks: What it was made of.
        made_at: When that was read, ISO 8601 in UTC.
        seconds: How long computing took.
    """

    report: Report
    marks: Marks
    made_at: str
    seconds: float


_READ: WeakKeyDictionary[Store, tuple[_Stamp, KeptReport | None]] = WeakKeyDictionary()


def keep_report(workspace: Workspace, kept: KeptReport) -> None:
    """Put the report into the cache in place of the one before, at once.

    Raises:
        ValueError: It holds NaN or an infinity.
        TypeError: It is no JSON.
    """
    found = kept.report["disagreements"]
    columns = {name: [row[name] for row in found] for name in _DISAGREEMENT}
    content = {
        "form": form(),
        "marks": asdict(kept.marks),
        "made_at": kept.made_at,
        "seconds": kept.seconds,
        "report": {**kept.report, "disagreements": columns},
    }
    text = json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    scratch = workspace.cache_folder / f".{_FILE}-{uuid4().hex}"
    try:
        scratch.write_text(text, encoding="utf-8", newline="\n")
        stamp = _stamp(scratch)
        scratch.replace(_file(workspace))
    finally:
        scratch.unlink(missing_ok=True)
    if stamp is not None:
        _READ[workspace.store] = (stamp, kept)


def kept_report(workspace: Workspace) -> KeptReport | None:
    """The report in the cache; None where there is none, or none that can be read as it stands.

    It is read once for each file, and then shared.
    """
    stamp = _stamp(_file(workspace))
    if stamp is None:
        return None
    known = _READ.get(workspace.store)
    if known is None or known[0] != stamp:
        known = (stamp, _read(_file(workspace)))
        _READ[workspace.store] = known
    return known[1]


@cache
def form() -> str:
    """What the report holds and how it is computed, as a digest of the code that does it.

    So no report of an older Goldsmith is taken for one of this, and nobody has to think of it.
    """
    digest = hashlib.sha256()
    for pattern in COMPUTED_BY:
        for file in sorted(Path(__file__).parents[1].glob(pattern)):
            digest.update(file.read_bytes())
    return digest.hexdigest()


def _file(workspace: Workspace) -> Path:
    return workspace.cache_folder / _FILE


def _stamp(file: Path) -> _Stamp | None:
    try:
        found = file.stat()
    except FileNotFoundError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns


def _read(file: Path) -> KeptReport | None:
    """What the file holds; None if it was cut short, written over, or is of another form."""
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
        if content["form"] != form():
            return None
        return KeptReport(
            report=_with_rows(content["report"]),
            marks=Marks(**content["marks"]),
            made_at=str(content["made_at"]),
            seconds=float(content["seconds"]),
        )
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return None


def _with_rows(report: Mapping[str, Any]) -> Report:
    columns = zip(*(report["disagreements"][name] for name in _DISAGREEMENT), strict=True)
    rows = [dict(zip(_DISAGREEMENT, row, strict=True)) for row in columns]
    return {**report, "disagreements": rows}
