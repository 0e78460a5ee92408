"""The commands that measure: models on tasks, and what users did."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from terminal import output as out
from terminal.options import FILE, json_option, with_workspace, workspace_if_there

if TYPE_CHECKING:
    from datetime import date

    from builder.evaluation import Evaluation
    from builder.workspace import Workspace
    from online.queries import Kind
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


DAY = click.DateTime(["%Y-%m-%d"])


class Days(click.ParamType[tuple["date", "date"]]):
    """Two days, such as 2026-11-01:2026-11-07."""

    name = "days"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> "tuple[date, date]":
        """The first and the last day; usage error unless they are two."""
        first, _, last = str(value).partition(":")
        try:
            start, end = (DAY.convert(day, param, ctx).date() for day in (first, last))
        except click.BadParameter:
            self.fail(f"{value!r} is not FROM:TO, such as 2026-11-01:2026-11-07", param, ctx)
        if start > end:
            self.fail(f"{value!r}: the first day is after the last", param, ctx)
        return start, end


@click.command()
@click.option("--from", "start", type=DAY, help="First day.")
@click.option("--to", "end", type=DAY, help="Last day.")
@click.option("--zone", default="UTC", show_default=True, help="Whose days and hours are meant.")
@click.option("--model", help="Only this model version.")
@click.option("--tag", help="Only searches with this tag.")
@click.option(
    "--class",
    "query_class",
    type=click.Choice(["empty", "question", "with_number", "long", "keyword"]),
    help="Only queries of this class.",
)
@click.option("--without-bots", is_flag=True, help="Leave out sessions that are flagged as bots.")
@click.option(
    "--by",
    type=click.Choice(["day", "hour", "query", "tag", "class", "model"]),
    help="Also by day, hour, tag, class of query, or query by query.",
)
@click.option(
    "--sort",
    type=click.Choice(["busiest", "worst", "best", "zero-results", "no-clicks", "changed"]),
    help="Which queries --by query shows; the busiest, unless told otherwise.",
)
@click.option(
    "--against",
    type=Days(),
    help="FROM:TO, the days that --sort changed compares with; without --from, all days after them "
    "are compared.",
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
def report(workspace: "Workspace", *, as_json: bool, **asked: Any) -> None:
    """What users did: click-through rate, click-MRR and kin, overall and by model version.

    Dwell is the longest among a search's clicks. A search is reformulated where the same session
    searches for something else within 5 minutes without having clicked. Conversions and values are
    0 where a log tells such of other searches of the model in these days, else not logged.
    """
    from terminal.report_output import print_report, say_what_there_is

    _check_report_options(asked)
    days = {name: day.date() if (day := asked.pop(name)) else None for name in ("start", "end")}
    how = {name: asked.pop(name) for name in ("by", "sort", "against", "top")}
    filters = _days_behind(days, how["against"]) | asked
    metrics = _report(workspace, filters, **how)
    if as_json:
        out.print_json(metrics)
    else:
        print_report(metrics, workspace.settings.marks.events, asked["zone"])
    if not metrics["overall"]["searches"]:
        say_what_there_is(workspace.lake, filters)


def _days_behind(
    days: dict[str, "date | None"], against: "tuple[date, date] | None"
) -> dict[str, "date | None"]:
    """Without a first day, those behind the days that are compared with; they must not overlap."""
    start, end = days["start"], days["end"]
    if against is None or start is not None or (end is not None and end <= against[1]):
        return days
    from datetime import timedelta

    start = against[1] + timedelta(days=1)
    out.say(f"compared are the days from {start} on")
    return days | {"start": start}


def _check_report_options(asked: Mapping[str, Any]) -> None:
    if asked["sort"] and asked["by"] != "query":
        raise click.UsageError("--sort says which queries are shown: it needs --by query")
    if (asked["sort"] == "changed") != (asked["against"] is not None):
        raise click.UsageError(
            "--sort changed and --against FROM:TO need each other, such as "
            "--by query --sort changed --against 2026-10-01:2026-10-31"
        )


def _report(
    workspace: "Workspace",
    filters: Mapping[str, Any],
    *,
    by: "By | Literal['query'] | None",
    sort: "Kind | None",
    against: "tuple[date, date] | None",
    top: int,
) -> dict[str, Any]:
    from online.engines import Choice
    from online.kept import kept
    from online.report import report_on, unjoined_on
    from online.slices import slice_on

    choice = Choice(**filters)

    def count() -> dict[str, Any]:
        with workspace.lake.connect() as connection:
            found = report_on(connection, choice) | {
                "unjoined": unjoined_on(connection, choice),
                "without_bots": choice.without_bots,
            }
            if by == "query":
                from online.queries import query_table_on

                before = replace(choice, start=against[0], end=against[1]) if against else None
                return found | query_table_on(connection, choice, sort or "busiest", before, top)
            return found | slice_on(connection, by, choice) if by else found

    asked: dict[str, Any] = {"report": choice, "by": by, "sort": sort, "against": against}
    asked["top"] = top if by == "query" else None
    return kept(workspace.cache_folder, workspace.lake, asked, count)
