"""Kappa of every two raters as a heat map, and as a table that can be read aloud."""

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any

import streamlit as st

from ui import numbers
from ui.frame import muted
from ui.tables import Column, table
from ui.trust import UNDEFINED, Report, beside, cell, value

if TYPE_CHECKING:
    import altair as alt
    import pandas as pd

WEIGHTS = {"quadratic": "Quadratic", "nominal": "Nominal"}
MOST_DRAWN = 25
"""Raters; with more nobody finds a cell, and the table has hundreds of rows."""
_SAID_IN_A_CELL = {
    "too_few_units": "too few",
    "all_grades_equal": "one grade",
}
_NEVER_MET = "no pair\nshared"
_INK, _PAPER = "#1b1a19", "#ffffff"
_BELOW, _CHANCE, _ABOVE, _NOTHING = "#d55e00", "#f4f1ea", "#0072b2", "#d2cec6"
"""Okabe and Ito's orange and blue, so that everybody can tell worse from better than chance."""
_WHITE_FROM = 0.88
"""From here on the blue is dark enough for white words."""
_SIDE = 70
"""Pixels of a cell: five raters fit on a phone, more scroll."""


def show_kappas(report: Report, weights: str) -> None:
    """The heat map of the raters that count, and beneath it the same as a table."""
    pairwise = report["agreement"]["pairwise"]
    raters = raters_drawn(report["agreement"]["raters"])
    frame = kappa_frame(raters, pairwise, weights)
    with st.container(key="kappas"):
        st.altair_chart(
            kappa_chart(frame, raters),
            width="content",
            alt=f"{WEIGHTS[weights]} kappa of every two raters; the table below says the same",
        )
    if len(raters) < len(report["agreement"]["raters"]):
        muted(
            f"Drawn are the {MOST_DRAWN} raters with most grades; `goldsmith agreement` lists all."
        )
    drawn = [row for row in pairwise if set(row["raters"]) <= set(raters)]
    with st.expander("As a table, with intervals"):
        st.html(_kappa_table(drawn))


def raters_drawn(raters: Sequence[Mapping[str, Any]]) -> list[str]:
    """The names of those with most grades, in the order in which they came."""
    most = sorted(raters, key=lambda row: -row["n"])[:MOST_DRAWN]
    names = {row["rater"] for row in most}
    return [row["rater"] for row in raters if row["rater"] in names]


def kappa_frame(
    raters: Sequence[str], pairwise: Sequence[Mapping[str, Any]], weights: str
) -> "pd.DataFrame":
    """A row for every two raters: row, column, kappa (NaN if undefined), said, detail.

    Args:
        raters: All that count, in their order.
        pairwise: As the report holds them; who never met is in none of them.
        weights: quadratic or nominal.
    """
    import pandas as pd

    known = {frozenset(row["raters"]): row for row in pairwise}
    rows = [
        (other, one, *_cell(known.get(frozenset((one, other))), weights))
        for one, other in combinations(raters, 2)
    ]
    return pd.DataFrame(rows, columns=["row", "column", "kappa", "said", "detail"])


def kappa_chart(frame: "pd.DataFrame", raters: Sequence[str]) -> "alt.LayerChart":
    """Cells of one size below the diagonal, each with its kappa and n, or why it has none."""
    import altair as alt

    names = alt.Axis(
        orient="top", labelAngle=-35, labelLimit=110, labelOverlap=False, title=None, ticks=False
    )
    lines = alt.Axis(labelLimit=100, labelOverlap=False, title=None, ticks=False)
    base = alt.Chart(frame).encode(
        x=alt.X("column:N", sort=list(raters), axis=names),
        y=alt.Y("row:N", sort=list(raters), axis=lines),
        tooltip=[
            alt.Tooltip("row:N", title="rater"),
            alt.Tooltip("column:N", title="and"),
            alt.Tooltip("detail:N", title="kappa"),
        ],
    )
    colours = alt.Scale(
        domain=[-1, 0, 1], range=[_BELOW, _CHANCE, _ABOVE], interpolate="rgb", clamp=True
    )
    # Apart: a mark whose field has no value is not drawn at all.
    blank = base.transform_filter("!isValid(datum.kappa)").mark_rect(
        stroke="#808080", strokeWidth=0.5, color=_NOTHING
    )
    cells = (
        base.transform_filter("isValid(datum.kappa)")
        .mark_rect(stroke="#808080", strokeWidth=0.5)
        .encode(color=alt.Color("kappa:Q", scale=colours, legend=None))
    )
    words = base.mark_text(lineBreak="\n", fontSize=13, lineHeight=15, dy=-6).encode(
        text="said:N",
        color=alt.condition(
            f"isValid(datum.kappa) && datum.kappa >= {_WHITE_FROM}",
            alt.value(_PAPER),
            alt.value(_INK),
        ),
    )
    chart: alt.LayerChart = (blank + cells + words).properties(
        width=alt.Step(_SIDE), height=alt.Step(_SIDE - 14)
    )
    return chart


def _cell(row: Mapping[str, Any] | None, weights: str) -> tuple[float | None, str, str]:
    """The kappa, what stands in the cell, and what a touch tells."""
    if row is None:
        return None, _NEVER_MET, "undefined: no pair in common"
    statistic, n = row[f"kappa_{weights}"], f"n {numbers.count(row['n'])}"
    kappa, detail = statistic["value"], f"{value(statistic)}, {beside(statistic)}, {n}"
    if kappa is None:
        return None, f"{_SAID_IN_A_CELL.get(statistic['reason'], UNDEFINED)}\n{n}", detail
    return kappa, f"{kappa:.2f}\n{n}".replace("-", "\u2212"), detail


def _kappa_table(pairwise: Sequence[Mapping[str, Any]]) -> str:
    columns = [
        Column("Raters"),
        Column("quadratic kappa", numeric=True),
        Column("nominal kappa", numeric=True),
        Column("pairs", numeric=True),
    ]
    rows = [
        [
            " and ".join(row["raters"]),
            cell(row["kappa_quadratic"]),
            cell(row["kappa_nominal"]),
            numbers.count(row["n"]),
        ]
        for row in pairwise
    ]
    return f'<div class="gs-pairwise gs-both">{table(columns, rows)}</div>'
