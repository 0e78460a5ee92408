"""Agreement as the terminal shows it: the verdict first, then numbers with interval and n.

Names, queries, titles and comments come from files and people: what steers a terminal is taken out.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import click

from builder.judging.agreement.words import flag_in_words, in_words
from terminal.output import count_of, print_table
from terminal.texts import plain

_STATISTICS = {
    "alpha_ordinal": "alpha, ordinal",
    "alpha_nominal": "alpha, nominal",
    "alpha_interval": "alpha, interval",
    "percent_agreement": "same grade",
    "ac1": "AC1",
    "ac2": "AC2, quadratic",
}
_KINDS = {"import": "imported", "synthetic": "from generated queries", "llm": "by a language model"}
_UNNAMED = {"tag": "no tag", "week": "time unknown"}
_COLUMNS = ("", "value", "95 % interval", "n")

Statistic = Mapping[str, Any]


def print_agreement(report: Mapping[str, Any], mark: str = "") -> None:
    """The verdict, what it stands on, and each rater; `mark` says what the grades really are."""
    agreement = report["agreement"]
    verdict = agreement["verdict"]
    sentence = plain(verdict["sentence"], None)
    click.echo(f"Agreement ({mark}): {sentence}" if mark else sentence)
    click.echo(f"Next: {plain(verdict['next'], None)}")
    click.echo(_counts(agreement))
    for line in _left_out(agreement):
        click.echo(line)
    if not agreement["n_pairs"]:
        return
    click.echo()
    print_table(_COLUMNS, _statistics(agreement))
    click.echo(
        "AC1 and AC2 are high by construction where one grade prevails: never quote them alone."
    )
    _print_raters(report, agreement)
    _print_kappas(agreement)


def print_slices(rows: Sequence[Mapping[str, Any]], by: str) -> None:
    """Agreement within each tag, query or week."""
    click.echo()
    # A single query has no interval: its column would say so in each row.
    spans = [] if by == "query" else ["95 % interval"]
    columns = [by, "alpha, ordinal", *spans, "same grade", "shared pairs", "grades"]
    print_table(columns, [_slice_row(row, by) for row in rows])


def print_disagreements(rows: Sequence[Mapping[str, Any]]) -> None:
    """Each pair whose grades differ, the widest spread first, with all that was said."""
    for row in rows:
        disputed = ", disputed" if row["disputed"] else ""
        decided = "" if row["decided"] is None else f", decided: {row['decided']}"
        click.echo()
        click.echo(f"{plain(row['query'])} | {plain(row['title'] or row['doc_id'])}")
        click.echo(f"  {row['low']} to {row['high']}{disputed}{decided}")
        for given in row["grades"]:
            left_out = " (left out)" if given["left_out"] else ""
            comment = plain(given["comment"], None)
            said = f"  {given['grade']}  {plain(given['rater'])}{left_out}  {given['timestamp']}"
            click.echo(f"{said}  {comment}".rstrip())


def print_cost(cost: Mapping[str, Any]) -> None:
    """What disagreement costs: the sentence, then a row a rater."""
    click.echo()
    click.echo(plain(cost["sentence"], None))
    rows = [_cost_row(row) for row in cost["raters"]]
    if rows:
        print_table(("rater alone", "queries", "Kendall tau", "largest shift of nDCG@10"), rows)


def _print_raters(report: Mapping[str, Any], agreement: Mapping[str, Any]) -> None:
    click.echo()
    print_table(
        ("rater", "grades", "flags"),
        [
            [plain(row["rater"]), f"{row['n']:,}", _flags(row["flags"])]
            for row in agreement["raters"]
        ],
    )
    for profile in report["raters"]:
        if profile["excluded"] is None:
            _print_flags(profile)
    for profile in report["raters"]:
        if profile["excluded"] is not None:
            _print_left_out(profile)


def _print_flags(profile: Mapping[str, Any]) -> None:
    for flag in profile["flags"]:
        click.echo(f"  {plain(flag['sentence'], None)}")


def _print_left_out(profile: Mapping[str, Any]) -> None:
    """Apart from those who count: the rater's own flags, as before."""
    flags = _flags([flag["code"] for flag in profile["flags"]])
    grades = count_of(profile["n"], "grade")
    click.echo()
    click.echo(f"Left out: {plain(profile['rater'])}, {grades}, flags: {flags}")
    _print_flags(profile)


