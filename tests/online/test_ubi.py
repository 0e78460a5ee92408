"""UBI records as native lines: line in, line out."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.online.ubi_logs import NOON, Read, bulk, happened, one, query


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
        (query(query_attributes={"from": 10**12}), "bad_offset", "query_attributes"),
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
