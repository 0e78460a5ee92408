"""The pairs on which people disagree, on screen: filtered, a page at a time, as a file."""

from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from html import escape
from pathlib import Path
from typing import Any

import streamlit as st

from builder.jobs import Job
from builder.judging.disagreement_file import JOB, JOB_TARGET, disagreements_csv
from builder.judging.disagreement_list import (
    Apart,
    GivenGrade,
    Listed,
    Page,
    Wanted,
    list_page,
)
from builder.people import Person
from builder.workspace import Workspace
from ui.frame import muted, note
from ui.guidelines import local_time
from ui.jobs import Outcome, follow, start
from ui.numbers import count, count_of
from ui.text import button_label, clean, inline
from ui.trust import Report

AT_ONCE = 5000
"""Pairs; more would keep the server busy for seconds."""

_PAGE_IN_URL = "page"
_OF = "of"
"""In the address: whose pairs."""
_IN_SIGHT = "disagreements_in_sight"
_ADJUDICATE = "ui/pages/adjudicate.py"
_AGREEMENT = "ui/pages/agreement.py"

_SCROLL = """<script>
(() => {
  let stays = true;
  const stop = () => { stays = false; };
  for (const press of ["wheel", "touchstart", "keydown", "pointerdown"])
    addEventListener(press, stop, { once: true, passive: true });
  // Charts above come later and push the list down.
  for (const wait of [0, 400, 1200, 2500])
    setTimeout(() => {
      const list = document.querySelector(".st-key-disagreement_filters");
      if (stays && list) list.scrollIntoView({ block: "start" });
    }, wait);
})();
</script>"""


def link_to_pairs_of(name: str) -> None:
    """A link to the pairs on which this rater is farthest from the others."""
    st.session_state.pop(_IN_SIGHT, None)  # who comes by it, again too, comes to the list
    st.page_link(
        _AGREEMENT,
        label=f"Pairs where {button_label(name)} is farthest from the others",
        icon=":material/arrow_forward:",
        query_params={_OF: name},
    )


def show_disagreements(workspace: Workspace, person: Person, report: Report) -> None:
    """The list with its filters, which live in the address, and the ways on."""
    if not report["disagreements"] and _OF not in st.query_params:
        note("Nowhere do two raters of a pair disagree.")
        return
    wanted = _ask_which(report)
    _come_into_sight(wanted)
    page = list_page(workspace, report, wanted, _page_asked_for())
    muted(_counted(page, wanted))
    for listed in page.rows:
        _show_row(workspace, listed)
    if not page.rows:
        note("Nothing fits these filters.")
    _show_pages(page)
    with st.container(horizontal=True, key="disagreement_ways", vertical_alignment="center"):
        st.page_link(_ADJUDICATE, label="Decide the disputed pairs", icon=":material/gavel:")
        _offer_file(workspace, person, report, wanted, page.total)
    follow(workspace, JOB, show=_offer_written)


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
    apart = f"<span>{_apart(listed.apart)}</span>" if listed.apart else ""
    return (
        f'<div class="gs-entry gs-dissent"><div class="gs-entry-query" dir="auto">'
        f"{escape(clean(pair.query))}</div>"
        f'<div class="gs-entry-title" dir="auto">{escape(clean(pair.title or pair.doc_id))}</div>'
        f'<div class="gs-tags">{mark}{apart}{tags}</div><ul>{given}</ul></div>'
    )


def _state(listed: Listed) -> str:
    """Whether somebody decided the dispute, and how."""
    decision = listed.decision
    return "disputed" if decision is None else f"decided: {decision.grade}"


def _apart(apart: Apart) -> str:
    """Safe HTML: the rater's grade, and beside it the mean of the others."""
    return f"{inline(apart.rater)} {apart.own}, the others {apart.others:.1f} on average"


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
    raters = sorted(profile["rater"] for profile in report["raters"])
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
        rater = st.selectbox(
            "Pairs of",
            raters,
            index=None,
            format_func=clean,
            placeholder="Everybody",
            key=_OF,
            width=220,
            bind="query-params",
            on_change=_to_first,
        )
        disputed = st.toggle(
            "Disputed only", key="disputed", bind="query-params", on_change=_to_first
        )
    return Wanted(tag, disputed, rater)


def _come_into_sight(wanted: Wanted) -> None:
    """Scroll to the list where a link leads to somebody's pairs: it stands far below."""
    if wanted.rater is not None and st.session_state.get(_IN_SIGHT) != wanted.rater:
        st.html(_SCROLL, unsafe_allow_javascript=True)
    st.session_state[_IN_SIGHT] = wanted.rater


def _counted(page: Page, wanted: Wanted) -> str:
    pairs = count_of(page.total, "pair")
    rule = "Disputed: two grades apart or more, or 0 or 1 against 2 or 3."
    first = "the widest spread first"
    if wanted.rater is not None:
        first = f"those where {wanted.rater} is farthest from the mean of the others first"
    return f"{pairs}, {first}. {rule}" if page.total else rule


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


def _offer_file(
    workspace: Workspace, person: Person, report: Report, wanted: Wanted, total: int
) -> None:
    """A file of few at once; many are written by a job, beside which raters grade on."""
    if total <= AT_ONCE:
        _offer_download(wanted, partial(disagreements_csv, workspace, person, report, wanted))
    elif st.button("Write a CSV file", icon=":material/description:", key="write_disagreements"):
        start(workspace, person, JOB, JOB_TARGET, asdict(wanted))


def _offer_written(job: Job, outcome: Outcome) -> None:
    file = Path(str(outcome["file"]))
    if not file.is_file():
        note("The file has been removed.", "Write it again.")
        return
    wanted = Wanted(outcome["tag"], outcome["disputed_only"], outcome.get("rater"))
    muted(f"The file holds {count_of(outcome['pairs'], 'pair')}.")
    _offer_download(wanted, partial(file.open, "rb"), str(job.job_id))


def _offer_download(wanted: Wanted, content: Callable[[], Any], of: str = "") -> None:
    st.download_button(
        "Download as CSV",
        data=content,
        file_name="disagreements.csv",
        mime="text/csv",
        on_click="ignore",
        icon=":material/download:",
        key=f"disagreements_file_{wanted.tag}_{wanted.disputed_only}_{wanted.rater}_{of}",
    )


def _page_asked_for() -> int:
    named = st.query_params.get(_PAGE_IN_URL, "1")
    return int(named) if named.isascii() and named.isdigit() and len(named) < 8 else 1


def _go_to(page: int) -> None:
    st.query_params[_PAGE_IN_URL] = str(page)


def _to_first() -> None:
    st.query_params.pop(_PAGE_IN_URL, None)
