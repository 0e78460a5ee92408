"""Logs to queries in Streamlit's test runner: what the address asks for."""

from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from builder.crosscheck.clicks import JOB as EXPERTS_JOB
from builder.mining import Sampling, list_samplings
from builder.mining.deciding import JOB as EVIDENCE_JOB
from builder.workspace import Workspace
from tests.online.logs import flag
from tests.ui.test_pages import markup, sign_in, wait_for
from ui import clicks_experts
from ui.jobs import latest_job
from ui.mining import clicks, drawing
from ui.mining.drawing import PREVIEW_JOB

OpenApp = Callable[[Path], AppTest]
PAGE = "ui/pages/logs_to_queries.py"


def test_what_the_address_asks_for_is_previewed(
    open_app: OpenApp, filled_workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    # As in a large log, whose preview is a job.
    monkeypatch.setattr(drawing, "AT_ONCE", 0)
    app = sign_in(open_app(filled_workspace.root), "Dana").switch_page(PAGE)
    app.query_params["min_sessions"] = "many"
    asked = {"n": "7", "method": "Random", "personal": "Keep it", "seed": "3", "model": "bm25"}
    for key, value in asked.items():
        app.query_params[key] = value
    page = markup(app.run())
    assert not app.exception
    assert "kept as they were typed" in page
    assert "min_sessions=many is no number" in page
    assert "of the 2 searches" not in page
    app.button(key="preview").click().run()
    wait_for(filled_workspace, PREVIEW_JOB)
    page = markup(app.run())
    assert "The query stands for 100.0\u00a0% of the 2 searches." in page
    assert list_samplings(filled_workspace) == []
    assert app.button(key="mine").label == "Add 1 query"
    job = latest_job(filled_workspace, PREVIEW_JOB)
    assert job is not None
    sampling = Sampling.from_json((job.outcome or {})["parameters"])
    assert (sampling.limit, sampling.method, sampling.personal) == (7, "random", "keep")
    assert (sampling.seed, sampling.choice.model) == (3, "bm25")


def test_clicks_of_a_large_log_are_counted_by_a_job_without_bots(
    open_app: OpenApp, filled_workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clicks, "AT_ONCE", 0)
    flag(filled_workspace.lake, "nobody")
    app = sign_in(open_app(filled_workspace.root), "Dana").switch_page(PAGE)
    app.query_params["view"] = "What clicks tell"
    app.run()
    assert app.checkbox(key="clicks_without_bots").value
    app.button(key="count_clicks").click().run()
    wait_for(filled_workspace, EVIDENCE_JOB)
    assert "2 of 2 pairs" in markup(app.run())
    app.checkbox(key="clicks_without_bots").uncheck().run()
    assert not app.exception
    assert app.button(key="count_clicks").label == "Count clicks"


def test_experts_are_compared_with_a_large_log_by_a_job_once(
    open_app: OpenApp, filled_workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clicks_experts, "AT_ONCE", 0)
    app = sign_in(open_app(filled_workspace.root), "Dana")
    app.switch_page("ui/pages/clicks_experts.py").run()
    app.button(key="count_clicks").click().run()
    wait_for(filled_workspace, EXPERTS_JOB)
    page = markup(app.run())
    assert not app.exception
    assert "No graded pair has enough clicks" in page
    assert "count_clicks" not in [button.key for button in app.button]


def test_what_clicks_tell_is_called_no_judgment_and_says_why_there_is_no_weak_grade(
    open_app: OpenApp, filled_workspace: Workspace
) -> None:
    app = sign_in(open_app(filled_workspace.root), "Dana").switch_page(PAGE)
    app.query_params["view"] = "What clicks tell"
    page = markup(app.run())
    assert not app.exception
    assert "Weak grades are no judgments." in page
    # Two documents, shown in three searches, clicked once each.
    assert "too few impressions" in page
    assert "2 of 2 pairs" in page
    page = markup(app.switch_page("ui/pages/clicks_experts.py").run())
    assert not app.exception
    assert "No graded pair has enough clicks" in page
