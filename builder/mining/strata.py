"""What parts the queries into strata: traffic, tag, class, outcome or language."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from builder.mining.languages import Guess, guess_language, settle
from builder.mining.options import Sampling
from builder.mining.sampling import TRAFFIC, traffic_strata
from builder.mining.units import Units
from evals.records import Progress
from online.query_frame import taken

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Numbers = npt.NDArray[np.int64]

CLASSES = ("question", "keyword", "with_number", "long")
"""By sql/duckdb/query_class.sql, which excludes the others in the order question, with_number,
long."""
OUTCOMES = ("zero_result", "no_click", "clicked")
"""zero_result: half of the searches or more found nothing; no_click: of the others those that
nobody ever clicked; clicked: the rest."""
UNTAGGED = "untagged"
"""Queries of which less than half of the searches carry any tag. The others belong to the tag that
most of their searches carry (sql/duckdb/query_tags.sql); merged ones to that of the most frequent
of them."""
_TELL_EVERY = 5_000


@dataclass(frozen=True, slots=True, eq=False)
class Strata:
    """How units are parted.

    Attributes:
        names: What the strata are called; tags, as "#tag", are untrusted.
        codes: Unit -> the place of its stratum.
    """

    names: tuple[str, ...]
    codes: "Numbers"

    def sums(self, column: "npt.NDArray[Any]") -> list[int]:
        """A column of the units summed up by stratum."""
        import numpy as np

        return [int(n) for n in np.bincount(self.codes, column, len(self.names))]

    def sizes(self) -> list[int]:
        """Units of each stratum."""
        import numpy as np

        return [int(n) for n in np.bincount(self.codes, minlength=len(self.names))]


def strata_of(
    units: Units, options: Sampling, language: str = "", progress: Progress | None = None
) -> Strata:
    """The strata that are asked for.

    Args:
        units: Of a frame with classes or tags, where these are asked for.
        options: What is asked for.
        language: ISO 639-1 code of what most queries are expected to be in.
        progress: Told of how many the language is known; may raise to cancel.

    Returns:
        Head, torso and tail, classes and outcomes with those that hold nothing; tags and languages
        by their searches, the most first.
    """
    if options.by == "traffic":
        codes = traffic_strata(units.searches, units.draws(), options.head, options.torso)
        return Strata(TRAFFIC, codes)
    if options.by == "outcome":
        return Strata(OUTCOMES, _outcomes(units))
    if options.by == "class":
        return _fixed(CLASSES, _taken(units.frame.classes, units))
    if options.by == "tag":
        tags = _taken(units.frame.tags, units)
        return _by_searches([UNTAGGED if tag is None else f"#{tag}" for tag in tags], units)
    return _by_searches(settle(list(_guesses(units.keys(), progress)), language), units)


def _outcomes(units: Units) -> "Numbers":
    import numpy as np

    kinds = np.where(units.clicked == 0, 1, 2)
    return np.where(2 * units.empty >= units.searches, 0, kinds).astype(np.int64)


def _taken(column: Any, units: Units) -> list[str | None]:
    """The column of a frame for the query that stands for each unit."""
    return taken(column, units.rows)


def _guesses(keys: Sequence[str], progress: Progress | None) -> Iterator[Guess]:
    for done, key in enumerate(keys):
        if progress is not None and done % _TELL_EVERY == 0:
            progress("telling languages", done, len(keys))
        yield guess_language(key)


def _fixed(names: tuple[str, ...], of_units: Sequence[str | None]) -> Strata:
    import numpy as np

    places = {name: place for place, name in enumerate(names)}
    return Strata(names, np.array([places[str(name)] for name in of_units], dtype=np.int64))


def _by_searches(of_units: Sequence[str], units: Units) -> Strata:
    searches: dict[str, int] = {}
    for name, n in zip(of_units, units.searches.tolist(), strict=True):
        searches[name] = searches.get(name, 0) + n
    names = tuple(sorted(searches, key=lambda name: (-searches[name], name)))
    return _fixed(names, of_units)
