"""UBI logs on their way into the lake: what was shown, who counts from 0, nothing lost."""

from pathlib import Path
from typing import Any

import pytest

from online.lake import Lake
from online.tally import EventTally
from tests.online.logs import quarantined, rows, take
from tests.online.ubi_logs import bulk, happened, query

UNLISTED = query(query_response_hit_ids=None)


def imported(folder: Path, *records: Any, **options: Any) -> EventTally:
    tally = take(folder, records, **options)
    assert isinstance(tally, EventTally)
    return tally


def results(folder: Path) -> list[Any]:
    found = rows(
        Lake(folder / "events"),
        "SELECT retrieved_doc_ids, results_offset, n_results, results_joined FROM searches",
    )
    assert len(found) == 1
    return list(found[0])


def shown(*places: tuple[str, int], **changes: Any) -> list[dict[str, Any]]:
    return [happened("impression", doc_id, ordinal, **changes) for doc_id, ordinal in places]


def test_every_record_leaves_a_trace(tmp_path: Path) -> None:
    records = [
        query(),
        query(timestamp="2026-11-30T12:00:01Z"),
        happened("impression", "d1", 1),
        happened("click", "d2", 2),
        happened("purchase", "d2", 2),
        happened("search", query_id=None),
        happened("click", None, 3, query_id="unknown"),
    ]
    tally = imported(tmp_path, *bulk(*records))
    assert (tally.read, tally.accepted) == (7, 7)
    traces = """SELECT COUNT(DISTINCT row_key) FROM (
        SELECT row_key FROM searches UNION ALL SELECT row_key FROM interactions)"""
    assert rows(Lake(tmp_path / "events"), traces) == [(7,)]
    again = imported(tmp_path, *bulk(*records))
    assert (again.accepted, again.duplicate) == (0, 7)


def test_a_click_counts_for_its_search(tmp_path: Path) -> None:
    imported(tmp_path, happened("click", "d2", 2), query())
    found = rows(
        Lake(tmp_path / "events"),
        "SELECT query, n_clicks, best_click_rank, best_click_position, session_id FROM searches",
    )
    assert found == [("green tea", 1, 2, 2, "s1")]


def test_what_was_shown_stands_for_results_that_are_not_told(tmp_path: Path) -> None:
    imported(tmp_path, UNLISTED, *shown(("d2", 2), ("d1", 1), ("d4", 4)))
    assert results(tmp_path) == [["d1", "d2", None, "d4"], None, 3, True]


def test_a_list_belongs_to_its_query_where_an_id_is_used_on_while_typing(tmp_path: Path) -> None:
    typed = query(user_query="green te", query_response_hit_ids=["d7", "d8", "d9", "d10"])
    imported(tmp_path, typed, query(timestamp="2026-11-30T12:00:01Z", user_query="Green tea "))
    assert results(tmp_path) == [["d1", "d2", "d3"], None, 3, None]
    second = query(timestamp="2026-11-30T12:00:02Z", query_response_hit_ids=["d4"])
    imported(tmp_path, second | {"query_attributes": {"from": 3}})
    assert results(tmp_path) == [["d1", "d2", "d3", "d4"], None, 4, None]


def test_results_that_are_told_stay(tmp_path: Path) -> None:
    imported(tmp_path, query(), *shown(("d9", 1)))
    assert results(tmp_path) == [["d1", "d2", "d3"], None, 3, None]


def test_a_later_page_is_shown_behind_what_stands_before_it(tmp_path: Path) -> None:
    imported(tmp_path, UNLISTED, *shown(("d12", 12), ("d11", 11)), happened("click", "d12", 12))
    assert results(tmp_path) == [["d11", "d12"], 10, 2, True]
    found = rows(
        Lake(tmp_path / "events"), "SELECT best_click_rank, best_click_position FROM searches"
    )
    assert found == [(12, 2)]


