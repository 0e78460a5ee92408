"""From a task's name to scores: resolves tasks, evaluates models, keeps results and runs."""

from builder.evaluation.contests import Contest, contests, newest_with_results
from builder.evaluation.evaluate import (
    Evaluation,
    Options,
    evaluate_job,
    evaluate_models,
    leaderboard,
    score_runs,
)
from builder.evaluation.tasks import Found, find_task, resolve_task, task_names

__all__ = [
    "Contest",
    "Evaluation",
    "Found",
    "Options",
    "contests",
    "evaluate_job",
    "evaluate_models",
    "find_task",
    "leaderboard",
    "newest_with_results",
    "resolve_task",
    "score_runs",
    "task_names",
]
