"""The validated shape of one event, and what goes wrong in this room."""

import re
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any

from pydantic import (
    AfterValidator,
    AwareDatetime,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StrictBool,
    StrictStr,
    model_validator,
)

ISO_8601 = re.compile(
    r"(19[7-9]\d|2\d{3})-\d\d-\d\d[T ]([01]\d|2[0-3]):\d\d(:\d\d(\.\d+)?)?"
    r"(Z|[+-]([01]\d|2[0-3])(:?[0-5]\d)?)"
)
"""A time that is taken from text, as in sql/duckdb/macros.sql."""
SINCE_1970 = re.compile(r"\d{1,19}(\.\d{1,20})?([eE]\+?\d{1,2})?")
"""A time that is taken from a number, or from text of its digits."""
CALENDAR = re.compile(
    r"(19|20)\d\d(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])(([01]\d|2[0-3])[0-5]\d[0-5]\d(\d{3})?)?"
)
"""Digits that read as a date, maybe with its time: no number of anything since 1970."""
UNITS_A_SECOND = ((1e11, 1), (1e14, 1_000), (1e17, 1_000_000), (float("inf"), 1_000_000_000))
"""Below which size a number counts seconds, milliseconds, microseconds, nanoseconds."""
YEAR_1990_S = 631_152_000
"""No log is older: a smaller number counts something else."""
YEAR_3000_S = 32_503_680_000


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
    if isinstance(value, str) and ISO_8601.fullmatch(value):
        return datetime.fromisoformat(value)
    text = str(value) if isinstance(value, int | float) and not isinstance(value, bool) else value
    if not (isinstance(text, str) and SINCE_1970.fullmatch(text)) or CALENDAR.fullmatch(text):
        raise ValueError("write ISO 8601 with a zone, such as 2026-11-30T12:00:00Z")
    return _since_1970(float(text))


def _since_1970(number: float) -> datetime:
    seconds = number / next(units for below, units in UNITS_A_SECOND if number < below)
    if seconds >= YEAR_3000_S:
        raise ValueError("the time lies behind the year 2999")
    if seconds < YEAR_1990_S:
        raise ValueError("the time lies before the year 1990")
    return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=seconds)


def _number(value: Any) -> Any:
    if value is not None and (isinstance(value, bool) or not isinstance(value, int | float)):
        raise ValueError(f"{value!r} is no number")
    return value


def _without_nul(value: str) -> str:
    if "\0" in value:
        raise ValueError("holds the character U+0000")
    return value


Text = Annotated[StrictStr, AfterValidator(_without_nul)]
Word = Annotated[Text, Field(min_length=1)]
Rank = Annotated[int, BeforeValidator(_whole_number), Field(ge=1, le=10**9)]
Count = Annotated[int, BeforeValidator(_whole_number), Field(ge=0, le=2**63 - 1)]
LARGEST = 1e15
"""Sums of larger numbers could leave the range of numbers."""
Amount = Annotated[float, BeforeValidator(_number), Field(ge=0, le=LARGEST, allow_inf_nan=False)]
Value = Annotated[
    float, BeforeValidator(_number), Field(ge=-LARGEST, le=LARGEST, allow_inf_nan=False)
]
Id = Annotated[Text, BeforeValidator(_digits_as_text), Field(min_length=1)]
Moment = Annotated[AwareDatetime, BeforeValidator(_zoned)]


class _Thing(BaseModel):
    """Something that happened in a search; further keys are kept.

    Attributes:
        doc_id: The document; None where the log does not say.
        rank: Where it stood, absolute and 1-based; None where the log does not say.
        timestamp: When it happened; as that of `SearchEvent`.
    """

    model_config = ConfigDict(frozen=True, extra="allow")

    doc_id: Id | None = None
    rank: Rank | None = None
    timestamp: Moment | None = None


class Click(_Thing):
    """A click on a result.

    Attributes:
        dwell_s: How long the document was looked at, in seconds.
    """

    dwell_s: Amount | None = None


