"""Deeds that can be repeated or taken back, as records: samplings and poolings alike."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from sqlalchemy import Row

from builder.store.moments import now_text


@dataclass(frozen=True, slots=True)
class Deed:
    """One record.

    Attributes:
        created_at: ISO 8601 in UTC.
        created_by: Who did it; untrusted.
        parameters: What was asked for, a JSON object.
        outcome: What came of it, a JSON object.
        taken_back_at: When it was taken back; None while it stands.
        taken_back_by: Who took it back; None while it stands.
    """

    created_at: str
    created_by: str
    parameters: Mapping[str, Any]
    outcome: Mapping[str, Any]
    taken_back_at: str | None
    taken_back_by: str | None


D = TypeVar("D", bound=Deed)


def new_deed(
    parameters: Mapping[str, Any], outcome: Mapping[str, Any], created_by: str
) -> dict[str, Any]:
    """The columns of a deed that is done now."""
    return {
        "created_at": now_text(),
        "created_by": created_by,
        "parameters": json_text(parameters),
        "outcome": json_text(outcome),
    }


def taken_back(by: str) -> dict[str, Any]:
    """The columns that change where a deed is taken back now."""
    return {"taken_back_at": now_text(), "taken_back_by": by}


def read_deed(kind: type[D], row: Row[Any]) -> D:
    """A row whose columns are called as the fields of its kind."""
    told = dict(row._mapping)  # noqa: SLF001 - public, so named to keep clear of columns
    texts = {name: json.loads(told[name]) for name in ("parameters", "outcome")}
    return kind(**told | texts)


def json_text(document: Any) -> str:
    """A document as the store keeps it.

    Raises:
        ValueError: It holds NaN or an infinity.
    """
    return json.dumps(document, ensure_ascii=False, allow_nan=False)
