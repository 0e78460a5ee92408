"""The commands that measure: models on tasks, and what users did."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from terminal import output as out
from terminal.options import FILE, json_option, with_workspace, workspace_if_there

if TYPE_CHECKING:
    from datetime import datetime

    from builder.evaluation import Evaluation
    from builder.workspace import Workspace
    from online.slices import By


def evaluation_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options that `eval` and `score` share."""
    for option in (
        click.option(
            "-t",
            "--task",
            "tasks",
            multiple=True,
            required=True,
            help="custom/NAME, custom/NAME@2, draft, or a folder; repeatable.",
        ),
        click.option("--split", help="Which split; test, train, dev or qrels.tsv by default."),
        click.option(
            "--k",
            type=click.IntRange(1, 1000),
            default=10,
            show_default=True,
            help="Also measure at this cutoff.",
        ),
        click.option(
            "--relevance-level",
            type=click.IntRange(1, 3),
            default=1,
            show_default=True,
            help="Lowest relevant grade of binary measures.",
        ),
        click.option("--output", type=FILE, help="Also keep results and runs in this folder."),
        json_option,
    ):
        command = option(command)
    return command


@click.command("eval")
@click.argument("models", nargs=-1, required=True)
@click.option(
    "--type",
    "kind",
    type=click.Choice(["quality"]),
    default="quality",
    show_default=True,
    help="What is measured.",
)
@click.option("--query-prompt", help="Put before every query; the model's own by default.")
@click.option("--doc-prompt", help="Put before every document; the model's own by default.")
@click.option(
    "--batch-size",
    type=click.IntRange(1),
    default=256,
    show_default=True,
    help="Texts encoded at once.",
)
@click.option("--overwrite", is_flag=True, help="Evaluate anew even where a result is at hand.")
@evaluation_options
@click.pass_obj
def evaluate(
    folder: Path, /, models: Sequence[str], *, kind: str, as_json: bool, **how: Any
) -> None:
    """Evaluate models on tasks: bm25, minilm, or any SentenceTransformer name or path."""
    from builder.evaluation import evaluate_models

    del kind  # one kind so far; the option is part of the command's contract
    with workspace_if_there(folder) as workspace, out.progress_bar() as progress:
        results = evaluate_models(workspace, models, progress=progress, **how)
    _print_results(results, as_json=as_json)


@click.command()
@click.argument("run_file", type=FILE)
@evaluation_options
@click.pass_obj
def score(folder: Path, /, run_file: Path, *, as_json: bool, **how: Any) -> None:
    """Score a run file (TREC form) on tasks."""
    from builder.evaluation import score_runs

    with workspace_if_there(folder) as workspace, out.progress_bar() as progress:
        results = score_runs(workspace, run_file, progress=progress, **how)
    _print_results(results, as_json=as_json)


def _print_results(results: "Sequence[Evaluation]", *, as_json: bool) -> None:
    documents = [result.as_json() for result in results]
    if as_json:
        out.print_json(documents[0] if len(documents) == 1 else {"results": documents})
    else:
        out.print_results(documents)


@click.command()
@click.option("--from", "start", type=click.DateTime(["%Y-%m-%d"]), help="First UTC day.")
@click.option("--to", "end", type=click.DateTime(["%Y-%m-%d"]), help="Last UTC day.")
@click.option("--model", help="Only this model version.")
@click.option(
    "--by",
    type=click.Choice(["day", "hour", "query"]),
    help="Also by UTC day, by UTC hour, or for the busiest queries.",
)
@click.option(
    "--top",
    type=click.IntRange(1),
    default=100,
    show_default=True,
    help="How many queries --by query shows.",
)
@json_option
@with_workspace
def report(
    workspace: "Workspace",
    start: "datetime | None",
    end: "datetime | None",
    *,
    as_json: bool,
    **how: Any,
) -> None:
    """Click-through rate and click-MRR, overall and by model version."""
    first, last = (day.date() if day else None for day in (start, end))
    metrics = _report(workspace, start=first, end=last, **how)
    if as_json:
        out.print_json(metrics)
    else:
        out.print_report(metrics, workspace.settings.marks.events)


def _report(workspace: "Workspace", *, by: "By | None", top: int, **choice: Any) -> dict[str, Any]:
    if by is None:
        from online.report import report as report_on

        return report_on(workspace.lake, **choice)
    from online.slices import report_by

    return report_by(workspace.lake, by, most=top, **choice)
