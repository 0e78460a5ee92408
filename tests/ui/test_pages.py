"""Every page, on no workspace, an empty and a filled one: no exception, and the next step named."""

import time
from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from builder.jobs import start_job
from builder.people import ensure_person
from builder.workspace import SETTINGS_FILE, Workspace, open_workspace
from ui.jobs import latest_job

OpenApp = Callable[[Path], AppTest]
PAGES = (
    *("overview", "imports", "generate", "pool", "grade", "release", "leaderboard", "dashboard"),
    "ab_test",
)


def markup(app: AppTest) -> str:
    """All HTML on the page."""
    return "".join(element.proto.body for element in app.get("html"))


def sign_in(app: AppTest, name: str) -> AppTest:
    app.session_state["person"] = name
    return app.run()


@pytest.mark.parametrize("page", PAGES)
def test_a_page_of_an_empty_workspace_names_the_next_step(
    page: str, open_app: OpenApp, empty_workspace: Workspace
) -> None:
    app = open_app(empty_workspace.root).switch_page(f"ui/pages/{page}.py").run()
    assert not app.exception
    assert "gs-head" in markup(app)


@pytest.mark.parametrize("page", PAGES)
def test_a_page_of_a_filled_workspace_shows_itself(
    page: str, open_app: OpenApp, filled_workspace: Workspace
) -> None:
    app = sign_in(open_app(filled_workspace.root), "Dana")
    app = app.switch_page(f"ui/pages/{page}.py").run()
    assert not app.exception
    assert 'role="alert"' not in markup(app)
    assert "Dana" in markup(app)


def test_without_a_workspace_the_app_offers_one(open_app: OpenApp, tmp_path: Path) -> None:
    app = open_app(tmp_path / "absent")
    assert not app.exception
    assert "no workspace yet" in markup(app)
    assert [button.label for button in app.button] == [
        "Open the demo workspace",
        "Make an empty workspace",
    ]


def test_an_empty_workspace_is_made_under_its_name(open_app: OpenApp, tmp_path: Path) -> None:
    app = open_app(tmp_path / "new")
    app.text_input[0].set_value("Shop search")
    app.button[1].click().run()
    assert not app.exception
    assert "Shop search" in markup(app)
    with open_workspace(tmp_path / "new") as workspace:
        assert workspace.settings.name == "Shop search"


def test_broken_settings_are_said_with_place_and_hint(
    open_app: OpenApp, empty_workspace: Workspace
) -> None:
    settings = empty_workspace.root / SETTINGS_FILE
    settings.write_text(settings.read_text() + "\nraters = 3\n")
    app = open_app(empty_workspace.root)
    assert not app.exception
    assert 'role="alert"' in markup(app)
    assert SETTINGS_FILE in markup(app)


def test_grading_asks_for_a_name_first(open_app: OpenApp, filled_workspace: Workspace) -> None:
    app = open_app(filled_workspace.root).switch_page("ui/pages/grade.py").run()
    assert "Who are you?" in markup(app)
    app.selectbox(key="who_name").set_value("Dana")
    app.button[0].click().run()
    assert "gs-pair" in markup(app)
    assert app.query_params["rater"] == "Dana"


def test_a_name_in_the_address_counts_only_where_it_is_known(
    open_app: OpenApp, filled_workspace: Workspace
) -> None:
    app = open_app(filled_workspace.root).switch_page("ui/pages/grade.py")
    app.query_params["rater"] = "Nobody"
    assert "Who are you?" in markup(app.run())
    app.query_params["rater"] = "Dana"
    assert "gs-pair" in markup(app.run())


def test_what_is_illustrative_says_so(open_app: OpenApp, filled_workspace: Workspace) -> None:
    app = sign_in(open_app(filled_workspace.root), "Dana")
    for page in ("overview", "release", "leaderboard"):
        assert "illustrative grades" in markup(app.switch_page(f"ui/pages/{page}.py").run())


