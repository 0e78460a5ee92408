"""What the terminal says of the pool: what was added, what it costs, what was left out."""

from collections.abc import Mapping, Sequence
from typing import Any

import click

from terminal import output as out

_DROPPED = {
    "clicks_not_in_corpus": "clicked documents that the corpus lacks",
    "skipped_not_in_corpus": "skipped documents that the corpus lacks",
    "hopeless": "pairs that only chance or skipped results name, left out by --negatives",
    "run_lines_broken": "lines of run files that are no rows",
    "run_queries_unknown": "queries of run files that are unknown here",
    "run_queries_not_asked": "queries of run files that were not asked for",
    "run_documents_unknown": "rows of run files whose document the corpus lacks",
    "run_rows_repeated": "rows of run files that name a document again",
    "queries_retired_meanwhile": "queries that were retired meanwhile",
}
_KEPT = {
    "judged": "somebody judged them",
    "decided": "an adjudicator decided on them",
    "rechecked": "they are to be graded once more",
    "query_words": "raters said something of their query",
    "other_pooling": "another filling named them, too",
    "other_source": "they came some other way, too",
    "there_before": "they were there before",
}


def print_pooled(outcome: Mapping[str, Any], *, dry_run: bool) -> None:
    """What joined the pool, or would; what it costs, what was left out, what comes next."""
    named = ", ".join(f"{n:,} from {name}" for name, n in outcome["by_source"].items())
    what = "pairs would join the pool" if dry_run else "new pairs to grade"
    click.echo(f"{outcome['pairs_added']:,} {what} ({named or 'nothing named'})")
    spread, cost = outcome["per_query"], outcome["cost"]
    click.echo(
        f"  {outcome['queries']:,} queries, {spread['min']:,} to {spread['max']:,} new pairs each; "
        f"{outcome['known']:,} of {outcome['candidates']:,} candidates were there already"
    )
    click.echo(
        f"  cost: {cost['grades']:,} grades, {_duration(cost['hours'])} at "
        f"{cost['seconds_a_grade']:.3g} s each ({cost['why']})"
    )
    _print_expected(outcome["expected"])
    if outcome["cut_by_budget"]:
        click.echo(f"  cut by the budget: {outcome['cut_by_budget']:,} pairs")
    for reason, n in outcome["dropped"].items():
        click.echo(f"  {_DROPPED.get(reason, reason.replace('_', ' '))}: {n:,}")
    _print_warnings(outcome)
    _print_next(outcome, dry_run=dry_run)


def print_filled_holes(outcome: Mapping[str, Any], *, dry_run: bool) -> None:
    """What of the unjudged documents of models went to the queue, and judged@k before and after."""
    what = "pairs would join the pool" if dry_run else "new pairs to grade"
    click.echo(
        f"{outcome['pairs_added']:,} {what}, of {outcome['holes']:,} unjudged documents in the "
        f"first {outcome['k']} of models"
    )
    if outcome["reason"]:
        out.say(f"  {str(outcome['reason']).replace('_', ' ')}")
    rows = [
        [one["model"], out.number(one["before"], 3), out.number(one["after"], 3)]
        for one in outcome["judged"]
    ]
    if rows:
        measure = f"judged@{outcome['k']}"
        out.print_table(["model", measure, "once all that waits is graded"], rows)
    _print_next(outcome, dry_run=dry_run)


def print_taken_back(outcome: Mapping[str, Any], *, dry_run: bool) -> None:
    """What a filling left behind when it was taken back, and why."""
    what = "would go" if dry_run else "are gone"
    click.echo(f"filling {outcome['pooling_id']}: {outcome['pairs_removed']:,} pairs {what}")
    for reason, n in outcome["kept"].items():
        click.echo(f"  {n:,} stay: {_KEPT.get(reason, reason)}")
    if outcome["leases"]:
        click.echo(f"  {outcome['leases']:,} of those that go are on raters' screens")


def print_poolings(poolings: Sequence[Mapping[str, Any]]) -> None:
    """All fillings of the pool, newest first."""
    if not poolings:
        click.echo("The pool was never filled on record; `goldsmith pool` does it.")
        return
    rows = [_row(pooling) for pooling in poolings]
    out.print_table(["filling", "when", "by", "sources", "added", "in the pool", "graded"], rows)


def _row(pooling: Mapping[str, Any]) -> list[str]:
    back = pooling["taken_back_at"] is not None
    outcome = pooling["outcome"]
    return [
        str(pooling["pooling_id"]),
        pooling["created_at"][:16].replace("T", " "),
        out.one_line(pooling["created_by"]),
        out.one_line(", ".join(outcome.get("by_source", {}))),
        f"{outcome.get('pairs_added', 0):,}",
        "taken back" if back else f"{pooling['pairs']:,}",
        "" if back else f"{pooling['graded']:,}",
    ]


def _duration(hours: float) -> str:
    return f"{hours:,.1f} hours" if hours >= 1 else f"{hours * 60:.0f} minutes"


def _print_expected(expected: Mapping[str, Any]) -> None:
    share = expected["share_relevant"]
    if share["value"] is None:
        click.echo(f"  how much of it is relevant cannot be told: {expected['why']}")
        return
    click.echo(
        f"  relevant: {share['value']:.0%} expected ({share['low']:.0%} to {share['high']:.0%}), "
        f"{expected['why']}"
    )


def _print_warnings(outcome: Mapping[str, Any]) -> None:
    for warning in outcome["warnings"]:
        out.say(f"  {warning}")
    for finding in outcome["sanity"]:
        out.say(f"  {finding['level']}: {finding['what']}")
        out.say(f"    {finding['fix']}")


def _print_next(outcome: Mapping[str, Any], *, dry_run: bool) -> None:
    if dry_run:
        click.echo("Nothing was written. Next: the same without --dry-run.")
    elif outcome["pooling_id"] is None:
        click.echo("Next: name another source, or more depth.")
    else:
        back = f"goldsmith pool --take-back {outcome['pooling_id']}"
        click.echo(f"Next: grade them (goldsmith app); {back} undoes this.")
