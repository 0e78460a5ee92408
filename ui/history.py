"""One's own judgments on screen: found, changed in place, and disputes as they were settled."""

import uuid
from html import escape

import streamlit as st

from builder.judging.history import (
    HistoryPage,
    OwnJudgment,
    Settled,
    SettledPage,
    Sought,
    change_grade,
    count_own,
    own_history,
    settled_disputes,
)
from builder.judging.naming import pair_name
from builder.judging.queue import LONGEST_COMMENT, tags_with_pairs
from builder.store.history import EarlierRow, OwnRow
from builder.workspace import Workspace
from ui.frame import in_callback, muted, note, show_callback_error
from ui.guidelines import local_time
from ui.history_queries import show_query_words
from ui.numbers import count
from ui.text import button_label, clean, inline

_BEFORE = "history_before"
_CHANGE = "history_change"
_SAID = "history_said"
_GRADE_PAGE = "ui/pages/grade.py"
_VIEWS = ("Pairs", "Whole queries", "Settled disputes")
_OUTCOMES = {"skip": "Skipped", "cannot_judge": "Can't judge", "undone": "Taken back"}
_COUNTED = {"grade": "graded", "skip": "skipped", "cannot_judge": "that you cannot judge"}


@st.fragment
def show_history(workspace: Workspace, rater: str) -> None:
    """What one said of pairs, of whole queries, or how the disputed pairs were settled."""
    show_callback_error()
    view = st.segmented_control(
        "What to show",
        _VIEWS,
        default=_VIEWS[0],
        required=True,
        key="history_view",
        label_visibility="collapsed",
        on_change=_to_newest,
    )
    if view == _VIEWS[0]:
        _show_own(workspace, rater)
    elif view == _VIEWS[1]:
        show_query_words(workspace, rater)
    else:
        _show_disputes(workspace, rater)


def entry_html(workspace: Workspace, judgment: OwnJudgment) -> str:
    """Safe HTML of what one says of a pair, and of what one said before."""
    now = judgment.now
    changed = f"changed {_times(len(judgment.earlier))}" if judgment.earlier else ""
    final = "see Settled disputes" if judgment.is_final else ""
    said = _said(workspace, now, changed, final)
    earlier = "".join(f"<li>{_said(workspace, row)}</li>" for row in judgment.earlier)
    unfolded = f"<details><summary>Before</summary><ul>{earlier}</ul></details>" if earlier else ""
    return f'<div class="gs-entry">{_pair_html(now)}{said}{unfolded}</div>'


def dispute_html(workspace: Workspace, settled: Settled) -> str:
    """Safe HTML of one's own grade beside the settled one."""
    own = settled.own
    grade = 0 if own.grade is None else own.grade
    return (
        f'<div class="gs-entry">{_pair_html(own)}<div class="gs-settled">'
        f"<span>You {_grade(workspace, grade)}</span>{_outcome(workspace, settled, grade)}</div>"
        f"{_why(settled)}{_comment(own)}</div>"
    )


def _outcome(workspace: Workspace, settled: Settled, own: int) -> str:
    """What it came to, and by whom; or that it waits."""
    if settled.grade is None:
        why = "Its query is retired." if settled.retired else "Waits for a decision by an analyst."
        return f'<span class="gs-muted">{why}</span>'
    how = "Decided" if settled.adjudicated else "Settled"
    verdict = "as yours" if own == settled.grade else "other than yours"
    return (
        f"<span>{how} {_grade(workspace, settled.grade)}</span>"
        f'<span class="gs-muted">{verdict}, {_by_whom(workspace, settled)}</span>'
    )


def _by_whom(workspace: Workspace, settled: Settled) -> str:
    if not settled.adjudicated:
        return f"of {count(settled.n_grades)} grades"
    return f"by an analyst, {local_time(settled.decided_at, workspace.settings.timezone)}"


def _why(settled: Settled) -> str:
    """The adjudicator's reason; who decided is not told."""
    if not settled.reason:
        return ""
    return f'<div class="gs-why-decided" dir="auto">Why: {escape(clean(settled.reason))}</div>'


