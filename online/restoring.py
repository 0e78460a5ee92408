"""An own export on its way into a lake: its rows keep the identity that they have in the lake.

A row of an export was made of several rows of logs, and a row of a log may have left several. What
identifies them is kept, so the import settles what is known already as for any log; and it is
counted in rows of the export.
"""

from dataclasses import dataclass
from pathlib import Path

from online.connections import Connection
from online.sql import sql


@dataclass(slots=True)
class Restoring:
    """One import of an export.

    The connection has the views `staged_wide`, `staged_later` and `rejected` of its rows, where
    `line` numbers rows of logs.
    """

    connection: Connection

    def keep_identities(self, identities: Path) -> None:
        """Make the views `wide` and `later`, with what rows are known by.

        Args:
            identities: The Arrow stream of `LakeSource`, from now on the table `identities`.
        """
        import pyarrow as pa

        with pa.memory_map(str(identities)) as file:
            self.connection.register("known_by", pa.ipc.open_stream(file))
            self.connection.execute("CREATE TEMP TABLE identities AS FROM known_by")
            self.connection.unregister("known_by")
        for name in ("wide", "later"):
            query = sql("duckdb/restored/identified").format(staged=f"staged_{name}")
            self.connection.execute(f"CREATE TEMP VIEW {name} AS {query}")

    def settle_what_searches_tell(self) -> None:
        """Put into `dropped` what only searches tell whole: known with them, else refused."""
        self.connection.execute(
            f"CREATE OR REPLACE TEMP TABLE dropped AS {sql('duckdb/restored/dropped')}"
        )

    def count_rows(self) -> tuple[int, int]:
        """Rows of the export that brought something new, and those that did not.

        A row of which a part is in quarantine counts there alone.
        """
        ((accepted, duplicate),) = self.connection.execute(sql("duckdb/restored/tally")).fetchall()
        return int(accepted), int(duplicate)
