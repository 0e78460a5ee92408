"""The next pair in the store, claim included, and the counts beside it, in a big pool.

Ten raters have judged much of the pool; one is new, one is midway, one has all but the last pairs
behind them. Each case grades on and asks again, so that every step takes a lease and gives it
back; what it prints are the times of `next_pair` and of `progress_of`, and of the very first call
in a new process, which looks at everything once.

    python -m benchmarks.bench_queue [--pairs 200000] [--judgments 1000000] [--presses 200]
"""

import argparse
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Callable, Iterable
from contextlib import closing
from pathlib import Path
from uuid import uuid4

from builder.judging.queue import (
    Filters,
    next_pair,
    progress_of,
    query_pairs,
    submit_grade,
    undo_last,
)
from builder.people import ensure_person
from builder.store.quota import refresh_query
from builder.workspace import Workspace, init_workspace, open_workspace

DOCUMENTS_A_QUERY = 25
RATERS = tuple(f"rater {number}" for number in range(1, 11))
NEW, MIDWAY, NEARLY_DONE = "new", RATERS[0], RATERS[1]
LEFT = 2
RARE, COMMON = "rare", "common"
BAR_MS = 20.0


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=200_000)
    parser.add_argument("--judgments", type=int, default=1_000_000)
    parser.add_argument("--presses", type=int, default=200)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        root = Path(scratch) / "workspace"
        began = time.perf_counter()
        fill(root, asked.pairs, asked.judgments)
        took = time.perf_counter() - began
        print(f"{asked.pairs:,} pairs, {asked.judgments:,} judgments, built in {took:.0f} s")
        print(f"{'ms':42} {'first':>8} {'n':>5} {'median':>8} {'p95':>8} {'worst':>8}")
        for name, rater, filters in _cases():
            with open_workspace(root) as workspace:
                _measure(workspace, name, rater, filters, asked.presses)
        with open_workspace(root) as workspace:
            _measure_beside(workspace, asked.presses)
            _measure_list(workspace)
        _retire(root)
        for name, rater, filters in _cases()[:3]:
            with open_workspace(root) as workspace:
                _measure(workspace, f"{name}, half retired", rater, filters, asked.presses)


def _cases() -> list[tuple[str, str, Filters]]:
    whole = Filters()
    return [
        ("new rater", NEW, whole),
        ("midway", MIDWAY, whole),
        ("nearly done", NEARLY_DONE, whole),
        ("new rater, rare tag", NEW, Filters(RARE)),
        ("midway, common tag", MIDWAY, Filters(COMMON)),
        ("nearly done, rare tag", NEARLY_DONE, Filters(RARE)),
    ]


def _measure(workspace: Workspace, name: str, rater: str, filters: Filters, presses: int) -> None:
    asking = [_ms(lambda: next_pair(workspace, rater, filters))]
    counting = [_ms(lambda: progress_of(workspace, rater, filters))]
    for press in range(presses):
        pair = next_pair(workspace, rater, filters)
        if pair is None or press % 10 == 9:
            # An undone grade is graded again, so that the nearly done have something to do.
            undo_last(workspace, rater)
        else:
            submit_grade(workspace, rater, pair.pair_id, press % 4, token=uuid4().hex)
        asking.append(_ms(lambda: next_pair(workspace, rater, filters)))
        counting.append(_ms(lambda: progress_of(workspace, rater, filters)))
    _print(f"next_pair, {name}", asking)
    _print(f"progress_of, {name}", counting)


def _measure_beside(workspace: Workspace, presses: int) -> None:
    """Nearly done, while nine others grade, skip and undo all over the pool."""
    asking, others = [], [rater for rater in RATERS if rater != NEARLY_DONE]
    for press in range(presses):
        for rater in others:
            pair = next_pair(workspace, rater)
            if pair is not None:
                submit_grade(workspace, rater, pair.pair_id, press % 4, token=uuid4().hex)
            if press % 10 == 0:
                undo_last(workspace, rater)
        if press % 3 == 0:
            undo_last(workspace, NEARLY_DONE)
        mine = next_pair(workspace, NEARLY_DONE)
        if mine is not None:
            submit_grade(workspace, NEARLY_DONE, mine.pair_id, 1, token=uuid4().hex)
        asking.append(_ms(lambda: next_pair(workspace, NEARLY_DONE)))
    _print("next_pair, nearly done beside nine others", asking)


def _measure_list(workspace: Workspace) -> None:
    pair = next_pair(workspace, NEW)
    if pair is not None:
        query_id = pair.query.query_id
        listing = [_ms(lambda: query_pairs(workspace, NEW, query_id)) for _ in range(50)]
        _print("query_pairs", listing)


def _ms(function: Callable[[], object]) -> float:
    began = time.perf_counter()
    function()
    return (time.perf_counter() - began) * 1000


