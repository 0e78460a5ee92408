"""The Python API for notebooks: plain dicts and data frames, one call each."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evals.encoders import Prompts, encoder_of
from evals.evaluate import DEPTH, evaluate
from evals.records import EvalsError
from evals.results import Result
from evals.retrievers import BATCH_SIZE, DenseRetriever, Retriever, retriever
from evals.taskfolder import Task, read_task

if TYPE_CHECKING:
    import pandas as pd

CONFIGURATION = ("prefix_query", "prefix_doc", "batch_size")


def run_domain_evaluation(
    model: Any,
    task: Task | Path | str,
    k: int = 10,
    prefix_query: str | None = None,
    prefix_doc: str | None = None,
) -> dict[str, Any]:
    """Evaluates one model on one task folder.

    Args:
        model: "bm25", "minilm", the name or folder of a SentenceTransformer, an object with
            `encode(list of texts)`, or a retriever.
        task: The task folder, or what `read_task` gave.
        k: The cut-off that matters to you; the usual ones are computed too.
        prefix_query: Put before each query; None leaves it to the model's own prompt, "" is none.
        prefix_doc: Put before each document, likewise.

    Returns:
        The measures by name at the top (`ndcg_at_10`, `recall_at_10`, `precision_at_10`,
        `mrr_at_10`, `mrr`, `map_at_10`, `map`, `bpref`, `judged_at_10`, and so on for k in 1, 3, 5,
        10, 20, 100, 1000 and yours; in [0, 1], None where undefined), and beside them `task`,
        `model`, `split`, `n_queries`, `corpus_size`, `metrics` (the same measures as a dict),
        `intervals` (measure -> [low, high], 95 %), `reasons` (measure -> why it is None),
        `per_query` (query_id -> measure -> value), `recommended_metric`, `warnings`, `seconds`.

    Raises:
        EvalsError: The task cannot be read or the model not be loaded.
    """
    searcher = as_retriever(model, {"prefix_query": prefix_query, "prefix_doc": prefix_doc})
    return _plain(evaluate(_as_task(task), searcher, k=k, depth=max(DEPTH, k)))


def compare_models(
    models: Sequence[Any] | Mapping[str, Any],
    task: Task | Path | str,
    model_configs: Mapping[str, Mapping[str, Any]] | None = None,
) -> "pd.DataFrame":
    """Evaluates several models on one task.

    Args:
        models: Models as `run_domain_evaluation` takes them, or name -> model.
        task: The task folder, or what `read_task` gave.
        model_configs: Name of a model -> its `prefix_query`, `prefix_doc`, `batch_size`.

    Returns:
        One row per model, the best nDCG@10 first: `model`, `ndcg_at_10` with its 95 % interval
        `low` and `high`, `recall_at_10`, `mrr_at_10`, `map`, `judged_at_10`, `n_queries`,
        `corpus_size`, `seconds`.

    Raises:
        EvalsError: As above, two models of one name, or a configuration for an unknown model.
    """
    import pandas as pd

    configs = dict(model_configs or {})
    searchers = _named(models, configs)
    loaded = _as_task(task)
    rows = [_row(name, evaluate(loaded, searcher)) for name, searcher in searchers.items()]
    table = pd.DataFrame(rows).sort_values(["ndcg_at_10", "model"], ascending=[False, True])
    return table.reset_index(drop=True)


def as_retriever(model: Any, configuration: Mapping[str, Any] | None = None) -> Retriever:
    """A retriever of a name, a path, an object with `encode`, or a retriever itself."""
    given = dict(configuration or {})
    unknown = sorted(set(given) - set(CONFIGURATION))
    if unknown:
        raise EvalsError(
            f"unknown setting {unknown[0]!r}", hint=f"Known are {', '.join(CONFIGURATION)}."
        )
    query, document = given.get("prefix_query"), given.get("prefix_doc")
    batch_size = given.get("batch_size", BATCH_SIZE)
    if isinstance(model, str | Path):
        return retriever(str(model), query_prompt=query, doc_prompt=document, batch_size=batch_size)
    if callable(getattr(model, "search", None)) and hasattr(model, "key"):
        if query or document:
            raise EvalsError(f"{model.name} is a retriever and takes no prefixes")
        return model  # type: ignore[no-any-return]
    return DenseRetriever(encoder_of(model, Prompts(query, document)), batch_size=batch_size)


def _as_task(task: Task | Path | str) -> Task:
    return task if isinstance(task, Task) else read_task(task)


def _named(
    models: Sequence[Any] | Mapping[str, Any], configs: Mapping[str, Mapping[str, Any]]
) -> dict[str, Retriever]:
    if isinstance(models, str):
        raise EvalsError("models is one text", hint='Hand in a list: ["bm25", "minilm"].')
    named: dict[str, Retriever] = {}
    pairs = models.items() if isinstance(models, Mapping) else [(None, model) for model in models]
    for given, model in pairs:
        name = given or (str(model) if isinstance(model, str | Path) else "")
        searcher = as_retriever(model, configs.get(name) if name else None)
        name = name or searcher.name
        if name in named:
            raise EvalsError(
                f"two models are called {name!r}", hint="Hand in a dict of name and model."
            )
        named[name] = searcher
    strangers = sorted(set(configs) - set(named))
    if strangers:
        raise EvalsError(f"model_configs names {strangers[0]!r}, which is not among the models")
    return named


def _plain(result: Result) -> dict[str, Any]:
    return {**result.metrics, **result.as_json(), "per_query": result.scores.per_query()}


def _row(name: str, result: Result) -> dict[str, Any]:
    main = result.scores.means["ndcg_at_10"]
    return {
        "model": name,
        "ndcg_at_10": main.value,
        "low": main.low,
        "high": main.high,
        **{name: result.metrics[name] for name in ("recall_at_10", "mrr_at_10", "map")},
        "judged_at_10": result.metrics["judged_at_10"],
        "n_queries": result.n_queries,
        "corpus_size": result.corpus_size,
        "seconds": sum(result.seconds.values()),
    }