def test_the_dashboard_shows_rates_with_intervals_and_says_what_is_simulated(
    open_app: OpenApp, filled_workspace: Workspace
) -> None:
    app = sign_in(open_app(filled_workspace.root), "Dana")
    app = app.switch_page("ui/pages/dashboard.py").run()
    assert not app.exception
    page = markup(app)
    assert "simulated events" in page
    assert "66.7" in page  # CTR: 2 of 3 searches
    assert "0.500" in page  # click-MRR: (1 + 0 + 1/2) / 3
    assert len(app.get("vega_lite_chart")) == 2


def test_the_dashboard_reads_its_filters_from_the_address(
    open_app: OpenApp, filled_workspace: Workspace
) -> None:
    app = sign_in(open_app(filled_workspace.root), "Dana").switch_page("ui/pages/dashboard.py")
    app.query_params["model"] = "minilm"
    page = markup(app.run())
    assert "100.0" in page
    assert "66.7" not in page


def test_a_release_is_made_and_evaluated_from_the_browser(
    open_app: OpenApp, filled_workspace: Workspace
) -> None:
    app = sign_in(open_app(filled_workspace.root), "Dana")
    app = app.switch_page("ui/pages/release.py").run()
    press(app, "Make a release")
    wait_for(filled_workspace, "export")
    assert "filled@1" in markup(app.run())
    app = app.switch_page("ui/pages/leaderboard.py").run()
    app.multiselect[0].set_value(["bm25"])
    press(app, "Evaluate")
    wait_for(filled_workspace, "evaluation")
    page = markup(app.run())
    assert "Means over 2 queries" in page
    assert "bm25" in page
    page = markup(app.switch_page("ui/pages/overview.py").run())
    assert "nDCG@10" in page


def test_a_job_that_failed_says_what_to_do(open_app: OpenApp, filled_workspace: Workspace) -> None:
    job = {"steps": 1, "fail": "clearly"}
    start_job(
        filled_workspace, "pool", "tests.builder.rehearsal:rehearse", job, "Dana", package="tests"
    )
    app = sign_in(open_app(filled_workspace.root), "Dana")
    while (latest := latest_job(filled_workspace, "pool")) and latest.active:
        time.sleep(0.05)
    page = markup(app.switch_page("ui/pages/pool.py").run())
    assert "the rehearsal failed" in page
    assert "Where: step 7" in page
    assert "Ask for no failure" in page


def test_somebody_else_can_sit_down(open_app: OpenApp, filled_workspace: Workspace) -> None:
    app = sign_in(open_app(filled_workspace.root), "Dana")
    app.button(key="someone_else").click().run()
    assert "You are" not in markup(app)
    assert "rater" not in app.query_params


def test_pages_are_thin() -> None:
    pages = Path(__file__).resolve().parents[2] / "ui" / "pages"
    lengths = {path.name: len(path.read_text().splitlines()) for path in pages.glob("*.py")}
    assert {name: n for name, n in lengths.items() if n > 60} == {}


def press(app: AppTest, label: str) -> None:
    next(button for button in app.button if button.label == label).click().run()
    assert not app.exception
    assert 'role="alert"' not in markup(app)


def wait_for(workspace: Workspace, kind: str) -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        job = latest_job(workspace, kind)
        if job is not None and not job.active:
            break
        time.sleep(0.05)
    assert job is not None
    assert job.state == "done", job.message


def test_the_way_from_the_dashboard_leads_to_the_import_of_events(
    open_app: OpenApp, empty_workspace: Workspace
) -> None:
    ensure_person(empty_workspace, "Dana")
    app = sign_in(open_app(empty_workspace.root), "Dana")
    app = app.switch_page("ui/pages/dashboard.py").run()
    link = app.get("page_link")[-1]
    assert link.proto.query_string == "what=Search+events"
    app = app.switch_page("ui/pages/imports.py")
    app.query_params["what"] = "Search events"
    assert app.run().session_state["what"] == "events"
