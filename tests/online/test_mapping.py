"""A mapping file says what foreign columns mean; `events map` proposes one."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import duckdb
import pytest

from online import OnlineError
from online.sources.guessing import Column, time_form
from online.sources.mapping import TableMap, parse_mapping
from online.sources.proposal import propose_mapping
from online.sources.recognise import open_source
from tests.online.logs import write_log
from tests.online.translated import translated


def _native(file: Path, mapping: TableMap, table: str | None = None) -> list[dict[str, Any]]:
    return list(translated(file, mapping=mapping, table=table).values())


def _proposed(file: Path, table: str | None = None) -> list[dict[str, Any]]:
    """The native lines of a table, by the mapping that is proposed for it."""
    proposal = propose_mapping(file, table=table)
    return _native(file, parse_mapping(proposal.toml(), "proposal"), table)


EXPLAINED = """
ignore = ["ip", "page.url"]
[fields]
timestamp = "at"
query = "search.term"
search_id = "search.id"
retrieved_doc_ids = "search.items[].doc.id"
tags = { path = "labels", separator = "," }
model_version = { path = "arm", values = { a = "bm25" } }
[constants]
model_version = "usual"
[clicks]
action = "what"
click = ["click", "tap"]
conversion = "buy"
search = ["search"]
doc_id = "doc.id"
rank = { path = "doc.at", rank_base = 0 }
value = "price"
"""
ROWS: list[dict[str, Any]] = [
    {
        "at": 1764504000,
        "what": "search",
        "search": {
            "term": "x",
            "id": 7,
            "items": [{"doc": {"id": 1, "n": 9}}, {"doc": {"id": "b"}}],
        },
        "labels": "a, b",
        "arm": "a",
        "ip": "::1",
        "page": {"url": "/", "width": 390},
    },
    {"at": 1764504001, "what": "search", "search": {"term": "y", "id": 8}, "arm": None},
    {
        "at": 1764504002,
        "what": "tap",
        "search": {"term": "x", "id": 7},
        "doc": {"id": "b", "at": 1},
    },
    {"at": 1764504003, "what": "buy", "search": {"id": 7}, "doc": {"id": "b"}, "price": "9.50"},
    {"at": 1764504004, "what": "scroll"},
    {"at": 1764504005, "what": "click", "search": {"id": 7}},
]
MEANT: list[dict[str, Any]] = [
    {
        "timestamp": 1764504000,
        "query": "x",
        "search_id": "7",
        "retrieved_doc_ids": ["1", "b"],
        "tags": ["a", "b"],
        "model_version": "bm25",
        "search": {"items": [{"doc": {"n": 9}}, None]},
        "page": {"width": 390},
    },
    {"timestamp": 1764504001, "query": "y", "search_id": "8", "model_version": "usual"},
    {
        "timestamp": 1764504002,
        "search_id": "7",
        "clicks": [{"doc_id": "b", "rank": 2}],
        "source_query": "x",
    },
    {
        "timestamp": 1764504003,
        "search_id": "7",
        "conversions": [{"doc_id": "b", "value": 9.5, "action": "buy"}],
    },
    {"timestamp": 1764504004, "action": "scroll"},
    {"timestamp": 1764504005, "search_id": "7", "action": "click", "clicks": [{}]},
]


def test_a_mapping_makes_native_lines_of_json(tmp_path: Path) -> None:
    file = write_log(tmp_path / "log.jsonl", ROWS)
    assert _native(file, parse_mapping(EXPLAINED, "m.toml")) == MEANT


def test_a_mapping_means_the_same_for_a_database(tmp_path: Path) -> None:
    one_type = json.loads(json.dumps(ROWS).replace('"id": 1,', '"id": "1",'))
    file = write_log(tmp_path / "log.jsonl", one_type)
    with duckdb.connect(str(tmp_path / "log.duckdb")) as connection:
        # Of two columns the values are JSON: as text, or as objects without a type.
        connection.execute(
            "CREATE TABLE log AS SELECT * REPLACE (to_json(doc) AS doc, to_json(what) AS what)"
            " FROM read_json(?)",
            [str(file)],
        )
    native = _native(tmp_path / "log.duckdb", parse_mapping(EXPLAINED, "m.toml"))
    assert [{**line, "search": None} for line in native] == [
        {**line, "search": None} for line in MEANT
    ]


def test_documents_and_ranks_in_parallel_lists_are_several_clicks(tmp_path: Path) -> None:
    file = write_log(
        tmp_path / "log.jsonl",
        [{"t": 1764504000, "q": "a1", "ids": ["x", "y"], "pos": [3, 5]}],
    )
    text = '[fields]\ntimestamp = "t"\nsearch_id = "q"\n[clicks]\ndoc_id = "ids"\nrank = "pos"\n'
    (line,) = _native(file, parse_mapping(text, "m.toml"))
    assert line["clicks"] == [{"doc_id": "x", "rank": 3}, {"doc_id": "y", "rank": 5}]


def test_columns_without_a_meaning_are_named(tmp_path: Path) -> None:
    file = write_log(tmp_path / "log.jsonl", ROWS)
    source = open_source(file, mapping=parse_mapping(EXPLAINED, "m.toml"))
    source.scratch = tmp_path
    source.plain().read_all()
    source.close()
    assert source.findings.named["further_keys"] == ["page", "search"]
    assert source.findings.notes["model_assumed"] == 1


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ("[field]\n", "the mapping has no key 'field'", "did you mean 'fields'"),
        ('[fields]\nTime-stamp = "t"', r"\[fields\] has no key", "did you mean 'timestamp'"),
        ("[fields]\nquery = 1", "fields.query names no column", ""),
        ("[fields]\nquery = {}", "fields.query has no path", ""),
        ('[fields]\nquery = { pat = "q" }', "fields.query has no key 'pat'", "did you mean 'path'"),
        ('[fields]\nquery = { paths = ["q", "p"] }', "takes no paths", ""),
        ('[fields]\nsearch_id = { paths = ["q"] }', "two columns or more", ""),
        ('[fields]\nquery = { path = "q", separator = "," }', "takes no separator", ""),
        ('[fields]\nclick_rank = { path = "r", rank_base = 2 }', "neither 0 nor 1", ""),
        ('[fields]\nquery = "q"\n[clicks]\nclick = "c"', "has no action", ""),
        ('[fields]\nquery = "q"\n[clicks]\naction = "a"\nclick = "c"\nsearch = "c"', "both", ""),
        ('[fields]\nquery = "q"\n[clicks]\nrnk = "r"', "has no key 'rnk'", "did you mean 'rank'"),
        ('ignore = 3\n[fields]\nquery = "q"', "ignore is no list", ""),
        ("", r"\[fields\] names no column", ""),
        ("=", "no TOML", ""),
    ],
)
def test_a_mapping_is_read_strictly(text: str, message: str, hint: str) -> None:
    with pytest.raises(OnlineError, match=message) as caught:
        parse_mapping(text, "m.toml")
    assert caught.value.where == "m.toml"
    assert hint in str(caught.value.hint)


def test_a_mapping_that_names_no_column_of_the_table_is_refused(tmp_path: Path) -> None:
    file = _csv(tmp_path, "times,q", "1,2")
    with pytest.raises(OnlineError, match="names 'time', and there is no such column") as caught:
        open_source(file, mapping=parse_mapping('[fields]\ntimestamp = "time"', "m.toml"))
    assert "did you mean 'times'" in str(caught.value.hint)


def _csv(folder: Path, *lines: str) -> Path:
    file = folder / "log.csv"
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return file


def test_a_proposal_for_algolia_events(tmp_path: Path) -> None:
    common = {"index": "products", "userToken": "u-1", "timestamp": 1764504000123}
    click = {"eventType": "click", "eventName": "Item Clicked", "positions": [2]}
    buy = {"eventType": "conversion", "eventName": "Item Bought"}
    rows = [common | event | {"objectIDs": ["p1"], "queryID": "a1"} for event in (click, buy)]
    lines = _proposed(write_log(tmp_path / "log.jsonl", rows))
    kept = {"index": "products", "timestamp": 1764504000123, "user_id": "u-1", "search_id": "a1"}
    assert lines == [
        kept | {"eventName": "Item Clicked", "clicks": [{"doc_id": "p1", "rank": 2}]},
        kept
        | {"eventName": "Item Bought", "conversions": [{"doc_id": "p1", "action": "conversion"}]},
    ]


def _elastic() -> Iterable[dict[str, Any]]:
    items = [{"document": {"id": doc_id, "index": "i"}} for doc_id in ("a", "b")]
    found = {"total_results": 2, "items": items}
    common = {"session": {"id": "s1"}, "user": {"id": "u1"}, "@timestamp": "2026-11-30T12:00:00Z"}
    search = {"query": "shoes", "results": found}
    yield common | {"event": {"action": "search"}, "search": search}
    document = {"id": "b", "index": "i"}
    click = {"event": {"action": "search_click"}, "document": document}
    yield common | click | {"search": {"query": "shoes"}}
    yield common | {"event": {"action": "page_view"}}


def test_a_proposal_for_elastic_behavioural_analytics(tmp_path: Path) -> None:
    search, click, view = _proposed(write_log(tmp_path / "log.jsonl", list(_elastic())))
    assert search["retrieved_doc_ids"] == ["a", "b"]
    assert (search["query"], search["total_hits"]) == ("shoes", 2)
    assert (search["session_id"], search["user_id"]) == ("s1", "u1")
    assert click["clicks"] == [{"doc_id": "b"}]
    assert "query" not in click
    assert click["search_id"] == search["search_id"] == "s1 / shoes"
    assert view["action"] == "page_view"


def test_a_proposal_for_a_report_of_google_analytics(tmp_path: Path) -> None:
    file = _csv(
        tmp_path,
        "# -------",
        "# Site search, 20261101-20261130",
        "",
        "Date + hour (YYYYMMDDHH),Search term,Session ID,Event count",
        "2026113012,red shoes,123.45,4",
    )
    proposal = propose_mapping(file)
    assert proposal.zone_needed
    assert _proposed(file) == [
        {
            "timestamp": "2026-11-30T12:00:00",
            "query": "red shoes",
            "session_id": "123.45",
            "model_version": "unknown",
            "results_logged": False,
            "Event count": "4",
        }
    ]


def test_a_proposal_for_a_table_of_clicks(tmp_path: Path) -> None:
    header = "search_id;clicked_at;doc_id;position"
    file = _csv(tmp_path, header, "q1;2026-11-30 12:00:00;d1;0", "q1;2026-11-30 12:00:09;d3;2")
    assert _proposed(file)[1] == {
        "timestamp": "2026-11-30 12:00:09",
        "search_id": "q1",
        "clicks": [{"doc_id": "d3", "rank": 3}],
    }


def test_a_proposal_for_a_flat_table(tmp_path: Path) -> None:
    file = _csv(
        tmp_path,
        "event_time,search_term,userId,docs,clicked_doc,position,variant,note",
        '2026-11-30 12:00:00 UTC,red shoes,17,"d1,d2",d2,2,A,',
        '2026-11-30 12:00:00 UTC,blue,17,"d3",,,B,"\x7f#\r"',
    )
    first, second = _proposed(file)
    assert first == {
        "timestamp": "2026-11-30T12:00:00+00:00",
        "query": "red shoes",
        "user_id": "17",
        "retrieved_doc_ids": ["d1", "d2"],
        "clicked_doc_id": "d2",
        "click_rank": 2,
        "model_version": "A",
    }
    assert second["note"] == "\x7f#\r"


def test_a_proposal_for_a_database(tmp_path: Path) -> None:
    file = tmp_path / "shop.duckdb"
    with duckdb.connect(str(file)) as connection:
        connection.execute(
            "CREATE TABLE log AS SELECT TIMESTAMP '2026-11-30 12:00:00' AS created_at, 'x' AS q,"
            " [{'objectID': 'p1', 'name': 'n'}] AS hits, 5::UBIGINT AS took; CREATE TABLE b(a INT)"
        )
    (line,) = _proposed(file, table="log")
    assert line["retrieved_doc_ids"] == ["p1"]
    assert line["latency_ms"] == 5
    assert line["timestamp"] == "2026-11-30T12:00:00"
    assert propose_mapping(file, table="log").zone_needed


def test_a_proposal_shows_examples_and_doubts(tmp_path: Path) -> None:
    file = _csv(tmp_path, "when,q,docs", "03/04/2026 12:00,a,x|y", "05/06/2026 12:00,b,z")
    text = propose_mapping(file).toml()
    assert '# "a", "b"' in text
    assert "day or month first?" in text
    assert "write its name as model_version" in text


@pytest.mark.parametrize(
    ("values", "form"),
    [
        (["2026-11-30T12:00:00+01:00"], "zoned"),
        (["2026-11-30 12:00"], "naive"),
        ([1764504000, 1764504001.5], "seconds"),
        (["1764504000123"], "milliseconds"),
        ([1764504000123456789], "nanoseconds"),
        (["20261130"], "%Y%m%d"),
        (["30/Nov/2026:12:00:00 +0100"], "%d/%b/%Y:%H:%M:%S %z"),
        (["2026-11-30T12:00:00Z", "soon"], None),
        ([["2026-11-30T12:00:00Z"]], None),
        ([], None),
    ],
)
def test_forms_of_times(values: list[Any], form: str | None) -> None:
    assert time_form(Column("t", values)) == form


def test_a_file_without_rows_has_no_proposal(tmp_path: Path) -> None:
    with pytest.raises(OnlineError, match="holds no row"):
        propose_mapping(_csv(tmp_path, "a,b"))
