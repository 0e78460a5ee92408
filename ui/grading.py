"""The grading page: one press grades, saves and moves on; nothing is graded by accident.

A press runs a callback before the next pair is drawn. The callback asks the press guard, stores
the grade in its own transaction and only then says "saved". Keys of buttons hold the pair, so that
a late press still means the pair that was on screen. All of it is one fragment: a grade redraws
the pair, not the page around it.
"""

import time
import uuid
from dataclasses import dataclass
from html import escape

import streamlit as st

from builder.judging.presses import PressGuard
from builder.judging.queue import (
    LONGEST_COMMENT,
    GradingProgress,
    Outcome,
    Pair,
    next_pair,
    progress_of,
    submit_grade,
    undo_last,
)
from builder.workspace import Workspace
from ui import text
from ui.frame import errors_shown, in_callback, note, show_callback_error
from ui.numbers import count

_SITTING = "sitting"
_TITLE_SHOWN = 60
_ALL = 10**9
_NO_TEXT = text.block("This document has no text.", kind="gs-muted")
# The only script of the app, constant text: a held key counts once, Escape leaves the comment, and
# the next pair begins at its top.
_KEYBOARD = """<script>
if (!window.goldsmithKeyboard) {
  window.goldsmithKeyboard = true;
  const typing = (e) => e.target.matches && e.target.matches("input, textarea");
  const toTop = () => document.querySelector("[data-testid=stMain]")?.scrollTo(0, 0);
  addEventListener("keydown", (e) => {
    if (e.key === "Escape" && typing(e)) e.target.blur();
    if (typing(e) || !/^[0-3u]$/i.test(e.key)) return;
    if (e.repeat) e.stopImmediatePropagation(); else toTop();
  }, true);
  addEventListener("click", (e) => { if (e.target.closest(".st-key-grades")) toTop(); }, true);
}
</script>"""


@dataclass(slots=True)
class Sitting:
    """One browser session's grading: what is on screen and what was last said; may be lost.

    Attributes:
        guard: Decides which presses were meant.
        pair_id: The pair on screen; None before the first and after the last.
        shown_at_ms: When it appeared, on the monotonic clock.
        token: Makes a second submit of this showing harmless.
        title: Its document, for the line that says what was saved.
        said: Safe HTML about the last press.
        ignored: Whether that press was ignored.
        saved: Safe HTML about the last grade that was stored.
        whole: The pair whose text is shown in full.
    """

    guard: PressGuard
    pair_id: int | None = None
    shown_at_ms: float = 0.0
    token: str = ""
    title: str = ""
    said: str = ""
    ignored: bool = False
    saved: str = ""
    whole: int | None = None


def show_grading(workspace: Workspace, rater: str) -> None:
    """Pair after pair, until nothing is left for this rater."""
    _grade_pairs(workspace, rater)
    with st.container(key="keyboard"):
        st.html(_KEYBOARD, unsafe_allow_javascript=True)


@st.fragment
def _grade_pairs(workspace: Workspace, rater: str) -> None:
    """The pair that comes next, the grades, and what became of the last press."""
    with errors_shown():
        show_callback_error()
        sitting = _sitting(workspace, rater)
        pair = next_pair(workspace, rater)
        progress = progress_of(workspace, rater)
        with st.container(key="grading"):
            if pair is None:
                _show_end(progress)
            else:
                _show_pair(pair, progress, sitting)
            with st.container(key="grade_bar", gap="small"):
                _show_bar(workspace, rater, pair, sitting)
        _note_shown(sitting, pair)


def _show_bar(workspace: Workspace, rater: str, pair: Pair | None, sitting: Sitting) -> None:
    if pair is not None:
        _grade_buttons(workspace, rater, pair)
    _second_row(workspace, rater, pair)
    # The last thing drawn: whoever measures or tests waits for this pair.
    drawn = f'<span data-pair="{pair.pair_id if pair else ""}"></span>'
    st.html(_last_line(sitting) + drawn)


