"""My grades: changed in place, blind, and safe whatever a comment says."""

from uuid import uuid4

import pytest
from streamlit.testing.v1 import AppTest

from builder.judging.adjudication import decide
from builder.judging.history import own_history, settled_disputes
from builder.judging.naming import pair_name, query_name
from builder.judging.own_queries import own_query_words
from builder.judging.queue import flag_query, next_pair, submit_grade
from builder.people import change_role, ensure_person
from builder.workspace import Workspace
from tests.ui.conftest import OpenApp
from ui.history import dispute_html, entry_html

HOSTILE = '<script>alert(1)</script> :red[x] "'


@pytest.fixture
def graded(filled_workspace: Workspace) -> Workspace:
    """Dana graded two pairs, Ben the first of them otherwise."""
    ensure_person(filled_workspace, "Ben")
    for grade, comment in ((1, HOSTILE), (2, "")):
        pair = next_pair(filled_workspace, "Dana")
        assert pair is not None
        submit_grade(
            filled_workspace, "Dana", pair.pair_id, grade, token=uuid4().hex, comment=comment
        )
    first = own_history(filled_workspace, "Dana").judgments[1].now.pair_id
    submit_grade(filled_workspace, "Ben", first, 3, token=uuid4().hex)
    return filled_workspace


def my_grades(open_app: OpenApp, workspace: Workspace) -> AppTest:
    app = open_app(workspace.root)
    app.query_params["rater"] = "Dana"
    app = app.switch_page("ui/pages/my_grades.py").run()
    assert not app.exception
    return app


def words(app: AppTest) -> str:
    return "\n".join(str(html.proto.body) for html in app.get("html"))


def test_a_grade_and_its_comment_are_changed_in_place(graded: Workspace, open_app: OpenApp) -> None:
    app = my_grades(open_app, graded)
    was = own_history(graded, "Dana").judgments[0].now
    app.button(key=f"change_{pair_name('Dana', was.query_id, was.doc_id)}").click().run()
    token = app.session_state["history_change"][1]
    app.text_area(key=f"comment_{token}").set_value("why").run()
    app.button(key=f"save_{token}").click().run()
    assert not app.exception
    (judgment,) = [j for j in own_history(graded, "Dana").judgments if j.now.comment == "why"]
    assert (judgment.now.pair_id, judgment.now.grade) == (was.pair_id, was.grade)
    assert [row.comment for row in judgment.earlier] == [""]
    assert "Saved: 2 relevant on" in words(app)


def test_what_was_settled_before_ones_eyes_is_not_changed(
    graded: Workspace, open_app: OpenApp
) -> None:
    last, first = own_history(graded, "Dana").judgments
    assert (last.is_final, first.is_final) == (False, True)
    app = my_grades(open_app, graded)
    offered = [b.key for b in app.button if str(b.key).startswith("change_")]
    assert offered == [f"change_{pair_name('Dana', last.now.query_id, last.now.doc_id)}"]
    assert "see Settled disputes" in words(app)


def test_a_search(graded: Workspace, open_app: OpenApp) -> None:
    app = my_grades(open_app, graded)
    app.text_input(key="history_words").set_value("ALERT").run()
    assert words(app).count('class="gs-entry-title"') == 1
    app.text_input(key="history_words").set_value("nowhere").run()
    assert "Nothing found" in words(app)


def test_settled_disputes_name_nobody(graded: Workspace, open_app: OpenApp) -> None:
    (settled,) = settled_disputes(graded, "Dana").disputes
    html = dispute_html(graded, settled)
    assert "You <b>1</b>" in html
    assert "Waits for a decision" in html
    assert "Settled" not in html
    assert "Ben" not in html
    assert "Ben" not in words(my_grades(open_app, graded))


def test_a_switch_leaves_what_an_analyst_decided(graded: Workspace, open_app: OpenApp) -> None:
    app = my_grades(open_app, graded)
    app.segmented_control(key="history_view").set_value("Settled disputes").run()
    assert "Waits for a decision" in words(app)
    app.toggle(key="history_decided").set_value(True).run()
    assert not app.exception
    assert "An analyst decided none of your pairs." in words(app)
    assert "Waits for a decision" not in words(app)


def test_a_decision_is_told_with_its_reason_and_without_a_name(graded: Workspace) -> None:
    ben = ensure_person(graded, "Ben")
    (settled,) = settled_disputes(graded, "Dana").disputes
    change_role(graded, "Ben", "analyst", None)
    decide(graded, ben, settled.own.pair_id, 3, HOSTILE, token=uuid4().hex)
    (settled,) = settled_disputes(graded, "Dana").disputes
    html = dispute_html(graded, settled)
    assert "Decided <b>3</b>" in html
    assert "by an analyst" in html
    assert "Why: &lt;script&gt;alert(1)&lt;/script&gt; :red[x]" in html
    assert "Ben" not in html


def test_what_was_written_is_shown_as_it_was_written(graded: Workspace) -> None:
    html = "".join(
        entry_html(graded, judgment) for judgment in own_history(graded, "Dana").judgments
    )
    assert "<script" not in html
    assert "&lt;script&gt;alert(1)&lt;/script&gt; :red[x] &quot;" in html


def test_nothing_graded_yet(filled_workspace: Workspace, open_app: OpenApp) -> None:
    assert "You have graded nothing yet." in words(my_grades(open_app, filled_workspace))


def test_a_word_of_a_whole_query_is_taken_back(graded: Workspace, open_app: OpenApp) -> None:
    flag_query(graded, "Dana", "q0", "unclear", HOSTILE, token=uuid4().hex)
    app = my_grades(open_app, graded)
    app.segmented_control(key="history_view").set_value("Whole queries").run()
    assert "<b>Unclear</b>" in words(app)
    assert "<script" not in words(app).replace("<style", "")
    app.button(key=f"take_back_{query_name('q0')}").click().run()
    assert not app.exception
    assert own_query_words(graded, "Dana") == []
    assert "Taken back: the pairs of" in words(app)
