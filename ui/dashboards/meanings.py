"""What the numbers of the Dashboard are, in the words of `online.metrics` made shorter."""

from online.bots import RULES
from online.metrics import LONG_DWELL_S
from online.slices import FEWEST_CONVERSIONS, FEWEST_EACH, FEWEST_SESSIONS
from ui import meanings
from ui.dashboards.counting import Metrics
from ui.dashboards.figures import MEASURES

# Behind "with" stands no sentence: searches naming a crawler, not searches that name one.
_RULES = [rule.what.replace("`", "").replace(" name a", " naming a") for rule in RULES.values()]
_SEARCHES = (
    (
        "searches",
        "Submitted queries, each with its list of results and the pages of that.",
    ),
    (
        "sessions",
        "As the log names them. Without a name: a user's searches without 30 minutes of silence "
        "between; without a user each search alone.",
    ),
    (
        "bots",
        f"A session is one with {'; or with '.join(_RULES)}. Bots are flagged, never deleted, and "
        "count unless you leave them out.",
    ),
)
_CTR_AT = (
    "CTR@k",
    "Searches whose best-ranked click is at rank k or above, of all searches. A click without a "
    "rank counts in none.",
)
_METRICS = {
    "ctr": "Searches with at least one click, of all searches.",
    "click_mrr": "The mean over all searches of 1 / rank of the best-ranked click: 1 for rank 1, "
    "0.5 for rank 2, 0 without a click or without a rank.",
    "first_click_mrr": "The same with the click that came first in time.",
    "clicks_at_1_2": "Clicks at rank 1 or 2, of all clicks with a rank.",
    "no_click_rate": "Searches without a click, of all searches: 1 \u2212 CTR.",
    "zero_result_rate": "Searches without results, of the searches whose results are known.",
    "reformulation_rate": "Searches after which the same session searched for something else "
    "within 5 minutes, without a click before; of the searches in sessions that can hold several.",
    "median_first_click_s": "The median time from a search to its first click, of the searches "
    "that were clicked.",
    "median_dwell_s": "The median, over clicked searches, of the longest dwell of each.",
    "dwell_over_30_s": f"Clicked searches whose longest dwell is over {LONG_DWELL_S} s, of the "
    "clicked searches with a dwell.",
    "conversion_rate": "Searches with at least one conversion, of all searches.",
    "conversion_value_per_search": "The values of all conversions together / searches.",
}
_INTERVALS = (
    "intervals",
    "95 %, clustered by session. There is one only where it would hold: of rates and MRR from "
    f"{FEWEST_SESSIONS} sessions on, with at least {FEWEST_EACH} searches (or clicks) for and "
    f"{FEWEST_EACH} against; of the value per search from {FEWEST_CONVERSIONS} conversions on. n "
    "is of how many searches, clicks or times a number is.",
)


def show_meanings(metrics: Metrics) -> None:
    """What each of the numbers is that stand above, folded."""
    meanings.show_meanings([*_SEARCHES, *_told(metrics), _INTERVALS], "What these numbers are")


def _told(metrics: Metrics) -> list[tuple[str, str]]:
    """The metrics that have a value, in the order of the tiles; CTR@k once."""
    shown = [name for name in MEASURES if metrics.get(name) is not None]
    named = [_CTR_AT if name not in _METRICS else _meaning(name) for name in shown]
    return list(dict.fromkeys(named))


def _meaning(name: str) -> tuple[str, str]:
    return MEASURES[name].title, _METRICS[name]
