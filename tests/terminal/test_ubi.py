"""`goldsmith events import` of UBI logs, as a person meets it."""

import json
from pathlib import Path

import pytest

from online.lake import Lake
from tests.online.logs import event, rows
from tests.online.ubi_logs import bulk, happened, query
from tests.terminal.conftest import Terminal


@pytest.fixture
def goldsmith(tmp_path: Path) -> Terminal:
    terminal = Terminal(tmp_path)
    assert terminal("init").code == 0
    return terminal


def test_what_an_application_logged_is_told_and_its_own_actions_can_be(goldsmith: Terminal) -> None:
    records = [query(), happened("open_pdf", "d2", 2), happened("book_a_visit", "d2", 2)]
    log = goldsmith.write("ubi.ndjson", *map(json.dumps, bulk(*records)))
    told = ("--click-action", "open_pdf", "--conversion-action", "book_a_visit")
    answer = goldsmith("events", "import", log, *told, "--model-version", "bm25")
    assert answer.code == 0
    assert "3 read = 3 accepted" in answer.stdout
    assert "shop" in answer.stdout
    found = rows(
        Lake(goldsmith.folder / "w" / "events"),
        "SELECT model_version, n_clicks, best_click_rank, n_conversions FROM searches",
    )
    assert found == [("bm25", 1, 2, 1)]


def test_actions_are_told_of_ubi_logs_only(goldsmith: Terminal) -> None:
    native = goldsmith.write("log.jsonl", json.dumps(event()))
    answer = goldsmith("events", "import", native, "--click-action", "open", "--json")
    assert answer.code == 1
    assert "UBI" in answer.document["error"]["message"]
    table = goldsmith.write("log.csv", "timestamp,query,retrieved_doc_ids,model_version", "1,a,b,c")
    answer = goldsmith("events", "import", table, "--conversion-action", "buy", "--json")
    assert "mapping" in answer.document["error"]["hint"]
    both = goldsmith("events", "import", table, "--click-action", "open", "--map", native)
    assert both.code == 2
