"""The commands that open the house: an empty workspace, the app, the demo."""

import os
import sys
from pathlib import Path
from typing import NoReturn

import click

from builder import WORKSPACE_VARIABLE
from terminal import output as out
from terminal.options import CHECKOUT, json_option


@click.command()
@click.option("--name", help="What the team calls it; the folder's name by default.")
@click.pass_obj
@json_option
def init(folder: Path, name: str | None, *, as_json: bool) -> None:
    """Make an empty workspace."""
    from builder.workspace import init_workspace

    init_workspace(folder, name=name).close()
    if as_json:
        out.print_json({"workspace": str(folder.resolve())})
    else:
        click.echo(f"A workspace lies in {folder.resolve()}")
        click.echo("Next: goldsmith corpus import FILE, or goldsmith app")


@click.command()
@click.option("--port", type=int, default=8501, show_default=True, help="Port of the app.")
@click.option("--address", default="127.0.0.1", show_default=True, help="Who may reach it.")
@click.pass_obj
def app(folder: Path, port: int, address: str) -> None:
    """Open the app in the browser."""
    _start_app(folder, port, address)


@click.command()
@click.option("--no-app", is_flag=True, help="End after the numbers, without the app.")
@click.option("--port", type=int, default=8501, show_default=True, help="Port of the app.")
@click.pass_obj
@json_option
def demo(folder: Path, port: int, *, no_app: bool, as_json: bool) -> None:
    """Search over the Python documentation: the whole loop, then the app."""
    from builder.demo.recipe import run_demo

    with out.progress_bar() as progress:
        summary = run_demo(folder, progress)
    if as_json:
        out.print_json(summary)
    else:
        out.print_demo(summary)
    if not no_app:
        _start_app(folder, port, "127.0.0.1")


def _start_app(folder: Path, port: int, address: str) -> NoReturn:
    """Becomes Streamlit: whoever ends this process by its id ends the app."""
    command = [sys.executable, "-m", "streamlit", "run", str(CHECKOUT / "app.py")]
    flags = ["--server.port", str(port), "--server.address", address]
    environment = os.environ | {WORKSPACE_VARIABLE: str(folder.resolve())}
    out.say(f"The app opens at http://{address}:{port} (Ctrl+C ends it)")
    # Streamlit reads .streamlit/config.toml of the folder that it is started in.
    os.chdir(CHECKOUT)
    sys.stdout.flush()
    os.execve(command[0], [*command, *flags], environment)  # noqa: S606 - our own command
