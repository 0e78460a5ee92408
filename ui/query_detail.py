"""One query on its own: what it says, what raters say of it, what can be done, what was done."""

import uuid
from dataclasses import dataclass

import streamlit as st

from builder.curation import (
    LONGEST_NEED,
    LONGEST_QUERY,
    PRIORITIES,
    GradedTextError,
    ListedQuery,
    QueryChangedError,
    QueryContent,
    dismiss_outcomes,
    edit_query,
    find_query,
    query_filters,
    query_history,
    restore_query,
    retire_query,
    set_priority,
)
from builder.curation.waiting import words_about_query
from builder.errors import BuilderError
from builder.people import Person
from builder.store.activity import Entry
from builder.store.query_words import Word
from builder.store.quota import SYNTHETIC
from builder.workspace import Workspace
from ui.frame import in_callback, muted, note, section, show_error
from ui.query_fields import ask_tags, tags_given
from ui.query_merging import begin_merge
from ui.query_origin import show_origin
from ui.query_state import close_query, open_query, say
from ui.query_texts import head_html, history_html, plural, words_html

_EDIT = "query_edit"
_NO_MERGE = "query_no_merge"
_POOL_PAGE = "ui/pages/pool.py"


@dataclass(slots=True)
class _Edit:
    """An edit that was begun.

    Attributes:
        query_id: Of which query.
        before: What it said then.
        token: Names the fields of this edit.
        warned: Of how many grades the editor was warned; None: of none yet.
        other: What somebody else made of the query meanwhile; None: nothing.
    """

    query_id: str
    before: QueryContent
    token: str
    warned: int | None = None
    other: QueryContent | None = None


def show_query(workspace: Workspace, person: Person, query_id: str) -> None:
    """The query, what can be done with it, and its history."""
    st.button("All queries", icon=":material/arrow_back:", type="tertiary", on_click=_close)
    listed = find_query(workspace, query_id)
    words = words_about_query(workspace, query_id)
    history = query_history(workspace, query_id)
    began: _Edit | None = st.session_state.get(_EDIT)
    if began is not None and began.query_id == query_id:
        _show_edit(workspace, person, began, words)
    else:
        st.html(head_html(listed))
        _show_words(workspace, person, listed, words)
        _show_late_grades(workspace, listed, history)
        _show_actions(workspace, person, listed)
    if listed.query.source == SYNTHETIC:
        show_origin(workspace, query_id)
    section("History")
    if history:
        st.html(history_html(history, workspace.settings.timezone))
    else:
        muted("Nothing was changed since it came in.")


def begin_edit(listed: ListedQuery) -> None:
    """Open the query with its fields to be changed."""
    query = listed.query
    before = QueryContent(query.text, query.need, query.tags)
    st.session_state[_EDIT] = _Edit(query.query_id, before, uuid.uuid4().hex)
    open_query(query.query_id)


def ask_raters_again(
    workspace: Workspace, person: Person, query_id: str, words: tuple[Word, ...]
) -> None:
    """Dismiss the words that were shown."""
    seen = {word.said_id for word in words}
    dismissed = dismiss_outcomes(workspace, query_id, person, seen=seen)
    say(f"Raters are asked again; {plural(dismissed, 'word')} of theirs set aside.")


def retire(workspace: Workspace, person: Person, query_id: str, reason: str = "") -> None:
    """Retire the query, and say so."""
    done = retire_query(workspace, query_id, person, reason=reason)
    say(
        "Retired: nobody is asked, and releases leave it out. Its grades stay."
        if done
        else "It was retired already."
    )


def _close() -> None:
    st.session_state.pop(_EDIT, None)
    close_query()


def _show_words(
    workspace: Workspace, person: Person, listed: ListedQuery, words: tuple[Word, ...]
) -> None:
    if not words:
        return
    with st.container(border=True, key="query_words"):
        aside = "Nobody else is asked until this is decided." if listed.query.set_aside else ""
        muted(f"Raters doubt this query. {aside}")
        st.html(words_html(words, workspace.settings.timezone))
        st.button(
            "Ask raters again",
            key="query_ask_again",
            on_click=in_callback(ask_raters_again),
            args=(workspace, person, listed.query.query_id, words),
        )


def _show_late_grades(workspace: Workspace, listed: ListedQuery, history: list[Entry]) -> None:
    """Grades that came after the query was merged count nowhere until it is merged again."""
    latest = next((entry for entry in history if entry.action == "query.merge"), None)
    if latest is None or listed.query.status != "retired" or not listed.counts.grades:
        return
    came = "1 grade came" if listed.counts.grades == 1 else f"{listed.counts.grades} grades came"
    into = str(latest.details["into"])
    note(f"{came} in after the merge into {into}, and counts nowhere yet.", kind="warning")
    st.button(
        "Merge again",
        key="query_merge_again",
        on_click=in_callback(begin_merge),
        args=(workspace, into, listed.query.query_id),
    )


def _show_actions(workspace: Workspace, person: Person, listed: ListedQuery) -> None:
    query = listed.query
    with st.container(horizontal=True, key="query_actions", vertical_alignment="bottom"):
        st.button(
            "Edit",
            icon=":material/edit:",
            key="query_begin_edit",
            on_click=begin_edit,
            args=(listed,),
        )
        _show_merge_button(workspace, query.query_id)
        if query.status == "active":
            _show_retire_button(workspace, person, query.query_id)
        else:
            st.button(
                "Bring back",
                key="query_restore",
                on_click=in_callback(_restore),
                args=(workspace, person, query.query_id),
            )
    if query.status == "active":
        _show_priority(workspace, person, listed)
    if not listed.counts.pairs:
        st.page_link(_POOL_PAGE, label="Pool pairs for it", icon=":material/arrow_forward:")