def _sitting(workspace: Workspace, rater: str) -> Sitting:
    """The session's sitting; another rater at the same screen begins a new one."""
    known: tuple[str, Sitting] | None = st.session_state.get(_SITTING)
    if known is None or known[0] != rater:
        guard = workspace.settings.guard
        known = (rater, Sitting(PressGuard(guard.same_key_ms, guard.other_key_ms)))
        st.session_state[_SITTING] = known
    return known[1]


def _note_shown(sitting: Sitting, pair: Pair | None) -> None:
    """The clock of a pair starts when it is drawn first; a redraw changes nothing."""
    if pair is None:
        sitting.pair_id = None
    elif sitting.pair_id != pair.pair_id:
        sitting.pair_id, sitting.token = pair.pair_id, uuid.uuid4().hex
        sitting.title = pair.document.title or pair.document.doc_id
        sitting.shown_at_ms = _now_ms()


def _press_grade(workspace: Workspace, rater: str, pair_id: int, grade: int) -> None:
    """What a grade's button does: nothing if the press was not meant, else save."""
    sitting = _sitting(workspace, rater)
    now_ms = _now_ms()
    if pair_id != sitting.pair_id:
        _say_ignored(sitting, "That pair is done: this press was ignored.")
        return
    if refusal := sitting.guard.accepts(str(grade), now_ms, sitting.shown_at_ms):
        _say_ignored(sitting, refusal)
        return
    outcome = submit_grade(
        workspace,
        rater,
        pair_id,
        grade,
        token=sitting.token,
        comment=st.session_state.get(_comment_key(pair_id)) or "",
        milliseconds=round(now_ms - sitting.shown_at_ms),
    )
    _say_outcome(workspace, sitting, outcome)


def _press_undo(workspace: Workspace, rater: str) -> None:
    """What Undo does: the last grade of this rater is taken back, its pair comes again."""
    sitting = _sitting(workspace, rater)
    if refusal := sitting.guard.accepts("u", _now_ms(), sitting.shown_at_ms):
        _say(sitting, refusal, ignored=True)
        return
    undone = undo_last(workspace, rater)
    sitting.pair_id, sitting.saved = None, ""
    if undone is None:
        _say(sitting, "There is nothing to undo.", ignored=True)
    else:
        _say(sitting, "Undone: grade this pair anew.")


def _say_outcome(workspace: Workspace, sitting: Sitting, outcome: Outcome) -> None:
    title = _shortened(sitting.title)
    sitting.pair_id = None
    if outcome.status == "already_graded":
        _say(sitting, f"You had graded {title} elsewhere: that grade stands.", ignored=True)
        return
    grade = outcome.grade
    name = "" if grade is None else workspace.settings.grades.names[grade]
    sitting.saved = f"<b>Saved:</b> {grade} {text.inline(name)} on {text.inline(title)}"
    sitting.said, sitting.ignored = sitting.saved, False


def _say_ignored(sitting: Sitting, why: str) -> None:
    """The press was not meant; what was saved before it still is."""
    _say(sitting, why, ignored=True)
    sitting.said = f"{sitting.saved}{'. ' if sitting.saved else ''}{sitting.said}"


def _say(sitting: Sitting, message: str, *, ignored: bool = False) -> None:
    sitting.said = f"<b>{escape(message)}</b>"
    sitting.ignored = ignored


def _show_pair(pair: Pair, progress: GradingProgress, sitting: Sitting) -> None:
    _show_question(pair, progress)
    terms = text.query_terms(pair.query.text)
    budget = _ALL if sitting.whole == pair.pair_id else text.FOLD_BUDGET
    body = text.folded(pair.document.text, terms, budget)
    words = text.block(body.html) if pair.document.text else _NO_TEXT
    st.html(f'<div class="gs-doc">{_title(pair, terms)}{words}</div>')
    if body.hidden:
        st.button(
            f"Show all ({count(body.hidden)} more characters)",
            type="tertiary",
            key=f"whole_{pair.pair_id}",
            on_click=_show_whole,
            args=(sitting, pair.pair_id),
        )


