"""Who comes in, and what they see: names, links, the proxy's header, roles."""

from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from builder.errors import NotAllowedError
from builder.people import (
    Person,
    add_person,
    change_role,
    deactivate,
    ensure_person,
    find_active,
    new_invite,
    people_to_pick,
)
from builder.workspace import SETTINGS_FILE, Workspace
from tests.ui.test_pages import markup, sign_in
from ui.jobs import latest_job, start
from ui.navigation import ROWS, home_of

OpenApp = Callable[[Path], AppTest]
HEADER = "X-Auth-Request-Email"


def join(app: AppTest, name: str) -> AppTest:
    """Write a name that is not in the list."""
    app.text_input(key="who_new").set_value(name)
    return press(app, "Join")


def pick(app: AppTest, name: str) -> AppTest:
    app.selectbox(key="who_name").set_value(name)
    return press(app, "Continue")


def press(app: AppTest, label: str) -> AppTest:
    return next(button for button in app.button if button.label == label).click().run()


@pytest.fixture
def people(filled_workspace: Workspace) -> dict[str, Person]:
    """Dana the admin, Ana the analyst, Ravi the rater."""
    for name, role in (("Ana", "analyst"), ("Ravi", "rater")):
        add_person(filled_workspace, name, role, None)
    return {person.name: person for person in people_to_pick(filled_workspace)}


# Picked names


def test_without_a_name_nothing_but_the_sign_in_is_drawn(
    open_app: OpenApp, filled_workspace: Workspace
) -> None:
    app = open_app(filled_workspace.root)
    for row in ROWS:
        page = markup(app.switch_page(f"ui/pages/{row.file}.py").run())
        assert not app.exception
        assert "Who are you?" in page
        assert page.count("gs-head") == 1 + page.count(".gs-head")
        assert [button.label for button in app.button] == ["Continue", "Join"]
        assert not app.sidebar.children


def test_the_first_name_is_told_what_it_becomes(
    open_app: OpenApp, empty_workspace: Workspace
) -> None:
    app = open_app(empty_workspace.root)
    assert "the first new name becomes it" in markup(app)
    join(app, "Zoë")
    assert not app.exception
    assert "Zoë" in markup(app)
    assert [(p.name, p.role) for p in people_to_pick(empty_workspace)] == [("Zoë", "admin")]


def test_later_names_are_told_that_they_rate(
    open_app: OpenApp, filled_workspace: Workspace
) -> None:
    app = open_app(filled_workspace.root)
    assert "becomes a rater" in markup(app)
    join(app, "Ravi")
    assert "gs-pair" in markup(app)
    assert app.query_params["rater"] == "Ravi"
    assert "not authenticated" in markup(app)


def test_a_name_that_looks_like_a_known_one_is_offered_that(
    open_app: OpenApp, filled_workspace: Workspace
) -> None:
    app = open_app(filled_workspace.root)
    join(app, "dana")
    assert "Dana" in markup(app)
    assert "in capitals or spaces" in markup(app)
    assert "rater" not in app.query_params
    app.button(key="who_known").click().run()
    assert app.query_params["rater"] == "Dana"
    assert len(people_to_pick(filled_workspace)) == 1


def test_no_name_is_asked_for_again(open_app: OpenApp, filled_workspace: Workspace) -> None:
    app = open_app(filled_workspace.root)
    for label in ("Continue", "Join"):
        press(app, label)
        assert "Pick your name, or write it" in markup(app)
    assert "Who are you?" in markup(app)


def test_who_was_deactivated_is_told_so_and_comes_in_nowhere(
    open_app: OpenApp, filled_workspace: Workspace, people: dict[str, Person]
) -> None:
    token = new_invite(filled_workspace, "Ravi", people["Dana"])
    deactivate(filled_workspace, "Ravi", people["Dana"])
    app = open_app(filled_workspace.root)
    assert "Ravi" not in app.selectbox(key="who_name").options
    for name, value in (("rater", "Ravi"), ("invite", token)):
        app.query_params[name] = value
        page = markup(app.run())
        assert "is not active here any more" in page
        assert "Who are you?" in page
        assert name not in app.query_params
    join(app, "Ravi")
    assert "is not active here any more" in markup(app)


def test_who_is_deactivated_while_at_work_is_out_at_the_next_step(
    open_app: OpenApp, filled_workspace: Workspace, people: dict[str, Person]
) -> None:
    app = sign_in(open_app(filled_workspace.root), "Ana").switch_page("ui/pages/pool.py").run()
    assert "Pool" in markup(app)
    deactivate(filled_workspace, "Ana", people["Dana"])
    press(app, "Preview")
    page = markup(app)
    assert not app.exception
    assert "Ana</bdi>" in page or "Ana is not active" in page
    assert "Who are you?" in page
    assert latest_job(filled_workspace, "pool", "pool_preview") is None


