"""What the words of click evidence mean."""

import streamlit as st

from ui.text import inline

_MEANINGS = (
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
    """What each of the words is, folded."""
    with st.expander("What these words mean"):
        meanings = (f"<dt>{inline(name)}</dt><dd>{inline(what)}</dd>" for name, what in _MEANINGS)
        st.html(f'<dl class="gs-meanings">{"".join(meanings)}</dl>')
