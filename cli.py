"""The terminal's door: `goldsmith …`.

Every command takes `--json`: then stdout holds exactly one JSON document, messages go to stderr.
Exit codes: 0 done (a partial import too), 1 bad input, 2 bad usage, 3 a guard fired, 130 stopped.
"""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from builder import DEFAULT_WORKSPACE, WORKSPACE_VARIABLE
from terminal import (
    events,
    imports,
    judgments,
    keeping,
    making,
    measuring,
    mining,
    people,
    pooling,
    starting,
    synth,
    testing,
    trusting,
)
from terminal import output as out
from terminal.options import BAD_INPUT, FILE
from terminal.stopping import MESSAGE, Stop, heard_stop, hint_of
from terminal.streams import outlive_readers

if TYPE_CHECKING:
    from builder.errors import BuilderError
    from evals.records import EvalsError
    from online.events import OnlineError

BAD_USAGE, INTERRUPTED = 2, 130
DISK_HINT = (
    "See whether the path is right, whether it may be written, and whether the disk is full."
)


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.option(
    "--workspace",
    type=FILE,
    envvar=WORKSPACE_VARIABLE,
    default=DEFAULT_WORKSPACE,
    show_default="data/workspace",
    help="The folder that the team works in; also GOLDSMITH_WORKSPACE.",
)
@click.version_option(package_name="goldsmith")
@click.pass_context
def goldsmith(context: click.Context, workspace: Path) -> None:
    """Build your own search evaluation set, and learn which embedding model to ship.

    Exit codes: 0 done, 1 bad input, 2 bad usage, 3 a guard fired, 130 stopped by Ctrl-C.
    """
    context.obj = workspace


for _command in (
    starting.demo,
    starting.init,
    starting.app,
    imports.corpus,
    imports.queries,
    judgments.judgments,
    events.events,
    imports.import_task_folder,
    mining.mine,
    pooling.pool,
    synth.synth,
    trusting.agreement,
    making.export,
    people.people,
    keeping.backup,
    keeping.restore,
    measuring.evaluate,
    measuring.score,
    measuring.report,
    testing.ab,
):
    goldsmith.add_command(_command)


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs one command; known errors become one message and exit code 1 or 2, Ctrl-C 130."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    as_json = "--json" in given
    try:
        outlive_readers()
        with heard_stop(to_the_end=arguments is None) as stop:
            code = _run(given, stop, as_json=as_json)
    except (click.Abort, KeyboardInterrupt) as stopped:
        out.print_error(MESSAGE, None, hint_of(stopped), as_json=as_json)
        code = INTERRUPTED
    sys.exit(code if isinstance(code, int) else 0)


def _run(given: Sequence[str], stop: Stop, *, as_json: bool) -> object:
    """The exit code of a command, or what it returns.

    Raises:
        KeyboardInterrupt: Somebody stopped it, whatever error a library made of that.
    """
    try:
        return goldsmith.main(given, prog_name="goldsmith", standalone_mode=False)
    except click.Abort:
        raise
    except Exception as error:
        if stop.asked:
            raise KeyboardInterrupt from error
        return _tell(error, as_json=as_json)


def _tell(error: Exception, *, as_json: bool) -> int:
    """Say what a known error says, and tell its exit code; another is raised as it is."""
    if isinstance(error, click.UsageError):
        where = error.ctx.command_path if error.ctx else None
        hint = f"See {where or 'goldsmith'} --help"
        out.print_error(error.format_message(), where, hint, as_json=as_json)
        return BAD_USAGE
    if isinstance(error, OSError):
        # The disk's own word, whoever met it: a path too long, no permission, a full disk.
        place = None if error.filename is None else str(error.filename)
        out.print_error(error.strerror or str(error), place, DISK_HINT, as_json=as_json)
        return BAD_INPUT
    if not isinstance(error, _known_errors()):
        raise error
    out.print_error(error.message, error.where, error.hint, as_json=as_json)
    return BAD_INPUT


def _known_errors() -> "tuple[type[BuilderError | EvalsError | OnlineError], ...]":
    """The base error of each room; loaded only when something went wrong."""
    from builder.errors import BuilderError
    from evals.records import EvalsError
    from online.events import OnlineError

    return BuilderError, EvalsError, OnlineError


if __name__ == "__main__":
    main()
