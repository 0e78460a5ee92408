"""What the terminal says of the pool: what was added, what it costs, what was left out."""

from collections.abc import Mapping, Sequence
from typing import Any

import click

from terminal import output as out

_DROPPED = {
    "clicks_not_in_corpus": "clicked documents that the corpus lacks",
    "skipped_not_in_corpus": "skipped documents that the corpus lacks",
    "skipped_unsure": "documents passed over too seldom to be sure that users do not want them",
    "hopeless": "pairs that only chance or skipped results name, left out by --negatives",
    "run_lines_broken": "lines of run files that are no rows",
    "run_queries_unknown": "queries of run files that are unknown here",
    "run_queries_not_asked": "queries of run files that were not asked for",
    "run_documents_unknown": "rows of run files whose document the corpus lacks",
    "run_rows_repeated": "rows of run files that name a document again",
    "queries_retired_meanwhile": "queries that were retired meanwhile",
}
_NO_HOLES = {
    "no_kept_run": "the rankings of these models were not kept; run `goldsmith eval` once more",
    "all_judged": "every document there is judged",
    "nobody_to_ask": "what is unjudged there cannot be asked for any more",
}
_KEPT = {
    "judged": "judged already",
    "decided": "decided on by an adjudicator",
    "rechecked": "to be graded once more",
    "query_words": "raters said something of their query",
    "other_pooling": "named by another filling, too",
    "other_source": "came some other way, too",
    "there_before": "there before this filling",
}


def print_pooled(outcome: Mapping[str, Any], *, dry_run: bool) -> None:
    """What joined the pool, or would; what it costs, what was left out, what comes next."""
    _print_added(outcome, dry_run=dry_run)
    if outcome["queries"]:
        _print_spread(outcome)
    if opened := outcome["opened"]:
        click.echo(f"  asked of raters from then on, known before: {out.count_of(opened, 'pair')}")
    if outcome["pairs_added"] or opened:
        _print_cost(outcome)
    if outcome["cut_by_budget"]:
        click.echo(f"  cut by the budget: {out.count_of(outcome['cut_by_budget'], 'pair')}")
    for reason, n in outcome["dropped"].items():
        if n:
            click.echo(f"  {_DROPPED.get(reason, reason.replace('_', ' '))}: {n:,}")
    _print_flagged(outcome)
    _print_warnings(outcome, dry_run=dry_run)
    if outcome["queries"]:
        _print_next(outcome, dry_run=dry_run)
    else:
        click.echo("Next: import queries, or leave out --only-new.")


def _print_added(outcome: Mapping[str, Any], *, dry_run: bool) -> None:
    """How many pairs are new, and of these how many each source names; then all that it names."""
    n = outcome["pairs_added"]
    new = {one["source"]: one["new"] for one in outcome["sources"] if one["new"]}
    click.echo(f"{_joined(n, dry_run=dry_run)}{': ' * bool(new)}{_by_source(new)}")
    if outcome["by_source"]:
        click.echo(f"  named in all, known ones too: {_by_source(outcome['by_source'])}")
    if sum(new.values()) > n:
        click.echo("  a pair that several sources name counts for each of them")


def _joined(pairs: int, *, dry_run: bool) -> str:
    what = "would join the pool" if dry_run else "joined the pool"
    return f"{out.count_of(pairs, 'pair')} {what}"


def _by_source(counts: Mapping[str, int]) -> str:
    most_first = sorted(counts.items(), key=lambda one: (-one[1], one[0]))
    return ", ".join(f"{out.one_line(name)} {n:,}" for name, n in most_first)


def _print_spread(outcome: Mapping[str, Any]) -> None:
    least, most = outcome["per_query"]["min"], outcome["per_query"]["max"]
    each = f"{least:,}" if least == most else f"{least:,} to {most:,}"
    click.echo(
        f"  {out.count_of(outcome['queries'], 'query')}, {each} new "
        f"{'pair' if least == most == 1 else 'pairs'} each; {outcome['known']:,} of "
        f"{out.count_of(outcome['candidates'], 'candidate')} in the pool before"
    )


def _print_cost(outcome: Mapping[str, Any]) -> None:
    cost = outcome["cost"]
    click.echo(
        f"  cost: {out.count_of(cost['grades'], 'grade')}, {_duration(cost['hours'])} at "
        f"{cost['seconds_a_grade']:.3g} s each ({cost['why']})"
    )
    _print_expected(outcome["expected"])


def print_filled_holes(outcome: Mapping[str, Any], *, dry_run: bool) -> None:
    """What of the unjudged documents of models went to the queue, and judged@k before and after."""
    holes = out.count_of(outcome["holes"], "unjudged document")
    joined = _joined(outcome["pairs_added"], dry_run=dry_run)
    click.echo(f"{joined}, of {holes} in the first {outcome['k']} of models")
    if n := outcome["queued"]:
        click.echo(f"  {n:,} more {'waits' if n == 1 else 'wait'} to be graded already")
    if outcome["reason"]:
        out.say(f"  {_NO_HOLES.get(outcome['reason'], outcome['reason'])}")
    rows = [
        [one["model"], out.number(one["before"], 3), out.number(one["after"], 3)]
        for one in outcome["judged"]
    ]
    if rows:
        measure = f"judged@{outcome['k']}"
        out.print_table(["model", measure, "once all that waits is graded"], rows)
    if outcome["pairs_added"]:
        _print_next(outcome, dry_run=dry_run)


