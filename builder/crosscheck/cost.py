"""What it costs that raters disagree: how far scores and ranking of models move with the rater."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from builder.crosscheck.comparing import MIN_QUERIES, Comparison, K, Tops, ranking
from builder.crosscheck.wording import in_a_sentence, why_not
from builder.evaluation.again import Known, commands_again
from builder.evaluation.kept import KeptAs, kept_runs, labelled, latest_runs, top_ten
from builder.evaluation.runs import Searched, file_name
from builder.evaluation.tasks import resolve_task, told_by_export
from builder.export.names import DRAFT
from builder.judging.aggregation import is_decision
from builder.store.adjudications import excluded_raters, grades_and_decisions
from builder.store.judgments import GradeRow
from builder.workspace import Workspace
from estimates import Estimate, mean_interval
from evals.measures import ndcg_at_k
from evals.records import Progress, Qrels
from evals.taskfolder import Task

TELL_EVERY = 100


def cost_of_disagreement(
    workspace: Workspace, task: str, *, split: str | None = None, progress: Progress | None = None
) -> dict[str, Any]:
    """How much nDCG@10 and the ranking of models move when one rater's grades alone are used.

    Low agreement of raters often leaves the order of models as it is (Voorhees 2000, Variations in
    relevance judgments); this says whether it does here. The models are those of whom a run is
    kept that answers just this corpus and these queries; nothing is encoded. The aggregated grades
    are the task's own, with its rule, its adjudicated pairs and the raters it left out. Each
    rater's grades are compared with them on the same queries and the same pairs; why, and what is
    left out, stands at `builder.crosscheck.comparing.Comparison`.

    Only people count, excluded raters not. Grades are the workspace's of this moment; what was
    graded after the task was frozen is left out and counted, since a changed mind is no
    disagreement.

    Args:
        workspace: Where grades and runs lie.
        task: As `resolve_task` takes it: draft, custom/NAME, NAME@N, or a folder.
        split: Which split; None: test, train, dev, or a qrels.tsv at the root.
        progress: Hears how far it is; may raise to stop.

    Returns:
        As JSON: task, split, notes (which task it is); measure; sentence; reason (a code, or None
        if at least one rater could be compared: no_kept_run, only_stale_runs, no_human_grades,
        no_comparable_rater); release (its number, or None); n_models, stale_models (whose runs
        answer something else), again (the commands that evaluate these on the task); models
        (model, model_key, ndcg_at_10 on the whole task; the best first); excluded ({name:
        reason}); min_queries; largest_shift ({"rater", "model", "value"} or None); raters, each
        with reason and why (in words) if it cannot be compared, n_queries, n_graded, n_pairs,
        n_shared, n_different, left_out, models (model, by_rater, by_aggregated, difference,
        judged_at_10), ranking_by_rater, ranking_by_aggregated, first_stays, kendall_tau.

    Raises:
        TaskNotFoundError: There is no such task.
        BuilderError: It is the draft, and nothing is graded.
        EvalsError: The task cannot be read.
    """
    resolved, notes = resolve_task(workspace, task, split, progress)
    fresh, stale = _runs_of(workspace, resolved)
    tops = {label: top_ten(kept) for label, kept in labelled(fresh).items()}
    with workspace.store.read() as connection:
        excluded = excluded_raters(connection)
        sides = _Sides(resolved.qrels, tops, excluded, _frozen_at(resolved))
        if tops:
            sides.take(grades_and_decisions(connection), progress)
    cost = {
        "task": resolved.name,
        "split": resolved.split,
        "notes": notes,
        "measure": f"ndcg_at_{K}",
        "n_models": len(tops),
        "release": told_by_export(resolved.folder).get("release"),
        "stale_models": len(stale),
        "again": commands_again(stale, task),
        "models": _models(resolved.qrels, labelled(fresh)),
        "excluded": excluded,
        "min_queries": MIN_QUERIES,
        "raters": [_row(each) for _, each in sorted(sides.by_rater.items())],
    }
    return _concluded(cost)


@dataclass(slots=True)
class _Sides:
    """Every rater's comparison, made query by query so that memory stays flat.

    Attributes:
        qrels: The aggregated grades.
        tops: What each model shows first.
        excluded: Raters that do not count.
        frozen_at: When the task was; later grades are none of it. None: of this moment.
        by_rater: Rater -> comparison.
    """

    qrels: Qrels
    tops: Tops
    excluded: Collection[str]
    frozen_at: str | None
    by_rater: dict[str, Comparison] = field(default_factory=dict)

    def take(self, rows: Iterable[GradeRow], progress: Progress | None) -> None:
        """Take all grades in, those of a query together."""
        for done, (query_id, of_query) in enumerate(groupby(rows, lambda row: row.query_id)):
            if progress is not None and done % TELL_EVERY == 0:
                progress("comparing raters", min(done, len(self.qrels)), len(self.qrels))
            self._take_query(query_id, [row for row in of_query if self._counts(row)])

    def _counts(self, row: GradeRow) -> bool:
        """Whether it is a grade that goes into qrels: a person's, an imported one, a decision."""
        decided = is_decision(row)
        counts = decided or (row.kind in ("human", "import") and row.rater not in self.excluded)
        return counts and row.grade is not None

    def _take_query(self, query_id: str, rows: Sequence[GradeRow]) -> None:
        aggregated = self.qrels.get(query_id, {})
        stood = [row for row in rows if not self._is_newer(row)]
        n_grades = Counter(row.doc_id for row in stood)
        own: dict[str, dict[str, int]] = {}
        for row in rows:
            if row.kind != "human" or row.grade is None:
                continue
            comparison = self.by_rater.setdefault(row.rater, Comparison(row.rater))
            if row.doc_id not in aggregated:
                comparison.left_out["not_in_task"] += 1
            elif self._is_newer(row):
                comparison.left_out["newer_than_task"] += 1
            else:
                own.setdefault(row.rater, {})[row.doc_id] = row.grade
        tops = {model: top.get(query_id, ()) for model, top in self.tops.items()}
        for rater, grades in own.items():
            same = {doc_id: aggregated[doc_id] for doc_id in grades}
            shared = sum(n_grades[doc] > 1 or same[doc] != grades[doc] for doc in grades)
            self.by_rater[rater].add_query(grades, same, shared, tops)

    def _is_newer(self, row: GradeRow) -> bool:
        return bool(self.frozen_at and row.judged_at and row.judged_at > self.frozen_at)


