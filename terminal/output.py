"""What the terminal shows: one JSON document, or tables and sentences.

Progress and errors go to stderr.
"""

import contextlib
import json
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import click

Progress = Callable[[str, int, int | None], None]
PLAIN_PROGRESS_SECONDS = 5.0
LONGEST_QUERY = 50
HEADLINE = ("ndcg_at_10", "recall_at_10", "mrr_at_10", "map", "judged_at_10")


def print_json(document: object) -> None:
    """Prints exactly one JSON document on stdout; NaN is an error, never output."""
    click.echo(json.dumps(document, ensure_ascii=False, allow_nan=False, indent=2))


def say(message: str) -> None:
    """A message for the person at the terminal: on stderr, so that stdout stays parseable."""
    click.echo(message, err=True)


def print_error(message: str, where: str | None, hint: str | None, *, as_json: bool) -> None:
    """One clear message; with `--json` also as a document on stdout."""
    if as_json:
        print_json({"error": {"message": message, "where": where, "hint": hint}})
    say(f"goldsmith: {message}")
    if where:
        say(f"  where: {where}")
    if hint:
        say(f"  what to do: {hint}")


@contextlib.contextmanager
def progress_bar() -> Iterator[Progress]:
    """A progress function: a live bar on a terminal, else a line every few seconds."""
    if not sys.stderr.isatty():
        yield _plain_progress()
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
        tasks: dict[str, Any] = {}

        def show(what: str, done: int, total: int | None) -> None:
            if what not in tasks:
                tasks[what] = bar.add_task(what, total=total)
            bar.update(tasks[what], completed=done, total=total)

        yield show


def _plain_progress() -> Progress:
    last = {"time": time.monotonic()}

    def show(what: str, done: int, total: int | None) -> None:
        if time.monotonic() - last["time"] >= PLAIN_PROGRESS_SECONDS:
            last["time"] = time.monotonic()
            say(f"{what}: {done:,}" + (f" of {total:,}" if total else ""))

    return show