def _show_question(pair: Pair, progress: GradingProgress) -> None:
    query, need = escape(text.clean(pair.query.text)), escape(text.clean(pair.query.need))
    needed = f'<div class="gs-need" dir="auto">{need}</div>' if need else ""
    with st.container(key="question"):
        st.html(
            _progress_line(pair, progress) + f'<h1 class="gs-query" dir="auto">{query}</h1>{needed}'
        )


def _title(pair: Pair, terms: tuple[str, ...]) -> str:
    title = pair.document.title or pair.document.doc_id
    return f'<h2 class="gs-title" dir="auto">{text.marked(title, terms)}</h2>'


def _show_whole(sitting: Sitting, pair_id: int) -> None:
    sitting.whole = pair_id


def _grade_buttons(workspace: Workspace, rater: str, pair: Pair) -> None:
    with st.container(key="grades", horizontal=True, wrap=False, gap="small"):
        for grade, name in enumerate(workspace.settings.grades.names):
            st.button(
                text.button_label(name[:1].upper() + name[1:]),
                key=f"grade_{grade}_{pair.pair_id}",
                shortcut=str(grade),
                width="stretch",
                on_click=in_callback(_press_grade),
                args=(workspace, rater, pair.pair_id, grade),
            )


def _second_row(workspace: Workspace, rater: str, pair: Pair | None) -> None:
    with st.container(key="grade_more", horizontal=True, wrap=False, gap="small"):
        st.button(
            "Undo",
            key="undo",
            shortcut="u",
            on_click=in_callback(_press_undo),
            args=(workspace, rater),
        )
        if pair is not None:
            st.text_input(
                "Comment on this pair",
                key=_comment_key(pair.pair_id),
                label_visibility="collapsed",
                placeholder="Comment (Esc leaves it)",
                max_chars=LONGEST_COMMENT,
            )
        _guidelines(workspace)


def _guidelines(workspace: Workspace) -> None:
    """How this team grades: guidelines.md as it stands, over the page while it is asked for."""
    file = workspace.guidelines_file
    if file.is_file():
        with st.popover("Rules", icon=":material/menu_book:", help="How we grade"):
            words = file.read_text(encoding="utf-8", errors="replace")
            st.html(text.block(escape(text.clean(words))))


def _comment_key(pair_id: int) -> str:
    return f"comment_{pair_id}"


def _progress_line(pair: Pair, progress: GradingProgress) -> str:
    """Where one is: this query, the whole, and the pace."""
    tags = ", ".join(pair.query.tags)
    tagged = f'<span class="gs-wide"> \u00b7 {text.inline(tags)}</span>' if tags else ""
    pace = progress.seconds_a_pair
    paced = f'<span class="gs-wide"> \u00b7 {pace:.1f} s a pair</span>' if pace else ""
    return (
        f'<div class="gs-progress"><span>Query {count(pair.query_position)} of '
        f"{count(pair.n_queries)}{tagged} \u00b7 {count(pair.left_in_query)} to grade here</span>"
        f"<span>{count(progress.graded)} of {count(progress.total)} graded{paced}</span></div>"
    )


def _last_line(sitting: Sitting) -> str:
    kind = "gs-last gs-ignored" if sitting.ignored else "gs-last"
    return f'<p class="{kind}" role="status" aria-live="polite">{sitting.said}</p>'


def _show_end(progress: GradingProgress) -> None:
    if progress.graded:
        note("Nothing is left for you to grade.", f"You graded {count(progress.graded)} pairs.")
    else:
        note("There is nothing to grade yet.", "Import a corpus and queries, then pool some pairs.")
        st.page_link("ui/pages/imports.py", label="Import", icon=":material/upload_file:")
        st.page_link("ui/pages/pool.py", label="Pool", icon=":material/join:")


def _shortened(title: str) -> str:
    return title if len(title) <= _TITLE_SHOWN else f"{title[:_TITLE_SHOWN].rstrip()} \u2026"


def _now_ms() -> float:
    return time.monotonic() * 1000
