"""Skip-above: a document that was clicked is preferred to those above it that were not."""

from collections.abc import Sequence

from online.engines import Choice
from online.evidence_counting import find_clicks, gather_units
from online.evidence_records import Preference
from online.evidence_searches import place_searches
from online.lake import Lake
from online.report import EVERYTHING
from online.sql import sql


def preferences(
    lake: Lake,
    choice: Choice = EVERYTHING,
    *,
    texts: Sequence[str] | None = None,
    min_times: int = 1,
    most: int = 10_000,
) -> list[Preference]:
    """Pairs of documents of which the lower one was clicked and the upper one was not.

    Joachims (2002), Optimizing search engines using clickthrough data: who clicked had looked at
    what stood above. This says which of two is better, and nothing about how good they are.

    Args:
        lake: The events.
        choice: Which searches count.
        texts: Only these queries, in any spelling; None all.
        min_times: Only preferences that so many searches show.
        most: How many at most, those of most searches first.

    Raises:
        OnlineError: The choice makes no sense, or the lake is damaged.
    """
    with lake.connect() as connection:
        place_searches(connection, choice, texts)
        find_clicks(connection)
        gather_units(connection)
        found = connection.sql(sql("duckdb/evidence/preferences"))
        often = found.filter(f"times >= {int(min_times)}")
        rows = often.order("times DESC, group_key, preferred, over").limit(most).fetchall()
    return [Preference(*row) for row in rows]
