"""Where the worlds meet: what people graded against what models are measured by."""

from builder.crosscheck.cost import cost_of_disagreement
from builder.crosscheck.keeping import CostView, cost_job, cost_view, evaluated_tasks

__all__ = ["CostView", "cost_job", "cost_of_disagreement", "cost_view", "evaluated_tasks"]
