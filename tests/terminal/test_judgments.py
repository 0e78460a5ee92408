"""Judgments out of the workspace and into another, at the terminal."""

import json
from pathlib import Path

import pytest

from tests.terminal.conftest import Terminal

BOOK = {
    "name": "b",
    "query_doc_pairs": [
        {
            "query_text": "two words",
            "doc_id": doc_id,
            "document_fields": json.dumps({"title": f"T {doc_id}", "text": "x"}),
            "judgements": judgements,
        }
        for doc_id, judgements in (
            ("007", [{"rating": 3.0, "user_email": "ann"}, {"rating": 1.5, "user_email": "bob"}]),
            ("d2", [{"rating": None, "unrateable": True, "user_email": "ann"}]),
            ("d3", []),
        )
    ],
}


@pytest.fixture
def filled(goldsmith: Terminal) -> Terminal:
    goldsmith("init")
    told = goldsmith("import", goldsmith.write("book.json", json.dumps(BOOK)), "--json")
    assert told.code == 0
    assert {what: told.document[what]["accepted"] for what in ("corpus", "queries", "pool")} == {
        "corpus": 3,
        "queries": 1,
        "pool": 3,
    }
    assert told.document["judgments"]["reasons"] == {"bad_grade": 1}
    return goldsmith


def test_out_and_in_again(filled: Terminal) -> None:
    out = filled.folder / "out.csv"
    told = filled.processes("judgments", "export", out, "--excel", "--json")
    assert told.code == 0
    assert (told.document["written"], told.document["format"]) == (2, "csv")
    assert out.read_bytes().startswith(b"\xef\xbb\xbf")
    again = filled("judgments", "import", out, "--json").document
    assert (again["read"], again["duplicate"]) == (2, 2)


def test_a_file_is_not_replaced_unasked(filled: Terminal) -> None:
    out = filled.folder / "out.tsv"
    assert filled("judgments", "export", out).code == 0
    refused = filled("judgments", "export", out, "--json")
    assert (refused.code, "already" in refused.document["error"]["message"]) == (1, True)
    assert "--force" in refused.document["error"]["hint"]
    assert filled("judgments", "export", out, "--force").code == 0


def test_what_was_left_out_is_said(filled: Terminal) -> None:
    told = filled("judgments", "export", filled.folder / "q.trec")
    assert "one grade each of 1 pairs" in told.stdout
    assert "left out, cannot judge: 1" in told.stdout
    tasks = filled.folder / "tasks.json"
    told = filled("judgments", "export", tasks, "--format", "label-studio")
    assert "tasks.interface.xml" in told.stdout
    assert (filled.folder / "tasks.interface.xml").is_file()


@pytest.mark.parametrize(
    ("options", "code"), [(["x.json"], 1), (["x.csv", "--format", "xls"], 2), ([], 2)]
)
def test_what_cannot_be(filled: Terminal, options: list[str], code: int) -> None:
    told = filled("judgments", "export", *options, "--json")
    assert told.code == code
    assert told.document["error"]["message"]
    assert not Path(filled.folder / "x.csv").exists()


def test_help_says_what_a_book_brings(goldsmith: Terminal) -> None:
    assert "Of a book:" in goldsmith("import", "--help").stdout
    assert "label-studio" in goldsmith("judgments", "import", "--help").stdout


def test_a_new_rater_called_almost_as_another_is_named(filled: Terminal) -> None:
    out = Path(filled.write("raw.tsv", ""))
    assert filled("judgments", "export", str(out), "--force").code == 0
    out.write_text(out.read_text("utf-8").replace("\tann\t", "\tAnn\t"), "utf-8")
    told = filled("judgments", "import", str(out))
    assert "note alike_rater: 1\n    Ann beside ann\n" in told.stdout
