"""What a job said at its end is shown only while it holds."""

from collections.abc import Mapping
from typing import Any

from builder.curation import retire_query
from builder.export import export_task
from builder.jobs import Job, read_job, still_holds
from builder.people import ensure_person
from builder.pooling import pool, take_back_pooling
from builder.store import jobs
from builder.workspace import Workspace
from tests.ui.conftest import OpenApp
from tests.ui.test_pages import markup, sign_in
from ui.missing import missing_to_evaluate, missing_to_pool


def ended(workspace: Workspace, kind: str, state: str, outcome: Mapping[str, Any]) -> Job:
    with workspace.store.write() as connection:
        number = jobs.add_job(connection, kind, "builder.any:any", {}, "Dana")
        jobs.finish_job(connection, number, state, "no such thing", outcome)
    return read_job(workspace, number)


def test_what_was_sent_holds_until_its_filling_is_taken_back(filled_workspace: Workspace) -> None:
    filling = pool(filled_workspace, ["bm25"], 6)
    job = ended(filled_workspace, "holes", "done", {"pooling_id": filling["pooling_id"]})
    assert still_holds(filled_workspace, job)
    take_back_pooling(filled_workspace, filling["pooling_id"])
    assert not still_holds(filled_workspace, job)


def test_what_was_brought_holds_until_a_newer_release(filled_workspace: Workspace) -> None:
    export_task(filled_workspace, "shop")
    job = ended(filled_workspace, "export", "done", {})
    assert still_holds(filled_workspace, job)
    export_task(filled_workspace, "shop", keep_no_relevant=True)
    assert not still_holds(filled_workspace, job)


def test_why_a_job_failed_holds_until_anything_changes(filled_workspace: Workspace) -> None:
    job = ended(filled_workspace, "export", "failed", {})
    assert still_holds(filled_workspace, job)
    retire_query(filled_workspace, "q1", None)
    assert not still_holds(filled_workspace, job)


def test_a_failure_that_was_seen_is_gone_on_the_next_visit(
    open_app: OpenApp, filled_workspace: Workspace
) -> None:
    ended(filled_workspace, "export", "failed", {})
    app = sign_in(open_app(filled_workspace.root), "Dana")
    release, other = "ui/pages/release.py", "ui/pages/guidelines.py"
    assert "Failed: no such thing" in markup(app.switch_page(release).run())
    assert "Failed: no such thing" in markup(app.run())
    app.switch_page(other).run()
    assert "Failed: no such thing" not in markup(app.switch_page(release).run())


def test_what_can_only_fail_cannot_be_started_and_says_what_is_missing(
    open_app: OpenApp, empty_workspace: Workspace
) -> None:
    ensure_person(empty_workspace, "Dana")
    app = sign_in(open_app(empty_workspace.root), "Dana")
    for page, label, said in (
        ("pool", "Preview", "Import a corpus and queries first"),
        ("leaderboard", "Evaluate", "no release, and no grade"),
    ):
        app = app.switch_page(f"ui/pages/{page}.py").run()
        (button,) = [button for button in app.button if button.label == label]
        assert button.disabled
        assert said in markup(app)


def test_once_nothing_is_missing_nothing_is_said(filled_workspace: Workspace) -> None:
    assert missing_to_pool(filled_workspace) == missing_to_evaluate(filled_workspace) == ""
