"""Draws synthetic queries for the experts: first what that would take, then the button."""

from collections.abc import Mapping
from typing import Any

import streamlit as st

from builder.jobs import Job
from builder.people import Person
from builder.pooling.budget import team_pace
from builder.store.query_lists import Sought, count_sought
from builder.synthesis.validation import (
    MOST_OTHERS,
    draw_validation,
    list_validations,
    take_back_validation,
)
from builder.workspace import Workspace
from ui.frame import in_callback, muted, note, section, sentence
from ui.jobs import Outcome, clock, follow, start
from ui.numbers import count, count_of, percent
from ui.pooling.words import hours, kept_in_words
from ui.synthesis.words import queries_of
from ui.tables import Column, Tile, table, tiles
from ui.taking_back import Undoing, offer_taking_back
from ui.text import inline

DRAW_JOB = "validation"
TARGET = "builder.synthesis.validation:draw_validation_job"
_FIRST_SHARE, _FIRST_OTHERS = 25, 3
_MOST_SEED = 2**31 - 1
_SAID = "validation_taken_back"
_STRATA = [
    Column("part of the queries"),
    Column("queries", numeric=True),
    Column("drawn", numeric=True),
]


def synthetic_queries(workspace: Workspace) -> int:
    """How many queries of a language model are in the set now."""
    with workspace.store.read() as connection:
        return count_sought(connection, Sought(source="synthetic", status="active"))


def show_draw(workspace: Workspace, person: Person) -> None:
    """How to draw, what that would take, and the button that draws."""
    section("Draw queries for the experts")
    asked = _ask_drawing()
    would = draw_validation(workspace, **asked, dry_run=True, actor=person)
    st.html(tiles(figures_of(would, cost_of(workspace, would["pairs_at_most"]))))
    _offer_drawing(workspace, person, asked, would)
    _show_strata(would)
    follow(workspace, DRAW_JOB, show=_show_drawn, fades=True)


def figures_of(would: Outcome, cost: Mapping[str, Any]) -> list[Tile]:
    """Drawn queries, pairs that experts see at most, and hours of grading."""
    drawn, queries = would["drawn"], would["queries"]
    pace = "the team's pace" if cost["measured"] else "assumed, too few grades yet"
    each = count_of(round(cost["seconds_a_grade"]), "second")
    grades = f"{count_of(cost['grades'], 'grade')}, {each} each"
    return [
        Tile("drawn", queries_of(drawn), f"of {count(queries)}, {percent(drawn / queries)}"),
        Tile("pairs, at most", count(would["pairs_at_most"]), "source documents and others"),
        Tile("grading, at most", hours(cost["hours"]), f"{grades}: {pace}"),
    ]


def _show_strata(would: Outcome) -> None:
    """How many of each part, where there are several."""
    rows = [[row["stratum"], count(row["queries"]), count(row["drawn"])] for row in would["strata"]]
    if len(rows) > 1 and would["unchanged"] is None:
        st.html(table(_STRATA, rows, caption=f"By {would['by']}"))


def cost_of(workspace: Workspace, pairs: int) -> dict[str, Any]:
    """What so many new pairs take, at the pace of the team."""
    with workspace.store.read() as connection:
        return team_pace(workspace, connection).cost(pairs)


def show_drawings(workspace: Workspace, person: Person) -> None:
    """The drawings so far, each with its way back."""
    if said := st.session_state.pop(_SAID, None):
        note(*said)
    drawings = list_validations(workspace)
    if not drawings:
        return
    section("Drawings so far")
    for row in drawings:
        number = row["validation_id"]
        with st.container(key=f"drawing_{number}", horizontal=True, vertical_alignment="center"):
            st.html(drawing_html(workspace, row))
            if row["taken_back_at"] is None:
                _offer_taking_back(workspace, person, number)


