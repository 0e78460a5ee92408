"""What the terminal says of queries that a language model writes: what it costs, and brought."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import click

from terminal import output as out
from terminal.pool_output import print_taken_back as print_filling_taken_back
from terminal.texts import plain

_REJECTED = {
    "finish_reason": "in answers that did not end by themselves",
    "more_than_asked": "beyond the number asked for",
    "empty": "empty",
    "length": "too short or too long",
    "foreign_address": "that are only an address, which their document does not name",
    "refers_to_document": 'that speak of "the document"',
    "language": "in another language",
    "example_copy": "copied from an example",
    "copied_span": "copied from their document",
    "near_duplicate_document": "like another of the same document",
    "near_duplicate_set": "like a query of the set",
    "in_log": "that the search log has",
    "injection": "that may follow orders in their document",
}
_FLAGGED = {
    "not_found": "that no search finds its document for",
    "suspect_document": "of documents with orders to a model in them",
}
_UNGRADED = {
    "waiting": "waiting for experts",
    "not_asked": "of these asked of nobody",
    "cannot_judge": "that nobody can judge",
    "gone": "retired, merged or rewritten since",
    "later": "queries that came later, which this validation does not speak of",
}


def print_estimate(told: Mapping[str, Any], *, dry_run: bool) -> None:
    """What a run would send, to whom, and what it would take."""
    click.echo(
        f"{out.count_of(told['documents'], 'document')}, {out.count_of(told['calls'], 'call')}, "
        f"{out.count_of(told['queries'], 'query')} asked for"
    )
    click.echo(f"  model {plain(told['model'])}; texts go to {plain(told['host'])}")
    tokens = told["tokens"]
    click.echo(
        f"  tokens: about {tokens['total']:,} ({tokens['low']:,} to {tokens['high']:,}), "
        f"{tokens['input']:,} sent and {tokens['output']:,} answered"
    )
    click.echo(f"  cost: {_expected_cost(told)}")
    at_once = out.count_of(told["concurrency"], "call")
    click.echo(f"  time: about {_duration(told['seconds'])}, {at_once} at once")
    if caps := _caps(told["caps"]):
        click.echo(f"  at most {caps}")
    for reason, n in told["skipped"].items():
        click.echo(f"  documents left out, {reason.replace('_', ' ')}: {n:,}")
    if len(told["strata"]) > 1:
        out.print_table(
            ["  stratum", "documents", "chosen"],
            [
                [f"  {plain(row['stratum'])}", f"{row['documents']:,}", f"{row['chosen']:,}"]
                for row in told["strata"]
            ],
        )
    _print_warnings(told["warnings"])
    if told["key_needed"] and not told["key_found"]:
        out.say("  no key is found in the environment; without one the server answers nothing")
    if dry_run:
        click.echo("Nothing was sent. Next: the same without --dry-run.")


def print_synthesis(told: Mapping[str, Any], said: Sequence[str] = ()) -> None:
    """What a run brought, what the filters made of it, what it cost, and what is next.

    Args:
        told: As `builder.synthesis.running.synth` tells it.
        said: Warnings that the estimate has given already.
    """
    number = told["synthesis_id"]
    click.echo(
        f"run {number}, {told['state']}: "
        f"{out.count_of(told['generated'], 'query')} of {out.count_of(told['calls'], 'call')}, "
        f"{told['kept']:,} kept"
    )
    _print_counts("rejected", told["rejected"], _REJECTED)
    _print_counts("flagged", told["flagged"], _FLAGGED)
    failed = {name: n for name, n in told["outcomes"].items() if n and name != "ok"}
    if failed:
        listed = ", ".join(f"{name.replace('_', ' ')} {n:,}" for name, n in failed.items())
        click.echo(f"  calls without a query: {listed}")
    if n := told["unknown"]:
        click.echo(f"  calls sent without a recorded answer, perhaps paid for: {n:,}")
    click.echo(
        f"  tokens: {told['tokens']:,} ({told['tokens_in']:,} sent, {told['tokens_out']:,} "
        f"answered); cost: {_cost(told)}; {_duration(told['seconds'])}"
    )
    if told["message"]:
        click.echo(f"  {plain(told['message'], None)}")
    _print_warnings([warning for warning in told["warnings"] if warning not in said])
    for line in _next(told):
        click.echo(line)


def say_waiting(n: int) -> None:
    """That a command which is to stop waits for answers, on stderr."""
    them = "its way, which" if n == 1 else "their way, which"
    leaves = "it" if n == 1 else "them"
    out.say(
        f"waiting for {out.count_of(n, 'answer')} on {them} may be paid for; "
        f"Ctrl-C again leaves {leaves}"
    )


def print_syntheses(runs: Sequence[Mapping[str, Any]]) -> None:
    """All runs, the latest first."""
    if not runs:
        click.echo("No language model has written queries here; `goldsmith synth` has it done.")
        return
    columns = ["run", "when", "by", "state", "model", "host", "documents", "calls", "queries"]
    columns += ["kept", "accepted", "of these stand", "waiting", "tokens", "cost"]
    out.print_table(columns, _rows(runs))


def _rows(runs: Sequence[Mapping[str, Any]]) -> list[list[str]]:
    return [
        [
            str(run["synthesis_id"]),
            _moment(run["created_at"]),
            plain(run["created_by"], 20),
            "taken back" if run["taken_back_at"] else _state(run),
            plain(run["model"], 30),
            plain(run["host"], 30),
            *(f"{run[name]:,}" for name in ("documents", "calls", "generated", "kept")),
            f"{run['accepted']:,}",
            f"{run['left']:,}",
            f"{run['waiting']:,}",
            f"{run['tokens']:,}",
            _cost(run),
        ]
        for run in runs
    ]


def print_calls(calls: Sequence[Mapping[str, Any]]) -> None:
    """Every request of a run, in the order of sending."""
    if not calls:
        click.echo("Nothing was sent.")
        return
    rows = [
        [
            f"{call['position'] + 1:,}",
            plain(call["doc_id"], 24),
            plain(call["prompt"], 16),
            str(call["attempt"]),
            _moment(call["sent_at"]),
            call["rung"],
            call["outcome"] or "unknown",
            _number(call["prompt_tokens"]),
            _number(call["completion_tokens"]),
            _money(call["cost"]),
            plain(call["message"], 40),
        ]
        for call in calls
    ]
    columns = ["task", "document", "type", "attempt", "sent", "asked by", "outcome"]
    out.print_table([*columns, "tokens in", "out", "cost", "message"], rows)


def print_rejected(rows: Sequence[Mapping[str, Any]]) -> None:
    """What the filters rejected, each with the reason that decided."""
    for row in rows:
        rescued = ", accepted by a reviewer" if row["review"] == "accepted" else ""
        click.echo(f"run {row['synthesis_id']}, {plain(row['doc_id'])}, {plain(row['prompt'])}:")
        click.echo(f"  {plain(row['text'], 200)}")
        for reason in row["reasons"]:
            click.echo(f"    {reason['filter']}: {plain(reason['detail'], 200)}{rescued}")
    click.echo(f"{out.count_of(len(rows), 'query')} rejected by filters")


def print_accepted(told: Mapping[str, Any]) -> None:
    """How many queries entered the set unseen, and what is next."""
    n = told["accepted"]
    click.echo(f"{out.count_of(n, 'query')} joined the set, source synthetic")
    for name, why in (
        ("same_text", "a query of the set says the same"),
        ("unfit", "the text cannot be a query"),
        ("flagged", "a filter flagged it"),
    ):
        if left := told.get(name):
            click.echo(f"  left for a reviewer, {why}: {left:,}")
    if n:
        click.echo("Next: goldsmith synth --validate draws some of them for experts.")


def print_taken_back(told: Mapping[str, Any], *, dry_run: bool) -> None:
    """Which queries of a run go, and which stay and why."""
    from builder.synthesis.taking_back import KEPT_IN_WORDS

    n = told["queries_removed"]
    click.echo(f"run {told['synthesis_id']}: {out.count_of(n, 'query')} {_go(n, dry_run=dry_run)}")
    if n := told["unreviewed"]:
        waits = "waits" if n == 1 else "wait"
        click.echo(f"  {out.count_of(n, 'query')} not reviewed yet {waits} no more")
    for reason, kept in told["kept"].items():
        stays = "stays" if kept == 1 else "stay"
        click.echo(f"  {kept:,} {stays}: {KEPT_IN_WORDS[reason]}")
    if told["again"]:
        click.echo("  it was taken back before")
    if dry_run and told["needs_anyway"]:
        click.echo("It is refused unless you say --anyway.")


def print_drawn(told: Mapping[str, Any], *, dry_run: bool) -> None:
    """Which synthetic queries experts get to grade, and beside how many other documents."""
    is_new = told["unchanged"] is None
    drawn = "would be drawn" if dry_run and is_new else "are drawn"
    click.echo(
        f"{told['drawn']:,} of {out.count_of(told['queries'], 'query')} {drawn} for experts, "
        f"strata by {told['by']}"
    )
    rows = [
        [plain(row["stratum"]), _number(row["queries"]), _number(row["drawn"])]
        for row in told["strata"]
    ]
    out.print_table(["stratum", "queries", "drawn"], rows)
    if told["others"] is None:
        click.echo(f"  documents for them to grade: {told['pairs_at_most']:,} at most")
    else:
        click.echo(f"  documents for them to grade: {told['drawn'] + told['others']:,}")
    if n := told["alone"]:
        click.echo(f"  queries without another document, so that raters may guess: {n:,}")
    _print_warnings(told["warnings"])
    if not is_new:
        click.echo(f"Validation {told['unchanged']} drew just these: nothing was written.")
    elif dry_run:
        click.echo("Nothing was written. Next: the same without --dry-run.")
    else:
        click.echo(
            "Next: experts grade them (goldsmith app); goldsmith synth --validation says what they "
            "found."
        )


def print_validation(told: Mapping[str, Any]) -> None:
    """How far experts agree that the documents are relevant, by stratum, and what that allows."""
    if told["validation_id"] is not None:
        click.echo(
            f"validation {told['validation_id']}: {told['drawn']:,} of "
            f"{out.count_of(told['queries'], 'synthetic query')} drawn, {told['graded']:,} graded, "
            f"{told['agree']:,} found relevant (grade 2 or 3): {_share(told['agreement'])}"
        )
        for name, why in _UNGRADED.items():
            if n := told[name]:
                click.echo(f"  {why}: {n:,}")
        out.print_table(
            ["stratum", "queries", "drawn", "graded", "agree", "share", "verdict"],
            [_stratum_row(row) for row in told["strata"]],
        )
        estimates = told["estimates"]
        click.echo(f"  of all of them relevant: {_share(estimates['share_relevant'])}")
    click.echo(plain(told["sentence"], None))
    if told["next"]:
        click.echo(f"Next: {plain(told['next'], None)}")


def _stratum_row(row: Mapping[str, Any]) -> list[str]:
    return [
        plain(row["stratum"]),
        *(_number(row[name]) for name in ("queries", "drawn", "graded", "agree")),
        _share(row["agreement"]),
        str(row["state"]).replace("_", " "),
    ]


def print_validation_taken_back(told: Mapping[str, Any], *, dry_run: bool) -> None:
    """That a validation stands no more, what of its pairs goes, and which one counts then."""
    stands = "would stand" if dry_run else "stands"
    click.echo(f"validation {told['validation_id']} {stands} no more")
    if told["filling"] is not None:
        print_filling_taken_back(told["filling"], dry_run=dry_run)
    then = told["standing"]
    click.echo("No validation stands." if then is None else f"Validation {then} counts again.")


def _share(share: Mapping[str, Any]) -> str:
    """A share with its interval, or why there is none."""
    if share["value"] is None:
        return f"unknown, {str(share['reason']).replace('_', ' ')}"
    if share["low"] is None:
        return f"{share['value']:.0%}"
    return f"{share['value']:.0%} ({share['low']:.1%} to {share['high']:.1%})"


def _state(run: Mapping[str, Any]) -> str:
    reason = run["stopped"]
    if not reason:
        return str(run["state"])
    return f"{run['state']}: {reason.replace('cap_', 'limit of ').replace('_', ' ')}"


def _print_counts(what: str, counts: Mapping[str, int], words: Mapping[str, str]) -> None:
    """Each reason with its number, the most frequent first."""
    found = {reason: n for reason, n in counts.items() if n}
    for reason, n in sorted(found.items(), key=lambda one: (-one[1], one[0])):
        click.echo(f"  {what}, {words.get(reason, reason.replace('_', ' '))}: {n:,}")


def _next(told: Mapping[str, Any]) -> Iterator[str]:
    number, left = told["synthesis_id"], told["waiting"] + told["failed"]
    if told["state"] != "done" and left:
        more = " --retry-failed" if told["failed"] else ""
        yield (
            f"{out.count_of(left, 'answer')} still wanted: goldsmith synth --resume {number}{more} "
            "goes on, with new limits if you name any."
        )
    elif told["failed"]:
        yield (
            f"{out.count_of(told['failed'], 'call')} given up: goldsmith synth --resume {number} "
            "--retry-failed asks again."
        )
    if told["kept"]:
        yield (
            f"Next: review them (goldsmith app, Generate), or goldsmith synth --accept-all {number}"
        )
    elif told["generated"]:
        yield f"Next: goldsmith synth --rejected {number} shows what the filters rejected."


def _expected_cost(told: Mapping[str, Any]) -> str:
    cost = told["cost"]
    if cost is None:
        return f"unknown; no price of {plain(told['model'])} stands in workspace.toml, [prices]"
    low, value, high = (_money(cost[name]) for name in ("low", "value", "high"))
    return f"about {value} {plain(cost['currency'])} ({low} to {high})"


def _cost(told: Mapping[str, Any]) -> str:
    if told["cost"] is None:
        return "unknown"
    return f"{_money(told['cost'])} {plain(told['currency'] or '', 8)}".rstrip()


def _money(cost: float | None) -> str:
    """A sum; what is below a cent keeps two digits that say something."""
    if cost is None:
        return "-"
    return f"{cost:,.2f}" if cost >= 0.1 or not cost else f"{cost:.2g}"


def _number(n: int | None) -> str:
    return "-" if n is None else f"{n:,}"


def _caps(caps: Mapping[str, Any]) -> str:
    words = {"max_calls": "calls", "max_total_tokens": "tokens", "max_cost": "in money"}
    return ", ".join(f"{caps[name]:,} {word}" for name, word in words.items() if caps.get(name))


def _duration(seconds: float) -> str:
    if seconds < 90:
        return out.count_of(max(1, round(seconds)), "second")
    minutes = seconds / 60
    return out.count_of(round(minutes), "minute") if minutes < 90 else f"{minutes / 60:,.1f} hours"


def _moment(at: str | None) -> str:
    return (at or "")[:16].replace("T", " ")


def _go(n: int, *, dry_run: bool) -> str:
    if dry_run:
        return "would go"
    return "is gone" if n == 1 else "are gone"


def _print_warnings(warnings: Sequence[str]) -> None:
    for warning in warnings:
        out.say(f"  {plain(warning, None)}")
