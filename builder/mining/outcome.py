"""What a sampling comes to, as a document: counts, strata, what it stands for, what to heed."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from builder.errors import BuilderError
from builder.mining.drawing import Drawing, SampledQuery
from builder.mining.matching import Matched
from builder.mining.options import Sampling
from builder.mining.strata import UNTAGGED
from builder.mining.units import Units
from online.engines import Choice

FEW_TO_COMPARE = 100
NO_VERDICT = 20
_SPREAD = 0.25
"""Usual standard deviation of the difference of two models' nDCG@10, query by query."""
_POWER = 1.959963984540054 + 0.8416212335729143
"""The normal's .975 and .8 quantiles: a two-sided test at .05 that finds it four times of five."""
_HINTS = {
    "few_sessions": "Ask for fewer sessions (--min-sessions).",
    "personal_data": "Mask personal data instead of dropping it (--personal mask).",
}
_OFTEN_ONCE = 0.5


def outcome_of(
    drawing: Drawing, matched: Sequence[Matched], options: Sampling, evidence: Mapping[str, Any]
) -> dict[str, Any]:
    """What `mine` returns, as far as it is known before anything is written."""
    units, frame = drawing.units, drawing.units.frame
    seen, sampled = int(frame.searches.sum()), sum(one.searches for one in drawing.queries)
    known = sum(one.known is not None for one in matched)
    return {
        "queries": {
            "seen": len(frame),
            "eligible": len(units),
            "sampled": len(drawing.queries),
            "dropped": dict(units.dropped),
            "new": len(matched) - known,
            "known": known,
            "retired": sum(one.retired for one in matched),
            "merged": units.dropped.get("merged", 0),
            "masked": len(units.masked),
            "lose_weight": 0,
        },
        "evidence": dict(evidence),
        "traffic": {
            "searches": seen,
            "eligible_searches": int(units.searches.sum()),
            "sampled_searches": sampled,
            "share": sampled / seen,
        },
        "strata": list(_strata(drawing)),
        "tags": _tags(drawing),
        "personal_data": {
            "handling": options.personal,
            "queries": units.personal.queries,
            "searches": units.personal.searches,
            "by_kind": dict(units.personal.by_kind),
        },
        "seed": options.seed,
        "parameters": options.as_json(),
        "warnings": list(_warnings(drawing, matched, options)),
        "sample": [
            _sampled(one, match) for one, match in zip(drawing.queries, matched, strict=True)
        ],
    }


def nothing_to_sample(units: Units) -> BuilderError:
    """Why nothing can be drawn, with what was left out."""
    if not len(units.frame):
        return BuilderError(
            "there is nothing to sample: the log has no searches of this choice",
            hint="Import a search log with `goldsmith events import FILE`, or ask for other days, "
            "another model, tag or class.",
        )
    reasons = ", ".join(f"{n:,} {reason}" for reason, n in units.dropped.items())
    hints = [_HINTS[reason] for reason in units.dropped if reason in _HINTS]
    return BuilderError(
        f"there is nothing to sample: none of the {len(units.frame):,} queries of the log is "
        f"eligible ({reasons})",
        hint=" ".join(hints) or "Import a log whose searches tell their query.",
    )


def detectable_difference(n: int) -> float | None:
    """The smallest difference of nDCG@10 that a comparison on n queries finds four times of five.

    Of two models on the same queries, by a two-sided test at .05, where their differences spread
    by .25: 2.80 * .25 / sqrt(n - 2), within .001 of the power of the paired t test for 25 to 500
    queries. None for fewer than 3.
    """
    return _POWER * _SPREAD / math.sqrt(n - 2) if n > 2 else None


def _strata(drawing: Drawing) -> Iterator[dict[str, Any]]:
    units, strata = drawing.units, drawing.strata
    sizes, searches = strata.sizes(), strata.sums(units.searches)
    total = max(int(units.searches.sum()), 1)
    for place, name in enumerate(strata.names):
        drawn = [one for one in drawing.queries if one.stratum == name]
        sampled = sum(one.searches for one in drawn)
        yield {
            "stratum": name,
            "queries": sizes[place],
            "searches": searches[place],
            "share_of_searches": searches[place] / total,
            "sampled": len(drawn),
            "sampled_searches": sampled,
            "share_of_stratum": sampled / searches[place] if searches[place] else None,
            "inclusion_probability": _common(one.inclusion_probability for one in drawn),
        }


