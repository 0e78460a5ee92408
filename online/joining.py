"""Joins what happened to its searches: in one log, and with what the lake holds already.

Rows with one search_id are one search, whenever and in whatever order they come. So what is joined
is never the rows alone, but all that is known of a search: its row in the lake, what happened in
it, and what this log tells. Of wide rows only those are brought together that one search has
several of; of all others, narrow interactions are added up and joined to them.
"""

from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from pathlib import Path

from online.columns import COLUMNS
from online.lake import Connection, Writing, create_view, write_days
from online.manifest import TableName
from online.sessions import find_sessions
from online.sql import sql

ADDED_UP_AT_ONCE = 1_000_000
"""Interactions; so many are added up within the memory of a writer."""
MERGED_AT_ONCE = 150_000
"""Rows of searches that have several, each with its results."""
BOTH: tuple[TableName, TableName] = ("searches", "interactions")


@dataclass(slots=True)
class Joining:
    """The rows of one import that hold further keys, on their way into the lake.

    The connection has the views `wide`, `later` and `told` of this log, `lake_searches` and
    `lake_interactions` of the whole lake, the table `dropped`, and the variable `shift`.

    Attributes:
        writing: The import's right to write.
        tell: Told what is done.
        days: Table -> days of the lake whose files are written again.
    """

    writing: Writing
    tell: Callable[[str], None]
    days: dict[TableName, set[str]] = field(default_factory=dict)

    def run(self) -> None:
        """Write the folders `joined` and `kept` with both tables; nothing shows yet."""
        self.tell("looking for the searches of what happened later")
        self._find_held()
        self._merge_rows()
        self.tell("joining what happened to its searches")
        self._add_up()
        self._find_sessions()
        self._write_searches()
        self._write_interactions()

    def place(self) -> None:
        """Move what was written into the lake; it shows with the next commit."""
        for table in BOTH:
            self.writing.place(table, self._folder("joined", table))
            self.writing.place(table, self._folder("kept", table), replaces=self.days[table])

    def notes(self) -> Counter[str]:
        """What was kept but is odd, in rows of the log."""
        found = Counter[str]()
        for query in ("row_notes", "joined_notes"):
            result = self._connection.execute(_sql(query))
            names = [column[0] for column in result.description or ()]
            found.update(dict(zip(names, result.fetchall()[0], strict=True)))
        return +found

    def _find_held(self) -> None:
        """What the lake holds of the searches that this log tells of."""
        self._make("TABLE", "touched")
        self._make("TABLE", "held")
        self._write("held_interactions")
        self.days["searches"] = self._days_of("held")
        self.days["interactions"] = self._days_of("held_interactions")
        self._view_days("of_held_days", "searches", self.days["searches"])
        self._make("VIEW", "held_searches")
        self._make("TABLE", "several")

    def _merge_rows(self) -> None:
        """One wide row of the rows of each search that has several."""
        rows = self._write("leaves")
        self._write("merged", parts=1 + rows // MERGED_AT_ONCE)
        self._make("VIEW", "heads")

    def _add_up(self) -> None:
        rows = self._write("happened")
        self._write("counted", parts=1 + rows // ADDED_UP_AT_ONCE)
        self._write("shown", parts=1 + rows // ADDED_UP_AT_ONCE)

    def _find_sessions(self) -> None:
        """Sessions by users, where there are any; they may change in the lake, too."""
        self._make("VIEW", "drafted")
        wanting = "FROM drafted WHERE NOT session_given AND user_id IS NOT NULL OR in_lake LIMIT 1"
        if self._connection.execute(wanting).fetchall():
            self._connection.execute("CREATE TEMP TABLE new_searches AS FROM drafted")
            find_sessions(self._connection)
        else:
            self._make("TABLE", "no_sessions", "new_searches")
            self._make("VIEW", "no_sessions", "sessions_found")
        self._make("TABLE", "found_sessions")
        self._make("TABLE", "moved_sessions")
        for table in BOTH:
            self.days[table] |= self._days_of("moved_sessions")

    def _write_searches(self) -> None:
        self._write_days("joined", "searches", _sql("searches"))
        files = sorted(self._folder("joined", "searches").glob("date=*/*.parquet"))
        create_view(self._connection, "written", files, COLUMNS["searches"])
        self._write_kept("searches")

    def _write_interactions(self) -> None:
        self._write("placed")
        self._write_days("joined", "interactions", "FROM placed")
        self._write_kept("interactions")

    def _write_kept(self, table: TableName) -> None:
        """All else that the days hold which are written again."""
        if self.days[table]:
            self._view_days(f"{table}_of_days", table, self.days[table])
            self._write_days("kept", table, _sql(f"kept_{table}"))

    @property
    def _connection(self) -> Connection:
        return self.writing.connection

    def _folder(self, name: str, table: str = "") -> Path:
        return self.writing.scratch / name / table

    def _make(self, kind: str, query: str, name: str | None = None) -> None:
        """A temporary table or view of the rows of a query of sql/duckdb/joining."""
        self._connection.execute(f"CREATE TEMP {kind} {name or query} AS {_sql(query)}")

    def _view_days(self, name: str, table: TableName, days: Collection[str]) -> None:
        """A view of some days of a table of the lake."""
        files = [file for file in self.writing.manifest.files(table) if file.date in days]
        self.writing.view(name, files, table)

    def _days_of(self, table: str) -> set[str]:
        days = f"SELECT DISTINCT CAST(date AS VARCHAR) FROM {table}"  # noqa: S608 - our own names
        return {str(day) for (day,) in self._connection.execute(days).fetchall()}

    def _write(self, query: str, *, parts: int = 1) -> int:
        """Write the rows of a query into files, and make a view of them; how many rows.

        With several parts the query runs so often, on a part of the searches each.
        """
        folder = self._folder(query)
        folder.mkdir()
        rows = 0
        for part in range(parts):
            self._connection.execute(f"SET VARIABLE parts = {parts}; SET VARIABLE part = {part}")
            rows += self._copy(_sql(query), folder / f"{part}.parquet")
        files = [str(file) for file in sorted(folder.iterdir())]
        self._connection.read_parquet(files).create_view(query)
        return rows

    def _copy(self, query: str, file: Path) -> int:
        target = str(file).replace("'", "''")
        how = "(FORMAT parquet, COMPRESSION zstd, COMPRESSION_LEVEL 1)"
        ((rows,),) = self._connection.execute(f"COPY ({query}) TO '{target}' {how}").fetchall()
        return int(rows)

    def _write_days(self, name: str, table: TableName, query: str) -> None:
        columns = ", ".join(f'"{column}"' for column in COLUMNS[table])
        ordered = f"SELECT {columns} FROM ({query})"  # noqa: S608 - our own text
        write_days(self._connection, ordered, self._folder(name, table))


def _sql(query: str) -> str:
    return sql(f"duckdb/joining/{query}")