def _print(name: str, took: list[float]) -> None:
    first, later = took[0], took[1:]
    p95 = statistics.quantiles(later, n=20)[-1]
    verdict = "" if p95 < BAR_MS else f"  over {BAR_MS:.0f}"
    print(
        f"{name:42} {first:8.1f} {len(later):5} {statistics.median(later):8.2f} {p95:8.2f} "
        f"{max(later):8.2f}{verdict}"
    )


def fill(root: Path, n_pairs: int, n_judgments: int) -> None:
    """A workspace in which ten raters judged so much, written by plain SQL.

    The quota is so high that nearly all pairs stay open: what the queue has to pass over is as
    much as it can be.
    """
    n_queries = max(1, n_pairs // DOCUMENTS_A_QUERY)
    init_workspace(root, "bench").close()
    settings = root / "workspace.toml"
    text = settings.read_text("utf-8").replace("raters_per_pair = 2", "raters_per_pair = 11")
    settings.write_text(text, "utf-8")
    with open_workspace(root) as workspace:
        for rater in (*RATERS, NEW):
            ensure_person(workspace, rater)
    with closing(sqlite3.connect(root / "workbench.db")) as database:
        database.execute("PRAGMA synchronous = OFF")
        _fill_pool(database, n_queries, n_pairs)
        _fill_judgments(database, n_pairs, n_judgments)
        database.commit()
    open_workspace(root).close()  # the rule of the workspace gives each pair its quota


def _fill_pool(database: sqlite3.Connection, n_queries: int, n_pairs: int) -> None:
    n_documents = max(DOCUMENTS_A_QUERY, n_pairs // 4)
    database.executemany(
        "INSERT INTO documents VALUES (?, ?, 'a title', ?, '{}', '')",
        ((key, f"d{key}", "some words " * 150) for key in range(1, n_documents + 1)),
    )
    database.executemany(
        "INSERT INTO queries (query_key, query_id, text, tags, source, created_at)"
        " VALUES (?, ?, 'a query', ?, 'log', '')",
        ((key, f"q{key}", _tags(key)) for key in range(1, n_queries + 1)),
    )
    database.executemany(
        "INSERT INTO pairs (pair_id, query_key, doc_key, created_at) VALUES (?, ?, ?, '')",
        (
            (at + 1, at // DOCUMENTS_A_QUERY % n_queries + 1, at * 7919 % n_documents + 1)
            for at in range(n_pairs)
        ),
    )


def _tags(query_key: int) -> str:
    return f'["{COMMON if query_key % 3 else RARE if query_key % 99 == 0 else "other"}"]'


def _fill_judgments(database: sqlite3.Connection, n_pairs: int, n_judgments: int) -> None:
    database.executemany(
        "INSERT INTO judgments (pair_id, rater_id, outcome, grade, judged_at, recorded_at, token)"
        " VALUES (?, ?, 'grade', 1, ?, ?, ?)",
        (
            (pair_id, rater_id, moment, moment, f"t{number}")
            for number, (pair_id, rater_id) in enumerate(_judged(n_pairs, n_judgments))
            for moment in [f"2026-01-01T00:00:00.{number:06}+00:00"]
        ),
    )
    database.execute(
        "INSERT INTO current_judgments SELECT pair_id, rater_id, judgment_id, outcome"
        " FROM judgments"
    )
    database.execute(
        "UPDATE pairs SET human_grades ="
        " (SELECT count(*) FROM current_judgments AS c WHERE c.pair_id = pairs.pair_id)"
    )


def _judged(n_pairs: int, n_judgments: int) -> Iterable[tuple[int, int]]:
    """(pair_id, person_id): the nearly done rater all but a few pairs, the others as many each.

    Each of the others begins elsewhere and goes round, as in the queue.
    """
    nearly = min(n_pairs - LEFT, n_judgments)
    every = n_pairs // LEFT + 1
    left = {every * number + every // 2 for number in range(LEFT)}
    done = (pair_id for pair_id in range(1, n_pairs + 1) if pair_id not in left)
    yield from ((pair_id, 2) for pair_id, _ in zip(done, range(nearly), strict=False))
    others = [1, *range(3, len(RATERS) + 1)]
    each = min(n_pairs // 2, (n_judgments - nearly) // len(others))
    for at, rater_id in enumerate(others):
        start = n_pairs * at // len(others)
        yield from (((start + step) % n_pairs + 1, rater_id) for step in range(each))


def _retire(root: Path) -> None:
    with open_workspace(root) as workspace, workspace.store.write() as connection:
        connection.exec_driver_sql("UPDATE queries SET status = 'retired' WHERE query_key % 2 = 0")
        connection.exec_driver_sql(
            "UPDATE pairs SET open_slots = 0 WHERE query_key IN"
            " (SELECT query_key FROM queries WHERE status = 'retired')"
        )
        refresh_query(connection, 1)


if __name__ == "__main__":
    main()
