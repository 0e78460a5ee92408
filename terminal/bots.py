"""`goldsmith events bots`: which sessions are taken for a machine's, and why.

Sessions and users come from logs: what steers a terminal is taken out.
"""

from typing import TYPE_CHECKING, Any

import click

from terminal import output as out
from terminal.options import json_option, with_workspace
from terminal.texts import plain

if TYPE_CHECKING:
    from builder.workspace import Workspace
    from online.bots import BotCounts


@click.command()
@click.option(
    "--again",
    is_flag=True,
    help="Judge all sessions anew first: those of imports that knew other rules, or none.",
)
@json_option
@with_workspace
def bots(workspace: "Workspace", *, again: bool, as_json: bool) -> None:
    """List the rules that flag sessions as a machine's, and what they found.

    Flagged sessions stay in the lake and in all metrics, unless a command is asked --without-bots.
    Each import judges the sessions that it touches.
    """
    from online.bots import bots_document, count_bots, judge_all

    if again:
        with out.progress_bar() as progress:
            judge_all(workspace.lake, progress)
    with workspace.lake.connect() as connection:
        counts = count_bots(connection)
    if as_json:
        out.print_json(bots_document(counts))
    else:
        _print(counts)


def _print(counts: "BotCounts") -> None:
    from online.bots import RULES

    click.echo(
        f"flagged: {counts.sessions:,} of {counts.all_sessions:,} sessions, "
        f"{counts.searches:,} of {counts.all_searches:,} searches"
    )
    rules = [
        [rule, f"{counts.by_rule[rule][0]:,}", f"{counts.by_rule[rule][1]:,}"] for rule in RULES
    ]
    out.print_table(("rule", "sessions", "searches"), rules)
    click.echo()
    for rule, said in RULES.items():
        click.echo(f"{rule}: {said.what}. {said.why}")
    if counts.largest:
        click.echo()
        columns = ("largest", "searches", "from", "to", "user", "rules")
        out.print_table(columns, [_row(session) for session in counts.largest])
    for doubt in counts.doubts:
        click.echo(f"Warning: {doubt}")


def _row(session: dict[str, Any]) -> list[str]:
    began, ended = (f"{session[key]:%Y-%m-%d %H:%M}" for key in ("began", "ended"))
    searches, rules = f"{session['searches']:,}", ", ".join(session["rules"])
    return [
        plain(session["session_id"]),
        searches,
        began,
        ended,
        plain(session["user_id"] or "-"),
        rules,
    ]
