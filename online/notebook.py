"""The Python API for notebooks: click metrics of events that are at hand, without a lake."""

from collections.abc import Iterable
from math import fsum
from typing import Any

from online.events import SearchEvent


def compute_online_metrics(events: Iterable[SearchEvent]) -> dict[str, Any]:
    """CTR and click-MRR of these events, each of which is one search.

    ctr = searches with a click / searches. mrr = mean over searches of 1 / rank of the best-ranked
    click, 0 without a click or where no rank is known. Events with one `search_id` are not joined;
    that is what an import does.

    Args:
        events: The searches.

    Returns:
        {"overall": {"ctr", "mrr"}, "by_model": {model_version: {"ctr", "mrr", "n_queries"}}}, rates
        in [0, 1]; an empty dict for no events.
    """
    by_model: dict[str, list[SearchEvent]] = {}
    for event in events:
        by_model.setdefault(event.model_version, []).append(event)
    if not by_model:
        return {}
    everything = [event for searches in by_model.values() for event in searches]
    return {
        "overall": _rates(everything),
        "by_model": {
            name: {**_rates(searches), "n_queries": len(searches)}
            for name, searches in sorted(by_model.items())
        },
    }


def _rates(searches: list[SearchEvent]) -> dict[str, float]:
    clicked = sum(event.is_clicked for event in searches)
    ranks = [event.best_click_rank for event in searches]
    reciprocal = fsum(1 / rank for rank in ranks if rank is not None)
    return {"ctr": clicked / len(searches), "mrr": reciprocal / len(searches)}
