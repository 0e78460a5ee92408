"""The recipe of `goldsmith demo`: the whole loop on the documentation of the Python that runs it.

Each step calls what the commands call and may run again: what is there already is a duplicate, an
unchanged release stays as it is, a result is reused. So a demo that was killed is completed by the
next one, and the second run only looks.
"""

import json
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

from builder.demo.clicks import Traffic
from builder.demo.corpus import build_corpus
from builder.demo.premises import MARKS, NAME, alone, claim, demo_folder
from builder.demo.search_log import searched_and_clicked
from builder.evaluation import Evaluation, evaluate_models
from builder.evaluation.holes import find_holes
from builder.export import export_task
from builder.importers import import_corpus, import_judgments, import_queries
from builder.judging.agreement import agreement
from builder.mining import Sampling, list_samplings, mine
from builder.pooling import PoolPlan, list_poolings, pool
from builder.store.activity import note
from builder.store.documents import count_documents
from builder.store.judgments import count_judgments, current_grades
from builder.store.queries import count_queries
from builder.workspace import SETTINGS_FILE, Workspace, init_workspace, open_workspace
from estimates import ImportTally
from evals.records import Document, Progress
from online.ingest import import_events
from online.report import report

P = ParamSpec("P")
T = TypeVar("T")

TASK = "python-docs"
MODELS = ("bm25", "minilm")
"""What is evaluated; the model versions of the search log are called the same."""

SEARCHES = 20_000
OTHER_SPELLINGS = 0.15
"""Share of searches that are typed with other letter case or blanks."""

SAMPLING = Sampling(limit=120, min_sessions=2)
"""What is drawn of the log: frequent and rare queries alike, many of them graded already."""

POOL_BUDGET = 300
"""Pairs that wait for the visitor's grades."""

LAST_DAY = date(2026, 11, 29)
"""The last day of the search log; fixed, so that a log made later is still the same."""

SAMPLE = Path(__file__).resolve().parents[2] / "data" / "sample"


def run_demo(
    folder: Path,
    progress: Progress | None = None,
    *,
    searches: int = SEARCHES,
    models: Sequence[str] = MODELS,
) -> dict[str, Any]:
    """Make the workspace `folder`, if it is none yet, and fill it with the demo.

    Args:
        folder: A workspace of the demo, an empty workspace, or a folder that is none yet.
        progress: Hears what is being done; may raise to stop, and a later run goes on.
        searches: How many searches the log holds, unless there is a log already.
        models: Which models are evaluated and searched with.

    Returns:
        As JSON: workspace (path); task; documents, queries and judgments (how many there are, of
        judgments the grades that stand); dropped ({reason: grades that are not in the workspace});
        imports (what each import prints); mine and pool (what these print; pool is None where no
        query was new); release (what `export` prints) and its task_dir; results (a list of what
        `eval` prints); holes (unjudged, queued, and judged: model -> judged@10); agreement; report;
        marks; seconds (by step).

    Raises:
        WorkspaceError: The workspace holds something else; nothing was changed.
    """
    if not (folder / SETTINGS_FILE).exists():
        init_workspace(folder, NAME).close()
    with open_workspace(folder) as workspace:
        return fill(workspace, progress, searches=searches, models=models)


def demo_job(
    workspace: Workspace, parameters: Mapping[str, Any], progress: Progress
) -> dict[str, Any]:
    """Fill an empty workspace with the demo, as a job of the browser; outcome as `run_demo`.

    Args:
        workspace: Where to.
        parameters: searches and models as `run_demo` takes them, or nothing.
        progress: Told of each step; may raise to cancel.
    """
    searches = int(parameters.get("searches", SEARCHES))
    return fill(workspace, progress, searches=searches, models=parameters.get("models", MODELS))


def fill(
    workspace: Workspace,
    progress: Progress | None = None,
    *,
    searches: int = SEARCHES,
    models: Sequence[str] = MODELS,
) -> dict[str, Any]:
    """Fill an open workspace with the demo; what comes back and what goes wrong as `run_demo`."""
    tell = progress or _tell_nobody
    with alone(workspace, tell):
        claim(workspace)
        return _Making(workspace, tell, searches, models).make()


