"""UBI records as native lines: line in, line out, and what is told about each application."""

import json
import random
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from online.lines import LogFile
from online.sources.source import MARK
from online.sources.ubi import UbiLines, looks_like_ubi
from online.sources.ubi_findings import Ledger
from online.sources.ubi_records import time_format
from tests.online.logs import write_log

NOON = "2026-11-30T12:00:00Z"
Lines = Iterable[dict[str, Any] | str | bytes]


def query(**changes: Any) -> dict[str, Any]:
    """A query record that found three documents, but for the changes."""
    return {
        "application": "shop",
        "query_id": "q1",
        "client_id": "c1",
        "user_query": "green tea",
        "query_attributes": {},
        "query_response_id": "r1",
        "query_response_hit_ids": ["d1", "d2", "d3"],
        "timestamp": NOON,
    } | changes


def happened(
    action: str, doc_id: Any = None, ordinal: Any = None, **changes: Any
) -> dict[str, Any]:
    """An event on a document at a place, but for the changes."""
    attributes: dict[str, Any] = {}
    if doc_id is not None:
        attributes["object"] = {"object_id": doc_id, "object_id_field": "sku"}
    if ordinal is not None:
        attributes["position"] = {"ordinal": ordinal}
    return {
        "application": "shop",
        "action_name": action,
        "query_id": "q1",
        "client_id": "c1",
        "session_id": "s1",
        "timestamp": "2026-11-30T12:00:05Z",
        "event_attributes": attributes,
    } | changes


def bulk(*records: dict[str, Any]) -> list[dict[str, Any]]:
    """Each record behind its action line."""
    lines = []
    for number, record in enumerate(records):
        index = "ubi_events" if "action_name" in record else "ubi_queries"
        lines += [{"index": {"_index": index, "_id": str(number)}}, record]
    return lines


class Read:
    """What a UBI source made of some lines."""

    def __init__(self, folder: Path, lines: Lines, **options: Any) -> None:
        bases = options.pop("rank_bases", {})
        base = options.pop("rank_base", None)
        source = UbiLines(LogFile(write_log(folder / "ubi.ndjson", lines)), **options)
        source.rank_bases, source.rank_base = bases, base
        assert source.plain().read_all().num_rows == 0
        table = source.odd().read_all()
        self.numbers = table["line"].to_pylist()
        texts = table["text"].to_pylist()
        self.native = [json.loads(text) for text in texts if not text.startswith(MARK)]
        self.faults = [text.split(MARK)[1] for text in texts if text.startswith(MARK)]
        self.said = [text.split(MARK)[2] for text in texts if text.startswith(MARK)]
        self.raws = list(source.raws(iter(self.numbers)))
        self.notes = {code: n for code, n in source.findings.notes.items() if code not in USUAL}
        self.all_notes = dict(source.findings.notes)
        self.named = source.findings.named
        self.applications = source.findings.applications
        assert source.n_odd == len(self.numbers)
        source.close()


USUAL = ("model_from_application",)


def one(folder: Path, record: dict[str, Any], **options: Any) -> dict[str, Any]:
    """The native line of a record."""
    (line,) = Read(folder, [record], **options).native
    assert isinstance(line, dict)
    return line


def test_a_query_begins_a_search(tmp_path: Path) -> None:
    assert one(tmp_path, query()) == {
        "timestamp": NOON,
        "search_id": "q1",
        "user_id": "c1",
        "query": "green tea",
        "model_version": "shop",
        "retrieved_doc_ids": ["d1", "d2", "d3"],
        "application": "shop",
        "query_response_id": "r1",
    }


def test_a_click_is_a_later_line_of_its_search(tmp_path: Path) -> None:
    line = one(tmp_path, happened("click", "d2", 2, message="Clicked", user_id=""))
    assert line == {
        "timestamp": "2026-11-30T12:00:05Z",
        "search_id": "q1",
        "user_id": "c1",
        "session_id": "s1",
        "action": "click",
        "clicks": [{"doc_id": "d2", "rank": 2}],
        "event_attributes": {"object": {"object_id_field": "sku"}},
        "application": "shop",
        "message": "Clicked",
    }


