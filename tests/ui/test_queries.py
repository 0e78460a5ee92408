"""The Queries page: found, added, edited with a warning, merged after a look, and decided."""

from collections.abc import Callable
from pathlib import Path
from uuid import uuid4

import pytest
from streamlit.testing.v1 import AppTest

from builder.curation import QueryContent, add_query, edit_query, find_query
from builder.judging.queue import cannot_judge, flag_query
from builder.people import add_person, ensure_person
from builder.store.query_edits import documents_of
from builder.store.shown import query_key_of
from builder.workspace import Workspace
from tests.ui.test_pages import markup, sign_in

OpenApp = Callable[[Path], AppTest]
PAGE = "ui/pages/queries.py"
HOSTILE = '<script>alert(1)</script> :red[x] **b** $x$ "'


@pytest.fixture
def app(open_app: OpenApp, filled_workspace: Workspace) -> AppTest:
    """The page as Dana, the admin, sees it."""
    return sign_in(open_app(filled_workspace.root), "Dana").switch_page(PAGE).run()


def press(app: AppTest, key: str) -> str:
    """The page after the button was pressed."""
    app.button(key=key).click().run()
    assert not app.exception
    return markup(app)


def view(app: AppTest, code: str) -> str:
    """The page after this view was chosen."""
    app.button_group(key="queries_view").set_value(code).run()
    assert not app.exception
    assert app.query_params["view"] == code
    return markup(app)


def opened(app: AppTest, query_id: str) -> AppTest:
    app.query_params["query"] = query_id
    return app.run()


def field(app: AppTest, kind: str, name: str) -> str:
    """The key of the one field of this kind whose key begins so."""
    (key,) = (f.key for f in getattr(app, kind) if f.key and f.key.startswith(name))
    return str(key)


def test_an_empty_workspace_says_where_queries_come_from(
    open_app: OpenApp, empty_workspace: Workspace
) -> None:
    ensure_person(empty_workspace, "Dana")
    app = sign_in(open_app(empty_workspace.root), "Dana").switch_page(PAGE).run()
    assert not app.exception
    assert "No queries yet" in markup(app)
    assert "No two active queries" in view(app, "duplicates")
    assert "Nothing waits" in view(app, "waiting")


def test_tags_count_whether_picked_or_only_typed(app: AppTest, filled_workspace: Workspace) -> None:
    view(app, "add")
    app.text_area(key=field(app, "text_area", "add_text")).set_value("a new one")
    app.text_input(key=field(app, "text_input", "add_tags")).set_value(" size , colour,, size")
    press(app, "add_query")
    added = app.query_params["query"]
    assert find_query(filled_workspace, added).query.tags == ("size", "colour")
    press(app, "query_begin_edit")
    app.multiselect(key=field(app, "multiselect", "tags")).set_value(["colour"])
    app.text_input(key=field(app, "text_input", "tags")).set_value("shape")
    press(app, "query_save")
    assert find_query(filled_workspace, added).query.tags == ("colour", "shape")


def test_the_list_is_searched_and_a_query_opened(app: AppTest) -> None:
    assert "2 active, 0 retired" in markup(app)
    app.text_input(key="find").set_value("FILE 1").run()
    assert "1 found" in markup(app)
    (button,) = (b for b in app.button if b.label == "Open")
    button.click().run()
    assert app.query_params["query"] == "q1"
    assert "q1" in markup(app)
    assert "3 grades" in markup(app)


def test_a_rater_is_told_which_role_it_takes(
    open_app: OpenApp, filled_workspace: Workspace
) -> None:
    ensure_person(filled_workspace, "Ravi")
    app = sign_in(open_app(filled_workspace.root), "Ravi").switch_page(PAGE).run()
    assert "takes the role analyst" in markup(app)
    assert not [b for b in app.button if b.label == "Open"]


def test_a_query_is_added_once(app: AppTest, filled_workspace: Workspace) -> None:
    view(app, "add")
    app.text_area(key=field(app, "text_area", "add_text")).set_value(HOSTILE)
    page = press(app, "add_query")
    assert "It has no pairs yet" in page
    assert "<script>" not in page
    assert find_query(filled_workspace, "manual-1").query.text == HOSTILE.strip()


