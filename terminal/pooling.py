"""The command that chooses which documents the experts see."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from terminal import output as out
from terminal.options import FILE, NUMBER, json_option, together, with_workspace
from terminal.pool_output import print_filled_holes, print_pooled, print_poolings, print_taken_back

if TYPE_CHECKING:
    from builder.pooling import PoolPlan
    from builder.workspace import Workspace

_SOURCES = ("retrievers", "runs", "clicks", "skipped", "random")
_OTHER_DEEDS = ("listed", "repeat", "take_back", "from_results")


_WHOLE, _SEVERAL = click.IntRange(0), click.IntRange(1)

_plan_options = together(
    click.option(
        "--retriever",
        "retrievers",
        multiple=True,
        metavar="M",
        help="bm25, minilm, or any SentenceTransformer; repeatable. Without any source: bm25.",
    ),
    click.option(
        "--depth",
        type=click.IntRange(1, 1000),
        default=10,
        show_default=True,
        help="How many documents of each ranking join the pool.",
    ),
    click.option("--run", "runs", multiple=True, type=FILE, help="A TREC run file; repeatable."),
    click.option(
        "--clicks",
        type=_WHOLE,
        metavar="N",
        help="The N that users click most for where they stand.",
    ),
    click.option(
        "--skipped",
        type=_WHOLE,
        metavar="N",
        help="N that users passed over, to click below, and that surely attract fewer clicks "
        "than others there: hard negatives.",
    ),
    click.option("--random", type=_WHOLE, metavar="N", help="N of the corpus by chance."),
    click.option(
        "--least-impressions",
        type=_WHOLE,
        default=3,
        show_default=True,
        metavar="N",
        help="For --clicks: shown at least so often; for --skipped: passed over so often.",
    ),
    click.option("--tag", help="Only for queries with this tag."),
    click.option("--source", help="Only for queries from there, such as log."),
    click.option("--only-new", is_flag=True, help="Only for queries without any pair yet."),
    click.option("--budget", type=_SEVERAL, metavar="PAIRS", help="At most so many new pairs."),
    click.option(
        "--hours",
        type=click.FloatRange(0, min_open=True),
        help="At most so many hours of grading, at the team's pace.",
    ),
    click.option(
        "--negatives",
        type=click.FloatRange(0, 1),
        default=0.4,
        show_default=True,
        help="The greatest share of new pairs that only chance and skipped results name.",
    ),
    click.option("--seed", type=int, default=0, show_default=True, help="Of what is drawn."),
)
"""The options that make a PoolPlan, in the order in which the help shows them."""


@click.command()
@_plan_options
@click.option("--dry-run", is_flag=True, help="Only say what would happen.")
@click.option("--list", "listed", is_flag=True, help="Show all fillings of the pool.")
@click.option("--repeat", type=NUMBER, metavar="N", help="Do filling N once more.")
@click.option("--take-back", type=NUMBER, metavar="N", help="Take filling N out of the pool.")
@click.option(
    "--from-results", is_flag=True, help="Unjudged documents in the first ten of evaluated models."
)
@click.option("-t", "--task", help="With --from-results: on which task; else the latest one.")
@click.option(
    "--limit", type=click.IntRange(1), help="With --from-results: only the N that matter most."
)
@json_option
@with_workspace
def pool(workspace: "Workspace", *, as_json: bool, **asked: Any) -> None:
    """Put documents before the experts: of retrievers, run files, users and chance."""
    deed = _deed(asked)
    told, show = _DEEDS[deed](workspace, asked)
    if as_json:
        out.print_json(told)
    else:
        show(told)


def _deed(asked: Mapping[str, Any]) -> str:
    """What is asked for.

    Raises:
        click.UsageError: Two things at once, or an option that belongs to something else.
    """
    deeds = [name for name in _OTHER_DEEDS if asked[name] not in (None, False)]
    if len(deeds) > 1:
        raise click.UsageError(
            "--list, --repeat, --take-back and --from-results are asked for one at a time"
        )
    if (asked["task"] or asked["limit"]) and deeds != ["from_results"]:
        raise click.UsageError("--task and --limit belong to --from-results")
    if deeds and any(asked[name] for name in _SOURCES):
        raise click.UsageError("a source belongs to a new filling of the pool, and to nothing else")
    if asked["budget"] is not None and asked["hours"] is not None:
        raise click.UsageError("name --budget or --hours, not both")
    return deeds[0] if deeds else "new"


_Told = tuple[Any, Callable[[Any], None]]


def _plan(asked: Mapping[str, Any]) -> "PoolPlan":
    from dataclasses import fields

    from builder.pooling import PoolPlan

    told = {field.name: asked[field.name] for field in fields(PoolPlan)}
    told |= {name: asked[name] or 0 for name in ("clicks", "skipped", "random")}
    told["runs"] = [str(Path(run)) for run in asked["runs"]]
    if not any(told[name] for name in _SOURCES):
        told["retrievers"] = ["bm25"]
    return PoolPlan.from_json(told)


def _new(workspace: "Workspace", asked: Mapping[str, Any]) -> _Told:
    from builder.pooling import pool as fill_pool
    from builder.pooling import preview

    plan = _plan(asked)
    with out.progress_bar() as progress:
        if asked["dry_run"]:
            told = preview(workspace, plan, progress)
        else:
            told = fill_pool(workspace, plan=plan, progress=progress)
    return told, lambda outcome: print_pooled(outcome, dry_run=asked["dry_run"])


def _repeated(workspace: "Workspace", asked: Mapping[str, Any]) -> _Told:
    from builder.pooling import repeat_pooling

    with out.progress_bar() as progress:
        told = repeat_pooling(workspace, asked["repeat"], progress, dry_run=asked["dry_run"])
    return told, lambda outcome: print_pooled(outcome, dry_run=asked["dry_run"])


def _taken_back(workspace: "Workspace", asked: Mapping[str, Any]) -> _Told:
    from builder.pooling import take_back_pooling

    told = take_back_pooling(workspace, asked["take_back"], dry_run=asked["dry_run"])
    return told, lambda outcome: print_taken_back(outcome, dry_run=asked["dry_run"])


def _listed(workspace: "Workspace", _: Mapping[str, Any]) -> _Told:
    from builder.pooling import list_poolings

    told = {"poolings": [pooling.as_json() for pooling in list_poolings(workspace)]}
    return told, lambda outcome: print_poolings(outcome["poolings"])


def _from_results(workspace: "Workspace", asked: Mapping[str, Any]) -> _Told:
    from builder.errors import BuilderError
    from builder.evaluation.holes import pool_holes

    with out.progress_bar() as progress:
        told: Mapping[str, Any] = pool_holes(
            workspace,
            asked["task"],
            limit=asked["limit"],
            dry_run=asked["dry_run"],
            progress=progress,
        )
    if told["reason"] == "no_results":
        raise BuilderError(
            "no model was evaluated here yet, so there are no results to look at",
            hint="Run `goldsmith eval` first.",
        )
    return told, lambda outcome: print_filled_holes(outcome, dry_run=asked["dry_run"])


_DEEDS: Mapping[str, Callable[["Workspace", Mapping[str, Any]], _Told]] = {
    "new": _new,
    "repeat": _repeated,
    "take_back": _taken_back,
    "listed": _listed,
    "from_results": _from_results,
}
