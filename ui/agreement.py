"""How far the raters agree, on screen: what the number allows, the number, and what it is of."""

from collections.abc import Mapping
from typing import Any

import streamlit as st

from builder.people import Person, has_role
from builder.store.adjudications import decided_pairs
from builder.workspace import Workspace
from ui.frame import muted, note
from ui.navigation import ROWS
from ui.numbers import count, count_of
from ui.tables import Tile, tiles
from ui.text import inline
from ui.trust import Report, beside, value

_WAYS = {
    "no_human_grades": ("grade", "Grade pairs"),
    "all_raters_left_out": ("raters", "Take a rater back"),
    "one_rater": ("people", "Add a second rater"),
    "no_pair_graded_by_two": ("grade", "Grade what others graded"),
    "all_grades_equal": ("pool", "Pool other pairs"),
    "too_few": ("grade", "Grade more pairs"),
    "no_evidence": ("raters", "See who copied whom"),
    "poor": ("guidelines", "Make the guidelines clearer"),
    "fair": ("guidelines", "Make the guidelines clearer"),
    "good": ("release", "Make a release"),
    "excellent": ("release", "Make a release"),
}
"""Reason or level of the verdict -> the page on which to go on, and what to do there."""

_TILES = {
    "alpha_ordinal": "alpha, ordinal",
    "alpha_nominal": "alpha, nominal",
    "alpha_interval": "alpha, interval",
    "percent_agreement": "same grade",
    "ac1": "AC1",
    "ac2": "AC2",
}
_KINDS = {
    "import": "imported",
    "synthetic": "from generated queries",
    "llm": "by a language model",
}
_MEANINGS = (
    ("shared pair", "A query and a document that two raters or more graded. Only these tell of "
     "agreement."),
    ("n", "How many pairs, comparisons or models a number is of: the more, the surer."),
    ("alpha", "Krippendorff's alpha: 1 is full agreement, 0 is what chance would give, below 0 is "
     "worse than chance. Ordinal, the headline, takes 0 against 3 for worse than 2 against 3; "
     "nominal takes every difference as the same; interval takes grades as equal steps."),
    ("kappa", "Cohen's kappa: as alpha, but of two raters. Quadratic takes a difference of two "
     "grades for four times as bad as one of one; nominal takes every difference as the same. Two "
     "who only guess come to 0."),
    ("same grade", "How often two raters of a pair gave it the same grade. Chance is not taken "
     "off, so it is high where nearly all grades are the same."),
    ("with the majority", "On the page Raters: how often a rater's grade is the one that most of "
     "the others gave. Pairs on which these are divided are left out."),
    ("AC1, AC2", "Gwet's AC1 takes every difference as the same, AC2 has quadratic weights. Both "
     "are high by construction where one grade prevails, so they are never shown without alpha."),
    ("Kendall's tau", "How alike two rankings of models are: 1 is the same order, 0 is no "
     "relation, -1 is the order upside down."),
    ("differ by .05", "Which difference in nDCG@10 the grades can tell. In simulations with 50 "
     "queries, grades at an alpha of .8, .6 and .4 named the better of two models in 95 of 100 "
     "cases from differences of .04, .05 and .06 on (at .4 it says .10, for such raters seldom "
     "err independently). What counts is the lower end of alpha's interval."),
    ("interval", "95 %, by drawing whole queries anew: pairs of one query resemble each other."),
)  # fmt: skip


def show_verdict(workspace: Workspace, person: Person, report: Report) -> None:
    """What the number allows, in a sentence, what to do next, and the ways there."""
    verdict = report["agreement"]["verdict"]
    odd = [row["rater"] for row in report["agreement"]["raters"] if row["flags"]]
    stands_out = f"<p>Raters who stand out: {', '.join(map(inline, odd))}.</p>" if odd else ""
    st.html(
        f'<div class="gs-verdict gs-is-{verdict["level"]}" role="status">'
        f"<p>{inline(verdict['sentence'])}</p><p>{inline(verdict['next'])}</p>{stands_out}</div>"
    )
    ways = [("raters", "See why raters stand out")] if odd else []
    if n := _count_undecided(workspace, report):
        ways.append(("adjudicate", f"Decide the disputed pairs ({count(n)})"))
    reason = report["agreement"]["alpha_ordinal"]["reason"]
    if way := _WAYS.get(reason) or _WAYS.get(verdict["level"]):
        ways.append(way)
    _show_ways(person, dict(ways))


