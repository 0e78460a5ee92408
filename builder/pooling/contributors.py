"""Who names documents for the pool, and what they name."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

CLICKS, SKIPPED, RANDOM = "clicks", "skipped", "random"

LONGEST_SOURCE = 64
"""The store notes no longer names of sources."""

HOPELESS = frozenset({SKIPPED, RANDOM})
"""Sources that expect nothing relevant."""


@dataclass(frozen=True, slots=True)
class Contributor:
    """A source and what it names.

    Attributes:
        source: As the pool notes it: bm25, run:NAME, clicks, skipped, random.
        found: query_id -> doc_ids, the best first, each once.
        is_hopeful: Whether it expects to name relevant documents.
        is_ranked: Whether the order says anything; without it no rank is noted.
    """

    source: str
    found: Mapping[str, Sequence[str]] = field(default_factory=dict)
    is_hopeful: bool = True
    is_ranked: bool = True


@dataclass(frozen=True, slots=True)
class Candidates:
    """What all sources name, before the pool is looked at.

    Attributes:
        queries: The query_ids that were asked for.
        contributors: Who names what, those first whose documents come first at equal ranks.
        dropped: Reason -> how many were left out.
        warnings: What a reader should know.
        flagged: How many searches of flagged sessions the click evidence leaves out or counts, as
            `builder.mining.deciding.flagged_of`; empty where no clicks are asked for.
    """

    queries: list[str]
    contributors: list[Contributor]
    dropped: Counter[str] = field(default_factory=Counter)
    warnings: list[str] = field(default_factory=list)
    flagged: Counter[str] = field(default_factory=Counter)
