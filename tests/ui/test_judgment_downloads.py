"""Raw judgments on the Release page."""

import pytest
from streamlit.testing.v1 import AppTest

from builder.people import ensure_person
from builder.workspace import Workspace
from tests.ui.conftest import OpenApp

RELEASE = "ui/pages/release.py"


def shown(app: AppTest) -> str:
    return " ".join(element.proto.body for element in app.get("html"))


@pytest.fixture
def page(filled_workspace: Workspace, open_app: OpenApp) -> AppTest:
    app = open_app(filled_workspace.root)
    app.query_params["rater"] = "Dana"
    app.run()
    return app.switch_page(RELEASE).run()


def test_nothing_is_computed_before_somebody_asks(
    page: AppTest, filled_workspace: Workspace
) -> None:
    assert not page.exception
    assert "6 judgments stand" in shown(page)
    assert not (filled_workspace.cache_folder / "downloads").exists()
    assert page.get("download_button")


def test_each_form_offers_what_it_can_hold(page: AppTest) -> None:
    offers = {
        "csv": ["Pseudonyms", "For Excel", "The whole log"],
        "jsonl": ["Pseudonyms", "The whole log"],
        "quepid-csv": ["Pseudonyms", "For Excel"],
        "label-studio": ["Pseudonyms"],
        "trec": [],
    }
    for form, labels in offers.items():
        page.selectbox[-1].select(form).run()
        assert not page.exception
        boxes = [box.label for box in page.checkbox if box.label in offers["csv"]]
        assert boxes == labels
        assert bool(page.code) == (form == "label-studio")


def test_many_judgments_are_written_by_a_job(
    page: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ui.judgment_downloads.AT_ONCE", 5)
    page.run()
    assert "Write the file" in [button.label for button in page.button]


def test_without_judgments_there_is_nothing_to_take(
    empty_workspace: Workspace, open_app: OpenApp
) -> None:
    ensure_person(empty_workspace, "Dana")
    app = open_app(empty_workspace.root)
    app.query_params["rater"] = "Dana"
    app.run()
    app.switch_page(RELEASE).run()
    assert "Nobody has judged a pair yet" in shown(app)
