"""The command that draws queries from the search log: `goldsmith mine`."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from terminal import output as out
from terminal.measuring import DAY
from terminal.options import json_option, with_workspace
from terminal.texts import plain

if TYPE_CHECKING:
    from builder.mining import Sampling
    from builder.workspace import Workspace

_CHOICE = ("start", "end", "model", "tag", "query_class", "without_bots")
_REASONS = {
    "empty": "empty",
    "too_long": "longer than 2,000 characters",
    "personal_data": "with personal data",
    "few_sessions": "of too few sessions",
    "merged": "merged into a near-duplicate",
}
_HANDLED = {"drop": "left out", "mask": "masked", "keep": "kept as they are"}


def sampling_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """How queries are drawn."""
    for option in reversed(
        (
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
    ):
        command = option(command)
    return command


def choice_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Which searches count."""
    for option in reversed(
        (
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
    ):
        command = option(command)
    return command


@click.command("mine")
@sampling_options
@choice_options
@click.option("--dry-run", is_flag=True, help="Only tell what would come; nothing is written.")
@click.option("--list", "lists", is_flag=True, help="The samplings that there are.")
@click.option(
    "--take-back",
    type=click.IntRange(1),
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
    type=click.IntRange(1),
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
    elif not samplings:
        click.echo("No queries were drawn from the log yet. Draw some with `goldsmith mine`.")
    else:
        columns = ["sampling", "drawn", "by", "queries", "new", "how", "state"]
        standing = [one["sampling_id"] for one in samplings if one["taken_back_at"] is None]
        out.print_table(columns, [_listed(one, standing[:1]) for one in samplings])


def _listed(one: Mapping[str, Any], weighing: Sequence[int]) -> list[str]:
    parameters, queries = one["parameters"], one["outcome"]["queries"]
    stands = "stands, gives the weights" if one["sampling_id"] in weighing else "stands"
    back = one["taken_back_at"]
    return [
        str(one["sampling_id"]),
        one["created_at"][:16].replace("T", " "),
        plain(one["created_by"]),
        f"{queries['sampled']:,}",
        f"{queries['new']:,}",
        _options(parameters),
        f"taken back {back[:10]} by {plain(one['taken_back_by'])}" if back else stands,
    ]


def _options(parameters: Mapping[str, Any]) -> str:
    """How a sampling drew, with all that was not as usual, so that it can be typed again."""
    from builder.mining import Sampling

    usual = Sampling().as_json()
    told = f"{parameters['method']} by {parameters['by']}, seed {parameters['seed']}"
    named = ("method", "by", "seed", "choice")
    other = {key: value for key, value in parameters.items() if key not in named}
    other |= {key: value for key, value in parameters["choice"].items() if key != "zone"}
    usual |= usual["choice"]
    more = [f"{key} {value}" for key, value in other.items() if value != usual.get(key)]
    return ", ".join([told, *(plain(one.replace("_", "-")) for one in more)])


def _take_back(
    workspace: "Workspace", sampling_id: int, *, anyway: bool, dry_run: bool, as_json: bool
) -> None:
    from builder.mining import take_back_sampling

    told = take_back_sampling(workspace, sampling_id, anyway=anyway, dry_run=dry_run)
    if as_json:
        out.print_json(told)
        return
    for line in _taken_back(told, dry_run=dry_run):
        click.echo(line)


def _taken_back(told: Mapping[str, Any], *, dry_run: bool) -> Iterator[str]:
    """What went or would go, what stays, and what that does to weights."""
    from builder.mining.taking_back import KEPT_IN_WORDS

    number, gone = told["sampling_id"], f"{told['queries_removed']:,} queries"
    if dry_run:
        yield f"{gone} would go with sampling {number}. Nothing was written."
    elif told["again"]:
        yield f"sampling {number} was taken back before: {gone} more went"
    else:
        yield f"sampling {number} is taken back: {gone} went"
    for reason, n in told["kept"].items():
        way_out = "; `goldsmith pool --take-back N` first, then this again"
        yield f"  stay, {KEPT_IN_WORDS[reason]}{way_out * (reason == 'in_pool')}: {n:,}"
    if n := told["lose_weight"]:
        does = "would have" if dry_run else "have"
        yield f"{n:,} queries that stay {does} no weight in a release any more"


def print_sampling(outcome: Mapping[str, Any], *, dry_run: bool, mark: str = "") -> None:
    """What was drawn, what it stands for, and what comes next."""
    for line in _lines(outcome, dry_run=dry_run, mark=mark):
        click.echo(line)
    click.echo()
    columns = ["stratum", "queries", "of searches", "drawn", "chance", "of its searches"]
    out.print_table(columns, [_stratum_row(row) for row in outcome["strata"]])
    click.echo()
    for line in _beside(outcome):
        click.echo(line)
    for warning in outcome["warnings"]:
        out.say(f"  {plain(warning, None)}")
    if not dry_run:
        click.echo("Next: goldsmith pool --retriever bm25, then goldsmith app to grade the pairs")


def _lines(outcome: Mapping[str, Any], *, dry_run: bool, mark: str) -> Iterator[str]:
    queries, traffic = outcome["queries"], outcome["traffic"]
    log = f"the log ({mark})" if mark else "the log"
    counts = f"{queries['new']:,} new, {queries['known']:,} known"
    if outcome["unchanged"] is not None:
        yield f"Nothing has changed since sampling {outcome['unchanged']}, and nothing was written."
    if dry_run:
        yield f"{queries['sampled']:,} queries of {log} would come: {counts}. Nothing was written."
    else:
        number = outcome["sampling_id"] or outcome["unchanged"]
        yield f"{queries['sampled']:,} queries of {log}, sampling {number}: {counts}."
    yield (
        f"They make {_share(traffic['share'])} of all {traffic['searches']:,} searches, and were "
        f"drawn from {queries['eligible']:,} of {queries['seen']:,} queries."
    )


def _stratum_row(row: Mapping[str, Any]) -> list[str]:
    chance, share = row["inclusion_probability"], row["share_of_stratum"]
    return [
        plain(row["stratum"]),
        f"{row['queries']:,}",
        _share(row["share_of_searches"]),
        f"{row['sampled']:,}",
        "-" if not row["sampled"] else "differs" if chance is None else f"{chance:.3g}",
        "-" if share is None else _share(share),
    ]


def _share(share: float) -> str:
    return "<0.1%" if 0 < share < 0.001 else f"{share:.1%}"


def _beside(outcome: Mapping[str, Any]) -> Iterator[str]:
    """What was left out, personal data, and evidence."""
    from builder.mining.deciding import flagged_in_words

    for reason, n in outcome["queries"]["dropped"].items():
        yield f"left out, {_REASONS.get(reason, reason)}: {n:,}"
    personal = outcome["personal_data"]
    if personal["queries"]:
        kinds = ", ".join(f"{n:,} {kind}" for kind, n in personal["by_kind"].items())
        yield (
            f"personal data, {_HANDLED[personal['handling']]}: {personal['queries']:,} queries, "
            f"{personal['searches']:,} searches ({kinds})"
        )
    if tags := outcome.get("tags"):
        yield (
            f"several tags, counted by the most frequent: {tags['several']:,} queries; untagged "
            f"since less than half of their searches carry a tag: {tags['too_rarely']:,}"
        )
    evidence = outcome["evidence"]
    yield (
        f"the log tells of {evidence['pairs']:,} pairs of query and document, of "
        f"{evidence['labelled']:,} enough for a weak grade"
    )
    if said := flagged_in_words(evidence.get("flagged")):
        yield f"of the clicks: {said}"
