"""The commands about what users did: `goldsmith events …`."""

import click

from terminal.bots import bots
from terminal.logs import import_logs, map_log


@click.group()
def events() -> None:
    """What users searched and clicked."""


for _command in (import_logs, map_log, bots):
    events.add_command(_command)
