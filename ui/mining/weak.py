"""How a weak grade is made, loudly told from a judgment."""

from collections.abc import Sequence
from pathlib import Path

import streamlit as st

from builder.settings import WeakGradeRule
from builder.workspace import SETTINGS_FILE, Workspace
from ui.frame import note
from ui.numbers import count, percent
from ui.tables import Column, table
from ui.text import inline

_MEASURES = {
    "coec": "COEC, clicks over expected clicks",
    "sdbn": "SDBN, the chance of a click where somebody looks",
}


def warn_of_weak_grades() -> None:
    """That weak grades are no judgments."""
    note(
        "Weak grades are no judgments. Nobody read these documents.",
        "They say where clicks point, choose pairs for the pool, and are set against the experts. "
        "They never enter a release by themselves.",
        kind="warning",
    )


def show_rule(workspace: Workspace) -> None:
    """Measure, thresholds and least evidence, and where they are changed; folded."""
    rule = workspace.settings.weak_grades
    with st.expander("How a weak grade is made"):
        st.html(rule_html(rule, workspace.settings.grades.names))
        st.html(f'<p class="gs-muted">{_where(workspace.root)}</p>')
    st.page_link(
        "ui/pages/clicks_experts.py",
        label="Compare weak grades with the experts",
        icon=":material/arrow_forward:",
    )


def rule_html(rule: WeakGradeRule, names: Sequence[str]) -> str:
    """Safe HTML: the thresholds as a table, and which pairs get none."""
    columns = [Column("weak grade"), Column(_MEASURES[rule.measure])]
    low, middle, high = (f"{bound:g}" for bound in rule.bounds)
    spans = (f"below {low}", f"{low} to {middle}", f"{middle} to {high}", f"{high} and more")
    rows = [[f"{grade} {names[grade]}", span] for grade, span in enumerate(spans)]
    sure = (
        f" and of which the grade is at least {percent(rule.min_confidence)} sure"
        if rule.min_confidence
        else ""
    )
    expected = expected_in_words(rule.measure, rule.least_expected_clicks)
    clicks = f", {expected}" if expected else ""
    least = (
        f"Only pairs with at least {count(rule.min_impressions)} impressions in "
        f"{count(rule.min_sessions)} sessions{clicks}{sure} get one."
    )
    return (
        f'<div class="gs-rule">{table(columns, rows)}</div><p class="gs-muted">{inline(least)}</p>'
    )


def expected_in_words(measure: str, least: float) -> str:
    """How many expected clicks a weak grade by this measure takes; "" where none are asked for."""
    if measure != "coec" or not least:
        return ""
    return f"{least:g} expected click{'' if least == 1 else 's'}"


def _where(root: Path) -> str:
    """Safe HTML: where thresholds are changed."""
    return (
        f"Whoever runs this workspace can change measure, thresholds and minima: in its file "
        f"{inline(SETTINGS_FILE)} in the folder {inline(root.name)}, in the table [weak_grades]. "
        "The page follows at once."
    )
