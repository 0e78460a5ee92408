"""The table of pairs: what clicks tell of each, sorted and searched as the address says."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import streamlit as st

from builder.mining.weak_grades import NO_GRADE, REASONS, Graded, grade_pairs
from builder.store.documents import documents_by_ids
from builder.workspace import Workspace
from estimates import Estimate
from online.engines import Choice
from online.evidence import Evidence, Order, PairEvidence
from ui.dashboards.figures import file_parts
from ui.dashboards.filters import note_unoffered
from ui.downloads import Sheet, file_name, titled_csv
from ui.frame import muted, note
from ui.numbers import (
    MISSING,
    count,
    count_of,
    in_words,
    percent,
    percent_interval,
)
from ui.tables import Column, Html, shortened, table, with_note

AT_ONCE = 25
MOST = 1000
"""Pairs that a file holds."""
ORDERS: Mapping[Order, str] = {
    "clicks": "most clicks",
    "impressions": "most impressions",
    "coec": "highest COEC",
    "sdbn": "highest SDBN",
    "ctr": "highest CTR",
    "skipped": "skipped most",
    "query": "query, from A on",
}
"""Order -> what the menu calls it."""
_SHOWN = "pairs_shown"


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which pairs are asked for.

    Attributes:
        text: Only queries that hold it; "" all.
        order: What comes first.
        min_impressions: Only pairs with so many.
        min_sessions: Likewise.
    """

    text: str
    order: Order
    min_impressions: int
    min_sessions: int

    def first(self, evidence: Evidence, n: int) -> list[PairEvidence]:
        """The first of these pairs."""
        return evidence.first(
            self.order,
            n,
            text=self.text or None,
            min_impressions=self.min_impressions,
            min_sessions=self.min_sessions,
        )


def show_pairs(workspace: Workspace, evidence: Evidence, choice: Choice) -> None:
    """The filters and the first pairs that fit, a page more at each press."""
    place = st.container(key="pairs")
    wanted = _ask_which()
    n = st.session_state.get(_SHOWN, AT_ONCE)
    # One more than is shown tells whether there are more.
    found = wanted.first(evidence, n + 1)
    with place:
        file = file_name("clicks", wanted.order, *file_parts(choice))
        titled_csv("Queries and documents", partial(_sheet, workspace, evidence, wanted), file,
                   key="pairs")  # fmt: skip
    if not found:
        _say_none(evidence, wanted)
        return
    rule, priors = workspace.settings.weak_grades, evidence.summary.priors
    shown = found[:n]
    st.html(pairs_html(shown, titles_of(workspace, shown), grade_pairs(shown, rule, priors)))
    _show_more(evidence, wanted, len(shown), more=len(found) > n)


def pairs_html(pairs: Sequence[PairEvidence], titles: Mapping[str, str], weak: Graded) -> str:
    """Safe HTML of the table.

    Args:
        pairs: What clicks tell.
        titles: doc_id -> title, of the documents that the corpus holds.
        weak: The weak grades of the pairs, in their order.
    """
    columns = [
        Column("query and document"),
        Column("impressions", numeric=True),
        Column("clicks", numeric=True),
        Column("CTR", numeric=True),
        Column("COEC", numeric=True),
        Column("SDBN", numeric=True),
        Column("weak grade", numeric=True),
    ]
    cells = zip(pairs, weak_cells(weak), strict=True)
    rows = [_row(pair, titles, cell) for pair, cell in cells]
    return f'<div class="gs-blocks gs-clicked">{table(columns, rows)}</div>'


def weak_cells(weak: Graded) -> list[Html]:
    """Each weak grade above its confidence, or why there is none."""
    told = zip(weak.grade.tolist(), weak.confidence.tolist(), weak.reason.tolist(), strict=True)
    return [
        with_note(MISSING, in_words(REASONS[reason]))
        if grade == NO_GRADE
        else Html(f'<span class="gs-weak">{with_note(str(grade), sure_in_words(sure))}</span>')
        for grade, sure, reason in told
    ]


def sure_in_words(confidence: float) -> str:
    """The confidence of a weak grade; nothing that clicks tell is 100 % sure."""
    return f"{min(99, round(100 * confidence))}\u00a0% sure"


def titles_of(workspace: Workspace, pairs: Sequence[PairEvidence]) -> dict[str, str]:
    """doc_id -> title, of the documents that the corpus holds; its doc_id where it has none."""
    asked = list(dict.fromkeys(pair.doc_id for pair in pairs))
    with workspace.store.read() as connection:
        found = documents_by_ids(connection, asked)
    return {doc_id: document.title or doc_id for doc_id, document in found.items()}


def estimate_cell(estimate: Estimate, *, share: bool = False) -> Html:
    """A value above its interval, or a dash above the reason."""
    value = percent(estimate.value) if share else two_decimals(estimate.value)
    span = (percent_interval if share else ratio_interval)(estimate.low, estimate.high)
    return with_note(value, span or in_words(estimate.reason))