def drawing_html(workspace: Workspace, row: Mapping[str, Any]) -> str:
    """Safe HTML: how many were drawn, by whom and when, and in which way."""
    asked, outcome, back = row["parameters"], row["outcome"], ""
    if row["taken_back_at"]:
        who, when = inline(row["taken_back_by"] or ""), clock(workspace, row["taken_back_at"])
        back = f'<span class="gs-mark">taken back by {who}, {when}</span>'
    others = count_of(asked["others"], "other document")
    way = f"{percent(asked['share'])}, {others} of each, seed {asked['seed']}"
    return (
        f'<div class="gs-entry"><div class="gs-entry-title">Drawing {count(row["validation_id"])}: '
        f"{queries_of(outcome['drawn'])} of {count(outcome['queries'])} {back}</div>"
        f'<div class="gs-muted">{inline(row["created_by"])}, '
        f"{clock(workspace, row['created_at'])} \u00b7 {inline(way)}</div></div>"
    )


def would_go_in_words(would: Mapping[str, Any]) -> list[str]:
    """What taking a drawing back would remove and leave, a sentence each."""
    return [*_filling_in_words(would, "go"), _then_in_words(would)]


def _filling_in_words(told: Mapping[str, Any], tense: str) -> list[str]:
    filling = told["filling"]
    if filling is None:
        return ["It has no pairs in the pool."]
    n = filling["pairs_removed"]
    went = "goes" if n == 1 and tense == "go" else tense
    said = [f"{count_of(n, 'pair')} {went} out of the pool."]
    if kept := kept_in_words(filling["kept"]):
        said.append(f"Stay: {kept}.")
    return said


def _then_in_words(told: Mapping[str, Any]) -> str:
    if told["standing"] is None:
        return "Then no validation stands, and no synthetic grade counts in a release."
    return f"Then drawing {count(told['standing'])} counts again."


def _ask_drawing() -> dict[str, Any]:
    left, right = st.columns(2, gap="large")
    with left:
        share = st.slider(
            "Which share of the queries, in %",
            5,
            100,
            _FIRST_SHARE,
            5,
            format="%d %%",
            key="validation_share",
            persist_state="session",
            help="Drawn at random, the same share of each type, and of each language.",
        )
    with right:
        others = st.number_input(
            "Other documents of each query",
            0,
            MOST_OTHERS,
            _FIRST_OTHERS,
            key="validation_others",
            persist_state="session",
            help="What searches rank for the query: so nobody can tell which document it was "
            "written for, and other documents that answer it are found.",
        )
    with st.expander("More"):
        seed = st.number_input(
            "Seed", 0, _MOST_SEED, 0, key="validation_seed", persist_state="session"
        )
    return {"share": share / 100, "others": others, "seed": seed}


def _offer_drawing(
    workspace: Workspace, person: Person, asked: Mapping[str, Any], would: Outcome
) -> None:
    for warning in would["warnings"]:
        note(sentence(str(warning)), kind="warning")
    if would["unchanged"] is not None:
        muted(f"Drawing {count(would['unchanged'])} holds exactly these queries.")
        return
    with st.container(horizontal=True, vertical_alignment="center", key="offer_validation"):
        st.button(
            f"Draw {queries_of(would['drawn'])}",
            type="primary",
            key="draw_validation",
            on_click=in_callback(start),
            args=(workspace, person, DRAW_JOB, TARGET, {"actor": person.name, **asked}),
        )
        muted("Their pairs wait for raters at once; nothing tells them where a query came from.")


def _show_drawn(_: Job, outcome: Outcome) -> None:
    if (same := outcome["unchanged"]) is not None:
        note(f"Nothing changed: drawing {count(same)} holds the same queries.")
        return
    added = count_of(outcome["pairs_added"], "pair")
    drawn = queries_of(outcome["drawn"])
    note(f"{drawn} drawn; {added} joined the pool.", "Next, the experts grade them.")
    st.page_link("ui/pages/grade.py", label="Grade", icon=":material/arrow_forward:")


def _offer_taking_back(workspace: Workspace, person: Person, number: int) -> None:
    def tell() -> Undoing:
        would = take_back_validation(workspace, number, person, dry_run=True)
        return Undoing(would_go_in_words(would))

    offer_taking_back(workspace, person, number, tell, _take_back)


def _take_back(workspace: Workspace, person: Person, number: int) -> None:
    done = take_back_validation(workspace, number, person)
    head = f"Drawing {count(done['validation_id'])} is taken back."
    st.session_state[_SAID] = [head, *_filling_in_words(done, "went"), _then_in_words(done)]
