"""A sample of the log: drawn, with how its queries were typed and how often."""

from dataclasses import dataclass

from builder.mining.options import Sampling
from builder.mining.personal_data import mask_personal
from builder.mining.sampling import (
    Drawn,
    allocate_equally,
    allocate_proportionally,
    draw_by_traffic,
    draw_from_strata,
)
from builder.mining.strata import Strata, strata_of
from builder.mining.units import Units, find_units
from evals.records import Progress
from online.lake import Connection
from online.query_frame import read_frame, session_counts, variants

MOST_VARIANTS = 50
"""Spellings of one query that are kept."""


@dataclass(frozen=True, slots=True)
class SampledQuery:
    """One query of a sample.

    Attributes:
        key: The query without regard to how it is typed, and without personal data.
        text: Its most frequent spelling, without personal data.
        stratum: Where it belongs.
        inclusion_probability: The chance to be drawn, above 0 and at most 1.
        searches: How often the log has it, in all spellings.
        sessions: In how many sessions.
        variants: (Spelling, searches), the most frequent first, at most `MOST_VARIANTS`.
        members: The keys that the log has for it, where several are one.
    """

    key: str
    text: str
    stratum: str
    inclusion_probability: float
    searches: int
    sessions: int
    variants: tuple[tuple[str, int], ...]
    members: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Drawing:
    """What was drawn, and what from.

    Attributes:
        units: What could be drawn.
        strata: How that is parted.
        drawn: What was drawn of it.
        queries: The same as queries, by stratum, the most searches first.
    """

    units: Units
    strata: Strata
    drawn: Drawn
    queries: tuple[SampledQuery, ...]


def draw_queries(
    connection: Connection,
    options: Sampling,
    language: str = "",
    progress: Progress | None = None,
) -> Drawing:
    """Draw queries from a lake.

    Args:
        connection: Of `Lake.connect`.
        options: How.
        language: ISO 639-1 code of the texts, for near-duplicates and strata of languages.
        progress: Told what is done; may raise to cancel.
    """
    if progress is not None:
        progress("counting the queries of the log", 0, None)
    frame = read_frame(
        connection,
        options.choice,
        options.seed,
        min_sessions=options.min_sessions,
        classes=options.by == "class",
        tags=options.by == "tag",
    )
    units = find_units(frame, options, language, progress)
    strata = strata_of(units, options, language, progress)
    drawn = draw(units, strata, options)
    return Drawing(units, strata, drawn, _queries(connection, units, strata, drawn))


def draw(units: Units, strata: Strata, options: Sampling) -> Drawn:
    """Which units are in the sample, by the method that is asked for."""
    import numpy as np

    draws = units.draws()
    if options.method == "traffic":
        return draw_by_traffic(draws, units.searches, options.limit)
    if options.method == "random":
        one = np.zeros(len(units), dtype=np.int64)
        return draw_from_strata(draws, one, [min(options.limit, len(units))])
    allocate = allocate_equally if options.allocation == "equal" else allocate_proportionally
    return draw_from_strata(draws, strata.codes, allocate(strata.sizes(), options.limit))


def _queries(
    connection: Connection, units: Units, strata: Strata, drawn: Drawn
) -> tuple[SampledQuery, ...]:
    members = units.members(drawn.places.tolist())
    sessions = session_counts(connection, members)
    spelled = variants(connection, members)
    of_unit: dict[int, list[str]] = {}
    for key, unit in members.items():
        of_unit.setdefault(unit, []).append(key)
    found = []
    for unit, chance in zip(drawn.places.tolist(), drawn.probabilities.tolist(), strict=True):
        key = units.key(unit)
        typed = _typed(spelled[unit], key, masks=bool(units.masked))
        found.append(
            SampledQuery(
                key=key,
                text=typed[0][0],
                stratum=strata.names[strata.codes[unit]],
                inclusion_probability=chance,
                searches=int(units.searches[unit]),
                sessions=sessions[unit],
                variants=typed[:MOST_VARIANTS],
                members=tuple(sorted(of_unit[unit])),
            )
        )
    order = {name: place for place, name in enumerate(strata.names)}
    return tuple(sorted(found, key=lambda one: (order[one.stratum], -one.searches, one.key)))


def _typed(spelled: list[tuple[str, int]], key: str, *, masks: bool) -> tuple[tuple[str, int], ...]:
    """The spellings without personal data and needless white space, equal ones as one."""
    counted: dict[str, int] = {}
    for text, searches in spelled:
        shown = " ".join(text.split()) or key
        if masks:
            shown = mask_personal(shown)
        counted[shown] = counted.get(shown, 0) + searches
    return tuple(sorted(counted.items(), key=lambda one: (-one[1], one[0])))
