"""`goldsmith events import` and `goldsmith events map`: logs of any kind, several at once."""

from tests.terminal.conftest import Terminal

HEADER = "timestamp,query,session_id,model_version,retrieved_doc_ids,clicked_doc_id,click_rank"
ROW = "2026-11-30T12:00:0{}Z,q,s,m,a|b,b,2"


def test_several_files_are_counted_each_and_together(goldsmith: Terminal) -> None:
    goldsmith("init")
    first = goldsmith.write("a.csv", HEADER, ROW.format(1), ROW.format(2))
    second = goldsmith.write("b.csv", HEADER, ROW.format(2), ROW.format(3))
    absent = first.with_name("none.csv")
    told = goldsmith("events", "import", first, absent, second, "--json")
    whole = told.document
    assert told.code == 1  # one of them is not there
    assert (whole["read"], whole["accepted"], whole["duplicate"]) == (4, 3, 1)
    a, b, none = whole["files"]
    assert [(part["file"], part["accepted"]) for part in (a, b)] == [
        (str(first), 2),
        (str(second), 1),
    ]
    assert "No such file" in none["error"]["message"]
    assert "No such file" in told.stderr


def test_a_foreign_log_is_mapped_and_brought_in(goldsmith: Terminal) -> None:
    goldsmith("init")
    log = goldsmith.write("log.csv", "when;term;docs", "2026-11-30T12:00:00Z;shoes;a|b")
    refused = goldsmith("events", "import", log)
    assert refused.code == 1
    assert "events map" in refused.stderr
    mapping = log.with_name("mapping.toml")
    proposed = goldsmith.processes("events", "map", log, "--output", mapping, "--json").document
    assert proposed["fields"]["query"] == {"path": "term", "examples": ['"shoes"']}
    assert mapping.read_text(encoding="utf-8") == proposed["mapping"]
    again = goldsmith("events", "map", log, "--output", mapping)
    assert (again.code, "already" in again.stderr) == (1, True)
    told = goldsmith("events", "import", log, "--map", mapping)
    assert told.code == 0
    assert "events of log.csv: 1 read = 1 accepted" in told.stdout
    assert (
        "1  search names no model; it got the one that was told for all [model_assumed]"
        in told.stdout
    )
