"""What disagreement costs, on the Agreement page: do scores and ranking of models move with it."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from builder.crosscheck import CostView, cost_view, evaluated_tasks
from builder.crosscheck.keeping import JOB, JOB_TARGET
from builder.export.names import DRAFT
from builder.workspace import Workspace
from ui import state
from ui.frame import errors_shown, muted, note
from ui.jobs import clock, follow, start
from ui.leaderboards import colours_for
from ui.numbers import MISSING, count, decimal, in_words, interval
from ui.tables import Column, Html, named, table, with_note

_LEFT_OUT = {
    "not_shared": "queries on which nobody else graded",
    "without_relevant": "queries without a relevant document by one of the sides",
    "newer_than_task": "pairs graded after the release",
    "not_in_task": "pairs that are not in the task",
}
_MEANING = (
    "Each rater's own grades beside the aggregated grades of the same pairs, on the same queries; "
    "the models' runs are those of the last evaluation. judged@10 is lower than on the leaderboard "
    "since only pairs of this rater count. Intervals: 95 %, over queries."
)

Cost = Mapping[str, Any]


def draw_cost(workspace: Workspace) -> None:
    """How far nDCG@10 and the ranking of models move when one rater's grades alone are used."""
    tasks = evaluated_tasks(workspace)
    if not tasks:
        note(
            "No model was evaluated yet, so there is no ranking that could move.",
            "Evaluate two models or more on the leaderboard, then come back.",
        )
        st.page_link(
            "ui/pages/leaderboard.py", label="Leaderboard", icon=":material/arrow_forward:"
        )
        return
    task = tasks[0]
    if len(tasks) > 1:
        task = st.selectbox(
            "Task", tasks, format_func=_task_name, key="cost_task", bind="query-params"
        )
    with errors_shown():
        view = cost_view(workspace, task)
        if view.cost is not None:
            _show(workspace, view.cost)
        if not view.is_fresh:
            _offer(workspace, task, view)


def _task_name(task: str) -> str:
    return "draft: the grades of this moment" if task == DRAFT else task


def _offer(workspace: Workspace, task: str, view: CostView) -> None:
    """A large workspace: what is there is of earlier, and a job makes it anew."""
    if view.made_at is not None:
        muted(f"Compared {clock(workspace, view.made_at)}; grades or models have changed since.")
    person = state.require_person(workspace)
    label = "Compare the raters" if view.cost is None else "Compare again"
    if st.button(label, key="cost_compare"):
        start(workspace, person, JOB, JOB_TARGET, {"task": task})
    follow(workspace, JOB, keep=False)


def _show(workspace: Workspace, cost: Cost) -> None:
    note(cost["sentence"])
    if cost["raters"]:
        colours = colours_for(workspace, [model["model"] for model in cost["models"]])
        st.html(_raters_table(cost["raters"], colours))
        if cost["reason"] is None:
            st.html(_scores_table(cost["raters"], colours))
            muted(_MEANING)
    for line in _asides(cost):
        muted(line)


def _raters_table(rows: Sequence[Cost], colours: Mapping[str, str]) -> str:
    """Of each rater what is compared, and how the models rank."""
    columns = [
        Column("rater"),
        Column("queries", numeric=True),
        Column("pairs", numeric=True),
        Column("graded by others too", numeric=True),
        Column("grade of all differs", numeric=True),
        Column("models by these grades alone"),
        Column("Kendall's tau", numeric=True),
    ]
    return table(columns, [_rater_row(row, colours) for row in rows])


def _rater_row(row: Cost, colours: Mapping[str, str]) -> list[str]:
    counts = [count(row[name]) for name in ("n_queries", "n_pairs", "n_shared", "n_different")]
    if row["reason"] is not None:
        return [row["rater"], *counts, _wrapped(with_note(MISSING, row["why"])), MISSING]
    tau = row["kendall_tau"]
    beside = f"n = {tau['n']} models" if tau["value"] is not None else in_words(tau["reason"])
    order = [named(model, colours[model]) for model in row["ranking_by_rater"]]
    same = row["ranking_by_rater"] == row["ranking_by_aggregated"]
    ranked = Html(", ".join(order))
    said = "as by all" if same else f"by all: {', '.join(row['ranking_by_aggregated'])}"
    return [
        row["rater"],
        *counts,
        _wrapped(with_note(ranked, said)),
        with_note(decimal(tau["value"]), beside),
    ]


def _wrapped(cell: Html) -> Html:
    """A cell whose text may wrap."""
    return Html(f'<div class="gs-said">{cell}</div>')


def _scores_table(rows: Sequence[Cost], colours: Mapping[str, str]) -> str:
    columns = [
        Column("rater"),
        Column("model"),
        Column("nDCG@10 by this rater", numeric=True),
        Column("by all", numeric=True),
        Column("difference", numeric=True),
        Column("judged@10", numeric=True),
    ]
    cells = [
        [
            row["rater"],
            named(model["model"], colours[model["model"]]),
            _cell(model["by_rater"]),
            _cell(model["by_aggregated"]),
            _cell(model["difference"], signed=True),
            _cell(model["judged_at_10"]),
        ]
        for row in rows
        for model in row["models"]
    ]
    return table(columns, cells)


def _cell(statistic: Cost, *, signed: bool = False) -> Html:
    value = decimal(statistic["value"])
    if signed and statistic["value"] is not None:
        value = f"{statistic['value']:+.3f}".replace("-", "\u2212")
    beside = interval(statistic["low"], statistic["high"]) or in_words(statistic["reason"])
    if signed and statistic["low"] is not None:
        low, high = (f"{statistic[end]:+.3f}" for end in ("low", "high"))
        beside = f"{low} to {high}".replace("-", "\u2212")
    return with_note(value, beside)


def _asides(cost: Cost) -> list[str]:
    """What is left out, and why."""
    lines = []
    left_out: Counter[str] = sum((Counter(row["left_out"]) for row in cost["raters"]), Counter())
    if left_out:
        told = [f"{count(n)} {_LEFT_OUT.get(what, what)}" for what, n in left_out.items()]
        lines.append(f"Left out, each rater's counted: {'; '.join(told)}.")
    if cost["excluded"]:
        names = "; ".join(f"{name} ({reason})" for name, reason in cost["excluded"].items())
        lines.append(f"Excluded raters are not compared: {names}.")
    if cost["stale_models"] and cost["n_models"]:
        lines.append(
            f"{count(cost['stale_models'])} evaluated before the corpus or the queries of this "
            "task changed are left out; evaluate on it again."
        )
    return lines