def _runs_of(workspace: Workspace, task: Task) -> tuple[list[KeptAs], list[Known]]:
    """The latest run of each model on this content, and the models that have only others."""
    runs = kept_runs(workspace.runs_folder, file_name(task.name))
    if not runs:
        return [], []
    content = Searched(task).content_hash
    fresh = latest_runs([kept for kept in runs if kept.searched == content])
    there = {_known(kept) for kept in fresh}
    return fresh, sorted({_known(kept) for kept in runs} - there)


def _known(kept: KeptAs) -> Known:
    return Known.of(kept.model, kept.model_key)


def _frozen_at(task: Task) -> str | None:
    """When the task was exported; None for the draft, and for folders of other tools."""
    created_at = None if task.name == DRAFT else told_by_export(task.folder).get("created_at")
    return created_at if isinstance(created_at, str) else None


def _models(qrels: Qrels, runs: Mapping[str, KeptAs]) -> list[dict[str, Any]]:
    """Each model's nDCG@10 on the whole task, as `eval` has it: a query without ideal scores 0."""
    means: dict[str, Estimate] = {}
    for model, kept in runs.items():
        top = top_ten(kept)
        scores = [ndcg_at_k(top.get(query_id, ()), qrels[query_id], K) or 0.0 for query_id in qrels]
        means[model] = mean_interval(scores, low=0, high=1)
    return [
        {"model": model, "model_key": runs[model].model_key, "ndcg_at_10": means[model].as_json()}
        for model in ranking(means)
    ]


def _row(comparison: Comparison) -> dict[str, Any]:
    told = comparison.as_json()
    return {**told, "why": why_not(told)}


def _concluded(cost: dict[str, Any]) -> dict[str, Any]:
    """With reason, largest shift and sentence."""
    told = {**cost, "reason": _reason(cost), "largest_shift": _largest_shift(cost["raters"])}
    return {**told, "sentence": in_a_sentence(told)}


def _reason(cost: Mapping[str, Any]) -> str | None:
    if not cost["n_models"]:
        return "only_stale_runs" if cost["stale_models"] else "no_kept_run"
    if not cost["raters"]:
        return "no_human_grades"
    compared = any(row["reason"] is None for row in cost["raters"])
    return None if compared else "no_comparable_rater"


def _largest_shift(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any] | None:
    shifts = [
        {"rater": row["rater"], "model": model["model"], "value": model["difference"]["value"]}
        for row in rows
        for model in row["models"]
    ]
    return max(shifts, key=lambda shift: abs(shift["value"]), default=None)