def _show_ways(person: Person, ways: Mapping[str, str]) -> None:
    """Links to pages, those alone that the person may open."""
    open_to = {row.file for row in ROWS if has_role(person, row.role)}
    with st.container(horizontal=True, key="verdict_ways"):
        for page, label in ways.items():
            if page in open_to:
                path = f"ui/pages/{page}.py"
                st.page_link(path, label=label, icon=":material/arrow_forward:")


def _count_undecided(workspace: Workspace, report: Report) -> int:
    with workspace.store.read() as connection:
        return len(set(report["disputed"]) - decided_pairs(connection))


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
    if without := agreement["alpha_ordinal_without_copies"]:
        figures[0] = _without_copies(without, agreement["alpha_ordinal"])
    st.html(f'<div class="gs-headline">{tiles(figures)}</div>')
    muted(
        "AC1 and AC2 are high by construction where one grade prevails: they are never to be "
        "quoted without alpha."
    )


def _without_copies(without: Mapping[str, Any], whole: Mapping[str, Any]) -> Tile:
    """The number of the headline, which counts copies once, and beside it that of all grades."""
    name = f"{_TILES['alpha_ordinal']}, copies counted once"
    return Tile(name, value(without), f"{beside(without, 'pairs')}; {value(whole)} with copies")


def _show_meanings() -> None:
    with st.expander("What these numbers mean"):
        meanings = (f"<dt>{inline(name)}</dt><dd>{inline(what)}</dd>" for name, what in _MEANINGS)
        st.html(f'<dl class="gs-meanings">{"".join(meanings)}</dl>')


def show_what_counts(report: Report) -> None:
    """Of which grades the numbers are, and which are left out."""
    agreement = report["agreement"]
    if agreement["n_grades"]:
        muted(_counts(agreement))
    if others := _others(agreement["others"]):
        muted(f"Not counted here, for no person gave them: {others}.")
    if n := agreement["n_retired"]:
        muted(f"Not counted, as in releases: {count_of(n, 'grade')} of retired queries.")
    for excluded in agreement["excluded"]:
        note(
            f"{excluded['rater']} is left out: {count_of(excluded['n'], 'grade')}.",
            f"Reason: {excluded['reason']}",
        )


def show_copies(report: Report) -> None:
    """Whose grades look copied from each other, and what to do about it."""
    agreement = report["agreement"]
    if not agreement["copies"]:
        return
    note(
        "Some raters' grades are copies of each other's: they are no evidence of agreement. "
        "Ordinal alpha counts them once; the other figures and the release count them twice.",
        "; ".join(map(_copied, agreement["copies"])),
        "Ask these raters. Leave out who copied on the page Raters; the pairs are then open for "
        "somebody else to grade.",
        kind="warning",
    )


def _copied(copies: Mapping[str, Any]) -> str:
    one, other = copies["raters"]
    later = f", {copies['later']} later" if copies["later"] else ""
    return f"{one} and {other}: {count_of(copies['n'], 'shared pair')}{later}"


def _counts(agreement: Mapping[str, Any]) -> str:
    grades, judged = agreement["n_grades"], agreement["n_judged"]
    return (
        f"{count_of(grades, 'grade')} of {count_of(judged, 'pair')} by "
        f"{count_of(agreement['n_raters'], 'rater')}. {count_of(agreement['n_pairs'], 'pair')} had "
        "two raters or more; only these tell of agreement."
    )


def _tile(name: str, statistic: Mapping[str, Any]) -> Tile:
    share = name == "percent_agreement"
    note_beside = beside(statistic, "pairs", share=share)
    return Tile(_TILES[name], value(statistic, share=share), note_beside)


def _others(others: Mapping[str, int]) -> str:
    told = [f"{count(n)} {_KINDS.get(kind, kind)}" for kind, n in others.items() if n]
    return ", ".join(told)