def print_table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """A plain table on stdout; every cell is text and is shown as it is."""
    widths = [max(len(row[i]) for row in [list(columns), *rows]) for i in range(len(columns))]
    for row in [list(columns), *rows]:
        cells = [
            cell.ljust(width) if i == 0 else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        click.echo("  ".join(cells).rstrip())


def count_of(n: int, noun: str) -> str:
    """A number and its noun, in the plural where it is not one."""
    if n == 1:
        return f"1 {noun}"
    return f"{n:,} {noun.removesuffix('y')}ies" if noun.endswith("ry") else f"{n:,} {noun}s"


def number(value: float | None, digits: int = 4) -> str:
    """The number as text, or "-" where it cannot be computed."""
    return "-" if value is None else f"{value:.{digits}f}"


def print_tally(what: str, tally: Mapping[str, Any]) -> None:
    """What became of the rows of an import."""
    counts = ", ".join(
        f"{tally[key]:,} {key}" for key in ("accepted", "duplicate", "updated", "quarantined")
    )
    click.echo(f"{what}: {tally['read']:,} read = {counts}")
    for reason, n in tally["reasons"].items():
        click.echo(f"  quarantined for {reason}: {n:,}")
    for code, n in tally["notes"].items():
        click.echo(f"  note {code}: {n:,}")
        for named in tally.get("named", {}).get(code, ()):
            click.echo(f"    {named}")
    if tally["quarantine_file"]:
        click.echo(f"  the bad rows and their reasons: {tally['quarantine_file']}")


def print_results(results: Sequence[Mapping[str, Any]]) -> None:
    """A leaderboard: one row a result, best nDCG@10 first."""
    # By content: two folders may have one name.
    for content in dict.fromkeys(result["content_hash"] for result in results):
        of_task = [result for result in results if result["content_hash"] == content]
        first = of_task[0]
        click.echo(
            f"{first['task']} ({first['split']}): {first['n_queries']:,} queries, "
            f"{first['corpus_size']:,} documents"
        )
        print_table(["model", "nDCG@10", "95 % interval", *HEADLINE[1:]], _result_rows(of_task))
        _print_by_source(of_task)
        for result in of_task:
            for warning in result["warnings"]:
                say(f"  {result['model']}: {warning}")


def _result_rows(results: Sequence[Mapping[str, Any]]) -> list[list[str]]:
    return [[result["model"], *_headline_cells(result)] for result in _best_first(results)]


def _print_by_source(results: Sequence[Mapping[str, Any]]) -> None:
    """The same for the queries of each source alone, where they came from several."""
    rows = [
        [result["model"], one_line(source), f"{part['n_queries']:,}", *_headline_cells(part)]
        for result in _best_first(results)
        for source, part in result.get("by_source", {}).items()
    ]
    if rows:
        click.echo("By where the queries came from:")
        columns = ["model", "source", "queries", "nDCG@10", "95 % interval", *HEADLINE[1:]]
        print_table(columns, rows)
    if any("synthetic" in result.get("by_source", {}) for result in results):
        from evals.breakdown import EASIER

        click.echo(EASIER)


def _best_first(results: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    return sorted(results, key=lambda result: -(result["metrics"]["ndcg_at_10"] or 0.0))


def _headline_cells(part: Mapping[str, Any]) -> list[str]:
    """nDCG@10 with its interval, then the other measures of the headline."""
    low, high = part["intervals"].get("ndcg_at_10") or (None, None)
    interval = "-" if low is None else f"{low:.3f} to {high:.3f}"
    metrics = part["metrics"]
    return [
        number(metrics["ndcg_at_10"]),
        interval,
        *(number(metrics[measure]) for measure in HEADLINE[1:]),
    ]


def one_line(query: str) -> str:
    """A text of a log as a cell: short, and without what would move the cursor."""
    text = "".join(letter if letter.isprintable() else "?" for letter in query) or '""'
    return text if len(text) <= LONGEST_QUERY else f"{text[: LONGEST_QUERY - 3]}..."


def print_release(release: Mapping[str, Any]) -> None:
    """What was frozen, what was left out, and where it lies."""
    state = ", unchanged" if release.get("unchanged") else ""
    click.echo(
        f"release {release['release']}{state}: {release['documents']:,} documents, "
        f"{release['queries']:,} queries, {release['judgments']:,} judged pairs"
    )
    for reason, n in release["dropped"].items():
        if n:
            click.echo(f"  queries left out, {reason.replace('_', ' ')}: {n:,}")
    _print_synthetic(release.get("synthetic") or {})
    for warning in release["warnings"]:
        say(f"  {warning}")
    click.echo(f"task folder: {release['task_dir']}")


def _print_synthetic(part: Mapping[str, Any]) -> None:
    """How many queries of a release a language model wrote, and who vouches for them."""
    if not part.get("queries"):
        return
    click.echo(f"  synthetic queries: {part['queries']:,}, {part['validated']:,} graded by people")
    share = part["agreement"]
    if share["value"] is not None:
        click.echo(
            f"  experts found the document relevant in {part['agree']:,} of {part['graded']:,}: "
            f"{share['value']:.0%} ({share['low']:.1%} to {share['high']:.1%})"
        )


def print_judgments(told: Mapping[str, Any]) -> None:
    """What was written into a file of judgments, and what was left out."""
    outcomes = ", ".join(
        f"{n:,} {outcome.replace('_', ' ')}" for outcome, n in told["outcomes"].items()
    )
    what = f"{told['written']:,} judgments ({outcomes})" if outcomes else ""
    by = f", {told['raters']:,} raters" if told["raters"] else ""
    click.echo(f"{what or 'one grade each'} of {told['pairs']:,} pairs{by}: {told['file']}")
    for reason, n in told["left_out"].items():
        click.echo(f"  left out, {reason.replace('_', ' ')}: {n:,}")
    if told["withheld_texts"]:
        click.echo(f"  comments and reasons that stayed here: {told['withheld_texts']:,}")
    if "interface_file" in told:
        click.echo(f"  the labelling interface for Label Studio: {told['interface_file']}")
    for warning in told["warnings"]:
        say(f"  {warning}")


def print_agreement(agreement: Mapping[str, Any], mark: str = "") -> None:
    """How far the raters agree, in a sentence; `mark` says what the grades really are."""
    alpha, equal = agreement["alpha_ordinal"], agreement["percent_agreement"]
    what = f"Agreement ({mark})" if mark else "Agreement"
    if alpha["value"] is None:
        click.echo(f"{what}: cannot be computed, {str(alpha['reason']).replace('_', ' ')}")
        return
    interval = "" if alpha["low"] is None else f" ({alpha['low']:.2f} to {alpha['high']:.2f})"
    click.echo(
        f"{what}: Krippendorff's alpha {alpha['value']:.2f}{interval}, "
        f"{equal['value']:.0%} of {agreement['n_pairs']:,} pairs graded alike"
    )


def print_demo(summary: Mapping[str, Any]) -> None:
    """What the demo made: leaderboard, agreement, clicks, the task folder, and what comes next."""
    release, marks = summary["release"], summary["marks"]
    click.echo(
        f"Search over the documentation of Python: {summary['documents']:,} documents, "
        f"{summary['queries']:,} queries, {summary['judgments']:,} grades"
    )
    if dropped := sum(summary["dropped"].values()):
        click.echo(f"  {dropped:,} grades were dropped: this Python lacks their documents")
    _print_drawn(summary["mine"], marks["events"])
    if summary["pool"] is not None:
        _print_pooled(summary["pool"])
    click.echo()
    print_results(summary["results"])
    click.echo()
    print_agreement(summary["agreement"], marks["grades"])
    click.echo()
    from terminal.report_output import print_headline

    print_headline(summary["report"], marks["events"])
    click.echo()
    click.echo(f"Task folder, for mteb, beir, trec_eval and kin: {release['task_dir']}")
    click.echo("Next: grade some pairs (goldsmith app), then see the numbers move:")
    name = summary["task"]
    click.echo(f"  goldsmith export {name} && goldsmith eval bm25 minilm -t custom/{name}")
    if unjudged := summary["holes"]["unjudged"]:
        click.echo(
            f"Or have the {unjudged:,} unjudged documents of the models' top 10 graded, too:"
        )
        click.echo(f"  goldsmith pool --from-results -t custom/{name}")


def _print_drawn(mined: Mapping[str, Any], mark: str) -> None:
    """What was drawn from the log, and for how much of it that stands."""
    queries, personal = mined["queries"], mined["personal_data"]["queries"]
    click.echo(
        f"Drawn from the log ({mark}): {queries['sampled']:,} of {queries['seen']:,} queries, "
        f"{queries['new']:,} of them new, for {mined['traffic']['share']:.0%} of the searches; "
        f"{personal:,} with personal data left out"
    )


def _print_pooled(pooled: Mapping[str, Any]) -> None:
    """What waits for grades, and for how long."""
    named = ", ".join(sorted(pooled["by_source"]))
    hours = pooled["cost"]["hours"]
    cost = f": {hours:.1f} hours of grading" if hours else ""
    click.echo(
        f"Pooled for the new queries: {pooled['pairs_added']:,} pairs, named by {named}{cost}"
    )
