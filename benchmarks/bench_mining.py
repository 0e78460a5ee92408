"""What mining takes of a log: a sample of its queries, and click evidence of all pairs.

Each against one bare scan of the columns that it needs.

One million generated searches, or as many as are named; ten million is the size of the bars:
`python -m benchmarks.bench_mining 10000000 settled` (three minutes on two quiet cores, 2 GB of
disk). Three logs: one whose queries have their lists (`settled`, of `settled_logs`), which the bars
are of; the worst case (`worst`, of `online_logs`), in which each list is random and there are
nearly as many pairs as impressions; and one whose queries are as skewed as those of people, for
the sampling alone (`skewed`, of `skewed_logs`).
"""

import sys
import tempfile
from pathlib import Path

from benchmarks.bench_online import Work, fastest, show

SEARCHES = 1_000_000
SECONDS_BAR, MEMORY_BAR = 30, 2000
SAMPLING_BAR, SAMPLING_REPEATS = 3, 3

WRITERS = {
    "settled": ("benchmarks.settled_logs", "write_settled_lake"),
    "worst": ("benchmarks.online_logs", "write_lake"),
    "skewed": ("benchmarks.skewed_logs", "write_skewed_lake"),
}
WITHOUT_DOCUMENTS = ("skewed",)

GENERATE = """
import importlib, sys
from pathlib import Path
module, name, folder, searches = sys.argv[1:]
def work():
    return getattr(importlib.import_module(module), name)(Path(folder), int(searches))
"""

SCAN = """
import sys
from pathlib import Path
from online.lake import Lake
lake = Lake(Path(sys.argv[1]))
def work():
    with lake.connect() as connection:
        return connection.execute('''SELECT count(*), max(hash(query, session_id)),
            max(hash(retrieved_doc_ids)), max(best_click_position) FROM searches''').fetchone()[0]
"""
"""All that evidence needs of each search, read once."""

EVIDENCE = """
import sys, tempfile
from pathlib import Path
from online.evidence import find_evidence
from online.lake import Lake
import pydantic, scipy.special
lake = Lake(Path(sys.argv[1]))
def work():
    with tempfile.TemporaryDirectory() as cache:
        found = find_evidence(lake, Path(cache))
    return found.summary.searches
"""


SCAN_QUERIES = """
import sys
from pathlib import Path
from online.lake import Lake
lake = Lake(Path(sys.argv[1]))
def work():
    with lake.connect() as connection:
        return connection.execute('''SELECT count(*), max(hash(query)), max(hash(session_id)),
            sum(n_clicks), sum(n_results) FROM searches''').fetchone()[0]
"""
"""All that sampling needs of each search, read once."""

GROUP_QUERIES = """
import sys
from pathlib import Path
from online.lake import Lake
lake = Lake(Path(sys.argv[1]))
def work():
    with lake.connect() as connection:
        return connection.execute('''SELECT sum(n), count(*) FROM
            (SELECT query, count(*) AS n FROM searches GROUP BY query)''').fetchone()[0]
"""
"""The least that a list of different queries takes: one GROUP BY of one column."""

SAMPLE = """
import sys
from pathlib import Path
from builder.mining import Sampling
from builder.mining.drawing import draw_queries
from online.lake import Lake
import pyarrow
lake = Lake(Path(sys.argv[1]))
def work():
    with lake.connect() as connection:
        drawing = draw_queries(connection, Sampling())
    assert len(drawing.queries) == 200
    return int(drawing.units.frame.searches.sum())
"""


def bench_sampling(lake: Path) -> None:
    """200 queries by strata of traffic, with sessions and spellings, from the lake to a list."""
    programs = {"bare scan": SCAN_QUERIES, "bare GROUP BY": GROUP_QUERIES, "sampling": SAMPLE}
    work = {name: Work(program, (lake,)) for name, program in programs.items()}
    runs = fastest(work, SAMPLING_REPEATS)
    scan, ours = runs["bare scan"], runs["sampling"]
    show("bare scan", scan)
    show("bare GROUP BY", runs["bare GROUP BY"], "of the queries alone")
    share = f"{ours.seconds / scan.seconds:.1f} x the scan (bar {SAMPLING_BAR} at ten million)"
    show("sampling", ours, f"{share}, {ours.cpu / scan.cpu:.1f} x by processor")


def bench_evidence(lake: Path) -> None:
    """COEC and SDBN of all pairs, from the lake to a kept file."""
    runs = fastest(
        {
            "bare scan": Work(SCAN, (lake,)),
            "click evidence": Work(EVIDENCE, (lake,)),
        },
        1,
    )
    scan, ours = runs["bare scan"], runs["click evidence"]
    show("bare scan", scan)
    show(
        "click evidence",
        ours,
        f"{ours.seconds / scan.seconds:.1f} x the scan "
        f"(bars {SECONDS_BAR} s and {MEMORY_BAR} MB at ten million)",
    )


def main() -> None:
    searches = int(sys.argv[1]) if len(sys.argv) > 1 else SEARCHES
    print(f"{searches:,} searches")
    for name in sys.argv[2:] or WRITERS:
        print(f"lists: {name}", flush=True)
        with tempfile.TemporaryDirectory(prefix="goldsmith-bench-") as folder:
            lake = Path(folder) / "events"
            # In a process of its own, as memory is inherited.
            fastest({"generate": Work(GENERATE, (*WRITERS[name], lake, str(searches)))}, 1)
            bench_sampling(lake)
            if name not in WITHOUT_DOCUMENTS:
                bench_evidence(lake)


if __name__ == "__main__":
    main()
