"""The guidelines on screen: their text as quiet typography, their editor, and what changed.

The text is untrusted. It is escaped first; then lines get a form by how they begin, from a fixed
set: headings, lists, grades, paragraphs. Nothing in it can become a link, a picture or markup.
"""

import re
from collections.abc import Sequence
from datetime import datetime
from html import escape
from typing import NamedTuple
from zoneinfo import ZoneInfo

import streamlit as st

from builder.judging.guidelines import (
    FROM_FILE,
    LONGEST_NOTE,
    LONGEST_TEXT,
    DiffLine,
    Guidelines,
    GuidelinesVersion,
    guideline_versions,
    line_diff,
    save_guidelines,
)
from builder.people import Person
from builder.workspace import Workspace
from ui.frame import in_callback, muted, note, section
from ui.numbers import count
from ui.tables import Column, Html, table
from ui.text import clean, inline

_EDIT = "guidelines_edit"
_SAVED = "guidelines_saved"
_LONGEST_HEADING = 60
_HASHES = re.compile(r"(#{1,3})\s+(.+)")
_GRADE = re.compile(r"([0-3])\s*[-\u2013\u2014:=]\s+(.+)")
_BULLET = re.compile(r"[-*\u2022]\s+(.+)")
_NUMBERED = re.compile(r"\d{1,3}[.)]\s+(.+)")
_BOLD = re.compile(r"\*\*(?=\S)(.+?)(?<=\S)\*\*")


class _Piece(NamedTuple):
    """A line and the form that it has: h2 to h4, grade, ul, ol, p, or "" for an empty one."""

    form: str
    html: str


def guidelines_html(text: str) -> str:
    """Safe HTML of the guidelines."""
    pieces = [_piece(line) for line in clean(text).split("\n")]
    blocks: list[list[_Piece]] = []
    for piece, before in zip(pieces, [_Piece("", ""), *pieces], strict=False):
        if blocks and piece.form and piece.form == before.form and piece.form[0] != "h":
            blocks[-1].append(piece)
        elif piece.form:
            blocks.append([piece])
    return f'<div class="gs-rules">{"".join(map(_block, blocks))}</div>'


def show_guidelines(current: Guidelines) -> None:
    """The text, unless it is being edited, and what is wrong with its file."""
    if _EDIT in st.session_state:
        return
    if current.problem and current.version is not None:
        note(current.problem, f"Version {current.version}, the last one kept, is shown.")
    if current.version is None:
        note("There are no guidelines yet.", "An analyst writes them here, or into guidelines.md.")
    else:
        st.html(guidelines_html(current.text))


def show_editor(workspace: Workspace, person: Person, current: Guidelines) -> None:
    """For analysts: the text to be changed, how it will look, and a note on what changed."""
    if said := st.session_state.pop(_SAVED, None):
        note(said)
    if _EDIT not in st.session_state:
        st.button(
            "Edit", icon=":material/edit:", key="edit_guidelines", on_click=_begin, args=(current,)
        )
        return
    base, key = st.session_state[_EDIT], "guidelines_text"
    if base != current.version:
        note(
            "These guidelines were changed while you edit them.",
            "Copy your text, cancel, and edit the new version.",
            kind="warning",
        )
    written, seen = st.columns(2)
    text = written.text_area(
        "Text", height=420, key=key, max_chars=LONGEST_TEXT, persist_state="session"
    )
    with seen.container(key="guidelines_preview"):
        muted("How it will look, once you leave the field")
        st.html(guidelines_html(text or ""))
    st.text_input("What did you change?", key="guidelines_note", max_chars=LONGEST_NOTE)
    with st.container(horizontal=True, key="guidelines_buttons"):
        st.button(
            "Save as a new version",
            type="primary",
            on_click=in_callback(_save),
            args=(workspace, person, base),
        )
        st.button("Cancel", on_click=_end)


def show_versions(workspace: Workspace, current: Guidelines) -> None:
    """All versions, how much was judged under each, and what changed between two of them."""
    versions = guideline_versions(workspace)
    if not versions:
        return
    section("Versions")
    if older := sum(v.n_judgments for v in versions if v.version != current.version):
        muted(f"{count(older)} judgments were made under older versions.")
    columns = [Column("version"), Column("saved"), Column("by"), Column("what changed")]
    rows = [_row(version, workspace.settings.timezone) for version in versions]
    st.html(table([*columns, Column("judgments", numeric=True)], rows))
    if len(versions) > 1:
        _show_comparison({version.version: version for version in versions})


