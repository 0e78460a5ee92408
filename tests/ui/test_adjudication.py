"""The disputed pair on screen: both sides, what has to be known, and nothing as markup."""

import re
from dataclasses import replace

from builder.judging.adjudication import Decision, Dispute, Opinion
from builder.judging.presses import PressGuard
from builder.settings import Settings
from evals.records import Document, Query
from ui.adjudication_card import dispute_html, opinions_html
from ui.deciding import Deciding

NOON = "2026-11-30T12:00:00.000000+00:00"
HOSTILE = '<script>alert(1)</script> :red[x] "'
LOW = Opinion("grade", 0, HOSTILE, "", NOON, 4200, 3, "human", excluded=False, own=False)
HIGH = Opinion("grade", 3, "", "", NOON, None, None, "human", excluded=False, own=False)
DISPUTE = Dispute(
    7,
    Query("q", HOSTILE, HOSTILE, (HOSTILE,)),
    Document("d", HOSTILE, HOSTILE),
    (LOW, HIGH),
    None,
    is_disputed=True,
    retired=False,
    own=None,
)
DECISION = Decision(1, 7, "q", "d", HOSTILE, 2, HOSTILE, NOON, None, None, True, "q", "t")
SETTINGS = Settings(name="shop")


def test_both_sides_with_comment_time_and_how_long_somebody_looked() -> None:
    html = opinions_html(SETTINGS, DISPUTE)
    low, high = html.split("<li")[1:]
    assert "<b>0</b>" in low
    assert "30 Nov 2026, 12:00 \u00b7 4 s \u00b7 guidelines 3" in re.sub("<[^>]*>", "", low)
    assert "&lt;script&gt;alert(1)&lt;/script&gt; :red[x]" in low
    assert "<b>3</b>" in high
    assert " s " not in high.split("gs-muted")[1]


def test_nothing_is_markup() -> None:
    deciding = Deciding("Dana", PressGuard())
    deciding.show(replace(DISPUTE, decision=DECISION))
    html = dispute_html(SETTINGS, deciding, replace(DISPUTE, decision=DECISION), 1)
    assert "<script" not in html
    assert "Another grade replaces it." in html


def test_what_has_to_be_known_is_said() -> None:
    told = {
        "yours": replace(DISPUTE, opinions=(LOW._replace(own=True), HIGH)),
        "You graded this pair yourself": replace(DISPUTE, own=0),
        "left out of aggregation": replace(DISPUTE, opinions=(LOW._replace(excluded=True), HIGH)),
        "imported": replace(DISPUTE, opinions=(LOW._replace(kind="import"), HIGH)),
        "Its query is retired": replace(DISPUTE, retired=True),
        "are no dispute": replace(DISPUTE, is_disputed=False),
        "Can't judge": replace(DISPUTE, opinions=(LOW._replace(outcome="x", grade=None),)),
    }
    plain = opinions_html(SETTINGS, DISPUTE)
    for words, dispute in told.items():
        assert words in opinions_html(SETTINGS, dispute)
        assert words not in plain
