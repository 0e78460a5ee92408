"""Raw judgments as a file: for analysts, for other tools, and to come back whole."""

import gzip
import io
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Any
from uuid import uuid4

from builder.errors import BuilderError
from builder.export.judgment_source import Asked, JudgmentSource, Tally
from builder.export.judgment_tables import write_csv, write_jsonl, write_trec, write_tsv
from builder.export.judgment_tools import (
    labelling_interface,
    write_label_studio,
    write_quepid_csv,
    write_quepid_json,
)
from builder.judging.aggregation import find_rule
from builder.people import Person, actor_called, authorize
from builder.store.activity import note
from builder.workspace import Workspace
from evals.records import Progress

WRITERS: Mapping[str, Callable[[IO[str], JudgmentSource], None]] = {
    "tsv": write_tsv,
    "csv": write_csv,
    "jsonl": write_jsonl,
    "trec": write_trec,
    "quepid-csv": write_quepid_csv,
    "quepid-json": write_quepid_json,
    "label-studio": write_label_studio,
}
FORMATS = tuple(WRITERS)
TABLES = ("tsv", "csv", "quepid-csv")
"""Formats that a spreadsheet opens."""

WITH_LOG = ("tsv", "csv", "jsonl")
"""Formats that can say that something was undone."""

ENDINGS = {".tsv": "tsv", ".csv": "csv", ".jsonl": "jsonl", ".trec": "trec", ".qrels": "trec"}
FILE_ENDINGS = {
    "tsv": ".tsv",
    "csv": ".csv",
    "jsonl": ".jsonl",
    "trec": ".trec",
    "quepid-csv": ".csv",
    "quepid-json": ".json",
    "label-studio": ".json",
}
DOWNLOADS = "downloads"
AT_THE_TERMINAL = "terminal"


def export_judgments(  # noqa: PLR0913 - these are the options of the command
    workspace: Workspace,
    out: Path,
    format: str | None = None,  # noqa: A002 - as the command calls it
    *,
    pseudonymous: bool = False,
    excel: bool = False,
    everything: bool = False,
    rule: str = "majority",
    force: bool = False,
    progress: Progress | None = None,
    actor: Person | None = None,
) -> dict[str, Any]:
    """Write what each rater says now of each pair into the file `out`, whole or not at all.

    tsv, csv and jsonl hold all that is known of a judgment: query-id, corpus-id, rater, grade,
    outcome, comment, timestamp (UTC), reason, milliseconds, guidelines_version, kind, recorded
    (UTC; where an import gave no timestamp: when it came in). trec has no raters: one grade a pair,
    by `rule`. The formats of Quepid and Label Studio hold what people and
    imported files said; grades of language models and synthetic ones stay here and are counted.

    With `everything` tsv, csv and jsonl hold the whole log; a row counts from its `timestamp`, else
    from `recorded`, and the outcome `undone` says that nothing stands from then on. Imported
    elsewhere, that leaves the same standing judgments; what stood there already is a duplicate.

    What analysts decided on disputed pairs is among it: rows of the outcome `adjudicated` and the
    kind `adjudicator`, whose rater is the one who decided; with `everything` also
    `adjudication_undone`, from which on no decision of the pair stands. In trec a decision is the
    pair's grade. The formats of Quepid and Label Studio know no decisions: they are counted.

    With `excel` a table begins with a byte order mark, and texts that a spreadsheet would change
    begin with an apostrophe, which our import takes off again (`builder.spreadsheets`).

    Args:
        workspace: Whose judgments.
        out: The file; packed by gzip where its name ends in .gz.
        format: One of FORMATS; by default told by the ending of `out`.
        pseudonymous: Raters as rater-01 …; comments and reasons, which may name people, are left
            out and counted.
        excel: A table that survives a spreadsheet.
        everything: The whole log, with what was replaced and undone.
        rule: majority, median or mean, where nobody decided; for trec.
        force: Whether a file that is there is replaced.
        progress: Hears how many judgments are written; may raise to stop, and then nothing is left.
        actor: Who asks for it in the browser; None at the terminal.

    Returns:
        file (absolute), format, written, pairs, raters, of_models (judgments), outcomes
        {outcome: n}, left_out {reason: n}, withheld_texts, warnings; for label-studio also
        interface_file, the labelling interface in which such tasks are graded.

    Raises:
        BuilderError: The format is unclear or cannot hold what is asked for, there is a file
            already, or no judgment to write.
        NotAllowedError: The actor is no analyst.
    """
    authorize(workspace, actor, "analyst")
    asked = Asked(format or _format_of(out), pseudonymous, excel, everything, rule)
    _check(asked)
    beside = interface_file(out) if asked.form == "label-studio" else None
    for file in filter(None, (out, beside)):
        _refuse_known(file, force=force)
    with _unfinished(out) as scratch:
        tally = _write(workspace, scratch, asked, progress, packed=out.name.endswith(".gz"))
        if beside:
            interface = labelling_interface(workspace.settings)
            beside.write_text(interface, encoding="utf-8", newline="\n")
        _put(scratch, out, force=force)
    _note(workspace, out, asked, tally, actor)
    told = {"file": str(out.absolute()), "format": asked.form, **tally.as_json()}
    return told | ({"interface_file": str(beside.absolute())} if beside else {})


