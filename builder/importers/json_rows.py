"""Rows of JSON: one object a line, or one array of objects."""

import json
import math
from collections.abc import Iterator
from typing import IO, Any, NoReturn

from builder.errors import ImportFailedError
from builder.importers.lines import Lines
from builder.importers.rows import FaultError, Row

LARGEST_ARRAY = 1 << 26
"""Bytes of a JSON array, which has to be in memory as a whole; JSON lines may be of any size."""


def json_lines(file: str, stream: IO[bytes]) -> Iterator[Row]:
    """Each line that is not blank, as one JSON object."""
    lines = Lines(stream)
    for line in lines:
        number, raw, fault = lines.take()
        if raw.isspace():
            continue
        try:
            cells = {} if fault else _object(line)
        except FaultError as error:
            cells, fault = {}, error
        yield Row(file, number, raw.rstrip(b"\r\n"), cells, fault)


def json_array(file: str, stream: IO[bytes], where: str) -> Iterator[Row]:
    """Each element of the one array in the file; their numbers count from 1.

    Raises:
        ImportFailedError: The file is no JSON, no array, or larger than 64 MB.
    """
    content = stream.read(LARGEST_ARRAY + 1)
    if len(content) > LARGEST_ARRAY:
        raise ImportFailedError(
            f"The file is one JSON array of more than {LARGEST_ARRAY >> 20} MB.",
            where=where,
            hint="Write one object a line: jq -c '.[]' FILE > FILE.jsonl",
        )
    try:
        elements = DECODER.decode(content.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise ImportFailedError(f"The file is no JSON: {error}.", where=where) from error
    if not isinstance(elements, list):
        raise ImportFailedError("The file is JSON, but no array of objects.", where=where)
    for number, element in enumerate(elements, start=1):
        fault = None if isinstance(element, dict) else _no_object(element)
        cells = element if isinstance(element, dict) else {}
        yield Row(file, number, json.dumps(element, ensure_ascii=False), cells, fault)


def _object(line: str) -> dict[str, Any]:
    try:
        value = DECODER.decode(line)
    except RecursionError as error:
        raise FaultError("bad_json", "The JSON is nested too deeply.") from error
    except ValueError as error:
        raise FaultError(
            "bad_json", f"Not a JSON object: {error}. Each line is one whole object."
        ) from error
    if not isinstance(value, dict):
        raise _no_object(value)
    return value


def _no_object(value: object) -> FaultError:
    kind = "null" if value is None else type(value).__name__
    return FaultError("bad_json", f"A JSON object is needed, and this is of the type {kind}.")


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in made if keys.count(key) > 1)
        raise ValueError(f"the key {twice!r} stands there twice")
    return made


def _refuse_constant(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not JSON")


def _finite(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise ValueError(f"{digits:.40} is beyond what a number can be")
    return number


# Not strict: control characters inside of a text are told as such, not as broken JSON.
DECODER = json.JSONDecoder(
    object_pairs_hook=_unique,
    parse_constant=_refuse_constant,
    parse_float=_finite,
    strict=False,
)
