"""Merging on screen: which queries may mean the same, and what a merge would do, before it does."""

import streamlit as st

from builder.curation import (
    Candidate,
    MergePreview,
    duplicate_candidates,
    merge_queries,
    preview_merge,
)
from builder.people import Person
from builder.workspace import Workspace
from ui.frame import in_callback, muted, note, section
from ui.numbers import count
from ui.query_state import open_query, say
from ui.query_texts import conflicts_html, need_html, plural, short_html, tags_html

_MERGE = "query_merge_preview"


def merge_begun() -> bool:
    """Whether a merge is being looked at."""
    return _MERGE in st.session_state


def begin_merge(workspace: Workspace, keep_id: str, merged_id: str) -> None:
    """Look at what merging the one query into the other would do."""
    st.session_state[_MERGE] = preview_merge(workspace, keep_id, merged_id)


def show_merge(workspace: Workspace, person: Person) -> None:
    """What would happen, and the button that lets it happen."""
    preview: MergePreview = st.session_state[_MERGE]
    section("Merge")
    st.html(_sides_html(preview))
    lines = "".join(f"<li>{line}</li>" for line in _told(preview))
    st.html(f'<ul class="gs-list">{lines}</ul>')
    if preview.conflicts:
        muted(f"{plural(len(preview.conflicts), 'document')} graded differently by one rater:")
        st.html(conflicts_html(preview.conflicts))
    if preview.screens:
        note(_on_screens(preview.screens), kind="warning")
    with st.container(horizontal=True, key="merge_buttons"):
        st.button(
            "Merge",
            type="primary",
            key="merge_now",
            on_click=in_callback(_merge),
            args=(workspace, person, preview),
        )
        st.button(
            "The other way round",
            key="merge_swap",
            on_click=in_callback(begin_merge),
            args=(workspace, preview.merged.query.query_id, preview.keep.query.query_id),
        )
        st.button("Cancel", key="merge_cancel", on_click=_end)


def show_duplicates(workspace: Workspace) -> None:
    """Queries that may mean the same, most alike first."""
    found = duplicate_candidates(workspace)
    if not found.candidates:
        note("No two active queries share most of their words.")
        return
    shown = len(found.candidates)
    more = f" The first {count(shown)} are shown." if found.total > shown else ""
    muted(f"{plural(found.total, 'pair')} of queries that may mean the same.{more}")
    for candidate in found.candidates:
        _show_candidate(workspace, candidate)


def _show_candidate(workspace: Workspace, candidate: Candidate) -> None:
    keep, merged = candidate.keep.query, candidate.merged.query
    key = f"{keep.query_key}_{merged.query_key}"
    with st.container(horizontal=True, key=f"duplicate_{key}", gap="small"):
        share = f"{100 * candidate.overlap:.0f} % of their words the same"
        alike = "The same text" if candidate.same_text else share
        st.html(
            f'<div class="gs-entry"><p class="gs-muted">{alike}</p>{short_html(candidate.keep)}'
            f"{short_html(candidate.merged)}</div>"
        )
        st.button(
            "Look at the merge",
            key=f"merge_{key}",
            type="tertiary",
            on_click=in_callback(begin_merge),
            args=(workspace, keep.query_id, merged.query_id),
        )


def _sides_html(preview: MergePreview) -> str:
    sides = (("Stays", preview.keep), ("Is merged and retired", preview.merged))
    cards = "".join(
        f'<div class="gs-tile"><div class="gs-tile-name">{name}</div>{short_html(listed)}'
        f"{need_html(listed.query.need)}{tags_html(listed.query.tags)}</div>"
        for name, listed in sides
    )
    return f'<div class="gs-sides">{cards}</div>'


def _told(preview: MergePreview) -> list[str]:
    """What would happen, line by line; of our own."""
    lines = [
        f"{plural(preview.pairs, 'pair')} of the merged query: "
        f"{count(preview.new_pairs)} new for the one that stays, "
        f"{count(preview.pairs - preview.new_pairs)} that it has already.",
        f"{plural(preview.grades, 'grade')} go with them; {count(preview.standing)} of these stand "
        "there, the others stay in the log.",
    ]
    if preview.repeated:
        lines.append(f"{plural(preview.repeated, 'grade')} given alike for both count once.")
    if preview.cannot_judge:
        lines.append(f"{count(preview.cannot_judge)} \u201ccan't judge\u201d go with them.")
    if preview.left:
        lines.append(f"{count(preview.left)} skips and the like stay behind.")
    lines.append("Text, need and tags of the query that stays do not change.")
    return lines


def _on_screens(n: int) -> str:
    who = "1 rater has" if n == 1 else f"{count(n)} raters have"
    return (
        f"{who} a pair of the merged query on screen. What they grade now stays with it; its page "
        "then offers to merge again."
    )


def _merge(workspace: Workspace, person: Person, preview: MergePreview) -> None:
    keep, merged = preview.keep.query, preview.merged.query
    _end()
    done = merge_queries(workspace, keep.query_id, merged.query_id, person, preview=preview)
    open_query(keep.query_id)
    say(
        f"Merged {merged.query_id} into this query: {plural(done.new_pairs, 'new pair')}, "
        f"{plural(done.standing, 'grade')} that stand here."
    )


def _end() -> None:
    st.session_state.pop(_MERGE, None)
