"""How the terminal shows online metrics: overall, by model, by what was asked for, by query."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import click

from terminal.output import number, one_line, print_table, say

if TYPE_CHECKING:
    from online.lake import Lake

Metrics: TypeAlias = Mapping[str, Any]
COLUMNS = ("searches", "sessions", "CTR", "95 % interval", "click-MRR", "95 % interval")
FURTHER = {
    "ctr_at_1": "CTR@1",
    "ctr_at_3": "CTR@3",
    "ctr_at_5": "CTR@5",
    "ctr_at_10": "CTR@10",
    "first_click_mrr": "click-MRR, first click",
    "no_click_rate": "no click",
    "zero_result_rate": "no results",
    "clicks_at_1_2": "clicks at rank 1 or 2",
    "reformulation_rate": "reformulated",
    "dwell_over_30_s": "dwell over 30 s",
    "median_dwell_s": "median dwell, s",
    "median_first_click_s": "median time to first click, s",
    "conversion_rate": "conversion",
    "conversion_value_per_search": "value per search",
}
QUERY_TITLES = {
    "busiest": "The {n:,} busiest",
    "worst": "The {n:,} with the lowest CTR, by the upper end of its interval,",
    "best": "The {n:,} with the highest CTR, by the lower end of its interval,",
    "zero-results": "The {n:,} with the most searches without results",
    "no-clicks": "The {n:,} that lack the most clicks against the average query",
}
OF_KIND: dict[str, tuple[str, str, Callable[[Any], str]]] = {
    "worst": ("CTR at most", "ctr_bound", number),
    "best": ("CTR at least", "ctr_bound", number),
    "zero-results": ("without results", "searches_without_results", "{:,}".format),
    "no-clicks": ("clicks lacking", "clicks_lacking", "{:,.0f}".format),
}
MEANINGS = {
    "dwell_over_30_s": "dwell: the longest among a search's clicks",
    "reformulation_rate": "reformulated: the same session searched for something else within 5 "
    "minutes, without a click before",
}
"""What a name does not say by itself."""
MOST_NAMED = 20
ASKED = {
    "start": "from",
    "end": "to",
    "model": "model",
    "tag": "tag",
    "query_class": "class",
    "without_bots": "without bots",
}
"""Filters as they are told."""
PARTS = {"by_day": "day", "by_hour": "hour", "by_tag": "tag", "by_class": "class of query"}


def print_headline(report: Mapping[str, Any], mark: str = "") -> None:
    """CTR and click-MRR overall and a row a model version; `mark` says what the events are."""
    if mark:
        click.echo(f"What users clicked ({mark}):")
    named = {"overall": report["overall"], **report["by_model"]}
    print_table(("", *COLUMNS), [_row(name, metrics) for name, metrics in named.items()])


def print_report(report: Mapping[str, Any], mark: str = "", zone: str = "UTC") -> None:
    """The headline, all other metrics, then the parts that were asked for.

    `mark` says what the events really are; days and hours are those of `zone`.
    """
    print_headline(report, mark)
    overall, by_model = report["overall"], report["by_model"]
    if overall["searches"]:
        click.echo()
        _print_further(overall, by_model)
    _say_what_counts(overall, without_bots=report.get("without_bots", False))
    _say_what_waits(report.get("unjoined", {}))
    for part, title in PARTS.items():
        if part in report:
            _print_part(f"{zone} {title}" if part in ("by_day", "by_hour") else title, report, part)
    if "by_query" in report:
        _print_queries(report)
    if any(key in report for key in (*PARTS, "by_query")):
        say("-: too few sessions, or too few with and without a click, for an interval that holds")


def _print_further(overall: Metrics, by_model: Mapping[str, Metrics]) -> None:
    """All other metrics that the log knows, and why the rest is missing."""
    known = [name for name in FURTHER if _value(overall, name) is not None]
    rows = [
        [
            FURTHER[name],
            number(_value(overall, name)),
            _interval(overall, name),
            *(number(_value(metrics, name)) for metrics in by_model.values()),
        ]
        for name in known
    ]
    print_table(("", "overall", "95 % interval", *by_model), rows)
    missing: dict[str, list[str]] = {}
    for name, title in FURTHER.items():
        if name not in known:
            missing.setdefault(str(overall["reasons"][name]), []).append(title)
    for reason, titles in missing.items():
        say(f"{reason.replace('_', ' ')}: {'; '.join(titles)}")
    for name, meaning in MEANINGS.items():
        if name in known:
            say(meaning)


def _say_what_waits(unjoined: Mapping[str, int]) -> None:
    """What counts nowhere as its search is not known: its rows may be in a log still to come."""
    for kind, n in unjoined.items():
        what = f"{n:,} {kind}s wait" if n > 1 else f"{n:,} {kind} waits"
        say(f"{what} for a search that is not known")


def say_what_there_is(lake: "Lake", filters: Mapping[str, Any]) -> None:
    """Where no search was chosen: which models, tags and days the lake knows."""
    from online.report import span, tags_of

    known = span(lake)
    if known.first_day is None:
        say("There are no searches yet: goldsmith events import FILE")
        return
    asked = ", ".join(
        f"{ASKED[name]} {one_line(str(value))}" if value is not True else ASKED[name]
        for name, value in filters.items()
        if name in ASKED and value
    )
    say(f"No search was found: {asked}. There are:")
    say(f"  days: {known.first_day} to {known.last_day} (UTC)")
    say(f"  models: {_names(known.model_versions)}")
    say(f"  tags: {_names(tags_of(lake))}")


def _names(names: Sequence[str]) -> str:
    shown = ", ".join(one_line(name) for name in names[:MOST_NAMED])
    more = f" and {len(names) - MOST_NAMED:,} more" if len(names) > MOST_NAMED else ""
    return f"{shown}{more}" if names else "none"


def _say_what_counts(overall: Metrics, *, without_bots: bool) -> None:
    if overall["users"] is not None:
        unnamed = overall["searches_without_user"]
        beside = f"; {unnamed:,} {'search names' if unnamed == 1 else 'searches name'} none"
        beside = beside if unnamed else ""
        click.echo(f"users: {overall['users']:,}{beside}")
    if overall["conversion_value"] is not None:
        click.echo(f"conversion value in all: {overall['conversion_value']:,.2f}")
    if overall["conversion_values_left_out"]:
        say(f"values that are no amounts: {overall['conversion_values_left_out']:,}, left out")
    if overall["results_unknown"]:
        say(f"results not logged in {overall['results_unknown']:,} searches")
    if overall["sessions_made_up"]:
        say(f"the log does not name {overall['sessions_made_up']:,} of the sessions")
    if overall["bot_searches"]:
        what = "are left out" if without_bots else "count (leave them out: --without-bots)"
        say(f"{overall['bot_searches']:,} searches of sessions flagged as bots {what}")


def _print_part(title: str, report: Mapping[str, Any], part: str) -> None:
    rows = [_row(one_line(name), metrics) for name, metrics in report[part].items()]
    if part == "by_tag" and report.get("untagged"):
        rows.append(_row("(no tag)", report["untagged"]))
    for name, by_model in report.get("by_class_and_model", {}).items():
        if part == "by_class" and len(report["by_model"]) > 1:
            rows += [_row(f"{name}, {model}", metrics) for model, metrics in by_model.items()]
    if rows:
        click.echo()
        print_table((title, *COLUMNS), rows)


def _print_queries(report: Mapping[str, Any]) -> None:
    rows, kind = report["by_query"], report["sort"]
    if kind == "changed":
        _print_changes(report)
        return
    click.echo(f"\n{QUERY_TITLES[kind].format(n=len(rows))} of {report['queries']:,} queries:")
    header, key, write = OF_KIND.get(kind, ("no results", "zero_result_rate", number))
    shown = [[*_row(one_line(row["query"]), row), write(row[key])] for row in rows]
    print_table(("query", *COLUMNS, header), shown)


def _print_changes(report: Mapping[str, Any]) -> None:
    rows = report["by_query"]
    click.echo(
        f"\nThe {len(rows):,} surest changes of {report['tested']:,} queries that were tested, "
        f"of {report['queries']:,} now and {report['queries_before']:,} before:"
    )
    columns = (
        "query", "before", "now", "CTR before", "now", "difference", "95 % interval", "p (Holm)",
        "MRR before", "now", "p (Holm)",
    )  # fmt: skip
    print_table(columns, [_change(row) for row in rows])
    for part, title in (("new", "are new"), ("vanished", "vanished")):
        found = report[part]
        if found["by_query"]:
            click.echo(f"\nQueries that {title}: {found['queries']:,}, the busiest first")
            print_table(
                ("query", *COLUMNS),
                [_row(one_line(row["query"]), row) for row in found["by_query"]],
            )


def _change(row: Mapping[str, Any]) -> list[str]:
    ctr, mrr = row["differences"]["ctr"], row["differences"]["click_mrr"]
    interval = "-" if ctr["low"] is None else f"{ctr['low']:+.4f} to {ctr['high']:+.4f}"
    return [
        one_line(row["query"]),
        f"{row['searches_before']:,}",
        f"{row['searches']:,}",
        number(row["ctr_before"]),
        number(row["ctr"]),
        f"{ctr['value']:+.4f}",
        interval,
        number(ctr["p_holm"]),
        number(row["click_mrr_before"]),
        number(row["click_mrr"]),
        number(mrr["p_holm"]),
    ]


def _value(metrics: Metrics, name: str) -> float | None:
    if name.startswith("ctr_at_"):
        at: Mapping[str, float | None] = metrics["ctr_at"]
        return at[name.removeprefix("ctr_at_")]
    value: float | None = metrics[name]
    return value


def _interval(metrics: Metrics, name: str) -> str:
    low, high = metrics["intervals"].get(name) or (None, None)
    return "-" if low is None else f"{low:.4f} to {high:.4f}"


def _row(name: str, metrics: Metrics) -> list[str]:
    return [
        name,
        f"{metrics['searches']:,}",
        f"{metrics['sessions']:,}",
        number(metrics["ctr"]),
        _interval(metrics, "ctr"),
        number(metrics["click_mrr"]),
        _interval(metrics, "click_mrr"),
    ]
