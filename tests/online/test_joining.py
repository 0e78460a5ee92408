"""Rows that tell of one search, in one log or in several, in whatever order they come."""

import json
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from online.lake import Lake
from online.report import report
from tests.online.logs import LISTED, clicked, event, rows, take

NOON, LATER, MUCH_LATER = (f"2026-11-30T12:{minute}:00Z" for minute in ("00", "05", "50"))


def later(**told: Any) -> dict[str, Any]:
    """A row without a query, five minutes after that of `event`."""
    return {"timestamp": LATER, "search_id": "A"} | told


def click(doc_id: str = "d2", rank: int | None = 2, **more: Any) -> dict[str, Any]:
    """A row that tells a click of search A."""
    return later(clicks=[{"doc_id": doc_id, "rank": rank} | more])


def one(folder: Path, columns: str, table: str = "searches") -> tuple[Any, ...]:
    """The only row there is."""
    (row,) = rows(Lake(folder / "events"), f"SELECT {columns} FROM {table}")  # noqa: S608
    return row


def test_a_click_joins_its_search_in_the_same_log(tmp_path: Path) -> None:
    tally = take(tmp_path, [event(search_id="A"), click(dwell_s=31.5), click("d1", 1)])
    assert (tally.accepted, tally.quarantined, tally.notes) == (3, 0, {})
    assert one(
        tmp_path,
        "n_clicks, n_ranked_clicks, n_top_clicks, best_click_rank, first_click_rank, "
        "best_click_doc_id, best_click_position, dwell_s, first_click_s",
    ) == (2, 2, 2, 1, 1, "d1", 1, 31.5, 300.0)
    clicks = rows(
        Lake(tmp_path / "events"),
        "SELECT doc_id, rank, position, joined, session_id, model_version, "
        "epoch(occurred_at - timestamp) FROM interactions ORDER BY rank",
    )
    assert clicks == [
        ("d1", 1, 1, True, "s1", "bm25", 300.0),
        ("d2", 2, 2, True, "s1", "bm25", 300.0),
    ]


def test_a_click_joins_a_search_of_the_lake_and_its_day_is_written_again(tmp_path: Path) -> None:
    others = [event(query=f"other {n}") for n in range(3)]
    take(tmp_path, [event(search_id="A"), clicked(1, query="clicked"), *others])
    after_midnight = click() | {"timestamp": "2026-12-01T00:10:00Z"}
    tally = take(tmp_path, [after_midnight])
    assert (tally.accepted, tally.notes) == (1, {})
    lake = Lake(tmp_path / "events")
    assert rows(lake, "SELECT count(*), sum(n_clicks), count(DISTINCT date) FROM searches") == [
        (5, 2, 1)
    ]
    assert rows(lake, "SELECT count(*), count(DISTINCT date) FROM interactions") == [(2, 1)]
    assert take(tmp_path, [after_midnight]).duplicate == 1
    assert rows(lake, "SELECT count(*) FROM interactions") == [(2,)]


def test_a_click_waits_for_its_search(tmp_path: Path) -> None:
    after_midnight = click() | {"timestamp": "2026-12-01T00:10:00Z"}
    tally = take(tmp_path, [after_midnight])
    assert (tally.accepted, tally.notes) == (1, {"without_search": 1})
    assert one(tmp_path, "joined, model_version, CAST(date AS VARCHAR)", "interactions") == (
        False, None, "2026-12-01",
    )  # fmt: skip
    assert take(tmp_path, [after_midnight]).duplicate == 1
    assert take(tmp_path, [event(search_id="A")]).notes == {}
    assert one(tmp_path, "joined, model_version, CAST(date AS VARCHAR)", "interactions") == (
        True, "bm25", "2026-11-30",
    )  # fmt: skip
    assert one(tmp_path, "n_clicks, first_click_s") == (1, 43_800.0)


