"""Reads the JSON that Label Studio exports: each annotation of a task is one judgment.

For projects whose labelling interface is the one that `goldsmith judgments export` writes: choices
named `grade` (0 to 3, or cannot_judge) and texts named `comment` and `reason`; a rating of 0 to 3
stars counts as a grade too. A skipped task is a skip.
"""

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, Any

from builder.errors import ImportFailedError
from builder.importers.json_stream import array_elements
from builder.importers.rows import FaultError, Row, Shape, shown
from evals.qrels import DOC_NAMES, QUERY_NAMES

CANNOT_JUDGE = "cannot_judge"

_ANNOTATIONS = re.compile(r'(?<!\\)"annotations"\s*:\s*\[')
_BESIDE = re.compile(r'(?<!\\)"(data|completed_by|was_cancelled)"\s*:')

# What else an annotation says of itself; none of it is the rater's word.
_KNOWN = {"id", "completed_by", "result", "was_cancelled", "skipped", "created_at", "updated_at"}
_KNOWN |= {"lead_time", "kind", "ground_truth", "draft_created_at", "prediction", "result_count"}
_KNOWN |= {"unique_id", "import_id", "last_action", "bulk_created", "task", "project"}
_KNOWN |= {"updated_by", "parent_prediction", "parent_annotation", "last_created_by"}
_KNOWN |= {"created_username", "created_ago"}


def is_export(head: Sequence[str]) -> bool:
    """Whether these are the first lines of an array of tasks with annotations."""
    text = "\n".join(head).lstrip()
    return bool(text.startswith("[") and _ANNOTATIONS.search(text) and _BESIDE.search(text))


def annotation_rows(path: Path, stream: IO[bytes], shape: Shape) -> Iterator[Row]:
    """The judgments of an export; their numbers are those of the tasks, from 1.

    Raises:
        ImportFailedError: The file is no whole JSON array.
    """
    if shape.what != "judgments":
        raise ImportFailedError(f"A Label Studio export holds no {shape.what}.", where=str(path))
    for number, task in enumerate(array_elements(stream, str(path)), start=1):
        yield from _task_rows(path.name, number, task)


def _task_rows(file: str, number: int, task: Any) -> Iterator[Row]:
    fields = task.get("data") if isinstance(task, dict) else None
    annotations = task.get("annotations", []) if isinstance(task, dict) else None
    if not isinstance(fields, dict) or not isinstance(annotations, list):
        fault = FaultError("bad_json", "A task has an object `data` and a list `annotations`.")
        yield Row(file, number, json.dumps(task, ensure_ascii=False), {}, fault)
        return
    ids = {name: fields[name] for name in (*QUERY_NAMES, *DOC_NAMES) if name in fields}
    # `query` is what raters read; the id stands beside it.
    text = ids.pop("query", None)
    if not ids.keys() & set(QUERY_NAMES) and text is not None:
        ids["query"] = text
    for annotation in annotations:
        yield _row(file, number, ids, annotation)


def _row(file: str, number: int, ids: Mapping[str, Any], annotation: Any) -> Row:
    raw = json.dumps({**ids, "annotation": annotation}, ensure_ascii=False)
    if not isinstance(annotation, dict):
        return Row(file, number, raw, {}, FaultError("bad_json", "An annotation is no object."))
    try:
        cells = _cells(annotation)
    except FaultError as fault:
        return Row(file, number, raw, {}, fault)
    return Row(file, number, raw, {**ids, **cells})


def _cells(annotation: Mapping[str, Any]) -> dict[str, Any]:
    said, ignored = _said(annotation.get("result"))
    cells = {name: value for name, value in annotation.items() if name not in _KNOWN}
    is_skip = annotation.get("was_cancelled") is True or annotation.get("skipped") is True
    grade = said.get("grade")
    outcome = "skip" if is_skip else CANNOT_JUDGE if grade == CANNOT_JUDGE else None
    if ignored:
        cells["result"] = ignored
    return cells | {
        # What a skipped task holds is a draft, not an answer.
        "grade": None if outcome else grade,
        "outcome": outcome,
        "comment": said.get("comment", ""),
        "reason": said.get("reason", ""),
        "rater": _rater(annotation.get("completed_by")),
        "timestamp": annotation.get("updated_at") or annotation.get("created_at"),
        "milliseconds": _milliseconds(annotation.get("lead_time")),
        "kind": annotation.get("kind"),
    }


def _said(result: Any) -> tuple[dict[str, Any], list[Any]]:
    """What the annotation says by the names of our interface, and what it says besides."""
    said: dict[str, Any] = {}
    ignored = []
    for part in result if isinstance(result, list) else []:
        value = part.get("value") if isinstance(part, dict) else None
        name, told = _answer(part, value) if isinstance(value, dict) else (None, None)
        if name is None:
            ignored.append(part)
            continue
        if said.get(name, told) != told:
            raise FaultError(
                "contradictory", f"The annotation says two things as its {name}: {shown(result)}."
            )
        said[name] = told
    return said, ignored


def _answer(part: Mapping[str, Any], value: Mapping[str, Any]) -> tuple[str | None, Any]:
    """Which question a part answers, and how."""
    kind, name = part.get("type"), part.get("from_name")
    if kind == "choices" and isinstance(value.get("choices"), list):
        chosen = value["choices"]
        if len(chosen) != 1:
            raise FaultError("bad_grade", f"The choices are {shown(chosen)}; one is a grade.")
        return "grade", chosen[0]
    if kind == "rating" and "rating" in value:
        return "grade", value["rating"]
    if kind == "textarea" and name in ("comment", "reason"):
        texts = value.get("text")
        lines = texts if isinstance(texts, list) else [texts]
        return name, "\n".join(line for line in lines if isinstance(line, str))
    return None, None


def _rater(completed_by: Any) -> Any:
    """The e-mail address, else the name, else the number by which the export knows the person."""
    if isinstance(completed_by, dict):
        names = (completed_by.get("first_name"), completed_by.get("last_name"))
        name = " ".join(part for part in names if isinstance(part, str) and part)
        completed_by = completed_by.get("email") or name or completed_by.get("id")
    if isinstance(completed_by, int) and not isinstance(completed_by, bool):
        return f"label-studio-{completed_by}"
    return completed_by


def _milliseconds(seconds: Any) -> int | None:
    if isinstance(seconds, bool) or not isinstance(seconds, int | float):
        return None
    return round(seconds * 1000) if math.isfinite(seconds) and seconds >= 0 else None
