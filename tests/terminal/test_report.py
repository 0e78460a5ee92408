"""`goldsmith report --by`, as a person reads it and as a script does."""

import json

import pytest

from tests.terminal.conftest import Terminal

LISTED = ["d1", "d2"]
SEARCHES = (
    ("2026-11-01T10:00:00Z", "gold", "s1", 2),
    ("2026-11-01T10:30:00Z", "GOLD ", "s2", None),
    ("2026-11-02T11:00:00Z", "silver\u001b[2J ring", "s3", None),
)


@pytest.fixture
def logged(goldsmith: Terminal) -> Terminal:
    lines = [
        json.dumps(
            {
                "timestamp": moment,
                "query": query,
                "session_id": session,
                "model_version": "A",
                "retrieved_doc_ids": LISTED,
                "clicked_doc_id": LISTED[rank - 1] if rank else None,
                "click_rank": rank,
            }
        )
        for moment, query, session, rank in SEARCHES
    ]
    goldsmith("init")
    assert goldsmith("events", "import", goldsmith.write("log.jsonl", *lines)).code == 0
    return goldsmith


def test_by_query_as_a_document(logged: Terminal) -> None:
    found = logged("report", "--by", "query", "--top", "1", "--json").document
    (row,) = found["by_query"]
    assert (row["query"], row["searches"], row["spellings"], row["ctr"]) == ("gold", 2, 2, 0.5)
    assert (row["click_mrr"], row["zero_result_rate"], found["queries"]) == (0.25, 0.0, 2)
    assert (found["sort"], found["searches"], found["without_bots"]) == ("busiest", 3, False)


def test_by_day_and_hour_as_documents(logged: Terminal) -> None:
    days = logged("report", "--by", "day", "--json").document["by_day"]
    assert {day: metrics["searches"] for day, metrics in days.items()} == {
        "2026-11-01": 2,
        "2026-11-02": 1,
    }
    later = logged("report", "--by", "hour", "--from", "2026-11-02", "--json").document
    assert list(later["by_hour"]) == ["2026-11-02T11:00Z"]


def test_as_tables(logged: Terminal) -> None:
    days = logged("report", "--by", "day")
    assert [line.split()[:2] for line in days.stdout.splitlines()[-2:]] == [
        ["2026-11-01", "2"],
        ["2026-11-02", "1"],
    ]
    assert "too few sessions" in days.stderr
    queries = logged("report", "--by", "query").stdout
    assert "The 2 busiest of 2 queries:" in queries
    assert "silver?[2j ring" in queries  # nothing moves the cursor
    assert "\x1b" not in queries


def test_an_unknown_part_is_bad_usage(logged: Terminal) -> None:
    answer = logged("report", "--by", "month", "--json")
    assert answer.code == 2
    assert "month" in answer.document["error"]["message"]
