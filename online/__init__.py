"""What users did: events in, click metrics out; knows nothing of builder or evals.

For notebooks: `SearchEvent` and `compute_online_metrics`; click evidence per query and document is
`online.evidence.find_evidence`, which needs a lake and loads DuckDB.
"""

from online.events import OnlineError, SearchEvent
from online.notebook import compute_online_metrics

__all__ = ["OnlineError", "SearchEvent", "compute_online_metrics"]