def _flags(codes: Sequence[str]) -> str:
    return ", ".join(map(flag_in_words, codes)) or "none"


def _print_kappas(agreement: Mapping[str, Any]) -> None:
    click.echo()
    rows = [
        [
            " and ".join(map(plain, row["raters"])),
            _value(row["kappa_quadratic"]),
            _interval(row["kappa_quadratic"]),
            _value(row["kappa_nominal"]),
            f"{row['n']:,}",
        ]
        for row in agreement["pairwise"]
    ]
    print_table(("raters", "quadratic kappa", "95 % interval", "nominal", "pairs"), rows)


def _slice_row(row: Mapping[str, Any], by: str) -> list[str]:
    alpha = row["alpha_ordinal"]
    spans = [] if by == "query" else [_interval(alpha)]
    counts = [f"{row[n]:,}" for n in ("n_pairs", "n_grades")]
    return [_name(row, by), _value(alpha), *spans, _percent(row["percent_agreement"]), *counts]


def _name(row: Mapping[str, Any], by: str) -> str:
    if row["name"] is None:
        return _UNNAMED[by]
    text = row.get("query")
    return plain(row["name"]) if text is None else f"{plain(row['name'], 20)}  {plain(text)}"


def _counts(agreement: Mapping[str, Any]) -> str:
    return (
        f"{count_of(agreement['n_grades'], 'grade')} of {count_of(agreement['n_judged'], 'pair')}"
        f" by {count_of(agreement['n_raters'], 'rater')}; "
        f"{count_of(agreement['n_pairs'], 'pair')} had two raters or more"
    )


def _left_out(agreement: Mapping[str, Any]) -> list[str]:
    kinds = [f"{n:,} {_KINDS.get(kind, kind)}" for kind, n in agreement["others"].items() if n]
    lines = [f"Not counted, for no person gave them: {', '.join(kinds)}"] if kinds else []
    return lines + [
        f"Left out: {plain(row['rater'])}, {count_of(row['n'], 'grade')} "
        f"({plain(row['reason'], None)})"
        for row in agreement["excluded"]
    ]


def _statistics(agreement: Mapping[str, Any]) -> list[list[str]]:
    """A row each; where grades were copied, alpha as in the verdict first, and then with copies."""
    rows = [_row(name, agreement[name]) for name in _STATISTICS]
    if without := agreement["alpha_ordinal_without_copies"]:
        _, *whole = rows[0]
        _, *once = _row("alpha_ordinal", without)
        rows[:1] = [
            ["alpha, ordinal, copies counted once", *once],
            ["the same with copies", *whole],
        ]
    return rows


def _row(name: str, statistic: Statistic) -> list[str]:
    share = name == "percent_agreement"
    value = (_percent if share else _value)(statistic)
    return [_STATISTICS[name], value, _interval(statistic, share=share), f"{statistic['n']:,}"]


def _value(statistic: Statistic) -> str:
    return "undefined" if statistic["value"] is None else _two_decimals(statistic["value"])


def _percent(statistic: Statistic) -> str:
    return "undefined" if statistic["value"] is None else f"{statistic['value']:.1%}"


def _interval(statistic: Statistic, *, share: bool = False) -> str:
    """The interval, or why it, or the value, is missing."""
    low, high = statistic["low"], statistic["high"]
    if low is None or high is None:
        return in_words(statistic["reason"])
    if share:
        return f"{low:.1%} to {high:.1%}"
    return f"{_two_decimals(low)} to {_two_decimals(high)}"


def _two_decimals(number: float) -> str:
    """As on the page; what rounds to 0 has no sign."""
    text = f"{number:.2f}"
    return "0.00" if text == "-0.00" else text


def _cost_row(row: Mapping[str, Any]) -> list[str]:
    n_queries, tau = f"{row['n_queries']:,}", row["kendall_tau"]
    if row["reason"]:
        return [plain(row["rater"]), n_queries, f"not compared: {row['why']}", ""]
    shift = max((abs(model["difference"]["value"] or 0.0) for model in row["models"]), default=0.0)
    why = "" if tau["value"] is not None else f", {in_words(tau['reason'])}"
    return [plain(row["rater"]), n_queries, f"{_value(tau)}{why}", f"{shift:.3f}"]
