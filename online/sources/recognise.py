"""Opens a log as what it is, by its content."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from online.events import OnlineError
from online.lines import LogFile, require_json_lines
from online.native import NativeLines
from online.sources.delimited import DELIMITERS, DelimitedTable, header_of
from online.sources.documents import require_lines
from online.sources.json_objects import JsonTable, NamedModel, first_objects
from online.sources.lake_tables import LAKE_TABLES, LakeSource, LakeTables, is_of_a_lake
from online.sources.mapping import TableMap, read_mapping
from online.sources.naming import (
    LATER_LINES,
    known_columns,
    native_map,
    require_columns,
    require_meaning,
)
from online.sources.parquet import PATTERN, ParquetTable
from online.sources.shaping import NATIVE
from online.sources.source import Source
from online.sources.tables import Table, TableSource
from online.sources.translation import Translation
from online.sources.ubi import UbiLines, looks_like_ubi

FORMATS = ("jsonl", "ubi", "csv", "parquet", "duckdb")
"""What a log may be; TSV and tables with semicolons are csv."""

SNIFFED_LINES = 40
"""Lines that tell a format: some of them may be broken."""


def open_source(
    file: Path,
    *,
    format: str | None = None,  # noqa: A002 - the name of the command's option
    table: str | None = None,
    mapping: TableMap | Path | None = None,
) -> Source:
    """Open a log.

    Args:
        file: JSON Lines (native, of UBI, search hits one a line, or any others that `mapping`
            explains), CSV, TSV, a table with semicolons, all of them plain, gz or in a zip archive
            of their own; Parquet, one file, a folder or a pattern; or a DuckDB database.
        format: One of `FORMATS` where the content is not to decide.
        table: The table or view of a DuckDB database; None where it has but one.
        mapping: What columns mean that are not called as the native keys are, or the file that
            says it; of constants alone it adds them to what the log says; of kinds of things alone
            it tells what actions of a UBI log are.

    Raises:
        OnlineError: The file is absent, damaged or not understood, or the mapping does not fit it.
    """
    if format is not None and format not in FORMATS:
        raise OnlineError(f"there is no format {format!r}", hint=f"known are {', '.join(FORMATS)}")
    said = read_mapping(mapping) if isinstance(mapping, Path) else mapping or TableMap()
    if said.fields and format != "ubi":
        return source_of(open_rows(file, format=format, table=table, mapping=said), said)
    if table is None and (tables := _tables_of_a_lake(file)):
        return LakeSource(LakeTables(tables))
    opened = open_table_or_log(file, format=format, table=table, mapping=said)
    if not isinstance(opened, LogFile):
        if said.things:
            opened.close()
            raise _only_ubi(file)
        return source_of(opened, said)
    try:
        return _json_source(opened, format, said)
    except BaseException:
        opened.close()
        raise


def source_of(table: Table, mapping: TableMap) -> Source:
    """A table as a source, by a mapping or by the names of its columns.

    Raises:
        OnlineError: The names or the mapping do not give searches; the table is closed then.
    """
    if not mapping.fields and is_of_a_lake(table.columns):
        return LakeSource(LakeTables([table]))
    try:
        if mapping.fields:
            require_columns(mapping, table)
        else:
            mapping = native_map(table.columns, mapping.constants)
            require_meaning(mapping, table.columns, table.path)
    except BaseException:
        table.close()
        raise
    return TableSource(table, Translation(mapping, cells_are_text=table.cells_are_text))


def open_rows(
    file: Path,
    *,
    format: str | None = None,  # noqa: A002
    table: str | None = None,
    mapping: TableMap | None = None,
) -> Table:
    """Open a log as a table, JSON Lines too; for `format` and `table` see `open_source`.

    Raises:
        OnlineError: The file is absent, damaged or no table.
    """
    opened = open_table_or_log(file, format=format, table=table, mapping=mapping or TableMap())
    if not isinstance(opened, LogFile):
        return opened
    try:
        require_lines(opened)
        require_json_lines(opened)
        return JsonTable(opened)
    except BaseException:
        opened.close()
        raise


def open_table_or_log(
    file: Path,
    *,
    format: str | None,  # noqa: A002
    table: str | None,
    mapping: TableMap,
) -> Table | LogFile:
    """Open a table as such, anything else as lines."""
    is_pattern = any(letter in file.name for letter in PATTERN) and not file.exists()
    if format == "parquet" or file.is_dir() or is_pattern:
        return ParquetTable(file)
    log = LogFile(file)
    try:
        form = format or _form(log)
        _require_database(form, table, file)
        if form == "csv":
            return DelimitedTable(log, _delimiter(log, mapping))
    except BaseException:
        log.close()
        raise
    if form not in ("parquet", "duckdb"):
        return log
    log.close()
    return _binary_table(log, form, table)


def _require_database(form: str | None, table: str | None, file: Path) -> None:
    if table is not None and form != "duckdb":
        raise OnlineError("only a DuckDB database has tables to choose from", where=str(file))


def _tables_of_a_lake(file: Path) -> Sequence[Table]:
    """The tables of a database that `events export` wrote; none for any other file."""
    if not file.is_file():
        return []
    with LogFile(file) as log:
        if log.head()[8:12] != b"DUCK" or log.packed:
            return []
    from online.sources.database import open_tables

    return open_tables(file, LAKE_TABLES, is_of_a_lake)


def _binary_table(log: LogFile, form: str, table: str | None) -> Table:
    if log.packed:
        raise OnlineError(
            f"a {form} file is packed here", where=str(log.path), hint="unpack it, then import it"
        )
    if form == "parquet":
        return ParquetTable(log.path)
    from online.sources.database import open_table

    return open_table(log.path, table)


def _form(log: LogFile) -> str | None:
    """What the content says the file is, "lines" for JSON; None for what only a person knows."""
    head = log.head()
    if head.startswith(b"PAR1"):
        return "parquet"
    if head[8:12] == b"DUCK":
        return "duckdb"
    lines = log.first_lines(SNIFFED_LINES)
    first = next((line for line in lines if not line.startswith(b"# ")), b"")
    if any(byte < 9 for byte in first[:200]) or first.lstrip()[:1] in (b"{", b"["):
        return "lines"
    names = max(_known(log, delimiter) for delimiter in DELIMITERS)
    if names < 2 and (looks_like_ubi(b"\n".join(lines)) or first_objects(log)):
        return "lines"
    return "csv" if any(delimiter.encode() in first for delimiter in DELIMITERS) else "lines"


def _known(log: LogFile, delimiter: str) -> int:
    """How many columns the header names in the native way, cut by this delimiter."""
    try:
        return len(known_columns(header_of(log, delimiter)[1]))
    except OnlineError:
        return 0


def _delimiter(log: LogFile, mapping: TableMap) -> str:
    """The delimiter by which the header names most of what we look for, else most columns."""
    wanted = {*mapping.paths(), *mapping.ignore}

    def fit(delimiter: str) -> tuple[int, int]:
        try:
            header = header_of(log, delimiter)[1]
        except OnlineError:
            return (0, 0)
        return (len(wanted & set(header)) or len(known_columns(header)), len(header))

    return max(DELIMITERS, key=fit)


def _json_source(log: LogFile, form: str | None, mapping: TableMap) -> Source:
    require_lines(log)
    head = b"\n".join(log.first_lines(SNIFFED_LINES))
    model = mapping.constants.get("model_version")
    if form == "ubi" or (form is None and looks_like_ubi(head)):
        kinds = mapping.things.kinds if mapping.things else {}
        return UbiLines(
            log,
            model_version=model,
            click_actions=[action for action, kind in kinds.items() if kind == "click"],
            conversion_actions=[action for action, kind in kinds.items() if kind == "conversion"],
        )
    if mapping.things:
        raise _only_ubi(log.path)
    require_json_lines(log)
    objects = first_objects(log)
    if objects and is_of_a_lake(objects[0]):
        return LakeSource(LakeTables([JsonTable(log)]))
    _require_native_keys(log, objects)
    return NativeLines(log) if model is None else NamedModel(log, str(model))


def _only_ubi(file: Path) -> OnlineError:
    return OnlineError(
        "only in a UBI log are rows told apart by their actions alone",
        where=str(file),
        hint="say in a mapping file what the columns of another log mean",
    )


def _require_native_keys(log: LogFile, objects: list[dict[str, Any]]) -> None:
    """Refuse lines none of which is an event; a single bad line is no reason."""
    keys = list(dict.fromkeys(key for row in objects for key in row))
    if objects and not any(map(_may_be_native, objects)):
        require_meaning(native_map(set(keys) & set(NATIVE), {}), keys, log.path)


def _may_be_native(row: dict[str, Any]) -> bool:
    known = row.keys() & NATIVE.keys()
    return len(known) == len(row) or {"timestamp", "query"} <= known or _is_later_line(known)


def _is_later_line(keys: set[str]) -> bool:
    return "timestamp" in keys and not keys.isdisjoint(LATER_LINES)
