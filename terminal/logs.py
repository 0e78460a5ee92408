"""The commands that bring in search logs: `goldsmith events import` and `goldsmith events map`."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from terminal import output as out
from terminal.options import BAD_INPUT, FILE, json_option, with_workspace
from terminal.texts import plain

if TYPE_CHECKING:
    from builder.workspace import Workspace
    from online.sources.mapping import TableMap
    from online.tally import EventTally

FORMATS = ("jsonl", "ubi", "csv", "parquet", "duckdb")
"""As online/sources/recognise.py names them; importing that would slow `--help` down."""

_APPLICATION_COLUMNS = {
    "queries": "queries",
    "distinct_query_ids": "different ids",
    "events": "events",
    "without_query": "without query",
    "clicks": "clicks",
    "impressions": "impressions",
    "conversions": "conversions",
    "rank_base": "first rank",
}
"""What is told of an application -> the column it stands in."""

_IN_SENTENCES = ("bots",)
"""Notes beside which sentences of ours stand, in full; beside the others names out of the log."""

format_option = click.option(
    "--format", type=click.Choice(FORMATS), help="What FILE is, where its content leaves doubts."
)
table_option = click.option("--table", help="The table, where FILE is a DuckDB database.")


@click.command("import")
@click.argument("files", metavar="FILE…", type=FILE, nargs=-1, required=True)
@format_option
@table_option
@click.option("--map", "map_file", type=FILE, help="A mapping file; `events map` proposes one.")
@click.option("--timezone", help="Zone of timestamps without one, such as Europe/Berlin.")
@click.option("--rank-base", type=click.IntRange(0, 1), help="What the first rank is in FILE.")
@click.option("--model-version", help="What ranked the results, for logs that do not say.")
@click.option("--click-action", multiple=True, help="UBI: a further action that is a click.")
@click.option("--conversion-action", multiple=True, help="UBI: a further one that is a conversion.")
@json_option
@with_workspace
def import_logs(  # noqa: PLR0913 - the options of the command
    workspace: "Workspace",
    files: Sequence[Path],
    *,
    map_file: Path | None,
    model_version: str | None,
    click_action: tuple[str, ...],
    conversion_action: tuple[str, ...],
    as_json: bool,
    **how: Any,
) -> int:
    """Bring in search logs; what each is, its content says.

    Native JSON lines, OpenSearch UBI (queries and events), CSV, TSV, Parquet (a folder, too) or a
    table of a DuckDB database; text also as .gz, or as the only file of a .zip.

    A native line is one search: timestamp with its zone, query, session_id, model_version,
    retrieved_doc_ids, clicked_doc_id and click_rank (null without a click). A table's columns are
    called so too; lists in cells are JSON, or ids between |. Any other columns need --map.

    Was an option wrong? `goldsmith events undo` takes the latest import back.
    """
    from online.events import OnlineError

    kinds = dict.fromkeys(click_action, "click") | dict.fromkeys(conversion_action, "conversion")
    mapping = _mapping(map_file, model_version, kinds)
    tallies: dict[Path, EventTally] = {}
    errors: dict[Path, OnlineError] = {}
    for file in files:
        try:
            tallies[file] = _import(workspace, file, mapping=mapping, **how)
        except OnlineError as error:
            if len(files) == 1:
                raise
            errors[file] = error
            out.print_error(error.message, error.where, error.hint, as_json=False)
        else:
            if not as_json:
                _print_tally(f"events of {out.one_line(file.name)}", tallies[file])
    if as_json:
        out.print_json(_document(tallies, errors))
    return _exit_code(list(tallies.values()), errors)


def _import(workspace: "Workspace", file: Path, **how: Any) -> "EventTally":
    from builder.events import import_search_events
    from builder.people import TERMINAL

    with out.progress_bar() as progress:
        return import_search_events(workspace, file, TERMINAL, progress, **how)


def _mapping(
    file: Path | None, model_version: str | None, kinds: Mapping[str, str]
) -> "TableMap | None":
    """What the options say together; what the file says of the model comes first.

    Raises:
        click.UsageError: Actions are told beside a file, which has a place for them.
    """
    from dataclasses import replace

    from online.sources.mapping import TableMap, Things, read_mapping

    if file and kinds:
        raise click.UsageError("with --map, the mapping file says what the actions are")
    mapping = read_mapping(file) if file else TableMap()
    if model_version is not None:
        constants = {"model_version": model_version, **mapping.constants}
        mapping = replace(mapping, constants=constants)
    if kinds:
        mapping = replace(mapping, things=Things(kinds=kinds))
    return mapping if file or kinds or model_version is not None else None


def _document(
    tallies: "Mapping[Path, EventTally]", errors: Mapping[Path, Any]
) -> dict[str, object]:
    from online.tally import EventTally

    failed = [
        {
            "file": str(file),
            "error": {"message": error.message, "where": error.where, "hint": error.hint},
        }
        for file, error in errors.items()
    ]
    done = [{"file": str(file), **tally.as_json()} for file, tally in tallies.items()]
    return {**EventTally.total(tallies.values()).as_json(), "files": [*done, *failed]}


def _exit_code(tallies: "Sequence[EventTally]", errors: Mapping[Path, Any]) -> int:
    if tallies and not sum(tally.read for tally in tallies):
        out.say("goldsmith: the file holds no row")
    nothing = all(tally.nothing_accepted for tally in tallies)
    return BAD_INPUT if errors or nothing else 0


def _print_tally(what: str, tally: "EventTally") -> None:
    """What became of the rows, the notes in sentences."""
    from online.words import sentence_of

    out.print_tally(what, {**tally.as_json(), "notes": {}})
    width = max((len(f"{n:,}") for n in tally.notes.values()), default=0)
    for code, n in sorted(tally.notes.items()):
        click.echo(f"  {n:>{width},}  {sentence_of(code, n)} [{code}]")
        for named in tally.named.get(code, ()):
            said = plain(named, None) if code in _IN_SENTENCES else out.one_line(named)
            click.echo(f"  {'':>{width}}  {said}")
    if tally.applications:
        click.echo()
        _print_applications(tally.applications)


def _print_applications(applications: Mapping[str, Mapping[str, Any]]) -> None:
    rows = [
        [
            out.one_line(name),
            *(_cell(said.get(key)) for key in _APPLICATION_COLUMNS),
            ", ".join(said.get("time_formats", {})),
        ]
        for name, said in applications.items()
    ]
    out.print_table(["application", *_APPLICATION_COLUMNS.values(), "times"], rows)


def _cell(value: Any) -> str:
    return "-" if value is None else f"{value:,}"


@click.command("map")
@click.argument("file", type=FILE)
@format_option
@table_option
@click.option("--output", type=FILE, help="Where to write the mapping; by default it is printed.")
@json_option
def map_log(file: Path, *, output: Path | None, as_json: bool, **how: Any) -> int:
    """Propose what the columns of a log mean, from its first rows: a mapping to look at.

    Each line shows a column with two of its values, and what is not sure stands on top. Correct it,
    then bring the log in by `goldsmith events import FILE --map mapping.toml`.
    """
    from online.sources.proposal import propose_mapping

    proposal = propose_mapping(file, **how)
    if output is not None:
        _write_new(output, proposal.toml())
        out.say(f"the mapping: {output}")
    if as_json:
        out.print_json(proposal.as_json())
    elif output is None:
        click.echo(proposal.toml(), nl=False)
    for sentence in proposal.unsure if output is not None and not as_json else ():
        out.say(f"  not sure: {sentence}")
    return 0


def _write_new(file: Path, text: str) -> None:
    """Write a file that is not there yet: it may have been corrected by hand.

    Raises:
        OnlineError: It is there, or cannot be written.
    """
    from online.events import OnlineError

    try:
        with file.open("x", encoding="utf-8") as stream:
            stream.write(text)
    except FileExistsError:
        raise OnlineError(
            "there is such a file already", where=str(file), hint="name another by --output"
        ) from None
    except OSError as error:
        raise OnlineError(f"cannot write: {error.strerror}", where=str(file)) from error
