"""Days that are written again: what readers see, what stays for them, and for how long."""

import json
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from online import OnlineError
from online.lake import Lake, write_days
from online.manifest import RetiredFile, read_manifest, write_manifest
from tests.online.logs import lake_of, rows

DAYS = ("2026-11-28", "2026-11-29", "2026-11-30")
COUNT = "SELECT CAST(date AS VARCHAR), count(*) FROM searches GROUP BY ALL ORDER BY ALL"


def _three_days(folder: Path) -> Lake:
    return lake_of(folder, [{"timestamp": f"{day}T12:00:00Z"} for day in DAYS])


def _rewrite(lake: Lake, day: str, condition: str = "TRUE", *, erase: bool = False) -> None:
    """Write the searches of a day again, but for those that do not fulfil the condition."""
    with lake.writing() as writing:
        present = [file for file in writing.manifest.searches if file.date == day]
        writing.view("present", present)
        query = f"SELECT * FROM present WHERE {condition}"  # noqa: S608 - a test's own text
        write_days(writing.connection, query, writing.scratch / "again")
        writing.place("searches", writing.scratch / "again", replaces={day})
        writing.commit(erase=erase)


def _retired(lake: Lake) -> list[RetiredFile]:
    """Retired files of the table `searches`; hours that were counted from them retire, too."""
    return [file for file in lake.manifest().retired if file.path.startswith("searches/")]


def _files(lake: Lake) -> set[str]:
    return {path.relative_to(lake.root).as_posix() for path in lake.root.glob("searches/*/*")}


def test_a_rewritten_day_replaces_its_files_and_no_others(tmp_path: Path) -> None:
    lake = _three_days(tmp_path)
    before = lake.manifest()
    _rewrite(lake, DAYS[1])
    after = lake.manifest()
    assert rows(lake, COUNT) == [(day, 1) for day in DAYS]
    assert len(set(before.searches) & set(after.searches)) == 2
    assert [file.path for file in _retired(lake)] == [before.searches[1].path]
    assert _files(lake) == {file.path for file in (*before.searches, *after.searches)}


def test_a_day_without_a_written_file_is_emptied(tmp_path: Path) -> None:
    lake = _three_days(tmp_path)
    _rewrite(lake, DAYS[0], "FALSE")
    assert rows(lake, COUNT) == [(day, 1) for day in DAYS[1:]]


def test_a_reader_that_began_before_reads_on(tmp_path: Path) -> None:
    lake = _three_days(tmp_path)
    with lake.connect() as connection:
        _rewrite(lake, DAYS[0], "FALSE")
        _rewrite(lake, DAYS[1])
        assert connection.execute(COUNT).fetchall() == [(day, 1) for day in DAYS]


def test_retired_files_go_when_a_writer_comes_an_hour_later(tmp_path: Path) -> None:
    lake = _three_days(tmp_path)
    _rewrite(lake, DAYS[0])
    (retired,) = _retired(lake)
    with lake.writing():
        pass
    assert retired.path in _files(lake)
    manifest = lake.root / "manifest.json"
    ago = (datetime.now(UTC) - timedelta(minutes=61)).isoformat()
    manifest.write_text(manifest.read_text().replace(retired.at, ago))
    _rewrite(lake, DAYS[1])
    assert retired.path not in _files(lake)
    assert len(_retired(lake)) == 1
    assert rows(lake, COUNT) == [(day, 1) for day in DAYS]


def test_erasing_leaves_no_old_file_not_even_retired_ones(tmp_path: Path) -> None:
    lake = _three_days(tmp_path)
    _rewrite(lake, DAYS[0])
    _rewrite(lake, DAYS[1], "FALSE", erase=True)
    assert lake.manifest().retired == ()
    assert _files(lake) == {file.path for file in lake.manifest().searches}
    assert not (lake.root / "searches" / f"date={DAYS[1]}").exists()


def test_a_manifest_of_before_is_read_and_written_as_the_new_one(tmp_path: Path) -> None:
    lake = _three_days(tmp_path)
    file = lake.root / "manifest.json"
    new = json.loads(file.read_text())
    old = {key: new[key] for key in ("lake_id", "commit", "searches", "interactions")}
    file.write_text(json.dumps({"schema": 1, **old}))
    assert rows(lake, COUNT) == [(day, 1) for day in DAYS]
    assert rows(lake, "SELECT count(*) FROM hours") == [(0,)]
    assert rows(lake, "SELECT session_id, rule, searches FROM bots") == []
    _rewrite(lake, DAYS[2])
    assert json.loads(file.read_text())["schema"] == 2


