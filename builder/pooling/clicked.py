"""Documents that users of the search clicked for a query, and those that they passed over."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from builder.pooling.contributors import CLICKS, HOPELESS, SKIPPED, Contributor

if TYPE_CHECKING:
    from online.evidence import PairEvidence

    Told: TypeAlias = Mapping[str, Sequence[PairEvidence]]

MOST_CLICKS_A_SKIP = 0.1
"""Whoever is clicked more often than once in ten times of being passed over is no hard negative."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What is asked of the click evidence.

    Attributes:
        texts: query_id -> the query's text.
        told: Text -> its click evidence.
        corpus: All doc_ids.
        n: How many documents of each query.
        least_impressions: Clicked ones count from so many impressions on, skipped ones from so many
            times on that they were passed over.
    """

    texts: Mapping[str, str]
    told: "Told"
    corpus: Set[str]
    n: int
    least_impressions: int


class Chosen(NamedTuple):
    """What users name, and how many documents of it the corpus lacks."""

    contributor: Contributor
    dropped: Counter[str]


def clicked(asked: Asked) -> Chosen:
    """The documents that were clicked, those first that are clicked most for where they stood.

    By COEC (clicks over expected clicks), shrunk, so that one click of one does not lead; documents
    of which the log lacks impressions come last.
    """

    def is_one(pair: "PairEvidence") -> bool:
        return pair.clicks > 0 and pair.impressions >= asked.least_impressions

    def order(pair: "PairEvidence") -> tuple[float, int, str]:
        coec = pair.coec.value
        return (0.0 if coec is None else -coec, -pair.clicks, pair.doc_id)

    return _chosen(CLICKS, asked, is_one, order)


def skipped(asked: Asked) -> Chosen:
    """The documents that users passed over, and that surely attract fewer clicks than others there.

    Whoever clicks below has seen what stands above, and passed over it (skip-above of Joachims,
    2002). A hard negative is one that was passed over so often that chance does not explain it: the
    95 % interval of its shrunk COEC lies below 1. Not to be clicked at all says little: most
    documents that were passed over three times without a click are merely seldom shown, and as
    often relevant as others. The first one is the one with the lowest upper end.

    Returns:
        What they name; dropped counts as skipped_unsure those that were passed over as often and
        may still be as attractive as others at their ranks.
    """

    def is_passed_over(pair: "PairEvidence") -> bool:
        seen = pair.skipped > 0 and pair.skipped >= asked.least_impressions
        return seen and pair.clicks <= MOST_CLICKS_A_SKIP * pair.skipped

    def is_one(pair: "PairEvidence") -> bool:
        return is_passed_over(pair) and pair.coec.high is not None and pair.coec.high < 1

    def order(pair: "PairEvidence") -> tuple[float, int, str]:
        high = pair.coec.high
        return (float("inf") if high is None else high, -pair.skipped, pair.doc_id)

    chosen = _chosen(SKIPPED, asked, is_one, order)
    told = (pair for text in asked.texts.values() for pair in asked.told.get(text, ()))
    here = (pair for pair in told if pair.doc_id in asked.corpus)
    if unsure := sum(is_passed_over(pair) and not is_one(pair) for pair in here):
        chosen.dropped["skipped_unsure"] = unsure
    return chosen


def _chosen(
    source: str,
    asked: Asked,
    is_one: "Callable[[PairEvidence], bool]",
    order: "Callable[[PairEvidence], tuple[float, int, str]]",
) -> Chosen:
    found: dict[str, list[str]] = {}
    lacking = 0
    for query_id, text in asked.texts.items():
        fit = sorted(filter(is_one, asked.told.get(text, ())), key=order)
        here = [pair.doc_id for pair in fit if pair.doc_id in asked.corpus]
        lacking += len(fit) - len(here)
        found[query_id] = here[: asked.n]
    dropped = Counter({f"{source}_not_in_corpus": lacking} if lacking else {})
    return Chosen(Contributor(source, found, is_hopeful=source not in HOPELESS), dropped)
