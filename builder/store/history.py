"""One rater's own log, newest first, and the pairs on which raters disagreed."""

from sqlalchemy import Connection, func, select

from builder.store.schema import judgments


def count_log(connection: Connection) -> int:
    """How many rows the log of judgments has, undone and replaced ones too."""
    return connection.execute(select(func.count()).select_from(judgments)).scalar_one()
