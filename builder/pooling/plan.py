"""What somebody asks of the pool: which sources, which queries, how much of it."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, Self

from builder.errors import BuilderError

NEGATIVES = 0.4
"""The share of a query's new pairs that sources may bring which expect nothing relevant."""

LONGEST_DEPTH = 1000

LEAST_IMPRESSIONS = 3


@dataclass(frozen=True, slots=True)
class PoolPlan:
    """Which documents join the pool, and for which queries.

    Attributes:
        retrievers: "bm25", "minilm", names or folders of SentenceTransformers.
        depth: How many documents of each retriever, run file and query, 1 to 1000.
        runs: Run files in TREC's form; each is the source "run:" and the file's name.
        clicks: How many documents of each query that users clicked; 0 for none.
        skipped: How many that users passed over (they stood above a click) and that surely attract
            fewer clicks than others at their ranks.
        random: How many of the corpus by chance.
        least_impressions: A clicked document counts from so many impressions on, a skipped one from
            so many times on that it was passed over.
        tag: Only queries with exactly this tag; None for all.
        source: Only queries from there: import, log, synthetic, manual; None for all.
        only_new: Only queries that have no pair yet.
        budget: At most so many new pairs; None for no limit.
        hours: At most so many hours of grading, at the team's pace; None for no limit.
        negatives: The share, 0 to 1, of a query's new pairs that may come from chance and from
            skipped results alone, as long as others bring enough.
        seed: Of what is drawn by chance.
    """

    retrievers: tuple[str, ...] = ("bm25",)
    depth: int = 10
    runs: tuple[str, ...] = ()
    clicks: int = 0
    skipped: int = 0
    random: int = 0
    least_impressions: int = LEAST_IMPRESSIONS
    tag: str | None = None
    source: str | None = None
    only_new: bool = False
    budget: int | None = None
    hours: float | None = None
    negatives: float = NEGATIVES
    seed: int = 0

    @property
    def names_anything(self) -> bool:
        """Whether any source is named."""
        return bool(self.retrievers or self.runs or self.clicks or self.skipped or self.random)

    def check(self) -> None:
        """Let pass what can be done.

        Raises:
            BuilderError: A number is out of its range, no source is named, or both a budget of
                pairs and one of hours.
        """
        _check_numbers(self)
        if self.budget is not None and self.hours is not None:
            raise BuilderError("a budget in pairs and one in hours", hint="Name one of them.")
        if not self.names_anything:
            raise BuilderError(
                "there is nothing to pool from: no source is named",
                hint="Name a retriever such as bm25, a run file, clicks, or random documents.",
            )

    def as_json(self) -> dict[str, Any]:
        """Every field, so that `from_json` gives the same plan."""
        told = asdict(self)
        return told | {"retrievers": list(self.retrievers), "runs": list(self.runs)}

    @classmethod
    def from_json(cls, told: Mapping[str, Any]) -> Self:
        """The plan of these fields; those that are not told are as if nobody had asked.

        Raises:
            BuilderError: A field is unknown.
        """
        unknown = sorted(told.keys() - {field.name for field in fields(cls)})
        if unknown:
            raise BuilderError(f"a filling of the pool knows nothing of {', '.join(unknown)}")
        lists = {
            key: (value,) if isinstance(value, str) else tuple(value)
            for key, value in told.items()
            if key in ("retrievers", "runs")
        }
        return cls(**{**told, **lists})


def _check_numbers(plan: PoolPlan) -> None:
    if plan.depth < 1:
        raise BuilderError(f"depth is {plan.depth}, must be at least 1")
    if plan.depth > LONGEST_DEPTH:
        raise BuilderError(f"depth is {plan.depth}, must be at most {LONGEST_DEPTH}")
    for name in ("clicks", "skipped", "random", "least_impressions"):
        if (number := getattr(plan, name)) < 0:
            raise BuilderError(f"{name} is {number}, must be at least 0")
    if not 0 <= plan.negatives <= 1:
        raise BuilderError(f"negatives is {plan.negatives}, must be between 0 and 1")
    if plan.budget is not None and plan.budget < 1:
        raise BuilderError(f"the budget is {plan.budget} pairs, must be at least 1")
    if plan.hours is not None and not 0 < plan.hours < float("inf"):
        raise BuilderError(
            f"the budget is {plan.hours:g} hours, must be a number above 0",
            hint="Without a budget all that is named joins the pool.",
        )
