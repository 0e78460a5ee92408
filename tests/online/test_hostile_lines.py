"""Lines that are broken in every way: each is accounted for, with a reason, and stops nothing."""

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from online import SearchEvent
from online.lake import Lake
from online.native import WIDE_KEYS
from tests.online.logs import clicked, event, quarantined, rows, take

DEEP = "[" * 100_000


FAULTY: list[tuple[dict[str, Any] | str | bytes, str, str]] = [
    ("garbage", "bad_json", "column 1"),
    ("[1]", "not_an_object", "[1] is no JSON object"),
    ("null", "not_an_object", "null is no JSON object"),
    ("{}", "missing_timestamp", "timestamp is missing or null"),
    (json.dumps(event())[:-10], "bad_json", "cut off"),
    (json.dumps(event()) * 2, "bad_json", "Extra data"),
    (json.dumps(event(x=float("nan"))), "bad_json", "NaN is no JSON number"),
    (json.dumps(event(x=float("inf"))), "bad_json", "Infinity is no JSON number"),
    (json.dumps(event())[:-1] + ',"query":"b"}', "duplicate_key", "'query' stands twice"),
    (json.dumps(event())[:-1] + ',"x":1,"x":2}', "duplicate_key", "'x' stands twice"),
    (json.dumps(event(query="a\0")), "nul_character", "U+0000"),
    (json.dumps(event(x="a\0")), "nul_character", "U+0000"),
    (b"\0\0\0", "nul_character", "NUL bytes"),
    (json.dumps(event(query="\ud83d")), "lone_surrogate", "pair stands alone"),
    (json.dumps(event()).encode().replace(b"sort", b"\xff"), "bad_utf8", "byte 49"),
    (json.dumps(event(query="\tx")).replace("\\t", "\t"), "bad_json", "control character"),
    ('{"x": ' + DEEP, "bad_json", "nested too deeply"),
    (json.dumps(event(query=1)).replace("1", DEEP), "bad_json", "nested too deeply"),
    (event(timestamp=None), "missing_timestamp", "missing or null"),
    (event(timestamp="yesterday"), "bad_timestamp", '"yesterday"'),
    (event(timestamp=-1764504000), "bad_timestamp", "-1764504000"),
    (event(timestamp=True), "bad_timestamp", "true"),
    (event(timestamp=32_503_680_000), "bad_timestamp", "32503680000"),
    (event(timestamp="17645040001764504000"), "bad_timestamp", "17645040001764504000"),
    (event(timestamp="2026-02-30T00:00:00Z"), "bad_timestamp", "ISO 8601"),
    (event(timestamp="2026-11-30"), "bad_timestamp", "ISO 8601"),
    (event(timestamp="0001-01-01T00:00:00Z"), "bad_timestamp", "0001"),
    (event(timestamp="2026-11-30T12:00:00"), "naive_timestamp", "--timezone Europe/Berlin"),
    (event(query=None), "missing_query", 'write ""'),
    (event(query=5), "bad_query", "query is 5"),
    (event(query=["a"]), "bad_query", 'query is ["a"]'),
    (event(session_id=""), "bad_session", 'session_id is ""'),
    (event(session_id=1.5), "bad_session", "1.5"),
    (event(model_version=None), "missing_model_version", "missing or null"),
    (event(model_version={}), "bad_model_version", "{}"),
    (event(retrieved_doc_ids=None), "missing_results", "write []"),
    (event(retrieved_doc_ids="d1"), "bad_results", '"d1"'),
    (event(retrieved_doc_ids=["a", None]), "bad_results", "null"),
    (event(retrieved_doc_ids=["a", ""]), "bad_results", '""'),
    (event(retrieved_doc_ids=["a", True]), "bad_results", "true"),
    (event(retrieved_doc_ids=["a", 1.5]), "bad_results", "1.5"),
    (event(retrieved_doc_ids=["a", ["b"]]), "bad_results", '["b"]'),
    (event(clicked_doc_id=""), "bad_click", '""'),
    (event(clicked_doc_id={"id": 1}), "bad_click", '{"id": 1}'),
    (clicked(2) | {"click_rank": "2"}, "bad_rank", 'click_rank is "2"'),
    (clicked(2) | {"click_rank": 1.5}, "bad_rank", "1.5"),
    (clicked(2) | {"click_rank": True}, "bad_rank", "true"),
    (clicked(2) | {"click_rank": -1}, "bad_rank", "-1"),
    (clicked(2) | {"click_rank": 0}, "bad_rank", "--rank-base 0"),
    (clicked(2) | {"click_rank": 10**12}, "bad_rank", "1000000000000"),
    (clicked(2) | {"click_rank": 2**31 - 1}, "bad_rank", "2147483647"),
    (event(click_rank=2), "rank_without_click", "nothing was clicked"),
    (event(event_id=""), "bad_event_id", '""'),
    (event(event_id=[1]), "bad_event_id", "[1]"),
    (event(search_id=""), "bad_search_id", '""'),
    (event(search_id=1.5), "bad_search_id", "1.5"),
    (event(user_id={}), "bad_user", "{}"),
    (event(offset=-1), "bad_offset", "-1"),
    (event(offset="10"), "bad_offset", '"10"'),
    (event(offset=10**12), "bad_offset", "1000000000000"),
    (event(tags="a"), "bad_tags", '"a"'),
    (event(tags=["a", None]), "bad_tags", "null"),
    (event(tags=["a", 1]), "bad_tags", '["a", 1]'),
    (event(total_hits=-1), "bad_total_hits", "-1"),
    (event(total_hits=10**30), "bad_total_hits", "1000000000000"),
    (event(latency_ms="5"), "bad_latency", '"5"'),
    (event(latency_ms=-0.5), "bad_latency", "-0.5"),
    (event(dwell_s=float("nan")), "bad_dwell", "NaN"),
    (json.dumps(event(dwell_s=1.5)).replace("1.5", "1e999"), "bad_dwell", "Infinity"),
    (event(results_logged="no"), "bad_results_logged", '"no"'),
    (event(action=""), "bad_action", '""'),
    (event(action=5), "bad_action", "5"),
    (event(clicks={}), "bad_click", "{}"),
    (event(clicks=["d1"]), "bad_click", '["d1"]'),
    (event(clicks=[None]), "bad_click", "null"),
    (event(clicks=[[]]), "bad_click", "[[]]"),
    (event(clicks=[{"rank": 1}]), "bad_click", '{"rank": 1}'),
    (event(clicks=[{"doc_id": ""}]), "bad_click", '""'),
    (event(clicks=[{"doc_id": True}]), "bad_click", "true"),
    (event(clicks=[{"doc_id": "d1"}, {"doc_id": "d2", "rank": -2}]), "bad_rank", "-2"),
    (event(clicks=[{"doc_id": "d1", "rank": "2"}]), "bad_rank", '"2"'),
    (event(clicks=[{"doc_id": "d1", "rank": 10**30}]), "bad_rank", "d1"),
    (event(clicks=[{"doc_id": "d1", "rank": 0}]), "bad_rank", "--rank-base 0"),
    (event(clicks=[{"doc_id": "d1", "dwell_s": float("nan")}]), "bad_dwell", "NaN"),
    (event(clicks=[{"doc_id": "d1", "dwell_s": -1}]), "bad_dwell", "-1"),
    (event(clicks=[{"doc_id": "d1", "timestamp": "noon"}]), "bad_timestamp", "noon"),
    (event(clicks=[{"doc_id": "d1", "timestamp": []}]), "bad_timestamp", "[]"),
    (
        event(clicks=[{"doc_id": "d1", "timestamp": "2026-11-30T12:00:00"}]),
        "naive_timestamp",
        "--timezone",
    ),
    (event(clicks=[{"doc_id": "d1", "x": float("inf")}]), "bad_json", "Infinity"),
    (
        '{"clicks": [{"doc_id": "d1", "doc_id": "d2"}], ' + json.dumps(event())[1:],
        "duplicate_key",
        "'doc_id' stands twice",
    ),
    (json.dumps(event(clicks=[{"doc_id": "\ud83d"}])), "lone_surrogate", "pair stands alone"),
    (json.dumps(event(clicks=[{"doc_id": "a\0"}])), "nul_character", "U+0000"),
    (json.dumps(event(clicks=[5])).replace("5", DEEP), "bad_json", "nested too deeply"),
    (event(conversions=5), "bad_conversion", "5"),
    (event(conversions=[None]), "bad_conversion", "null"),
    (event(conversions=[{"doc_id": []}]), "bad_conversion", "[]"),
    (event(conversions=[{"value": "5"}]), "bad_value", '"5"'),
    (event(conversions=[{"value": float("-inf")}]), "bad_value", "-Infinity"),
    (event(conversions=[{"value": -1e300}]), "bad_value", "-1e+300"),
    (event(latency_ms=1e300), "bad_latency", "1e+300"),
    (event(conversions=[{"action": 5}]), "bad_action", "5"),
    (event(impressions=[{}]), "bad_impression", "[{}]"),
    (event(query=None, search_id="s"), "nothing_happened", "nothing"),
    (event(query=None, search_id="s", clicks=[]), "nothing_happened", "nothing"),
]
"""Line, reason, and what its sentence says."""


