"""How every import goes: read and check all of it, then bring it in at one stroke.

While a file is read, rows are staged in temporary tables and nobody is kept from grading; the
merge at the end is one writing transaction. A killed or cancelled import has changed nothing.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import ClassVar, NamedTuple, Protocol, TypeVar

from filelock import FileLock, Timeout

from builder.errors import ImportFailedError
from builder.importers.files import HINT
from builder.importers.quarantine import Quarantine
from builder.importers.reading import RowFile, opened_rows
from builder.importers.rows import Checks, FaultError, Row, Shape
from builder.people import Person, authorize, called
from builder.store import Connection, activity
from builder.store.engine import writing
from builder.store.staging import open_staging
from builder.workspace import Workspace
from estimates import ImportTally
from evals.records import Progress

ROWS = 1000
BYTES = 1 << 22
"""A batch ends at whichever comes first, so that long texts do not fill the memory."""

MOST_NAMED = 10
"""How many odd things of one kind are told by name."""

_LOCK_SECONDS = 0.5

Made = TypeVar("Made")


class Options(NamedTuple):
    """What a person wants of an import.

    Attributes:
        update: Other content of a known id replaces it.
        repair: U+FFFD replaces what no store can hold.
        form: The format; None: told by the content.
        progress: Told what is done, rows done, and of how many; may raise to cancel.
    """

    update: bool = False
    repair: bool = False
    form: str | None = None
    progress: Progress | None = None


class Intake:
    """One kind of rows on their way in: where they are staged, and what becomes of each.

    Attributes:
        connection: Has the staging tables.
        options: What the person wants.
        tally: What became of the rows so far.
    """

    def __init__(self, connection: Connection, options: Options, quarantine: Quarantine) -> None:
        self.connection = connection
        self.options = options
        self.tally = ImportTally(reasons=quarantine.reasons)
        self._quarantine = quarantine

    def refuse(self, row: Row, fault: FaultError) -> None:
        """Put a row into quarantine."""
        self._quarantine.put(row.file, row.line, fault, row.raw)

    def batches(self, file: Path, shape: Shape) -> Iterator[list[Row]]:
        """The readable rows of a file in batches; the others go into quarantine on the way."""
        progress = self.options.progress
        done = 0
        with opened_rows(file, shape, self.options.form) as row_file:
            for batch in _batches(row_file):
                yield [row for row in batch if self._is_readable(row)]
                done += len(batch)
                if progress:
                    progress(f"reading {file.name}", done, row_file.total)

    def checked(
        self, batch: Sequence[Row], read: Callable[[Row, Checks], Made]
    ) -> Iterator[tuple[Row, Made, set[str]]]:
        """Each row with what `read` made of it and its notes; bad rows go into quarantine."""
        for row in batch:
            checks = Checks(repair=self.options.repair)
            try:
                made = read(row, checks)
            except FaultError as fault:
                self.refuse(row, fault)
            except RecursionError:
                self.refuse(row, FaultError("bad_json", "The metadata is nested too deeply."))
            else:
                yield row, made, checks.notes

    def settle(self, row: Row, before: object, now: object, notes: set[str]) -> bool:
        """Count a row by what its id stood for before; whether it is to be staged.

        Args:
            row: The row.
            before: The content known under its id, None if there is none.
            now: The content that the row gives it.
            notes: What is odd about the row.
        """
        if before is not None and before != now and not self.options.update:
            self.refuse(row, _CHANGED)
            return False
        self.tally.notes.update(notes)
        if before is None:
            self.tally.accepted += 1
        elif before == now:
            self.tally.duplicate += 1
        else:
            self.tally.updated += 1
        return before != now

    def publish(self) -> None:
        """Give the quarantine file its name."""
        self.tally.quarantine_file = self._quarantine.publish()

    def _is_readable(self, row: Row) -> bool:
        if row.fault:
            self.refuse(row, row.fault)
        return row.fault is None


class Part(Protocol):
    """One kind of rows of an import.

    Attributes:
        what: The kind: corpus, queries, pool or judgments.
    """

    what: ClassVar[str]

    @property
    def label(self) -> str:
        """How its quarantine file is called."""

    def stage(self, intake: Intake) -> None:
        """Read and check everything; change nothing but the staging tables."""

    def merge(self, intake: Intake) -> None:
        """Bring what is staged into the store."""


_CHANGED = FaultError(
    "changed",
    "Its id is known with other content. Ask for updates (--update) to replace that, or give this "
    "row another id.",
)


def bring_in(
    workspace: Workspace, parts: Mapping[str, Part], options: Options, actor: Person | None
) -> dict[str, ImportTally]:
    """Import all parts, each or none: name of the part -> what became of its rows.

    Raises:
        ImportFailedError: A file cannot be read as a whole.
        NotAllowedError: `actor` is no analyst; None is the command line, whose user owns the files.
    """
    authorize(workspace, actor, "analyst")
    with ExitStack() as stack:
        stack.enter_context(_one_at_a_time(workspace, options.progress))
        connection = stack.enter_context(workspace.store.session())
        folder = workspace.quarantine_folder
        intakes = [
            Intake(connection, options, stack.enter_context(Quarantine(folder, part.label)))
            for part in parts.values()
        ]
        with connection.begin():
            open_staging(connection)
            for part, intake in zip(parts.values(), intakes, strict=True):
                part.stage(intake)
        with writing(connection):
            for part, intake in zip(parts.values(), intakes, strict=True):
                part.merge(intake)
            for intake in intakes:
                intake.publish()
            for part, intake in zip(parts.values(), intakes, strict=True):
                _note_import(connection, part, intake.tally, actor)
    return dict(zip(parts, (intake.tally for intake in intakes), strict=True))


def bring_in_file(
    workspace: Workspace, file: Path, part: Part, options: Options, actor: Person | None
) -> ImportTally:
    """Import one file: what became of its rows.

    Raises:
        ImportFailedError: The file cannot be read as a whole, or holds no row.
    """
    tally = bring_in(workspace, {"file": part}, options, actor)["file"]
    if not tally.read:
        raise ImportFailedError("The file holds no row.", where=str(file), hint=HINT)
    return tally


def _note_import(
    connection: Connection, part: Part, tally: ImportTally, actor: Person | None
) -> None:
    """Write into the log who brought what in, and what became of its rows."""
    if tally.read:
        told = {key: value for key, value in tally.as_json().items() if key != "quarantine_file"}
        activity.note(connection, called(actor), f"import.{part.what}", part.label, told)


def note(tally: ImportTally, code: str, times: int) -> None:
    """Count what was kept but is odd; a code that counts nothing is not mentioned."""
    if times:
        tally.notes[code] += times


def named(tally: ImportTally, code: str, what: str) -> None:
    """Count one thing that was kept but is odd, and say which, if it is among the first of them."""
    note(tally, code, 1)
    told = tally.named.setdefault(code, [])
    if len(told) < MOST_NAMED:
        told.append(what)


def _batches(row_file: RowFile) -> Iterator[list[Row]]:
    batch: list[Row] = []
    size = 0
    for row in row_file.rows:
        batch.append(row)
        size += len(row.raw)
        if len(batch) == ROWS or size >= BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


@contextmanager
def _one_at_a_time(workspace: Workspace, progress: Progress | None) -> Iterator[None]:
    """Wait until no other import runs: what is checked now must hold when it is merged."""
    lock = FileLock(workspace.cache_folder / "import.lock")
    while not lock.is_locked:
        try:
            lock.acquire(timeout=_LOCK_SECONDS)
        except Timeout:
            if progress:
                progress("waiting for another import", 0, None)
    try:
        yield
    finally:
        lock.release()
