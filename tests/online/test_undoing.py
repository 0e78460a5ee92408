"""The latest import taken back: the lake is exactly what it was, whatever the import did to it."""

import os
import signal
import subprocess
import sys
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from online.bots import judge_all
from online.events import OnlineError
from online.forgetting import expire_events, forget_user
from online.lake import Lake
from online.manifest import RETIRED_S, Former, read_manifest, write_manifest
from online.report import report
from online.undoing import latest_import, take_back
from tests.online.logs import clicked, event, rows, take

ROOT = Path(__file__).resolve().parents[2]
TABLES = ("searches", "interactions", "hours", "bots")
SEARCHES = [
    clicked(2, timestamp=f"2026-11-{day}T12:00:00Z", search_id=f"s{day}", user_id=f"u{day % 2}")
    for day in (27, 28)
]
LATER: list[dict[str, Any]] = [
    {"timestamp": "2026-11-28T12:05:00Z", "search_id": "s28",
     "clicks": [{"doc_id": "d4", "rank": 4}]},
    event(timestamp="2026-11-27T13:00:00Z", search_id="s27", offset=5, query="another"),
    event(timestamp="2026-11-29T12:00:00Z", user_id="u9", model_version="other"),
]  # fmt: skip
UNDO = """
import os, signal, sys
from pathlib import Path
import online.lake, online.manifest
from online.undoing import latest_import, take_back
from online.lake import Lake

def die(*_, **__):
    os.kill(os.getpid(), signal.SIGKILL)

if sys.argv[2] == "draft":
    Path.replace = die
elif sys.argv[2] == "replaced":
    online.manifest.flush_folder = die
lake = Lake(Path(sys.argv[1]))
take_back(lake, latest_import(lake))
"""


def _state(lake: Lake) -> tuple[Former, dict[str, list[tuple[Any, ...]]], Any]:
    """Files and all rows of all tables, and what the report says."""
    with lake.connect() as connection:
        tables = {t: connection.execute(f"FROM {t} ORDER BY ALL").fetchall() for t in TABLES}
    return lake.manifest().state, tables, report(lake)


def _undo(lake: Lake) -> Any:
    return take_back(lake, latest_import(lake))


def _two_imports(folder: Path) -> tuple[Lake, Any]:
    """A lake whose second import rewrote days of the first, and its state before that."""
    take(folder, SEARCHES)
    lake = Lake(folder / "events")
    before = _state(lake)
    assert take(folder, LATER).accepted == 3
    return lake, before


def _files(lake: Lake) -> set[str]:
    found = (path for path in lake.root.rglob("*.parquet") if path.is_file())
    return {path.relative_to(lake.root).as_posix() for path in found}


def _next_writer_comes_hours_later(lake: Lake) -> None:
    manifest = lake.manifest()
    old = (datetime.now(UTC) - timedelta(seconds=2 * RETIRED_S)).isoformat()
    write_manifest(lake.root, replace(manifest, retired=tuple(
        replace(file, at=old) for file in manifest.retired)))  # fmt: skip
    with lake.writing():
        pass


def test_what_an_import_changed_is_taken_back_exactly(tmp_path: Path) -> None:
    lake, before = _two_imports(tmp_path)
    version = lake.version
    _next_writer_comes_hours_later(lake)  # what the import replaced is still there
    known = latest_import(lake)
    assert (known.name, known.accepted, known.searches) == ("log.jsonl", 3, 1)
    assert known.interactions == len(_lines(lake, "interactions")) - len(before[1]["interactions"])
    assert _undo(lake) == known
    assert _state(lake) == before
    assert lake.version != version
    _next_writer_comes_hours_later(lake)
    assert _files(lake) == lake.manifest().state.paths


def _lines(lake: Lake, table: str) -> list[tuple[Any, ...]]:
    return rows(lake, f"FROM {table}")


def test_the_same_log_comes_in_again_as_if_for_the_first_time(tmp_path: Path) -> None:
    lake, _ = _two_imports(tmp_path)
    after = _state(lake)[1:]
    _undo(lake)
    again = take(tmp_path, LATER)
    assert (again.accepted, again.duplicate) == (3, 0)
    assert _state(lake)[1:] == after


def test_the_first_import_leaves_an_empty_lake_and_forgets_where_ranks_begin(
    tmp_path: Path,
) -> None:
    record = {"application": "shop", "query_id": "q", "user_query": "x",
              "timestamp": "2026-11-30T12:00:00Z", "query_response_hit_ids": ["d1"]}  # fmt: skip
    seen = {"application": "shop", "action_name": "click", "query_id": "q", "timestamp":
            "2026-11-30T12:00:05Z", "event_attributes": {"position": {"ordinal": 0}}}  # fmt: skip
    take(tmp_path, [record, seen])
    lake = Lake(tmp_path / "events")
    assert lake.manifest().rank_bases
    _undo(lake)
    assert lake.manifest().state == Former()
    assert rows(lake, "SELECT count(*) FROM searches") == [(0,)]
    with pytest.raises(OnlineError, match="was taken back already"):
        latest_import(lake)


