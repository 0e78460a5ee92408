"""The Leaderboard tells scores by where the queries came from."""

import sqlite3

from builder.evaluation import evaluate_models
from builder.export import export_task
from builder.workspace import DATABASE_FILE, Workspace
from tests.ui.conftest import OpenApp
from tests.ui.test_pages import markup, sign_in


def test_scores_of_generated_and_imported_queries_stand_side_by_side(
    open_app: OpenApp, filled_workspace: Workspace
) -> None:
    with sqlite3.connect(filled_workspace.root / DATABASE_FILE) as connection:
        connection.execute("UPDATE queries SET source = 'synthetic' WHERE query_id = 'q1'")
    export_task(filled_workspace, "filled")
    evaluate_models(filled_workspace, ["bm25"], ["custom/filled"])
    app = sign_in(open_app(filled_workspace.root), "Dana").switch_page("ui/pages/leaderboard.py")
    html = markup(app.run())
    assert not app.exception
    table = html[html.index("gs-by-source") :]
    assert "nDCG@10 by source of the queries" in table
    assert table.index("import") < table.index("synthetic")
    # One query of each.
    assert table.count("<bdi>n = 1</bdi>") == 2
    assert "compare models within a source" in table
