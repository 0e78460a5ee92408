"""What the log tells of queries and documents: figures, what is not known, and clicks by rank."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import streamlit as st

from builder.mining.choices import choice_as_json
from builder.mining.deciding import JOB, JOB_TARGET, flagged_in_words, flagged_of
from builder.people import Person
from builder.workspace import Workspace
from online.engines import Choice
from online.evidence import Evidence, EvidenceSummary, RankCtr, find_evidence, is_evidence_kept
from ui.charts import OKABE_ITO
from ui.dashboards.counting import Log
from ui.dashboards.figures import file_parts
from ui.downloads import Sheet, file_name, show_chart
from ui.frame import in_callback, muted, note
from ui.imports import offer_import
from ui.jobs import follow, start
from ui.mining.drawing import AT_ONCE
from ui.numbers import count, count_of, percent
from ui.tables import Tile, tiles

if TYPE_CHECKING:
    import altair as alt

LAST_RANK = 20
"""Deeper ranks are in the file, not in the chart."""


def evidence_of(workspace: Workspace, person: Person, log: Log, choice: Choice) -> Evidence | None:
    """What clicks tell of the searches that are meant; counted once for a state of the lake.

    Not kept in the process: where it is on disk, finding it takes milliseconds, and its file goes
    when events come in. Of a large log it is counted by a job; None while it is not there yet.
    """
    is_kept = is_evidence_kept(workspace.lake, workspace.cache_folder, choice)
    if log.searches > AT_ONCE and not is_kept:
        asked = {"choice": choice_as_json(choice)}
        offer_counting(workspace, person, "Count clicks", JOB, JOB_TARGET, asked)
        return None
    place = st.empty()

    def tell(_: str, done: int, total: int | None) -> None:
        # Whoever leaves the page meanwhile ends the counting here.
        place.progress(min(1.0, done / total) if total else 0.0)

    with st.spinner("Counting impressions and clicks \u2026"):
        found = find_evidence(workspace.lake, workspace.cache_folder, choice, tell)
    place.empty()
    return found


def offer_counting(
    workspace: Workspace,
    person: Person,
    title: str,
    job: str,
    target: str,
    parameters: dict[str, Any],
) -> None:
    """The button that starts a job which counts the clicks of a large log, and how far it is."""
    note("The log is large: counting its clicks takes a moment.")
    st.button(
        title,
        type="primary",
        key="count_clicks",
        on_click=in_callback(start),
        args=(workspace, person, job, target, parameters),
    )
    follow(workspace, job, keep=False)


def show_why_no_evidence(summary: EvidenceSummary) -> bool:
    """Say why clicks tell nothing of documents, and what would help; whether that is so."""
    if summary.impressions:
        return False
    if not summary.searches:
        note("No search is like this.", "Take more days, or leave out a filter above.")
        return True
    note(
        "The log does not tell which documents were shown, so clicks cannot be weighed.",
        f"{count(summary.searches_without_results)} of {count(summary.searches)} searches have "
        "neither a list of results nor ranks of impressions. A log with retrieved_doc_ids, or "
        "UBI with impressions, has them.",
    )
    offer_import("events")
    return True


def show_evidence_figures(summary: EvidenceSummary, labelled: int) -> None:
    """How much is known, and what the log leaves open.

    Args:
        summary: Of all pairs.
        labelled: How many of them have a weak grade.
    """
    share = labelled / summary.pairs if summary.pairs else None
    figures = [
        Tile(
            "pairs shown or clicked", count(summary.pairs), f"of {count(summary.queries)} queries"
        ),
        Tile("impressions", count(summary.impressions), f"in {count(summary.searches)} searches"),
        Tile("clicks", count(summary.clicks), "searches in which a pair was clicked"),
        Tile("pairs with a weak grade", count(labelled), f"{percent(share)} of the pairs"),
    ]
    st.html(tiles(figures))
    if said := flagged_in_words(flagged_of(summary)):
        muted(said)
    if summary.more_clicks_than_impressions:
        note(*too_many_clicks(summary), kind="warning")
    if lines := list(left_open(summary)):
        muted(" ".join(lines))


def too_many_clicks(summary: EvidenceSummary) -> list[str]:
    """How many pairs have more clicks than impressions, and what became of them."""
    n, unsound = summary.more_clicks_than_impressions, summary.not_capped
    said = [f"{count_of(n, 'pair')} {'has' if n == 1 else 'have'} more clicks than impressions."]
    if n > unsound:
        said.append(
            f"Clicks that repeat in one search count once, which settles {count(n - unsound)} of "
            f"{'it' if n == 1 else 'them'}."
        )
    if unsound:
        said.append(
            f"Of {count_of(unsound, 'pair')} the log lacks impressions: no estimate, no weak "
            "grade. Look at how impressions are logged before you trust the others."
        )
    return said


def left_open(summary: EvidenceSummary) -> Iterator[str]:
    """What the log does not tell, in sentences."""
    told = (
        (summary.searches_without_results, "search does", "searches do", "not tell what was shown"),
        (summary.off_list_clicks, "click is", "clicks are", "on a document that was not shown"),
        (summary.clicks_without_document, "click does", "clicks do", "not name a document"),
        (summary.unjoined_clicks, "click belongs", "clicks belong", "to no known search"),
        (
            summary.unjoined_impressions,
            "impression belongs",
            "impressions belong",
            "to no known search",
        ),
        (summary.clicks_without_rank, "click has", "clicks have", "no rank"),
        (summary.impressions_without_rank, "impression has", "impressions have", "no rank"),
        (
            summary.unknown_slots,
            "place of a list does",
            "places of lists do",
            "not name a document",
        ),
    )
    for n, one, several, what in told:
        if n:
            yield f"{count(n)} {one if n == 1 else several} {what}."


def show_rank_ctr(summary: EvidenceSummary, choice: Choice) -> None:
    """How often each rank is clicked: what COEC compares a document with."""
    ranks = summary.rank_ctr[:LAST_RANK]
    if not ranks:
        return
    show_chart(
        lambda: rank_ctr_chart(ranks),
        drawn_of=tuple(ranks),
        title=["CTR by rank"],
        file=file_name("rank-ctr", *file_parts(choice)),
        key="rank_ctr",
        make=lambda: sheet_of_ranks(summary.rank_ctr),
    )
    muted(
        "Bars: how often the document at each rank is clicked, whatever it is. Marks: what COEC "
        "expects there, smoothed where there is little. A document is good if it is clicked more "
        "often than the ranks where it stood."
    )


def sheet_of_ranks(ranks: list[RankCtr]) -> Sheet:
    """All ranks, a row each."""
    rows = [
        [row.rank, row.impressions, row.clicks, row.clicks / row.impressions, row.expected]
        if row.impressions
        else [row.rank, 0, row.clicks, None, row.expected]
        for row in ranks
    ]
    return Sheet(["rank", "impressions", "clicks", "ctr", "expected"], rows)


def rank_ctr_chart(ranks: list[RankCtr]) -> "alt.LayerChart":
    """A bar a rank for its CTR, and a mark for what COEC expects there."""
    import altair as alt

    values = [
        {
            "rank": row.rank,
            "impressions": row.impressions,
            "clicks": row.clicks,
            "ctr": row.clicks / row.impressions if row.impressions else None,
            "expected": row.expected,
        }
        for row in ranks
    ]
    tooltip = [
        alt.Tooltip("rank:O"),
        alt.Tooltip("ctr:Q", title="CTR", format=".1%"),
        alt.Tooltip("expected:Q", format=".1%"),
        alt.Tooltip("clicks:Q", format=","),
        alt.Tooltip("impressions:Q", format=","),
    ]
    base = alt.Chart(alt.InlineData(values=values)).encode(
        x=alt.X("rank:O", title="rank", axis=alt.Axis(labelAngle=0, titlePadding=4)),
        tooltip=tooltip,
    )
    shares = alt.Axis(format="%", tickCount=4, labelFlush=False)
    bars = base.mark_bar(color=OKABE_ITO[0]).encode(y=alt.Y("ctr:Q", title="CTR", axis=shares))
    marks = base.mark_tick(color=OKABE_ITO[1], thickness=3).encode(y="expected:Q")
    chart: alt.LayerChart = (bars + marks).properties(height=220)
    return chart
