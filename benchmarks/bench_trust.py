"""What the pages of Trust wait for in a big pool: reading, computing, showing, and the graders.

Twelve raters have graded a pool of which each pair has five grades: they differ in care, one is
lenient, one grades at random. Printed are the seconds and the memory of each step, how long a page
waits for the report that lies in the cache, what leaving a rater out takes, and the times of
`next_pair` and `submit_grade` with nothing beside them and while the job computes; with `--page`
also how long the pages take in Chromium.

    python -m benchmarks.bench_trust [--pairs 200000] [--grades 1000000] [--page]
"""

import argparse
import resource
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TypeVar
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray

from benchmarks.app_server import chromium, running_app
from builder.jobs import read_job
from builder.judging.queue import next_pair, submit_grade
from builder.judging.trust import current_trust, report_of, trust_report
from builder.people import ensure_person, exclude_rater, include_rater, pairs_that_would_lose
from builder.store.ratings_reading import read_ratings
from builder.store.repeats_reading import read_repeats
from builder.workspace import Workspace, init_workspace, open_workspace

DOCUMENTS_A_QUERY = 25
RATERS = tuple(f"rater {number:02}" for number in range(1, 13))
LENIENT, RANDOM = 10, 11
GRADER = "grader"
PRESSES, PRESS_SECONDS = 200, 0.05
BEGIN = datetime(2026, 9, 7, 8, tzinfo=UTC)
TAGS = ("navigational", "informational", "rare")
# Guidelines come first: what any page takes on this machine at this moment.
PAGES = {"guidelines": ".gs-head", "agreement": ".gs-verdict", "raters": ".gs-raters"}
LOOKS = 5

T = TypeVar("T")


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=200_000)
    parser.add_argument("--grades", type=int, default=1_000_000)
    parser.add_argument("--page", action="store_true", help="also the pages in Chromium")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        root = Path(scratch) / "workspace"
        _timed("building the workspace", lambda: fill(root, asked.pairs, asked.grades))
        with open_workspace(root) as workspace:
            _measure_steps(workspace)
        with open_workspace(root) as workspace:
            _measure_showing(workspace)
            _measure_graders(workspace)
        if asked.page:
            _measure_pages(root, Path(scratch) / "server.log")


def _measure_steps(workspace: Workspace) -> None:
    with workspace.store.read() as connection:
        ratings = _timed("reading the grades", lambda: read_ratings(connection))
        repeats = _timed("reading what was graded twice", lambda: read_repeats(connection))
    report = _timed("computing", lambda: report_of(ratings, repeats))
    found = {name: len(report[name]) for name in ("raters", "disagreements", "disputed")}
    print(f"  {len(ratings):,} grades, {len(repeats):,} repeats, {found}")
    _timed("all of it, kept", lambda: current_trust(workspace))
    size = (workspace.cache_folder / "trust.json").stat().st_size
    print(f"  {size / 1e6:.1f} MB in the cache")


def _measure_showing(workspace: Workspace) -> None:
    _timed("showing what is kept, first in a process", lambda: trust_report(workspace))
    _timed("showing it again", lambda: trust_report(workspace))
    random = RATERS[RANDOM]
    _timed("pairs that would be asked again", lambda: pairs_that_would_lose(workspace, random))
    _timed("leaving a rater out", lambda: exclude_rater(workspace, random, "at random", None))
    _timed("taking that back", lambda: include_rater(workspace, random, None))