def _tags(drawing: Drawing) -> dict[str, int] | None:
    """How many queries carry several tags, and how many carry any in too few searches."""
    units, strata = drawing.units, drawing.strata
    if units.frame.tag_counts is None:
        return None
    carried = units.frame.tag_counts[units.rows]
    untagged = [place for place, name in enumerate(strata.names) if name == UNTAGGED]
    rarely = (carried > 0) & (strata.codes == untagged[0]) if untagged else carried < 0
    return {"several": int((carried > 1).sum()), "too_rarely": int(rarely.sum())}


def _common(chances: Iterable[float]) -> float | None:
    """The chance that all have; None where they differ, or there is none."""
    different = set(chances)
    return different.pop() if len(different) == 1 else None


def _sampled(one: SampledQuery, match: Matched) -> dict[str, Any]:
    return {
        "query_id": match.query_id,
        "text": one.text,
        "stratum": one.stratum,
        "searches": one.searches,
        "sessions": one.sessions,
        "inclusion_probability": one.inclusion_probability,
        "weight": 1 / one.inclusion_probability,
        "known": match.known is not None,
        "retired": match.retired,
        "variants": [list(variant) for variant in one.variants],
    }


def _warnings(drawing: Drawing, matched: Sequence[Matched], options: Sampling) -> Iterator[str]:
    n = len(drawing.queries)
    if n == len(drawing.units):
        yield _all_of_it(n, len(drawing.units.frame), options)
    yield from _few(n)
    yield from _thin_strata(drawing, options)
    if retired := sum(one.retired for one in matched):
        yield (
            f"Of the sample {retired:,} were retired here; raters are not asked for these until "
            "they are restored."
        )


def _all_of_it(n: int, seen: int, options: Sampling) -> str:
    """That more cannot be drawn; the whole log only where nothing of it is left out."""
    whole = options.choice == Choice()
    if n == seen and whole:
        return f"The sample is the whole log: {options.limit:,} queries were asked for of {n:,}."
    log = "the log" if whole else "the part of the log that was asked for"
    return (
        f"The sample is all that can be drawn: {options.limit:,} queries were asked for, and "
        f"{n:,} of the {seen:,} in {log} are eligible."
    )


def _few(n: int) -> Iterator[str]:
    least = detectable_difference(n)
    if n < NO_VERDICT or least is None:
        yield f"{n:,} queries are too few for a verdict on two models; take 100 or more."
    elif n < FEW_TO_COMPARE:
        yield (
            f"{n:,} queries cannot show a difference between two models of less than about "
            f"{least:.2f} in nDCG@10; 200 queries show {detectable_difference(200):.2f}."
        )


def _thin_strata(drawing: Drawing, options: Sampling) -> Iterator[str]:
    units, strata = drawing.units, drawing.strata
    drawn = {one.stratum for one in drawing.queries}
    sizes = dict(zip(strata.names, strata.sizes(), strict=True))
    if options.by == "tag" and set(sizes) == {UNTAGGED}:
        yield (
            "No query of the log is tagged, so all are one stratum, as in a random sample. What "
            "counts is the tags of searches; those of the workspace's queries do not."
        )
    for name in (name for name, size in sizes.items() if not size):
        yield f"No query of the log is in the stratum {name}."
    missed = [name for name, size in sizes.items() if size and name not in drawn]
    if missed and options.method == "stratified":
        of_missed = sum(sizes[name] for name in missed)
        yield (
            f"{len(missed):,} of {len(sizes):,} strata, with {of_missed:,} queries, have no query "
            "in the sample, which says nothing of them: ask for more queries."
        )
    once = int(units.searches[units.searches == 1].sum())
    if options.by == "traffic" and once > _OFTEN_ONCE * int(units.searches.sum()):
        yield (
            f"{once:,} of {int(units.searches.sum()):,} searches are of queries that were searched "
            "for once: the log is too short to tell head from tail."
        )
