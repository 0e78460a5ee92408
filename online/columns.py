"""The tables of a lake: their columns and what these mean."""

from online.manifest import TableName

SEARCHES = {
    "timestamp": "TIMESTAMPTZ",
    "search_key": "BIGINT",
    "event_id": "VARCHAR",
    "query": "VARCHAR",
    "session_id": "VARCHAR",
    "session_given": "BOOLEAN",
    "model_version": "VARCHAR",
    "retrieved_doc_ids": "VARCHAR[]",
    "n_results": "INTEGER",
    "n_clicks": "INTEGER",
    "n_ranked_clicks": "INTEGER",
    "n_top_clicks": "INTEGER",
    "best_click_rank": "INTEGER",
    "first_click_rank": "INTEGER",
    "best_click_doc_id": "VARCHAR",
    "best_click_position": "INTEGER",
    "n_conversions": "INTEGER",
    "dwell_s": "DOUBLE",
    "extra": "VARCHAR",
    "zone_assumed": "BOOLEAN",
    "line": "BIGINT",
    "date": "DATE",
    "search_id": "VARCHAR",
    "row_key": "BIGINT",
    "user_id": "VARCHAR",
    "tags": "VARCHAR[]",
    "results_offset": "INTEGER",
    "total_hits": "BIGINT",
    "latency_ms": "DOUBLE",
    "first_click_s": "DOUBLE",
    "conversion_value": "DOUBLE",
    "active_until": "TIMESTAMPTZ",
    "last_row_at": "TIMESTAMPTZ",
    "session_joined": "BOOLEAN",
    "results_joined": "BOOLEAN",
}
"""Columns of `searches`, one row a search.

`search_key` is a hash of `search_id`, where the log names one; else of all that the log line said,
which with `timestamp` is the identity of a row without `event_id`. `row_key` is then the hash of
the row that began the search (NULL without `search_id`: `search_key` is that hash); all other rows
of the search left a row in `interactions`. `timestamp` is that of the earliest row; query, results
and model are those of the latest, whose time is `last_row_at` (NULL: there was one row).

`session_given` tells a session of the log from one made up: "user:ID:MICROSECONDS" for a user's
searches without 30 minutes of silence between them, "search:KEY" for a search of its own.
`session_joined` is TRUE where no row of the search named its session, but something that happened
in it did.
`retrieved_doc_ids` begins behind `results_offset` results (NULL: 0) and holds NULL where a page
between two others is not known; it is NULL, as is `n_results`, where the log does not tell results.
`results_joined` is TRUE where no row of the search told its results, and the documents stand for
them that were shown, by the ranks of their impressions.
`n_ranked_clicks` counts clicks whose rank is known, `n_top_clicks` those at rank 1 or 2.
`best_click_position` is the place in `retrieved_doc_ids`, NULL for a click outside of it.
`n_conversions`, `conversion_value` and `dwell_s` (the longest among its clicks) are NULL where the
log has no such thing; `first_click_s` is the time from the search to its first click, NULL where
clicks have no time. `active_until` is the time of the last thing that happened in the search (NULL:
its own). `extra` holds the further keys of the line as JSON; `line` is its number in the imported
file.
"""

INTERACTIONS = {
    "timestamp": "TIMESTAMPTZ",
    "search_key": "BIGINT",
    "session_id": "VARCHAR",
    "model_version": "VARCHAR",
    "kind": "VARCHAR",
    "doc_id": "VARCHAR",
    "rank": "INTEGER",
    "position": "INTEGER",
    "occurred_at": "TIMESTAMPTZ",
    "dwell_s": "DOUBLE",
    "value": "DOUBLE",
    "date": "DATE",
    "joined": "BOOLEAN",
    "action": "VARCHAR",
    "search_id": "VARCHAR",
    "user_id": "VARCHAR",
    "event_id": "VARCHAR",
    "row_key": "BIGINT",
    "extra": "VARCHAR",
    "own_session_id": "VARCHAR",
}
"""Columns of `interactions`, one row for each thing that happened in a search.

`kind` is "click", "conversion", "impression" (a document was shown), "page" or "other" (known to
the log alone, by its word in `action`). Where a search has several rows, such as its next page,
each of them, the first too, is a "page" and stands as it was logged in `extra`, so that it makes no
difference in which order they come.
`timestamp` and `date` are those of its search; `occurred_at` is its own time where the log has one.
`joined` is FALSE where the lake does not know the search (yet): `timestamp` is then its own time
and `model_version` NULL; NULL means TRUE. `row_key` is the hash of the log's row that told it.
`session_id` is that of its search, else its own; `own_session_id` and `user_id` are what that row
itself named, where it told only of what happened.
"""

COUNTED: dict[str, tuple[str, ...]] = {
    "headline": (
        "searches",
        "clicked_without_rank",
        "conversions_logged",
        "dwells_logged",
        "first_click_elsewhere",
    ),
    "click_ranks": ("clicks",),
}
"""Query of sql/ -> its counts that `online.rollup` rolls up: all that it returns."""

HOURS = {
    "timestamp": "TIMESTAMPTZ",
    "model_version": "VARCHAR",
    "counted": "VARCHAR",
    "rank": "INTEGER",
    **{count: "BIGINT" for counts in COUNTED.values() for count in counts},
    "date": "DATE",
}
"""Columns of `hours`: what was counted of each quarter of an hour, see `online.rollup`.

`timestamp` is its begin. `counted` is the query that counted, of `COUNTED`; `rank` is the rank by
which that query counts (NULL: none); counts of the other query are NULL. A day whose searches or
interactions change is counted anew.
"""

BOTS = {
    "session_id": "VARCHAR",
    "rule": "VARCHAR",
    "searches": "BIGINT",
    "user_id": "VARCHAR",
    "session_given": "BOOLEAN",
    "began": "TIMESTAMPTZ",
    "ended": "TIMESTAMPTZ",
}
"""Columns of `bots`, one row for each session that is taken for a machine's, and rule it meets.

`rule` says why (`online.bots.RULES`), `searches` how many it made, from `began` to `ended`;
`user_id` is one of those who made them, NULL where the log names none. The searches themselves
stay where they are.
"""

COLUMNS: dict[TableName, dict[str, str]] = {
    "searches": SEARCHES,
    "interactions": INTERACTIONS,
    "hours": HOURS,
}
"""Table -> its columns; of those that lie by day."""