def diff_html(lines: Sequence[DiffLine]) -> str:
    """Safe HTML of a comparison: each line with a sign of its own, not with colour alone."""
    shown = "".join(map(_diff_line, lines))
    return f'<div class="gs-diff" role="group" aria-label="What changed">{shown}</div>'


def local_time(moment: str, zone: str) -> str:
    """A moment of the store as a person of the workspace reads it, such as 30 Nov 2026, 13:05."""
    local = datetime.fromisoformat(moment).astimezone(ZoneInfo(zone))
    return f"{local.day} {local:%b %Y, %H:%M}"


def _piece(line: str) -> _Piece:
    words = line.strip()
    if not words:
        return _Piece("", "")
    if found := _HASHES.fullmatch(words):
        return _Piece(f"h{len(found[1]) + 1}", _inline(found[2]))
    if found := _GRADE.fullmatch(words):
        return _Piece("grade", f"<b>{found[1]}</b><span>{_inline(found[2])}</span>")
    if found := _BULLET.fullmatch(words):
        return _Piece("ul", _inline(found[1]))
    if found := _NUMBERED.fullmatch(words):
        return _Piece("ol", _inline(found[1]))
    return _Piece("p", _inline(words))


def _inline(words: str) -> str:
    return _BOLD.sub(r"<strong>\1</strong>", escape(words))


def _block(pieces: Sequence[_Piece]) -> str:
    form, first = pieces[0].form, pieces[0].html
    if form[0] == "h":
        return f'<{form} dir="auto">{first}</{form}>'
    if form in ("ul", "ol"):
        items = "".join(f'<li dir="auto">{piece.html}</li>' for piece in pieces)
        return f"<{form}>{items}</{form}>"
    if form == "grade":
        rows = "".join(f'<div dir="auto">{piece.html}</div>' for piece in pieces)
        return f'<div class="gs-rule-grades">{rows}</div>'
    if len(pieces) == 1 and len(first) <= _LONGEST_HEADING and first[-1].isalnum():
        # A short line without an end of its own, as plain text has headings.
        return f'<h2 dir="auto">{first}</h2>'
    return f'<p dir="auto">{"<br>".join(piece.html for piece in pieces)}</p>'


def _begin(current: Guidelines) -> None:
    st.session_state[_EDIT] = current.version
    st.session_state["guidelines_text"] = current.text
    st.session_state["guidelines_note"] = ""


def _end() -> None:
    st.session_state.pop(_EDIT, None)


def _save(workspace: Workspace, person: Person, base: int | None) -> None:
    text, said = st.session_state["guidelines_text"], st.session_state["guidelines_note"]
    saved = save_guidelines(workspace, text or "", said or "", person, base_version=base)
    is_new = saved.version != base
    st.session_state[_SAVED] = (
        f"Saved as version {saved.version}." if is_new else "Nothing was changed."
    )
    _end()


def _row(version: GuidelinesVersion, zone: str) -> list[str]:
    by = "guidelines.md, by hand" if version.author == FROM_FILE else version.author
    number = str(version.version)
    said = Html(f'<span class="gs-said" dir="auto">{inline(version.note)}</span>')
    return [number, local_time(version.created_at, zone), by, said, count(version.n_judgments)]


def _show_comparison(versions: dict[int, GuidelinesVersion]) -> None:
    numbers = list(versions)
    with st.container(horizontal=True, key="compare_guidelines"):
        older = st.selectbox("From version", numbers, index=1, width=130)
        newer = st.selectbox("to version", numbers, index=0, width=130)
    lines = line_diff(versions[older].text, versions[newer].text)
    if lines:
        st.html(diff_html(lines))
    else:
        muted("The two are the same.")


_SIGNS = {"same": " ", "removed": "\u2212", "added": "+", "gap": "\u22ef"}
_SPOKEN = {"removed": "removed: ", "added": "added: ", "gap": "lines left out"}


def _diff_line(line: DiffLine) -> str:
    spoken = _SPOKEN.get(line.kind, "")
    said = f'<span class="gs-spoken">{spoken}</span>' if spoken else ""
    return (
        f'<div class="gs-diff-{line.kind}"><span aria-hidden="true">{_SIGNS[line.kind]}</span>'
        f'<span dir="auto">{said}{escape(clean(line.text))}</span></div>'
    )
