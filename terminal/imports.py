"""The commands that bring in what exists."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from terminal import output as out
from terminal.options import BAD_INPUT, FILE, json_option, with_workspace

if TYPE_CHECKING:
    from builder.workspace import Workspace
    from estimates import ImportTally

FORMATS = ["jsonl", "json", "csv", "tsv", "parquet", "quepid-json"]


Command = Callable[..., Any]


def import_options(*formats: str) -> Callable[[Command], Command]:
    """The options that every import of rows takes; `formats` are those its files may have."""
    doubts = "What the file is, where its content leaves doubts."
    repair = "Put U+FFFD for U+0000 and for half characters, and count them."

    def with_options(command: Command) -> Command:
        for option in (
            json_option,
            click.option("--format", type=click.Choice(formats), help=doubts),
            click.option("--repair", is_flag=True, help=repair),
        ):
            command = option(command)
        return command

    return with_options


def print_import(what: str, tally: "ImportTally", *, as_json: bool) -> int:
    """Prints what became of the rows; the exit code."""
    if as_json:
        out.print_json(tally.as_json())
    else:
        out.print_tally(what, tally.as_json())
    if not tally.read:
        out.say("goldsmith: the file holds no row")
    return BAD_INPUT if tally.nothing_accepted else 0


@click.group()
def corpus() -> None:
    """The documents that people search."""


@corpus.command("import")
@click.argument("file", type=FILE)
@click.option("--update", is_flag=True, help="Replace known documents whose content changed.")
@import_options(*FORMATS)
@with_workspace
def corpus_import(workspace: "Workspace", file: Path, *, as_json: bool, **how: Any) -> int:
    """Bring in documents: JSONL, CSV, TSV, Parquet, or those of a Quepid book, also .gz."""
    from builder.importers import import_corpus

    with out.progress_bar() as progress:
        tally = import_corpus(workspace, file, progress=progress, **how)
    return print_import("documents", tally, as_json=as_json)


@click.group()
def queries() -> None:
    """What people search for."""


@queries.command("import")
@click.argument("file", type=FILE)
@click.option("--update", is_flag=True, help="Replace known queries whose content changed.")
@import_options(*FORMATS)
@with_workspace
def queries_import(workspace: "Workspace", file: Path, *, as_json: bool, **how: Any) -> int:
    """Bring in queries: JSONL, CSV, TSV, Parquet, or those of a Quepid book, also .gz.

    A Quepid book names queries by their text. A query that reads so here already is that query;
    a new one is called by the words of its text, such as projector-screen.
    """
    from builder.importers import import_queries

    with out.progress_bar() as progress:
        tally = import_queries(workspace, file, progress=progress, **how)
    return print_import("queries", tally, as_json=as_json)


@click.group()
def judgments() -> None:
    """What experts said of query-document pairs."""


@judgments.command("import")
@click.argument("file", type=FILE)
@click.option(
    "--rater",
    help="Whose grades these are where the file names no raters; the file's name by default.",
)
@import_options(*FORMATS, "trec", "quepid-csv", "label-studio")
@with_workspace
def judgments_import(workspace: "Workspace", file: Path, *, as_json: bool, **how: Any) -> int:
    """Bring in grades: raw, qrels, or as Quepid and Label Studio write them.

    Raw: query-id, corpus-id, rater, grade, and maybe outcome (skip, cannot_judge, undone), comment,
    timestamp, reason, milliseconds, kind. Qrels: 3 columns, or TREC's 4. Quepid: a book (JSON or
    CSV) or a case (JSON). Label Studio: a JSON export. Queries that a file names by their text are
    found by it. Grades are 0 to 3; others go into quarantine with their reason.
    """
    from builder.importers import import_judgments

    with out.progress_bar() as progress:
        tally = import_judgments(workspace, file, progress=progress, **how)
    return print_import("judgments", tally, as_json=as_json)


@click.command("import")
@click.argument("folder", type=FILE)
@click.option("--update", is_flag=True, help="Replace known documents and queries that changed.")
@click.option(
    "--repair", is_flag=True, help="Put U+FFFD for U+0000 and for half characters, and count them."
)
@click.option("--rater", help="Whose grades the qrels are; the folder's name by default.")
@json_option
@with_workspace
def import_task_folder(workspace: "Workspace", folder: Path, *, as_json: bool, **how: Any) -> int:
    """Bring in a whole BEIR or MTEB task folder, or a whole Quepid book (JSON).

    Of a book: its documents, queries, pairs (into the pool) and judgments, at one stroke. One at a
    time they come by `corpus import`, `queries import` and `judgments import` of the same file.
    """
    from builder.importers import import_book, import_folder
    from estimates import ImportTally

    bring_in = import_book if folder.is_file() else import_folder
    with out.progress_bar() as progress:
        tallies = bring_in(workspace, folder, progress=progress, **how)
    if as_json:
        parts = {what: tally.as_json() for what, tally in tallies.items()}
        out.print_json(ImportTally.total(tallies.values()).as_json() | parts)
    else:
        for what, tally in tallies.items():
            out.print_tally(what, tally.as_json())
    return BAD_INPUT if all(tally.nothing_accepted for tally in tallies.values()) else 0
