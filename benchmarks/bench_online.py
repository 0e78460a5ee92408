"""Search logs against named peers in one run: ingestion, headline, report, second look, A/B test.

One million generated searches (`online_logs`), or as many as are named:
`python -m benchmarks.bench_online 10000000` (DESIGN's size; ten minutes on two quiet cores, 12 GB
of disk). Every piece of work runs in a process of its own; peers take turns, so that a busy machine
slows all alike, and of each the fastest run and the largest memory count. polars is no dependency
of Goldsmith: GOLDSMITH_BENCH_PYTHON names an interpreter that has it, else it is left out. It takes
the day out of the time, as whose log does not lie by day; the bar is of that, and told beside it is
how it does with the days that our folders name.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks import online_programs as programs

ROOT = Path(__file__).parents[1]
SEARCHES = 1_000_000
REPEATS = 3
PEER_PYTHON = os.environ.get("GOLDSMITH_BENCH_PYTHON", sys.executable)
COPY_BAR, HEADLINE_BAR, POLARS_BAR, PANDAS_BAR, REPORT_BAR = 1 / 3, 1.15, 4, 8, 1.3
MEMORY_BAR, LOOK_BAR = 500, 0.050


@dataclass(frozen=True, slots=True)
class Run:
    """What a piece of work took.

    Attributes:
        seconds: By the clock, without imports.
        cpu: Seconds of processor.
        megabytes: Its largest memory.
        answer: What it found.
    """

    seconds: float
    cpu: float
    megabytes: int
    answer: Any


@dataclass(frozen=True, slots=True)
class Work:
    """A program of `online_programs`, its arguments, and what runs it."""

    program: str
    arguments: tuple[Path | str, ...]
    python: str = sys.executable

    def run(self) -> Run | None:
        """One run; None where the interpreter lacks what the program imports."""
        code = self.program + programs.MEASURE
        command = [self.python, "-c", code, *map(str, self.arguments)]
        told = subprocess.run(  # noqa: S603 - our own
            command, check=False, capture_output=True, text=True, cwd=ROOT
        )
        if "ModuleNotFoundError" in told.stderr:
            return None
        if told.returncode:
            raise SystemExit(told.stderr)
        return Run(*json.loads(told.stdout))


def fastest(peers: Mapping[str, Work], repeats: int = REPEATS) -> dict[str, Run]:
    """Name -> its fastest run with its largest memory, of peers that take turns and agree."""
    runs: dict[str, list[Run]] = {name: [] for name in peers}
    for _ in range(repeats):
        for name, work in peers.items():
            runs[name] += [run for run in [work.run()] if run]
    best = {}
    for name, found in runs.items():
        if not found:
            print(f"  {name:24} left out: it is not installed")
            continue
        quick = min(found, key=lambda run: run.seconds)
        memory = max(run.megabytes for run in found)
        best[name] = Run(quick.seconds, min(run.cpu for run in found), memory, quick.answer)
    answers = {json.dumps(run.answer) for run in best.values()}
    assert len(answers) == 1, {name: run.answer for name, run in best.items()}
    return best


def show(name: str, run: Run, beside: str = "") -> None:
    print(f"  {name:24}{run.seconds:8.2f} s {run.cpu:8.2f} s cpu {run.megabytes:6} MB  {beside}")


def rate(run: Run) -> str:
    return f"{run.answer / run.seconds:10,.0f} rows/s"


def generated(write: str, to: Path, searches: int) -> int:
    """What a function of `online_logs` wrote; in a process of its own, as memory is inherited."""
    run = Work(programs.GENERATE, (write, to, str(searches))).run()
    assert run is not None
    print(f"  ({write.removeprefix('write_')}: generated in {run.seconds:.0f} s)", flush=True)
    return int(run.answer)


def bench_ingestion(folder: Path, searches: int) -> None:
    few = max(searches // 10, 1000)
    shapes = {"native": "write_plain_log", "search_id, clicks later": "write_logged_log"}
    small, log = folder / "small.jsonl", folder / "log.jsonl"
    for shape, write in shapes.items():
        print(f"ingestion, {shape}")
        if shape != "native":  # seven lines for five searches: as many lines as before
            searches, few = searches * 5 // 7, few * 5 // 7
        generated(write, small, few)
        lines, size = generated(write, log, searches), log.stat().st_size / 1e6
        print(
            f"  {lines:,} lines, {size:,.0f} MB; memory must not grow with {few:,} to {searches:,}"
        )
        tenth = fastest({"tenth": Work(programs.IMPORT, (small, folder / "small"))}, 1)["tenth"]
        show("import, a tenth", tenth, rate(tenth))
        runs = fastest(
            {
                "bare COPY": Work(programs.COPY, (log, folder / "bare.parquet")),
                "import": Work(programs.IMPORT, (log, folder / f"lake {shape}")),
            },
            1,
        )
        bare, ours = runs["bare COPY"], runs["import"]
        share = bare.seconds / ours.seconds
        show("bare COPY", bare, rate(bare))
        show("import", ours, f"{rate(ours)}, {share:.2f} of the bare (bar {COPY_BAR:.2f})")
        for used in (small, log, folder / "bare.parquet"):
            used.unlink()


def bench_headline(lake: Path) -> None:
    print("headline by model and day: searches, CTR, click-MRR, no click, median dwell")
    runs = fastest(
        {
            "engine": Work(programs.OURS_HEADLINE, (lake,)),
            "DuckDB by hand": Work(programs.BY_HAND_HEADLINE, (lake,)),
            "polars": Work(programs.POLARS_HEADLINE, (lake, "time"), PEER_PYTHON),
            "polars, day by folder": Work(programs.POLARS_HEADLINE, (lake, "folder"), PEER_PYTHON),
            "pandas": Work(programs.PANDAS_HEADLINE, (lake,)),
        }
    )
    ours = runs.pop("engine")
    by_hand = ours.seconds / runs["DuckDB by hand"].seconds
    show("engine", ours, f"{by_hand:.2f} x by hand (bar {HEADLINE_BAR}); bar {MEMORY_BAR} MB")
    bars = {"polars": f"(bar {POLARS_BAR})", "pandas": f"(bar {PANDAS_BAR})"}
    for name, run in runs.items():
        slower = run.seconds / ours.seconds
        show(name, run, f"engine is {slower:.1f} x faster {bars.get(name, '')}")


def bench_report(lake: Path) -> None:
    print("report by model and overall, intervals clustered by session")
    runs = fastest(
        {
            "report": Work(programs.OURS_REPORT, (lake,)),
            "its queries by hand": Work(programs.BY_HAND_REPORT, (lake,)),
        },
        2,
    )
    ours, by_hand = runs["report"], runs["its queries by hand"]
    show("its queries by hand", by_hand)
    show("report", ours, f"{ours.seconds / by_hand.seconds:.2f} x by hand (bar {REPORT_BAR})")
    for by in ("day", "hour"):
        work = Work(programs.REPORT_BY, (lake, by))
        show(f"report --by {by}", fastest({by: work}, 1)[by], f"bar {MEMORY_BAR} MB")
    for unit in ("session", "user"):
        work = Work(programs.AB, (lake, unit))
        show(f"ab, unit {unit}", fastest({unit: work}, 1)[unit])


def bench_second_look(lake: Path, cache: Path) -> None:
    print("second look at the same filters, in another process: the report by hour")
    look = Work(programs.KEPT, (cache, lake))
    first = fastest({"first": look}, 1)["first"]
    second = fastest({"second": look})["second"]
    show("first", first)
    show("second", second, f"{1000 * second.seconds:.1f} ms (bar {1000 * LOOK_BAR:.0f} ms)")


def main() -> None:
    searches = int(sys.argv[1]) if len(sys.argv) > 1 else SEARCHES
    print(f"{searches:,} searches")
    with tempfile.TemporaryDirectory(prefix="goldsmith-bench-") as name:
        folder = Path(name)
        bench_ingestion(folder, searches)
        lake = folder / "events"
        generated("write_lake", lake, searches)
        bench_headline(lake)
        bench_report(lake)
        bench_second_look(lake, folder / "cache")


if __name__ == "__main__":
    main()
