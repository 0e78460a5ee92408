"""The command that draws queries from the search log: `goldsmith mine`."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from terminal import output as out
from terminal.measuring import DAY
from terminal.mining_output import print_sampling, print_samplings, print_taken_back
from terminal.options import NUMBER, json_option, together, with_workspace

if TYPE_CHECKING:
    from builder.mining import Sampling
    from builder.workspace import Workspace

_CHOICE = ("start", "end", "model", "tag", "query_class", "without_bots")

_sampling_options = together(
    click.option(
        "--limit",
        type=click.IntRange(1, 100_000),
        default=200,
        show_default=True,
        help="How many queries at most, known ones among them.",
    ),
    click.option(
        "--method",
        type=click.Choice(["stratified", "random", "traffic"]),
        default="stratified",
        show_default=True,
        help="So many from each stratum; every query alike; or by its searches.",
    ),
    click.option(
        "--by",
        type=click.Choice(["traffic", "tag", "class", "language", "outcome"]),
        default="traffic",
        show_default=True,
        help="What the strata are; outcome: zero results, no click, clicked. Tag: the one "
        "that most of its searches carry, if at least half of them carry any.",
    ),
    click.option(
        "--head",
        type=click.FloatRange(0, 1, min_open=True, max_open=True),
        default=0.5,
        show_default=True,
        help="The most frequent queries with this share of searches are the head.",
    ),
    click.option(
        "--torso",
        type=click.FloatRange(0, 1, max_open=True),
        default=0.3,
        show_default=True,
        help="Share of searches of the queries that come next; the rest is the tail.",
    ),
    click.option(
        "--allocation",
        type=click.Choice(["equal", "proportional"]),
        default="equal",
        show_default=True,
        help="As many from each stratum, or by how many queries it has.",
    ),
    click.option(
        "--seed",
        type=click.IntRange(0, 2**63 - 1),
        default=0,
        show_default=True,
        help="With the same one a greater limit keeps the smaller sample.",
    ),
    click.option(
        "--min-sessions",
        type=click.IntRange(1),
        default=1,
        show_default=True,
        help="Leave out queries of fewer sessions.",
    ),
    click.option(
        "--personal",
        type=click.Choice(["drop", "mask", "keep"]),
        default="drop",
        show_default=True,
        help="What becomes of queries with e-mail, phone, card, IBAN or long numbers.",
    ),
    click.option(
        "--merge-near",
        is_flag=True,
        help="Take queries as one that differ in order, endings, accents, punctuation.",
    ),
)
"""How queries are drawn."""


_choice_options = together(
    click.option("--from", "start", type=DAY, help="First UTC day."),
    click.option("--to", "end", type=DAY, help="Last UTC day."),
    click.option("--model", help="Only searches of this model version."),
    click.option("--tag", help="Only searches that carry this tag."),
    click.option(
        "--class",
        "query_class",
        type=click.Choice(["empty", "question", "with_number", "long", "keyword"]),
        help="Only searches whose query is of this class.",
    ),
    click.option(
        "--without-bots", is_flag=True, help="Leave out sessions that are flagged as bots."
    ),
)
"""Which searches count."""


@click.command("mine")
@_sampling_options
@_choice_options
@click.option("--dry-run", is_flag=True, help="Only tell what would come; nothing is written.")
@click.option("--list", "lists", is_flag=True, help="The samplings that there are.")
@click.option(
    "--take-back",
    type=NUMBER,
    metavar="N",
    help="Let the queries go that only sampling N brought; refused while some are in the pool.",
)
@click.option(
    "--anyway",
    is_flag=True,
    help="With --take-back: also while queries stay that are in the pool or graded.",
)
@click.option(
    "--repeat",
    "repeats",
    type=NUMBER,
    metavar="N",
    help="Draw again as sampling N did, from the log as it is now.",
)
@json_option
@with_workspace
def mine(  # noqa: PLR0913 - one for each option
    workspace: "Workspace",
    *,
    lists: bool,
    take_back: int | None,
    repeats: int | None,
    anyway: bool,
    dry_run: bool,
    as_json: bool,
    **asked: Any,
) -> None:
    """Draw queries that are worth judging from the search log.

    Queries are one if they differ only in case, white space or how Unicode composes their letters.
    Each keeps its stratum and the probability with which it was drawn, up to the task folder.
    """
    instead = [lists, take_back is not None, repeats is not None]
    if sum(instead) > 1 or (any(instead) and _given(asked)):
        raise click.UsageError(
            "--list, --take-back or --repeat, one of them, and none of the options that say how "
            "queries are drawn."
        )
    if anyway and take_back is None:
        raise click.UsageError("--anyway goes with --take-back N.")
    if lists:
        _list(workspace, as_json=as_json)
    elif take_back is not None:
        _take_back(workspace, take_back, anyway=anyway, dry_run=dry_run, as_json=as_json)
    else:
        _draw(workspace, asked, repeats, dry_run=dry_run, as_json=as_json)


def _given(asked: Mapping[str, Any]) -> bool:
    """Whether any of these options was typed."""
    context = click.get_current_context()
    typed = click.core.ParameterSource.COMMANDLINE
    return any(context.get_parameter_source(name) is typed for name in asked)


def _draw(
    workspace: "Workspace",
    asked: dict[str, Any],
    repeats: int | None,
    *,
    dry_run: bool,
    as_json: bool,
) -> None:
    from builder.mining import mine as mine_queries
    from builder.mining import repeat

    with out.progress_bar() as progress:
        if repeats is not None:
            outcome = repeat(workspace, repeats, dry_run=dry_run, progress=progress)
        else:
            options = _sampling(asked)
            outcome = mine_queries(workspace, options, dry_run=dry_run, progress=progress)
    if as_json:
        out.print_json(outcome)
    else:
        print_sampling(outcome, dry_run=dry_run, mark=workspace.settings.marks.events)


def _sampling(asked: dict[str, Any]) -> "Sampling":
    from builder.mining import Sampling
    from online.engines import Choice

    choice = {name: asked.pop(name) for name in _CHOICE}
    for day in ("start", "end"):
        choice[day] = choice[day].date() if choice[day] else None
    return Sampling(**asked, choice=Choice(**choice))


def _list(workspace: "Workspace", *, as_json: bool) -> None:
    from builder.mining import list_samplings

    samplings = list_samplings(workspace)
    if as_json:
        out.print_json({"samplings": samplings})
    else:
        print_samplings(samplings)


def _take_back(
    workspace: "Workspace", sampling_id: int, *, anyway: bool, dry_run: bool, as_json: bool
) -> None:
    from builder.mining import take_back_sampling

    told = take_back_sampling(workspace, sampling_id, anyway=anyway, dry_run=dry_run)
    if as_json:
        out.print_json(told)
    else:
        print_taken_back(told, dry_run=dry_run)
