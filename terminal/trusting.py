"""The command that says how far the grades can be trusted."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from terminal import output as out
from terminal.click_words import meanings_as_help
from terminal.options import json_option, with_workspace

if TYPE_CHECKING:
    from builder.workspace import Workspace

SLICES = ("tag", "query", "week")


@click.command(epilog=meanings_as_help())
@click.option("--by", type=click.Choice(SLICES), help="Also within each tag, query or week.")
@click.option("--disagreements", is_flag=True, help="Also each pair whose grades differ.")
@click.option("--clicks", is_flag=True, help="Also how far clicks agree with the experts.")
@click.option(
    "--recheck",
    type=click.IntRange(1),
    metavar="N",
    help="Send the N strongest contradictions to a blind re-check.",
)
@click.option("--task", help="Also what disagreement costs there: draft, custom/NAME, or a folder.")
@json_option
@with_workspace
def agreement(
    workspace: "Workspace",
    *,
    by: str | None,
    disagreements: bool,
    task: str | None,
    as_json: bool,
    **against: Any,
) -> None:
    """How far the raters agree, what that allows, and what to do next."""
    from builder.crosscheck import cost_of_disagreement
    from builder.judging.disagreement_list import all_disagreements
    from builder.judging.trust import current_trust

    with out.progress_bar() as progress:
        report = current_trust(workspace, progress)
        cost = cost_of_disagreement(workspace, task, progress=progress) if task else None
    more: dict[str, Any] = {f"by_{by}": _slices(workspace, report, by)} if by else {}
    if disagreements:
        more["disagreements"] = [row.as_json() for row in all_disagreements(workspace, report)]
    if cost is not None:
        more["cost"] = cost
    if against["clicks"] or against["recheck"]:
        more |= _clicks(workspace, against["recheck"])
    if as_json:
        out.print_json(_document(report, more))
    else:
        _print(report, more, workspace.settings.marks.grades)


def _clicks(workspace: "Workspace", recheck: int | None) -> dict[str, Any]:
    """Clicks against experts, after the pairs were sent that are asked for."""
    from builder.crosscheck import clicks_against_experts, send_to_recheck

    sent = {} if recheck is None else {"recheck": send_to_recheck(workspace, recheck, None)}
    with out.progress_bar() as progress:
        return {"clicks": clicks_against_experts(workspace, progress=progress), **sent}


def _slices(workspace: "Workspace", report: Mapping[str, Any], by: str) -> list[Mapping[str, Any]]:
    """The rows of a slice; a query with its text."""
    from builder.store.queries import get_query

    rows: list[Mapping[str, Any]] = report["slices"][f"by_{by}"]
    if by != "query":
        return rows
    with workspace.store.read() as connection:
        texts = [get_query(connection, row["name"]) for row in rows]
    return [
        {**row, "query": None if query is None else query.text}
        for row, query in zip(rows, texts, strict=True)
    ]


def _document(report: Mapping[str, Any], more: Mapping[str, Any]) -> dict[str, Any]:
    """The report of agreement, how many pairs are disputed, and what was asked for beside it."""
    counts = {
        "n_disagreements": len(report["disagreements"]),
        "n_disputed": len(report["disputed"]),
    }
    return {**report["agreement"], **counts, **more}


def _print(report: Mapping[str, Any], more: Mapping[str, Any], mark: str) -> None:
    from terminal import clicks_output, trust_output

    trust_output.print_agreement(report, mark)
    for by in SLICES:
        if f"by_{by}" in more:
            trust_output.print_slices(more[f"by_{by}"], by)
    if "disagreements" in more:
        trust_output.print_disagreements(more["disagreements"])
    if "cost" in more:
        trust_output.print_cost(more["cost"])
    if "clicks" in more:
        clicks_output.print_clicks(more["clicks"])
        clicks_output.print_next(more["clicks"], more.get("recheck"))
        clicks_output.print_meanings()
