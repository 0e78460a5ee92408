"""The pages People and Activity, pressed as an admin presses them."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from builder.activity import read_activity
from builder.people import (
    Person,
    add_person,
    deactivate,
    find_active,
    new_invite,
    people_to_pick,
    people_with_counts,
    person_of_invite,
)
from builder.store.activity import note
from builder.workspace import SETTINGS_FILE, Workspace
from tests.ui.test_pages import markup, sign_in

OpenApp = Callable[[Path], AppTest]
HOSTILE = ':red[x] <script>alert(1)</script> "q" $x$'


@pytest.fixture
def dana(filled_workspace: Workspace) -> Person:
    found = find_active(filled_workspace, "Dana")
    assert found is not None
    return found


def people_page(open_app: OpenApp, workspace: Workspace, whom: str = "") -> AppTest:
    app = sign_in(open_app(workspace.root), "Dana").switch_page("ui/pages/people.py")
    if whom:
        app.query_params["whom"] = whom
    app.run()
    assert not app.exception
    return app


def press(app: AppTest, label: str) -> AppTest:
    next(button for button in app.button if button.label == label).click().run()
    assert not app.exception
    return app


def test_somebody_alone_is_told_to_add_people(
    open_app: OpenApp, filled_workspace: Workspace
) -> None:
    page = markup(people_page(open_app, filled_workspace))
    assert "Nobody else is here yet" in page
    assert "pool maker" in page.partition("Raters that are no people")[2]


def test_somebody_is_added_and_the_link_is_shown_once(
    open_app: OpenApp, filled_workspace: Workspace
) -> None:
    app = people_page(open_app, filled_workspace)
    app.text_input(key="new_person").set_value("Ravi")
    app.selectbox(key="new_role").set_value("analyst")
    press(app, "Add")
    assert "Send this link to" in markup(app)
    link = app.code[0].value
    person = person_of_invite(filled_workspace, link.partition("?invite=")[2])
    assert person is not None
    assert (person.name, person.role) == ("Ravi", "analyst")
    press(app, "Done")
    assert not app.code
    assert "invite=" not in markup(app)


def test_a_name_that_is_taken_is_refused(open_app: OpenApp, filled_workspace: Workspace) -> None:
    app = people_page(open_app, filled_workspace)
    for name, words in (
        ("Dana", "here already"),
        ("dana", "Dana is here already; dana differs"),
        (" ", "A name is needed"),
    ):
        app.text_input(key="new_person").set_value(name)
        page = markup(press(app, "Add"))
        assert words in page
    assert [person.name for person in people_to_pick(filled_workspace)] == ["Dana"]


def test_a_role_is_changed_and_a_link_renewed(
    open_app: OpenApp, filled_workspace: Workspace, dana: Person
) -> None:
    ravi = add_person(filled_workspace, "Ravi", "rater", dana)
    old = new_invite(filled_workspace, "Ravi", dana)
    app = people_page(open_app, filled_workspace, "Ravi")
    app.selectbox(key=f"role_of_{ravi.person_id}").set_value("analyst")
    press(app, "Change role")
    press(app, "New link")
    assert person_of_invite(filled_workspace, old) is None
    person = person_of_invite(filled_workspace, app.code[0].value.partition("?invite=")[2])
    assert person is not None
    assert (person.name, person.role) == ("Ravi", "analyst")


def test_a_link_is_not_on_screen_beside_another_person(
    open_app: OpenApp, filled_workspace: Workspace, dana: Person
) -> None:
    for name in ("Ravi", "Mia"):
        add_person(filled_workspace, name, "rater", dana)
    app = people_page(open_app, filled_workspace, "Ravi")
    press(app, "Make a link")
    assert app.code
    app.selectbox(key="whom").set_value("Mia").run()
    assert not app.exception
    assert not app.code
    assert "Send this link to" not in markup(app)


def test_somebody_is_let_go_and_comes_back(
    open_app: OpenApp, filled_workspace: Workspace, dana: Person
) -> None:
    add_person(filled_workspace, "Ravi", "rater", dana)
    app = people_page(open_app, filled_workspace, "Ravi")
    assert "You can reactivate" in markup(app)
    press(app, "Deactivate Ravi")
    assert "not active" in markup(app)
    assert find_active(filled_workspace, "Ravi") is None
    press(app, "Reactivate")
    assert find_active(filled_workspace, "Ravi") is not None


def test_the_last_admin_is_told_why_they_stay(
    open_app: OpenApp, filled_workspace: Workspace
) -> None:
    page = markup(press(people_page(open_app, filled_workspace, "Dana"), "Deactivate Dana"))
    assert "only active admin" in page
    assert "You are" in page


def test_names_are_shown_as_they_are(
    open_app: OpenApp, filled_workspace: Workspace, dana: Person
) -> None:
    add_person(filled_workspace, HOSTILE, "rater", dana)
    app = people_page(open_app, filled_workspace, HOSTILE)
    page = markup(app)
    assert "<script>alert" not in page
    assert "&lt;script&gt;" in page
    (label,) = (b.label for b in app.button if b.label.startswith("Deactivate "))
    assert ":red[" not in label
    deactivate(filled_workspace, HOSTILE, dana)
    assert "not active" in markup(app.run())


def test_behind_a_proxy_names_need_no_link(
    open_app: OpenApp, filled_workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    behind_proxy(filled_workspace, monkeypatch)
    app = open_app(filled_workspace.root).switch_page("ui/pages/people.py").run()
    assert "named by the proxy" in markup(app)
    app.text_input(key="new_person").set_value("ann@example.org")
    press(app, "Add")
    assert "the proxy says who it is" in markup(app)
    assert not app.code
    app.query_params["whom"] = "ann@example.org"
    labels = [button.label for button in app.run().button]
    assert "Make a link" not in labels
    assert "Someone else" not in labels
    (ann,) = (p for p in people_with_counts(filled_workspace, None) if "ann@" in p.person.name)
    assert not ann.has_link


def behind_proxy(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    """The test runner makes no request: its headers are put where Streamlit reads them."""
    settings = workspace.root / SETTINGS_FILE
    text = settings.read_text(encoding="utf-8")
    settings.write_text(f'{text}\n[sign_in]\nheader = "X-User"\n', encoding="utf-8")
    headers = type("Headers", (), {"get_all": lambda _self, key: {"X-User": ["Dana"]}[key]})()
    from streamlit.runtime.context import ContextProxy

    monkeypatch.setattr(ContextProxy, "headers", headers)


# Activity


def activity_page(open_app: OpenApp, workspace: Workspace, **address: str) -> AppTest:
    app = sign_in(open_app(workspace.root), "Dana").switch_page("ui/pages/activity.py")
    for name, value in address.items():
        app.query_params[name] = value
    app.run()
    assert not app.exception
    return app


def write(workspace: Workspace, *deeds: tuple[str, str, str, dict[str, Any]]) -> None:
    with workspace.store.write() as connection:
        for actor, action, subject, details in deeds:
            note(connection, actor, action, subject, details)


def test_deeds_are_read_in_words(open_app: OpenApp, filled_workspace: Workspace) -> None:
    changed = {"need": {"from": HOSTILE, "to": "b"}}
    write(filled_workspace, (HOSTILE, "query.edit", HOSTILE, changed))
    page = markup(activity_page(open_app, filled_workspace))
    assert "Edited the query" in page
    assert "need: from" in page
    assert "<script>alert" not in page
    assert "Imported documents" in page
    assert "Joined as" in page


def test_filters_and_pages_live_in_the_address(
    open_app: OpenApp, filled_workspace: Workspace
) -> None:
    deeds: list[tuple[str, str, str, dict[str, Any]]]
    deeds = [("Ann", "query.edit", f"q{n:03}", {}) for n in range(60)]
    write(filled_workspace, *deeds, ("Bob", "pool.add", "bm25", {}))
    app = activity_page(open_app, filled_workspace, by="Ann", kind="Queries")
    page = markup(app)
    assert "q059" in page
    assert "q009" not in page
    assert "bm25" not in page
    press(app, "Older")
    assert "q009" in markup(app)
    assert "q010" not in markup(app)
    before = app.query_params["before"]
    assert "q009" in markup(
        activity_page(open_app, filled_workspace, by="Ann", kind="Queries", before=str(before))
    )
    press(app, "Newest")
    assert "q059" in markup(app)
    nothing = activity_page(open_app, filled_workspace, by="Bob", kind="Queries")
    assert "Nothing fits these filters" in markup(nothing)


@pytest.mark.parametrize("before", ["x", "-1", "1e3", "²", "9" * 40, ""])
def test_a_mistyped_page_is_the_newest(
    before: str, open_app: OpenApp, filled_workspace: Workspace
) -> None:
    newest = read_activity(filled_workspace).entries[0]
    page = markup(activity_page(open_app, filled_workspace, before=before))
    assert newest.subject in page
