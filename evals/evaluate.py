"""Task and retriever give a result."""

import time
from dataclasses import replace
from pathlib import Path

from evals.breakdown import by_source
from evals.measures import Scores, recommended_metric, score
from evals.records import EvalsError, Progress, Run
from evals.results import Result
from evals.retrievers import DenseRetriever, Retriever, RunFile
from evals.taskfolder import Task

DEPTH = 1000


def evaluate(
    task: Task,
    retriever: Retriever,
    *,
    depth: int = DEPTH,
    relevance_level: int = 1,
    k: int | None = None,
    progress: Progress | None = None,
) -> Result:
    """Searches the judged queries of the task in its whole corpus and measures the run.

    Args:
        task: What to search.
        retriever: How to search.
        depth: How many documents a query's ranking holds at most; a smaller corpus is the bound.
        relevance_level: From which grade on binary measures take a document as relevant.
        k: A cut-off beside the usual ones, at most `depth`.
        progress: Hears how far encoding is; may raise to cancel.

    Raises:
        EvalsError: The model cannot be loaded or gives NaN, or `k` is beyond `depth`.
    """
    if depth < 1 or (k is not None and k > depth):
        raise EvalsError(f"depth is {depth} and k is {k}; depth must be at least 1 and k")
    judged = [query for query in task.queries if query.query_id in task.qrels]
    started = time.perf_counter()
    run = retriever.search(task.documents, judged, depth, progress)
    seconds = {"retrieval": time.perf_counter() - started}
    if isinstance(retriever, DenseRetriever):
        seconds = dict(retriever.seconds)
    scores, seconds["scoring"] = _timed(task, run, relevance_level, k)
    return _result(task, retriever, run, scores, seconds, depth=depth)


def score_run(
    task: Task,
    run_file: Path | str,
    *,
    name: str = "",
    relevance_level: int = 1,
    k: int | None = None,
) -> Result:
    """Measures a run that was made elsewhere, as deep as it is.

    Args:
        task: What the run answers.
        run_file: TREC's six columns.
        name: How to call the model; without it the run's tag.
        relevance_level: From which grade on binary measures take a document as relevant.
        k: A cut-off beside the usual ones.

    Raises:
        EvalsError: The file cannot be read, or holds none of the judged queries.
    """
    started = time.perf_counter()
    made_elsewhere = RunFile(Path(run_file), name)
    whole, _ = made_elsewhere.content
    run = {query_id: whole[query_id] for query_id in task.qrels if query_id in whole}
    if not run:
        raise EvalsError(
            f"none of the {len(task.qrels)} judged queries is in this run",
            where=str(run_file),
            hint="Do the ids of the run and of the task belong together?",
        )
    seconds = {"reading": time.perf_counter() - started}
    scores, seconds["scoring"] = _timed(task, run, relevance_level, k)
    result = _result(task, made_elsewhere, run, scores, seconds, depth=None)
    return replace(result, warnings=[*result.warnings, *_strangers(task, run)])


def _timed(task: Task, run: Run, level: int, k: int | None) -> tuple[Scores, float]:
    started = time.perf_counter()
    scores = score(task.qrels, run, relevance_level=level, k=k)
    return scores, time.perf_counter() - started


def _result(
    task: Task,
    retriever: Retriever,
    run: Run,
    scores: Scores,
    seconds: dict[str, float],
    *,
    depth: int | None,
) -> Result:
    return Result(
        task=task.name,
        split=task.split,
        content_hash=task.content_hash,
        model=retriever.name,
        model_key=retriever.key,
        corpus_size=len(task.documents),
        scores=scores,
        recommended=recommended_metric(task.qrels),
        warnings=[*task.warnings, *retriever.notes, *_about(scores)],
        seconds=seconds,
        depth=depth,
        by_source=by_source(scores, task.queries),
        run=run,
    )


def _about(scores: Scores) -> list[str]:
    """What the means do not show."""
    said = []
    n = len(scores.query_ids)
    if scores.unanswered:
        said.append(f"{len(scores.unanswered)} of {n} queries got no document; they score 0")
    if scores.without_relevant:
        level = scores.relevance_level
        said.append(
            f"{len(scores.without_relevant)} of {n} queries have no document of grade {level} or "
            "more; they score 0 in binary measures"
        )
    return said


def _strangers(task: Task, run: Run) -> list[str]:
    """Documents that a foreign run names and the corpus has not."""
    corpus = {document.doc_id for document in task.documents}
    strangers = {doc_id for found in run.values() for doc_id in found if doc_id not in corpus}
    if not strangers:
        return []
    some = ", ".join(sorted(strangers)[:3]) + (", …" if len(strangers) > 3 else "")
    return [f"{len(strangers)} documents of the run are not in the corpus ({some})"]
