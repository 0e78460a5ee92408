"""The command that lets judgments out."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from terminal import output as out
from terminal.imports import judgments
from terminal.options import FILE, json_option, with_workspace

if TYPE_CHECKING:
    from builder.workspace import Workspace

__all__ = ["judgments", "judgments_export"]

FORMATS = ["tsv", "csv", "jsonl", "trec", "quepid-csv", "quepid-json", "label-studio"]


@judgments.command("export")
@click.argument("file", type=FILE, metavar="OUT")
@click.option(
    "--format",
    type=click.Choice(FORMATS),
    help="By default what the ending of OUT says; .json needs it.",
)
@click.option(
    "--pseudonymous",
    is_flag=True,
    help="Raters as rater-01 and so on; comments and reasons stay here, they may name people.",
)
@click.option(
    "--excel",
    is_flag=True,
    help="A table that survives Excel: UTF-8 mark, and an apostrophe before what it would change.",
)
@click.option("--all", "everything", is_flag=True, help="The whole log, replaced and undone too.")
@click.option(
    "--rule",
    type=click.Choice(["majority", "median", "mean"]),
    default="majority",
    show_default=True,
    help="For trec, which knows no raters: how several grades of a pair become one.",
)
@click.option("--force", is_flag=True, help="Replace OUT if it is there.")
@json_option
@with_workspace
def judgments_export(workspace: "Workspace", file: Path, *, as_json: bool, **how: Any) -> None:
    """Write what every rater says of every pair into OUT.

    tsv, csv and jsonl hold all there is, names of raters included. trec holds one grade a pair.
    quepid-json, quepid-csv and label-studio are for those tools, and hold what people and imported
    files said. `judgments import` reads each of them again.
    """
    from builder.export import export_judgments

    with out.progress_bar() as progress:
        told = export_judgments(workspace, file, progress=progress, **how)
    if as_json:
        out.print_json(told)
    else:
        out.print_judgments(told)
