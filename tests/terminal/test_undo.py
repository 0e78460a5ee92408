"""`goldsmith events undo`, as a person meets it."""

import json
from pathlib import Path

from builder.activity import read_activity
from builder.workspace import open_workspace
from tests.online.logs import event
from tests.terminal.conftest import Terminal


def _filled(folder: Path) -> Terminal:
    goldsmith = Terminal(folder)
    assert goldsmith("init").code == 0
    naive = event(timestamp="2026-11-30T12:00:00", user_id="u1")
    log = goldsmith.write("log\u202e.jsonl", json.dumps(naive))
    assert goldsmith("events", "import", log, "--timezone", "Asia/Tokyo").code == 0
    return goldsmith


def _times(goldsmith: Terminal) -> list[list[str]]:
    asked = goldsmith("events", "sql", "SELECT timestamp FROM searches", "--json")
    rows: list[list[str]] = asked.document["rows"]
    return rows


def test_a_log_comes_in_again_with_another_option(tmp_path: Path) -> None:
    goldsmith = _filled(tmp_path)
    unsure = goldsmith("events", "undo")
    assert unsure.code == 2
    assert "1 search and 0 interactions: say --yes." in unsure.stderr
    assert "\u202e" not in unsure.stderr
    told = goldsmith.processes("events", "undo", "--yes", "--json").document
    assert (told["file"], told["searches"], told["interactions"]) == ("log\u202e.jsonl", 1, 0)
    assert _times(goldsmith) == []
    log = next(tmp_path.glob("log*.jsonl"))
    tally = goldsmith("events", "import", log, "--timezone", "UTC", "--json").document
    assert (tally["accepted"], tally["duplicate"]) == (1, 0)
    assert _times(goldsmith) == [["2026-11-30T12:00:00+00:00"]]
    assert goldsmith("events", "undo", "--yes").stdout.startswith("Taken back: the import of log")
    again = goldsmith("events", "undo", "--yes", "--json")
    assert again.code == 1
    assert "was taken back already" in again.document["error"]["message"]
    with open_workspace(tmp_path / "w") as workspace:
        actions = [entry.action for entry in read_activity(workspace).entries]
    assert actions[:3] == ["events.take_back", "import.events", "events.take_back"]


def test_after_erasing_it_says_why_not(tmp_path: Path) -> None:
    goldsmith = _filled(tmp_path)
    assert goldsmith("events", "forget", "--user", "u1", "--yes").code == 0
    refused = goldsmith("events", "undo", "--yes")
    assert refused.code == 1
    assert "a user's events were erased since" in refused.stderr


def test_the_import_mentions_it(tmp_path: Path) -> None:
    assert "events undo" in Terminal(tmp_path)("events", "import", "--help").stdout


def test_an_import_that_expires_nothing_can_be_taken_back(tmp_path: Path) -> None:
    goldsmith = Terminal(tmp_path)
    assert goldsmith("init").code == 0
    settings = tmp_path / "w" / "workspace.toml"
    settings.write_text(settings.read_text() + "\n[events]\nkeep_days = 20000\n")
    log = goldsmith.write("log.jsonl", json.dumps(event()))
    assert goldsmith("events", "import", log).code == 0
    assert goldsmith("events", "expire").stdout == "Nothing is older.\n"
    assert goldsmith("events", "undo", "--yes").code == 0
