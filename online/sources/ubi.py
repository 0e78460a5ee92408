"""Logs of OpenSearch User Behavior Insights (UBI) as native lines.

Queries and events, in one file or in two, as they come out of an index: bulk NDJSON (an action line
before each record), search hits, one a line (`_index` and `_source`, as elasticdump writes), index
name, TAB and record, or one record a line. What a record says is in `online.sources.ubi_records`.

UBI does not say whether `position.ordinal` counts from 0 or from 1, and applications differ. An
application that logs a result at 0 counts from 0; that is looked for in the whole log before its
first record is translated, and is remembered by the lake, so that a later log is read alike.

The `_id` of a record in its index does not tell records apart: a collector that sends an event
twice gets two, and the same events exported as plain lines have none. The content does.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from tempfile import gettempdir
from typing import TYPE_CHECKING, Any

from online.lines import Block, LogFile, OverLog
from online.native import TOO_LONG, NativeLines, plain_schema
from online.quarantine import why
from online.sources.source import Findings, fault
from online.sources.ubi_checks import fault_of
from online.sources.ubi_findings import FEW_ZEROS, Applications
from online.sources.ubi_records import (
    Record,
    actions,
    application_of,
    event_line,
    is_event,
    is_query,
    model_of,
    ordinal_of,
    part_of,
    query_line,
)
from online.sources.ubi_text import (
    RepeatedKeyError,
    bulk_action,
    decoded,
    looks_like_ubi,
    split,
    unwrapped,
)

if TYPE_CHECKING:
    import pyarrow as pa


__all__ = ["UbiLines", "looks_like_ubi"]

UNNAMED = "unknown"
"""Stands for the application of records that name none, and for a model that nothing names."""

CONFIRMING_RANKS = 20
"""How many results at rank 1, and none at 0, say that an application no longer counts from 0."""

_ENCODER = json.JSONEncoder(allow_nan=False, check_circular=False, separators=(",", ":"))
_ZERO = re.compile(rb'"ordinal"\s*:\s*"?-?0(\.0+)?"?\s*[,}]')
_APPLICATION = re.compile(rb'"application"\s*:\s*"([^"\\]*)"')


class UbiLines(OverLog):
    """A UBI log as a `Source`; rows are numbered as lines, action lines too.

    Attributes:
        rank_bases: Application -> 0 or 1, what the lake remembers; set before `plain` is called.
        rank_base: 0 or 1 where it is told for the whole log; set before `plain` is called.
    """

    def __init__(
        self,
        log: LogFile,
        *,
        model_version: str | None = None,
        click_actions: Iterable[str] = (),
        conversion_actions: Iterable[str] = (),
    ) -> None:
        """Read a log.

        Args:
            log: The log, which `close` closes.
            model_version: What ranked the results where a query does not say; None takes the name
                of the application.
            click_actions: Names of actions that are clicks on a result, beside the usual ones.
            conversion_actions: Names of actions that are conversions, beside the usual ones.
        """
        self._log = log
        self.path = log.path
        self.size = log.size
        self.n_odd = 0
        self.longest_odd = 0
        self.findings = Findings()
        self.scratch = Path(gettempdir())
        self.rank_bases: Mapping[str, int] = {}
        self.rank_base: int | None = None
        self._model_version = model_version
        self._actions = actions(click_actions, conversion_actions)
        self._from_zero: set[str] = set()
        self._awaited: str | None = None

    def plain(self) -> "pa.RecordBatchReader":
        """No row: the log is only looked through for ranks that are 0."""
        import pyarrow as pa

        return pa.RecordBatchReader.from_batches(plain_schema(), self._looked_through())

    def odd(self) -> "pa.RecordBatchReader":
        """Each record as a native line, as JSON."""
        import pyarrow as pa

        schema = pa.schema([("line", pa.int64()), ("text", pa.string())])
        return pa.RecordBatchReader.from_batches(schema, self._translated(schema))

    def raws(self, lines: "Iterator[int]") -> "Iterator[bytes]":
        """These lines, ascending, as they stand in the file."""
        return NativeLines(self._log).raws(lines)

    def _looked_through(self) -> "Iterator[pa.RecordBatch]":
        """Yields nothing; learns the number of lines, and who counts from 0."""
        for block in self._log.blocks():
            self.n_odd += block.raw.count(b"\n")
            self.longest_odd = max(self.longest_odd, len(block.raw))
            self._from_zero |= _applications_at_zero(block, self._actions, self._from_zero)
        yield from ()

    def _translated(self, schema: "pa.Schema") -> "Iterator[pa.RecordBatch]":
        import pyarrow as pa

        self.n_odd = 0
        with Applications(self.scratch) as self._applications:
            for first, block in self._log.numbered():
                rows = list(self._rows(first, block))
                self.n_odd += len(rows)
                lines, texts = zip(*rows, strict=True) if rows else ((), ())
                yield pa.record_batch([pa.array(lines, pa.int64()), texts], schema=schema)
            self._expect(None)
            self._conclude()

    def _rows(self, first: int, block: Block) -> Iterator[tuple[int, str]]:
        if block.cut_short:
            yield first, TOO_LONG
            return
        for line, raw in enumerate(block.raw.split(b"\n")[:-1], first):
            text = self._text(raw)
            if text is not None:
                yield line, text

    def _text(self, raw: bytes) -> str | None:
        """A line of the log as a native line, or as a fault; None where it is no row."""
        index, body = split(raw)
        if not body:
            return None
        try:
            record = decoded(body)
            return self._row(index, record)
        except RepeatedKeyError as error:
            return fault("duplicate_key", f"the key {error} stands twice; write it once")
        except (ValueError, RecursionError):
            return fault(*why("bad_json", body))

    def _row(self, index: str, record: Any) -> str | None:
        if not isinstance(record, dict):
            return fault("not_an_object", "the line is no JSON object; write one record a line")
        if (target := bulk_action(record)) is not None:
            self._expect(None if "delete" in record else target)
            return None
        hit_index, record = unwrapped(record)
        index, self._awaited = self._awaited or hit_index or index, None
        line = self._native(index, record)
        if isinstance(line, str):
            return line
        return fault_of(line) or _ENCODER.encode(line)

    def _expect(self, index: str | None) -> None:
        """An action line for this index was read, or the end; a record should have come before."""
        if self._awaited is not None:
            self.findings.notes["action_line_without_record"] += 1
        self._awaited = index

    def _native(self, index: str, record: Record) -> Record | str:
        name = application_of(record) or UNNAMED
        if is_event(record):
            return self._event(record, name)
        if is_query(record) or index.endswith("queries"):
            return self._query(record, name)
        return fault(
            "no_ubi_record",
            "it has neither action_name, as an event, nor user_query, as a query; "
            "leave out what is no UBI record",
        )

    def _event(self, record: Record, name: str) -> Record | str:
        action = record["action_name"]
        if not isinstance(action, str) or not action.strip():
            return fault("bad_action", "action_name is no text; write what happened, such as click")
        kind = self._actions.get(action, "other")
        self._applications.add_event(name, record, kind)
        if kind == "click" and "dwell_time" in part_of(record, "event_attributes"):
            self.findings.notes["page_dwell"] += 1
        return event_line(record, kind, self._base(name))

    def _query(self, record: Record, name: str) -> Record:
        self._applications.add_query(name, record)
        model, key = model_of(record) or self._usual_model(name)
        self.findings.notes[f"model_from_{key}"] += 1
        if record.get("user_query") is None:
            self.findings.notes["no_user_query"] += 1
        return query_line(record, model)

    def _usual_model(self, name: str) -> tuple[str, str]:
        if self._model_version is not None:
            return self._model_version, "option"
        return name, "nothing" if name == UNNAMED else "application"

    def _base(self, name: str) -> int:
        """What the first rank is in what an application logs."""
        if self.rank_base is not None:
            return self.rank_base
        return 0 if name in self._from_zero or self.rank_bases.get(name) == 0 else 1

    def _conclude(self) -> None:
        """Tell what was found out about each application."""
        self.findings.applications = self._applications.reports(self._base)
        if self.rank_base is None:
            for name in self.findings.applications:
                self._doubt_rank_base(name, *self._applications.tops(name))

    def _doubt_rank_base(self, name: str, zeros: int, ones: int) -> None:
        """Note where what we see speaks against the base that is assumed."""
        remembered = self.rank_bases.get(name)
        if remembered == 1 and zeros:
            self._note("rank_base_changed", name, zeros)
        if remembered == 0 and not zeros and ones >= CONFIRMING_RANKS:
            self._note("rank_base_unconfirmed", name, ones)
        if 0 < zeros < FEW_ZEROS * ones:
            self._note("rank_zero_is_rare", name, zeros)

    def _note(self, code: str, name: str, rows: int) -> None:
        self.findings.notes[code] += rows
        self.findings.named.setdefault(code, []).append(name)


def _applications_at_zero(block: Block, kinds: Mapping[str, Any], known: set[str]) -> set[str]:
    """Applications with a result at rank 0 in this block, beside those known for it."""
    found: set[str] = set()
    end = 0
    for match in _ZERO.finditer(block.raw):
        if match.start() < end:  # the line has been looked at
            continue
        start, end = (
            block.raw.rfind(b"\n", 0, match.start()) + 1,
            block.raw.find(b"\n", match.end()),
        )
        raw = block.raw[start:end]
        named = _APPLICATION.findall(raw)
        if named and all(name.decode(errors="replace") in known | found for name in named):
            continue
        found |= _at_zero(raw, kinds)
    return found


def _at_zero(raw: bytes, kinds: Mapping[str, Any]) -> set[str]:
    """The application of a line if it tells a result at rank 0."""
    try:
        record = json.loads(split(raw)[1])
    except (ValueError, RecursionError):
        return set()
    _, record = unwrapped(record)
    action = record.get("action_name")
    is_result = isinstance(action, str) and action in kinds
    return {application_of(record) or UNNAMED} if is_result and ordinal_of(record) == 0 else set()
