"""`goldsmith events`: questions, exports, erasing and expiry, as a person meets them."""

import csv
import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from builder.activity import read_activity
from builder.workspace import open_workspace
from tests.online.logs import event
from tests.terminal.conftest import Terminal


def _filled(folder: Path) -> Terminal:
    """A workspace with four searches of two users, and one line in quarantine."""
    goldsmith = Terminal(folder)
    assert goldsmith("init").code == 0
    lines = [
        event(user_id="alice", query="=1+1", timestamp="2026-11-29T00:00:00Z"),
        event(user_id="alice", query="b"),
        event(user_id="bob", query="c\u202e\x1b[31m"),
        event(user_id="bob", query="d"),
        event(user_id="alice", timestamp="never"),
    ]
    log = goldsmith.write("log.jsonl", *map(json.dumps, lines))
    assert goldsmith("events", "import", log).code == 0
    return goldsmith


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Terminal:
    """For tests that change nothing."""
    return _filled(tmp_path_factory.mktemp("filled"))


def test_a_question_as_document_table_and_csv(filled: Terminal) -> None:
    asked = "SELECT query, timestamp, n_clicks > 0 AS hit FROM searches ORDER BY query"
    document = filled.processes("events", "sql", asked, "--json", "--limit", "1").document
    assert document["rows"] == [["=1+1", "2026-11-29T00:00:00+00:00", False]]
    assert (document["columns"], document["cut"]) == (["query", "timestamp", "hit"], True)
    table = filled("events", "sql", asked)
    assert "c [31m" in table.stdout
    assert "\x1b" not in table.stdout
    lines = filled("events", "sql", asked, "--csv").stdout.removeprefix("\ufeff").splitlines()
    assert next(csv.DictReader(lines))["query"] == "'=1+1"
    cut = filled("events", "sql", "FROM range(2000)")
    assert len(cut.stdout.splitlines()) == 1001
    assert "more than these 1,000 rows" in cut.stderr


def test_a_question_that_writes_is_refused(filled: Terminal, tmp_path: Path) -> None:
    refused = filled("events", "sql", f"COPY searches TO '{tmp_path / 'x.csv'}'", "--json")
    assert refused.code == 1
    assert "COPY is not for questions" in refused.document["error"]["message"]
    assert filled("events", "sql", "FROM searches", "--csv", "--json").code == 2


def test_an_export_says_what_it_wrote(filled: Terminal, tmp_path: Path) -> None:
    file = tmp_path / "out.parquet"
    told = filled.processes("events", "export", file)
    assert told.stdout.startswith("rows written: searches 4, into ")
    assert filled("events", "export", file).code == 1
    told = filled("events", "export", file, "--table", "interactions", "--force", "--json")
    assert told.document == {"file": str(file.resolve()), "tables": {"interactions": 0}}


def test_a_user_is_forgotten_and_the_log_does_not_name_them(tmp_path: Path) -> None:
    filled = _filled(tmp_path)
    unsure = filled("events", "forget", "--user", "alice")
    assert (unsure.code, "say --yes" in unsure.stderr) == (2, True)
    forget = ("events", "forget", "--user", "alice", "--yes", "--json")
    told = filled.processes(*forget).document
    counts = {"searches": 2, "interactions": 0, "quarantined": 1, "days": 2}
    assert {key: told[key] for key in counts} == counts
    assert "importing such a log again" in told["remains"]
    left = filled("events", "sql", "SELECT query[1] FROM searches ORDER BY 1", "--json").document
    assert left["rows"] == [["c"], ["d"]]
    gone = filled("events", "forget", "--user", "alice", "--yes")
    assert (gone.code, "no event names the user 'alice'" in gone.stderr) == (1, True)
    with open_workspace(filled.folder / "w") as workspace:
        entry = read_activity(workspace).entries[0]
    assert (entry.action, entry.subject) == ("events.forget", "al\u2026")
    assert "alice" not in json.dumps(dict(entry.details))


def test_days_expire_by_command_and_with_an_import(tmp_path: Path) -> None:
    filled = _filled(tmp_path)
    assert filled("events", "expire").code == 1
    assert filled("events", "expire", "--keep-days", "0").code == 2
    settings = filled.folder / "w" / "workspace.toml"
    settings.write_text(settings.read_text() + "\n[events]\nkeep_days = 5\n")
    now = datetime.now(UTC)
    lines: list[dict[str, Any]] = [
        event(query=f"new {age}", timestamp=(now - timedelta(days=age)).isoformat())
        for age in (1, 2)
    ]
    log = filled.write("new.jsonl", *map(json.dumps, lines))
    assert filled("events", "import", log).code == 0
    told = filled("events", "sql", "SELECT min(timestamp) FROM searches", "--json").document
    oldest = datetime.fromisoformat(told["rows"][0][0])
    assert oldest.date() >= now.date() - timedelta(days=5)
    told = filled.processes("events", "expire", "--keep-days", "1", "--json").document
    assert (told["searches"] >= 1, len(told["removed_days"])) == (True, told["days"])
    assert filled("events", "expire", "--keep-days", "1").stdout == "Nothing is older.\n"
