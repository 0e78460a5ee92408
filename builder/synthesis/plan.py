"""What somebody asks of a language model: which documents, which queries, how much it may cost."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from math import isfinite
from typing import Any, Self

from builder.errors import BuilderError

TYPES = ("keyword", "question", "technical", "misspelt", "conversational")
"""The prompts that come with Goldsmith; a workspace may have more."""
MOST_DOCUMENTS = 100_000
MOST_TASKS = 200_000
MOST_PER_CALL = 20
MOST_EXAMPLES = 10
MOST_CONCURRENCY = 64
MOST_SEED = 2**31 - 1
LEAST_MAX_TOKENS, MOST_MAX_TOKENS = 32, 32_768
"""With fewer an answer of our form may not fit, whatever the model says; as in workspace.toml."""

_BY = ("random", "cluster", "length")
_LISTS = ("types", "retrievers")


@dataclass(frozen=True, slots=True)
class SynthPlan:
    """Which queries a language model is asked for.

    Attributes:
        documents: How many documents queries are written for.
        per_document: How many tasks each document has, each one passage and one type; the types
            rotate, so that all are equally frequent.
        per_call: How many queries each call is asked for.
        types: The prompts by name.
        by: How the documents are chosen: "random", "cluster", "length", or "field:NAME" for as
            many of each value of a field.
        seed: Of what is drawn by chance, and of the model.
        model: The model's name; None for the one in workspace.toml.
        base_url: The server; None for the one in workspace.toml, "" for OpenAI's.
        temperature: 0 to 2; None for the one in workspace.toml.
        max_tokens: What an answer may be long, in tokens; None for the one in workspace.toml.
        concurrency: How many calls may be on their way at once; None for workspace.toml's.
        max_calls: At most so many HTTP requests, failed ones too; None for no limit.
        max_total_tokens: At most so many tokens, sent and received; None for no limit.
        max_cost: At most so much money, in the currency of the price table; None for no limit.
        examples: How many of the team's own pairs are shown to the model in each call.
        retrievers: Which searches look whether a query finds its document: as those of a pool.
    """

    documents: int = 50
    per_document: int = 1
    per_call: int = 1
    types: tuple[str, ...] = TYPES
    by: str = "random"
    seed: int = 0
    model: str | None = None
    base_url: str | None = None
    temperature: float | None = None
    max_tokens: int | None = None
    concurrency: int | None = None
    max_calls: int | None = None
    max_total_tokens: int | None = None
    max_cost: float | None = None
    examples: int = 3
    retrievers: tuple[str, ...] = ("bm25", "minilm")

    def check(self) -> None:
        """Let pass what can be done.

        Raises:
            BuilderError: A number is out of its range, no type is named or one twice, or documents
                are to be chosen in a way that there is not.
        """
        _check_numbers(self)
        _check_caps(self)
        _check_words(self)

    def as_json(self) -> dict[str, Any]:
        """Every field, so that `from_json` gives the same plan."""
        return asdict(self) | {name: list(getattr(self, name)) for name in _LISTS}

    @classmethod
    def from_json(cls, told: Mapping[str, Any]) -> Self:
        """The plan of these fields; those that are not told are as if nobody had asked.

        Raises:
            BuilderError: A field is unknown.
        """
        unknown = sorted(told.keys() - {field.name for field in fields(cls)})
        if unknown:
            raise BuilderError(f"a synthesis knows nothing of {', '.join(unknown)}")
        lists = {
            name: (told[name],) if isinstance(told[name], str) else tuple(told[name])
            for name in _LISTS
            if name in told
        }
        return cls(**{**told, **lists})


def _check_numbers(plan: SynthPlan) -> None:
    for name, least, most in (
        ("documents", 1, MOST_DOCUMENTS),
        ("per_document", 1, MOST_TASKS),
        ("per_call", 1, MOST_PER_CALL),
        ("examples", 0, MOST_EXAMPLES),
        ("seed", 0, MOST_SEED),
        ("concurrency", 1, MOST_CONCURRENCY),
        ("max_tokens", LEAST_MAX_TOKENS, MOST_MAX_TOKENS),
    ):
        number = getattr(plan, name)
        if number is not None and not least <= number <= most:
            raise BuilderError(f"{name} is {number}, must be from {least} to {most:,}")
    if plan.documents * plan.per_document > MOST_TASKS:
        raise BuilderError(
            f"{plan.documents:,} documents with {plan.per_document:,} tasks each are too many",
            hint=f"One run has at most {MOST_TASKS:,} calls.",
        )
    if plan.temperature is not None and not 0 <= plan.temperature <= 2:
        raise BuilderError(f"temperature is {plan.temperature:g}, must be from 0 to 2")


def _check_caps(plan: SynthPlan) -> None:
    check_caps(plan.max_calls, plan.max_total_tokens, plan.max_cost)


def check_caps(max_calls: int | None, max_total_tokens: int | None, max_cost: float | None) -> None:
    """Let pass limits that are absent or above 0.

    Raises:
        BuilderError: One is not.
    """
    for name, number in (("max_calls", max_calls), ("max_total_tokens", max_total_tokens)):
        if number is not None and number < 1:
            raise BuilderError(f"{name} is {number}, must be at least 1")
    if max_cost is not None and not (isfinite(max_cost) and max_cost > 0):
        raise BuilderError(f"max_cost is {max_cost:g}, must be a number above 0")


def _check_words(plan: SynthPlan) -> None:
    if not plan.types:
        raise BuilderError("no type of query is named", hint=f"Types are {', '.join(TYPES)}.")
    for name in _LISTS:
        if twice := [one for one in getattr(plan, name) if getattr(plan, name).count(one) > 1]:
            raise BuilderError(f"{name} name {twice[0]} twice", hint="Name each once.")
    if plan.by not in _BY and not plan.by.removeprefix("field:").strip():
        raise BuilderError("by names no field", hint='It reads "field:NAME".')
    if plan.by not in _BY and not plan.by.startswith("field:"):
        raise BuilderError(
            f"documents cannot be chosen by {plan.by!r}",
            hint=f"It is one of {', '.join(_BY)}, or field:NAME.",
        )