def _show_priority(workspace: Workspace, person: Person, listed: ListedQuery) -> None:
    query, key = listed.query, f"priority_{listed.query.query_key}_{listed.query.priority}"
    st.segmented_control(
        "Raters come to it",
        list(PRIORITIES),
        format_func=PRIORITIES.__getitem__,
        default=query.priority,
        required=True,
        key=key,
        on_change=in_callback(_prioritise),
        args=(workspace, person, query.query_id, key),
    )


def _show_merge_button(workspace: Workspace, query_id: str) -> None:
    with st.popover("Merge", icon=":material/merge:"):
        muted("Its pairs and grades go to the other query, and this one is retired.")
        st.text_input("Id of the query that stays", key="query_merge_into", max_chars=2048)
        if error := st.session_state.pop(_NO_MERGE, None):
            show_error(error)
        st.button(
            "See what would happen",
            key="query_merge",
            on_click=_begin_merge,
            args=(workspace, query_id),
        )


def _show_retire_button(workspace: Workspace, person: Person, query_id: str) -> None:
    with st.popover("Retire", icon=":material/archive:"):
        muted("Nobody is asked for it, and releases leave it out. Its grades stay.")
        st.text_input("Why, if you like", key="query_retire_reason", max_chars=500)
        st.button(
            "Retire this query",
            key="query_retire",
            on_click=in_callback(_retire),
            args=(workspace, person, query_id),
        )


def _show_edit(workspace: Workspace, person: Person, edit: _Edit, words: tuple[Word, ...]) -> None:
    """The fields to be changed, and what the editor has to know before they are saved."""
    before, token = edit.before, edit.token
    longest_text, longest_need = _longest(before)
    st.text_area("Text", before.text, key=f"text_{token}", max_chars=longest_text, height=70)
    st.text_area("Need", before.need, key=f"need_{token}", max_chars=longest_need, height=120)
    ask_tags(query_filters(workspace)[0], before.tags, f"tags_{token}")
    if words:
        st.html(words_html(words, workspace.settings.timezone))
        st.checkbox("Ask raters again once this is saved", value=True, key=f"again_{token}")
    if edit.other is not None:
        _show_other(edit.other)
    elif edit.warned is not None:
        _show_warning(edit.warned)
    with st.container(horizontal=True, key="query_edit_buttons"):
        st.button(
            "Save" if edit.warned is None else "Save it all the same",
            type="primary",
            key="query_save",
            disabled=edit.other is not None,
            on_click=in_callback(_save),
            args=(workspace, person, edit),
        )
        st.button("Cancel", key="query_cancel", on_click=_end_edit)


def _longest(before: QueryContent) -> tuple[int, int]:
    """How long text and need may be; an import may have brought longer ones."""
    return max(LONGEST_QUERY, len(before.text)), max(LONGEST_NEED, len(before.need))


def _show_warning(grades: int) -> None:
    were = "1 grade was" if grades == 1 else f"{grades:,} grades were"
    note(
        f"{were} given under the text as it was. They stay and count for the new one.",
        "If the query means something else now, cancel, retire it, and add a new one instead.",
        kind="warning",
    )


def _show_other(other: QueryContent) -> None:
    note(
        "Somebody else changed this query while you edited it. Nothing was saved.",
        f"It says now: {other.text}",
        f"Need: {other.need or 'none'}",
        f"Tags: {', '.join(other.tags) or 'none'}",
        "Copy what you need, cancel, and edit it as it is now.",
        kind="error",
    )


def _save(workspace: Workspace, person: Person, edit: _Edit) -> None:
    after = QueryContent(
        st.session_state.get(f"text_{edit.token}") or "",
        st.session_state.get(f"need_{edit.token}") or "",
        tags_given(f"tags_{edit.token}"),
    )
    try:
        edited = edit_query(
            workspace,
            edit.query_id,
            edit.before,
            after,
            person,
            despite_grades=edit.warned is not None,
            ask_raters_again=bool(st.session_state.get(f"again_{edit.token}")),
        )
    except GradedTextError as warning:
        edit.warned = warning.grades
        return
    except QueryChangedError as changed:
        edit.other = changed.now
        return
    _end_edit()
    done = f"Saved: {', '.join(edited.changed)}." if edited.changed else "Nothing was changed."
    say(done + (" Raters are asked again." if edited.dismissed else ""))


def _end_edit() -> None:
    st.session_state.pop(_EDIT, None)


def _begin_merge(workspace: Workspace, query_id: str) -> None:
    """Look at the merge; why there is none to look at is told beside the field, not on top."""
    try:
        begin_merge(workspace, (st.session_state.get("query_merge_into") or "").strip(), query_id)
    except BuilderError as error:
        st.session_state[_NO_MERGE] = error


def _retire(workspace: Workspace, person: Person, query_id: str) -> None:
    retire(workspace, person, query_id, st.session_state.get("query_retire_reason") or "")


def _restore(workspace: Workspace, person: Person, query_id: str) -> None:
    done = restore_query(workspace, query_id, person)
    say("Brought back: raters are asked again." if done else "It was active already.")


def _prioritise(workspace: Workspace, person: Person, query_id: str, key: str) -> None:
    priority: int = st.session_state[key]
    set_priority(workspace, query_id, priority, person)
    say(f"Raters come to it {PRIORITIES[priority]}.")
