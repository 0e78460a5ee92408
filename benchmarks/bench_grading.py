"""From key press to next pair on screen: the real app, a real browser, alone and beside others.

In the page a listener notes when a key goes down, an observer notes when another pair's mark is in
the document, and the next animation frame ends the measurement. The others grade over the app's
own protocol, each every three seconds, from a process of their own.

    python -m benchmarks.bench_grading [--pairs 500 200000] [--presses 60] [--beside 9]
"""

import argparse
import multiprocessing
import os
import random
import statistics
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from benchmarks.app_client import app_client
from benchmarks.app_server import chromium, running_app

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

DOCUMENTS_A_QUERY = 40
WORDS_A_TEXT = 150
TAGS = ("keyword", "question", "error message")
THINK_SECONDS = 0.8
OTHERS_EVERY_SECONDS = 3.0
ME = "Measured"
BAR = {"alone": (40.0, 60.0), "beside": (float("inf"), 100.0)}
CLOCK = """
window.took = [];
(() => {
  const mark = () => [...document.querySelectorAll("[data-pair]")].at(-1)?.dataset.pair;
  let began = null, before = null;
  addEventListener("keydown", (e) => {
    if (/^[0-3]$/.test(e.key)) { began = performance.now(); before = mark(); }
  }, true);
  const look = () => {
    if (began === null || mark() === before || mark() === undefined) return;
    const from = began;
    began = null;
    requestAnimationFrame(() => window.took.push(performance.now() - from));
  };
  const watch = () => new MutationObserver(look).observe(
    document.documentElement, {subtree: true, childList: true, attributes: true});
  document.documentElement ? watch() : addEventListener("DOMContentLoaded", watch);
})();
"""


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, nargs="+", default=[500, 200_000])
    parser.add_argument("--presses", type=int, default=60)
    parser.add_argument("--beside", type=int, default=9, help="how many others; 0: alone only")
    parser.add_argument("--repeat", type=int, default=1, help="series; the best one is shown too")
    asked = parser.parse_args()
    print(f"{'pairs':>8} {'beside':>6} {'n':>4} {'median ms':>10} {'p95 ms':>8} {'worst':>7}  bar")
    for n_pairs in asked.pairs:
        with tempfile.TemporaryDirectory() as scratch:
            root = Path(scratch) / "workspace"
            _fill(root, n_pairs, asked.beside)
            with running_app(root, Path(scratch) / "server.log") as address, chromium() as browser:
                for others in sorted({0, asked.beside}):
                    for _ in range(asked.repeat):
                        _print_series(_series(browser, address, others, asked), n_pairs, others)


def _print_series(took: list[float], n_pairs: int, others: int) -> None:
    median, p95 = statistics.median(took), statistics.quantiles(took, n=20)[-1]
    bars = BAR["beside" if others else "alone"]
    bar = "met" if median < bars[0] and p95 < bars[1] else "missed"
    load = os.getloadavg()[0]
    print(
        f"{n_pairs:>8,} {others:>6} {len(took):>4} {median:>10.1f} {p95:>8.1f} {max(took):>7.1f}"
        f"  {bar} (load {load:.1f})",
        flush=True,
    )


def _series(
    browser: "Browser", address: str, others: int, asked: argparse.Namespace
) -> list[float]:
    """Milliseconds from key to next pair, one for each press."""
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    context.add_init_script(CLOCK)
    page = context.new_page()
    page.goto(f"{address}/grade?{urlencode({'rater': ME})}")
    page.wait_for_selector("[data-pair]:not([data-pair=''])", state="attached")
    page.wait_for_timeout(1500)
    with _others(address, others):
        took = _press(page, asked.presses)
    context.close()
    return took


def _press(page: "Page", presses: int) -> list[float]:
    chance = random.Random(presses)
    for done in range(presses):
        page.keyboard.press(str(chance.randrange(4)))
        page.wait_for_function(f"window.took.length > {done}")
        page.wait_for_timeout(1000 * THINK_SECONDS * chance.uniform(0.7, 1.3))
    took: list[float] = page.evaluate("window.took")
    return took


