"""Search logs against bare DuckDB in one run: ingestion, and the report on the lake it made.

One million generated searches of 28 days, in the order of time: 200,000 documents, ten results
each, 40 % clicked. Bars: ingestion at least a third of the rows/s of a bare COPY of read_json to
Parquet, which checks, identifies and sorts nothing; the report at most 1.3 x its queries written by
hand on the same files. `python -m benchmarks.bench_online 10000000` takes another number of lines.
"""

import json
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import duckdb

from online.lake import Lake
from online.report import daily, report

LINES = 1_000_000
REPEATS = 5
COPY_BAR, REPORT_BAR = 1 / 3, 1.3

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
"""
COPY = """
import sys, duckdb
duckdb.execute("SET enable_progress_bar = false")
log, target = sys.argv[1:]
columns = ("{timestamp: 'TIMESTAMPTZ', query: 'VARCHAR', session_id: 'VARCHAR', "
    "model_version: 'VARCHAR', retrieved_doc_ids: 'VARCHAR[]', clicked_doc_id: 'VARCHAR', "
    "click_rank: 'INTEGER'}")
def work():
    duckdb.execute(f"COPY (SELECT * FROM read_json('{log}', format='newline_delimited', "
        f"columns={columns})) TO '{target}' (FORMAT parquet)")
"""
MEASURE = """
import resource, time
wall, cpu = time.perf_counter(), time.process_time()
work()
wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
print(wall, cpu, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)
"""
BY_HAND = {
    "headline": """SELECT model_version, best_click_rank, COUNT(*), SUM(n_clicks), COUNT(dwell_s)
        FROM searches GROUP BY ALL""",
    "click ranks": """SELECT model_version, rank, COUNT(*) FROM interactions
        WHERE kind = 'click' GROUP BY ALL""",
    "sessions of a model": """SELECT model_version, COUNT(*), SUM(n), SUM(c), SUM(r), SUM(n * n),
        SUM(c * c), SUM(n * c), SUM(r * r), SUM(n * r), SUM(z), SUM(z * z), SUM(n * z), SUM(k),
        SUM(k * k), SUM(t), SUM(t * t), SUM(k * t) FROM (
            SELECT model_version, session_id, COUNT(*) AS n, COUNT_IF(n_clicks > 0) AS c,
                SUM(1 / best_click_rank) AS r, COUNT_IF(n_results = 0) AS z,
                SUM(n_ranked_clicks) AS k, SUM(n_top_clicks) AS t
            FROM searches GROUP BY ALL) GROUP BY ALL""",
}
BY_HAND["sessions"] = BY_HAND["sessions of a model"].replace("model_version, ", "")
DAILY_BY_HAND = """SELECT date, model_version, COUNT(*), AVG(CAST(n_clicks > 0 AS INTEGER)),
    AVG(COALESCE(1 / best_click_rank, 0)), MEDIAN(dwell_s) FROM searches GROUP BY ALL"""


def generated(lines: int) -> Iterator[str]:
    chance, start = random.Random(7), datetime(2026, 11, 1, tzinfo=UTC)
    documents = [f"doc-{number:06}" for number in range(200_000)]
    for number in range(lines):
        found = chance.sample(documents, 10)
        rank = chance.randint(1, 10) if chance.random() < 0.4 else None
        moment = start + timedelta(days=28 * number / lines)
        yield json.dumps(
            {
                "timestamp": moment.isoformat(),
                "query": f"how to do thing number {chance.randrange(20_000)}",
                "session_id": f"s{number // 4}",
                "model_version": chance.choice(["bm25", "minilm"]),
                "retrieved_doc_ids": found,
                "clicked_doc_id": found[rank - 1] if rank else None,
                "click_rank": rank,
            }
        )


def seconds(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def run(program: str, *arguments: Path) -> tuple[float, ...]:
    """Seconds, seconds of processor, megabytes at most of work in a process of its own."""
    command = [sys.executable, "-c", program + MEASURE, *map(str, arguments)]
    told = subprocess.run(command, check=True, capture_output=True)  # noqa: S603 - our own
    return tuple(map(float, told.stdout.split()))


def bench_ingestion(log: Path, folder: Path, lines: int) -> Lake:
    # Alternating, so that a busy machine slows both alike; the best of each counts.
    pairs = [
        (run(COPY, log, folder / "bare.parquet"), run(IMPORT, log, folder / f"events-{number}"))
        for number in range(REPEATS)
    ]
    bare, ours = (
        [min(column) for column in zip(*runs, strict=True)] for runs in zip(*pairs, strict=True)
    )
    print(f"ingestion, {lines:,} lines of JSON, {log.stat().st_size / 1e6:.0f} MB")
    for name, (wall, cpu, memory) in (("bare COPY", bare), ("import_events", ours)):
        rate = f"{lines / wall:10,.0f} rows/s"
        print(f"  {name:14}{wall:6.2f} s ({cpu:.2f} s of processor) {rate} {memory:6.0f} MB")
    print(f"  {bare[0] / ours[0]:.2f} of the bare rows/s (bar {COPY_BAR:.2f})")
    return Lake(folder / "events-0")


def bench_report(lake: Lake) -> None:
    with lake.connect() as connection:
        queries = list(BY_HAND.values())
        by_hand = min(
            seconds(lambda: [connection.execute(query).fetchall() for query in queries])
            for _ in range(REPEATS)
        )
        by_day = min(
            seconds(lambda: connection.execute(DAILY_BY_HAND).fetchall()) for _ in range(REPEATS)
        )
    ours = min(seconds(lambda: report(lake)) for _ in range(REPEATS))
    days = min(seconds(lambda: daily(lake)) for _ in range(REPEATS))
    print("report, by model and overall, with intervals clustered by session")
    print(f"  its queries by hand  {by_hand:6.3f} s")
    print(f"  report               {ours:6.3f} s   {ours / by_hand:.2f} x (bar {REPORT_BAR} x)")
    print(f"  daily                {days:6.3f} s   (by hand, without intervals, {by_day:.3f} s)")


def main() -> None:
    duckdb.execute("SELECT 1")  # imports are not measured
    lines = int(sys.argv[1]) if len(sys.argv) > 1 else LINES
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        log = folder / "log.jsonl"
        with log.open("w") as stream:
            stream.writelines(f"{line}\n" for line in generated(lines))
        bench_report(bench_ingestion(log, folder, lines))


if __name__ == "__main__":
    main()
