"""The Leaderboard keeps releases apart and says who is missing from the newest."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from builder.evaluation import evaluate_models, score_runs
from builder.export import export_task
from builder.store.documents import insert_documents
from builder.workspace import Workspace
from evals.qrels import WEAK_SPLIT
from evals.records import Document
from tests.builder.clicked import clicked_workspace
from tests.ui.conftest import OpenApp
from tests.workspaces import copied


def markup(app: AppTest) -> str:
    assert not app.exception
    return "".join(html.proto.body for html in app.get("html"))


@pytest.fixture
def page(open_app: OpenApp, filled_workspace: Workspace) -> AppTest:
    """The page after release filled@2, with bm25 and <b>own on filled@1 only."""
    run = filled_workspace.root / "own.trec"
    run.write_text("q0 Q0 d0 1 1 <b>own\nq1 Q0 d5 1 1 <b>own\n", "utf-8")
    export_task(filled_workspace, "filled")
    evaluate_models(filled_workspace, ["bm25"], ["custom/filled"])
    score_runs(filled_workspace, run, ["custom/filled"])
    with filled_workspace.store.write() as connection:
        insert_documents(connection, [Document("new", "", "file")])
    export_task(filled_workspace, "filled")
    app = open_app(filled_workspace.root)
    app.session_state["person"] = "Dana"
    return app.run().switch_page("ui/pages/leaderboard.py").run()


def test_a_release_without_results_says_so_and_offers_the_commands(page: AppTest) -> None:
    html = markup(page)
    assert page.selectbox(key="board").options == ["filled@2", "filled@1"]
    assert "No model was evaluated on filled@2 yet" in html
    assert "bm25 (filled@1)" in html
    assert "goldsmith eval bm25 -t custom/filled" in html
    assert "goldsmith score own.trec -t custom/filled" in html
    assert "<b>own" not in html
    assert not page.get("vega_lite_chart")


def test_labels_from_clicks_are_called_no_judgments(open_app: OpenApp, tmp_path: Path) -> None:
    with copied(clicked_workspace, tmp_path / "w") as workspace:
        export_task(workspace, "shop", weak=True)
        evaluate_models(workspace, ["bm25"], ["custom/shop"], split=WEAK_SPLIT)
        app = open_app(workspace.root)
        app.session_state["person"] = "ann"
        page = app.run().switch_page("ui/pages/leaderboard.py").run()
        html = markup(page)
    first, *_ = page.selectbox(key="board").options
    assert first.startswith("shop, labels from clicks, no judgments (content ")
    assert "shop: labels from clicks, no judgments." in html


def test_a_model_on_an_older_release_only_is_named(
    page: AppTest, filled_workspace: Workspace
) -> None:
    evaluate_models(filled_workspace, ["bm25"], ["custom/filled"])
    html = markup(page.run())
    assert "Means over 2 queries" in html
    assert "not evaluated on filled@2 yet: &lt;b&gt;own (filled@1)." in html
    assert "goldsmith eval" not in html
    assert "7 documents" in html


def test_an_older_release_is_opened_by_its_name(page: AppTest) -> None:
    page.selectbox(key="board").select("filled@1")
    html = markup(page.run())
    assert "filled@1 is an older release; the newest is filled@2." in html
    assert "6 documents" in html
    assert "Evaluate again" not in html