def test_what_cannot_be_added_is_said(app: AppTest) -> None:
    view(app, "add")
    assert "no text" in press(app, "add_query")


def test_an_edit_of_a_graded_text_is_warned_of_and_recorded(
    app: AppTest, filled_workspace: Workspace
) -> None:
    press(opened(app, "q0"), "query_begin_edit")
    app.text_area(key=field(app, "text_area", "text_")).set_value("file zero")
    page = press(app, "query_save")
    assert "3 grades were given under the text as it was" in page
    assert find_query(filled_workspace, "q0").query.text == "file 0"
    page = press(app, "query_save")
    assert "Saved: text." in page
    assert "3 grades had been given under the old text" in page
    assert "text: file zero" in page
    assert find_query(filled_workspace, "q0").query.text == "file zero"


def test_the_second_editor_sees_what_the_first_wrote(
    app: AppTest, filled_workspace: Workspace
) -> None:
    press(opened(app, "q0"), "query_begin_edit")
    first = QueryContent(HOSTILE, "A file.")
    edit_query(
        filled_workspace, "q0", QueryContent("file 0", "A file."), first, None, despite_grades=True
    )
    app.text_area(key=field(app, "text_area", "text_")).set_value("mine")
    page = press(app, "query_save")
    assert "Somebody else changed this query" in page
    assert "&lt;script&gt;" in page
    assert "<script>" not in page
    assert app.button(key="query_save").disabled
    assert find_query(filled_workspace, "q0").query.text == HOSTILE.strip()


def test_a_query_is_retired_with_a_reason_and_brought_back(
    app: AppTest, filled_workspace: Workspace
) -> None:
    opened(app, "q0").text_input(key="query_retire_reason").set_value("out of date")
    page = press(app, "query_retire")
    assert "Retired: nobody is asked" in page
    assert "out of date" in page
    assert find_query(filled_workspace, "q0").query.status == "retired"
    assert "Brought back" in press(app, "query_restore")
    assert find_query(filled_workspace, "q0").query.status == "active"


def test_a_priority_is_chosen(app: AppTest, filled_workspace: Workspace) -> None:
    opened(app, "q0").button_group[0].set_value(2).run()
    assert not app.exception
    assert find_query(filled_workspace, "q0").query.priority == 2
    assert "Raters come to it first." in markup(app)


def test_duplicates_are_merged_after_a_look(app: AppTest, filled_workspace: Workspace) -> None:
    add_query(filled_workspace, QueryContent("FILE  0", "another need"), None, query_id="twice")
    view(app, "duplicates")
    (look,) = (b for b in app.button if b.label == "Look at the merge")
    look.click().run()
    page = markup(app)
    assert "0 pairs of the merged query" in page
    assert "another need" in page
    assert find_query(filled_workspace, "twice").query.status == "active"
    page = press(app, "merge_now")
    assert "Merged twice into this query" in page
    assert find_query(filled_workspace, "twice").query.status == "retired"
    assert app.query_params["query"] == "q0"


def test_a_merge_into_nothing_is_an_error_in_words(app: AppTest) -> None:
    opened(app, "q0").text_input(key="query_merge_into").set_value("nobody")
    assert "There is no query nobody" in press(app, "query_merge")


def test_what_waits_is_decided(app: AppTest, filled_workspace: Workspace) -> None:
    with filled_workspace.store.read() as connection:
        key = query_key_of(connection, "q1")
        assert key is not None
        pair_id = documents_of(connection, key)["d1"]
    dana = ensure_person(filled_workspace, "Dana")
    for name in ("Ravi", "Cy"):
        add_person(filled_workspace, name, "rater", dana)
        flag_query(filled_workspace, name, "q0", "unclear", HOSTILE, token=uuid4().hex)
        cannot_judge(filled_workspace, name, pair_id, "Chemie", token=uuid4().hex)
    page = view(app, "waiting")
    assert page.count("&lt;script&gt;") == 2
    assert "<script>" not in page
    assert "Title 1" in page
    assert "Two more raters are asked" in press(app, f"more_{pair_id}")
    (again,) = (b for b in app.button if b.label == "Ask raters again")
    again.click().run()
    assert "2 words of theirs set aside" in markup(app)
    assert "Nothing waits" in markup(app)
