"""`goldsmith report --by`, as a person reads it and as a script does."""

import json

import pytest
from click.testing import CliRunner

from terminal.measuring import report
from tests.online.logs import lake_of
from tests.terminal.conftest import Terminal

LISTED = ["d1", "d2"]
SEARCHES = (
    ("2026-11-01T10:00:00Z", "gold", "s1", 2),
    ("2026-11-01T10:30:00Z", "GOLD ", "s2", None),
    ("2026-11-02T11:00:00Z", "silver\u001b[2J ring", "s3", None),
)


@pytest.fixture(scope="module")
def logged(tmp_path_factory: pytest.TempPathFactory) -> Terminal:
    """A terminal whose log is only read."""
    goldsmith = Terminal(tmp_path_factory.mktemp("logged"))
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


def test_parts_and_filters_as_documents(logged: Terminal) -> None:
    found = logged("report", "--by", "tag", "--json").document
    assert (found["by_tag"], found["untagged"]["searches"]) == ({}, 3)
    filters = ("--class", "with_number", "--zone", "Pacific/Kiritimati", "--from", "2026-11-03")
    found = logged("report", "--by", "class", *filters, "--without-bots", "--json").document
    assert found["by_class"].keys() == {"with_number"}
    assert found["by_class_and_model"]["with_number"]["A"]["searches"] == 1
    wrong = logged("report", "--zone", "Nowhere", "--json")
    assert (wrong.code, "no time zone" in wrong.document["error"]["message"]) == (1, True)


def test_further_metrics_and_kinds_of_queries_as_tables(logged: Terminal) -> None:
    shown = logged("report", "--by", "query", "--sort", "no-clicks")
    assert "The 1 that lack the most clicks against the average query of 2 queries:" in shown.stdout
    lines = [line.split() for line in shown.stdout.splitlines()]
    assert ["CTR@3", "0.3333", "0.0000", "to", "1.0000", "0.3333"] in lines
    assert "not logged: dwell over 30 s; median dwell, s;" in shown.stderr


def test_queries_that_changed(logged: Terminal) -> None:
    how = ("report", "--by", "query", "--sort", "changed", "--from", "2026-11-02")
    shown = logged(*how, "--to", "2026-11-02", "--against", "2026-11-01:2026-11-01")
    assert "Queries that are new: 1" in shown.stdout
    assert "Queries that vanished: 1" in shown.stdout


@pytest.mark.parametrize("days", ["foo", "2026-11-01", "2026-11-01:foo"])
def test_days_that_are_none_are_answered_with_an_example(logged: Terminal, days: str) -> None:
    refused = logged("report", "--by", "query", "--sort", "changed", "--against", days)
    assert refused.code == 2
    assert f"{days!r} is not FROM:TO, such as 2026-11-01:2026-11-07" in refused.stderr


@pytest.mark.parametrize(
    "options",
    [
        ["--by", "query", "--sort", "changed"],
        ["--by", "query", "--against", "2026-11-01:2026-11-01"],
        ["--by", "query", "--sort", "changed", "--against", "2026-11-01"],
        ["--by", "query", "--sort", "changed", "--against", "2026-11-02:2026-11-01"],
        ["--by", "day", "--sort", "worst"],
    ],
)
def test_options_that_make_no_sense_together(logged: Terminal, options: list[str]) -> None:
    answer = CliRunner().invoke(report, options, obj=logged.folder / "w")
    assert (answer.exit_code, "Error:" in answer.output) == (2, True)


def test_the_days_after_those_compared_with_are_the_default(logged: Terminal) -> None:
    how = ("report", "--by", "query", "--sort", "changed", "--against", "2026-11-01:2026-11-01")
    shown = logged(*how, "--json")
    assert (shown.code, shown.document["searches"], shown.document["searches_before"]) == (0, 1, 2)
    assert "compared are the days from 2026-11-02 on" in shown.stderr
    before = logged(*how[:-1], "2026-11-02:2026-11-02", "--to", "2026-11-01", "--json")
    assert (before.document["searches"], before.document["searches_before"]) == (2, 1)
    overlapping = logged(*how[:-1], "2026-11-01:2026-11-02", "--to", "2026-11-01")
    assert (overlapping.code, "overlap" in overlapping.stderr) == (1, True)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--tag", "nope"), "tag nope"),
        (("--model", "no\x1bpe"), "model no?pe"),
        (("--from", "2027-01-01", "--without-bots"), "from 2027-01-01, without bots"),
    ],
)
def test_where_nothing_is_found_it_is_said_what_there_is(
    logged: Terminal, options: tuple[str, ...], said: str
) -> None:
    answer = logged("report", *options)
    assert answer.code == 0
    assert answer.stderr.endswith(
        f"No search was found: {said}. There are:\n"
        "  days: 2026-11-01 to 2026-11-02 (UTC)\n  models: A\n  tags: none\n"
    )


def test_what_waits_for_its_search_and_what_words_mean(goldsmith: Terminal) -> None:
    goldsmith("init")
    assert "no searches yet" in goldsmith("report").stderr
    search = {"search_id": "q1", "dwell_s": 40.0, "n_clicks": 1, "tags": ["web"]}
    waiting = {"joined": False, "model_version": None, "search_id": "q2", "search_key": 7}
    lake_of(
        goldsmith.folder / "w",
        [search],
        [waiting, waiting, waiting | {"search_id": None}, waiting | {"kind": "conversion"}],
    )
    shown = goldsmith("report")
    assert "2 clicks wait for a search that is not known" in shown.stderr
    assert "1 conversion waits for a search" in shown.stderr
    assert "dwell: the longest among a search's clicks" in shown.stderr
    assert "reformulated: the same session searched for something else" in shown.stderr
    waits = goldsmith("report", "--json").document["unjoined"]
    assert waits == {"click": 2, "conversion": 1}
    later = goldsmith("report", "--from", "2026-12-01", "--json").document
    assert later["unjoined"] == {}
    assert "tags: web" in goldsmith("report", "--tag", "app").stderr
