"""What several commands share: the workspace, `--json`, the options of an import."""

import contextlib
import functools
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from builder.workspace import Workspace

CHECKOUT = Path(__file__).resolve().parents[1]
BAD_INPUT = 1


class NamedPath(click.Path):
    """A path that says something: an empty one would be the current folder by accident."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The path; usage error if it is empty."""
        if not str(value):
            self.fail("a path cannot be empty", param, ctx)
        return super().convert(value, param, ctx)


FILE = NamedPath(path_type=Path)


class RecordNumber(click.types.IntParamType):
    """The number of a record; a larger one than any table has is refused in words.

    No IntRange, whose range the help would show.
    """

    def __init__(self, least: int = 1) -> None:
        self._range = click.IntRange(least, 2**31 - 1)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The number; usage error if it is none."""
        return self._range.convert(value, param, ctx)


NUMBER = RecordNumber()

json_option = click.option(
    "--json", "as_json", is_flag=True, help="Print exactly one JSON document on stdout."
)


def together(*options: Callable[..., Any]) -> Callable[..., Any]:
    """Several options as one decorator, in the order in which the help shows them."""

    def decorated(command: Callable[..., Any]) -> Callable[..., Any]:
        for option in reversed(options):
            command = option(command)
        return command

    return decorated


def with_workspace(command: Callable[..., Any]) -> Callable[..., Any]:
    """Hands the opened workspace to the command as its first argument and closes it after."""

    @click.pass_obj
    @functools.wraps(command)
    def opened(folder: Path, /, *args: Any, **options: Any) -> Any:
        from builder.workspace import open_workspace

        with open_workspace(folder) as workspace:
            return command(workspace, *args, **options)

    return opened


@contextlib.contextmanager
def workspace_if_there(folder: Path) -> "Iterator[Workspace | None]":
    """The opened workspace, or None where there is none: a path needs none."""
    from builder.workspace import is_workspace, open_workspace

    if not is_workspace(folder):
        yield None
        return
    with open_workspace(folder) as workspace:
        yield workspace
