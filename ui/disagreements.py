"""The pairs on which people disagree, on screen: filtered, a page at a time, as a file."""

from functools import partial
from html import escape

import streamlit as st

from builder.judging.disagreement_list import (
    GivenGrade,
    Listed,
    Page,
    Wanted,
    disagreements_csv,
    list_page,
)
from builder.workspace import Workspace
from ui.frame import muted, note
from ui.guidelines import local_time
from ui.numbers import count, count_of
from ui.text import clean, inline
from ui.trust import Report

_PAGE_IN_URL = "page"
_ADJUDICATE = "ui/pages/adjudicate.py"


def show_disagreements(workspace: Workspace, report: Report) -> None:
    """The list with its filters, which live in the address, and the ways on."""
    n = len(report["disagreements"])
    if not n:
        note("Nowhere do two raters of a pair disagree.")
        return
    wanted = _ask_which(report)
    page = list_page(workspace, report, wanted, _page_asked_for())
    muted(_counted(page))
    for listed in page.rows:
        _show_row(workspace, listed)
    if not page.rows:
        note("Nothing fits these filters.")
    _show_pages(page)
    with st.container(horizontal=True, key="disagreement_ways", vertical_alignment="center"):
        st.page_link(_ADJUDICATE, label="Decide the disputed pairs", icon=":material/gavel:")
        _offer_file(workspace, report, wanted)


def _show_row(workspace: Workspace, listed: Listed) -> None:
    pair_id = listed.pair.pair_id
    with st.container(key=f"dissent_{pair_id}", horizontal=True, gap="small"):
        st.html(entry_html(workspace, listed))
        if listed.disputed:
            st.page_link(
                _ADJUDICATE,
                label="Decide" if listed.decision is None else "See why",
                query_params={"pair": str(pair_id)},
            )


def entry_html(workspace: Workspace, listed: Listed) -> str:
    """Safe HTML of a pair with each grade, its comment and its time."""
    pair = listed.pair
    mark = f'<span class="gs-mark">{_state(listed)}</span>' if listed.disputed else ""
    tags = "".join(f"<span>{inline(tag)}</span>" for tag in pair.tags)
    given = "".join(_said(workspace, grade) for grade in pair.grades)
    return (
        f'<div class="gs-entry gs-dissent"><div class="gs-entry-query" dir="auto">'
        f"{escape(clean(pair.query))}</div>"
        f'<div class="gs-entry-title" dir="auto">{escape(clean(pair.title or pair.doc_id))}</div>'
        f'<div class="gs-tags">{mark}{tags}</div><ul>{given}</ul></div>'
    )


def _state(listed: Listed) -> str:
    """Whether somebody decided the dispute, and how."""
    decision = listed.decision
    return "disputed" if decision is None else f"decided: {decision.grade}"


def _said(workspace: Workspace, given: GivenGrade) -> str:
    name = workspace.settings.grades.names[given.grade]
    left_out = ", left out" if given.excluded else ""
    facts = f"{local_time(given.moment, workspace.settings.timezone)}{left_out}"
    comment = (
        f'<div class="gs-quote" dir="auto">{escape(clean(given.comment))}</div>'
        if given.comment
        else ""
    )
    return (
        f"<li><b>{given.grade}</b> {inline(name)} \u00b7 {inline(given.rater)} "
        f'<span class="gs-muted">{facts}</span>{comment}</li>'
    )


def _ask_which(report: Report) -> Wanted:
    tags = [row["name"] for row in report["slices"]["by_tag"] if row["name"] is not None]
    with st.container(horizontal=True, key="disagreement_filters", vertical_alignment="bottom"):
        tag = st.selectbox(
            "Tag",
            tags,
            index=None,
            format_func=clean,
            placeholder="Any",
            key="tag",
            width=220,
            bind="query-params",
            on_change=_to_first,
        )
        disputed = st.toggle(
            "Disputed only", key="disputed", bind="query-params", on_change=_to_first
        )
    return Wanted(tag, disputed)


def _counted(page: Page) -> str:
    pairs = count_of(page.total, "pair")
    rule = "Disputed: two grades apart or more, or 0 or 1 against 2 or 3."
    return f"{pairs}, the widest spread first. {rule}" if page.total else rule


def _show_pages(page: Page) -> None:
    if page.pages == 1:
        return
    with st.container(horizontal=True, key="disagreement_pages", vertical_alignment="center"):
        for label, to in (("Before", page.page - 1), ("Next", page.page + 1)):
            st.button(
                label,
                disabled=not 1 <= to <= page.pages,
                key=f"disagreements_{label}",
                on_click=_go_to,
                args=(to,),
            )
        muted(f"Page {count(page.page)} of {count(page.pages)}")


def _offer_file(workspace: Workspace, report: Report, wanted: Wanted) -> None:
    st.download_button(
        "Download as CSV",
        data=partial(disagreements_csv, workspace, report, wanted),
        file_name="disagreements.csv",
        mime="text/csv",
        on_click="ignore",
        icon=":material/download:",
        key=f"disagreements_file_{wanted.tag}_{wanted.disputed_only}",
    )


def _page_asked_for() -> int:
    named = st.query_params.get(_PAGE_IN_URL, "1")
    return int(named) if named.isascii() and named.isdigit() and len(named) < 8 else 1


def _go_to(page: int) -> None:
    st.query_params[_PAGE_IN_URL] = str(page)


def _to_first() -> None:
    st.query_params.pop(_PAGE_IN_URL, None)
