"""Logs to queries and Clicks vs experts: what their words and tables say."""

from typing import Any

import pytest

from builder.errors import BuilderError
from builder.mining import Sampling
from builder.mining.weak_grades import grade_pairs
from builder.settings import WeakGradeRule
from estimates import Estimate
from online.evidence import PairEvidence, Prior, Priors
from online.evidence_records import MORE_CLICKS
from ui.contradictions import evidence_in_words, sent_in_words
from ui.mining.drawings import taken_back_in_words, way_in_words, would_go_in_words
from ui.mining.pairs import pairs_html, sheet_of_pairs
from ui.mining.report import about_tags, headline, sample_html, sheet_of_sample, strata_html
from ui.mining.strata_chart import MOST_STRATA, REST, parts_of
from ui.mining.weak import rule_html
from ui.mining.words import error_on_the_page, warning_on_the_page

HOSTILE = "<b>x</b> :red[y] $z$"
WHOLE = {"searches": 100, "eligible_searches": 100}
NOTHING = Estimate(None, None, None, 3, MORE_CLICKS)


def outcome(sampled: int = 2, *, eligible_searches: int = 1000, **queries: int) -> dict[str, Any]:
    return {
        "queries": {"seen": 90, "eligible": 70, "sampled": sampled, "new": 1, "known": 1} | queries,
        "traffic": {
            "searches": 1000,
            "eligible_searches": eligible_searches,
            "sampled_searches": 610,
            "share": 0.61,
        },
    }


def stratum(name: str, queries: int, searches: int, sampled: int) -> dict[str, Any]:
    return {
        "stratum": name,
        "queries": queries,
        "searches": searches,
        "share_of_searches": searches / 100,
        "sampled": sampled,
        "sampled_searches": sampled,
        "share_of_stratum": 0.5,
        "inclusion_probability": 0.25,
    }


def pair(doc_id: str, clicks: int, *, impressions: int = 100, sound: bool = True) -> PairEvidence:
    value = Estimate(clicks / impressions, 0.1, 0.9, impressions) if sound else NOTHING
    counts = {"impressions": impressions, "clicks": clicks, "shown_clicks": clicks}
    return PairEvidence(
        query=HOSTILE,
        doc_id=doc_id,
        **counts,
        click_events=clicks,
        sessions=impressions,
        clicked_sessions=clicks,
        ctr=value,
        coec=value,
        sdbn=value,
        satisfaction=value,
        expected_clicks=20.0,
        examined=impressions,
        last_clicks=clicks,
        skipped=0,
        mean_rank=None,
    )


PRIORS = Priors(Prior(0.2, 5, 9), Prior(1, 5, 9), Prior(0.2, 5, 9), Prior(0.5, 5, 9))


def test_the_headline_says_for_what_share_of_the_searches_the_sample_stands() -> None:
    first, second = headline(outcome())
    assert first == "The 2 queries stand for 61.0\u00a0% of the 1,000 searches."
    assert "70 queries that can be drawn, of 90 different ones" in second
    assert headline(outcome(1))[0].startswith("The query stands for 61.0")


def test_shares_of_the_searches_are_named_where_some_cannot_be_drawn() -> None:
    first, _ = headline(outcome(eligible_searches=800))
    # 610 of 1,000 and of 800.
    assert first == (
        "The 2 queries stand for 61.0\u00a0% of all 1,000 searches, and for 76.2\u00a0% of the 800 "
        "that can be drawn."
    )
    some = {"searches": 200, "eligible_searches": 100}
    html = strata_html([stratum("tail", 80, 20, 20)], Sampling().as_json(), some)
    assert "20.0\u00a0% of what can be drawn" in html
    assert "10.0\u00a0% of all" in html
    html = strata_html([stratum("tail", 80, 20, 20)], Sampling().as_json(), WHOLE)
    assert "20.0\u00a0% of all" in html
    assert "of what can be drawn" not in html


def test_what_people_typed_is_never_markup() -> None:
    query = {"query_id": "log-1", "text": HOSTILE, "stratum": HOSTILE, "searches": 9, "sessions": 8}
    query |= {"inclusion_probability": 0.5, "known": False, "variants": [[HOSTILE, 5], ["X", 4]]}
    graded = grade_pairs([pair(HOSTILE, 3)], WeakGradeRule(), PRIORS)
    shown = [
        sample_html([query], {"by": "tag"}),
        strata_html([stratum(HOSTILE, 1, 2, 1)], {"by": "tag"}, WHOLE),
        pairs_html([pair(HOSTILE, 3)], {HOSTILE: HOSTILE}, graded),
        rule_html(WeakGradeRule(), [HOSTILE] * 4),
    ]
    for html in shown:
        assert "&lt;b&gt;x" in html
        assert "<b>x" not in html
    assert "2 spellings" in shown[0]
    assert sheet_of_sample([query]).rows[0][1] == HOSTILE


def test_the_strata_of_traffic_say_what_they_hold_and_what_a_query_weighs() -> None:
    html = strata_html([stratum("tail", 80, 20, 20)], Sampling().as_json(), WHOLE)
    assert "about 20\u00a0% of searches that can be drawn" in html
    assert "weight 4.0" in html
    without = stratum("tail", 80, 20, 20) | {"inclusion_probability": None}
    assert "differs by query" in strata_html([without], Sampling().as_json(), WHOLE)


