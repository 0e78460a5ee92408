"""UBI records for tests, and what the source makes of them."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from online.lines import LogFile
from online.sources.source import MARK
from online.sources.ubi import UbiLines
from tests.online.logs import write_log

NOON = "2026-11-30T12:00:00Z"
Lines = Iterable[dict[str, Any] | str | bytes]


def query(**changes: Any) -> dict[str, Any]:
    """A query record that found three documents, but for the changes."""
    return {
        "application": "shop",
        "query_id": "q1",
        "client_id": "c1",
        "user_query": "green tea",
        "query_attributes": {},
        "query_response_id": "r1",
        "query_response_hit_ids": ["d1", "d2", "d3"],
        "timestamp": NOON,
    } | changes


def happened(
    action: str, doc_id: Any = None, ordinal: Any = None, **changes: Any
) -> dict[str, Any]:
    """An event on a document at a place, but for the changes."""
    attributes: dict[str, Any] = {}
    if doc_id is not None:
        attributes["object"] = {"object_id": doc_id, "object_id_field": "sku"}
    if ordinal is not None:
        attributes["position"] = {"ordinal": ordinal}
    return {
        "application": "shop",
        "action_name": action,
        "query_id": "q1",
        "client_id": "c1",
        "session_id": "s1",
        "timestamp": "2026-11-30T12:00:05Z",
        "event_attributes": attributes,
    } | changes


def bulk(*records: dict[str, Any]) -> list[dict[str, Any]]:
    """Each record behind its action line."""
    lines = []
    for number, record in enumerate(records):
        index = "ubi_events" if "action_name" in record else "ubi_queries"
        lines += [{"index": {"_index": index, "_id": str(number)}}, record]
    return lines


class Read:
    """What a UBI source made of some lines."""

    def __init__(self, folder: Path, lines: Lines, **options: Any) -> None:
        bases = options.pop("rank_bases", {})
        base = options.pop("rank_base", None)
        source = UbiLines(LogFile(write_log(folder / "ubi.ndjson", lines)), **options)
        source.rank_bases, source.rank_base = bases, base
        assert source.plain().read_all().num_rows == 0
        table = source.odd().read_all()
        self.numbers = table["line"].to_pylist()
        texts = table["text"].to_pylist()
        self.native = [json.loads(text) for text in texts if not text.startswith(MARK)]
        self.faults = [text.split(MARK)[1] for text in texts if text.startswith(MARK)]
        self.said = [text.split(MARK)[2] for text in texts if text.startswith(MARK)]
        self.raws = list(source.raws(iter(self.numbers)))
        self.notes = {code: n for code, n in source.findings.notes.items() if code not in USUAL}
        self.all_notes = dict(source.findings.notes)
        self.named = source.findings.named
        self.applications = source.findings.applications
        assert source.n_odd == len(self.numbers)
        source.close()


USUAL = ("model_from_application",)


def one(folder: Path, record: dict[str, Any], **options: Any) -> dict[str, Any]:
    """The native line of a record."""
    (line,) = Read(folder, [record], **options).native
    assert isinstance(line, dict)
    return line
