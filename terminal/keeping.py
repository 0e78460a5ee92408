"""The commands that keep what cannot be made again: a copy of the database, and back."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from terminal import output as out
from terminal.options import FILE, json_option, with_workspace

if TYPE_CHECKING:
    from builder.workspace import Workspace


@click.command()
@click.argument("target", metavar="OUT", type=FILE)
@click.option("--force", is_flag=True, help="Replace OUT if it is there.")
@json_option
@with_workspace
def backup(workspace: "Workspace", target: Path, *, force: bool, as_json: bool) -> None:
    """Copy grades, queries, people, documents and guidelines into the file OUT.

    The app may be running. The copy is of one moment, checked, and one file: a whole one or none.
    Not in it: workspace.toml, events, releases and results, which are files already.
    """
    from builder.backup import back_up_to

    made = back_up_to(workspace, target, force=force)
    if as_json:
        out.print_json({"file": str(made.file), "bytes": made.size, "schema": made.revision})
    else:
        click.echo(f"copied to {made.file} ({made.size:,} bytes)")


@click.command()
@click.argument("file", metavar="FILE", type=FILE)
@json_option
@click.pass_obj
def restore(folder: Path, file: Path, *, as_json: bool) -> None:
    """Put the content of the copy FILE in the place of the present database.

    The app may be running. The copy is checked first, and the present database goes into the
    folder backups. guidelines.md gets the text that was current in the copy.
    """
    from builder.backup import restore_backup

    done = restore_backup(folder, file)
    if as_json:
        out.print_json(
            {
                "file": str(done.file),
                "schema": done.revision,
                "judgments": done.judgments,
                "guidelines_version": done.guidelines_version,
                "kept": None if done.kept is None else str(done.kept),
                "restart": done.restart,
            }
        )
        return
    click.echo(f"restored {done.file}: {done.judgments:,} judgments")
    if done.kept is not None:
        click.echo(f"what was there before: {done.kept}")
    if done.restart:
        out.say("If the app is running on this workspace, start it anew: the file is a new one.")