def print_taken_back(outcome: Mapping[str, Any], *, dry_run: bool) -> None:
    """What a filling left behind when it was taken back, and why."""
    removed = outcome["pairs_removed"]
    what = "would go" if dry_run else "is gone" if removed == 1 else "are gone"
    click.echo(f"filling {outcome['pooling_id']}: {out.count_of(removed, 'pair')} {what}")
    for reason, n in outcome["kept"].items():
        click.echo(f"  {n:,} {'stays' if n == 1 else 'stay'}: {_KEPT.get(reason, reason)}")
    if n := outcome["leases"]:
        click.echo(f"  {n:,} of those that go {'is' if n == 1 else 'are'} on raters' screens")


def print_poolings(poolings: Sequence[Mapping[str, Any]]) -> None:
    """All fillings of the pool, newest first: of their new pairs how many are there and graded."""
    if not poolings:
        click.echo("The pool was never filled on record; `goldsmith pool` does it.")
        return
    rows = [_row(pooling) for pooling in poolings]
    out.print_table(
        ["filling", "when", "by", "sources", "added", "in the pool", "graded", "known"], rows
    )


def _row(pooling: Mapping[str, Any]) -> list[str]:
    outcome = pooling["outcome"]
    here, graded = f"{pooling['new']:,}", f"{pooling['new_graded']:,}"
    if pooling["taken_back_at"] is not None:
        here, graded = _stayed(outcome.get("taken_back"))
    return [
        str(pooling["pooling_id"]),
        pooling["created_at"][:16].replace("T", " "),
        out.one_line(pooling["created_by"]),
        out.one_line(", ".join(outcome.get("by_source", {}))),
        f"{outcome.get('pairs_added', 0):,}",
        here,
        graded,
        f"{pooling['pairs'] - pooling['new']:,}" if pooling["taken_back_at"] is None else "",
    ]


def _stayed(taken_back: Mapping[str, Any] | None) -> tuple[str, str]:
    """Of a filling that was taken back what of its pairs stayed, and how many were graded then."""
    if taken_back is None:
        return "taken back", ""
    n = taken_back["stayed"]
    stayed = f", {n:,} stayed" if n else ""
    return f"taken back{stayed}", f"{taken_back['kept'].get('judged', 0):,}"


def _duration(hours: float) -> str:
    if hours >= 1:
        return "1 hour" if f"{hours:.1f}" == "1.0" else f"{hours:,.1f} hours"
    return out.count_of(round(hours * 60), "minute")


def _print_expected(expected: Mapping[str, Any]) -> None:
    share = expected["share_relevant"]
    if share["value"] is None:
        click.echo(f"  how much of it is relevant cannot be told: {expected['why']}")
        return
    covered, new = expected["pairs"], expected["of_pairs"]
    rest = (
        "" if covered >= new else f" of {covered:,} pairs, unknown for the other {new - covered:,}"
    )
    click.echo(
        f"  relevant: {share['value']:.0%} expected{rest} ({share['low']:.0%} to "
        f"{share['high']:.0%}), {expected['why']}"
    )


def _print_flagged(outcome: Mapping[str, Any]) -> None:
    """How many searches of machines the clicks leave out."""
    from builder.mining.deciding import flagged_in_words

    if said := flagged_in_words(outcome["flagged"]):
        click.echo(f"  of the clicks: {said}")


def _print_warnings(outcome: Mapping[str, Any], *, dry_run: bool) -> None:
    """What a reader should know; of the corpus in full before, and afterwards in a line each."""
    for warning in outcome["warnings"]:
        out.say(f"  {warning}")
    for finding in outcome["sanity"]:
        out.say(f"  {finding['level']}: {finding['what']}")
        if dry_run:
            out.say(f"    why it matters: {finding['why']}")
            out.say(f"    what to do: {finding['fix']}")
    if outcome["sanity"] and not dry_run:
        out.say("  `goldsmith pool --dry-run` tells why that matters, and what to do")


def _print_next(outcome: Mapping[str, Any], *, dry_run: bool) -> None:
    number, added = outcome["pooling_id"], outcome["pairs_added"]
    if dry_run and added:
        click.echo("Nothing was written. Next: the same without --dry-run.")
    elif dry_run:
        click.echo("Nothing was written. Next: name another source, or more depth.")
    elif number is None:
        click.echo("Nothing is new, so there is no filling to take back.")
        click.echo("Next: name another source, or more depth.")
    elif not added:
        click.echo(f"Filling {number} only notes who named these pairs, too.")
        click.echo("Next: name another source, or more depth.")
    else:
        back = f"goldsmith pool --take-back {number}"
        click.echo(f"Next: grade them (goldsmith app); {back} undoes this.")
