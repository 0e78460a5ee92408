"""The commands about what users did: `goldsmith events …`."""

import click

from terminal.asking import ask_lake, export_lake
from terminal.bots import bots
from terminal.erasing import expire, forget
from terminal.logs import import_logs, map_log
from terminal.undoing import undo


@click.group()
def events() -> None:
    """What users searched and clicked."""


for _command in (import_logs, undo, map_log, bots, ask_lake, export_lake, forget, expire):
    events.add_command(_command)
