"""JSON in what a model wrote: alone, in a fence, or amid prose."""

import json
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from builder.synthesis.llm.forms import misfit


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")


_DECODER = json.JSONDecoder(parse_constant=_no_constant, strict=False)
_MOST_TRIES = 200
"""Braces at which an object is looked for: more stand in no answer that is any good."""


class Found(NamedTuple):
    """An answer of the form asked for, or why there is none."""

    payload: dict[str, Any] | None
    reason: str


def find_answer(text: str, schema: Mapping[str, Any]) -> Found:
    """The answer in `text` that fits the schema.

    The text as a whole counts first; then, of objects in fences and amid prose, the last that
    fits: models repeat the pattern of the answer, and think aloud, before they answer.
    """
    answer = text.rpartition("</think>")[2].strip()
    whole = _parsed(answer)
    if isinstance(whole, dict) and misfit(whole, schema) is None:
        return Found(whole, "")
    reasons: list[str] = []
    fitting: dict[str, Any] | None = None
    for value in _objects(answer):
        reason = misfit(value, schema)
        if reason is None:
            fitting = value
        else:
            reasons.append(reason)
    if fitting is not None:
        return Found(fitting, "")
    return Found(None, _why(whole, reasons, schema))


def read_json(text: str) -> Any:
    """The JSON value of the whole text; line ends in its strings are taken as they stand.

    llama.cpp's own grammar of JSON lets a model write them.

    Raises:
        ValueError: It is none, goes too deep, or holds NaN or Infinity, which JSON does not know.
    """
    try:
        return _DECODER.decode(text)
    except RecursionError as error:
        raise ValueError("the JSON goes too deep") from error


def _parsed(text: str) -> Any:
    try:
        return read_json(text)
    except ValueError:
        return None


def _objects(text: str) -> Iterator[dict[str, Any]]:
    for fence in text.split("```")[1::2]:
        # What stands before the first brace is the name of a language.
        value = _parsed(fence[max(0, fence.find("{")) :].strip())
        if isinstance(value, dict):
            yield value
    place = text.find("{")
    for _ in range(_MOST_TRIES):
        if place < 0:
            return
        try:
            value, place = _DECODER.raw_decode(text, place)
            yield value
        except (ValueError, RecursionError):
            place += 1
        place = text.find("{", place)


def _why(whole: Any, reasons: list[str], schema: Mapping[str, Any]) -> str:
    if reasons:
        return reasons[0]
    if whole is not None:
        return str(misfit(whole, schema))
    return "no whole JSON object is in it"
