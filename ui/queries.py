"""The Queries page: the list, what waits for a decision, duplicates, and a new query."""

import uuid

import streamlit as st

from builder.curation import (
    LONGEST_NEED,
    LONGEST_QUERY,
    ListedQuery,
    QueryContent,
    QueryPage,
    Sought,
    add_query,
    list_queries,
    propose_query_id,
    query_filters,
    query_totals,
)
from builder.people import Person
from builder.store.query_lists import Totals
from builder.workspace import Workspace
from ui.frame import in_callback, muted, note
from ui.numbers import count
from ui.query_detail import show_query
from ui.query_fields import ask_tags, tags_given
from ui.query_merging import merge_begun, show_duplicates, show_merge
from ui.query_state import open_query, query_opened, say, show_said
from ui.query_texts import listed_html
from ui.query_waiting import show_waiting
from ui.text import clean

_VIEWS = {"all": "All", "waiting": "Waiting", "duplicates": "Duplicates", "add": "Add"}
_STATUSES = ("active", "retired", "waiting")
_VIEW, _PAGE, _ADD = "view", "queries_page", "queries_add"
_IMPORT_PAGE = "ui/pages/imports.py"


def show_queries(workspace: Workspace, person: Person) -> None:
    """A merge that is being looked at, else the query that the address names, else the list."""
    show_said()
    if merge_begun():
        show_merge(workspace, person)
    elif query_id := query_opened():
        show_query(workspace, person, query_id)
    else:
        _show_view(workspace, person)


def _show_view(workspace: Workspace, person: Person) -> None:
    totals = query_totals(workspace)
    view = st.segmented_control(
        "What to show",
        list(_VIEWS),
        format_func=lambda code: _view_label(code, totals),
        default=_view_asked_for(),
        required=True,
        key="queries_view",
        on_change=_to_view,
        label_visibility="collapsed",
    )
    if view == "waiting":
        show_waiting(workspace, person)
    elif view == "duplicates":
        show_duplicates(workspace)
    elif view == "add":
        _show_form(workspace, person)
    else:
        _show_list(workspace, totals)


def _view_asked_for() -> str:
    """The view that the address names by its code: its label may hold a number."""
    asked = st.query_params.get(_VIEW, "all")
    return asked if asked in _VIEWS else "all"


def _to_view() -> None:
    st.query_params[_VIEW] = st.session_state["queries_view"]


def _view_label(code: str, totals: Totals) -> str:
    waits = f" ({count(totals.waiting)})" if code == "waiting" and totals.waiting else ""
    return _VIEWS[code] + waits


def _show_list(workspace: Workspace, totals: Totals) -> None:
    if totals.active + totals.retired == 0:
        note("No queries yet.", "Import some, or add them here one by one.")
        st.page_link(_IMPORT_PAGE, label="Import queries", icon=":material/arrow_forward:")
        return
    sought = _ask_what(workspace)
    page = list_queries(workspace, sought, st.session_state.get(_PAGE, 1))
    muted(_counted(page, sought, totals))
    if not page.queries:
        note("Nothing found.", "Look for other words, or in all queries.")
    for listed in page.queries:
        _show_row(listed)
    _show_pages(page)


def _ask_what(workspace: Workspace) -> Sought:
    """What is searched for; a change begins at the first page again."""
    tags, sources = query_filters(workspace)
    with st.container(horizontal=True, key="queries_filters", vertical_alignment="bottom"):
        words = st.text_input(
            "Search",
            placeholder="Text, need or id",
            key="find",
            max_chars=200,
            bind="query-params",
            on_change=_to_first,
        )
        status = _choice("Status", _STATUSES, "status")
        tag = _choice("Tag", tags, "tag")
        source = _choice("Source", sources, "source")
    return Sought(words or "", tag, source, status)


def _choice(label: str, options: "list[str] | tuple[str, ...]", key: str) -> str | None:
    return st.selectbox(
        label,
        options,
        index=None,
        format_func=clean,
        placeholder="Any",
        key=key,
        width=150,
        bind="query-params",
        on_change=_to_first,
    )


def _counted(page: QueryPage, sought: Sought, totals: Totals) -> str:
    if sought != Sought():
        return f"{count(page.total)} found."
    waiting = f", {count(totals.waiting)} wait for a decision" if totals.waiting else ""
    return f"{count(totals.active)} active, {count(totals.retired)} retired{waiting}."


def _show_row(listed: ListedQuery) -> None:
    query = listed.query
    with st.container(horizontal=True, key=f"listed_{query.query_key}", gap="small"):
        st.html(listed_html(listed))
        st.button(
            "Open",
            key=f"open_{query.query_key}",
            type="tertiary",
            on_click=open_query,
            args=(query.query_id,),
        )


def _show_pages(page: QueryPage) -> None:
    if page.pages == 1:
        return
    with st.container(horizontal=True, key="queries_pages", vertical_alignment="center"):
        st.button(
            "Before",
            disabled=page.page == 1,
            key="queries_before",
            on_click=_go_to,
            args=(page.page - 1,),
        )
        st.button(
            "Next",
            disabled=page.page == page.pages,
            key="queries_next",
            on_click=_go_to,
            args=(page.page + 1,),
        )
        muted(f"Page {count(page.page)} of {count(page.pages)}")


def _go_to(page: int) -> None:
    st.session_state[_PAGE] = page


def _to_first() -> None:
    st.session_state.pop(_PAGE, None)


def _show_form(workspace: Workspace, person: Person) -> None:
    """A query that is written here; its id is proposed once, so that a second press adds none."""
    if _ADD not in st.session_state:
        st.session_state[_ADD] = (uuid.uuid4().hex, propose_query_id(workspace))
    token, proposed = st.session_state[_ADD]
    st.text_area(
        "Text", key=f"add_text_{token}", max_chars=LONGEST_QUERY, height=70, placeholder="As typed"
    )
    st.text_area(
        "Need",
        key=f"add_need_{token}",
        max_chars=LONGEST_NEED,
        height=90,
        placeholder="What the person wants to find; raters read it first",
    )
    with st.container(horizontal=True, key="add_more"):
        ask_tags(query_filters(workspace)[0], (), f"add_tags_{token}")
        st.text_input("Id", proposed, key=f"add_id_{token}", max_chars=200, width=220)
    st.button(
        "Add the query",
        type="primary",
        key="add_query",
        on_click=in_callback(_add),
        args=(workspace, person, token),
    )


def _add(workspace: Workspace, person: Person, token: str) -> None:
    given = {name: st.session_state.get(f"add_{name}_{token}") for name in ("text", "need", "id")}
    tags = tags_given(f"add_tags_{token}")
    content = QueryContent(given["text"] or "", given["need"] or "", tags)
    added = add_query(workspace, content, person, query_id=given["id"] or "")
    st.session_state.pop(_ADD, None)
    say("Added. It has no pairs yet: pool some, so that raters are asked.")
    open_query(added.query_id)
