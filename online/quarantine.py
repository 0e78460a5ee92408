"""Rows that were not accepted, each with its place, its reason and its raw text."""

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import chain, tee
from pathlib import Path
from typing import Any, NoReturn

from online.events import ISO_8601
from online.sources.source import MARK, NamesColumns, Source
from online.sources.translation import pick

LISTS = ("clicks", "conversions", "impressions")
FIELDS: dict[str, tuple[str, ...]] = {
    "missing_timestamp": ("timestamp",),
    "naive_timestamp": ("timestamp", *LISTS),
    "bad_timestamp": ("timestamp", *LISTS),
    "missing_query": ("query",),
    "bad_query": ("query",),
    "bad_session": ("session_id",),
    "missing_model_version": ("model_version",),
    "bad_model_version": ("model_version",),
    "missing_results": ("retrieved_doc_ids",),
    "bad_results": ("retrieved_doc_ids",),
    "bad_click": ("clicked_doc_id", "clicks"),
    "bad_rank": ("click_rank", *LISTS),
    "rank_without_click": ("click_rank",),
    "bad_event_id": ("event_id",),
    "conflict": ("event_id",),
    "bad_search_id": ("search_id",),
    "bad_user": ("user_id",),
    "bad_offset": ("offset",),
    "bad_tags": ("tags",),
    "bad_action": ("action", "conversions"),
    "bad_total_hits": ("total_hits",),
    "bad_latency": ("latency_ms",),
    "bad_dwell": ("dwell_s", "clicks"),
    "bad_value": ("conversions",),
    "bad_results_logged": ("results_logged",),
    "bad_conversion": ("conversions",),
    "bad_impression": ("impressions",),
}
"""Reason -> the keys of which one is to blame."""

ADVICE = {
    "missing_timestamp": "every event needs one, such as 2026-11-30T12:00:00Z",
    "naive_timestamp": "it names no zone; say which with --timezone Europe/Berlin",
    "bad_timestamp": "write ISO 8601 with a zone, such as 2026-11-30T12:00:00Z, or the number of "
    "seconds or milliseconds since 1970, from 1990 on; digits of a date, such as 20261130, are "
    'read by a mapping: timestamp = { path = "…", format = "%Y%m%d" }',
    "missing_query": 'every search has one; write "" where nothing was typed',
    "bad_query": "write the query as text",
    "bad_session": "write an id as text, or null where there is none",
    "missing_model_version": "name what ranked the results",
    "bad_model_version": "write a name as text",
    "missing_results": "list what was shown; write [] where nothing was found",
    "bad_results": "write a list of document ids, each a text that is not empty",
    "bad_click": "write the document's id as text, or null where nothing was clicked; in clicks "
    'objects such as {"doc_id": "d7", "rank": 2}',
    "bad_rank": "write a whole number, 1 for the first result; for a log that counts from 0 say "
    "--rank-base 0",
    "rank_without_click": "but clicked_doc_id is null, so nothing was clicked at that rank",
    "bad_event_id": "write an id as text, or leave the key out",
    "conflict": "an event with this id and other content is known already, and stays; give this "
    "one an id of its own; were the latest import wrong, goldsmith events undo takes it back",
    "bad_search_id": "write an id as text, or leave the key out",
    "bad_user": "write an id as text, or leave the key out",
    "bad_offset": "write how many results came before the first that is listed, 0 or more",
    "bad_tags": 'write a list of texts, such as ["mobile"]',
    "bad_action": "write a name as text that is not empty",
    "bad_total_hits": "write how many documents matched, a whole number of 0 or more",
    "bad_latency": "write a number of milliseconds, from 0 to 1e15",
    "bad_dwell": "write a number of seconds, from 0 to 1e15",
    "bad_value": "write a number of at most 1e15",
    "bad_results_logged": "write true or false",
    "bad_conversion": 'write a list of objects such as {"doc_id": "d7", "value": 19.9}',
    "bad_impression": 'write a list of objects such as {"doc_id": "d7", "rank": 2}',
}
_NATIVE: Mapping[str, str] = {}

UNSHOWN = "beyond_retention"
"""The reason of rows of which nothing is kept: that they are old is why."""


def write_quarantine(
    log: Source, rejected: Iterator[tuple[int, str]], folder: Path
) -> tuple[Path | None, Counter[str]]:
    """Write rows of a log with their reasons as JSON Lines: file, line, reason, message, raw.

    The file is named after the log and its own content, so that a second import of the same log
    leaves the same file, and it appears whole or not at all.

    Args:
        log: The log, which is read again.
        rejected: Row numbers, ascending, with the reasons of native_rows.sql or of the source.
        folder: Where the file goes; made when needed.

    Returns:
        The file, None where nothing was rejected, and reason -> number of rows.
    """
    reasons: Counter[str] = Counter()
    first = next(rejected, None)
    if first is None:
        return None, reasons
    folder.mkdir(parents=True, exist_ok=True)
    draft = folder / f".{log.path.name}.draft"
    digest = hashlib.sha256()
    try:
        with draft.open("wb") as stream:
            for row in _rows(log, chain([first], rejected)):
                written = json.dumps(row, ensure_ascii=False).encode() + b"\n"
                digest.update(written)
                stream.write(written)
                reasons[row["reason"]] += 1
        return draft.replace(folder / f"{log.path.name}.{digest.hexdigest()[:8]}.jsonl"), reasons
    finally:
        draft.unlink(missing_ok=True)


