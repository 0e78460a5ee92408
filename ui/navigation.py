"""The pages: where each stands, its address, and the least role that sees it.

A page is one row here and one file in ui/pages. Who may not see a page finds it in no menu; who
opens it by its address is told which role it takes. What the page *does* is checked in builder.
"""

from collections.abc import Mapping
from typing import NamedTuple

import streamlit as st

from builder.people import Person, has_role
from ui import frame
from ui.jobs import note_visit


class Row(NamedTuple):
    """One page.

    Attributes:
        section: Under which heading of the menu.
        file: Its file in ui/pages, without .py.
        title: Its name in the menu; unique.
        icon: The name of a Material symbol.
        url: Its address behind the slash; unique, and kept: people share links.
        role: The least role that sees it.
    """

    section: str
    file: str
    title: str
    icon: str
    url: str
    role: str


ROWS = (
    Row("Home", "overview", "Overview", "home", "overview", "analyst"),
    Row("Grade", "grade", "Grade", "grading", "grade", "rater"),
    Row("Grade", "my_grades", "My grades", "history", "my-grades", "rater"),
    Row("Grade", "adjudicate", "Adjudicate", "gavel", "adjudicate", "analyst"),
    Row("Grade", "guidelines", "Guidelines", "menu_book", "guidelines", "rater"),
    Row("Build", "imports", "Import", "upload_file", "import", "analyst"),
    Row("Build", "logs_to_queries", "Logs to queries", "filter_alt", "logs-to-queries", "analyst"),
    Row("Build", "generate", "Generate", "edit_note", "generate", "analyst"),
    Row("Build", "queries", "Queries", "manage_search", "queries", "analyst"),
    Row("Build", "pool", "Pool", "join", "pool", "analyst"),
    Row("Trust", "agreement", "Agreement", "handshake", "agreement", "analyst"),
    Row("Trust", "raters", "Raters", "groups", "raters", "analyst"),
    Row("Trust", "clicks_experts", "Clicks vs experts", "ads_click", "clicks-experts", "analyst"),
    Row("Ship", "release", "Release", "inventory_2", "release", "analyst"),
    Row("Ship", "leaderboard", "Leaderboard", "leaderboard", "leaderboard", "analyst"),
    Row("Online", "dashboard", "Dashboard", "monitoring", "dashboard", "analyst"),
    Row("Online", "ab_test", "A/B test", "science", "ab-test", "analyst"),
    Row("Admin", "people", "People", "group", "people", "admin"),
    Row("Admin", "activity", "Activity", "receipt_long", "activity", "admin"),
)
_BY_TITLE = {row.title: row for row in ROWS}
_START = "Goldsmith"


def page_asked_for(person: Person | None) -> st.Page:
    """The page that the address names, with the menu of this person drawn beside it.

    Without a person there is no menu, but each address is known: who signs in there stays there.
    """
    # Whole: what stands behind "View 5 more" is found by nobody.
    return st.navigation(_menu(person), position="sidebar" if person else "hidden", expanded=True)


def show_page(page: st.Page, person: Person) -> None:
    """Run the page, or say which role it takes; the root leads to the person's first page."""
    if page.title == _START:
        st.switch_page(_path(home_of(person)), query_params=dict(st.query_params))
    row = _BY_TITLE[page.title]
    if has_role(person, row.role):
        note_visit(row.title)
        page.run()
        return
    frame.heading(row.title, "This page is not open to you.")
    frame.note(
        f"It takes the role {row.role}, and yours is {person.role}.",
        "Ask an admin if you need it.",
        kind="warning",
    )
    first = home_of(person)
    st.page_link(_path(first), label=first.title, icon=":material/arrow_forward:")


def home_of(person: Person) -> Row:
    """The page on which this person arrives."""
    return next(row for row in ROWS if has_role(person, row.role))


def _menu(person: Person | None) -> Mapping[str, list[st.Page]]:
    menu: dict[str, list[st.Page]] = {}
    for row in ROWS:
        seen = person is not None and has_role(person, row.role)
        menu.setdefault(row.section, []).append(_page(row, seen=seen))
    # The root is a page of its own: a default page answers to no other address.
    menu["Home"].append(st.Page(_at_root, title=_START, default=True, visibility="hidden"))
    return menu


def _page(row: Row, *, seen: bool) -> st.Page:
    return st.Page(
        _path(row),
        title=row.title,
        icon=f":material/{row.icon}:",
        url_path=row.url,
        visibility="visible" if seen else "hidden",
    )


def _path(row: Row) -> str:
    return f"ui/pages/{row.file}.py"


def _at_root() -> None:
    """Never drawn: `show_page` leads on."""