def export_judgments_job(
    workspace: Workspace, parameters: Mapping[str, Any], progress: Progress
) -> dict[str, Any]:
    """The job that writes a file for the browser; `parameters`: actor (a name), format, options.

    The file lies in `downloads_folder`; what older jobs left there is removed.

    Raises:
        BuilderError: As `export_judgments`.
        NotAllowedError: The actor is unknown, or no analyst.
    """
    options = dict(parameters)
    actor = actor_called(workspace, str(options.pop("actor")))
    folder = downloads_folder(workspace)
    for old in folder.glob("judgments-*"):
        old.unlink(missing_ok=True)
    out = folder / f"judgments-{uuid4().hex[:8]}{FILE_ENDINGS[str(options['format'])]}"
    return export_judgments(workspace, out, progress=progress, actor=actor, **options)


def judgments_for_download(workspace: Workspace, actor: Person, **options: Any) -> bytes:
    """The file's content at once, for what is small; `options` are those of `export_judgments`.

    Raises:
        BuilderError: As `export_judgments`.
        NotAllowedError: The actor is no analyst.
    """
    # Asked for by a page that may have stood open for long: what counts is the role of now.
    actor = actor_called(workspace, actor.name)
    folder = downloads_folder(workspace)
    with TemporaryDirectory(dir=folder) as scratch:
        out = Path(scratch) / f"judgments{FILE_ENDINGS[str(options['format'])]}"
        export_judgments(workspace, out, actor=actor, **options)
        return out.read_bytes()


def downloads_folder(workspace: Workspace) -> Path:
    """Where files wait until a browser fetches them."""
    folder = workspace.cache_folder / DOWNLOADS
    folder.mkdir(exist_ok=True)
    return folder


def interface_file(out: Path) -> Path:
    """Where the labelling interface for the tasks in `out` lies."""
    return out.with_name(f"{out.name.removesuffix('.gz').rsplit('.', 1)[0]}.interface.xml")


def _format_of(out: Path) -> str:
    ending = Path(out.name.removesuffix(".gz")).suffix.lower()
    if ending not in ENDINGS:
        raise BuilderError(
            f"The ending of {out.name[:80]!r} does not say in which format to write.",
            hint=f"Name one by --format: {', '.join(FORMATS)}.",
        )
    return ENDINGS[ending]


def _check(asked: Asked) -> None:
    find_rule(asked.rule)
    if asked.form not in WRITERS:
        raise BuilderError(
            f"The format {asked.form!r} is unknown.", hint=f"Known are {', '.join(FORMATS)}."
        )
    if asked.excel and asked.form not in TABLES:
        raise BuilderError(
            f"{asked.form} is no table for Excel.", hint=f"Those are {', '.join(TABLES)}."
        )
    if asked.everything and asked.form not in WITH_LOG:
        raise BuilderError(
            f"{asked.form} cannot say that a judgment was replaced or undone.",
            hint=f"The whole log goes into {', '.join(WITH_LOG)}.",
        )


def _refuse_known(file: Path, *, force: bool) -> None:
    if file.is_dir():
        raise BuilderError("This is a folder, and a file is to be written.", where=str(file))
    if file.exists() and not force:
        raise BuilderError(
            "There is such a file already; it is left as it is.",
            where=str(file.absolute()),
            hint="Take another name, or replace it by --force.",
        )
    if not file.absolute().parent.is_dir():
        raise BuilderError("The folder of the file is not there.", where=str(file.absolute()))


@contextmanager
def _unfinished(out: Path) -> Iterator[Path]:
    """A file beside `out` that is removed at the end if it is still there."""
    scratch = out.with_name(f".goldsmith-{uuid4().hex}.part")
    try:
        yield scratch
    finally:
        scratch.unlink(missing_ok=True)


def _write(
    workspace: Workspace, scratch: Path, asked: Asked, progress: Progress | None, *, packed: bool
) -> Tally:
    with scratch.open("xb") as raw:
        packer = gzip.GzipFile("", "wb", fileobj=raw, mtime=0) if packed else None
        target: Any = packer or raw
        stream = io.TextIOWrapper(target, encoding="utf-8", newline="")
        with workspace.store.read() as connection:
            source = JudgmentSource(connection, workspace.settings, asked, progress)
            WRITERS[asked.form](stream, source)
        stream.flush()
        stream.detach()
        if packer:
            packer.close()
        raw.flush()
        os.fsync(raw.fileno())
    if not source.tally.written:
        raise _nothing(source.tally)
    return source.tally


def _nothing(tally: Tally) -> BuilderError:
    reasons = ", ".join(f"{n} {reason}" for reason, n in sorted(tally.left_out.items()))
    return BuilderError(
        "There is no judgment to write" + (f": left out are {reasons}." if reasons else "."),
        hint="Grade some pairs, or import judgments.",
    )


def _put(scratch: Path, out: Path, *, force: bool) -> None:
    """Give the file its name in one step."""
    if force:
        scratch.replace(out)
        return
    try:
        os.link(scratch, out)  # fails where somebody was faster, and so replaces nothing
    except FileExistsError as error:
        raise BuilderError(
            "There is such a file already; it is left as it is.",
            where=str(out.absolute()),
            hint="Take another name, or replace it by --force.",
        ) from error
    except OSError:
        scratch.replace(out)  # a file system without links


def _note(
    workspace: Workspace, out: Path, asked: Asked, tally: Tally, actor: Person | None
) -> None:
    details = {
        "format": asked.form,
        "written": tally.written,
        "pseudonymous": asked.pseudonymous,
        "everything": asked.everything,
    }
    name = AT_THE_TERMINAL if actor is None else actor.name
    with workspace.store.write() as connection:
        note(connection, name, "judgments.export", out.name, details)
