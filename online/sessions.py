"""Sessions of searches whose log names none: by user and 30 minutes of silence.

A session that the log gives is kept as it is. A user's searches without one share a session until
nothing happens for 30 minutes: no search, and nothing in a search either. A search that names no
user either is a session of its own, which the report counts. Days do not matter: a session that
crosses midnight stays one.

Searches whose log gives a session take no part in the silence of their user. Two logs of one user
may be written by two applications at once, of which one knows sessions: what happens in the one
says nothing about when the other was left, and a given session cannot be extended to a search that
its log did not count to it.
"""

from online.lake import Connection
from online.sql import sql

SILENCE_S = 1800
"""What ends a session, in seconds: the rule of web analytics from its first standards to Google
Analytics and Snowplow. Written out in sql/sessions.sql."""
LONGEST_SEARCH_S = 7200
"""A search whose last click came later than this after it, such as a purchase of the next day,
holds its session open only by itself: else whatever its user did meanwhile would be one session.
Written out in sql/duckdb/activity.sql."""


def find_sessions(connection: Connection) -> None:
    """Make the view `sessions_found`: search_key, timestamp, session_id.

    It holds each search, new or in the lake, whose session differs from what its row says now: new
    ones that lack one, and those of the lake whose session begins earlier or later than it did, as
    a search came late that joins two sessions, begins one, or (replaced by one that has a session
    of its own) no longer holds one together. `session_given` of all of them is FALSE. What is found
    is the same for any order and any split of the imports.

    The view reads both views below each time. Who needs the sessions of all new searches does
    better to join the table `user_sessions` (user_id, half_hour, session_began), which has one row
    for each half hour of a user: for a search without a session that names a user, session_id is
    'user:' || user_id || ':' || session_began of its epoch_us(timestamp) // 1800000000 = half_hour.

    Args:
        connection: With two views. `new_searches` are the searches that the import writes: those
            that are new, and those that it writes anew because rows were joined to them. Its
            columns: search_key, timestamp, user_id, session_id (of the log, or whatever stands
            there for want of one), session_given (TRUE where the log gives the session, be it by
            the search or by a thing that happened in it), active_until, and in_lake, TRUE where
            the lake holds this search (the same search_key) already. `lake_searches` are all
            searches of the lake before this import, with the same columns but in_lake; of these,
            only users are read who occur among new searches without a session, or among replaced
            ones. In both, user_id NULL or "" is no user.
    """
    connection.execute(f"CREATE OR REPLACE TEMP TABLE touched_users AS {_query('touched_users')}")
    connection.execute(f"CREATE OR REPLACE TEMP VIEW activity AS {_query('activity')}")
    connection.execute(f"CREATE OR REPLACE TEMP TABLE user_sessions AS {sql('sessions')}")
    connection.execute(f"CREATE OR REPLACE TEMP VIEW sessions_found AS {_query('sessions_found')}")


def _query(name: str) -> str:
    return sql(f"duckdb/{name}")
