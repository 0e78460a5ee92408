"""The page A/B test: what it says of a good, a broken and an impossible test, and its address."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from builder.people import ensure_person
from builder.workspace import Workspace
from online.ab import Plan, compare_arms
from online.ingest import import_events
from tests.ui.test_pages import markup, sign_in
from tests.workspaces import copied, new_workspace
from ui.ab_plans import split_of
from ui.ab_sheets import days_sheet, effect_by_day, metrics_sheet, name_of_file, power_sheet
from ui.ab_tests import drawable
from ui.charts import effect_chart

OpenApp = Callable[[Path], AppTest]


def _events(**arms: tuple[int, int]) -> Iterator[str]:
    """Model -> sessions of one search each, and how many of them clicked at rank 2."""
    for model, (sessions, clicks) in arms.items():
        for n in range(sessions):
            yield json.dumps(
                {
                    "timestamp": f"2026-11-{1 + n % 5:02}T10:00:00Z",
                    "query": f"file {n}",
                    "session_id": f"{model}{n}",
                    "model_version": model,
                    "retrieved_doc_ids": ["d0", "d1"],
                    "clicked_doc_id": "d1" if n < clicks else None,
                    "click_rank": 2 if n < clicks else None,
                }
            )


def _log(workspace: Workspace, **arms: tuple[int, int]) -> None:
    log = workspace.cache_folder / "log.jsonl"
    log.write_text("\n".join(_events(**arms)) + "\n")
    import_events(workspace.lake, log, quarantine_folder=workspace.quarantine_folder)


def _page(open_app: OpenApp, workspace: Workspace, **asked: str) -> AppTest:
    ensure_person(workspace, "Dana")
    app = sign_in(open_app(workspace.root), "Dana")
    for key, value in asked.items():
        app.query_params[key] = value
    app = app.switch_page("ui/pages/ab_test.py").run()
    assert not app.exception
    return app


@pytest.fixture
def logged(tmp_path: Path) -> Iterator[Workspace]:
    """100 of 1,000 sessions clicked with A, 160 of 1,000 with B, 120 of 1,200 with C."""
    with copied(_logged, tmp_path / "logged") as workspace:
        yield workspace


def _logged(folder: Path) -> Workspace:
    workspace = new_workspace(folder, "Empty")
    _log(workspace, A=(1000, 100), B=(1000, 160), C=(1200, 120))
    return workspace


def test_without_events_the_page_says_what_to_do(
    open_app: OpenApp, empty_workspace: Workspace
) -> None:
    assert "There are no search events yet." in markup(_page(open_app, empty_workspace))


def test_one_model_version_is_no_test(open_app: OpenApp, empty_workspace: Workspace) -> None:
    _log(empty_workspace, A=(3, 1))
    said = markup(_page(open_app, empty_workspace))
    assert "All 3 searches are of one model version, " in said
    assert "model_version" in said


def test_a_good_test_shows_traffic_verdict_and_numbers_in_this_order(
    open_app: OpenApp, logged: Workspace
) -> None:
    said = markup(_page(open_app, logged))
    parts = [
        "The sample ratio gives no alarm.",
        "B is better than A.",
        ">control<",
        "Effect by day",
    ]
    places = [said.index(part) for part in parts]
    assert places == sorted(places)
    assert "+6.0 points (95\u00a0% interval +3.1 to +8.9)" in said
    assert "n\u00a0=\u00a01,000" in said
    assert "Fix the last day before the test begins" in said


def test_a_broken_sample_ratio_is_loud(open_app: OpenApp, logged: Workspace) -> None:
    said = markup(_page(open_app, logged, treatment="C"))
    assert 'role="alert"><p><bdi>The sample ratio fails.' in said
    assert "1,000 and 1,200 sessions came (p = 2.0e-5)" in said
    assert "Do not use this test" in said


def test_the_address_holds_what_is_compared(open_app: OpenApp, logged: Workspace) -> None:
    asked = {"control": "C", "treatment": "A", "expected": "12:10", "to": "2026-11-02"}
    app = _page(open_app, logged, **asked)
    said = markup(app)
    assert "12:10 planned, 480 and 400 sessions came" in said
    assert "Fewer than 1,000 searches in A (400)" in said


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"expected": "half"}, "is no split"),
        ({"control": "B"}, "the same model version"),
        ({"unit": "user"}, "names a user"),
        ({"from": "2026-11-03", "to": "2026-11-02"}, "is after the last"),
    ],
)
def test_a_test_that_makes_no_sense_is_explained(
    open_app: OpenApp, logged: Workspace, asked: dict[str, str], message: str
) -> None:
    assert message in markup(_page(open_app, logged, **asked))


def test_a_test_of_next_to_nothing_has_no_chart(
    open_app: OpenApp, empty_workspace: Workspace
) -> None:
    _log(empty_workspace, A=(1, 0), B=(1, 0))
    said = markup(_page(open_app, empty_workspace))
    assert "The sample ratio cannot be tested yet." in said
    assert "Nothing can be said about CTR yet." in said
    assert "fewer than 2 units an arm" in said
    assert "Effect by day" not in said


def test_what_is_taken_away_has_full_precision_and_all_metrics(logged: Workspace) -> None:
    plan = Plan("A", "B", tag=None)
    test = compare_arms(logged.lake, plan)
    sheet = metrics_sheet(test)
    ctr = dict(zip(sheet.columns, sheet.rows[0], strict=True))
    assert (ctr["metric"], ctr["control_n"], ctr["treatment"]) == ("ctr", 1000, 0.16)
    assert ctr["difference"] == pytest.approx(0.06)
    assert ctr["p_holm"] == test.metrics["ctr"].difference.p_holm
    assert len(sheet.rows) == len(test.metrics)
    days = days_sheet(test)
    assert len(days.rows) == 5 * len(test.metrics)
    assert days.rows[0][:4] == ["2026-11-01", "ctr", 200, 200]
    assert len(power_sheet(test).rows) == len(test.metrics)
    assert name_of_file("metrics", plan) == "goldsmith-ab-metrics-A-B"


def test_a_tag_that_no_search_has_is_said(open_app: OpenApp, logged: Workspace) -> None:
    said = markup(_page(open_app, logged, tag="shop"))
    assert "tag=shop is not in the log, so it does not count." in said
    assert "B is better than A." in said


def test_splits() -> None:
    assert [split_of(text) for text in ("90:10", "90/10", "90 - 10")] == [(90, 10)] * 3
    assert split_of(" 1 : 1 ") == (1, 1)
    assert [split_of(text) for text in ("", "50", "0:1", "a:b", "1:2:3", "nan:1", "inf:1")] == (
        [None] * 7
    )


def test_the_chart_of_days_draws_intervals_and_no_effect(logged: Workspace) -> None:
    test = compare_arms(logged.lake, Plan("A", "B"))
    assert list(drawable(test)) == ["ctr", "click_mrr"]
    frame = effect_by_day(test, "ctr")
    # 200 sessions a day: the first 100 of A clicked, 20 a day, against 32 of B.
    assert frame["value"].tolist() == pytest.approx([6.0] * 5)
    assert frame["searches"].tolist() == [400] * 5
    assert (frame["low"] < 6).all()
    drawn = effect_chart(frame, "#0072B2", "difference in CTR").to_dict()
    zero, span, dot = drawn["layer"]
    assert zero["encoding"]["y"]["field"] == "zero"
    assert span["encoding"]["y2"] == {"field": "high"}
    assert dot["mark"]["color"] == "#0072B2"
