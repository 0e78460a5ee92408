"""The same task and model through mteb itself, in memory."""

import os
import warnings
from typing import Any

from evals.taskfolder import Task


def mteb_scores(task: Task, model: Any) -> dict[str, float]:
    """mteb's own measures for a SentenceTransformer on this task."""
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import mteb

        (result,) = mteb.evaluate(
            model, [_mteb_task(task)], cache=None, co2_tracker=False, show_progress_bar=False
        ).task_results
    return dict(result.scores["test"][0])


def _mteb_task(task: Task) -> Any:
    import datasets
    import mteb
    from mteb.abstasks.retrieval import AbsTaskRetrieval

    corpus = [{"id": d.doc_id, "title": d.title, "text": d.text} for d in task.documents]
    queries = [{"id": q.query_id, "text": q.text} for q in task.queries]
    qrels = {query_id: dict(grades) for query_id, grades in task.qrels.items()}

    class InMemory(AbsTaskRetrieval):
        metadata = mteb.TaskMetadata(
            name="InMemory",
            dataset={"path": "in/memory", "revision": task.content_hash},
            description="a task folder, handed over in memory",
            type="Retrieval",
            eval_splits=["test"],
            eval_langs=["eng-Latn"],
            main_score="ndcg_at_10",
        )

        def load_data(self, num_proc: Any = None, **_: Any) -> None:  # noqa: ARG002
            parts: Any = {
                "corpus": datasets.Dataset.from_list(corpus),
                "queries": datasets.Dataset.from_list(queries),
                "relevant_docs": qrels,
                "top_ranked": None,
            }
            self.dataset = {"default": {"test": parts}}
            self.data_loaded = True

    return InMemory()