@pytest.mark.parametrize("first", [0, 1, 2])
def test_it_makes_no_difference_in_which_order_they_come(tmp_path: Path, first: int) -> None:
    parts = [[UNLISTED], shown(("d1", 1)), [*shown(("d2", 2)), happened("click", "d2", 2)]]
    for part in parts[first:] + parts[:first]:
        imported(tmp_path, *part)
    assert results(tmp_path) == [["d1", "d2"], None, 2, True]


def test_told_results_replace_what_was_shown_whenever_they_come(tmp_path: Path) -> None:
    imported(tmp_path, UNLISTED, *shown(("d9", 3)))
    imported(tmp_path, query(timestamp="2026-11-30T12:00:01Z"))
    assert results(tmp_path) == [["d1", "d2", "d3"], None, 3, None]


def test_of_two_documents_at_one_rank_the_first_counts(tmp_path: Path) -> None:
    late = shown(("d1", 1), timestamp="2026-11-30T12:00:09Z")
    imported(tmp_path, UNLISTED, *late, *shown(("d2", 1)))
    assert results(tmp_path) == [["d2"], None, 1, True]


def test_a_rank_out_of_reach_and_one_that_is_absent_show_nothing(tmp_path: Path) -> None:
    imported(tmp_path, UNLISTED, *shown(("d1", 1), ("d2", 1_000_000)), happened("impression", "d3"))
    assert results(tmp_path) == [["d1"], None, 1, True]


def test_who_counts_from_0_is_remembered(tmp_path: Path) -> None:
    imported(tmp_path, query(), happened("impression", "d1", 0), happened("click", "d2", 1))
    later = imported(tmp_path, happened("click", "d3", 2))
    assert later.applications["shop"]["rank_base"] == 0
    other = imported(tmp_path, happened("click", "d3", 2, application="docs", client_id="c2"))
    assert other.applications["docs"]["rank_base"] == 1
    found = rows(
        Lake(tmp_path / "events"),
        "SELECT doc_id, rank FROM interactions WHERE kind = 'click' ORDER BY ALL",
    )
    assert found == [("d2", 2), ("d3", 2), ("d3", 3)]
    assert Lake(tmp_path / "events").manifest().rank_bases == {"shop": 0, "docs": 1}


def test_a_rank_base_that_is_told_moves_ranks_once(tmp_path: Path) -> None:
    imported(tmp_path, query(), happened("click", "d2", 1), rank_base=0)
    found = rows(Lake(tmp_path / "events"), "SELECT best_click_rank FROM searches")
    assert found == [(2,)]


def test_what_is_wrong_goes_into_quarantine_as_it_stood(tmp_path: Path) -> None:
    bad = happened("click", 1.5, 1)
    tally = imported(tmp_path, *bulk(query(), bad), '{"action_name": "cli')
    assert (tally.read, tally.accepted, tally.quarantined) == (3, 1, 2)
    assert tally.reasons == {"bad_click": 1, "bad_json": 1}
    first, second = quarantined(tally)
    assert (first["line"], second["line"]) == (4, 5)
    assert "object_id is 1.5" in first["message"]
    assert second["raw"] == '{"action_name": "cli'


def test_times_are_read_as_they_are_written(tmp_path: Path) -> None:
    stamps: list[Any] = ["2026-11-30T12:00:00+0000", 1796040000000, "1796040000000"]
    records = [query(query_id=f"q{n}", timestamp=stamp) for n, stamp in enumerate(stamps)]
    naive = query(query_id="q9", timestamp="2026-11-30T12:00:00")
    tally = imported(tmp_path, *records, naive, query(query_id="q8", timestamp="soon"))
    assert tally.reasons == {"naive_timestamp": 1, "bad_timestamp": 1}
    assert rows(Lake(tmp_path / "events"), "SELECT DISTINCT epoch(timestamp) FROM searches") == [
        (1796040000.0,)
    ]
