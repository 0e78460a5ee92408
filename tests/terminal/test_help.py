"""Every command explains itself, and the README names it."""

from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from cli import goldsmith

README = (Path(__file__).resolve().parents[2] / "README.md").read_text(encoding="utf-8")


def _commands(group: click.Group, path: str = "goldsmith") -> Iterator[tuple[str, click.Command]]:
    for name, command in group.commands.items():
        if isinstance(command, click.Group):
            yield from _commands(command, f"{path} {name}")
        else:
            yield f"{path} {name}", command


COMMANDS = dict(_commands(goldsmith))


@pytest.mark.parametrize("path", COMMANDS)
def test_a_command_has_help(path: str) -> None:
    assert COMMANDS[path].help
    assert len(str(COMMANDS[path].help).splitlines()[0]) > 10


@pytest.mark.parametrize("path", COMMANDS)
def test_every_option_has_help(path: str) -> None:
    options = [p for p in COMMANDS[path].params if isinstance(p, click.Option)]
    assert [option.name for option in options if not option.help] == []


@pytest.mark.parametrize("path", [name for name in COMMANDS if name != "goldsmith demo"])
def test_the_readme_names_the_command(path: str) -> None:
    assert path in README