@pytest.mark.parametrize(
    ("action", "key"),
    [
        ("item_click", "clicks"),
        ("product_click", "clicks"),
        ("add_to_cart", "conversions"),
        ("purchase", "conversions"),
        ("impression", "impressions"),
    ],
)
def test_what_an_action_is_follows_from_its_name(tmp_path: Path, action: str, key: str) -> None:
    line = one(tmp_path, happened(action, "d1", 3))
    assert line[key] == [{"doc_id": "d1", "rank": 3}]
    assert line["action"] == action


def test_an_action_without_a_native_form_keeps_all_it_says(tmp_path: Path) -> None:
    event = happened("global_click", "menu", 55)
    line = one(tmp_path, event)
    assert line["event_attributes"] == event["event_attributes"]
    assert {"clicks", "conversions", "impressions"}.isdisjoint(line)


def test_actions_can_be_told(tmp_path: Path) -> None:
    lines = [happened("open_pdf", "d1", 1), happened("book_a_visit", "d1", 1)]
    told = {"click_actions": ["open_pdf"], "conversion_actions": ["book_a_visit"]}
    first, second = Read(tmp_path, lines, **told).native
    assert first["clicks"] == second["conversions"] == [{"doc_id": "d1", "rank": 1}]
    assert "clicks" not in one(tmp_path, lines[0])


def test_a_whole_number_is_the_text_of_its_digits(tmp_path: Path) -> None:
    large = 9007199254740993
    found = one(tmp_path, query(query_id=7, client_id=8, query_response_hit_ids=[large, "d1"]))
    assert (found["search_id"], found["user_id"]) == ("7", "8")
    assert found["retrieved_doc_ids"] == [str(large), "d1"]
    assert one(tmp_path, happened("click", large, 1))["clicks"][0]["doc_id"] == str(large)


@pytest.mark.parametrize("ordinal", [3, 3.0, "3"])
def test_a_rank_is_read_as_opensearch_reads_it(tmp_path: Path, ordinal: object) -> None:
    assert one(tmp_path, happened("click", "d1", ordinal))["clicks"][0]["rank"] == 3


def test_what_is_absent_is_left_out(tmp_path: Path) -> None:
    event = happened("click", query_id=None, session_id="", event_attributes=None)
    assert one(tmp_path, event) == {
        "timestamp": "2026-11-30T12:00:05Z",
        "user_id": "c1",
        "action": "click",
        "clicks": [{}],
        "application": "shop",
    }
    assert "impressions" not in one(tmp_path, happened("impression", None, 4))


def test_attributes_that_are_no_object_are_kept_as_they_are(tmp_path: Path) -> None:
    line = one(tmp_path, happened("click", event_attributes="top"))
    assert (line["clicks"], line["event_attributes"]) == ([{}], "top")


def test_a_session_may_stand_among_the_attributes(tmp_path: Path) -> None:
    event = happened("click", "d1", session_id=None)
    event["event_attributes"]["session_id"] = "s7"
    assert one(tmp_path, event)["session_id"] == "s7"


def test_user_id_wins_over_client_id_which_is_kept(tmp_path: Path) -> None:
    line = one(tmp_path, happened("click", "d1", 1, user_id="ada"))
    assert (line["user_id"], line["client_id"]) == ("ada", "c1")


def test_the_object_of_old_collectors_is_called_data(tmp_path: Path) -> None:
    event = happened("click", event_attributes={"data": {"object_id": "d9"}})
    assert one(tmp_path, event)["clicks"] == [{"doc_id": "d9"}]


@pytest.mark.parametrize(
    ("attributes", "model", "note"),
    [
        ({"model_version": "v2", "experiment_id": "e"}, "v2", "model_from_model_version"),
        ({"experiment_id": 12345}, "12345", "model_from_experiment_id"),
        ({"experiment": "e", "variant": "B"}, "e:B", "model_from_experiment_and_variant"),
        ({"ab_variant": "B"}, "B", "model_from_ab_variant"),
        ({"filters": {"brand": "x"}}, "shop", "model_from_application"),
        ({"experiment": {"id": 1}}, "shop", "model_from_application"),
    ],
)
def test_what_ranked_is_looked_for_in_the_attributes(
    tmp_path: Path, attributes: dict[str, Any], model: str, note: str
) -> None:
    read = Read(tmp_path, [query(query_attributes=attributes)])
    assert read.native[0]["model_version"] == model
    assert read.all_notes == {note: 1}