def two_decimals(value: float | None) -> str:
    """A ratio as precise as clicks can tell it."""
    return MISSING if value is None else f"{value:,.2f}"


def ratio_interval(low: float | None, high: float | None) -> str:
    """The interval of a ratio, two decimals; "" where there is none."""
    if low is None or high is None:
        return ""
    return f"{low:,.2f}\u2013{high:,.2f}"


def _row(pair: PairEvidence, titles: Mapping[str, str], weak: Html) -> list[str]:
    title = titles.get(pair.doc_id)
    document = f"{pair.doc_id} (not in the corpus)" if title is None else title
    return [
        with_note(shortened(pair.query or "(empty)"), shortened(document)),
        with_note(count(pair.impressions), count_of(pair.sessions, "session")),
        with_note(count(pair.clicks), f"skipped {count(pair.skipped)}" if pair.skipped else ""),
        estimate_cell(pair.ctr, share=True),
        estimate_cell(pair.coec),
        estimate_cell(pair.sdbn),
        weak,
    ]


def _ask_which() -> Wanted:
    note_unoffered("order", ORDERS.values())
    with st.container(horizontal=True, key="pair_filters", vertical_alignment="bottom"):
        text = st.text_input(
            "Query", key="query", placeholder="Any", bind="query-params", on_change=_from_first
        )
        order = st.selectbox(
            "First",
            list(ORDERS),
            format_func=ORDERS.__getitem__,
            key="order",
            bind="query-params",
            on_change=_from_first,
        )
        impressions = _ask_least("Impressions, at least", "min_impressions")
        sessions = _ask_least("Sessions, at least", "least_sessions")
    return Wanted(text.strip(), order, impressions, sessions)


def _ask_least(title: str, key: str) -> int:
    return st.number_input(
        title, 0, 1_000_000_000, 0, key=key, bind="query-params",
        on_change=_from_first,
    )  # fmt: skip


def _say_none(evidence: Evidence, wanted: Wanted) -> None:
    known = count_of(evidence.summary.pairs, "pair")
    if wanted.text:
        note("No such query has a pair like this.", "Type another word, or ask for less evidence.")
    else:
        note(f"None of {known} has so much evidence.", "Ask for fewer impressions or sessions.")


def _show_more(evidence: Evidence, wanted: Wanted, shown: int, *, more: bool) -> None:
    if more:
        st.button(f"Show {AT_ONCE} more", key="more_pairs", on_click=_more)
    if wanted.text:
        muted(f"{count_of(shown, 'pair')} shown. The file holds up to {count(MOST)}.")
        return
    n = evidence.count(wanted.min_impressions, wanted.min_sessions)
    muted(f"{count(shown)} of {count_of(n, 'pair')}. The file holds up to {count(MOST)}.")


def _sheet(workspace: Workspace, evidence: Evidence, wanted: Wanted) -> Sheet:
    """The first pairs that fit, in full precision."""
    pairs = wanted.first(evidence, MOST)
    weak = grade_pairs(pairs, workspace.settings.weak_grades, evidence.summary.priors)
    return sheet_of_pairs(pairs, titles_of(workspace, pairs), weak)


def sheet_of_pairs(pairs: Sequence[PairEvidence], titles: Mapping[str, str], weak: Graded) -> Sheet:
    """A row a pair, each estimate with low and high beside it."""
    counts = ("impressions", "clicks", "sessions", "clicked_sessions", "expected_clicks",
              "skipped", "mean_rank")  # fmt: skip
    columns = ["query", "doc_id", "title", *counts]
    columns += [f"{name}{end}" for name in _ESTIMATES for end in ("", "_low", "_high")]
    told = zip(pairs, weak.grade.tolist(), weak.confidence.tolist(), strict=True)
    rows = [
        [
            pair.query,
            pair.doc_id,
            titles.get(pair.doc_id),
            *(getattr(pair, name) for name in counts),
            *_estimates(pair),
            *((None, None) if grade == NO_GRADE else (grade, sure)),
        ]
        for pair, grade, sure in told
    ]
    return Sheet([*columns, "weak_grade", "weak_grade_confidence"], rows)


_ESTIMATES = ("ctr", "coec", "sdbn")


def _estimates(pair: PairEvidence) -> list[float | None]:
    return [
        part
        for name in _ESTIMATES
        for estimate in [getattr(pair, name)]
        for part in (estimate.value, estimate.low, estimate.high)
    ]


def _more() -> None:
    st.session_state[_SHOWN] = st.session_state.get(_SHOWN, AT_ONCE) + AT_ONCE


def _from_first() -> None:
    st.session_state.pop(_SHOWN, None)