@dataclass(slots=True)
class _Making:
    """One run of the recipe.

    Attributes:
        workspace: Where to.
        progress: Told of each step.
        searches: How many searches the log holds.
        models: What is evaluated and searched with.
        seconds: Step -> how long it took.
        imports: What was imported -> the tally, as JSON.
    """

    workspace: Workspace
    progress: Progress
    searches: int
    models: Sequence[str]
    seconds: dict[str, float] = field(default_factory=dict)
    imports: dict[str, dict[str, object]] = field(default_factory=dict)

    def make(self) -> dict[str, Any]:
        """Every step in its order, and what came of it."""
        for step in (self._documents, self._queries, self._judgments, self._events):
            self._timed(step)
        mined = self._timed(self._mining)
        pooled = self._timed(self._pooling, mined)
        release = self._timed(self._release)
        # By its path: in a folder that has an ./evals/python-docs, the name would mean that one.
        evaluations = self._timed(self._evaluation, release["task_dir"])
        counts = self._counts()
        with self.workspace.store.write() as connection:
            note(connection, "demo", "demo.fill", NAME, counts)
        return {
            "workspace": str(self.workspace.root),
            "task": TASK,
            **counts,
            "dropped": self.imports["judgments"]["reasons"],
            "imports": self.imports,
            "mine": mined,
            "pool": pooled,
            "release": release,
            "task_dir": release["task_dir"],
            "results": [evaluation.as_json() for evaluation in evaluations],
            "holes": self._timed(self._holes, release["task_dir"]),
            "agreement": self._timed(self._agreement),
            "report": self._timed(self._report),
            "marks": MARKS.model_dump(),
            "seconds": self.seconds,
        }

    def _timed(self, step: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        started = time.perf_counter()
        came = step(*args, **kwargs)
        self.seconds[step.__name__.strip("_")] = time.perf_counter() - started
        return came

    def _counts(self) -> dict[str, int]:
        with self.workspace.store.read() as connection:
            return {
                "documents": count_documents(connection),
                "queries": count_queries(connection),
                "judgments": count_judgments(connection, 1).grades,
            }

    def _documents(self) -> None:
        """The corpus of this Python, where there is none yet.

        A workspace keeps the corpus that it was made with, whichever Python comes later: its
        grades belong to it.
        """
        if self._counts()["documents"]:
            return
        self.progress("reading the documentation of this Python", 0, None)
        file = demo_folder(self.workspace) / "corpus.jsonl"
        write_lines(file, map(_document_row, build_corpus()))
        self._note("corpus", import_corpus(self.workspace, file, progress=self.progress))

    def _queries(self) -> None:
        file = SAMPLE / "queries.jsonl"
        self._note("queries", import_queries(self.workspace, file, progress=self.progress))

    def _judgments(self) -> None:
        """The grades; those on documents that this Python lacks go into quarantine."""
        file = SAMPLE / "judgments.tsv"
        self._note("judgments", import_judgments(self.workspace, file, progress=self.progress))

    def _note(self, what: str, tally: ImportTally) -> None:
        self.imports[what] = tally.as_json()

    def _mining(self) -> dict[str, Any]:
        """Queries drawn from the log; what was drawn once stays, or stays taken back."""
        if not list_samplings(self.workspace):
            mine(self.workspace, SAMPLING, progress=self.progress)
        outcome: dict[str, Any] = list_samplings(self.workspace)[-1]["outcome"]
        return outcome

    def _pooling(self, mined: Mapping[str, Any]) -> dict[str, Any] | None:
        """Pairs of the drawn queries that nobody graded; likewise only once."""
        if not list_poolings(self.workspace):
            if not mined["queries"]["new"]:
                return None
            plan = PoolPlan(
                tuple(self.models),
                depth=5,
                clicks=3,
                skipped=2,
                random=1,
                source="log",
                budget=POOL_BUDGET,
            )
            pool(self.workspace, plan=plan, progress=self.progress)
        return dict(list_poolings(self.workspace)[-1].outcome)

    def _holes(self, task_dir: str) -> dict[str, Any]:
        """What the models show and nobody judged; it waits for a visitor who sends it."""
        self.progress("looking for unjudged documents", 0, None)
        holes = find_holes(self.workspace, task_dir)
        return {
            "reason": holes.reason,
            "unjudged": len(holes.holes),
            "queued": len(holes.queued),
            "judged": {row["model"]: row["judged_before"] for row in holes.models},
        }

    def _release(self) -> dict[str, Any]:
        return export_task(self.workspace, TASK, progress=self.progress)

    def _evaluation(self, task_dir: str) -> list[Evaluation]:
        made = evaluate_models(self.workspace, self.models, [task_dir], progress=self.progress)
        return [self._with_run(evaluation, task_dir) for evaluation in made]

    def _with_run(self, evaluation: Evaluation, task_dir: str) -> Evaluation:
        """The evaluation with its run, in which holes are looked for; a kill may fall between."""
        if evaluation.run_file is not None:
            return evaluation
        again = [evaluation.result.model]
        (made,) = evaluate_models(
            self.workspace, again, [task_dir], overwrite=True, progress=self.progress
        )
        return made

    def _events(self) -> None:
        """The simulated log; once it is there it stays, however the rankings change later."""
        file = demo_folder(self.workspace) / "searches.jsonl"
        if not file.exists():
            if self.workspace.lake.manifest().files("searches"):
                return
            traffic = Traffic(LAST_DAY, searches=self.searches, other_spellings=OTHER_SPELLINGS)
            events = searched_and_clicked(self.workspace, self.models, traffic, self.progress)
            write_lines(file, events)
        tally = import_events(
            self.workspace.lake,
            file,
            quarantine_folder=self.workspace.quarantine_folder,
            progress=self.progress,
        )
        self._note("events", tally)

    def _agreement(self) -> dict[str, Any]:
        self.progress("computing agreement", 0, None)
        with self.workspace.store.read() as connection:
            return agreement(current_grades(connection))

    def _report(self) -> dict[str, Any]:
        self.progress("computing click metrics", 0, None)
        return report(self.workspace.lake)


def write_lines(file: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    """Write the rows as JSON lines: the whole file or none."""
    unfinished = file.with_name(f"{file.name}.part")
    with unfinished.open("w", encoding="utf-8", newline="\n") as lines:
        for row in rows:
            lines.write(json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n")
    unfinished.replace(file)


def _document_row(document: Document) -> dict[str, Any]:
    return {
        "_id": document.doc_id,
        "title": document.title,
        "text": document.text,
        **document.metadata,
    }


def _tell_nobody(what: str, done: int, total: int | None) -> None:
    """Nobody listens."""