def test_what_ranked_can_be_told_or_is_unknown(tmp_path: Path) -> None:
    told = Read(tmp_path, [query()], model_version="bm25")
    assert (told.native[0]["model_version"], told.notes) == ("bm25", {"model_from_option": 1})
    unknown = Read(tmp_path, [query(application=None)])
    assert unknown.native[0]["model_version"] == "unknown"
    assert unknown.notes == {"model_from_nothing": 1}
    assert set(unknown.applications) == {"unknown"}


@pytest.mark.parametrize(
    "key",
    ["query_response_hit_ids", "query_response_object_ids", "query_response_objects_ids"],
)
def test_results_have_had_several_names(tmp_path: Path, key: str) -> None:
    record = query(query_response_hit_ids=None) | {key: ["d5"]}
    assert one(tmp_path, record)["retrieved_doc_ids"] == ["d5"]


def test_without_results_in_the_log_there_is_no_empty_list(tmp_path: Path) -> None:
    found = one(tmp_path, query(query_response_hit_ids=None))
    assert found["results_logged"] is False
    assert "retrieved_doc_ids" not in found


def test_an_empty_list_means_nothing_found_unless_none_was_asked_for(tmp_path: Path) -> None:
    nothing = query(query_response_hit_ids=[])
    assert one(tmp_path, nothing)["retrieved_doc_ids"] == []
    asked = nothing | {"query": json.dumps({"size": 20, "from": 0})}
    assert one(tmp_path, asked)["retrieved_doc_ids"] == []
    facets = nothing | {"query": json.dumps({"size": 0, "aggregations": {}})}
    found = one(tmp_path, facets)
    assert found["results_logged"] is False
    assert found["ubi_query"] == facets["query"]  # the quoted request is no query of a user


@pytest.mark.parametrize(
    ("attributes", "offset"),
    [
        ({"from": 20, "size": 10}, 20),
        ({"offset": "40"}, 40),
        ({"pagination": {"page": 3, "per_page": 10}}, 20),
        ({"page": 1, "size": 10}, None),
        ({"page": 2}, None),
        ({"from": 0}, None),
        ({"from": -5}, None),
    ],
)
def test_pages_are_known_by_what_stands_before_them(
    tmp_path: Path, attributes: dict[str, Any], offset: int | None
) -> None:
    assert one(tmp_path, query(query_attributes=attributes)).get("offset") == offset


def test_the_quoted_request_tells_the_page_where_the_attributes_do_not(tmp_path: Path) -> None:
    assert one(tmp_path, query(query='{"from":10,"size":10}'))["offset"] == 10
    assert "offset" not in one(tmp_path, query(query="{not json"))


def test_a_value_is_taken_where_it_is_named_and_never_guessed(tmp_path: Path) -> None:
    event = happened("purchase", "d1", 1)
    event["event_attributes"]["object"]["object_detail"] = {"price": 4395, "margin": 12}
    assert one(tmp_path, event)["conversions"] == [{"doc_id": "d1", "rank": 1}]
    event["event_attributes"]["revenue"] = "19.90"
    assert one(tmp_path, event)["conversions"] == [{"doc_id": "d1", "rank": 1, "value": 19.9}]
    event["event_attributes"]["revenue"] = "much"
    assert "value" not in one(tmp_path, event)["conversions"][0]


def test_the_time_on_the_page_of_results_is_no_dwell_time(tmp_path: Path) -> None:
    event = happened("click", "d1", 1)
    event["event_attributes"]["dwell_time"] = 12.5
    read = Read(tmp_path, [event])
    assert read.native[0]["clicks"] == [{"doc_id": "d1", "rank": 1}]
    assert read.native[0]["event_attributes"]["dwell_time"] == 12.5
    assert read.notes == {"page_dwell": 1}


def test_a_query_that_nobody_typed_is_empty_and_noted(tmp_path: Path) -> None:
    read = Read(tmp_path, [query(user_query=None)])
    assert read.native[0]["query"] == ""
    assert read.notes == {"no_user_query": 1}


