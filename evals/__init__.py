"""Measures models on task folders; knows nothing of builder or online.

For notebooks: `read_task`, `run_domain_evaluation`, `compare_models`, `ndcg_at_k`.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from evals.measures import ndcg_at_k, recommended_metric
    from evals.notebook import compare_models, run_domain_evaluation
    from evals.records import EvalsError
    from evals.taskfolder import read_task

__all__ = [
    "EvalsError",
    "compare_models",
    "ndcg_at_k",
    "read_task",
    "recommended_metric",
    "run_domain_evaluation",
]

# Imported when first asked for: `import evals` stays light.
_HOMES = {
    "EvalsError": "evals.records",
    "compare_models": "evals.notebook",
    "ndcg_at_k": "evals.measures",
    "read_task": "evals.taskfolder",
    "recommended_metric": "evals.measures",
    "run_domain_evaluation": "evals.notebook",
}


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'evals' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
