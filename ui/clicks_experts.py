"""Clicks against experts, on screen: how far they agree, and how that is counted."""

from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st

from builder.crosscheck import clicks_against_experts
from builder.crosscheck.clicks import JOB, JOB_TARGET
from builder.mining.deciding import deciding_choice, flagged_in_words
from builder.people import Person
from builder.store.latest import Latest, latest_changes
from builder.workspace import Workspace
from online.evidence import is_evidence_kept
from ui.confusion import confusion_table
from ui.dashboards.counting import Log, state_of
from ui.frame import muted, note
from ui.imports import offer_import
from ui.mining.clicks import offer_counting
from ui.mining.drawing import AT_ONCE
from ui.mining.weak import expected_in_words
from ui.numbers import count, count_of, in_words
from ui.tables import Tile, tiles
from ui.text import inline
from ui.trust import beside, value

Compared = Mapping[str, Any]
"""What `clicks_against_experts` found."""

_WHY_NOT = {
    "no_log": ("There are no search events yet.", "Import a log of searches and clicks."),
    "no_grades": (
        "Nobody has graded a pair yet, so there is nothing to set clicks against.",
        "Grade some pairs of queries that people search for.",
    ),
    "no_evidence": (
        "No graded pair has enough clicks for a weak grade.",
        "Draw queries from the log, pool what was clicked for them, and grade it; or ask for "
        "fewer impressions in the settings of weak grades.",
    ),
}
_NOT_COMPARED = {
    "no_evidence": "the log never showed them",
    "more_clicks_than_impressions": "more clicks than impressions",
    "too_few_impressions": "too few impressions",
    "too_few_sessions": "too few sessions",
    "too_little_confidence": "the weak grade is not sure enough",
    "never_examined": "nobody looked so far down",
    "too_few_expected_clicks": "hardly a click is expected at their ranks",
}


def compared(workspace: Workspace, person: Person, log: Log | None) -> Compared | None:
    """Clicks and experts side by side; None while the clicks of a large log are not counted yet."""
    if log is not None and log.searches > AT_ONCE and not _is_counted(workspace):
        offer_counting(workspace, person, "Compare clicks with experts", JOB, JOB_TARGET, {})
        return None
    with workspace.store.read() as connection:
        changes = latest_changes(connection)
    rule = workspace.settings.weak_grades
    asked = (str(workspace.root), state_of(workspace.lake), changes, rule.model_dump_json())
    return _compared(asked, lambda: clicks_against_experts(workspace))


@st.cache_resource(max_entries=8, show_spinner="Comparing clicks with grades \u2026")
def _compared(
    asked: tuple[str, str, Latest, str],  # noqa: ARG001 - the key
    _compare: Callable[[], dict[str, Any]],
) -> dict[str, Any]:
    """Shared by all sessions: nobody may change it."""
    return _compare()


def _is_counted(workspace: Workspace) -> bool:
    """Whether the clicks that decide are counted, of the log as it is now."""
    return is_evidence_kept(workspace.lake, workspace.cache_folder, deciding_choice(workspace))


def show_why_not(found: Compared) -> bool:
    """Say why nothing can be compared, and what to do; whether that is so."""
    reason = found["reason"]
    if reason is None:
        return False
    note(*_WHY_NOT.get(reason, (in_words(reason), "")))
    if reason == "no_log":
        offer_import("events")
    elif reason == "no_grades":
        st.page_link("ui/pages/grade.py", label="Grade pairs", icon=":material/arrow_forward:")
    else:
        _show_not_compared(found)
        st.page_link(
            "ui/pages/logs_to_queries.py",
            label="Draw queries from the log",
            icon=":material/arrow_forward:",
        )
    return True


def show_agreement(workspace: Workspace, found: Compared) -> None:
    """The sentence, the numbers with their n and intervals, and the confusion."""
    st.html(
        f'<div class="gs-verdict" role="status"><p>{inline(found["sentence"])}</p>'
        f"<p>{inline(found['next'])}</p></div>"
    )
    st.html(f'<div class="gs-headline">{tiles(figures(found))}</div>')
    _show_not_compared(found)
    names = workspace.settings.grades.names
    caption = "Pairs by expert grade (rows) and weak grade (columns); equal ones are framed."
    st.html(confusion_table(found["confusion"], names, "Experts", "clicks", caption))
    muted(rule_in_words(found["rule"]))


def figures(found: Compared) -> list[Tile]:
    """Kappa first, then how often both are equal, and how often they contradict each other."""
    kappa, equal = found["kappa_quadratic"], found["share_equal"]
    return [
        Tile("kappa, quadratic", value(kappa), beside(kappa, "pairs")),
        Tile("same grade", value(equal, share=True), beside(equal, "pairs", share=True)),
        Tile(
            "contradictions",
            count(found["n_contradictions"]),
            f"of {count_of(found['n_pairs'], 'pair')} compared",
        ),
    ]


def _show_not_compared(found: Compared) -> None:
    """How many graded pairs could not be compared, and why; and what flagged sessions did."""
    if said := flagged_in_words(found["flagged"]):
        muted(said)
    left = {reason: n for reason, n in found["not_compared"].items() if n}
    told = ", ".join(
        f"{count(n)} {_NOT_COMPARED.get(why, in_words(why))}" for why, n in left.items()
    )
    if told:
        muted(
            f"{count(found['n_pairs'])} of {count_of(found['n_graded'], 'graded pair')} could be "
            f"compared. The others: {told}."
        )


def rule_in_words(rule: Mapping[str, Any]) -> str:
    """By which thresholds weak grades are made, in a line."""
    bounds = ", ".join(f"{bound:g}" for bound in rule["thresholds"])
    impressions, sessions = count(rule["min_impressions"]), count(rule["min_sessions"])
    expected = expected_in_words(rule["measure"], rule["least_expected_clicks"])
    clicks = f" and {expected}" if expected else ""
    return (
        f"Weak grades by {rule['measure'].upper()} with thresholds {bounds}, of pairs with at "
        f"least {impressions} impressions in {sessions} sessions{clicks}."
    )
