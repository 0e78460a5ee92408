"""What the Leaderboard page shows: models on one task, with n and intervals."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import streamlit as st

from builder.evaluation import Contest, contests, task_names
from builder.export.names import DRAFT
from builder.export.provenance import SPLIT
from builder.store.releases import Release
from builder.workspace import Workspace
from evals.qrels import WEAK_SPLIT
from evals.results import LEADERBOARD_MEASURES, Result
from ui.by_source import show_by_source
from ui.charts import model_colours, score_chart
from ui.frame import muted, note
from ui.numbers import count, decimal, in_words, interval
from ui.tables import Column, named, table, with_note

if TYPE_CHECKING:
    import pandas as pd

    from estimates import Estimate

EVALUATION_JOB = "evaluation"
EVALUATION_TARGET = "builder.evaluation:evaluate_job"
KNOWN_MODELS = ["bm25", "minilm"]
NO_JUDGMENTS = "labels from clicks, no judgments"
"""What the split of weak labels is called."""
MEASURE_NAMES = {
    "ndcg_at_10": "nDCG@10",
    "recall_at_10": "Recall@10",
    "mrr_at_10": "MRR@10",
    "map": "MAP",
    "judged_at_10": "judged@10",
}


def boards_of(workspace: Workspace) -> dict[str, Contest]:
    """All contests under their titles, the newest first; empty where nothing was evaluated."""
    found = contests(workspace)
    if not any(contest.results for contest in found):
        return {}
    return {_title(contest): contest for contest in found}


def tasks_to_evaluate(workspace: Workspace) -> list[str]:
    """What can be evaluated: the tasks that are there, and the grades of this moment."""
    return [*task_names(workspace), DRAFT]


def colours_for(workspace: Workspace, models: Sequence[str]) -> dict[str, str]:
    """Each model's colour, the same on all pages."""
    return model_colours(workspace.cache_folder / "model_colours.json", models)


def show_board(board: Contest, colours: Mapping[str, str]) -> None:
    """The table of models and measures, and what to know about it."""
    if board.release is not None and board.newest is not None and not board.is_newest:
        note(
            f"{board.name} is an older release; the newest is {board.task}@{board.newest.number}.",
            "Scores on different releases are no contest: documents, queries or grades differ.",
        )
    if board.split == WEAK_SPLIT:
        note(
            f"{board.name}: {NO_JUDGMENTS}.",
            "Nobody graded these documents: what leads here ranks as users click.",
            kind="warning",
        )
    if board.results:
        _show_results(board.results, colours)
    _show_behind(board)


def _show_results(results: Sequence[Result], colours: Mapping[str, str]) -> None:
    first = results[0]
    columns = [Column("model"), *(Column(name, numeric=True) for name in MEASURE_NAMES.values())]
    rows = [
        [named(result.model, colours[result.model]), *map(_cell, _means(result))]
        for result in results
    ]
    st.html(f'<div class="gs-blocks gs-scores">{table(columns, rows)}</div>')
    level = first.scores.relevance_level
    muted(
        f"Means over {_queries(first.n_queries)} with 95 % intervals; "
        f"{count(first.corpus_size)} documents. Binary measures take grade {level} and better as "
        "relevant; unjudged documents count as not relevant, and judged@10 is the share of the "
        "top 10 that is judged."
    )
    for warning in dict.fromkeys(w for result in results for w in result.warnings):
        note(warning, kind="warning")


def _show_behind(board: Contest) -> None:
    """Which models are not in this contest yet, and what brings them in."""
    if not board.behind:
        if not board.results:
            note(f"No model was evaluated on {board.name} yet.", "Evaluate some below.")
        return
    names = ", ".join(
        f"{result.model} ({_where(board, release)})" for result, release in board.behind
    )
    said = f"Not in this contest, since not evaluated on {board.name} yet"
    if not board.results:
        said = f"No model was evaluated on {board.name} yet; evaluated before"
    note(f"{said}: {names}.", "Evaluate again below, or at the terminal:", *board.commands)


def show_scores(board: Contest, colours: Mapping[str, str]) -> None:
    """The chart of one measure, which is chosen above it; a contest with results."""
    measure = st.segmented_control(
        "Measure",
        list(MEASURE_NAMES),
        format_func=MEASURE_NAMES.__getitem__,
        default=board.results[0].recommended.metric,
        required=True,
        label_visibility="collapsed",
    )
    frame = _score_frame(board, measure)
    if frame.empty:
        note(f"{MEASURE_NAMES[measure]} cannot be computed for any of these models.")
        return
    st.altair_chart(
        score_chart(frame, colours, MEASURE_NAMES[measure]),
        width="stretch",
        alt=f"{MEASURE_NAMES[measure]} of each model with its 95 % interval",
    )
    show_by_source(board.results, colours, measure, MEASURE_NAMES[measure])


def _title(contest: Contest) -> str:
    """Names a contest on screen and in the address, today and tomorrow: NAME@N for a release."""
    named = NO_JUDGMENTS if contest.split == WEAK_SPLIT else contest.split
    split = "" if contest.split == SPLIT else f", {named}"
    content = "" if contest.release else f" (content {contest.content_hash[:8]})"
    return f"{contest.name}{split}{content}"


def _queries(n: int) -> str:
    """How many queries: 1 query, 95 queries."""
    return "1 query" if n == 1 else f"{count(n)} queries"


def _where(board: Contest, release: Release | None) -> str:
    return "another content" if release is None else f"{board.task}@{release.number}"


def _means(result: Result) -> "list[Estimate]":
    return [result.scores.means[measure] for measure in LEADERBOARD_MEASURES]


def _cell(mean: "Estimate") -> str:
    return with_note(decimal(mean.value), interval(mean.low, mean.high) or in_words(mean.reason))


def _score_frame(board: Contest, measure: str) -> "pd.DataFrame":
    import pandas as pd

    means = [(result.model, result.scores.means[measure]) for result in board.results]
    rows = [
        {"model": model, "value": mean.value, "low": mean.low, "high": mean.high}
        for model, mean in means
        if mean.value is not None
    ]
    return pd.DataFrame(rows, columns=["model", "value", "low", "high"])
