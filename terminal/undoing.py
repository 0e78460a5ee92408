"""`goldsmith events undo`: takes the latest import of search events back."""

import sys
from datetime import datetime
from typing import TYPE_CHECKING

import click

from terminal import output as out
from terminal.options import json_option, with_workspace
from terminal.texts import plain

if TYPE_CHECKING:
    from builder.workspace import Workspace
    from online.undoing import Import


@click.command()
@click.option("--yes", is_flag=True, help="Do not ask whether it is meant.")
@json_option
@with_workspace
def undo(workspace: "Workspace", *, yes: bool, as_json: bool) -> None:
    """Take back the latest import that brought anything, as if it had never been.

    Then the same file can be imported again in another way. Of several files that were imported by
    one command, the last is taken back. Only the latest import can be, until the next one; not
    where a user's events were erased since. Days that expired since stay away.
    """
    from builder.events import take_back_import
    from online.undoing import latest_import

    found = latest_import(workspace.lake)
    if not yes:
        _require_consent(found)
    with out.progress_bar() as progress:
        gone = take_back_import(workspace, found, None, progress)
    if as_json:
        out.print_json(gone.as_json())
    else:
        click.echo(f"Taken back: {_told(gone)}.")


def _require_consent(found: "Import") -> None:
    """Asks the person at the terminal; where nobody sits there, --yes has to be said."""
    if not sys.stdin.isatty():
        raise click.UsageError(f"This takes back {_told(found)}: say --yes.")
    click.confirm(f"Take back {_told(found)}?", abort=True, err=True)


def _told(taken: "Import") -> str:
    at = f"{datetime.fromisoformat(taken.at).astimezone():%Y-%m-%d %H:%M:%S %z}"
    searches = _number_of(taken.searches, "search", "es")
    interactions = _number_of(taken.interactions, "interaction", "s")
    return f"the import of {plain(taken.name)} ({at}) with {searches} and {interactions}"


def _number_of(n: int, one: str, ending: str) -> str:
    return f"{n:,} {one}{'' if n == 1 else ending}"
