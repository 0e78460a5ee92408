"""The commands that give out events: `goldsmith events sql`, `goldsmith events export`."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from terminal import output as out
from terminal.options import FILE, json_option, with_workspace
from terminal.texts import plain

if TYPE_CHECKING:
    from builder.workspace import Workspace
    from online.asking import Answer

LIMIT = 1000
"""As in online/asking.py; importing that would slow `--help` down."""


@click.command("sql")
@click.argument("question", metavar='"SELECT …"')
@click.option(
    "--limit",
    type=click.IntRange(min=1),
    default=LIMIT,
    show_default=True,
    help="How many rows at most; it says so where there are more.",
)
@click.option("--csv", "as_csv", is_flag=True, help="A table that spreadsheets open unchanged.")
@json_option
@with_workspace
def ask_lake(
    workspace: "Workspace", question: str, *, limit: int, as_csv: bool, as_json: bool
) -> None:
    """Ask the events a question in DuckDB's SQL, read-only.

    The views are searches, interactions, bots and hours; `goldsmith events sql "DESCRIBE searches"`
    tells columns. Times are in UTC. One statement, which can write nothing and open no other file.
    """
    from online.asking import ask

    if as_csv and as_json:
        raise click.UsageError("--csv or --json, not both.")
    answer = ask(workspace.lake, question, limit)
    if as_json:
        out.print_json(answer.as_json())
    elif as_csv:
        _print_csv(answer)
    else:
        out.print_table([plain(name) for name in answer.columns], _cells(answer))
    if answer.cut:
        out.say(f"goldsmith: there are more than these {limit:,} rows; see them by --limit")


def _print_csv(answer: "Answer") -> None:
    from builder.spreadsheets import safe_csv_lines

    rows = [[_cell(value) for value in row] for row in answer.rows]
    for line in safe_csv_lines(answer.columns, rows):
        click.echo(line, nl=False)


def _cell(value: Any) -> Any:
    """Lists and objects as JSON, true and false in its words; the rest as it is."""
    if isinstance(value, bool | list | dict):
        return json.dumps(value, ensure_ascii=False)
    return value


def _cells(answer: "Answer") -> list[list[str]]:
    return [
        ["NULL" if value is None else plain(str(_cell(value))) for value in row]
        for row in answer.rows
    ]


@click.command("export")
@click.argument("file", metavar="OUT", type=FILE)
@click.option(
    "--table",
    type=click.Choice(["searches", "interactions"]),
    help="The only table; a .duckdb holds both without it, other files the searches.",
)
@click.option("--force", is_flag=True, help="Replace OUT if it is there.")
@json_option
@with_workspace
def export_lake(
    workspace: "Workspace", file: Path, *, table: Any, force: bool, as_json: bool
) -> None:
    """Write the events into OUT, for other tools.

    .duckdb (which DuckDB 1.5 reads, too), .parquet, .csv, .jsonl, and the latter two as .gz. The
    searches have the columns of a search log, such as clicks, and what the lake knows of each
    beside. `events import` reads the file again, into any workspace, and counts nothing twice: what
    is known there already is a duplicate, and so is, after that, the log itself. What belongs to no
    known search is in a .duckdb without --table, or in the interactions.
    """
    from online.exporting import export_events

    with out.progress_bar() as progress:
        written = export_events(workspace.lake, file, table, force=force, progress=progress)
    if as_json:
        out.print_json(written.as_json())
    else:
        counts = ", ".join(f"{name} {n:,}" for name, n in written.tables.items())
        click.echo(f"rows written: {counts}, into {written.file}")
