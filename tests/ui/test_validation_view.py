"""What the page Generate says of the experts' validation, and of what drawing would take."""

from typing import Any

from builder.synthesis.review import accept_all
from builder.workspace import Workspace
from tests.ui.conftest import OpenApp
from tests.ui.test_generate import PAGE, generated  # noqa: F401 - a fixture
from tests.ui.test_pages import markup, sign_in
from ui.synthesis import drawing
from ui.synthesis.drawing import would_go_in_words
from ui.synthesis.validation import figures_of, grades_html, remarks_of, rule_in_words, strata_html
from ui.tables import Tile

HOSTILE = "<b>x</b>"
S: dict[str, Any] = {"value": 0.8, "low": 0.627, "high": 0.905, "n": 30, "reason": None}
NOTHING: dict[str, Any] = {
    "value": None, "low": None, "high": None, "n": 0, "reason": "nothing_graded",
}  # fmt: skip
STRATUM: dict[str, Any] = {
    "stratum": HOSTILE, "queries": 50, "drawn": 15, "graded": 14, "agree": 12, "cannot_judge": 1,
    "gone": 0, "waiting": 0, "agreement": S, "state": "left_out",
}  # fmt: skip
REPORT: dict[str, Any] = {
    "validation_id": 1, "queries": 100, "drawn": 30, "graded": 28, "agree": 24, "cannot_judge": 1,
    "gone": 0, "waiting": 1, "not_asked": 0, "set_aside": 0, "unfinished": 0, "later": 2,
    "changed": 0, "agreement": S, "collapsed": [HOSTILE],
    "estimates": {"share_relevant": S, "mean_grade": {**S, "value": 2.1, "low": 1.9, "high": 2.3}},
}  # fmt: skip


def test_agreement_stands_beside_its_interval_and_the_estimate_for_all_queries() -> None:
    assert figures_of(REPORT) == [
        Tile("agreement", "80.0\u00a0%", "62.7\u201390.5\u00a0% \u00b7 n = 30"),
        Tile("graded", "28 of 30", "24 agree, 1 to go"),
        Tile(
            "relevant source documents",
            "80.0\u00a0%",
            "of all 100 queries \u00b7 62.7\u201390.5\u00a0% \u00b7 n = 30",
        ),
        Tile("mean grade", "2.100", "of all 100 queries \u00b7 1.900\u20132.300 \u00b7 n = 30"),
    ]
    unknown = figures_of({**REPORT, "agreement": NOTHING})[0]
    begun = figures_of({**REPORT, "unfinished": 26, "complete": 2})[1]
    assert (begun.value, begun.note) == ("28 of 30", "2 complete, 24 agree, 1 to go")
    assert (unknown.value, unknown.note) == ("\u2013", "nothing graded \u00b7 n = 0")


def test_only_what_there_is_to_know_is_remarked() -> None:
    assert remarks_of({**REPORT, "collapsed": []}) == [
        "1 query can be judged by nobody.",
        "2 queries came after the drawing, which says nothing of them.",
    ]
    assert HOSTILE in remarks_of(REPORT)[-1]
    assert "at least 60.0\u00a0%" in rule_in_words({"least_agreement": 0.6, "good_agreement": 0.8})


def test_parts_and_grades_are_shown_and_never_markup() -> None:
    html = strata_html([STRATUM, {**STRATUM, "agreement": NOTHING, "state": "wait"}])
    for said in ("14 of 15", "left out", "waits for grades", "nothing graded", "&lt;b&gt;x"):
        assert said in html
    bars = grades_html({"0": 1, "3": 3}, [HOSTILE, "little", "good", "best"])
    assert "--gs-share:75.0%" in bars
    assert "25.0\u00a0%" in bars
    assert bars.count("--gs-share:0.0%") == 2
    assert HOSTILE not in html + bars


def test_what_taking_a_drawing_back_would_do_is_told() -> None:
    filling = {"pairs_removed": 1, "kept": {"judged": 2}}
    assert would_go_in_words({"filling": filling, "standing": None}) == [
        "1 pair goes out of the pool.",
        "Stay: 2 pairs: somebody judged them.",
        "Then no validation stands, and no synthetic grade counts in a release.",
    ]
    assert would_go_in_words({"filling": None, "standing": 3})[1] == "Then drawing 3 counts again."


def test_the_view_names_the_step_before_and_then_says_what_drawing_takes(
    open_app: OpenApp,
    generated: Workspace,  # noqa: F811 - the fixture
) -> None:
    app = sign_in(open_app(generated.root), "Dana").switch_page(PAGE)
    app.query_params["view"] = "Validation"
    assert "No synthetic query is in the set yet." in markup(app.run())
    accept_all(generated)
    page = markup(app.run())
    assert not app.exception
    assert "pairs, at most" in page
    assert app.button(key="draw_validation").label == "Draw 1 query"
    assert drawing.synthetic_queries(generated) == 1
