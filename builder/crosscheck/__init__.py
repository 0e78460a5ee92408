"""Where the worlds meet: what people graded against models' scores, and against clicks."""

from builder.crosscheck.clicks import clicks_against_experts, clicks_job
from builder.crosscheck.cost import cost_of_disagreement
from builder.crosscheck.keeping import CostView, cost_job, cost_view, evaluated_tasks
from builder.crosscheck.rechecked import list_rechecks
from builder.crosscheck.rechecks import send_to_recheck, take_back_recheck

__all__ = [
    "CostView",
    "clicks_against_experts",
    "clicks_job",
    "cost_job",
    "cost_of_disagreement",
    "cost_view",
    "evaluated_tasks",
    "list_rechecks",
    "send_to_recheck",
    "take_back_recheck",
]
