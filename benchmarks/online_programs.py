"""The programs that bench_online runs, each in a process of its own, to see what memory it takes.

Each defines `work()`, which is measured, and returns what the peers must agree on.
"""

OURS_HEADLINE = """
import sys
from pathlib import Path
from online.engines import Choice, choose, choose_measure, fetch
from online.lake import Lake
lake = Lake(Path(sys.argv[1]))
def work():
    with lake.connect() as connection:
        choose(connection, Choice(), "day_and_model")
        rows = fetch(connection, "headline")
        medians = connection.sql(
            "SELECT group_key, median(dwell_s) FROM selected WHERE dwell_s IS NOT NULL GROUP BY ALL"
        ).fetchall()
    clicked = sum(row["searches"] for row in rows if row["best_click_rank"])
    return len(medians), sum(row["searches"] for row in rows), clicked
"""
"""Without the intervals: median and sums of a day and model, as the peers give them."""

BY_HAND_HEADLINE = """
import sys, duckdb
duckdb.execute("SET TimeZone = 'UTC'; SET enable_progress_bar = false")
files = sys.argv[1] + "/searches/*/*.parquet"
def work():
    rows = duckdb.execute(f'''SELECT date, model_version, count(*), count_if(n_clicks > 0),
        avg(coalesce(1 / best_click_rank, 0)), avg(CAST(n_clicks = 0 AS INTEGER)), median(dwell_s)
        FROM read_parquet('{files}', hive_partitioning = true) GROUP BY ALL''').fetchall()
    return len(rows), sum(row[2] for row in rows), sum(row[3] for row in rows)
"""

POLARS_HEADLINE = """
import sys, polars as pl
files = sys.argv[1] + "/searches/*/*.parquet"
day = pl.col("date") if sys.argv[2] == "folder" else pl.col("timestamp").dt.date().alias("day")
def work():
    clicked = pl.col("n_clicks") > 0
    rows = pl.scan_parquet(files, hive_partitioning=True).group_by(day, "model_version").agg(
        pl.len().alias("n"), clicked.sum().alias("clicked"),
        (1 / pl.col("best_click_rank")).fill_null(0).mean().alias("mrr"),
        (~clicked).mean().alias("no_click"), pl.col("dwell_s").median()).collect()
    return len(rows), rows["n"].sum(), rows["clicked"].sum()
"""

PANDAS_HEADLINE = """
import glob, sys
import pandas as pd
import pyarrow.dataset
def work():
    columns = ["date", "model_version", "n_clicks", "best_click_rank", "dwell_s"]
    log = pyarrow.dataset.dataset(sys.argv[1] + "/searches", partitioning="hive")
    searches = log.to_table(columns=columns).to_pandas()
    searches["clicked"] = searches.n_clicks > 0
    searches["reciprocal"] = (1 / searches.best_click_rank).fillna(0)
    rows = searches.groupby(["date", "model_version"], observed=True).agg(
        n=("clicked", "size"), clicked=("clicked", "sum"), mrr=("reciprocal", "mean"),
        ctr=("clicked", "mean"), dwell=("dwell_s", "median"))
    return len(rows), int(rows.n.sum()), int(rows.clicked.sum())
"""

OURS_REPORT = """
import sys
from pathlib import Path
from online.lake import Lake
from online.report import report
import scipy.special
lake = Lake(Path(sys.argv[1]))
def work():
    found = report(lake)["overall"]
    return found["searches"], found["sessions"], found["users"]
"""

