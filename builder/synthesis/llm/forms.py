"""The small JSON schemas of our answers: checked by us, whatever a server says it enforces.

Understood: type, properties, required, additionalProperties (true or false), items, minItems,
maxItems, minLength, maxLength, minimum, maximum, enum. Servers answer 200 and ignore a schema, cut
strings at `maxLength` in the middle of a word, or hold to it: so it is always checked here.
"""

import json
from collections.abc import Callable, Mapping
from typing import Any

_TYPES: dict[str, Callable[[Any], bool]] = {
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
    "string": lambda value: isinstance(value, str),
    "boolean": lambda value: isinstance(value, bool),
    "null": lambda value: value is None,
    "integer": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "number": lambda value: isinstance(value, int | float) and not isinstance(value, bool),
}
_BOUNDS = ("minItems", "maxItems", "minLength", "maxLength", "minimum", "maximum")
_PARTS = ("type", "properties", "required", "additionalProperties", "items", "enum")
_WORDS = frozenset({*_BOUNDS, *_PARTS, "title", "description"})
_NOT_SENT = frozenset({"minLength", "maxLength"})
"""Refused by OpenAI's strict form, as users report; llama_cpp.server ends a string at `maxLength`
wherever it is (measured)."""


def check_schema(schema: Mapping[str, Any], where: str = "answer") -> None:
    """See that all of the schema is understood here.

    Raises:
        ValueError: It uses a word of JSON schema that `misfit` would pass over, or no known type.
    """
    unknown = sorted(set(schema) - _WORDS)
    if unknown:
        raise ValueError(f"the schema of {where} uses {', '.join(unknown)}, which is not checked")
    if schema.get("type") not in _TYPES:
        raise ValueError(f"the schema of {where} has no known type")
    for name, part in schema.get("properties", {}).items():
        check_schema(part, f"{where}.{name}")
    if "items" in schema:
        check_schema(schema["items"], f"{where}[]")


def misfit(value: Any, schema: Mapping[str, Any], where: str = "answer") -> str | None:
    """Why the value does not fit the schema, or None where it does; the first thing only.

    >>> misfit({"queries": "one"}, {"type": "object", "properties": {"queries": {"type": "array"}}})
    'answer.queries is no array'
    """
    if not _TYPES[schema["type"]](value):
        return f"{where} is no {schema['type']}"
    if "enum" in schema and value not in schema["enum"]:
        return f"{where} is none of {json.dumps(schema['enum'], ensure_ascii=False)}"
    check = next((check for kind, check in _CHECKS.items() if isinstance(value, kind)), None)
    return None if check is None else check(value, schema, where)


def sent_schema(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The schema as a server is to hold to it: without what servers refuse or get wrong."""
    sent = {word: value for word, value in schema.items() if word not in _NOT_SENT}
    if "properties" in sent:
        parts = sent["properties"]
        sent["properties"] = {name: sent_schema(part) for name, part in parts.items()}
    if "items" in sent:
        sent["items"] = sent_schema(sent["items"])
    return sent


def pattern_of(schema: Mapping[str, Any]) -> str:
    """What an answer looks like, as JSON with "…" for each text, for models that read no schema.

    >>> pattern_of({"type": "object", "properties": {"queries": {"type": "array", "minItems": 2,
    ...     "items": {"type": "string"}}}})
    '{"queries": ["…", "…"]}'
    """
    return json.dumps(_pattern(schema), ensure_ascii=False)


def _pattern(schema: Mapping[str, Any]) -> Any:
    if "enum" in schema:
        return schema["enum"][0]
    if schema["type"] == "object":
        return {name: _pattern(part) for name, part in schema.get("properties", {}).items()}
    if schema["type"] == "array":
        times = max(1, int(schema.get("minItems", 1)))
        return [_pattern(schema.get("items", {"type": "string"}))] * times
    others: dict[str, Any] = {"string": "\u2026", "boolean": True, "null": None}
    return others.get(schema["type"], schema.get("minimum", 0))


def _object_misfit(value: dict[str, Any], schema: Mapping[str, Any], where: str) -> str | None:
    properties: Mapping[str, Any] = schema.get("properties", {})
    absent = [name for name in schema.get("required", ()) if name not in value]
    if absent:
        return f"{where} lacks {', '.join(absent)}"
    more = [name for name in value if name not in properties]
    if more and schema.get("additionalProperties", True) is False:
        return f"{where} has {', '.join(more[:3])}, which nobody asked for"
    held = ((name, part) for name, part in properties.items() if name in value)
    found = (misfit(value[name], part, f"{where}.{name}") for name, part in held)
    return next((reason for reason in found if reason), None)


def _array_misfit(value: list[Any], schema: Mapping[str, Any], where: str) -> str | None:
    reason = _bounds(len(value), schema, ("minItems", "maxItems"), f"{where} has entries:")
    if reason or "items" not in schema:
        return reason
    found = (misfit(part, schema["items"], f"{where}[{n}]") for n, part in enumerate(value))
    return next((reason for reason in found if reason), None)


def _text_misfit(value: str, schema: Mapping[str, Any], where: str) -> str | None:
    return _bounds(len(value), schema, ("minLength", "maxLength"), f"{where} has characters:")


def _number_misfit(value: float, schema: Mapping[str, Any], where: str) -> str | None:
    return _bounds(value, schema, ("minimum", "maximum"), f"{where} is")


def _bounds(
    number: float, schema: Mapping[str, Any], words: tuple[str, str], said: str
) -> str | None:
    low, high = schema.get(words[0]), schema.get(words[1])
    if low is not None and number < low:
        return f"{said} {number}, at least {low} are asked for"
    if high is not None and number > high:
        return f"{said} {number}, at most {high} are asked for"
    return None


_CHECKS: dict[type, Callable[[Any, Mapping[str, Any], str], str | None]] = {
    dict: _object_misfit,
    list: _array_misfit,
    str: _text_misfit,
    int: _number_misfit,
    float: _number_misfit,
}