def test_only_the_latest_of_two_is_taken_back_and_only_once(tmp_path: Path) -> None:
    lake, before = _two_imports(tmp_path)
    shown = latest_import(lake)
    take(tmp_path, [event(query="third")])
    with pytest.raises(OnlineError, match="another import has come since"):
        take_back(lake, shown)
    _undo(lake)
    assert take(tmp_path, [*SEARCHES, *LATER]).accepted == 0  # both are there, and no new latest
    with pytest.raises(OnlineError, match="taken back already; earlier ones cannot be"):
        _undo(lake)
    assert take(tmp_path, [event(query="fourth")]).accepted == 1
    assert _undo(lake).searches == 1
    assert _state(lake) != before


def test_a_lake_without_imports_has_nothing_to_take_back(tmp_path: Path) -> None:
    with pytest.raises(OnlineError, match="no import is known"):
        latest_import(Lake(tmp_path / "events"))


def test_readers_at_work_keep_what_they_saw(tmp_path: Path) -> None:
    lake, before = _two_imports(tmp_path)
    seen = rows(lake, "FROM searches ORDER BY ALL")
    with lake.connect() as connection:
        _undo(lake)
        take(tmp_path, [event(query="third")])
        assert connection.execute("FROM searches ORDER BY ALL").fetchall() == seen
    assert len(_lines(lake, "searches")) == len(before[1]["searches"]) + 1


def test_erased_events_do_not_come_back(tmp_path: Path) -> None:
    lake, _ = _two_imports(tmp_path)
    assert not forget_user(lake, "nobody", tmp_path / "none")
    latest_import(lake)
    assert forget_user(lake, "u1", tmp_path / "none")
    with pytest.raises(OnlineError, match="a user's events were erased since"):
        latest_import(lake)
    assert _files(lake) == lake.manifest().state.paths  # nothing of before is left on the disk


@pytest.mark.parametrize("at_once", [True, False])
def test_expired_days_do_not_come_back_and_hinder_nothing(tmp_path: Path, at_once: bool) -> None:
    today = datetime.now(UTC)
    old, new = ((today - timedelta(days=n)).isoformat() for n in (9, 1))
    fast = [event(query=f"q{n}", timestamp=old, session_id="machine") for n in range(30)]
    take(tmp_path, [*fast, event(timestamp=new, search_id="a", session_id="s")])
    lake = Lake(tmp_path / "events")
    assert len(_lines(lake, "bots")) == 1
    take(tmp_path, [{"timestamp": new, "search_id": "a", "clicks": [{"doc_id": "d1", "rank": 1}]}])
    assert not expire_events(lake, 10)
    assert expire_events(lake, 3, at_once=at_once).searches == 30
    assert latest_import(lake).searches == 0
    _undo(lake)
    assert rows(lake, "SELECT query, n_clicks FROM searches") == [("sort a list", 0)]
    assert _lines(lake, "bots") == []
    assert len({row[0] for row in rows(lake, "SELECT date FROM hours")}) == 1


def test_flags_that_were_judged_anew_are_so_after_the_undo(tmp_path: Path) -> None:
    many = [event(query=f"q{n}", session_id="machine") for n in range(30)]
    take(tmp_path, many)
    lake = Lake(tmp_path / "events")
    with lake.writing() as writing:  # as an import that knew no rules
        writing.place_bots(None)
        writing.note_import("old.jsonl", 30)
        writing.commit()
    take(tmp_path, [event(timestamp="2026-11-01T00:00:00Z")])
    judge_all(lake)
    _undo(lake)
    assert len(_lines(lake, "bots")) == 1


def test_files_that_somebody_deleted_are_missed_before_anything_changes(tmp_path: Path) -> None:
    lake, _ = _two_imports(tmp_path)
    latest = lake.manifest().latest
    assert latest
    (lake.root / min(latest.before.paths - lake.manifest().state.paths)).unlink()
    version = lake.version
    with pytest.raises(OnlineError, match="files of before it are gone"):
        _undo(lake)
    assert lake.version == version


def test_a_manifest_of_before_imports_could_be_taken_back_is_read(tmp_path: Path) -> None:
    lake, _ = _two_imports(tmp_path)
    assert read_manifest(lake.root) == lake.manifest()
    text = (lake.root / "manifest.json").read_text().replace('"latest"', '"unknown"')
    (lake.root / "manifest.json").write_text(text.replace('"no_undo"', '"unknown too"'))
    with pytest.raises(OnlineError, match="no import is known"):
        latest_import(lake)
    assert len(_lines(lake, "searches")) == 3


@pytest.mark.parametrize(("moment", "done"), [("draft", False), ("replaced", True)])
def test_a_kill_leaves_the_lake_before_or_after(tmp_path: Path, moment: str, done: bool) -> None:
    lake, before = _two_imports(tmp_path)
    after = _state(lake)
    command = [sys.executable, "-c", UNDO, str(lake.root), moment]
    ended = subprocess.run(command, cwd=ROOT, check=False, env=os.environ)
    assert ended.returncode == -signal.SIGKILL
    assert _state(lake) == (before if done else after)
    if not done:
        _undo(lake)
    assert _state(lake) == before
    assert take(tmp_path, LATER).accepted == 3


@pytest.mark.parametrize("moment", ["place_hours", "write_manifest"])
def test_an_import_that_fails_leaves_the_one_before_it_to_be_taken_back(
    tmp_path: Path, moment: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    lake, before = _two_imports(tmp_path)

    def fail(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(f"online.lake.{moment}", fail)
        with pytest.raises(KeyboardInterrupt):
            take(tmp_path, [event(query="third")])
    _undo(lake)
    assert _state(lake) == before
