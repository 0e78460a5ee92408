"""Which searches were reformulated: what the same session asks next, over the views of a lake."""

from datetime import timedelta

from online.engines import Choice, Grouping, group_key, make, marked, of_days
from online.lake import Connection
from online.sql import sql


def choose_followed(connection: Connection, choice: Choice, grouping: Grouping) -> None:
    """Make the view `paired` of the searches that count: y is 1 where one was reformulated.

    What follows need not count itself: it may be of another model or tag, or of the day behind the
    last. Searches in sessions that cannot hold another one are not among them. Sorting them takes
    as long as all other counts together; what came out by model serves for all together too. The
    view `selected` is another one after this.

    Args:
        connection: Of `Lake.connect`.
        choice: Which events count.
        grouping: What `group_key` is, as in `engines.choose`.
    """
    if grouping == "all" and _is_kept(connection, choice):
        kept = connection.sql("SELECT '' AS group_key, session_id, y, x FROM followed_by_model")
        kept.create_view("paired", replace=True)
        return
    _look_at(connection, choice, grouping)
    rows = connection.sql(sql("reformulated"))
    if grouping == "tag":
        rows = rows.project("unnest(group_key) AS group_key, session_id, y, x")
    rows.create_view("paired", replace=True)
    if grouping == "model":
        make(connection, "followed_by_model", "session_pairs")
        connection.execute("SET VARIABLE followed_choice = ?", [repr(choice)])
        connection.sql("FROM followed_by_model").create_view("paired", replace=True)


def _is_kept(connection: Connection, choice: Choice) -> bool:
    found = connection.execute("SELECT getvariable('followed_choice')").fetchall()
    return bool(found[0][0] == repr(choice))


def _look_at(connection: Connection, choice: Choice, grouping: Grouping) -> None:
    """Make the view `followed` of all searches that count or may follow one that does."""
    days = of_days(connection.sql("FROM searches"), choice.start, choice.end, timedelta(days=1))
    days.create_view("selected", replace=True)
    make(connection, "texts", "texts")
    make(connection, "spellings", "duckdb/spellings")
    rows = marked(connection, days, choice, classes=grouping.startswith("class"))
    # Two rows for a search with two tags would follow each other.
    key = group_key(days, choice, grouping).removeprefix("unnest")
    rows.project(f"*, {key} AS group_key").create_view("looked_at", replace=True)
    connection.execute(f"CREATE OR REPLACE TEMP VIEW followed AS {sql('duckdb/followed')}")
