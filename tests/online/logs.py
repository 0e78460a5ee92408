"""Search logs for tests, and what an import made of them."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from estimates import ImportTally
from online.ingest import import_events
from online.lake import Lake

LISTED = ["d1", "d2", "d3", "d4", "d5"]


def event(**changes: Any) -> dict[str, Any]:
    """A search that found d1 to d5 and was not clicked, but for the changes."""
    return {
        "timestamp": "2026-11-30T12:00:00Z",
        "query": "sort a list",
        "session_id": "s1",
        "model_version": "bm25",
        "retrieved_doc_ids": LISTED,
        "clicked_doc_id": None,
        "click_rank": None,
    } | changes


def clicked(rank: int | None, place: int | None = None, **changes: Any) -> dict[str, Any]:
    """A search whose document at `place` (1-based; None: at `rank`) was clicked."""
    doc_id = LISTED[(place or rank or 1) - 1]
    return event(clicked_doc_id=doc_id, click_rank=rank, **changes)


def write_log(file: Path, lines: Iterable[dict[str, Any] | str | bytes]) -> Path:
    """A log of these lines: objects as JSON, text and bytes as they are."""
    with file.open("wb") as stream:
        for line in lines:
            text = json.dumps(line) if isinstance(line, dict) else line
            stream.write((text.encode() if isinstance(text, str) else text) + b"\n")
    return file


def take(
    folder: Path, lines: Iterable[dict[str, Any] | str | bytes], **options: Any
) -> ImportTally:
    """Import these lines into the lake folder/events."""
    log = write_log(folder / "log.jsonl", lines)
    return import_events(
        Lake(folder / "events"), log, quarantine_folder=folder / "quarantine", **options
    )


def rows(lake: Lake, query: str) -> list[tuple[Any, ...]]:
    """The rows of a query on the views of a lake."""
    with lake.connect() as connection:
        return connection.execute(query).fetchall()


def quarantined(tally: ImportTally) -> list[dict[str, Any]]:
    """What lies in the quarantine file of an import."""
    if tally.quarantine_file is None:
        return []
    text = tally.quarantine_file.read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]
