"""Raters who grade at once over the app's own protocol, each a process of its own; some are killed.

What each was told to be saved it notes in a file, so that the store can be held against it.
"""

import multiprocessing
import random
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.app_client import AppClient, app_client

if TYPE_CHECKING:
    from multiprocessing.context import SpawnProcess
    from multiprocessing.synchronize import Event

LOOK_SECONDS = (0.42, 0.7)
"""How long a pair is looked at: more than the press guard asks, less than any person needs."""

ASK_AGAIN_SECONDS = 1.0


def grade_at_once(
    address: str,
    raters: Sequence[str],
    notes: Path,
    *,
    kill_after: Sequence[float],
    is_over: Callable[[], bool],
    patience: float,
) -> list[str]:
    """Let all raters grade until `is_over`; those whom a kill met.

    Args:
        address: Of the app.
        raters: Their names; known in the workspace.
        notes: The folder for what each was told: NAME.tsv, a line of pair and grade.
        kill_after: Seconds after which the first, the second … rater is killed by SIGKILL.
        is_over: Asked every second.
        patience: Seconds after which it is given up.

    Raises:
        TimeoutError: It was not over in time.
    """
    spawn = multiprocessing.get_context("spawn")
    over = spawn.Event()
    at_work = [
        spawn.Process(target=_grade, args=(address, rater, notes / f"{rater}.tsv", over))
        for rater in raters
    ]
    for process in at_work:
        process.start()
    try:
        killed = _kill(at_work, raters, kill_after)
        _wait(is_over, patience)
    finally:
        over.set()
        for process in at_work:
            process.join(30)
    return killed


def acknowledged(file: Path) -> dict[str, int]:
    """What a rater was told to be saved: name of the pair in the page -> grade."""
    if not file.exists():
        return {}
    rows = (line.split("\t") for line in file.read_text("utf-8").splitlines())
    return {row[0]: int(row[1]) for row in rows if len(row) == 2}


def _kill(
    at_work: "Sequence[SpawnProcess]", raters: Sequence[str], kill_after: Sequence[float]
) -> list[str]:
    began = time.monotonic()
    for process, seconds in zip(at_work, sorted(kill_after), strict=False):
        time.sleep(max(0.0, began + seconds - time.monotonic()))
        process.kill()
    return list(raters[: len(kill_after)])


def _wait(is_over: Callable[[], bool], patience: float) -> None:
    deadline = time.monotonic() + patience
    while not is_over():
        if time.monotonic() > deadline:
            raise TimeoutError(f"not over after {patience:.0f} s")
        time.sleep(1)


def _grade(address: str, rater: str, file: Path, over: "Event") -> None:
    chance = random.Random(rater)
    with app_client(address, rater) as client, file.open("a", encoding="utf-8") as notes:
        while not over.is_set():
            if not client.pair:
                time.sleep(ASK_AGAIN_SECONDS)
                client.look_again()
                continue
            time.sleep(chance.uniform(*LOOK_SECONDS))
            told = _told(client, chance.randrange(4))
            if told:
                notes.write(told)
                notes.flush()


def _told(client: AppClient, grade: int) -> str:
    """The line that notes what was told to be saved; "" where nothing was."""
    pair = client.pair
    client.press(str(grade))
    return f"{pair}\t{grade}\n" if client.said.startswith(f"Last: {grade} on") else ""
