"""What a rater reads when no pair comes: why, and what to do."""

import streamlit as st

from builder.judging.queue import Filters, GradingProgress
from builder.people import Person
from builder.workspace import Workspace
from ui import frame
from ui.frame import note
from ui.numbers import count


def show_end(
    workspace: Workspace, progress: GradingProgress, person: Person, filters: Filters
) -> None:
    """Nothing is left, others hold the last pairs, or there was nothing yet."""
    with st.container(key="grade_end"):
        frame.heading("Grade", "Say how well each document answers the query; one key a pair.")
        _show_why(workspace, progress, person, filters)


def _show_why(
    workspace: Workspace, progress: GradingProgress, person: Person, filters: Filters
) -> None:
    if progress.left:
        _show_held(progress, workspace.settings.lease_minutes)
    elif progress.graded or progress.cannot_judge or filters.tag:
        _show_done(progress, filters)
    else:
        _show_empty(person)


def _show_held(progress: GradingProgress, minutes: int) -> None:
    note(
        "Others hold the last pairs.",
        f"{_pairs(progress.left)} on other raters' screens. What they leave ungraded comes back "
        f"to you: try again in {count(minutes)} minutes.",
    )
    st.button("Look again", key="look_again")


def _show_done(progress: GradingProgress, filters: Filters) -> None:
    where = "with this tag" if filters.tag else "for you"
    given_up = progress.cannot_judge
    note(
        f"Nothing is left {where}.",
        f"You graded {_pairs(progress.graded)}. Thank you.",
        f"You could not judge {_pairs(given_up)}: somebody else is asked." if given_up else "",
    )
    st.page_link("ui/pages/my_grades.py", label="My grades", icon=":material/history:")


def _show_empty(person: Person) -> None:
    if person.role == "rater":
        note("There is nothing to grade yet.", "An analyst has to put pairs into the pool first.")
        return
    note("There is nothing to grade yet.", "Import a corpus and queries, then pool some pairs.")
    st.page_link("ui/pages/imports.py", label="Import", icon=":material/upload_file:")
    st.page_link("ui/pages/pool.py", label="Pool", icon=":material/join:")


def _pairs(number: int) -> str:
    return "1 pair" if number == 1 else f"{count(number)} pairs"