class Conversion(_Thing):
    """What a search is for: a purchase, a download, a solved ticket.

    Attributes:
        value: What it was worth, in one currency or unit throughout.
        action: The log's word for it.
    """

    value: Value | None = None
    action: Word | None = None


class Impression(_Thing):
    """A document that was seen."""


class SearchEvent(BaseModel):
    """One submitted query, its result list and what happened then, as one line of a log.

    Further keys are kept (`model_extra`), as the lake keeps them.

    Attributes:
        timestamp: When the query was submitted, with its zone. A naive `datetime` object is taken
            as local time, as Python does; naive text is refused. A number, or text of its digits,
            counts seconds, milliseconds, microseconds or nanoseconds since 1970, by its size.
        query: What was typed; "" is allowed, and counted where events are imported.
        session_id: The visit it belongs to; None where the log knows none.
        model_version: What ranked the results, such as "bm25" or "minilm-2".
        retrieved_doc_ids: The results in the order shown; [] where nothing was found, None where
            the log does not tell (`results_logged` is False).
        clicked_doc_id: The document that was clicked; None where none was.
        click_rank: Where it stood, absolute and 1-based; None where the log does not say.
        event_id: The log's own name for this event; None where it has none.
        search_id: The log's name for the search: lines with the same are one search.
        user_id: Who searched.
        offset: How many results came before the first that is listed.
        tags: Labels such as "mobile".
        clicks: Further clicks, beside `clicked_doc_id`.
        conversions: What the search led to.
        impressions: Documents that were seen.
        action: Something else that happened, known by its name only.
        total_hits: How many documents matched.
        latency_ms: How long the search took, in milliseconds.
        dwell_s: How long `clicked_doc_id` was looked at, in seconds.
        results_logged: False where the log does not tell the results.
    """

    model_config = ConfigDict(frozen=True, extra="allow")

    timestamp: Moment
    query: Text
    session_id: Id | None = None
    model_version: Id
    retrieved_doc_ids: tuple[Id, ...] | None = None
    clicked_doc_id: Id | None = None
    click_rank: Rank | None = None
    event_id: Id | None = None
    search_id: Id | None = None
    user_id: Id | None = None
    offset: Annotated[Count | None, Field(le=10**9)] = None
    tags: tuple[Text, ...] | None = None
    clicks: tuple[Click, ...] | None = None
    conversions: tuple[Conversion, ...] | None = None
    impressions: tuple[Impression, ...] | None = None
    action: Word | None = None
    total_hits: Count | None = None
    latency_ms: Amount | None = None
    dwell_s: Amount | None = None
    results_logged: StrictBool | None = None

    @property
    def is_clicked(self) -> bool:
        """Whether anything was clicked."""
        return self.clicked_doc_id is not None or bool(self.clicks)

    @property
    def best_click_rank(self) -> int | None:
        """The rank of the best-ranked click; None without one, or where no rank is known."""
        ranks = [click.rank for click in self.clicks or ()]
        return min((rank for rank in (self.click_rank, *ranks) if rank is not None), default=None)

    @model_validator(mode="after")
    def _results_are_told(self) -> "SearchEvent":
        if self.retrieved_doc_ids is None and self.results_logged is not False:
            raise ValueError("retrieved_doc_ids is missing; write [] where nothing was found")
        return self

    @model_validator(mode="after")
    def _rank_belongs_to_a_click(self) -> "SearchEvent":
        if self.click_rank is not None and self.clicked_doc_id is None:
            raise ValueError("click_rank without clicked_doc_id: nothing was clicked at that rank")
        return self

    @model_validator(mode="after")
    def _things_name_their_documents(self) -> "SearchEvent":
        things = (*(self.clicks or ()), *(self.impressions or ()))
        if self.action is None and any(thing.doc_id is None for thing in things):
            raise ValueError("a click or impression without doc_id, and no action says what it is")
        return self
