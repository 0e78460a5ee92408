"""A process that grades as one rater until nothing is left: python -m … FOLDER RATER FILE HOURS.

It begins when a file `go` lies beside FILE. Each grade that was acknowledged goes into FILE as a
line of its own, `pair_id token`. The clock of the queue is HOURS ahead.
"""

import sys
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import uuid4

from builder.judging.queue import next_pair, submit_grade
from builder.workspace import open_workspace

IDLE_ROUNDS = 5


def main(folder: str, rater: str, acknowledged: str, hours: str) -> None:
    """Grade."""
    ahead, idle = timedelta(hours=int(hours)), 0
    with open_workspace(Path(folder)) as workspace, Path(acknowledged).open("a") as file:
        file.write("ready\n")
        file.flush()
        while not Path(acknowledged).with_name("go").exists():
            time.sleep(0.005)
        while idle < IDLE_ROUNDS:
            now, token = datetime.now(UTC) + ahead, uuid4().hex
            pair = next_pair(workspace, rater, now=now)
            if pair is None:  # on other screens, it may be
                idle += 1
                time.sleep(0.02)
                continue
            idle = 0
            submit_grade(workspace, rater, pair.pair_id, 2, token=token, now=now)
            file.write(f"{pair.pair_id} {token}\n")
            file.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
