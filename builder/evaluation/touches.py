"""Which pairs decide: those that models show in their first ten."""

from collections import Counter, defaultdict
from collections.abc import Mapping
from functools import lru_cache

from builder.evaluation.kept import KeptAs, kept_runs, latest_runs, top_ten
from builder.workspace import Workspace


def top_ten_touches(workspace: Workspace) -> dict[tuple[str, str], int]:
    """(query_id, doc_id) -> how many models hold the document in their first ten for the query.

    Of each model the latest kept run of each task is looked at; where two tasks hold the same
    query, the newer run speaks. Two settings of one model, such as other prompts, are two models.
    Pairs that no model shows are not in it; without kept runs it is empty.
    """
    return dict(_touches(tuple(latest_runs(kept_runs(workspace.runs_folder)))))


@lru_cache(maxsize=4)
def _touches(runs: tuple[KeptAs, ...]) -> Mapping[tuple[str, str], int]:
    """The same of these runs, the newest first; counted anew only when one of them has changed."""
    shown: defaultdict[str, dict[str, tuple[str, ...]]] = defaultdict(dict)
    for kept in runs:
        of_model = shown[kept.model_key]
        for query_id, doc_ids in top_ten(kept).items():
            of_model.setdefault(query_id, doc_ids)
    return Counter(
        (query_id, doc_id)
        for of_model in shown.values()
        for query_id, doc_ids in of_model.items()
        for doc_id in doc_ids
    )
