"""`goldsmith report` asked again is read from the cache, and counted anew after an import."""

import json
from pathlib import Path

import pytest

from tests.online.logs import event
from tests.terminal.conftest import Terminal


@pytest.fixture
def logged(goldsmith: Terminal) -> Terminal:
    goldsmith("init")
    log = goldsmith.write("log.jsonl", json.dumps(event()))
    assert goldsmith("events", "import", log).code == 0
    return goldsmith


def _kept(terminal: Terminal) -> list[Path]:
    return sorted((terminal.folder / "w" / "cache" / "online").iterdir())


def test_a_report_is_kept_until_the_lake_changes(logged: Terminal) -> None:
    first = logged("report", "--by", "day", "--json")
    (file,) = _kept(logged)
    written = file.stat().st_ino
    again = logged.processes("report", "--top", "7", "--by", "day", "--json")
    assert again == first
    assert [kept.stat().st_ino for kept in _kept(logged)] == [written]
    log = logged.write("more.jsonl", json.dumps(event(query="another")))
    assert logged("events", "import", log).code == 0
    assert logged("report", "--by", "day", "--json").document["overall"]["searches"] == 2
    assert [kept == file for kept in _kept(logged)] == [False]
