"""Who wrote a UBI log: ranks from 0 or 1, forms of time, counts; and whatever else it holds."""

import json
import random
from pathlib import Path
from typing import Any

import pytest

from online.sources.ubi import looks_like_ubi
from online.sources.ubi_findings import Ledger
from online.sources.ubi_records import time_format
from tests.online.ubi_logs import NOON, Read, bulk, happened, query


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