def test_all_of_a_manifest_survives(tmp_path: Path) -> None:
    lake = _three_days(tmp_path)
    with lake.writing() as writing:
        bots = writing.scratch / "bots.parquet"
        writing.connection.execute(
            f"COPY (SELECT 's1' AS session_id, 'pace' AS rule, 3 AS searches) TO '{bots}'"
        )
        writing.place_bots(bots)
        writing.rank_bases["shop"] = 1
        writing.commit()
    found = rows(lake, "SELECT session_id, rule, searches FROM bots")
    assert found == [("s1", "pace", 3)]
    _rewrite(lake, DAYS[0])
    manifest = lake.manifest()
    assert (manifest.rank_bases, manifest.bots and manifest.bots.rows) == ({"shop": 1}, 1)
    write_manifest(tmp_path, manifest)
    assert read_manifest(tmp_path) == manifest
    with lake.writing() as writing:
        writing.place_bots(None)
        writing.commit()
    assert rows(lake, "FROM bots") == []
    assert "bots/2.parquet" in {file.path for file in lake.manifest().retired}


REWRITER = """
import sys
from pathlib import Path
from online.lake import Lake
from tests.online.test_rewriting import DAYS, _rewrite
lake = Lake(Path(sys.argv[1]))
for number in range(int(sys.argv[2])):
    _rewrite(lake, DAYS[number % 3])
    print(number, flush=True)
"""


def _rewriter(lake: Lake, times: int) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", REWRITER, lake.root, str(times)],
        cwd=Path(__file__).resolve().parents[2],
        stdout=subprocess.PIPE,
        text=True,
    )


def test_readers_never_fail_while_two_threads_write_days_again(tmp_path: Path) -> None:
    lake = _three_days(tmp_path)
    commit = lake.manifest().commit
    with ThreadPoolExecutor(2) as pool, lake.connect() as long_lived:
        writers = [pool.submit(_rewrite, Lake(lake.root), DAYS[n % 3]) for n in range(8)]
        while not all(writer.done() for writer in writers):
            assert rows(lake, COUNT) == [(day, 1) for day in DAYS]
            assert long_lived.execute(COUNT).fetchall() == [(day, 1) for day in DAYS]
        for writer in writers:
            writer.result()
    # Two writers at once would have written the same commit.
    assert lake.manifest().commit == commit + 8


@pytest.mark.slow
def test_readers_never_fail_while_two_processes_write_days_again(tmp_path: Path) -> None:
    lake = _three_days(tmp_path)
    commit = lake.manifest().commit
    writers, looks = [_rewriter(lake, 12) for _ in range(2)], 0
    with lake.connect() as long_lived:
        while any(writer.poll() is None for writer in writers):
            assert rows(lake, COUNT) == [(day, 1) for day in DAYS]
            assert long_lived.execute(COUNT).fetchall() == [(day, 1) for day in DAYS]
            looks += 1
    assert [writer.communicate()[0].split("\n")[-2] for writer in writers] == ["11", "11"]
    assert looks > 3
    # Two writers at once would have written the same commit.
    assert lake.manifest().commit == commit + 24


@pytest.mark.slow
def test_a_kill_while_days_are_written_again_leaves_them_before_or_after(tmp_path: Path) -> None:
    lake = _three_days(tmp_path)
    for delay in (0.0, 0.01, 0.03, 0.06):
        writer = _rewriter(lake, 1000)
        assert writer.stdout is not None
        writer.stdout.readline()
        time.sleep(delay)
        writer.kill()
        writer.communicate()
        assert rows(lake, COUNT) == [(day, 1) for day in DAYS]
    _rewrite(lake, DAYS[0])
    assert _all_files(lake) == lake.manifest().paths


def test_who_begins_to_read_while_events_are_erased_sees_what_is_left(tmp_path: Path) -> None:
    lake = _three_days(tmp_path)
    with ThreadPoolExecutor(1) as pool:
        erasing = [pool.submit(_rewrite, lake, DAYS[n % 3], erase=True) for n in range(10)]
        while not erasing[-1].done():
            with lake.connect():
                pass
        for turn in erasing:
            turn.result()
    assert rows(lake, COUNT) == [(day, 1) for day in DAYS]


def test_a_file_that_somebody_deleted_is_told(tmp_path: Path) -> None:
    lake = _three_days(tmp_path)
    (lake.root / lake.manifest().searches[1].path).unlink()
    with pytest.raises(OnlineError, match="cannot be read"):
        rows(lake, COUNT)


def _all_files(lake: Lake) -> set[str]:
    return {path.relative_to(lake.root).as_posix() for path in lake.root.rglob("*.parquet")}
