"""JSON Lines of any keys as a table, and native lines to which the name of the model is added."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from online.lines import SNIFFED_LINES, Block, LogFile, OverLog
from online.native import TOO_LONG, NativeLines
from online.sources.tables import Chunk

if TYPE_CHECKING:
    import numpy.typing as npt
    import pyarrow as pa

SNIFFED_ROWS = 200
"""How many objects are looked at for the names of their keys."""

_MODEL = re.compile(rb'"model_version"\s*:')
_NO_MODEL = re.compile(rb'"model_version"\s*:\s*null')


class JsonTable(OverLog):
    """One JSON object a line as a `Table`; rows are numbered as lines.

    A line that is no object is handed on as it is: the checks of native lines say what is wrong.
    """

    columns_are_known = False
    cells_are_text = False

    def __init__(self, log: LogFile) -> None:
        self._log = log
        self.path = log.path
        self.size = log.size
        self.columns = list(
            dict.fromkeys(key for row in first_objects(log, SNIFFED_ROWS) for key in row)
        )

    def chunks(self) -> Iterator[Chunk]:
        """All lines, a block at a time."""
        for first, block in self._log.numbered():
            texts = block.raw.split(b"\n")[:-1]
            kept = [place for place, text in enumerate(texts) if text.strip()]
            if kept:
                yield _chunk(first, kept, [texts[place] for place in kept], block)


def _chunk(first: int, kept: list[int], texts: list[bytes], block: Block) -> Chunk:
    import numpy as np

    objects: list[Mapping[str, Any]] = []
    faults = {}
    for place, text in enumerate(texts):
        row = None if block.cut_short else _object(text)
        objects.append(row or {})
        if row is None:
            faults[place] = TOO_LONG if block.cut_short else text.decode(errors="replace")
    lines: npt.NDArray[np.int64] = np.array(kept, np.int64) + first
    return Chunk(lines, objects=objects, faults=faults, raws=dict(enumerate(texts)))


def _object(text: bytes) -> dict[str, Any] | None:
    """The object of a line; None where there is none, or not one that says the same to everyone."""
    try:
        row = json.loads(text.decode(), object_pairs_hook=_unique, parse_constant=_refuse)
        json.dumps(row, ensure_ascii=False).encode()  # half surrogates are no text
    except (ValueError, RecursionError):
        return None
    return row if isinstance(row, dict) else None


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    row = dict(pairs)
    if len(row) != len(pairs):
        raise ValueError("a key stands twice")
    return row


def _refuse(name: str) -> None:
    raise ValueError(f"{name} is no JSON number")


def first_objects(log: LogFile, most: int = SNIFFED_LINES) -> list[dict[str, Any]]:
    """The objects among the first lines that are not blank."""
    return [row for line in log.first_lines(most) if (row := _object(line)) is not None]


class NamedModel(NativeLines):
    """A log of native lines in which searches that name no model get one."""

    def __init__(self, log: LogFile, model_version: str) -> None:
        super().__init__(log)
        self._addition = b'{"model_version":' + json.dumps(model_version).encode() + b","

    def plain(self) -> "pa.RecordBatchReader":
        """Plain lines, completed."""
        self._log.edit = self._completed
        return super().plain()

    def raws(self, lines: Iterator[int]) -> Iterator[bytes]:
        """These lines as they stand in the file."""
        self._log.edit = None
        return super().raws(lines)

    def _completed(self, raw: bytes) -> bytes:
        return b"\n".join(map(self._line, raw.split(b"\n")))

    def _line(self, raw: bytes) -> bytes:
        """The line with a model, where it is a search without one."""
        if not raw.startswith(b"{") or b'"query"' not in raw:
            return raw
        if _NO_MODEL.search(raw):
            row = _object(raw)
            if row is None or row.get("model_version", "") is not None:
                return raw
            del row["model_version"]
            raw = json.dumps(row, ensure_ascii=False).encode()
        elif _MODEL.search(raw):
            return raw
        self.findings.notes["model_assumed"] += 1
        return self._addition + raw[1:]