def test_pages_are_merged_by_rank_and_the_latest_wins(tmp_path: Path) -> None:
    second = event(search_id="A", timestamp=LATER, offset=7, retrieved_doc_ids=["e8", "e9"])
    first_again = event(
        search_id="A", timestamp=MUCH_LATER, retrieved_doc_ids=["f1", "f2"],
        model_version="bm25", tags=["again"],
    )  # fmt: skip
    tally = take(tmp_path, [second, event(search_id="A"), click("e9", 9), first_again])
    assert tally.notes == {"repeated_search_id": 2}
    known = ["f1", "f2", "d3", "d4", "d5", None, None, "e8", "e9"]
    assert one(
        tmp_path, "retrieved_doc_ids, n_results, results_offset, best_click_position, tags"
    ) == (known, 7, None, 9, ["again"])
    assert one(tmp_path, "epoch(last_row_at - timestamp), epoch(active_until - timestamp)") == (
        3000.0, 3000.0,
    )  # fmt: skip
    kinds = rows(Lake(tmp_path / "events"), "SELECT kind FROM interactions ORDER BY kind")
    assert kinds == [("click",), ("page",), ("page",), ("page",)]


def test_a_page_that_begins_behind_others_keeps_its_offset(tmp_path: Path) -> None:
    row = event(search_id="A", offset=10, clicks=[{"doc_id": "d2", "rank": 12}])
    assert take(tmp_path, [row]).notes == {}
    assert one(tmp_path, "results_offset, best_click_rank, best_click_position, n_results") == (
        10, 12, 2, 5,
    )  # fmt: skip


def test_an_offset_out_of_reach_does_not_fill_the_memory(tmp_path: Path) -> None:
    far = event(search_id="A", timestamp=LATER, offset=10**9)
    tally = take(tmp_path, [event(search_id="A"), far])
    assert tally.notes == {"repeated_search_id": 1, "page_out_of_reach": 1}
    assert one(tmp_path, "len(retrieved_doc_ids), n_results") == (5, 5)


def test_another_query_under_one_id_is_noted(tmp_path: Path) -> None:
    changed = event(search_id="A", timestamp=LATER, query="sort a tuple")
    assert take(tmp_path, [event(search_id="A"), changed]).notes == {
        "repeated_search_id": 1, "query_changed": 1,
    }  # fmt: skip
    assert one(tmp_path, "query") == ("sort a tuple",)


def test_several_clicks_of_one_row(tmp_path: Path) -> None:
    row = event(
        clicked_doc_id="d4", click_rank=4, dwell_s=2,
        clicks=[{"doc_id": "d2", "rank": 2, "timestamp": LATER}, {"doc_id": "elsewhere"}],
        conversions=[{"doc_id": "d2", "value": 19.9, "action": "buy"}, {"value": 0.1}],
        impressions=[{"doc_id": "d1", "rank": 1}], user_id="u1",
    )  # fmt: skip
    tally = take(tmp_path, [row])
    assert tally.notes == {"off_list": 1, "click_without_rank": 1}
    assert one(
        tmp_path,
        "n_clicks, n_ranked_clicks, best_click_rank, first_click_rank, n_conversions, "
        "conversion_value, dwell_s, user_id, row_key",
    ) == (3, 2, 2, 2, 2, 20.0, 2.0, "u1", None)
    kinds = rows(
        Lake(tmp_path / "events"),
        "SELECT kind, count(*), max(action) FROM interactions GROUP BY kind ORDER BY kind",
    )
    assert kinds == [("click", 3, None), ("conversion", 2, "buy"), ("impression", 1, None)]
    assert take(tmp_path, [row]).duplicate == 1


def test_what_happened_without_a_search_is_kept(tmp_path: Path) -> None:
    scrolled = {"timestamp": NOON, "action": "scroll", "session_id": "s9", "depth": 5}
    nameless = later(action="click", clicks=[{"rank": 3}])
    tally = take(tmp_path, [scrolled, nameless, event(search_id="A"), {**scrolled, "depth": 6}])
    assert tally.accepted == 4
    assert tally.notes == {"no_search_id": 2, "click_without_document": 1, "further_keys": 2}
    found = rows(
        Lake(tmp_path / "events"),
        "SELECT kind, action, rank, joined, session_id, extra FROM interactions ORDER BY extra",
    )
    assert found == [
        ("other", "scroll", None, False, "s9", '{"depth":5}'),
        ("other", "scroll", None, False, "s9", '{"depth":6}'),
        ("click", "click", 3, True, "s1", None),
    ]
    assert take(tmp_path, [scrolled]).duplicate == 1


