"""Search logs for tests, and what an import made of them."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from estimates import ImportTally
from online.ingest import import_events
from online.lake import COLUMNS, Lake, write_days

if TYPE_CHECKING:
    from online.manifest import TableName

NOON = "2026-11-30T12:00:00Z"
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


def lake_of(
    folder: Path,
    searches: Iterable[dict[str, Any]],
    interactions: Iterable[dict[str, Any]] = (),
) -> Lake:
    """A lake at folder/events of rows as they lie in it; what a row does not name is NULL.

    A search is at noon of 2026-11-30, of session "s1" and model "bm25", found five documents and
    was not clicked, but for its changes; `date` follows from `timestamp`.
    """
    lake = Lake(folder / "events")
    usual: dict[TableName, dict[str, Any]] = {
        "searches": {
            "query": "sort a list", "session_id": "s1", "session_given": True,
            "model_version": "bm25", "retrieved_doc_ids": LISTED, "n_results": 5, "n_clicks": 0,
            "n_ranked_clicks": 0, "n_top_clicks": 0, "zone_assumed": False,
        },
        "interactions": {"kind": "click", "session_id": "s1", "model_version": "bm25"},
    }  # fmt: skip
    with lake.writing() as writing:
        given: dict[TableName, Iterable[dict[str, Any]]] = {
            "searches": searches,
            "interactions": interactions,
        }
        for table, rows_ in given.items():
            file = folder / f"{table}.jsonl"
            lines = [
                {"timestamp": NOON, "search_key": number, "date": NOON[:10], **usual[table], **row}
                for number, row in enumerate(rows_)
            ]
            if not lines:
                continue
            write_log(file, [line | {"date": str(line["timestamp"])[:10]} for line in lines])
            columns = ", ".join(f"{name}: '{kind}'" for name, kind in COLUMNS[table].items())
            query = f"SELECT * FROM read_json('{file}', columns={{{columns}}})"  # noqa: S608
            write_days(writing.connection, query, writing.scratch / table)
            writing.place(table, writing.scratch / table)
        writing.commit()
    return lake


def flag(lake: Lake, *session_ids: str) -> None:
    """Flag these sessions as an import does that takes them for bots."""
    with lake.writing() as writing:
        file = writing.scratch / "bots.parquet"
        names = "unnest(CAST(? AS VARCHAR[])) AS session_id"
        row = f"SELECT {names}, 'test' AS rule, CAST(3 AS BIGINT) AS searches"
        writing.connection.execute(
            f"COPY ({row}) TO '{file}' (FORMAT parquet)", [list(session_ids)]
        )
        writing.place_bots(file)
        writing.commit()