@pytest.fixture(scope="module")
def rejected(tmp_path_factory: pytest.TempPathFactory) -> dict[int, dict[str, Any]]:
    """Line -> what the quarantine says of it, with a good line around each faulty one."""
    folder = tmp_path_factory.mktemp("faulty")
    good = [event(query=f"q{n}") for n in range(len(FAULTY))]
    lines = [line for n, (faulty, _, _) in enumerate(FAULTY) for line in (good[n], faulty)]
    tally = take(folder, lines)
    assert (tally.accepted, tally.quarantined) == (len(FAULTY), len(FAULTY))
    found = quarantined(tally)
    assert {row["file"] for row in found} == {str(folder / "log.jsonl")}
    return {row["line"]: row for row in found}


@pytest.mark.parametrize("n", range(len(FAULTY)))
def test_each_fault_has_its_reason_and_sentence(
    rejected: dict[int, dict[str, Any]], n: int
) -> None:
    line, reason, says = FAULTY[n]
    row = rejected[2 * n + 2]
    assert row["reason"] == reason
    assert says in row["message"]
    if isinstance(line, str):
        assert row["raw"] == line


FAULTS: list[Callable[[bytes, int], bytes]] = [
    lambda text, _: text[: len(text) // 2],
    lambda text, _: text.replace(b"}", b""),
    lambda text, _: b"\0" + text,
    lambda text, _: text.replace(b"sort", b"\xed\xa0\x80"),
    lambda text, _: text.replace(b"sort", b"\\ud83d"),
    lambda text, _: text.replace(b'"query"', b'"click_rank"'),
    lambda text, n: text.replace(b'"bm25"', str(n + 0.5).encode()),
    lambda text, _: text.replace(b"null", b"NaN"),
    lambda text, _: text.replace(b"null", b"[" * 5000),
    lambda text, _: text.replace(b"null", b"[" * 5000 + b"]" * 5000),
    lambda text, _: text.replace(b" ", b"\x0b"),
    lambda text, _: text + text,
    lambda text, _: text.replace(b"2026", b"20x6"),
    lambda _, n: bytes(random.Random(n).choices([*range(10), *range(11, 256)], k=50)),
]


WIDE_FAULTS: list[Callable[[bytes, int], bytes]] = [
    *FAULTS,
    lambda text, _: text.replace(b'"clicks": [', b'"clicks": [5, '),
    lambda text, _: text.replace(b'"clicks": [', b'"clicks": ' + b"[" * 5000),
    lambda text, _: text.replace(b'"clicks"', b'"conversions"'),
    lambda text, _: text.replace(b'"doc_id": "d2"', b'"doc_id": "d2", "doc_id": "d3"'),
    lambda text, _: text.replace(b'"doc_id": "d2"', b'"doc_id": "d\\ud83d"'),
    lambda text, _: text.replace(b'"doc_id": "d2"', b'"doc_id": "d\\u0000"'),
    lambda text, _: text.replace(b'"rank": 2', b'"rank": -2'),
    lambda text, _: text.replace(b'"rank": 2', b'"rank": ' + b"9" * 5000),
    lambda text, _: text.replace(b'"dwell_s": 1', b'"dwell_s": NaN'),
    lambda text, _: text.replace(b'"dwell_s": 1', b'"dwell_s": 1e9999'),
    lambda text, _: text.replace(b'"dwell_s": 1', b'"dwell_s": "1"'),
    lambda text, _: text.replace(b'"search_id": ', b'"search_id": {}, "x": '),
    lambda text, _: text.replace(b'"offset": 0', b'"offset": -1'),
    lambda text, _: text.replace(b'"tags": []', b'"tags": [[]]'),
]


@pytest.mark.parametrize(
    ("further", "faults"),
    [
        ({}, FAULTS),
        (
            {"offset": 0, "tags": [], "conversions": [], "clicks": [
                {"doc_id": "d2", "rank": 2, "dwell_s": 1}]},
            WIDE_FAULTS,
        ),
    ],
)  # fmt: skip
def test_1000_hostile_lines_among_good_ones(
    tmp_path: Path, further: dict[str, Any], faults: list[Callable[[bytes, int], bytes]]
) -> None:
    draw, hostile = random.Random(5), set()
    lines: list[bytes] = []
    for n in range(3000):
        ids = {"search_id": f"{n}"} if further else {}
        good = json.dumps(event(query=f"sort {n}", **ids, **further)).encode()
        if n % 3 == 0:
            hostile.add(n + 1)
            lines.append(draw.choice(faults)(good, n))
        else:
            lines.append(good)
    tally = take(tmp_path, lines)
    assert tally.read == 3000
    assert (tally.accepted, tally.quarantined) == (2000, 1000)
    found = quarantined(tally)
    assert {row["line"] for row in found} == hostile
    assert all(row["reason"] and row["message"] for row in found)


def test_very_long_lines_and_line_ends(tmp_path: Path) -> None:
    query = "x" * 17_000_000
    lines: list[str | bytes] = [
        b"\xef\xbb\xbf" + json.dumps(event()).encode() + b"\r",
        json.dumps(event(query=query)),
        "  " + json.dumps(event(query="c")) + " \t\r",
        json.dumps(event(query="d"))[:-1] + ' , "padding" : "' + query + '" }',
        " " + json.dumps(event(query=query)),
        '{"long": "' + query,
    ]
    tally = take(tmp_path, lines)
    assert (tally.accepted, tally.reasons) == (4, {"bad_json": 1})
    assert tally.duplicate == 1
    lake = Lake(tmp_path / "events")
    assert rows(lake, "SELECT length(query) FROM searches ORDER BY line") == [
        (11,),
        (17_000_000,),
        (1,),
        (1,),
    ]


def test_a_line_of_more_than_20_mb_is_quarantined_unread(tmp_path: Path) -> None:
    tally = take(tmp_path, [event(), event(query="x" * 25_000_000), event(query="after")])
    assert (tally.accepted, tally.reasons) == (2, {"line_too_long": 1})
    (row,) = quarantined(tally)
    assert (row["line"], len(row["raw"])) == (2, 1000)


# Without the search for a simpler example, which takes minutes where each one is an import.
QUICK = [Phase.explicit, Phase.reuse, Phase.generate]
VALUES: st.SearchStrategy[Any] = st.sampled_from(
    [None, True, 0, 1, 2, 2.0, 1.5, -1, 10**9, 10**9 + 1, 2**31 - 1, 10**12, "", "d1", "d9", "2",
     [], ["d1"], [1], [""], {}, False, [None], [{}], [{"doc_id": "d1"}],
     [{"doc_id": "d2", "rank": 2}],
     [{"rank": 1, "timestamp": 1796000000}], [{"doc_id": 5, "x": 1, "rank": 2.0}],
     [{"doc_id": "d1", "dwell_s": 2, "timestamp": "2026-11-30T12:00:00Z"}],
     [{"doc_id": "d1", "value": -1.5, "action": "buy"}], [{"doc_id": "d1", "dwell_s": "2"}],
     1e300, [{"value": 1e300}], "1796000000.5", "1796000000000", 1796000000.25, 10**18,
     "2026-11-30T12:00:00Z", "2026-11-30 12:00:00.123456+01:00", "2026-11-30T12:00:00", "12:00",
     "2026-11-30T12:00+0100", "2026-13-30T12:00:00Z", "\U0001f600", "a\0", "ü"]
)  # fmt: skip
CHANGES = st.dictionaries(
    st.sampled_from([*event(), "event_id", "further", *WIDE_KEYS]), VALUES, min_size=0, max_size=3
)


def _is_valid(line: dict[str, Any]) -> bool:
    try:
        SearchEvent.model_validate_json(json.dumps(line))
    except ValidationError:
        return False
    return "\0" not in str(line.get("further"))


@settings(deadline=None, max_examples=5, phases=QUICK, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(CHANGES, min_size=40, max_size=60))
def test_the_import_accepts_what_a_search_event_accepts(
    tmp_path_factory: pytest.TempPathFactory, changes: list[dict[str, Any]]
) -> None:
    lines = [event(**change) for change in changes]
    tally = take(tmp_path_factory.mktemp("log"), lines, rank_base=1)
    refused = {row["line"] for row in quarantined(tally) if row["reason"] != "conflict"}
    assert refused == {n for n, line in enumerate(lines, 1) if not _is_valid(line)}
    assert tally.read == len(lines)


@settings(deadline=None, max_examples=5, phases=QUICK, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(CHANGES, min_size=40, max_size=60))
def test_plain_and_odd_lines_give_the_same_rows(
    tmp_path_factory: pytest.TempPathFactory, changes: list[dict[str, Any]]
) -> None:
    """A leading space makes every line odd: the same lines take the other way through."""
    lines = [event(**change) for change in changes] + [clicked(n, query="ü") for n in (1, 2, 3)]
    both = []
    for before in ("", " "):
        folder = tmp_path_factory.mktemp("log")
        tally = take(folder, [before + json.dumps(line) for line in lines])
        query = "SELECT * EXCLUDE (date), CAST(date AS VARCHAR) FROM searches ORDER BY line"
        found = [(row["line"], row["reason"], row["message"]) for row in quarantined(tally)]
        counts = (tally.accepted, tally.duplicate, dict(tally.reasons), dict(tally.notes))
        both.append((counts, rows(Lake(folder / "events"), query), found))
    assert both[0] == both[1]