def test_an_event_id_is_one_event_wherever_it_is_kept(tmp_path: Path) -> None:
    first = take(tmp_path, [event(search_id="A", event_id="e1"), click() | {"event_id": "e2"}])
    assert first.accepted == 2
    lines = [
        click() | {"event_id": "e2"},
        click("d3", 3) | {"event_id": "e2"},
        event(event_id="e2"),
        click("d3", 3) | {"event_id": "e1"},
        event(search_id="A", event_id="e1"),
    ]
    again = take(tmp_path, lines)
    assert (again.accepted, again.duplicate, again.reasons) == (0, 2, {"conflict": 3})


def test_a_search_takes_its_session_from_what_happened_in_it(tmp_path: Path) -> None:
    take(tmp_path, [event(search_id="A", session_id=None)])
    assert one(tmp_path, "session_given, starts_with(session_id, 'search:')") == (False, True)
    take(tmp_path, [click() | {"session_id": "s9"}])
    assert one(tmp_path, "session_id, session_given, session_joined") == ("s9", True, True)
    own = event(search_id="A", session_id="s1", timestamp=MUCH_LATER)
    take(tmp_path, [own])
    assert one(tmp_path, "session_id, session_given, session_joined") == ("s1", True, None)
    assert rows(Lake(tmp_path / "events"), "SELECT DISTINCT session_id FROM interactions") == [
        ("s1",)
    ]


def test_sessions_of_users_change_where_a_late_search_joins_them(tmp_path: Path) -> None:
    def searched(minute: int) -> dict[str, Any]:
        return event(
            timestamp=f"2026-11-30T12:{minute:02}:00Z", user_id="u", session_id=None,
            query=str(minute), search_id=str(minute), clicks=[{"doc_id": "d1", "rank": 1}],
        )  # fmt: skip

    take(tmp_path, [searched(0), searched(50)])
    lake = Lake(tmp_path / "events")
    counted = "SELECT count(DISTINCT session_id) FROM "
    assert rows(lake, counted + "searches") == [(2,)]
    take(tmp_path, [searched(25)])
    assert rows(lake, counted + "searches") == [(1,)]
    assert rows(lake, counted + "interactions") == [(1,)]
    assert rows(lake, "SELECT count(*) FROM interactions") == [(3,)]


@pytest.mark.parametrize("before", ["", " "])
def test_times_in_numbers_are_read_by_their_size(tmp_path: Path, before: str) -> None:
    stamps = [
        1_796_040_000, "1796040000", 1_796_040_000.5, 1_796_040_000_500, "1796040000500",
        1_796_040_000_500_000, 1_796_040_000_500_000_000,
    ]  # fmt: skip
    lines = [event(timestamp=stamp, query=f"q{n}") for n, stamp in enumerate(stamps)]
    tally = take(tmp_path, [before + json.dumps(line) for line in lines])
    assert tally.notes == {
        "epoch_seconds": 3, "epoch_milliseconds": 2, "epoch_microseconds": 1,
        "epoch_nanoseconds": 1,
    }  # fmt: skip
    since = "SELECT epoch(timestamp) - 1796040000 FROM searches ORDER BY line"
    halves = rows(Lake(tmp_path / "events"), since)
    assert halves == [(0,), (0,), (0.5,), (0.5,), (0.5,), (0.5,), (0.5,)]


def test_ranks_in_lists_are_shifted_where_all_agree(tmp_path: Path) -> None:
    told = [event(search_id=f"{n}", session_id=f"s{n}", offset=n % 2 * 10) for n in range(30)]
    told += [
        later(search_id=f"{n}", clicks=[{"doc_id": LISTED[n % 4], "rank": n % 4 + n % 2 * 10}])
        for n in range(30)
    ]
    tally = take(tmp_path, told)
    assert tally.notes == {"ranks_shifted": 30}
    wrong = "SELECT count(*) FROM interactions WHERE rank % 10 <> position"
    assert rows(Lake(tmp_path / "events"), wrong) == [(0,)]


def test_a_row_with_rank_0_in_its_lists_is_quarantined_where_logs_count_from_1(
    tmp_path: Path,
) -> None:
    lines = [event(search_id="A", clicks=[{"doc_id": "d1", "rank": 0}]), click("d2", 2)]
    tally = take(tmp_path, lines)
    assert (tally.accepted, tally.reasons) == (1, {"bad_rank": 1})
    assert tally.notes == {"without_search": 1}


