"""What the Leaderboard page shows: models on one task, with n and intervals."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import streamlit as st

from builder.evaluation import task_names
from builder.export.names import DRAFT
from builder.workspace import Workspace
from evals.results import LEADERBOARD_MEASURES, Result, read_results
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
MEASURE_NAMES = {
    "ndcg_at_10": "nDCG@10",
    "recall_at_10": "Recall@10",
    "mrr_at_10": "MRR@10",
    "map": "MAP",
    "judged_at_10": "judged@10",
}


@dataclass(frozen=True, slots=True)
class Board:
    """The results on one content of one split of a task.

    Attributes:
        key: Names it in the address.
        title: Names it on screen.
        results: The best first; one for each model and its prompts.
    """

    key: str
    title: str
    results: Sequence[Result]


def boards_of(workspace: Workspace) -> list[Board]:
    """All boards, the one with the newest result first."""
    by_content: dict[tuple[str, str, str], list[Result]] = {}
    for result in read_results(workspace.results_folder):
        content = (result.task, result.split, result.content_hash)
        by_content.setdefault(content, []).append(result)
    boards = [_board(*content, results) for content, results in by_content.items()]
    return sorted(boards, key=lambda board: max(r.created_at for r in board.results), reverse=True)


def tasks_to_evaluate(workspace: Workspace) -> list[str]:
    """What can be evaluated: the tasks that are there, and the grades of this moment."""
    return [*task_names(workspace), DRAFT]


def colours_for(workspace: Workspace, models: Sequence[str]) -> dict[str, str]:
    """Each model's colour, the same on all pages."""
    return model_colours(workspace.cache_folder / "model_colours.json", models)


def show_board(board: Board, colours: Mapping[str, str]) -> None:
    """The table of models and measures, and what to know about it."""
    first = board.results[0]
    columns = [Column("model"), *(Column(name, numeric=True) for name in MEASURE_NAMES.values())]
    rows = [
        [named(result.model, colours[result.model]), *map(_cell, _means(result))]
        for result in board.results
    ]
    st.html(table(columns, rows))
    level = first.scores.relevance_level
    muted(
        f"Means over {count(first.n_queries)} queries with 95 % intervals; "
        f"{count(first.corpus_size)} documents. Binary measures take grade {level} and better as "
        "relevant; unjudged documents count as not relevant, and judged@10 says how many were."
    )
    for warning in dict.fromkeys(w for result in board.results for w in result.warnings):
        note(warning, kind="warning")


def show_scores(board: Board, measure: str, colours: Mapping[str, str]) -> None:
    """The chart of one measure."""
    frame = _score_frame(board, measure)
    if frame.empty:
        note(f"{MEASURE_NAMES[measure]} cannot be computed for any of these models.")
        return
    st.altair_chart(
        score_chart(frame, colours, MEASURE_NAMES[measure]),
        width="stretch",
        alt=f"{MEASURE_NAMES[measure]} of each model with its 95 % interval",
    )


def _board(task: str, split: str, content_hash: str, results: list[Result]) -> Board:
    best_first = sorted(results, key=lambda r: (-(r.metrics["ndcg_at_10"] or 0.0), r.model))
    title = f"{task}, {split}: {count(results[0].n_queries)} queries (content {content_hash[:8]})"
    return Board(f"{task}.{split}.{content_hash[:8]}", title, best_first)


def _means(result: Result) -> "list[Estimate]":
    return [result.scores.means[measure] for measure in LEADERBOARD_MEASURES]


def _cell(mean: "Estimate") -> str:
    return with_note(decimal(mean.value), interval(mean.low, mean.high) or in_words(mean.reason))


def _score_frame(board: Board, measure: str) -> "pd.DataFrame":
    import pandas as pd

    means = [(result.model, result.scores.means[measure]) for result in board.results]
    rows = [
        {"model": model, "value": mean.value, "low": mean.low, "high": mean.high}
        for model, mean in means
        if mean.value is not None
    ]
    return pd.DataFrame(rows, columns=["model", "value", "low", "high"])
