"""How much of a pooling will be relevant, by the grades of what its sources named before."""

import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from builder.pooling.balance import Naming
from builder.pooling.contributors import HOPELESS
from builder.store.pool_yield import Yield
from estimates import Estimate, wilson

LEAST_GRADED = 5
"""A source and ranks with fewer graded pairs are judged by all ranks of the source, if by any."""

BANDS = ((1, 1), (2, 3), (4, 5), (6, 10), (11, 20), (21, 50), (51, None))
_Z = 1.959963984540054  # the standard normal's .975 quantile

Cell: TypeAlias = tuple[str, str]
"""(source, ranks), such as ("bm25", "4-5"); ranks "" where the source ranks nothing."""


def ranks_of(rank: int | None) -> str:
    """The band of ranks that a rank belongs to, such as "4-5"; "" for none."""
    if rank is None:
        return ""
    low, high = next(band for band in BANDS if band[1] is None or rank <= band[1])
    return f"{low}+" if high is None else str(low) if low == high else f"{low}-{high}"


@dataclass(slots=True)
class _Share:
    """So many of the graded pairs are relevant."""

    graded: int = 0
    relevant: int = 0
    is_whole_source: bool = False

    def add(self, found: Yield) -> None:
        self.graded += found.graded
        self.relevant += found.relevant


@dataclass(slots=True)
class _Experience:
    """What became of the documents of each source, by ranks, and at all ranks."""

    by_cell: dict[Cell, _Share] = field(default_factory=dict)
    by_source: dict[str, _Share] = field(default_factory=dict)

    def of(self, cell: Cell) -> _Share | None:
        """What a document of this source and these ranks may be expected to be."""
        known = (self.by_cell.get(cell), self.by_source.get(cell[0]))
        return next((one for one in known if one and one.graded >= LEAST_GRADED), None)


def expected(first_namings: Iterable[Naming], yields: Sequence[Yield]) -> dict[str, Any]:
    """Which share of new pairs will be relevant, and why that is expected.

    The mean over the pairs of what the grades so far say of their source and ranks. Its interval is
    that of a stratified estimate, sum of w (x / n), with each variance p (1 - p) / n from Agresti
    and Coull's p = (x + 2) / (n + 4): Cochran (1977), Sampling techniques, section 5.3. Where a
    source names documents that are relevant more often than those that got grades, or less often,
    it is wrong by as much.

    Only what is on record as named by a source before tells of it, not what it names now as well:
    what is graded was mostly chosen by others, for being likely relevant.

    Args:
        first_namings: Of each new pair who names it first, and at which rank.
        yields: What became of all that sources named before; of chance and skipped results only
            what no other source named.

    Returns:
        share_relevant: an estimate as JSON, n the graded pairs behind it; pairs: how many new
        pairs it stands for, of_pairs: of how many; by: for each source and ranks pairs, graded and
        share_relevant; why: a sentence.
    """
    experience = _learned(yields)
    wanted = Counter((naming.source, ranks_of(naming.rank)) for naming in first_namings)
    known = {cell: share for cell in wanted if (share := experience.of(cell)) is not None}
    covered = sum(wanted[cell] for cell in known)
    return {
        "share_relevant": _stratified(known, wanted, covered).as_json(),
        "pairs": covered,
        "of_pairs": wanted.total(),
        "by": [_told(cell, n, experience.by_cell.get(cell)) for cell, n in sorted(wanted.items())],
        "why": _why(known, wanted),
    }


def _learned(yields: Iterable[Yield]) -> _Experience:
    experience = _Experience()
    for found in yields:
        cell = (found.source, ranks_of(found.rank))
        experience.by_cell.setdefault(cell, _Share()).add(found)
        experience.by_source.setdefault(found.source, _Share(is_whole_source=True)).add(found)
    return experience


def _stratified(known: Mapping[Cell, _Share], wanted: Mapping[Cell, int], covered: int) -> Estimate:
    if not covered:
        return Estimate.undefined("no_grades_of_these_sources" if wanted else "no_new_pairs")
    mean = variance = 0.0
    for cell, share in known.items():
        weight = wanted[cell] / covered
        moderate = (share.relevant + 2) / (share.graded + 4)
        mean += weight * share.relevant / share.graded
        variance += weight**2 * moderate * (1 - moderate) / share.graded
    half = _Z * math.sqrt(variance)
    return Estimate(mean, max(0.0, mean - half), min(1.0, mean + half), _graded_behind(known))


def _graded_behind(known: Mapping[Cell, _Share]) -> int:
    """How many graded pairs: those of a band are among those of its source, and count once."""
    bands: Counter[str] = Counter()
    whole: dict[str, int] = {}
    for (source, _), share in known.items():
        if share.is_whole_source:
            whole[source] = share.graded
        else:
            bands[source] += share.graded
    return sum(whole.values()) + sum(n for source, n in bands.items() if source not in whole)


def _told(cell: Cell, pairs: int, share: _Share | None) -> dict[str, Any]:
    source, ranks = cell
    graded = _Share() if share is None else share
    relevant = wilson(graded.relevant, graded.graded).as_json()
    told = {"source": source, "ranks": ranks, "pairs": pairs, "graded": graded.graded}
    return {**told, "share_relevant": relevant}


def _why(known: Collection[Cell], wanted: Mapping[Cell, int]) -> str:
    if not wanted:
        return "there is no new pair"
    unknown = wanted.keys() - set(known)
    without = ", ".join(sorted({source for source, _ in unknown}))
    alone = any(source in HOPELESS for source, _ in unknown)
    only = "; chance and skipped results are judged by what no other source named" * alone
    if not known:
        return f"too few graded pairs are on record as named by {without}{only}"
    sources = ", ".join(sorted({source for source, _ in known}))
    rest = f"; not of {_pairs(wanted, unknown)} of {without}: too few are graded{only}"
    at = " at such ranks" * any(ranks for _, ranks in known)
    return f"from the grades so far of what {sources} named{at}{rest * bool(unknown)}"


def _pairs(wanted: Mapping[Cell, int], cells: Iterable[Cell]) -> str:
    n = sum(wanted[cell] for cell in cells)
    return f"{n:,} new pair{'' if n == 1 else 's'}"