BY_HAND_REPORT = """
import sys, duckdb
duckdb.execute("SET TimeZone = 'UTC'; SET enable_progress_bar = false")
for table in ("searches", "interactions"):
    files = f"{sys.argv[1]}/{table}/*/*.parquet"
    duckdb.execute(f"CREATE VIEW {table} AS FROM read_parquet('{files}', hive_partitioning = true)")
names = ["c", "r", "z", "k", "t", "a", "b", "e", "f", "v"]
sums = ", ".join(f"SUM({x}), SUM({x} * {x}), SUM({x} * n)" for x in names)
SESSIONS = f'''SELECT {{level}} COUNT(*), SUM(n), SUM(n * n), SUM(t * k), {sums} FROM (
    SELECT {{level}} session_id, COUNT(*) AS n, COUNT_IF(n_clicks > 0) AS c,
        SUM(1 / best_click_rank) AS r, COUNT_IF(n_results = 0) AS z, SUM(n_ranked_clicks) AS k,
        SUM(n_top_clicks) AS t, COUNT_IF(best_click_rank <= 1) AS a,
        COUNT_IF(best_click_rank <= 3) AS b, COUNT_IF(best_click_rank <= 5) AS e,
        COUNT_IF(best_click_rank <= 10) AS f, COUNT_IF(n_conversions > 0) AS v
    FROM searches GROUP BY ALL) GROUP BY ALL'''
RATIO = "SELECT {level} COUNT(*), SUM(n), SUM(n * n), SUM(y), SUM(y * y), SUM(y * n) FROM "
LONG = RATIO + '''(SELECT {level} session_id, COUNT(*) AS n, COUNT_IF(dwell_s > 30) AS y
    FROM searches WHERE dwell_s IS NOT NULL GROUP BY ALL) GROUP BY ALL'''
MEDIANS = '''SELECT {level} median(dwell_s), quantile_cont(dwell_s, [0.48, 0.49, 0.51, 0.52])
    FROM searches GROUP BY ALL'''
BELOW = RATIO + '''(SELECT {level} session_id, COUNT(*) AS n, COUNT_IF(dwell_s <= 150) AS y
    FROM searches WHERE dwell_s IS NOT NULL GROUP BY ALL) GROUP BY ALL'''
REFORMULATED = RATIO + '''(
    SELECT {level} session_id, COUNT(*) AS n, COUNT_IF(n_clicks = 0 AND later <> query
        AND later_at - timestamp <= INTERVAL 5 MINUTE) AS y
    FROM (SELECT model_version, session_id, n_clicks, timestamp, lower(query) AS query,
        LEAD(lower(query)) OVER visit AS later, LEAD(timestamp) OVER visit AS later_at
        FROM searches WINDOW visit AS (PARTITION BY session_id ORDER BY timestamp))
    GROUP BY ALL) GROUP BY ALL'''
USERS = "SELECT {level} COUNT(DISTINCT user_id), COUNT(*) FROM searches GROUP BY ALL"
RANKS = '''SELECT model_version, best_click_rank, COUNT(*), SUM(n_clicks), COUNT(dwell_s)
    FROM searches GROUP BY ALL'''
CLICKS = '''SELECT model_version, rank, COUNT(*) FROM interactions WHERE kind = 'click'
    GROUP BY ALL'''
def work():
    for query in (RANKS, CLICKS):
        duckdb.execute(query).fetchall()
    for level in ("model_version,", ""):
        for query in (MEDIANS, LONG, BELOW, REFORMULATED):
            duckdb.execute(query.format(level=level)).fetchall()
        users = duckdb.execute(USERS.format(level=level)).fetchall()
        sessions = duckdb.execute(SESSIONS.format(level=level)).fetchall()
    return users[0][1], sessions[0][0], users[0][0]
"""

REPORT_BY = """
import sys
from pathlib import Path
from online.lake import Lake
from online.slices import report_by
import scipy.special
lake, by = Lake(Path(sys.argv[1])), sys.argv[2]
def work():
    return len(report_by(lake, by)["by_" + by])
"""

AB = """
import sys
from pathlib import Path
from online.ab import Plan, compare_arms
from online.lake import Lake
import scipy.special
lake = Lake(Path(sys.argv[1]))
def work():
    return sum(compare_arms(lake, Plan("bm25", "minilm", unit=sys.argv[2])).units)
"""

KEPT = """
import sys
from pathlib import Path
from online.kept import kept
from online.lake import Lake
from online.slices import report_by
cache, lake = Path(sys.argv[1]), Lake(Path(sys.argv[2]))
def work():
    return len(kept(cache, lake, {"by": "hour"}, lambda: report_by(lake, "hour"))["by_hour"])
"""

IMPORT = """
import sys
from pathlib import Path
import pyarrow.json
from online.ingest import import_events
from online.lake import Lake
log, lake = map(Path, sys.argv[1:])
def work():
    tally = import_events(Lake(lake), log, quarantine_folder=lake / "quarantine")
    assert tally.accepted == tally.read > 0, tally
    return tally.read
"""

COPY = """
import sys, duckdb
duckdb.execute("SET enable_progress_bar = false")
log, target = sys.argv[1:]
columns = ("{timestamp: 'TIMESTAMPTZ', query: 'VARCHAR', session_id: 'VARCHAR', "
    "model_version: 'VARCHAR', retrieved_doc_ids: 'VARCHAR[]', clicked_doc_id: 'VARCHAR', "
    "click_rank: 'INTEGER', search_id: 'VARCHAR', user_id: 'VARCHAR', "
    "clicks: 'STRUCT(doc_id VARCHAR, rank INTEGER, timestamp TIMESTAMPTZ)[]'}")
def work():
    lines = f"read_json('{log}', format='newline_delimited', columns={columns})"
    copy = f"COPY (SELECT * FROM {lines}) TO '{target}' (FORMAT parquet)"
    return duckdb.execute(copy).fetchall()[0][0]
"""

GENERATE = """
import sys
from pathlib import Path
from benchmarks import online_logs
def work():
    return getattr(online_logs, sys.argv[1])(Path(sys.argv[2]), int(sys.argv[3]))
"""

MEASURE = """
import json, resource, sys, time
wall, cpu = time.perf_counter(), time.process_time()
answer = work()
wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(json.dumps([wall, cpu, memory // (1 << 20 if sys.platform == "darwin" else 1 << 10), answer]))
"""