def _show_own(workspace: Workspace, rater: str) -> None:
    counts = count_own(workspace, rater)
    sought = _ask_what(workspace)
    if said := st.session_state.pop(_SAID, None):
        note(said)
    page = own_history(workspace, rater, sought, st.session_state.get(_BEFORE))
    muted(", ".join(f"{count(n)} {_COUNTED[what]}" for what, n in sorted(counts.items())))
    for judgment in page.judgments:
        with st.container(key=f"entry_{_name(rater, judgment.now)}", gap="small"):
            _show_entry(workspace, rater, judgment)
    if not page.judgments:
        _show_nothing(page, sought, any_at_all=bool(counts))
    _page_buttons(page.older, "Search further back" if page.searched_to else "Older")


def _show_disputes(workspace: Workspace, rater: str) -> None:
    muted(
        "Pairs on which you and others differ, once all have graded them and you have gone on. "
        "What an analyst decided counts, and the reason is given. Where grades are far apart, an "
        "analyst has yet to decide. Elsewhere the grade given most often settles; where several "
        "were, the middle one, of two the lower. Your grade of these pairs stays as you gave it. "
        "Others can be wrong, too: write to your lead."
    )
    decided_only = st.toggle(
        "Decided by an analyst only", key="history_decided", on_change=_to_newest
    )
    before = st.session_state.get(_BEFORE)
    page = settled_disputes(workspace, rater, before, decided_only=decided_only)
    for settled in page.disputes:
        with st.container(key=f"dispute_{_name(rater, settled.own)}", gap="small"):
            st.html(dispute_html(workspace, settled))
            _link(rater, settled.own)
    if not page.disputes:
        note(_no_dispute(page, decided_only=decided_only))
    _page_buttons(page.older, "Older")


def _no_dispute(page: SettledPage, *, decided_only: bool) -> str:
    if page.older is not None:
        return "None among the latest of your grades. There are older ones."
    return "An analyst decided none of your pairs." if decided_only else "There is no dispute here."


def _ask_what(workspace: Workspace) -> Sought:
    """What is searched for; a change begins at the newest again."""
    with st.container(horizontal=True, key="history_filters", vertical_alignment="bottom"):
        words = st.text_input(
            "Search",
            placeholder="Query, title or comment",
            key="history_words",
            max_chars=200,
            on_change=_to_newest,
        )
        outcome, grade = st.selectbox(
            "Grade",
            [(None, None), *(("grade", grade) for grade in (3, 2, 1, 0)), *_with_outcomes()],
            format_func=lambda choice: _choice(workspace, *choice),
            key="history_grade",
            width=220,
            on_change=_to_newest,
        )
        tags = ["", *(tag for tag, _ in tags_with_pairs(workspace) if tag)]
        tag = st.selectbox(
            "Tag",
            tags,
            format_func=lambda tag: clean(tag) or "Any",
            key="history_tag",
            width=160,
            on_change=_to_newest,
        )
    return Sought(words or "", outcome, grade, tag or None)


def _with_outcomes() -> list[tuple[str, None]]:
    return [(outcome, None) for outcome in _OUTCOMES]


def _choice(workspace: Workspace, outcome: str | None, grade: int | None) -> str:
    if grade is not None:
        return f"{grade} {workspace.settings.grades.names[grade]}"
    return "Any" if outcome is None else _OUTCOMES[outcome]


def _show_entry(workspace: Workspace, rater: str, judgment: OwnJudgment) -> None:
    now = judgment.now
    st.html(entry_html(workspace, judgment))
    began: tuple[OwnRow, str] | None = st.session_state.get(_CHANGE)
    if began is not None and began[0].pair_id == now.pair_id:
        _show_change(workspace, rater, *began)
        return
    name = _name(rater, now)
    with st.container(
        horizontal=True, key=f"entry_buttons_{name}", gap="small", vertical_alignment="center"
    ):
        if now.outcome != "undone" and not judgment.is_final:
            st.button("Change", key=f"change_{name}", type="tertiary", on_click=_begin, args=(now,))
        _link(rater, now)