def _measure_graders(workspace: Workspace) -> None:
    """Beside the job somebody grades on; the log of the database must not grow without end."""
    print(f"  {'ms':46} {'n':>5} {'median':>8} {'p95':>8} {'worst':>8}")
    presses = iter(range(PRESSES))
    _print_presses("with nothing beside", _presses(workspace, lambda: next(presses, None) is None))
    exclude_rater(workspace, RATERS[RANDOM], "at random", None)
    began, job = time.perf_counter(), trust_report(workspace).job
    if job is None:
        raise RuntimeError("there are too few grades for a job; ask for more than 20,000")
    logs = [0]

    def is_over() -> bool:
        logs.append((workspace.root / "workbench.db-wal").stat().st_size)
        return not read_job(workspace, job.job_id).active

    _print_presses("while the job computes", _presses(workspace, is_over))
    took = time.perf_counter() - began
    print(f"  the job took {took:.1f} s; the database's log was {max(logs) / 1e6:.1f} MB at most")


def _presses(workspace: Workspace, is_over: Callable[[], bool]) -> list[tuple[float, float]]:
    """Milliseconds of `next_pair` and of `submit_grade`, a press every so often."""
    took = []
    while not is_over():
        began = time.perf_counter()
        pair = next_pair(workspace, GRADER)
        asked = time.perf_counter()
        if pair is None:
            raise RuntimeError("nothing is left to grade")
        submit_grade(workspace, GRADER, pair.pair_id, 1, token=uuid4().hex)
        took.append((1000 * (asked - began), 1000 * (time.perf_counter() - asked)))
        time.sleep(PRESS_SECONDS)
    return took


def _print_presses(name: str, took: list[tuple[float, float]]) -> None:
    for function, times in zip(("next_pair", "submit_grade"), zip(*took, strict=True), strict=True):
        p95 = statistics.quantiles(times, n=20)[-1]
        middle = statistics.median(times)
        label = f"{function}, {name}"
        print(f"  {label:46} {len(times):5} {middle:8.2f} {p95:8.2f} {max(times):8.2f}")


def _measure_pages(root: Path, log: Path) -> None:
    """From asking for the address to the report on screen, each in a new tab."""
    with open_workspace(root) as workspace:
        current_trust(workspace)
    with running_app(root, log) as address, chromium() as browser:
        for page, drawn in PAGES.items():
            times = []
            for _ in range(LOOKS):
                tab = browser.new_page()
                began = time.perf_counter()
                tab.goto(f"{address}/{page}?rater={RATERS[0]}")
                tab.wait_for_selector(drawn)
                times.append(time.perf_counter() - began)
                tab.close()
            print(f"  page {page}: first {times[0]:.2f} s, then {min(times[1:]):.2f} s at best,")
            print(f"  {'':{len(page) + 6}} {max(times[1:]):.2f} s at worst")


def _timed(name: str, function: Callable[[], T]) -> T:
    began, busy = time.perf_counter(), time.process_time()
    result = function()
    took, busy = time.perf_counter() - began, time.process_time() - busy
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{name:46} {took:7.3f} s ({busy:.3f} s of processor), up to {memory:.0f} MB")
    return result


def fill(root: Path, n_pairs: int, n_grades: int) -> None:
    """A workspace in which twelve raters gave so many grades, written by plain SQL."""
    init_workspace(root, "bench").close()
    settings = root / "workspace.toml"
    # Each pair wants one more grade than it has, so that somebody can grade on.
    text = settings.read_text("utf-8").replace("raters_per_pair = 2", "raters_per_pair = 6")
    settings.write_text(text, "utf-8")
    with open_workspace(root) as workspace:
        for rater in (*RATERS, GRADER):
            ensure_person(workspace, rater)
    with closing(sqlite3.connect(root / "workbench.db")) as database:
        database.execute("PRAGMA synchronous = OFF")
        _fill_pool(database, n_pairs)
        _fill_grades(database, n_pairs, n_grades)
        database.commit()
    open_workspace(root).close()  # the rule of the workspace gives each pair its quota