def test_all_exports_of_an_index_say_the_same(tmp_path: Path) -> None:
    records = [query(), happened("click", "d1", 1)]
    plain = Read(tmp_path, records)
    assert Read(tmp_path, bulk(*records)).native == plain.native
    hits = [{"_index": "ubi", "_id": "7", "_score": 1, "_source": record} for record in records]
    assert Read(tmp_path, hits).native == plain.native
    tabbed = [f"ubi_events\t{json.dumps(record)}" for record in records]
    assert Read(tmp_path, tabbed).native == plain.native


def test_rows_are_numbered_as_lines_and_found_again(tmp_path: Path) -> None:
    lines: list[dict[str, Any] | str | bytes] = ["", *bulk(query(), happened("click", "d1", 1))]
    read = Read(tmp_path, lines)
    assert read.numbers == [3, 5]
    assert [json.loads(raw) for raw in read.raws] == lines[2::2]


def test_an_action_line_without_its_record_is_noted(tmp_path: Path) -> None:
    action = {"index": {"_index": "ubi_events"}}
    read = Read(tmp_path, [action, action, happened("click", "d1", 1), {"create": {}}])
    assert len(read.native) == 1
    assert read.notes == {"action_line_without_record": 2}
    assert Read(tmp_path, [{"delete": {"_id": "7"}}, *bulk(query())]).notes == {}


def test_in_an_index_of_queries_a_record_needs_no_query(tmp_path: Path) -> None:
    bare = {"query_id": "q1", "client_id": "c1", "timestamp": NOON, "application": "shop"}
    assert Read(tmp_path, bulk(bare)).native[0]["query"] == ""
    assert Read(tmp_path, [bare]).faults == ["no_ubi_record"]


@pytest.mark.parametrize(
    ("line", "reason", "word"),
    [
        ('{"action_name": "click", "timest', "bad_json", "column 26"),
        (b'{"action_name": "caf\xe9"}', "bad_utf8", "byte 21"),
        ("[1, 2]", "not_an_object", "record"),
        ('{"action_name": "click", "x": {"a": 1, "a": 2}}', "duplicate_key", "'a'"),
        ('{"action_name": "click", "x": NaN}', "bad_json", "NaN"),
        ('{"action_name": "click", "timestamp": 1, "x": 1e999}', "bad_json", ""),
        ("[" * 100_000, "bad_json", "nested"),
        ('{"title": "Green tea"}', "no_ubi_record", "action_name"),
        ('{"action_name": null}', "bad_action", "action_name"),
        ('{"action_name": "click"}', "missing_timestamp", "timestamp"),
        (happened("click", "d1", 1, query_id={"a": 1}), "bad_search_id", "query_id"),
        (happened("click", "d1", 1, session_id=1.5), "bad_session", "1.5"),
        (happened("click", 1.5, 1), "bad_click", "object_id"),
        (happened("purchase", True, 1), "bad_conversion", "true"),
        (happened("impression", [1], 1), "bad_impression", "[1]"),
        (happened("click", "d1", -1), "bad_rank", "ordinal"),
        (happened("click", "d1", 1.5), "bad_rank", "1.5"),
        (happened("click", "d1", True), "bad_rank", "true"),
        (happened("click", "d1", "first"), "bad_rank", "first"),
        (query(user_query=["tea"]), "bad_query", "user_query"),
        (query(query_response_hit_ids="d1"), "bad_results", "hit_ids"),
        (query(query_response_hit_ids=["d1", None]), "bad_results", "null"),
        (query(query_response_hit_ids=["d1", ""]), "bad_results", '""'),
    ],
)
def test_what_is_wrong_is_said_in_the_words_of_ubi(
    tmp_path: Path, line: dict[str, Any] | str | bytes, reason: str, word: str
) -> None:
    read = Read(tmp_path, [query(), line])
    assert (len(read.native), read.faults) == (1, [reason])
    assert word in read.said[0]


def test_half_a_surrogate_pair_is_left_to_the_import(tmp_path: Path) -> None:
    read = Read(tmp_path, [r'{"action_name": "x", "timestamp": 1, "message": "\ud83d"}'])
    assert read.native[0]["message"] == "\ud83d"


