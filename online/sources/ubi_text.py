"""A line of a UBI export as the record it holds: what wraps it differs by how it was exported."""

import json
from collections import Counter
from json import JSONDecoder
from typing import Any

from online.sources.ubi_records import Record, is_event, is_query

SNIFFED_LINES = 40
BULK_ACTIONS = frozenset(("index", "create", "update", "delete"))
OF_AN_ACTION = frozenset(
    {"routing", "version", "version_type", "if_seq_no", "if_primary_term", "pipeline", "op_type"}
    | {"require_alias", "retry_on_conflict", "dynamic_templates", "list_executed_pipelines"}
)
"""What the action line of a bulk file may say beside keys that begin with "_"."""


class RepeatedKeyError(ValueError):
    """An object has a key twice; the error's text is the key."""


def looks_like_ubi(head: bytes) -> bool:
    """Whether a log is one of UBI, by its first lines; the last of them may be cut off."""
    lines = [line for line in head.split(b"\n") if line.strip()][:SNIFFED_LINES]
    return any(_is_ubi(line) for line in lines)


def split(raw: bytes) -> tuple[str, bytes]:
    """The name of the index before a TAB, if there is one, and the rest without white space."""
    raw = raw.strip()
    if raw[:1] not in (b"{", b"[", b'"') and b"\t" in raw:
        index, _, raw = raw.partition(b"\t")
        return index.decode(errors="replace"), raw
    return "", raw


def bulk_action(record: Record) -> str | None:
    """The index that an action line of a bulk file names, "" for none; None for any other line."""
    if len(record) != 1:
        return None
    action, target = next(iter(record.items()))
    if action not in BULK_ACTIONS or not isinstance(target, dict):
        return None
    is_target = all(key.startswith("_") or key in OF_AN_ACTION for key in target)
    return str(target.get("_index", "")) if is_target else None


def decoded(body: bytes) -> Any:
    """What a line says as JSON.

    Raises:
        RepeatedKeyError: An object in it has a key twice, which parsers read differently.
        ValueError: It is no UTF-8 or no JSON.
        RecursionError: It is nested too deeply.
    """
    return _DECODER.decode(body.decode())


def unwrapped(record: Record) -> tuple[str, Record]:
    """The index that a search hit names and the record in it; "" and it as it is for none."""
    if isinstance(record.get("_source"), dict):
        return str(record.get("_index", "")), record["_source"]
    return "", record


def _is_ubi(raw: bytes) -> bool:
    try:
        record = json.loads(split(raw)[1])
    except (ValueError, RecursionError):
        return False
    if not isinstance(record, dict):
        return False
    _, record = unwrapped(record)
    return (is_event(record) or is_query(record)) and "retrieved_doc_ids" not in record


def _unique(pairs: list[tuple[str, Any]]) -> Record:
    record = dict(pairs)
    if len(record) != len(pairs):
        repeated = next(key for key, n in Counter(key for key, _ in pairs).items() if n > 1)
        raise RepeatedKeyError(repr(repeated))
    return record


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON number")


_DECODER = JSONDecoder(object_pairs_hook=_unique, parse_constant=_refuse_constant)