def _fill_pool(database: sqlite3.Connection, n_pairs: int) -> None:
    n_documents = max(DOCUMENTS_A_QUERY, n_pairs // 4)
    n_queries = -(-n_pairs // DOCUMENTS_A_QUERY)
    database.executemany(
        "INSERT INTO documents VALUES (?, ?, 'a title', ?, '{}', '')",
        ((key, f"d{key}", "some words " * 150) for key in range(1, n_documents + 1)),
    )
    database.executemany(
        "INSERT INTO queries (query_key, query_id, text, tags, source, created_at)"
        " VALUES (?, ?, 'a query', ?, 'log', '')",
        ((key, f"q{key}", f'["{TAGS[key % len(TAGS)]}"]') for key in range(1, n_queries + 1)),
    )
    database.executemany(
        "INSERT INTO pairs (pair_id, query_key, doc_key, created_at) VALUES (?, ?, ?, '')",
        (
            (at + 1, at // DOCUMENTS_A_QUERY + 1, at * 7919 % n_documents + 1)
            for at in range(n_pairs)
        ),
    )


def _fill_grades(database: sqlite3.Connection, n_pairs: int, n_grades: int) -> None:
    database.executemany(
        "INSERT INTO judgments (judgment_id, pair_id, rater_id, outcome, grade, judged_at,"
        " recorded_at, milliseconds, token)"
        " VALUES (?1, ?2, ?3, 'grade', ?4, ?5, ?5, ?6, 't' || ?1)",
        _grades(n_pairs, n_grades),
    )
    database.execute(
        "INSERT INTO current_judgments SELECT pair_id, rater_id, judgment_id, outcome"
        " FROM judgments"
    )
    database.execute(
        "UPDATE pairs SET human_grades ="
        " (SELECT count(*) FROM current_judgments AS c WHERE c.pair_id = pairs.pair_id)"
    )


def _grades(n_pairs: int, n_grades: int) -> Iterator[tuple[int, int, int, int, str, int]]:
    """judgment_id, pair_id, person_id, grade, moment, milliseconds; in the order of time."""
    random = np.random.default_rng(4)
    pair, rater = _who_grades_what(n_pairs, n_grades)
    grade = _graded(pair, rater, n_pairs, random)
    milliseconds = random.gamma(4.0, 2500.0, n_grades).astype(int)
    begun = random.integers(0, n_pairs, len(RATERS))[rater]
    seconds = (pair - begun) % n_pairs * 12 + random.integers(0, 12, n_grades)
    for judgment_id, at in enumerate(np.argsort(seconds, kind="stable"), 1):
        moment = BEGIN + timedelta(seconds=int(seconds[at]), microseconds=int(judgment_id % 10**6))
        yield (
            judgment_id,
            int(pair[at]) + 1,
            int(rater[at]) + 1,
            int(grade[at]),
            moment.isoformat(timespec="microseconds"),
            int(milliseconds[at]),
        )


def _who_grades_what(n_pairs: int, n_grades: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Positions of pairs and raters; the raters of a query are the same for all its pairs."""
    pair, turn = np.arange(n_grades) % n_pairs, np.arange(n_grades) // n_pairs
    query = pair // DOCUMENTS_A_QUERY
    step = np.array((1, 5, 7, 11))[query % 4]  # without a divisor in common with twelve
    return pair, (query * 5 + turn * step) % len(RATERS)


def _graded(
    pair: NDArray[np.int64],
    rater: NDArray[np.int64],
    n_pairs: int,
    random: np.random.Generator,
) -> NDArray[np.int64]:
    truth = random.normal(0.0, 1.0, n_pairs // DOCUMENTS_A_QUERY + 1)[pair // DOCUMENTS_A_QUERY]
    truth = truth + random.normal(0.8, 1.0, n_pairs)[pair]
    noise = np.linspace(0.2, 0.9, len(RATERS))[rater] * random.normal(size=len(pair))
    seen = truth + noise + (rater == LENIENT)
    grade = np.clip(np.floor(seen + 0.5), 0, 3).astype(np.int64)
    return np.where(rater == RANDOM, random.integers(0, 4, len(pair)), grade)


if __name__ == "__main__":
    main()