def test_an_application_with_a_result_at_0_counts_from_0(tmp_path: Path) -> None:
    lines = [
        happened("click", "d2", 1),
        happened("impression", "d1", 0),
        happened("click", "d2", 1, application="docs"),
        happened("scroll", "d1", 0, application="docs"),  # the place of something else
    ]
    read = Read(tmp_path, lines)
    assert [line.get("clicks", line.get("impressions"))[0]["rank"] for line in read.native[:3]] == [
        2,
        1,
        1,
    ]
    assert read.applications["shop"]["rank_base"] == 0
    assert read.applications["docs"]["rank_base"] == 1


@pytest.mark.parametrize("zero", ['"ordinal":0}', '"ordinal" : "0" }', '"ordinal":0.0,"x":1}'])
def test_a_rank_of_0_is_found_however_it_is_written(tmp_path: Path, zero: str) -> None:
    line = json.dumps(happened("click", "d1", 7)).replace('"ordinal": 7}', zero)
    assert Read(tmp_path, [line]).native[0]["clicks"][0]["rank"] == 1


def test_text_that_quotes_a_rank_of_0_is_none(tmp_path: Path) -> None:
    quoting = happened("click", "d1", 1, message='"position":{"ordinal":0}')
    assert Read(tmp_path, [quoting]).native[0]["clicks"][0]["rank"] == 1


def test_the_lake_remembers_who_counts_from_0(tmp_path: Path) -> None:
    events = [happened("click", "d1", 1)] * 20
    read = Read(tmp_path, events, rank_bases={"shop": 0})
    assert read.native[0]["clicks"][0]["rank"] == 2
    assert read.named == {"rank_base_unconfirmed": ["shop"]}
    assert read.notes == {"rank_base_unconfirmed": 20}


def test_an_application_that_was_read_from_1_and_now_logs_a_0_is_told(tmp_path: Path) -> None:
    read = Read(tmp_path, [happened("click", "d1", 0)], rank_bases={"shop": 1})
    assert read.native[0]["clicks"][0]["rank"] == 1
    assert read.named == {"rank_base_changed": ["shop"]}


def test_a_few_zeros_look_like_mistakes_and_are_told(tmp_path: Path) -> None:
    events = [happened("impression", "d1", 1)] * 6 + [happened("impression", "d1", 0)]
    assert Read(tmp_path, events).named == {"rank_zero_is_rare": ["shop"]}


def test_a_rank_base_that_is_told_holds(tmp_path: Path) -> None:
    read = Read(tmp_path, [happened("click", "d1", 0), happened("click", "d2", 1)], rank_base=1)
    assert read.faults == ["bad_rank"]
    assert read.native[0]["clicks"][0]["rank"] == 1
    assert read.named == {}


def test_each_application_is_counted(tmp_path: Path) -> None:
    lines = [
        query(),
        query(user_query="green te"),
        query(query_id="q2", timestamp=1796040000000),
        happened("impression", "d1", 1),
        happened("click", "d1", 1),
        happened("click", "d1", 1),
        happened("click", "d2", 2, query_id="lost"),
        happened("search", query_id=None),
        happened("click", "d9", application="docs", timestamp="2026-11-30T12:00:00"),
    ]
    read = Read(tmp_path, lines)
    assert read.applications["shop"] == {
        "queries": 3,
        "distinct_query_ids": 2,
        "repeated": 1,
        "events": 5,
        "without_query": 2,
        "actions": {"click": 3, "impression": 1, "search": 1},
        "clicks": 3,
        "conversions": 0,
        "impressions": 1,
        "rank_base": 1,
        "time_formats": {"iso_8601": 7, "epoch_milliseconds": 1},
        "more_clicks_than_impressions": 2,
    }
    docs = read.applications["docs"]
    assert (docs["rank_base"], docs["more_clicks_than_impressions"]) == (None, None)
    assert (docs["without_query"], docs["time_formats"]) == (0, {"iso_8601_without_zone": 1})


