"""Evaluates models on tasks, keeps results and runs, and uses again what is known."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from builder.evaluation.runs import KeptRun, Runs, Searched, file_name
from builder.evaluation.tasks import resolve_task
from builder.workspace import Workspace
from evals.embeddings import FOLDER
from evals.evaluate import DEPTH, evaluate, score_run
from evals.records import Progress
from evals.results import Result, find_result, read_results, with_sources, write_result
from evals.results import leaderboard as board_of
from evals.retrievers import BATCH_SIZE, Retriever, retriever

if TYPE_CHECKING:
    import pandas as pd

RUNS = "runs"


@dataclass(frozen=True, slots=True)
class Options:
    """How a model is evaluated.

    Attributes:
        k: A cut-off beside the usual ones.
        relevance_level: From which grade on binary measures take a document as relevant.
        query_prompt: Put before each query; None: as the model's own configuration says.
        doc_prompt: Put before each document, likewise.
        batch_size: How many texts are encoded at once.
        depth: How many documents a ranking holds at most.
    """

    k: int = 10
    relevance_level: int = 1
    query_prompt: str | None = None
    doc_prompt: str | None = None
    batch_size: int = BATCH_SIZE
    depth: int = DEPTH

    def retriever(self, model: str, workspace: Workspace | None = None) -> Retriever:
        """The model as a retriever; in a workspace it uses the embeddings that are kept."""
        return retriever(
            model,
            query_prompt=self.query_prompt,
            doc_prompt=self.doc_prompt,
            batch_size=self.batch_size,
            embeddings=workspace.cache_folder / FOLDER if workspace else None,
        )


@dataclass(frozen=True, slots=True)
class Evaluation:
    """One model on one task, and how its result came about.

    Attributes:
        result: The scores.
        reused: "result" if all of it was known, "run" if only the search was, else None.
        notes: Which task it is, and what was used again.
        run_file: The run in TREC's form; None if none is kept.
    """

    result: Result
    reused: str | None
    notes: Sequence[str]
    run_file: Path | None

    def as_json(self) -> dict[str, Any]:
        """What `eval --json` prints; notes stand first among the warnings."""
        told = self.result.as_json()
        return {
            **told,
            "warnings": [*self.notes, *told["warnings"]],
            "reused": self.reused,
            "run_file": None if self.run_file is None else str(self.run_file.absolute()),
        }


@dataclass(frozen=True, slots=True)
class _Keeping:
    """Where results and runs of one task are looked for and kept.

    Attributes:
        results: Folders of results; the first is asked first.
        runs: Folders of runs, likewise.
    """

    results: Sequence[Path]
    runs: Sequence[Runs]

    @classmethod
    def of(cls, workspace: Workspace | None, output: Path | None, task: str) -> "_Keeping":
        """The workspace, where there is one, and the output folder, where one is asked for."""
        results, runs = [], []
        if workspace is not None:
            results.append(workspace.results_folder / file_name(task))
            runs.append(Runs(workspace.runs_folder))
        if output is not None:
            results.append(output)
            runs.append(Runs(output / RUNS))
        return cls(results, runs)

    def keep(self, result: Result) -> None:
        """Write the result into every folder."""
        for folder in self.results:
            folder.mkdir(parents=True, exist_ok=True)
            write_result(result, folder)


def evaluate_models(  # noqa: PLR0913 - the options of the command `eval`
    workspace: Workspace | None,
    models: Sequence[str],
    tasks: Sequence[str],
    *,
    split: str | None = None,
    overwrite: bool = False,
    output: Path | None = None,
    progress: Progress | None = None,
    **options: Any,
) -> list[Evaluation]:
    """Evaluate each model on each task; what is known already is used again.

    A result of the same task content, model and options is taken as it is. Where only grades or
    measures changed, the kept run is scored again and nothing is encoded.

    Args:
        workspace: Where results and runs are kept; None: only in `output`.
        models: "bm25", "minilm", names or folders of SentenceTransformers.
        tasks: As `resolve_task` takes them.
        split: Which split; None: test, train, dev, or a qrels.tsv at the root.
        overwrite: Evaluate anew whatever is known.
        output: A folder in which results and runs are kept too.
        progress: Hears how far it is; may raise to stop, and finished results stay.
        options: As the fields of `Options`.

    Returns:
        Task by task, within a task in the order of the models.

    Raises:
        TaskNotFoundError: A task does not exist.
        BuilderError: The draft is empty.
        EvalsError: A task cannot be read, or a model not be loaded.
        TypeError: There is no such option.
    """
    how = Options(**options)
    places = _places(workspace, tasks, split, output, progress)
    by_model = []
    for model in models:
        searcher = how.retriever(model, None if overwrite else workspace)
        by_model.append(
            [place.evaluate(searcher, how, progress, overwrite=overwrite) for place in places]
        )
    return [evaluation for of_task in zip(*by_model, strict=True) for evaluation in of_task]


def score_runs(  # noqa: PLR0913 - the options of the command `score`
    workspace: Workspace | None,
    run_file: Path,
    tasks: Sequence[str],
    *,
    split: str | None = None,
    k: int = 10,
    relevance_level: int = 1,
    output: Path | None = None,
    progress: Progress | None = None,
) -> list[Evaluation]:
    """Score a run that was made elsewhere on each task, and keep the results.

    Args:
        workspace: Where results are kept; None: only in `output`.
        run_file: TREC's six columns.
        tasks: As `resolve_task` takes them.
        split: Which split; None: test, train, dev, or a qrels.tsv at the root.
        k: A cut-off beside the usual ones.
        relevance_level: From which grade on binary measures take a document as relevant.
        output: A folder in which results are kept too.
        progress: Hears how far a draft is written; may raise to stop.

    Raises:
        TaskNotFoundError: A task does not exist.
        BuilderError: The draft is empty.
        EvalsError: A task or the run cannot be read, or they do not belong together.
    """
    evaluations = []
    for place in _places(workspace, tasks, split, output, progress):
        task = place.searched.task
        result = score_run(task, run_file, relevance_level=relevance_level, k=k)
        place.keeping.keep(result)
        evaluations.append(Evaluation(result, None, place.notes, run_file))
    return evaluations


def evaluate_job(
    workspace: Workspace, parameters: Mapping[str, Any], progress: Progress
) -> dict[str, Any]:
    """The job that evaluates: `parameters` holds models, tasks and options of `evaluate_models`.

    Returns:
        {"results": [what `eval --json` prints for each]}.

    Raises:
        BuilderError: As `evaluate_models`; EvalsError likewise.
    """
    evaluations = evaluate_models(workspace, progress=progress, **parameters)
    return {"results": [evaluation.as_json() for evaluation in evaluations]}


def leaderboard(workspace: Workspace, task: str) -> "pd.DataFrame":
    """All kept results of the task of this name, the best first; columns as `evals.results`."""
    folder = workspace.results_folder / file_name(task)
    return board_of(read_results(folder) if folder.is_dir() else [])


@dataclass(frozen=True, slots=True)
class _Place:
    """One task, and where its results and runs are kept."""

    searched: Searched
    notes: Sequence[str]
    keeping: _Keeping

    def evaluate(
        self, searcher: Retriever, how: Options, progress: Progress | None, *, overwrite: bool
    ) -> Evaluation:
        """The model on the task: known, scored out of a kept run, or searched now."""
        if not overwrite and (known := self._known(searcher, how)):
            return self._reused_result(known, searcher, how)
        run = None if overwrite else self._kept_run(searcher, how)
        result = evaluate(
            self.searched.task,
            run or searcher,
            depth=_depth(how),
            relevance_level=how.relevance_level,
            k=how.k,
            progress=_named(progress, f"{searcher.name} on {self.searched.task.name}"),
        )
        if run is not None:
            self.keeping.keep(result)
            note = "the kept run was scored anew, nothing was encoded (--overwrite searches again)"
            return Evaluation(result, "run", [*self.notes, note], run.file)
        return self._searched_now(result, searcher, how)

    def _known(self, searcher: Retriever, how: Options) -> Result | None:
        """A result of the same content, model and options."""
        task = self.searched.task
        for folder in self.keeping.results:
            known = find_result(
                folder,
                task.content_hash,
                searcher.key,
                depth=_depth(how),
                relevance_level=how.relevance_level,
                k=how.k,
            )
            if known is not None and (known.task, known.split) == (task.name, task.split):
                return known
        return None

    def _kept_run(self, searcher: Retriever, how: Options) -> KeptRun | None:
        found = (runs.find(searcher, self.searched, _depth(how)) for runs in self.keeping.runs)
        return next(filter(None, found), None)

    def _reused_result(self, known: Result, searcher: Retriever, how: Options) -> Evaluation:
        # Where queries came from is no part of the content by which a result is found.
        known = with_sources(known, self.searched.task.queries)
        self.keeping.keep(known)
        run = self._kept_run(searcher, how)
        note = f"the result of {known.created_at[:16]} was reused (--overwrite evaluates anew)"
        return Evaluation(known, "result", [*self.notes, note], run.file if run else None)

    def _searched_now(self, result: Result, searcher: Retriever, how: Options) -> Evaluation:
        """Keep the run and then the result: a kill in between leaves no result without its run."""
        kept = [
            runs.keep(result.run, searcher, self.searched, _depth(how))
            for runs in self.keeping.runs
            if result.run is not None
        ]
        self.keeping.keep(result)
        file = kept[0] if kept else None
        notes = list(self.notes)
        if kept and file is None:
            notes.append("the run was not kept: ids with TABs or line ends do not fit a run file")
        return Evaluation(result, None, notes, file)


def _places(
    workspace: Workspace | None,
    tasks: Sequence[str],
    split: str | None,
    output: Path | None,
    progress: Progress | None,
) -> list[_Place]:
    """The tasks, all found before the first is evaluated."""
    resolved = [resolve_task(workspace, name, split, progress) for name in tasks]
    return [
        _Place(Searched(task), notes, _Keeping.of(workspace, output, task.name))
        for task, notes in resolved
    ]


def _depth(how: Options) -> int:
    return max(how.depth, how.k)


def _named(progress: Progress | None, what: str) -> Progress | None:
    """Progress that says which model and task it is about."""
    if progress is None:
        return None

    def named(step: str, done: int, total: int | None) -> None:
        progress(f"{what}: {step}", done, total)

    return named
