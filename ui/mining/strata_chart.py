"""How the queries of the log, its searches and the drawn queries are made up of strata."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ui.charts import OKABE_ITO
from ui.downloads import Sheet, file_name, show_chart
from ui.mining.words import stratum_name

if TYPE_CHECKING:
    import altair as alt

MOST_STRATA = len(OKABE_ITO)
"""Strata with a colour of their own; the smaller ones are drawn together."""
REST = "others"
BARS = (("queries", "queries"), ("searches", "searches"), ("sampled", "drawn"))
"""What is made up of strata, and what its bar is called."""

Part = dict[str, Any]


def show_strata_chart(strata: Sequence[Mapping[str, Any]], asked: Mapping[str, Any]) -> None:
    """Three bars of 100 %: queries, searches and drawn queries, each by stratum.

    Nothing where there is one stratum.
    """
    parts = parts_of(strata, asked.get("by", ""))
    if len({part["stratum"] for part in parts}) < 2:
        return
    show_chart(
        lambda: strata_chart(parts),
        drawn_of=tuple(tuple(part.values()) for part in parts),
        title=["Queries, searches and the drawn queries by stratum"],
        file=file_name("strata", asked.get("by", "")),
        key="strata",
        make=lambda: Sheet(list(parts[0]), [list(part.values()) for part in parts]),
    )


def parts_of(strata: Sequence[Mapping[str, Any]], by: str) -> list[Part]:
    """One part of a bar each: of, stratum, n, share (0 to 1) and its order; small strata as one."""
    kept, rest = list(strata), []
    if len(kept) > MOST_STRATA:
        largest = sorted(kept, key=lambda stratum: -stratum["searches"])[: MOST_STRATA - 1]
        kept, rest = largest, [stratum for stratum in strata if stratum not in largest]
    parts = []
    for key, title in BARS:
        total = sum(stratum[key] for stratum in strata)
        named = [(stratum_name(stratum["stratum"], by), stratum[key]) for stratum in kept]
        if rest:
            named.append((REST, sum(stratum[key] for stratum in rest)))
        parts += [
            {"of": title, "stratum": name, "n": n, "share": n / total, "order": order}
            for order, (name, n) in enumerate(named)
            if total
        ]
    return parts


def strata_chart(parts: Sequence[Part]) -> "alt.Chart":
    """The bars, one below the other."""
    import altair as alt

    names = list(dict.fromkeys(part["stratum"] for part in parts))
    level = alt.Axis(title=None, labelLimit=90, ticks=False, domain=False)
    legend = alt.Legend(orient="bottom", title=None, columns=4, symbolType="circle", offset=6)
    chart: alt.Chart = (
        alt.Chart(alt.InlineData(values=list(parts)))
        .mark_bar(height={"band": 0.72})
        .encode(
            y=alt.Y("of:N", sort=[title for _, title in BARS], axis=level),
            x=alt.X(
                "share:Q",
                stack="normalize",
                title=None,
                axis=alt.Axis(format="%", tickCount=4, labelFlush=False),
            ),
            color=alt.Color(
                "stratum:N",
                scale=alt.Scale(domain=names, range=list(OKABE_ITO[: len(names)])),
                legend=legend,
            ),
            order="order:O",
            tooltip=[
                alt.Tooltip("of:N", title="of"),
                alt.Tooltip("stratum:N"),
                alt.Tooltip("n:Q", format=","),
                alt.Tooltip("share:Q", format=".1%"),
            ],
        )
        .properties(height=170)
    )
    return chart
