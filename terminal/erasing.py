"""The commands that take events out of the lake: `goldsmith events forget`, `events expire`."""

import sys
from typing import TYPE_CHECKING

import click

from terminal import output as out
from terminal.options import BAD_INPUT, json_option, with_workspace
from terminal.texts import plain

if TYPE_CHECKING:
    from builder.workspace import Workspace
    from online.forgetting import Erased

REMAINS = (
    "Log files and copies elsewhere still name this user, and importing such a log again would "
    "bring the events back."
)


@click.command()
@click.option("--user", required=True, metavar="ID", help="The user_id, as the log names them.")
@click.option("--yes", is_flag=True, help="Do not ask whether it is meant.")
@json_option
@with_workspace
def forget(workspace: "Workspace", *, user: str, yes: bool, as_json: bool) -> int:
    """Erase all that one user did: searches, what happened in them, and quarantined lines.

    It cannot be undone. A search goes where it, or anything that happened in it, names the user: in
    user_id, or as a text under any further key unless another user is named there. Old files are
    deleted at once. Log files outside of the workspace are not touched.
    """
    from builder.events import forget as forget_events
    from builder.people import TERMINAL
    from online.forgetting import find_user

    found = find_user(workspace.lake, user, workspace.quarantine_folder)
    if not found:
        hint = "Write the user_id as the log does, with its capital letters."
        out.print_error(
            f"no event names the user {plain(user)!r}",
            str(workspace.lake.root),
            " ".join((hint, *_mentioned(found))),
            as_json=as_json,
        )
        return BAD_INPUT
    if not yes:
        _require_consent(user, found)
    with out.progress_bar() as progress:
        gone = forget_events(workspace, user, TERMINAL, progress)
    if as_json:
        told = {"user": user, **gone.as_json(), "mentions": gone.mentions}
        out.print_json({**told, "remains": " ".join((REMAINS, *_mentioned(gone)))})
    else:
        click.echo(f"Erased: {_counts(gone)}.")
        for sentence in (REMAINS, *_mentioned(gone)):
            click.echo(sentence)
    return 0


def _mentioned(gone: "Erased") -> list[str]:
    """A sentence where searches of other users hold the same text, and stay."""
    if not gone.mentions:
        return []
    rows = _number_of(gone.mentions, "row", "rows")
    return [f"The same text stands in further keys of {rows} of other users' searches, which stay."]


def _require_consent(user: str, found: "Erased") -> None:
    """Asks the person at the terminal; where nobody sits there, --yes has to be said."""
    if not sys.stdin.isatty():
        raise click.UsageError("This erases events for good: say --yes.")
    question = f"Erase {_counts(found)} of the user {plain(user)!r} for good?"
    click.confirm(question, abort=True, err=True)


@click.command()
@click.option(
    "--keep-days",
    type=click.IntRange(min=1),
    help="How many UTC days to keep; else keep_days under [events] in workspace.toml.",
)
@json_option
@with_workspace
def expire(workspace: "Workspace", *, keep_days: int | None, as_json: bool) -> None:
    """Remove whole UTC days of events that are older than so many days.

    With keep_days in workspace.toml each import does this, too, and takes no older rows.
    """
    from builder.events import expire as expire_events
    from builder.people import TERMINAL

    with out.progress_bar() as progress:
        gone = expire_events(workspace, keep_days, TERMINAL, progress)
    told = {key: n for key, n in gone.as_json().items() if key != "quarantined"}
    if as_json:
        out.print_json({**told, "removed_days": list(gone.days)})
    elif gone.days:
        click.echo(f"Removed: {_counts(gone)}, from {gone.days[0]} to {gone.days[-1]}.")
    else:
        click.echo("Nothing is older.")


def _counts(gone: "Erased") -> str:
    counts = [
        _number_of(gone.searches, "search", "searches"),
        _number_of(gone.interactions, "interaction", "interactions"),
    ]
    if gone.quarantined:
        counts.append(_number_of(gone.quarantined, "quarantined row", "quarantined rows"))
    days = f" of {_number_of(len(gone.days), 'day', 'days')}" if gone.days else ""
    return ", ".join(counts) + days


def _number_of(n: int, one: str, more: str) -> str:
    return f"{n:,} {one if n == 1 else more}"