def test_a_known_name_is_picked(open_app: OpenApp, filled_workspace: Workspace) -> None:
    app = pick(open_app(filled_workspace.root), "Dana")
    assert app.query_params["rater"] == "Dana"
    assert "Who are you?" not in markup(app)


# Links


def test_a_link_signs_in_and_leaves_the_address(
    open_app: OpenApp, filled_workspace: Workspace, people: dict[str, Person]
) -> None:
    app = open_app(filled_workspace.root)
    app.query_params["invite"] = new_invite(filled_workspace, "Ravi", people["Dana"])
    app.run()
    assert "gs-pair" in markup(app)
    assert dict(app.query_params) == {"rater": "Ravi"}


def test_an_old_link_says_so(
    open_app: OpenApp, filled_workspace: Workspace, people: dict[str, Person]
) -> None:
    old = new_invite(filled_workspace, "Ravi", people["Dana"])
    new_invite(filled_workspace, "Ravi", people["Dana"])
    app = open_app(filled_workspace.root)
    app.query_params["invite"] = old
    app.run()
    assert "a newer one may have replaced it" in markup(app)
    assert dict(app.query_params) == {}


# Roles


@pytest.mark.parametrize(
    ("name", "titles"),
    [
        ("Ravi", {"Grade", "My grades", "Guidelines"}),
        ("Ana", {row.title for row in ROWS if row.section != "Admin"}),
        ("Dana", {row.title for row in ROWS}),
    ],
)
def test_a_page_opens_to_its_roles_and_says_so_to_others(
    name: str,
    titles: set[str],
    open_app: OpenApp,
    filled_workspace: Workspace,
    people: dict[str, Person],
) -> None:
    app = sign_in(open_app(filled_workspace.root), name)
    for row in ROWS:
        page = markup(app.switch_page(f"ui/pages/{row.file}.py").run())
        assert not app.exception
        refused = f"It takes the role {row.role}" in page
        assert refused == (row.title not in titles), row.title
    assert home_of(people[name]).section == ("Grade" if name == "Ravi" else "Home")


def test_a_rater_arrives_at_the_grades(
    open_app: OpenApp, filled_workspace: Workspace, people: dict[str, Person]
) -> None:
    app = sign_in(open_app(filled_workspace.root), people["Ravi"].name)
    assert "gs-pair" in markup(app)


def test_a_new_role_counts_at_the_next_step(
    open_app: OpenApp, filled_workspace: Workspace, people: dict[str, Person]
) -> None:
    app = sign_in(open_app(filled_workspace.root), "Ravi").switch_page("ui/pages/pool.py").run()
    assert "It takes the role analyst" in markup(app)
    change_role(filled_workspace, "Ravi", "analyst", people["Dana"])
    assert "It takes the role analyst" not in markup(app.run())


def test_what_a_page_starts_is_checked_behind_the_page_too(
    filled_workspace: Workspace, people: dict[str, Person]
) -> None:
    with pytest.raises(NotAllowedError, match="analyst"):
        start(filled_workspace, people["Ravi"], "export", "builder.export.release:export_job", {})
    assert latest_job(filled_workspace, "export") is None


def test_every_row_has_an_address_and_a_title_of_its_own() -> None:
    for column in ("file", "title", "url"):
        values = [getattr(row, column) for row in ROWS]
        assert len(set(values)) == len(values)


# The proxy's header


@pytest.fixture
def behind_proxy(filled_workspace: Workspace) -> Workspace:
    settings = filled_workspace.root / SETTINGS_FILE
    text = settings.read_text(encoding="utf-8")
    settings.write_text(f'{text}\n[sign_in]\nheader = "{HEADER}"\n', encoding="utf-8")
    return filled_workspace


def test_behind_a_proxy_no_name_is_picked(open_app: OpenApp, behind_proxy: Workspace) -> None:
    app = open_app(behind_proxy.root)
    for name, value in (("", ""), ("rater", "Dana"), ("invite", "x")):
        if name:
            app.query_params[name] = value
        page = markup(app.run())
        assert not app.exception
        assert "The proxy did not say who you are" in page
        assert HEADER in page
        assert not app.selectbox
        assert not app.button
        assert not dict(app.query_params)
    assert find_active(behind_proxy, "x") is None


def test_behind_a_proxy_the_session_is_not_believed(
    open_app: OpenApp, behind_proxy: Workspace
) -> None:
    ensure_person(behind_proxy, "Ravi")
    assert "The proxy did not say" in markup(sign_in(open_app(behind_proxy.root), "Dana"))
