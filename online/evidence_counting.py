"""Click evidence is counted: searches to units, units to pairs, pairs to one Parquet file.

Sessions are counted exactly, and cheaply: most searches are the only one of their session for a
query, so each of them is a session of all that it showed; only for the others the sessions of a
pair are told apart.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from online.click_models import (
    PARTS,
    SMALL_PARTS,
    RankCtr,
    Spread,
    beta_prior,
    gamma_prior,
    looked_down_to,
    smooth_rank_ctr,
)
from online.connections import make_columns
from online.engines import Choice, fetch, make
from online.evidence_records import EvidenceSummary, Priors
from online.evidence_searches import count_flagged, has_stray_searches, place_searches, show
from online.lake import Connection, Progress
from online.sql import sql

SUMMARY = "goldsmith_summary"
"""Under this key the file tells its summary, as JSON."""
PARQUET = "FORMAT parquet, COMPRESSION zstd, COMPRESSION_LEVEL 1, ROW_GROUP_SIZE 40960"


def write_evidence(
    connection: Connection, choice: Choice, file: Path, progress: Progress | None = None
) -> None:
    """Count the evidence of a choice and write it as one Parquet file.

    A row is a pair, the pairs of a query stand together, most clicks first; its columns are the
    integers of sql/evidence/pairs.sql, with the query itself instead of its number. What it needs
    beside them to be read stands in its metadata: see `read_summary`.

    Args:
        connection: Of `Lake.connect`, for this alone.
        choice: Which searches count.
        file: Where to.
        progress: Told what is done, in steps; may raise to cancel.
    """
    steps = _steps(connection, choice, file)
    for done, (what, work) in enumerate(steps):
        if progress:
            progress(what, done, len(steps))
        work()


def read_summary(text: bytes) -> EvidenceSummary:
    """The summary of a file, by what its metadata hold under `SUMMARY`."""
    from pydantic import TypeAdapter

    return TypeAdapter(EvidenceSummary).validate_json(text)


def _steps(
    connection: Connection, choice: Choice, file: Path
) -> list[tuple[str, Callable[[], None]]]:
    return [
        ("looking for the queries", lambda: place_searches(connection, choice)),
        ("looking for what was clicked", lambda: find_clicks(connection)),
        ("gathering equal result lists", lambda: gather_units(connection)),
        ("counting pairs by rank", lambda: _count_ranks(connection)),
        ("counting pairs", lambda: _count_pairs(connection)),
        ("writing the evidence", lambda: _write(connection, choice, file)),
    ]


def find_clicks(connection: Connection) -> None:
    """Make the tables of what searches logged as shown, and of clicks that need to be looked up."""
    make(connection, "repeated_visits", "evidence/repeated_visits")
    _make_if(connection, "seen", "evidence/seen", "kind = 'impression'")
    nameless = "kind = 'click' AND doc_id IS NULL"
    _make_if(connection, "docs_by_rank", "duckdb/evidence/docs_by_rank", nameless)
    make(connection, "clicked_docs", "evidence/clicked_docs")
    make(connection, "clicked_places", "duckdb/evidence/clicked_places")
    make(connection, "off_list", "evidence/off_list")


def _make_if(connection: Connection, table: str, query: str, condition: str) -> None:
    """Make a table, an empty one where no thing meets the condition: to join nothing takes long."""
    things = connection.view("things").filter(condition)
    if things.limit(1).fetchall():
        make(connection, table, query)
    else:
        empty = f"{sql(query)} LIMIT 0"
        connection.execute(f'CREATE OR REPLACE TEMP TABLE "{table}" AS {empty}')


def gather_units(connection: Connection) -> None:
    """Make the table `units` and the view `shown_docs`, a row for each document that one showed."""
    make(connection, "units", "duckdb/evidence/units")
    show(connection, "lists", "duckdb/evidence/lists")
    show(connection, "listed_docs", "duckdb/evidence/listed_docs")
    show(connection, "seen_docs", "evidence/seen_docs")
    shown = connection.view("listed_docs").union(connection.view("seen_docs"))
    shown.create_view("shown_docs", replace=True)


def _count_ranks(connection: Connection) -> None:
    """Make `pair_ranks` and `rank_parts`: what COEC expects at each rank."""
    places = {
        row["place"]: row["clicks"] for row in fetch(connection, "duckdb/evidence/clicks_by_place")
    }
    make_columns(connection, "looked_down_to", numbers={"place": [looked_down_to(places)]})
    make(connection, "pair_ranks", "evidence/pair_ranks")
    ranks = _rank_ctr(connection)
    columns = {"rank": [row.rank for row in ranks], "parts": [row.parts for row in ranks]}
    make_columns(connection, "rank_parts", numbers=columns)


def _rank_ctr(connection: Connection) -> list[RankCtr]:
    counts = {
        row["rank"]: (row["impressions"], row["clicks"])
        for row in fetch(connection, "evidence/rank_ctr")
    }
    return smooth_rank_ctr(counts)


def _count_pairs(connection: Connection) -> None:
    make(connection, "visit_sessions", "evidence/visit_sessions")
    make(connection, "pairs", "evidence/pairs")


def _write(connection: Connection, choice: Choice, file: Path) -> None:
    told = json.dumps(asdict(_summary(connection, choice))).replace("'", "''")
    columns = "group_key, pairs.* EXCLUDE (group_id)"
    names = "(SELECT DISTINCT group_id, group_key FROM query_groups)"
    query = (
        f"SELECT {columns} FROM pairs INNER JOIN {names} AS names USING (group_id) "  # noqa: S608 - our own
        "ORDER BY group_id, clicks DESC, impressions DESC, doc_id"
    )
    target = str(file).replace("'", "''")
    connection.execute(
        f"COPY ({query}) TO '{target}' ({PARQUET}, KV_METADATA {{{SUMMARY}: '{told}'}})"
    )


def _summary(connection: Connection, choice: Choice) -> EvidenceSummary:
    counts: dict[str, int] = {}
    for query in _COUNTED:
        counts |= fetch(connection, f"evidence/{query}")[0]
    counts["clicks_without_rank"] += counts.pop("plain_clicks_without_rank")
    ((place,),) = connection.table("looked_down_to").fetchall()
    models = fetch(connection, "evidence/models")
    return EvidenceSummary(
        **counts,
        searches_of_events=_searches_of_events(connection),
        flagged_searches=count_flagged(connection, choice),
        flagged_left_out=choice.without_bots,
        looked_down_to=place,
        priors=_priors(connection),
        rank_ctr=_rank_ctr(connection),
        by_model={row["model_version"]: row["searches"] for row in models},
    )


def _searches_of_events(connection: Connection) -> int:
    if not has_stray_searches(connection):
        return 0
    found = connection.view("selected").join(
        connection.table("stray_searches"), "search_key", how="semi"
    )
    return int(found.aggregate("count(*)").fetchall()[0][0])


_COUNTED = (
    "totals", "searches_left_out", "clicks_left_out", "unknown_slots", "impressions_without_rank",
    "waiting",
)  # fmt: skip


def _priors(connection: Connection) -> Priors:
    spreads = {row["measure"]: row for row in fetch(connection, "evidence/spreads")}
    return Priors(
        ctr=beta_prior(_spread(spreads.get("ctr"))),
        coec=gamma_prior(_spread(spreads.get("coec"), PARTS)),
        sdbn=beta_prior(_spread(spreads.get("sdbn"))),
        satisfaction=beta_prior(_spread(spreads.get("satisfaction"))),
    )


def _spread(row: Mapping[str, Any] | None, unit: int = 1) -> Spread:
    """What spreads.sql tells of a measure, in ones; None: no pair has it."""
    if row is None:
        return Spread(0, 0, 0, 0, 0)
    return Spread(
        int(row["pairs"]),
        int(row["hits"]),
        int(row["total"]) / unit,
        int(row["total_squared"]),
        int(row["hits_squared_by_total"]) / SMALL_PARTS,
    )
