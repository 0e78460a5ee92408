"""The page Import offers to take back what it has just imported, to those who may."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from builder.activity import read_activity
from builder.errors import NotAllowedError
from builder.events import import_search_events, take_back_import
from builder.people import ensure_person
from builder.workspace import Workspace
from online.undoing import latest_import
from tests.online.logs import clicked, event, take, write_log
from tests.ui.test_pages import markup, sign_in, wait_for

OpenApp = Callable[[Path], AppTest]


def _uploaded(open_app: OpenApp, workspace: Workspace) -> AppTest:
    ensure_person(workspace, "Dana")
    app = sign_in(open_app(workspace.root), "Dana")
    app.query_params["what"] = "Search events"
    app.switch_page("ui/pages/imports.py").run()
    content = "\n".join(map(json.dumps, [clicked(1), event(query="other")])).encode()
    app.file_uploader[0].set_value(("<b>log.jsonl", content, "application/octet-stream"))
    next(button for button in app.button if button.label == "Import").click().run()
    wait_for(workspace, "import")
    return app.run()


def _ways_back(app: AppTest) -> list[str]:
    return [button.label for button in app.button if button.label == "Take it back"]


def test_what_was_imported_is_taken_back_on_the_page(
    open_app: OpenApp, empty_workspace: Workspace
) -> None:
    app = _uploaded(open_app, empty_workspace)
    said = markup(app)
    assert "2 searches and 1 interaction." in said
    assert "<b>log.jsonl" not in said
    next(button for button in app.button if button.label == "Take it back").click().run()
    assert not app.exception
    assert "Taken back by" in markup(app)
    assert not _ways_back(app)
    assert not empty_workspace.lake.manifest().searches
    entry = read_activity(empty_workspace).entries[0]
    assert (entry.action, entry.actor) == ("events.take_back", "Dana")
    assert (entry.details["searches"], entry.details["interactions"]) == (2, 1)


def test_only_the_latest_import_offers_it(open_app: OpenApp, empty_workspace: Workspace) -> None:
    app = _uploaded(open_app, empty_workspace)
    log = write_log(empty_workspace.root / "later.jsonl", [event(query="later")])
    assert _ways_back(app)
    import_search_events(empty_workspace, log, "terminal")
    app.run()
    assert not _ways_back(app)
    assert "Taken back by" not in markup(app)


def test_it_takes_an_analyst(empty_workspace: Workspace) -> None:
    ensure_person(empty_workspace, "Dana")
    rater = ensure_person(empty_workspace, "Rita")
    take(empty_workspace.root, [event()])
    with pytest.raises(NotAllowedError):
        take_back_import(empty_workspace, latest_import(empty_workspace.lake), rater)
    assert empty_workspace.lake.manifest().searches
