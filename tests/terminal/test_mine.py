"""goldsmith mine: what it prints, what it writes, and how it ends."""

import json

import pytest

from tests.online.logs import event
from tests.terminal.conftest import Terminal

TRAFFIC = {"sort a list": 6, "read a file": 3, "bob@example.com": 1, "tuple": 1}


@pytest.fixture
def logged(goldsmith: Terminal) -> Terminal:
    """Eleven searches for four queries, one of which is an address."""
    goldsmith("init")
    lines = [
        json.dumps(event(query=query, session_id=f"{query} {place}", event_id=f"{query} {place}"))
        for query, n in TRAFFIC.items()
        for place in range(n)
    ]
    assert goldsmith("events", "import", goldsmith.write("log.jsonl", *lines)).code == 0
    return goldsmith


def test_from_a_log_to_queries_and_back(logged: Terminal) -> None:
    """Six of ten searches reach half: the head is one query; torso begins at .6, tail at .9."""
    dry = logged("mine", "--limit", "3", "--dry-run")
    assert "3 queries of the log would come: 3 new, 0 known. Nothing was written." in dry.stdout
    drawn = logged("mine", "--limit", "3", "--json").document
    assert {"queries", "evidence", "traffic", "strata", "sample"} <= drawn.keys()
    assert drawn["queries"]["seen"] == 4
    assert drawn["queries"]["dropped"] == {"personal_data": 1}
    assert {query["stratum"]: query["text"] for query in drawn["sample"]} == {
        "head": "sort a list", "torso": "read a file", "tail": "tuple",
    }  # fmt: skip
    again = logged("mine", "--limit", "3")
    assert "Nothing has changed since sampling 1, and nothing was written." in again.stdout
    assert "They make 90.9% of all 11 searches" in again.stdout
    assert "personal data, left out: 1 queries, 1 searches (1 email)" in again.stdout
    assert "too few for a verdict" in again.stderr
    listed = logged("mine", "--list", "--json").document["samplings"]
    assert [one["sampling_id"] for one in listed] == [1]
    assert "stands, gives the weights" in logged("mine", "--list").stdout
    would = logged("mine", "--take-back", "1", "--dry-run").stdout
    assert "3 queries would go with sampling 1. Nothing was written." in would
    assert "sampling 1 is taken back: 3 queries went" in logged("mine", "--take-back", "1").stdout
    again = logged("mine", "--take-back", "1")
    assert (again.code, again.stdout.strip()) == (
        0, "sampling 1 was taken back before: 0 queries more went",
    )  # fmt: skip
    repeated = logged("mine", "--repeat", "1", "--json").document
    assert (repeated["sampling_id"], repeated["queries"]["new"]) == (2, 3)


def test_nothing_to_draw_is_told_once(goldsmith: Terminal) -> None:
    goldsmith("init")
    empty = goldsmith("mine", "--json")
    assert empty.code == 1
    assert "the log has no searches" in empty.document["error"]["message"]
    log = goldsmith.write("log.jsonl", json.dumps(event(query="bob@example.com")))
    assert goldsmith("events", "import", log).code == 0
    left_out = goldsmith("mine")
    assert left_out.code == 1
    assert left_out.stderr.count("none of the 1 queries of the log is eligible") == 1
    assert "1 personal_data" in left_out.stderr


def test_usage(goldsmith: Terminal) -> None:
    goldsmith("init")
    for wrong in (
        ("--list", "--repeat", "1"), ("--repeat", "1", "--limit", "5"), ("--head", "1"),
        ("--limit", "0"), ("--by", "x"), ("--anyway",),
    ):  # fmt: skip
        assert goldsmith("mine", *wrong).code == 2
    assert goldsmith("mine", "--head", ".8", "--torso", ".3").code == 1
    assert goldsmith("mine", "--take-back", "7").code == 1
