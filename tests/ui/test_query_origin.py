"""Where a synthetic query comes from, on its page: all that is known, and nothing of it markup."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import update

from builder.people import ensure_person
from builder.store.synthesis_schema import llm_calls
from builder.synthesis.origins import origin_of_query
from builder.synthesis.review import accept, undo_review
from builder.workspace import Workspace
from tests.ui.conftest import OpenApp
from tests.ui.test_generated_review import HOSTILE, _make
from tests.ui.test_pages import markup, sign_in
from tests.workspaces import copied
from ui.query_origin import TITLE, origin_html

CALL: dict[str, Any] = {
    "answer": f'{{"queries": ["{HOSTILE}"]}}',
    "model_served": HOSTILE,
    "prompt_tokens": 1234,
    "completion_tokens": 56,
    "seed": 7,
    "max_tokens": 256,
}


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    with copied(_make, tmp_path / "workspace") as opened:
        with opened.store.write() as connection:
            connection.execute(update(llm_calls).values(CALL))
        yield opened


def test_all_that_is_known_is_told_and_nothing_of_it_is_markup(workspace: Workspace) -> None:
    dana = ensure_person(workspace, "Dana")
    origin = origin_of_query(workspace, accept(workspace, 1, "kept logs", dana))
    assert origin is not None
    html = origin_html(origin, "UTC")
    assert "<script>" not in html
    assert "<img" not in html
    assert html.count("&lt;script&gt;") >= 4  # model, title, passage, answer, first words
    for told in ("1,234 sent, 56 received", "seed 7", "at most 256 tokens", "asked by json_schema"):
        assert told in html
    assert "by <bdi>Dana</bdi>" in html
    assert "edited from: <bdi>kept logs &lt;script&gt;" in html
    assert "<bdi>tiny</bdi> at <bdi>localhost</bdi>" in html
    assert f'title="{"0" * 64}"' in html


def test_what_nobody_told_is_not_made_up(workspace: Workspace) -> None:
    dana = ensure_person(workspace, "Dana")
    query_id = accept(workspace, 2, None, dana)
    with workspace.store.write() as connection:
        untold = dict.fromkeys(CALL.keys() - {"seed", "max_tokens"})
        connection.execute(update(llm_calls).values(untold))
    undo_review(workspace, 2, dana)
    origin = origin_of_query(workspace, query_id)
    assert origin is not None
    html = origin_html(origin, "UTC")
    assert "answered: <bdi>not told</bdi>" in html
    assert "\u2013 sent, \u2013 received" in html
    assert "taken back" in html
    assert origin_of_query(workspace, "q1") is None


def test_the_page_of_a_synthetic_query_shows_it_and_no_other_does(
    open_app: OpenApp, workspace: Workspace
) -> None:
    query_id = accept(workspace, 2, None, ensure_person(workspace, "Dana"))
    app = sign_in(open_app(workspace.root), "Dana").switch_page("ui/pages/queries.py")
    app.query_params["query"] = query_id
    app.run()
    assert not app.exception
    assert [one.label for one in app.expander] == [TITLE]
    assert "1,234 sent" in markup(app)
