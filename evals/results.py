"""Results: one JSON file each, in mteb's schema with per-query scores beside it.

`mteb.results.TaskResult.from_disk` opens the file; what mteb has no place for stands under
"goldsmith". A measure that cannot be computed is left out of mteb's part and stands there as null
with its reason: NaN is not JSON.
"""

import hashlib
import json
import os
import re
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from estimates import Estimate
from evals.breakdown import by_source, told_means
from evals.measures import Recommendation, Scores
from evals.records import EvalsError, Query, Run
from evals.written import written_by_models

if TYPE_CHECKING:
    import pandas as pd

MTEB_SCHEMA = "2.26.24"
"""The version of mteb whose result schema this is."""
FORMAT = 1
LANGUAGE = "und-Zyyy"
"""Language and script undetermined: without any, mteb's `get_score` is NaN."""
MAIN_SCORE = "ndcg_at_10"
LEADERBOARD_MEASURES = ("ndcg_at_10", "recall_at_10", "mrr_at_10", "map", "judged_at_10")


@dataclass(frozen=True)
class Result:
    """One model on one split of one task.

    Attributes:
        task: Name of the task.
        split: The split.
        content_hash: Of corpus, queries and the split's judgments.
        model: Name of the model.
        model_key: Its identity, with revision and prompts.
        corpus_size: Documents in the corpus.
        scores: Measures per query and as means.
        recommended: Which measure suits the judgments.
        warnings: What a reader of the scores should know.
        seconds: What took how long.
        depth: How many documents a query's ranking could hold; None: as many as the run has.
        created_at: When, ISO 8601 in UTC.
        by_source: Means by where the queries came from, as `evals.breakdown.by_source` gives them;
            empty where all came from one source.
        run: The run, where it was made just now; not part of the file.
    """

    task: str
    split: str
    content_hash: str
    model: str
    model_key: str
    corpus_size: int
    scores: Scores
    recommended: Recommendation
    warnings: Sequence[str] = ()
    seconds: Mapping[str, float] = field(default_factory=dict)
    depth: int | None = None
    created_at: str = field(default_factory=lambda: datetime.now(UTC).isoformat())
    by_source: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    run: Run | None = field(default=None, compare=False, repr=False)

    @property
    def n_queries(self) -> int:
        """Judged queries: what the means are taken over."""
        return len(self.scores.query_ids)

    @property
    def metrics(self) -> dict[str, float | None]:
        """Measure -> mean, None where it is undefined."""
        return {measure: mean.value for measure, mean in self.scores.means.items()}

    def as_json(self) -> dict[str, Any]:
        """The document that `eval --json` and `score --json` print."""
        told = {
            "task": self.task,
            "model": self.model,
            "split": self.split,
            "n_queries": self.n_queries,
            "corpus_size": self.corpus_size,
            **told_means(self.scores.means),
            "recommended_metric": self.recommended.metric,
            "recommended_metrics": list(self.recommended.metrics),
            "recommended_reason": self.recommended.reason,
            "relevance_level": self.scores.relevance_level,
            "depth": self.depth,
            "unanswered_queries": len(self.scores.unanswered),
            "warnings": list(self.warnings),
            "seconds": dict(self.seconds),
            "content_hash": self.content_hash,
            "model_key": self.model_key,
        }
        return told | ({"by_source": dict(self.by_source)} if self.by_source else {})


def with_sources(result: Result, queries: Iterable[Query]) -> Result:
    """The result with its scores by source of these queries, the task's, as it says them now.

    And with the warning of those that a language model wrote, which older results lack.
    """
    every, scored = list(queries), set(result.scores.query_ids)
    new = written_by_models(query for query in every if query.query_id in scored)
    warnings = [*result.warnings, *(one for one in new if one not in result.warnings)]
    return replace(result, by_source=by_source(result.scores, every), warnings=warnings)


def write_result(result: Result, folder: Path) -> Path:
    """Writes the result below `folder`; a reader sees the old file or the new one, never half.

    Returns:
        The file: `<model>-<key>/<task>.<split>.<content>.<options>.json`.
    """
    path = folder / _path_of(result)
    path.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps(_document(result), ensure_ascii=False, allow_nan=False, indent=1)
    with tempfile.NamedTemporaryFile(dir=path.parent, suffix=".part", delete=False) as part:
        try:
            part.write(text.encode("utf-8", "backslashreplace"))
            part.flush()
            os.fsync(part.fileno())
            part.close()
            Path(part.name).replace(path)
        finally:
            Path(part.name).unlink(missing_ok=True)
    return path


def read_result(path: Path) -> Result:
    """The result of a file that `write_result` wrote.

    Raises:
        EvalsError: The file is no JSON, or no result of Goldsmith.
    """
    result = _read(path)
    if result is None:
        raise EvalsError("no result of Goldsmith", where=str(path))
    return result


def read_results(folder: Path) -> list[Result]:
    """All results below `folder`, sorted by file name; other JSON files are none and are left out.

    Raises:
        EvalsError: A file is broken.
    """
    found = (_read(path) for path in sorted(folder.rglob("*.json")))
    return [result for result in found if result is not None]