def test_names_are_shown_short_and_writable(tmp_path: Path) -> None:
    events = [happened("a" * 200, application="\ud800" + "b" * 200), happened("é", application="é")]
    found = Read(tmp_path, events).applications
    assert max(map(len, found)) <= 105
    assert json.dumps(found, ensure_ascii=False).encode()
    assert list(found["é"]["actions"]) == ["é"]


def test_a_log_of_events_alone_does_not_know_which_lack_their_query(tmp_path: Path) -> None:
    assert (
        Read(tmp_path, [happened("click", "d1", 1)]).applications["shop"]["without_query"] is None
    )


@pytest.mark.parametrize(
    ("stamp", "form"),
    [
        ("2026-11-30T12:00:00.123+0000", "iso_8601"),
        ("2026-11-30 12:00", "iso_8601_without_zone"),
        (1796040000, "epoch_seconds"),
        ("1796040000000", "epoch_milliseconds"),
        (1796040000000000, "epoch_microseconds"),
        (1796040000000000000, "epoch_nanoseconds"),
        (1796040000.5, "epoch_seconds"),
        (True, "other"),
        ("yesterday", "other"),
        (None, "missing"),
    ],
)
def test_forms_of_time(stamp: object, form: str) -> None:
    assert time_format(stamp) == form


def test_occurrences_are_told_in_parts_that_share_no_thing(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path, part=100)
    for number in range(1000):
        ledger.add(number % 3, f"thing {number % 500}")
    parts = list(ledger.parts())
    ledger.close()
    assert len(parts) == 11
    assert sum(len(tags) for tags, _ in parts) == 1000
    things = [set(hashes.tolist()) for _, hashes in parts]
    assert sum(map(len, things)) == len(set.union(*things)) == 500


def test_no_line_is_lost_or_told_twice_whatever_it_holds(tmp_path: Path) -> None:
    chance = random.Random(7)
    odd: list[Any] = [None, "", 0, -1, 1.5, True, [], {}, "x" * 300, ["d"], {"a": {"b": None}}]
    odd += ["\x00", "\ud800", 10**30, "click", [None], {"object_id": []}, {"ordinal": "0"}, NOON]
    lines: list[dict[str, Any] | str | bytes] = []
    for _ in range(600):
        record = chance.choice([query(), happened("click", "d1", 1), happened("purchase", "d1", 2)])
        for _ in range(chance.randrange(4)):
            place = chance.choice([record, record.get("event_attributes"), record])
            if isinstance(place, dict):
                place[chance.choice([*KEYS, *place])] = chance.choice(odd)
        text = json.dumps(record)
        damage = chance.random()
        if damage < 0.1:
            lines.append(text[: chance.randrange(1, len(text))])
        elif damage < 0.2:
            lines.append(text.encode()[::-1])
        else:
            lines.append(record)
    read = Read(tmp_path, lines)
    assert read.numbers == list(range(1, 601))
    assert len(read.native) + len(read.faults) == 600
    assert len(read.native) > 100 < len(read.faults)
    counted = read.applications.values()
    assert sum(said["queries"] + said["events"] for said in counted) >= len(read.native)


KEYS = ("timestamp", "query_id", "action_name", "user_query", "event_attributes", "object", "query")


def test_ubi_is_known_by_its_records() -> None:
    def as_bytes(*lines: object) -> bytes:
        return b"\n".join(
            line if isinstance(line, bytes) else json.dumps(line).encode() for line in lines
        )

    click = happened("click", "d1", 1)
    assert looks_like_ubi(as_bytes(query()))
    assert looks_like_ubi(as_bytes(*bulk(click)))
    assert looks_like_ubi(as_bytes({"_index": "ubi", "_source": click}))
    assert looks_like_ubi(b"ubi_events\t" + as_bytes(click))
    assert looks_like_ubi(as_bytes(b"", click) + b'\n{"action_na')
    native = {"timestamp": NOON, "query": "tea", "retrieved_doc_ids": [], "model_version": "m"}
    assert not looks_like_ubi(as_bytes(native))
    assert not looks_like_ubi(as_bytes({"index": {"_index": "shop"}}, {"title": "Tea"}))
    assert not looks_like_ubi(b"query,timestamp\ntea,2026\n")
    assert not looks_like_ubi(b"")
