"""The validated shape of one event, and what goes wrong in this room."""

import re
from datetime import datetime
from typing import Annotated, Any

from pydantic import (
    AfterValidator,
    AwareDatetime,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StrictStr,
    model_validator,
)

ISO_8601 = re.compile(
    r"(19[7-9]\d|2\d{3})-\d\d-\d\d[T ]([01]\d|2[0-3]):\d\d(:\d\d(\.\d+)?)?"
    r"(Z|[+-]([01]\d|2[0-3])(:?[0-5]\d)?)"
)
"""A time that is taken from text, as in sql/duckdb/native_rows.sql."""


class OnlineError(Exception):
    """One clear message: what went wrong, where, and what to do."""

    def __init__(self, message: str, *, where: str | None = None, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.where = where
        self.hint = hint


def _digits_as_text(value: Any) -> Any:
    """A whole JSON number is the text of its digits; anything else is left to the next check."""
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


def _whole_number(value: Any) -> Any:
    """2.0 is 2, as data frames write it; true, "2" and 1.5 are no ranks."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if value is not None and (isinstance(value, bool) or not isinstance(value, int)):
        raise ValueError(f"{value!r} is no whole number")
    return value


def _zoned(value: Any) -> datetime:
    """A naive datetime object is local time, as in Python itself; text must carry its zone."""
    if isinstance(value, datetime):
        return value.astimezone()
    if not (isinstance(value, str) and ISO_8601.fullmatch(value)):
        raise ValueError("write ISO 8601 with a zone, such as 2026-11-30T12:00:00Z")
    return datetime.fromisoformat(value)


def _without_nul(value: str) -> str:
    if "\0" in value:
        raise ValueError("holds the character U+0000")
    return value


Text = Annotated[StrictStr, AfterValidator(_without_nul)]
Rank = Annotated[int, Field(ge=1, le=10**9)]
Id = Annotated[Text, BeforeValidator(_digits_as_text), Field(min_length=1)]


class SearchEvent(BaseModel):
    """One submitted query, its result list and at most one click, as one line of a log.

    Further keys are kept (`model_extra`), as the lake keeps them.

    Attributes:
        timestamp: When the query was submitted, with its zone. A naive `datetime` object is taken
            as local time, as Python does; naive text is refused.
        query: What was typed; "" is allowed, and counted where events are imported.
        session_id: The visit it belongs to; None where the log knows none.
        model_version: What ranked the results, such as "bm25" or "minilm-2".
        retrieved_doc_ids: The results in the order shown; [] where nothing was found.
        clicked_doc_id: The document that was clicked; None where none was.
        click_rank: Where it stood, absolute and 1-based; None where the log does not say.
        event_id: The log's own name for this event; None where it has none.
    """

    model_config = ConfigDict(frozen=True, extra="allow")

    timestamp: Annotated[AwareDatetime, BeforeValidator(_zoned)]
    query: Text
    session_id: Id | None = None
    model_version: Id
    retrieved_doc_ids: tuple[Id, ...]
    clicked_doc_id: Id | None = None
    click_rank: Annotated[Rank | None, BeforeValidator(_whole_number)] = None
    event_id: Id | None = None

    @model_validator(mode="after")
    def _rank_belongs_to_a_click(self) -> "SearchEvent":
        if self.click_rank is not None and self.clicked_doc_id is None:
            raise ValueError("click_rank without clicked_doc_id: nothing was clicked at that rank")
        return self
