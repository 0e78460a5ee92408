"""How queries are drawn from the log: what a person asks for."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, Self, TypeAlias, get_args

from builder.errors import BuilderError
from builder.mining.choices import choice_as_json, choice_from_json
from online.engines import Choice
from online.query_frame import MOST_SEED

Method: TypeAlias = Literal["stratified", "random", "traffic"]
By: TypeAlias = Literal["traffic", "tag", "class", "language", "outcome"]
Allocation: TypeAlias = Literal["equal", "proportional"]
Handling: TypeAlias = Literal["drop", "mask", "keep"]
METHODS: tuple[Method, ...] = get_args(Method)
BYS: tuple[By, ...] = get_args(By)
ALLOCATIONS: tuple[Allocation, ...] = get_args(Allocation)
HANDLINGS: tuple[Handling, ...] = get_args(Handling)
MOST_QUERIES = 100_000


@dataclass(frozen=True, slots=True)
class Sampling:
    """How queries are drawn from the log.

    Attributes:
        limit: How many queries at most, known ones among them.
        method: "stratified": so many from each stratum; "random": every query alike; "traffic":
            by how often a query is searched for.
        by: What parts the queries into strata: "traffic" (head, torso, tail), "tag", "class",
            "language", or "outcome" (zero_result, no_click, clicked). The reports of the other
            methods are by these strata, too.
        head: The most frequent queries that together make this share of the searches are the head.
        torso: The share of searches of the queries that come next; the rest is the tail.
        allocation: "equal": as many from each stratum; "proportional": by how many queries it has.
        seed: With the same seed and a greater limit the smaller sample is kept.
        min_sessions: Queries of fewer sessions are left out.
        personal: What becomes of queries that hold personal data: "drop" them, "mask" the data,
            or "keep" them as they are.
        merge_near: Whether queries that differ only in the order of words, endings, accents or
            punctuation are one.
        choice: Which events count.

    Raises:
        BuilderError: A number is out of its range, or a word is none of those above.
    """

    limit: int = 200
    method: Method = "stratified"
    by: By = "traffic"
    head: float = 0.5
    torso: float = 0.3
    allocation: Allocation = "equal"
    seed: int = 0
    min_sessions: int = 1
    personal: Handling = "drop"
    merge_near: bool = False
    choice: Choice = field(default_factory=Choice)

    def __post_init__(self) -> None:
        self._check_words()
        self._check_numbers()

    def _check_words(self) -> None:
        for name, words in _WORDS.items():
            if getattr(self, name) not in words:
                raise BuilderError(
                    f"{name} is {getattr(self, name)!r}", hint=f"It is one of {', '.join(words)}."
                )

    def _check_numbers(self) -> None:
        if not 1 <= self.limit <= MOST_QUERIES:
            raise BuilderError(f"limit is {self.limit}, must be from 1 to {MOST_QUERIES:,}")
        if not 0 <= self.seed <= MOST_SEED:
            raise BuilderError(f"seed is {self.seed}, must be from 0 to {MOST_SEED}")
        if self.min_sessions < 1:
            raise BuilderError(f"min_sessions is {self.min_sessions}, must be at least 1")
        if not (0 < self.head < 1 and 0 <= self.torso < 1 and self.head + self.torso <= 1):
            raise BuilderError(
                f"head is {self.head} and torso {self.torso}: shares of the searches",
                hint="Head is above 0 and below 1, and both together are at most 1.",
            )

    def as_json(self) -> dict[str, Any]:
        """The fields by name; `from_json` reads them again."""
        return asdict(self) | {"choice": choice_as_json(self.choice)}

    @classmethod
    def from_json(cls, told: Mapping[str, Any]) -> Self:
        """The options that `as_json` wrote."""
        return cls(**{**told, "choice": choice_from_json(told["choice"])})


_WORDS: dict[str, tuple[str, ...]] = {
    "method": METHODS,
    "by": BYS,
    "allocation": ALLOCATIONS,
    "personal": HANDLINGS,
}
