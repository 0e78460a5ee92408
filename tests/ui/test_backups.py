"""The app makes its daily copy, and says so where it cannot."""

import time
from collections.abc import Callable
from pathlib import Path

from builder.backup import back_up_to, daily_problem, list_backups, restore_backup
from builder.workspace import Workspace
from tests.ui.conftest import OpenApp


def wait_until(true: Callable[[], object]) -> None:
    deadline = time.monotonic() + 60
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_the_app_makes_a_copy_at_its_start(filled_workspace: Workspace, open_app: OpenApp) -> None:
    open_app(filled_workspace.root)
    wait_until(lambda: list_backups(filled_workspace))
    assert [copy.kind for copy in list_backups(filled_workspace)] == ["daily"]


def test_a_failure_is_on_the_overview(filled_workspace: Workspace, open_app: OpenApp) -> None:
    (filled_workspace.root / "backups").write_text("no folder", encoding="utf-8")
    app = open_app(filled_workspace.root)
    wait_until(lambda: daily_problem(filled_workspace))
    app.query_params["rater"] = "Dana"
    app.switch_page("ui/pages/overview.py").run()
    assert not app.exception
    shown = "\n".join(str(html.proto.body) for html in app.get("html"))
    assert "The daily copy of the database could not be made." in shown


def test_the_copies_are_on_the_page_activity(
    filled_workspace: Workspace, open_app: OpenApp
) -> None:
    app = open_app(filled_workspace.root)
    wait_until(lambda: list_backups(filled_workspace))
    app.query_params["rater"] = "Dana"
    app.switch_page("ui/pages/activity.py").run()
    assert not app.exception
    shown = "\n".join(str(html.proto.body) for html in app.get("html"))
    assert list_backups(filled_workspace)[0].file.name in shown


def test_a_restore_under_an_open_page_is_told_once(
    filled_workspace: Workspace, open_app: OpenApp, tmp_path: Path
) -> None:
    copy = back_up_to(filled_workspace, tmp_path / "copy.db").file
    app = open_app(filled_workspace.root)
    app.query_params["rater"] = "Dana"
    told = []
    for _ in range(3):
        app.switch_page("ui/pages/guidelines.py").run()
        assert not app.exception
        shown = "\n".join(str(html.proto.body) for html in app.get("html"))
        told.append("The workspace was restored from a copy" in shown)
        if len(told) == 1:
            restore_backup(filled_workspace.root, copy)
    assert told == [False, True, False]
