"""What the terminal says of samplings: what was drawn, what it stands for, what went again."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import click

from terminal import output as out
from terminal.texts import plain

_REASONS = {
    "empty": "empty",
    "too_long": "longer than 2,000 characters",
    "personal_data": "with personal data",
    "few_sessions": "of too few sessions",
    "merged": "merged into a near-duplicate",
}
_HANDLED = {"drop": "left out", "mask": "masked", "keep": "kept as they are"}


def print_samplings(samplings: Sequence[Mapping[str, Any]]) -> None:
    """All samplings, the latest first."""
    if not samplings:
        click.echo("No queries were drawn from the log yet. Draw some with `goldsmith mine`.")
        return
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


def print_taken_back(told: Mapping[str, Any], *, dry_run: bool) -> None:
    """What went or would go with a sampling, what stays, and what that does to weights."""
    for line in _taken_back(told, dry_run=dry_run):
        click.echo(line)


def _taken_back(told: Mapping[str, Any], *, dry_run: bool) -> Iterator[str]:
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
