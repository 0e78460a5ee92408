"""The command that makes the set: a release to measure on."""

from typing import TYPE_CHECKING, Any

import click

from terminal import output as out
from terminal.options import FILE, json_option, with_workspace

if TYPE_CHECKING:
    from builder.workspace import Workspace


@click.command()
@click.argument("name")
@click.option("--tag", help="Only queries with this tag.")
@click.option("--source", help="Only queries from this source.")
@click.option(
    "--min-raters",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    help="Only pairs that at least so many people graded.",
)
@click.option(
    "--rule",
    type=click.Choice(["majority", "median", "mean"]),
    default="majority",
    show_default=True,
    help="How several grades of a pair become one.",
)
@click.option("--keep-no-relevant", is_flag=True, help="Keep queries without a relevant document.")
@click.option(
    "--synthetic",
    type=click.Choice(["none", "validated", "accepted"]),
    default="validated",
    show_default=True,
    help="Which queries that a language model wrote: none; those that people graded; besides, "
    "marked, all of the strata that validation accepted.",
)
@click.option("--no-header", is_flag=True, help="Write qrels/*.tsv without its header line.")
@click.option(
    "--weak",
    is_flag=True,
    help="Also write a split of labels made of clicks, which nobody judged.",
)
@click.option("--to", type=FILE, help="Also write the task folder there.")
@json_option
@with_workspace
def export(
    workspace: "Workspace", name: str, *, no_header: bool, as_json: bool, **how: Any
) -> None:
    """Freeze the graded pairs into a task folder that every tool opens."""
    from builder.export import export_task

    with out.progress_bar() as progress:
        release = export_task(workspace, name, header=not no_header, progress=progress, **how)
    if as_json:
        out.print_json(release)
    else:
        out.print_release(release)