def test_every_bar_of_the_chart_is_whole_also_where_strata_are_many() -> None:
    strata = [stratum(f"tag {n}", n, 10 * n, 1) for n in range(1, 13)]
    parts = parts_of(strata, "tag")
    for bar in ("queries", "searches", "drawn"):
        of_bar = [part for part in parts if part["of"] == bar]
        assert len(of_bar) == MOST_STRATA
        assert sum(part["share"] for part in of_bar) == pytest.approx(1)
    # The seven largest of 1 to 12 are 6 to 12: 1 + 2 + 3 + 4 + 5 are together.
    assert [part["n"] for part in parts if part["stratum"] == REST] == [15, 150, 5]


def test_weak_grades_stand_beside_their_confidence_or_the_reason() -> None:
    pairs = [pair("much", 60), pair("few", 1, impressions=3), pair("odd", 9, sound=False)]
    graded = grade_pairs(pairs, WeakGradeRule(), PRIORS)
    html = pairs_html(pairs, {"much": "A title"}, graded)
    # (60 + 5) / (20 + 5) = 2.6: above every proposed threshold.
    assert '<span class="gs-weak"><bdi>3</bdi>' in html
    assert "too few impressions" in html
    assert html.count("more clicks than impressions") == 4
    assert html.count("not in the corpus") == 2
    sheet = sheet_of_pairs(pairs, {"much": "A title"}, graded)
    grades = [row[sheet.columns.index("weak_grade")] for row in sheet.rows]
    assert grades == [3, None, None]


def test_the_thresholds_are_told_as_spans_that_follow_each_other() -> None:
    rule = WeakGradeRule(thresholds=[0.5, 1.0, 1.5], min_impressions=7)
    html = rule_html(rule, ["no", "little", "good", "best"])
    for span in ("below 0.5", "0.5 to 1", "1 to 1.5", "1.5 and more", "at least 7 impressions"):
        assert span in html


def test_what_is_taken_back_says_what_went_and_what_stays_and_why() -> None:
    done = {"sampling_id": 3, "queries_removed": 1, "lose_weight": 0, "again": False}
    went = taken_back_in_words(done | {"kept": {}})
    assert went == ["Sample 3 is taken back. 1 query is gone."]
    stay = {"kept": {"graded": 2, "edited": 0, "other_sampling": 1}, "lose_weight": 2}
    kept = taken_back_in_words(done | stay)
    assert kept[1:] == [
        "Stay: 2 queries: they have graded pairs; 1 query: another sample holds them.",
        "2 queries that stay have no weight then.",
    ]
    would = would_go_in_words(done | stay)
    assert would == ["1 query that only this sample brought goes.", *kept[1:]]
    again = taken_back_in_words(done | {"kept": {}, "again": True})
    assert again == ["Sample 3 was taken back before. 1 query is gone."]


def test_why_nothing_can_be_drawn_is_said_without_codes_and_commands() -> None:
    error = BuilderError(
        "none of the 7 queries of the log is eligible (4 few_sessions, 3 personal_data)",
        hint="Ask for fewer sessions (--min-sessions). Mask it (--personal mask).",
    )
    said = error_on_the_page(error)
    assert said.message.endswith("eligible (4 of too few sessions, 3 with personal data)")
    assert said.hint == "Ask for fewer sessions. Mask it."
    warning = "No query of the log is in the stratum no_click."
    assert warning_on_the_page(warning, "outcome").endswith("in the stratum without a click.")
    loss = "2 of the 5 queries of sampling 1 lose their weight: it weighs by one sampling alone."
    assert warning_on_the_page(loss, "tag") == (
        "2 of the 5 queries of sample 1 lose their weight: it weighs by one sample alone."
    )


def test_queries_with_several_tags_are_counted() -> None:
    said = about_tags({"several": 1, "too_rarely": 30})
    assert "1 query carries several tags, 30 are untagged because too few" in said


def test_a_drawing_is_told_in_a_line() -> None:
    told = way_in_words(Sampling(method="random", personal="keep", min_sessions=5).as_json())
    assert (
        told
        == "Random, up to 200 \u00b7 at least 5 sessions \u00b7 personal data kept \u00b7 seed 0"
    )
    assert "groups by how often they are searched" in way_in_words(Sampling().as_json())


def test_what_is_sent_and_what_not_is_said() -> None:
    done = {"sent": 1, "pairs": [], "not_sent": {"adjudicated": 2, "waiting": 0}, "next": "Wait."}
    assert sent_in_words(done) == [
        "1 pair will be asked for once more.",
        "Not sent: 2: an analyst decided it.",
        "Wait.",
    ]


def test_evidence_without_estimates_is_told_by_its_counts() -> None:
    told = evidence_in_words(pair("odd", 9, impressions=3, sound=False).as_json())
    assert "<b>9 clicks</b> of 3 impressions in 3 sessions" in told
    assert "COEC" not in told
    assert "None" not in told
