"""The same scores part by part: by where the queries came from. Pure."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from estimates import Estimate
from evals.measures import Scores, mean_over
from evals.records import Query

EASIER = (
    "Queries that a language model wrote are easier as a rule than those that people typed, so "
    "compare models within a source, and no score across sources."
)
"""What readers of scores by source have to know, where one source is `synthetic`."""


def by_source(scores: Scores, queries: Iterable[Query]) -> dict[str, dict[str, Any]]:
    """Each measure over the queries of each source alone.

    Queries that a language model wrote are easier as a rule than those that people typed, so a
    mean over both says little; models are compared within a source.

    Args:
        scores: Of one run, query by query.
        queries: The queries of the task; what was not scored is passed over.

    Returns:
        source -> {"n_queries", "metrics": {measure: mean, None where it is undefined},
        "intervals": {measure: [low, high]}, "reasons": {measure: why its mean is None}}, by name
        of the source; intervals are those of `estimates.mean_interval` over the queries. Empty
        where all scored queries come from one source: the means over all say it then.
    """
    source_of = {query.query_id: query.source for query in queries}
    places: defaultdict[str, list[int]] = defaultdict(list)
    for place, query_id in enumerate(scores.query_ids):
        places[source_of[query_id]].append(place)
    if len(places) < 2:
        return {}
    return {source: _part(scores, places[source]) for source in sorted(places)}


def told_means(means: Mapping[str, Estimate]) -> dict[str, dict[str, Any]]:
    """Means as results write them.

    Returns:
        "metrics": measure -> mean, None where it is undefined; "intervals": measure -> [low,
        high], where there is one; "reasons": measure -> why its mean is None.
    """
    return {
        "metrics": {name: mean.value for name, mean in means.items()},
        "intervals": {
            measure: [mean.low, mean.high]
            for measure, mean in means.items()
            if mean.low is not None
        },
        "reasons": {name: mean.reason for name, mean in means.items() if mean.value is None},
    }


def _part(scores: Scores, places: list[int]) -> dict[str, Any]:
    """The means over the queries at these places."""
    means = {
        measure: mean_over([column[place] for place in places])
        for measure, column in scores.values.items()
    }
    return {"n_queries": len(places), **told_means(means)}