def find_result(
    folder: Path,
    content_hash: str,
    model_key: str,
    *,
    depth: int | None = 1000,
    relevance_level: int = 1,
    k: int | None = None,
) -> Result | None:
    """The result of the same content, model and options, if it is there."""
    name = f"*-{_short(model_key)}/*.{content_hash[:12]}.{_options(depth, relevance_level)}.json"
    for path in sorted(folder.glob(name)):
        result = read_result(path)
        same = (result.content_hash, result.model_key) == (content_hash, model_key)
        if same and (k is None or f"ndcg_at_{k}" in result.scores.means):
            return result
    return None


def leaderboard(results: Iterable[Result]) -> "pd.DataFrame":
    """One row per result, the best first within a task and split.

    Columns: task, split, model, n_queries, the usual measures (None where undefined), low and high
    (95 % interval of nDCG@10), recommended_metric, seconds, created_at, content_hash, model_key.
    """
    import pandas as pd

    rows = [
        {
            "task": result.task,
            "split": result.split,
            "model": result.model,
            "n_queries": result.n_queries,
            **{measure: result.metrics.get(measure) for measure in LEADERBOARD_MEASURES},
            "low": result.scores.means[MAIN_SCORE].low,
            "high": result.scores.means[MAIN_SCORE].high,
            "recommended_metric": result.recommended.metric,
            "seconds": sum(result.seconds.values()),
            "created_at": result.created_at,
            "content_hash": result.content_hash,
            "model_key": result.model_key,
        }
        for result in sorted(results, key=_board_order)
    ]
    columns = ["task", "split", "model", "n_queries", *LEADERBOARD_MEASURES, "low", "high"]
    columns += ["recommended_metric", "seconds", "created_at", "content_hash", "model_key"]
    return pd.DataFrame(rows, columns=columns)


def _board_order(result: Result) -> tuple[str, str, str, float, str]:
    best = result.metrics.get(MAIN_SCORE)
    return (
        result.task,
        result.split,
        result.content_hash,
        -best if best is not None else 1.0,
        result.model,
    )


def _path_of(result: Result) -> Path:
    options = _options(result.depth, result.scores.relevance_level)
    name = f"{_slug(result.task)}.{_slug(result.split)}.{result.content_hash[:12]}.{options}.json"
    return Path(f"{_slug(result.model)}-{_short(result.model_key)}") / name


def _options(depth: int | None, relevance_level: int) -> str:
    return f"d{depth or 'all'}-l{relevance_level}"


def _short(key: str) -> str:
    return hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()[:12]


def _slug(name: str) -> str:
    """A part of a file name: letters, digits, "-" and "_", at most 60 of them."""
    return re.sub(r"[^A-Za-z0-9_-]+", "-", name).strip("-")[-60:] or "unnamed"


def _document(result: Result) -> dict[str, Any]:
    values = {name: value for name, value in result.metrics.items() if value is not None}
    subset = {**values, "main_score": values.get(MAIN_SCORE), "hf_subset": "default"}
    return {
        "dataset_revision": result.content_hash,
        "task_name": result.task,
        "mteb_version": MTEB_SCHEMA,
        "scores": {result.split: [{**subset, "languages": [LANGUAGE]}]},
        "evaluation_time": sum(result.seconds.values()),
        "kg_co2_emissions": None,
        "date": result.created_at,
        "goldsmith": {
            "format": FORMAT,
            **result.as_json(),
            "created_at": result.created_at,
            "means": {name: mean.as_json() for name, mean in result.scores.means.items()},
            "unanswered": list(result.scores.unanswered),
            "without_relevant": list(result.scores.without_relevant),
            "per_query": result.scores.per_query(),
        },
    }


def _read(path: Path) -> Result | None:
    try:
        document = json.loads(path.read_bytes())
    except (OSError, ValueError) as error:
        raise EvalsError(
            f"not a result file: {error}", where=str(path), hint="Remove it and evaluate again."
        ) from error
    part = document.get("goldsmith") if isinstance(document, dict) else None
    if not isinstance(part, dict):
        return None
    try:
        return _result_of(part)
    except (KeyError, TypeError, ValueError) as error:
        raise EvalsError(
            f"a result file of another format: {error!r}",
            where=str(path),
            hint="Remove it and evaluate again.",
        ) from error


def _result_of(part: Mapping[str, Any]) -> Result:
    return Result(
        task=part["task"],
        split=part["split"],
        content_hash=part["content_hash"],
        model=part["model"],
        model_key=part["model_key"],
        corpus_size=part["corpus_size"],
        scores=_scores_of(part),
        recommended=Recommendation(
            part["recommended_metric"],
            tuple(part["recommended_metrics"]),
            part["recommended_reason"],
        ),
        warnings=part["warnings"],
        seconds=part["seconds"],
        depth=part["depth"],
        created_at=part["created_at"],
        by_source=part.get("by_source", {}),
    )


def _scores_of(part: Mapping[str, Any]) -> Scores:
    per_query = part["per_query"]
    return Scores(
        query_ids=tuple(per_query),
        values={
            measure: [values[measure] for values in per_query.values()] for measure in part["means"]
        },
        means={measure: Estimate(**mean) for measure, mean in part["means"].items()},
        relevance_level=part["relevance_level"],
        unanswered=tuple(part["unanswered"]),
        without_relevant=tuple(part["without_relevant"]),
    )
