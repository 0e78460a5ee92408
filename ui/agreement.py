"""How far the raters agree, on screen: what the number allows, the number, and what it is of."""

from collections.abc import Mapping
from typing import Any

import streamlit as st

from ui import numbers
from ui.frame import muted, note
from ui.tables import Tile, tiles
from ui.text import inline
from ui.trust import Report, beside, value

_WAYS = {
    "no_human_grades": ("grade", "Grade pairs"),
    "one_rater": ("people", "Add a second rater"),
    "no_pair_graded_by_two": ("grade", "Grade what others graded"),
    "too_few": ("grade", "Grade more pairs"),
    "no_evidence": ("raters", "See who copied whom"),
    "poor": ("guidelines", "Make the guidelines clearer"),
    "fair": ("adjudicate", "Decide the disputed pairs"),
    "good": ("release", "Make a release"),
    "excellent": ("release", "Make a release"),
}
"""Reason or level of the verdict -> the page on which to go on, and what to do there."""

_TILES = {
    "alpha_ordinal": "alpha, ordinal",
    "alpha_nominal": "alpha, nominal",
    "alpha_interval": "alpha, interval",
    "percent_agreement": "same grade",
    "ac2": "AC2",
}
_KINDS = {
    "import": "imported",
    "synthetic": "from generated queries",
    "llm": "by a language model",
}
_MEANINGS = (
    ("alpha", "Krippendorff's alpha: 1 is full agreement, 0 is what chance would give, below 0 is "
     "worse than chance. Ordinal, the headline, takes 0 against 3 for worse than 2 against 3; "
     "nominal takes every difference as the same; interval takes grades as equal steps."),
    ("same grade", "How often two raters of a pair gave it the same grade. Chance is not taken "
     "off, so it is high where nearly all grades are the same."),
    ("AC2", "Gwet's AC2 with quadratic weights. It is high by construction where one grade "
     "prevails, so it is never shown without alpha."),
    ("interval", "95 %, by drawing whole queries anew: pairs of one query resemble each other."),
)  # fmt: skip


def show_verdict(report: Report) -> None:
    """What the number allows, in a sentence, what to do next, and the way there."""
    agreement = report["agreement"]
    verdict = agreement["verdict"]
    st.html(
        f'<div class="gs-verdict gs-is-{verdict["level"]}" role="status">'
        f"<p>{inline(verdict['sentence'])}</p><p>{inline(verdict['next'])}</p></div>"
    )
    reason = agreement["alpha_ordinal"]["reason"]
    way = _WAYS.get(reason) or _WAYS.get(verdict["level"])
    if way:
        page, label = way
        st.page_link(f"ui/pages/{page}.py", label=label, icon=":material/arrow_forward:")


def is_defined(report: Report) -> bool:
    """Whether any two raters graded a pair in common."""
    return bool(report["agreement"]["n_pairs"])


def show_numbers(report: Report) -> None:
    """The statistics, what they are of, and what is left out."""
    if is_defined(report):
        show_figures(report)
    show_what_counts(report)
    show_copies(report)
    if is_defined(report):
        _show_meanings()


def show_figures(report: Report) -> None:
    """Ordinal alpha, and beside it what else is reported, each with its interval and n."""
    agreement = report["agreement"]
    figures = [_tile(name, agreement[name]) for name in _TILES]
    st.html(f'<div class="gs-headline">{tiles(figures)}</div>')
    muted(
        "AC2 is high by construction where one grade prevails: it is never to be quoted without "
        "alpha."
    )


def _show_meanings() -> None:
    with st.expander("What these numbers mean"):
        meanings = (f"<dt>{inline(name)}</dt><dd>{inline(what)}</dd>" for name, what in _MEANINGS)
        st.html(f'<dl class="gs-meanings">{"".join(meanings)}</dl>')


def show_what_counts(report: Report) -> None:
    """Of which grades the numbers are, and which are left out."""
    agreement = report["agreement"]
    muted(
        f"{count_of(agreement['n_grades'], 'grade')} of {count_of(agreement['n_judged'], 'pair')} "
        f"by {count_of(agreement['n_raters'], 'rater')}. "
        f"{count_of(agreement['n_pairs'], 'pair')} had two raters or more; only these tell of "
        "agreement."
    )
    if others := _others(agreement["others"]):
        muted(f"Not counted here, for no person gave them: {others}.")
    for excluded in agreement["excluded"]:
        note(
            f"{excluded['rater']} is left out: {count_of(excluded['n'], 'grade')}.",
            f"Reason: {excluded['reason']}",
        )


def show_copies(report: Report) -> None:
    """Whose grades look copied from each other, and what alpha is without them."""
    agreement = report["agreement"]
    for copies in agreement["copies"]:
        one, other = copies["raters"]
        later = f"{copies['later']} graded later." if copies["later"] else ""
        note(
            f"The grades of {one} and {other} look copied: {count_of(copies['n'], 'shared pair')}. "
            "Copies are no evidence of agreement.",
            later,
            kind="warning",
        )
    without = agreement["alpha_ordinal_without_copies"]
    if without is not None:
        of = beside(without, "pairs")
        muted(f"Without the copies, ordinal alpha is {value(without)} ({of}).")


def _tile(name: str, statistic: Mapping[str, Any]) -> Tile:
    share = name == "percent_agreement"
    unit = "pairs" if name == "alpha_ordinal" else ""
    return Tile(_TILES[name], value(statistic, share=share), beside(statistic, unit, share=share))


def _others(others: Mapping[str, int]) -> str:
    told = [f"{numbers.count(n)} {_KINDS.get(kind, kind)}" for kind, n in others.items() if n]
    return ", ".join(told)


def count_of(n: int, what: str) -> str:
    """Such as 1 pair, or 2 pairs."""
    return f"{numbers.count(n)} {what}{'' if n == 1 else 's'}"
