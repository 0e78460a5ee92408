"""The commands about what users did: `goldsmith events …`."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from terminal import output as out
from terminal.bots import bots
from terminal.imports import print_import
from terminal.options import FILE, json_option, with_workspace

if TYPE_CHECKING:
    from builder.workspace import Workspace


@click.group()
def events() -> None:
    """What users searched and clicked."""


events.add_command(bots)


@events.command("import")
@click.argument("file", type=FILE)
@click.option("--timezone", help="Zone of timestamps without one, such as Europe/Berlin.")
@click.option("--rank-base", type=click.IntRange(0, 1), help="What the first rank is in FILE.")
@json_option
@with_workspace
def events_import(
    workspace: "Workspace",
    file: Path,
    *,
    timezone: str | None,
    rank_base: int | None,
    as_json: bool,
) -> int:
    """Bring in search events: JSON lines, also .gz.

    One search a line: timestamp with its zone, query, session_id, model_version,
    retrieved_doc_ids, clicked_doc_id and click_rank (null without a click).
    """
    from builder.events import import_search_events
    from builder.people import TERMINAL

    with out.progress_bar() as progress:
        tally = import_search_events(
            workspace,
            file,
            TERMINAL,
            progress,
            timezone=timezone,
            rank_base=rank_base,
        )
    return print_import("events", tally, as_json=as_json)
