"""The shared types of the field: documents, queries, qrels, runs."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

Qrels: TypeAlias = Mapping[str, Mapping[str, int]]
"""query_id -> doc_id -> grade, whole numbers; 0 to 3 in Goldsmith, any in foreign folders."""

Run: TypeAlias = Mapping[str, Mapping[str, float]]
"""query_id -> doc_id -> score, higher is better."""

Progress: TypeAlias = Callable[[str, int, int | None], None]
"""Called with what is being done, how much of it is done, and of how much (None: unknown).

It may raise to cancel; whoever reports progress lets that exception through.
"""


class EvalsError(Exception):
    """One clear message: what went wrong, where, and what to do."""

    def __init__(self, message: str, *, where: str | None = None, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.where = where
        self.hint = hint


@dataclass(frozen=True, slots=True)
class Document:
    """One document of the corpus.

    Attributes:
        doc_id: Its id, always text: "007" stays "007".
        title: Its title, "" where it has none.
        text: Its text, "" allowed, never None.
        metadata: Further fields, JSON values.
    """

    doc_id: str
    title: str
    text: str
    metadata: Mapping[str, Any] = field(default_factory=dict)

    @property
    def encoder_text(self) -> str:
        """The text given to an encoder, as in mteb: title and text, or the text alone."""
        return f"{self.title} {self.text}".strip() if self.title else self.text.strip()


@dataclass(frozen=True, slots=True)
class Sample:
    """How a query was drawn from a search log.

    Attributes:
        stratum: Which part of the log it was drawn from.
        inclusion_probability: With which chance it was drawn, above 0 and at most 1.
        searches: How often the log has it; 0 where that is not told.
    """

    stratum: str
    inclusion_probability: float
    searches: int = 0

    @property
    def weight(self) -> float:
        """How many queries of the log it stands for: 1 / its inclusion probability."""
        return 1 / self.inclusion_probability


@dataclass(frozen=True, slots=True)
class Validation:
    """The drawing of synthetic queries for validation by people, as one of them sees it.

    Attributes:
        stratum: Which part of the synthetic queries it belongs to.
        probability: With which chance it was drawn for the experts, from 0 to 1; drawn or not.
    """

    stratum: str
    probability: float


@dataclass(frozen=True, slots=True)
class Query:
    """One query.

    Attributes:
        query_id: Its id, always text.
        text: What was typed.
        need: The information need behind it, "" where nobody wrote it down.
        tags: Its tags, for breakdowns.
        source: Where it came from: import, log, synthetic, manual.
        sample: How it was drawn from a search log; None where it was not.
        validated: Of a synthetic query whether all its grades in the folder are people's; False
            where the grade that came with it from a language model counts. None of other queries,
            and where the folder does not tell.
        validation: Of a synthetic query its part in the drawing for validation; None without one.
    """

    query_id: str
    text: str
    need: str = ""
    tags: tuple[str, ...] = ()
    source: str = "import"
    sample: Sample | None = None
    validated: bool | None = None
    validation: Validation | None = None