def _show_change(workspace: Workspace, rater: str, was: OwnRow, token: str) -> None:
    """The grade and the comment to be changed; they replace what stood when this was begun."""
    names = workspace.settings.grades.names
    st.segmented_control(
        "Grade",
        range(4),
        default=was.grade,
        format_func=lambda grade: f"{grade} {button_label(names[grade])}",
        key=f"grade_{token}",
    )
    st.text_area(
        "Comment", was.comment, key=f"comment_{token}", max_chars=LONGEST_COMMENT, height=80
    )
    with st.container(horizontal=True, key="change_buttons"):
        st.button(
            "Save",
            type="primary",
            key=f"save_{token}",
            on_click=in_callback(_save),
            args=(workspace, rater, was, token),
        )
        st.button("Cancel", key=f"cancel_{token}", on_click=_end)


def _begin(now: OwnRow) -> None:
    st.session_state[_CHANGE] = (now, uuid.uuid4().hex)


def _end() -> None:
    st.session_state.pop(_CHANGE, None)


def _save(workspace: Workspace, rater: str, was: OwnRow, token: str) -> None:
    grade = st.session_state.get(f"grade_{token}")
    if grade is None:
        st.session_state[_SAID] = "Choose a grade first."
        return
    comment = st.session_state.get(f"comment_{token}") or ""
    try:
        outcome = change_grade(workspace, rater, was, grade, comment, token=token)
    finally:
        _end()
    name = workspace.settings.grades.names[grade]
    title = was.title or was.doc_id
    st.session_state[_SAID] = (
        "Nothing was changed." if outcome is None else f"Saved: {grade} {name} on {title}"
    )


def _page_buttons(older: int | None, label: str) -> None:
    is_newest = st.session_state.get(_BEFORE) is None
    if older is None and is_newest:
        return
    with st.container(horizontal=True, key="history_pages"):
        st.button("Newest", disabled=is_newest, key="history_newest", on_click=_to_newest)
        st.button(
            label, disabled=older is None, key="history_older", on_click=_go_to, args=(older,)
        )


def _to_newest() -> None:
    _end()
    st.session_state.pop(_BEFORE, None)


def _go_to(before: int) -> None:
    _end()
    st.session_state[_BEFORE] = before


def _show_nothing(page: HistoryPage, sought: Sought, *, any_at_all: bool) -> None:
    if not any_at_all and sought == Sought():
        note("You have graded nothing yet.", "What you grade is listed here.")
    elif page.searched_to is not None:
        note("Nothing found among the latest of these.", "The search can go further back.")
    else:
        note("Nothing found.")


def _name(rater: str, row: OwnRow) -> str:
    return pair_name(rater, row.query_id, row.doc_id)


def _link(rater: str, row: OwnRow) -> None:
    asked = {"pair": _name(rater, row)}
    st.page_link(_GRADE_PAGE, label="Open on the grade page", query_params=asked)


def _pair_html(row: OwnRow) -> str:
    return (
        f'<div class="gs-entry-query" dir="auto">{escape(clean(row.query))}</div>'
        f'<div class="gs-entry-title" dir="auto">{escape(clean(row.title or row.doc_id))}</div>'
    )


def _said(workspace: Workspace, row: OwnRow | EarlierRow, *more: str) -> str:
    version = row.guidelines_version
    under = "" if version is None else f"guidelines {version}"
    parts = (local_time(row.moment, workspace.settings.timezone), under, *more)
    facts = " \u00b7 ".join(part for part in parts if part)
    what = _OUTCOMES.get(row.outcome, "")
    said = _grade(workspace, row.grade) if row.grade is not None else f"<b>{what}</b>"
    return f'<div class="gs-said">{said} <span class="gs-muted">{facts}</span></div>{_comment(row)}'


def _comment(row: OwnRow | EarlierRow) -> str:
    words = "\n".join(text for text in (row.reason, row.comment) if text)
    return f'<div class="gs-quote" dir="auto">{escape(clean(words))}</div>' if words else ""


def _grade(workspace: Workspace, grade: int) -> str:
    return f"<b>{grade}</b> {inline(workspace.settings.grades.names[grade])}"


def _times(n: int) -> str:
    return "once" if n == 1 else f"{n} times"
