"""Release: a press while a release is being made says so, and releases name what was chosen."""

from collections.abc import Iterator

from streamlit.testing.v1.element_tree import Block

from builder.store import jobs
from builder.store.releases import Release, add_release
from builder.workspace import Workspace
from tests.ui.conftest import OpenApp
from tests.ui.test_pages import markup, sign_in
from ui.releases import EXPORT_JOB, EXPORT_TARGET

PAGE = "ui/pages/release.py"


def blocks(block: Block) -> Iterator[Block]:
    """The block and all blocks in it."""
    yield block
    for child in block.children.values():
        if isinstance(child, Block):
            yield from blocks(child)


def test_a_press_during_a_run_says_that_it_starts_nothing(
    filled_workspace: Workspace, open_app: OpenApp
) -> None:
    app = open_app(filled_workspace.root)
    sign_in(app, "Dana")
    app.switch_page(PAGE).run()
    # Enter in the name, before one has chosen, makes no release.
    (form,) = [block.proto.form for block in blocks(app.main) if block.type == "form"]
    assert not form.enter_to_submit
    with filled_workspace.store.write() as connection:
        jobs.add_job(connection, EXPORT_JOB, EXPORT_TARGET, {}, "Ben")
    next(b for b in app.button if b.label == "Make a release").click().run()
    assert not app.exception
    assert "This press started no other one." in markup(app)
    with filled_workspace.store.read() as connection:
        assert len(jobs.active_jobs(connection)) == 1


def test_the_table_names_the_choice_of_synthetic_queries(
    filled_workspace: Workspace, open_app: OpenApp
) -> None:
    counts = {"documents": 1, "queries": 2, "judgments": 3, "dropped": {}}
    with filled_workspace.store.write() as connection:
        for number, more in ((1, {}), (2, {"synthetic": "accepted"})):
            told = {**counts, **more}
            add_release(
                connection, Release("shop", number, f"h{number}", "2026-01-01", "Ben", told)
            )
    app = open_app(filled_workspace.root)
    sign_in(app, "Dana")
    app.switch_page(PAGE).run()
    assert not app.exception
    assert markup(app).count("synthetic: accepted") == 1
