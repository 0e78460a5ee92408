"""What the words of drawings and of click evidence mean."""

from ui.meanings import show_meanings

_OF_DRAWINGS = (
    ("stratum", "A group of queries that is drawn from on its own, such as frequent and rare "
     "ones. A query that cannot be drawn is in none."),
    ("traffic covered", "The searches of the drawn queries, of all searches of the stratum."),
    ("chance", "How likely each query of the stratum was to be drawn."),
    ("weight", "1 / its chance: how many queries of the stratum a drawn query stands for in a "
     "mean over all of them."),
    ("seed", "The number that the draw begins with: the same seed draws the same queries from the "
     "same log, another one others."),
)  # fmt: skip
_OF_CLICKS = (
    ("pair", "A query, in any spelling, and a document that was shown or clicked for it."),
    ("impressions", "Searches that showed the document."),
    ("clicks", "Searches in which the document was clicked; two clicks in one search are one."),
    ("sessions", "Sessions in which the document was shown for the query. Many impressions in few "
     "sessions are few people."),
    ("CTR", "Clicks / impressions. High ranks are clicked for being high, so CTR alone says as "
     "much of the old ranking as of the document."),
    ("COEC", "Clicks over expected clicks: its clicks, divided by what the ranks where it stood "
     "get on the average. 1 is average, 2 is twice as many clicks as its ranks promise."),
    ("SDBN", "Attractiveness by the simplified dynamic Bayesian network: the share of clicks among "
     "the searches in which somebody looked at it: those where it stood above or at the last "
     "click; without a click, those where it stood no deeper than nearly all clicks of the log."),
    ("skipped", "Searches in which it stood above a clicked document and was not clicked itself."),
    ("interval", "95 % credible. All three are drawn towards what all pairs together show, the "
     "more so the fewer impressions there are: 1 click of 1 is no proof."),
    ("weak grade", "0 to 3, made of clicks alone by thresholds. It is no judgment: nobody read "
     "the document."),
    ("sure", "The chance, by these clicks and by what all pairs show, that the true value lies "
     "within the thresholds of this weak grade."),
)  # fmt: skip


def show_click_meanings() -> None:
    """What each of the words of click evidence is, folded."""
    show_meanings(_OF_CLICKS)


def show_drawing_meanings() -> None:
    """What each of the words of a drawing is, folded."""
    show_meanings(_OF_DRAWINGS)