@contextmanager
def _others(address: str, others: int) -> Iterator[None]:
    """Others grade until the block ends."""
    if not others:
        yield
        return
    spawn = multiprocessing.get_context("spawn")
    ready, over = spawn.Barrier(2), spawn.Event()
    process = spawn.Process(target=_grade_beside, args=(address, others, ready, over))
    process.start()
    try:
        ready.wait(120)
        yield
    finally:
        over.set()
        process.join(30)


def _grade_beside(address: str, others: int, ready: "Barrier", over: "Event") -> None:
    """In a process of its own: each of the others on a thread."""
    at_work = threading.Barrier(others + 1)
    threads = [
        threading.Thread(target=_grade_on, args=(address, number, at_work, over), daemon=True)
        for number in range(others)
    ]
    for thread in threads:
        thread.start()
    at_work.wait(100)
    ready.wait(100)
    over.wait()


def _grade_on(address: str, number: int, at_work: threading.Barrier, over: "Event") -> None:
    chance = random.Random(number)
    with app_client(address, _name(number)) as client:
        at_work.wait(100)
        time.sleep(chance.uniform(0, OTHERS_EVERY_SECONDS))
        while client.pair and not over.is_set():
            client.press(str(chance.randrange(4)))
            time.sleep(OTHERS_EVERY_SECONDS * chance.uniform(0.8, 1.2))


def _name(number: int) -> str:
    return f"Beside {number}"


def _fill(root: Path, n_pairs: int, others: int) -> None:
    """A workspace of so many pairs, of texts of 150 words, for everybody at once."""
    from builder.people import ensure_person
    from builder.store.pool import add_pairs
    from builder.workspace import init_workspace, open_workspace

    init_workspace(root, "bench").close()
    settings = root / "workspace.toml"
    text = settings.read_text("utf-8").replace("raters_per_pair = 2", "raters_per_pair = 20")
    settings.write_text(text, "utf-8")
    n_queries = max(1, n_pairs // DOCUMENTS_A_QUERY)
    n_documents = min(n_pairs, 20_000)
    with open_workspace(root) as workspace:
        for name in ("Admin", ME, *(_name(number) for number in range(others))):
            ensure_person(workspace, name)
        _fill_texts(root / "cache", workspace, n_queries, n_documents)
        with workspace.store.write() as connection:
            wanted = (
                (f"q{n // DOCUMENTS_A_QUERY % n_queries}", f"d{n % n_documents}")
                for n in range(n_pairs)
            )
            add_pairs(connection, wanted, "bm25")
    # Opened once more, as the app will: whatever a new pool wants settled is settled before.
    open_workspace(root).close()


def _fill_texts(folder: Path, workspace: "Workspace", n_queries: int, n_documents: int) -> None:
    import json

    from builder.importers import import_corpus, import_queries

    chance = random.Random(3)
    words = [f"{chance.choice('bcdfgklmnprst')}{chance.choice('aeiou')}" * 2 for _ in range(400)]
    words = [word + chance.choice(("", "n", "ring", "ted")) for word in words]
    folder.mkdir(exist_ok=True)
    with (folder / "corpus.jsonl").open("w") as file:
        for n in range(n_documents):
            said = " ".join(chance.choices(words, k=WORDS_A_TEXT))
            title = " ".join(chance.choices(words, k=5))
            file.write(json.dumps({"_id": f"d{n}", "title": title, "text": said}) + "\n")
    with (folder / "queries.jsonl").open("w") as file:
        for n in range(n_queries):
            asked = {"_id": f"q{n}", "text": " ".join(chance.choices(words, k=4))}
            asked["need"] = " ".join(chance.choices(words, k=12))
            file.write(json.dumps(asked | {"tags": [TAGS[n % len(TAGS)]]}) + "\n")
    import_corpus(workspace, folder / "corpus.jsonl")
    import_queries(workspace, folder / "queries.jsonl")


if TYPE_CHECKING:
    from multiprocessing.synchronize import Barrier, Event

    from builder.workspace import Workspace

if __name__ == "__main__":
    main()