def test_old_rows_are_quarantined_without_their_text(tmp_path: Path) -> None:
    old = [event(timestamp="2001-01-01T00:00:00Z", query="secret"), click(timestamp="yesterday")]
    tally = take(tmp_path, [*old, event(timestamp="2999-01-01T00:00:00Z")], keep_days=30)
    assert (tally.accepted, tally.reasons["beyond_retention"]) == (1, 1)
    assert tally.quarantine_file is not None
    assert "secret" not in tally.quarantine_file.read_text()


IDS = st.sampled_from(["A", "B", "C"])
TIMES = st.sampled_from(
    [f"2026-11-{day}T{hour}:{minute:02}:00Z"
     for day, hour in ((29, 23), (30, 0), (30, 1)) for minute in range(0, 60, 7)]
)  # fmt: skip
THINGS = st.lists(
    st.fixed_dictionaries(
        {"doc_id": st.sampled_from([*LISTED, "d9"])},
        optional={"rank": st.integers(1, 12), "timestamp": TIMES, "dwell_s": st.integers(0, 99)},
    ),
    min_size=1, max_size=3,
)  # fmt: skip
GAINS = st.lists(st.fixed_dictionaries({"value": st.floats(0, 9)}), min_size=1, max_size=2)
SEARCHED = st.fixed_dictionaries(
    {
        "timestamp": TIMES,
        "query": st.sampled_from(["q1", "q2"]),
        "model_version": st.sampled_from(["bm25", "minilm"]),
    },
    optional={
        "retrieved_doc_ids": st.permutations(LISTED).map(lambda listed: listed[:3]),
        "search_id": IDS,
        "session_id": st.sampled_from(["s1", "s2"]),
        "user_id": st.sampled_from(["u1", "u2"]),
        "offset": st.sampled_from([0, 2, 6]),
        "tags": st.just(["t"]),
        "total_hits": st.integers(0, 9),
        "latency_ms": st.floats(0, 9),
        "conversions": st.just([]),
        "clicks": THINGS,
        "impressions": THINGS,
        "further": st.integers(0, 2),
    },
).map(lambda row: row if "retrieved_doc_ids" in row else row | {"results_logged": False})
TOLD = st.fixed_dictionaries(
    {"timestamp": TIMES, "search_id": IDS},
    optional={"session_id": st.sampled_from(["s1", "s3"]), "user_id": st.just("u1")},
).flatmap(
    lambda row: st.one_of(
        THINGS.map(lambda things: row | {"clicks": things}),
        THINGS.map(lambda things: row | {"impressions": things}),
        GAINS.map(lambda gains: row | {"conversions": gains}),
        st.just(row | {"action": "scroll"}),
    )
)


def _made_of(folder: Path, logs: list[list[dict[str, Any]]]) -> tuple[Any, ...]:
    """What the lake holds and says after these logs, but for the numbers of lines."""
    folder.mkdir()
    accepted = sum(take(folder, log, rank_base=1).accepted for log in logs)
    lake = Lake(folder / "events")
    searches = "SELECT * EXCLUDE (line, date), CAST(date AS VARCHAR) FROM searches ORDER BY ALL"
    interactions = (
        "SELECT * EXCLUDE (extra, date), CAST(date AS VARCHAR), json_merge_patch(coalesce(extra, "
        "'{}'), '{\"line\":null}') FROM interactions ORDER BY ALL"
    )
    return accepted, rows(lake, searches), rows(lake, interactions), report(lake)


@settings(
    deadline=None, max_examples=3, suppress_health_check=[HealthCheck.too_slow],
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
)  # fmt: skip
@given(st.lists(SEARCHED | TOLD, min_size=5, max_size=25), st.randoms(use_true_random=False))
def test_any_order_in_any_number_of_logs_gives_the_same_lake(
    tmp_path_factory: pytest.TempPathFactory, lines: list[dict[str, Any]], chance: random.Random
) -> None:
    folder = tmp_path_factory.mktemp("lakes")
    known = _made_of(folder / "whole", [lines])
    mixed = chance.sample(lines, len(lines))
    cuts = sorted(chance.sample(range(len(lines) + 1), 2))
    logs = [mixed[: cuts[0]], mixed[cuts[0] : cuts[1]], mixed[cuts[1] :]]
    repeated = chance.sample(lines, 2)  # what comes again changes nothing
    assert _made_of(folder / "parts", [log + repeated for log in logs]) == known