def _rows(log: Source, rejected: Iterator[tuple[int, str]]) -> Iterator[dict[str, Any]]:
    ours, theirs = tee(rejected)
    file = str(log.path.resolve())
    names = log.names if isinstance(log, NamesColumns) else {}
    for (line, reason), raw in zip(ours, log.raws(line for line, _ in theirs), strict=True):
        place = {"file": file, "line": line}
        if reason == UNSHOWN:
            yield {**place, "reason": reason, "message": _TOO_OLD, "raw": None}
            continue
        code, message = why(reason, raw, names)
        shown = raw.decode(errors="backslashreplace").rstrip("\r")
        yield {**place, "reason": code, "message": message, "raw": shown}


_TOO_OLD = "it is older than this workspace keeps events, and its text is not kept here either"


def why(reason: str, raw: bytes, names: Mapping[str, str] = _NATIVE) -> tuple[str, str]:
    """The finer reason, where a line could not be read at all, and a sentence for a person.

    Args:
        reason: As native_rows.sql or the source has it.
        raw: What the log says in the row.
        names: Native key -> column or path in the row; {} where it is a native line.
    """
    if reason.startswith(MARK):  # the source itself has said it
        code, _, message = reason.removeprefix(MARK).partition(MARK)
        return code, message
    try:
        text = raw.decode()
    except UnicodeDecodeError as error:
        return "bad_utf8", f"byte {error.start + 1} of the line is no UTF-8; save the log as UTF-8"
    if "\0" in text:
        return "nul_character", "the line holds NUL bytes, as after a crash of the logger"
    if reason == "bad_json":
        return _why_no_json(text)
    return reason, _sentence(reason, text, names)


def _sentence(reason: str, text: str, names: Mapping[str, str]) -> str:
    if fields := FIELDS.get(reason):
        return f"{_blamed(text, fields, names)}; {ADVICE[reason]}"
    if reason == "told_by_searches":
        return "its search told it, and is not known here; import the exported table of searches"
    if reason == "nothing_happened":
        return "it names a search, but nothing that happened in it; add clicks, conversions, …"
    if reason == "duplicate_key":
        return f"{_repeated_key(text)} stands twice; write it once"
    if reason == "not_an_object":
        return f"{_shortened(text.strip())} is no JSON object; write one object a line"
    return "a text holds the character U+0000; leave it out"


def _why_no_json(text: str) -> tuple[str, str]:
    try:
        event = json.loads(text, parse_constant=_refuse_constant)
        json.dumps(event, ensure_ascii=False).encode()
    except json.JSONDecodeError as error:
        unfinished = error.msg.startswith("Unterminated") or error.pos >= len(text.rstrip())
        cut = ", the line may be cut off" if unfinished else ""
        return "bad_json", f"{error.msg} at column {error.colno}{cut}; write one object a line"
    except UnicodeEncodeError:
        return (
            "lone_surrogate",
            "half of a \\ud800 to \\udfff pair stands alone; write both or none",
        )
    except RecursionError:
        return "bad_json", "it is nested too deeply to be read; write one flat object a line"
    except ValueError as error:
        return "bad_json", f"{error}; write one JSON object a line"
    return "bad_json", "DuckDB cannot read the line as JSON; write one object a line"


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON number")


def _repeated_key(text: str) -> str:
    try:
        pairs: list[tuple[str, Any]] = json.loads(text, object_pairs_hook=list)
    except (ValueError, RecursionError):  # too long a number, too deep a list: no reason to fail
        return "a key"
    repeated = next(_keys_twice(pairs), None)
    return f"the key {repeated!r}" if repeated is not None else "a key"


def _keys_twice(value: Any) -> Iterator[str]:
    """Keys that stand twice in one object; objects are lists of pairs here."""
    if isinstance(value, tuple):
        yield from _keys_twice(value[1])
    elif isinstance(value, list):
        counted = Counter(pair[0] for pair in value if isinstance(pair, tuple))
        yield from (key for key, n in counted.items() if n > 1)
        for part in value:
            yield from _keys_twice(part)


def _blamed(text: str, fields: tuple[str, ...], names: Mapping[str, str]) -> str:
    """What a line says about the first of these fields that it has, short enough for a sentence."""
    try:
        line = json.loads(text)
        if names:
            line = {key: pick(line, path.split(".")) for key, path in names.items()}
        given = [name for name in fields if line.get(name) not in (None, [])]
        if len(given) > 1 and ISO_8601.fullmatch(str(line.get("timestamp"))):
            given = [name for name in given if name != "timestamp"]
        field = given[0] if given else fields[0]
        value = line.get(field)
    except (ValueError, RecursionError, AttributeError):
        return f"{fields[0]} is not as it should be"
    column = names.get(field, field)
    field = field if column == field else f"{column} ({field})"
    if value is None:
        return f"{field} is missing or null"
    return f"{field} is {_shortened(json.dumps(value, ensure_ascii=False))}"


def _shortened(text: str) -> str:
    return text if len(text) <= 60 else text[:57] + "..."
