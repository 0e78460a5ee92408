"""What the experts say of the synthetic queries that were drawn for them, and what that allows."""

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from builder.people import Person
from builder.synthesis.validation_report import validation_report
from builder.workspace import Workspace
from ui.frame import errors_shown, muted, note, section, sentence
from ui.numbers import (
    MISSING,
    count,
    decimal,
    in_words,
    interval,
    percent,
    percent_interval,
)
from ui.synthesis.drawing import show_draw, show_drawings, synthetic_queries
from ui.synthesis.words import queries_of
from ui.tables import Column, Html, Tile, table, tiles, with_note

STATES: Mapping[str, str] = {
    "wait": "waits for grades",
    "accepted": "accepted",
    "accepted_with_the_set": "accepted with the set",
    "left_out": "left out",
    "rejected": "rejected",
}
_VERDICT_KINDS = {"reject": "warning", "accept_strata": "warning"}
_STRATA = [
    Column("part of the queries"),
    Column("queries", numeric=True),
    Column("graded", numeric=True),
    Column("agree", numeric=True),
    Column("agreement", numeric=True),
    Column("state"),
]
_GRADES = [Column("grade of the experts"), Column("queries", numeric=True), Column("share")]
_REMARKS: Mapping[str, tuple[str, str]] = {
    "cannot_judge": ("can be judged by nobody.", "can be judged by nobody."),
    "gone": (
        "of those drawn is retired, merged or rewritten since.",
        "of those drawn are retired, merged or rewritten since.",
    ),
    "not_asked": (
        "of those drawn is asked of nobody: its pairs left the pool.",
        "of those drawn are asked of nobody: their pairs left the pool.",
    ),
    "set_aside": (
        "of those drawn waits for an analyst's decision on the page Queries.",
        "of those drawn wait for an analyst's decision on the page Queries.",
    ),
    "unfinished": ("wants more grades.", "want more grades."),
    "later": (
        "came after the drawing, which says nothing of it.",
        "came after the drawing, which says nothing of them.",
    ),
    "changed": (
        "of those not drawn is retired or rewritten since.",
        "of those not drawn are retired or rewritten since.",
    ),
}
"""Of the report -> what follows one query, and several."""

Report = Mapping[str, Any]


def show_validation(workspace: Workspace, person: Person) -> None:
    """The verdict and what is behind it, how to draw, and the drawings so far."""
    queries = synthetic_queries(workspace)
    report = validation_report(workspace)
    drawn = report["validation_id"] is not None
    if drawn:
        _show_report(workspace, report)
    if queries:
        with errors_shown():
            show_draw(workspace, person)
    elif not drawn:
        note(
            "No synthetic query is in the set yet.",
            "Generate some, and accept the good ones in Review. Then experts see a part of them.",
        )
    show_drawings(workspace, person)


def figures_of(report: Report) -> list[Tile]:
    """Agreement with its interval, progress, and the estimates for all of the queries."""
    agreement, estimates = report["agreement"], report["estimates"]
    share, mean = estimates["share_relevant"], estimates["mean_grade"]
    all_of = f"of all {queries_of(report['queries'])}"
    return [
        Tile("agreement", percent(agreement["value"]), _beside(agreement, percent_interval)),
        Tile("graded", f"{count(report['graded'])} of {count(report['drawn'])}", _progress(report)),
        Tile(
            "relevant source documents",
            percent(share["value"]),
            f"{all_of} \u00b7 {_beside(share, percent_interval)}",
        ),
        Tile(
            "mean grade",
            decimal(mean["value"]),
            f"{all_of} \u00b7 {_beside(mean, interval)}",
        ),
    ]


def strata_html(strata: Sequence[Mapping[str, Any]]) -> str:
    """Safe HTML: what was found of each part, and what becomes of it."""
    rows = [
        [
            row["stratum"],
            count(row["queries"]),
            f"{count(row['graded'])} of {count(row['drawn'])}",
            count(row["agree"]),
            _share_cell(row["agreement"]),
            STATES.get(row["state"], in_words(row["state"])),
        ]
        for row in strata
    ]
    return f'<div class="gs-blocks gs-parts">{table(_STRATA, rows)}</div>'


def grades_html(grades: Mapping[str, int], names: Sequence[str]) -> str:
    """Safe HTML: how many source documents got which grade, with a bar each."""
    total = sum(grades.values())
    numbers = [grades.get(str(grade), 0) for grade in range(len(names))]
    rows = [
        [f"{grade} {names[grade]}", count(n), _bar(n, total)] for grade, n in enumerate(numbers)
    ]
    return f'<div class="gs-grade-bars">{table(_GRADES, rows)}</div>'


def remarks_of(report: Report) -> list[str]:
    """What else there is to know, a sentence each; only what there is."""
    said = [
        f"{queries_of(report[name])} {one if report[name] == 1 else several}"
        for name, (one, several) in _REMARKS.items()
        if report[name]
    ]
    if report["collapsed"]:
        parts = ", ".join(map(str, report["collapsed"]))
        said.append(f"Estimated together, since hardly anything of them is graded: {parts}.")
    return said


def rule_in_words(rule: Mapping[str, float]) -> str:
    """By which rule the verdict is, settled before anybody graded."""
    return (
        "The rule was settled at the drawing: the set is accepted where the lower end of the "
        f"interval is at least {percent(rule['least_agreement'])}; a part is left out where even "
        f"the upper end of its own is below {percent(rule['good_agreement'])}. \u201cAccepted with "
        "the set\u201d: too little is known of the part alone. A query agrees "
        "where the experts' grade of its document is 2 or 3."
    )


def _show_report(workspace: Workspace, report: Report) -> None:
    note(
        sentence(report["sentence"]),
        sentence(report["next"] or ""),
        kind="warning" if report["provisional"] else _VERDICT_KINDS.get(report["verdict"], ""),
    )
    st.html(tiles(figures_of(report)))
    for remark in remarks_of(report):
        muted(remark)
    if len(report["strata"]) > 1:
        section("By type of query")
        st.html(strata_html(report["strata"]))
    if report["graded"]:
        section("What the experts say of the source documents")
        st.html(grades_html(report["grades"], workspace.settings.grades.names))
    muted(rule_in_words(report["rule"]))


def _progress(report: Report) -> str:
    waiting = report["waiting"]
    complete = f"{count(report['complete'])} complete" if report["unfinished"] else ""
    to_go = f"{count(waiting)} to go" if waiting else ""
    said = [complete, f"{count(report['agree'])} agree", to_go]
    return ", ".join(filter(None, said))


def _beside(value: Mapping[str, Any], span: Any) -> str:
    """The interval or why there is none, and n."""
    told = span(value["low"], value["high"]) or in_words(value["reason"])
    return " \u00b7 ".join(filter(None, [told, f"n = {count(value['n'])}"]))


def _share_cell(value: Mapping[str, Any]) -> Html:
    if value["value"] is None:
        return with_note(MISSING, in_words(value["reason"]))
    return with_note(percent(value["value"]), percent_interval(value["low"], value["high"]))


def _bar(n: int, total: int) -> Html:
    share = 100 * n / total if total else 0
    name = percent(n / total if total else None)
    return Html(f'<span class="gs-share-bar" style="--gs-share:{share:.1f}%">{name}</span>')
