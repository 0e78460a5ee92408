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
from ui.numbers import MISSING, count, count_of, decimal, in_words, interval
from ui.tables import Column, Html, named, table, with_note

_LEFT_OUT = {
    "not_shared": "a query only one rater graded",
    "without_relevant": "a query where one side found nothing relevant",
    "newer_than_task": "a pair graded after the release",
    "not_in_task": "a pair that is not in the task",
}
_TO_EVALUATE = ("no_kept_run", "only_stale_runs")
"""Reasons that an evaluation on the leaderboard mends."""
_MEANING = (
    "nDCG@10 by a rater's own grades alone, and by the aggregated grades of the same pairs and "
    "queries; the runs are those of the last evaluation. judged@10 is lower than on the "
    "leaderboard, for only this rater's pairs count. Intervals: 95 %, over queries."
)

_FEW_ROWS = 12
"""So many rows are seen at a glance; more are folded."""

Cost = Mapping[str, Any]


def draw_cost(workspace: Workspace) -> None:
    """How far nDCG@10 and the ranking of models move when one rater's grades alone are used."""
    tasks = evaluated_tasks(workspace)
    if not tasks:
        note(
            "No model was evaluated yet, so there is no ranking that could move.",
            "Evaluate two models or more on the leaderboard, then come back.",
        )
        _link_to_leaderboard("Leaderboard")
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
    if cost["reason"] in _TO_EVALUATE:
        _link_to_leaderboard("Evaluate on the leaderboard")
    if cost["raters"]:
        colours = colours_for(workspace, [model["model"] for model in cost["models"]])
        st.html(_raters_table(cost["raters"], colours, with_tau=_has_tau(cost)))
        if cost["reason"] is None:
            _show_scores(cost["raters"], colours)
    for line in _asides(cost):
        muted(line)


def _link_to_leaderboard(label: str) -> None:
    st.page_link("ui/pages/leaderboard.py", label=label, icon=":material/arrow_forward:")


def _show_scores(rows: Sequence[Cost], colours: Mapping[str, str]) -> None:
    few = sum(len(row["models"]) for row in rows) <= _FEW_ROWS
    with st.expander("Each model by each rater", expanded=few):
        st.html(_scores_table(rows, colours))
        muted(_MEANING)


def _has_tau(cost: Cost) -> bool:
    """Whether the rankings of any rater are compared by a number: two models are too few."""
    return any(
        row["kendall_tau"] and row["kendall_tau"]["value"] is not None for row in cost["raters"]
    )


def _raters_table(rows: Sequence[Cost], colours: Mapping[str, str], *, with_tau: bool) -> str:
    """Of each rater what is compared, and what moves."""
    columns = [
        Column("rater"),
        Column("first model"),
        Column("largest shift", numeric=True),
        *([Column("Kendall's tau", numeric=True)] if with_tau else []),
        Column("queries", numeric=True),
        Column("pairs shared", numeric=True),
        Column("graded otherwise", numeric=True),
    ]
    rows_shown = [_rater_row(row, colours, with_tau=with_tau) for row in rows]
    caption = "If the grades of one rater alone were used: nDCG@10 and the first model"
    return table(columns, rows_shown, caption=caption)


def _rater_row(row: Cost, colours: Mapping[str, str], *, with_tau: bool) -> list[str]:
    counts = [
        count(row["n_queries"]),
        with_note(count(row["n_shared"]), f"of {count(row['n_pairs'])}"),
        count(row["n_different"]),
    ]
    if row["reason"] is not None:
        why = Html(f'<div class="gs-said">{with_note(MISSING, row["why"])}</div>')
        return [row["rater"], why, MISSING, *([MISSING] if with_tau else []), *counts]
    tau = [_tau(row)] if with_tau else []
    return [row["rater"], _first(row, colours), _shift(row), *tau, *counts]


def _first(row: Cost, colours: Mapping[str, str]) -> Html:
    """Which model is first by this rater, and which by all."""
    first, by_all = row["ranking_by_rater"][0], row["ranking_by_aggregated"][0]
    same = "same winner with everybody's grades"
    said = same if first == by_all else f"with everybody's grades: {by_all}"
    return with_note(named(first, colours[first]), said)


def _shift(row: Cost) -> Html:
    """The model whose score differs most, with its sign."""
    most = max(row["models"], key=lambda model: abs(model["difference"]["value"]))
    return with_note(_signed(most["difference"]["value"]), most["model"])


def _tau(row: Cost) -> Html:
    tau = row["kendall_tau"]
    beside = f"n = {tau['n']} models" if tau["value"] is not None else in_words(tau["reason"])
    return with_note(decimal(tau["value"]), beside)


def _scores_table(rows: Sequence[Cost], colours: Mapping[str, str]) -> str:
    columns = [
        Column("rater"),
        Column("model"),
        Column("nDCG@10 by this rater", numeric=True),
        Column("with everybody's grades", numeric=True),
        Column("difference", numeric=True),
        Column("rank", numeric=True),
        Column("judged@10", numeric=True),
    ]
    return table(
        columns, [_score_row(row, model, colours) for row in rows for model in row["models"]]
    )


def _score_row(row: Cost, model: Cost, colours: Mapping[str, str]) -> list[str]:
    name = model["model"]
    rank, by_all = (
        row[ranking].index(name) + 1 for ranking in ("ranking_by_rater", "ranking_by_aggregated")
    )
    return [
        row["rater"],
        named(name, colours[name]),
        _cell(model["by_rater"]),
        _cell(model["by_aggregated"]),
        _difference(model["difference"]),
        with_note(
            str(rank), "same with everybody's" if rank == by_all else f"{by_all} with everybody's"
        ),
        _cell(model["judged_at_10"]),
    ]


def _cell(statistic: Cost) -> Html:
    beside = interval(statistic["low"], statistic["high"]) or in_words(statistic["reason"])
    return with_note(decimal(statistic["value"]), beside)


def _difference(statistic: Cost) -> Html:
    ends = [statistic["low"], statistic["high"]]
    beside = in_words(statistic["reason"]) if None in ends else " to ".join(map(_signed, ends))
    return with_note(_signed(statistic["value"]), beside)


def _signed(value: float) -> str:
    """Three decimals with a sign: +0.010, \u22120.003; 0.000 has none."""
    text = f"{value:+.3f}".replace("-", "\u2212")
    return text[1:] if text[1:] == "0.000" else text


def _asides(cost: Cost) -> list[str]:
    """What is left out, and why."""
    lines = []
    if cost["reason"] is None and not _has_tau(cost):
        lines.append("Kendall's tau of the rankings needs three models or more.")
    left_out: Counter[str] = sum((Counter(row["left_out"]) for row in cost["raters"]), Counter())
    if left_out:
        told = [
            f"{count_of(n, 'time')} {_LEFT_OUT.get(what, what)}"
            for what, n in left_out.most_common()
        ]
        lines.append(f"Not compared: {', '.join(told)}.")
    if cost["excluded"]:
        names = "; ".join(f"{name} ({reason})" for name, reason in cost["excluded"].items())
        lines.append(f"Raters who are left out are not compared: {names}.")
    if cost["stale_models"] and cost["n_models"]:
        lines.append(
            f"{count_of(cost['stale_models'], 'model')} not compared: last evaluated with another "
            "corpus or other queries. Evaluate again on the leaderboard."
        )
    return lines
