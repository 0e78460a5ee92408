"""What users and chance name for the pool, and what of it may be expected to be relevant."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from builder.events import import_search_events
from builder.judging.queue import next_pair
from builder.people import ensure_person
from builder.pooling import PoolPlan, pool, preview
from builder.pooling.contributors import HOPELESS
from builder.store.pool_yield import yields
from builder.workspace import Workspace
from tests.builder.pooling.conftest import event, grade, held
from tests.online.logs import flag


def of_source(outcome: dict[str, Any], name: str) -> dict[str, Any]:
    return next(source for source in outcome["sources"] if source["source"] == name)


def test_what_users_clicked_and_what_they_passed_over(logged: Workspace) -> None:
    plan = PoolPlan(retrievers=(), clicks=3, skipped=3)
    outcome = pool(logged, plan=plan)
    # d07: 8 clicks. d20 stood above all 12 clicks and has none. The corpus lacks "gone".
    assert held(logged) == {"d07", "d20"}
    assert outcome["by_source"] == {"clicks": 1, "skipped": 1}
    assert outcome["dropped"]["clicks_not_in_corpus"] == 1
    assert of_source(outcome, "clicks")["queries_without"] == 2
    assert not of_source(outcome, "skipped")["expects_relevant"]
    seldom = PoolPlan(retrievers=(), clicks=3, least_impressions=13)
    assert preview(logged, seldom)["candidates"] == 0


def test_flagged_sessions_click_nothing_for_the_pool(logged: Workspace) -> None:
    flag(logged.lake, *(f"s{n}" for n in range(200)))
    outcome = preview(logged, PoolPlan(retrievers=(), clicks=3, skipped=3))
    assert outcome["candidates"] == outcome["flagged"]["counted"] == 0
    assert outcome["flagged"]["left_out"] > 0
    assert preview(logged, PoolPlan())["flagged"] == {}


def test_what_was_passed_over_too_seldom_to_be_sure_is_counted(
    workspace: Workspace, tmp_path: Path
) -> None:
    """d20 is passed over five times without a click: 5 x 15/20 expected, at most 17.08 / 13.75."""
    lines = [event("d07", 2, n, ("d20", "d07")) for n in range(5)]
    lines += [event("d02", 1, n, ("d02", "d03"), "plum") for n in range(5, 20)]
    log = tmp_path / "log.jsonl"
    log.write_text("\n".join(lines), encoding="utf-8")
    import_search_events(workspace, log, "terminal")
    outcome = preview(workspace, PoolPlan(retrievers=(), skipped=3))
    assert (outcome["candidates"], outcome["dropped"]["skipped_unsure"]) == (0, 1)


def test_a_log_that_knows_none_of_the_queries_is_told(workspace: Workspace) -> None:
    outcome = preview(workspace, PoolPlan(clicks=3))
    assert "the search log knows none of these queries" in outcome["warnings"]


def test_what_is_expected_comes_from_grades(workspace: Workspace) -> None:
    ensure_person(workspace, "boss")
    pool(workspace, plan=PoolPlan(depth=6, tag="sweet"))
    reason = preview(workspace, PoolPlan())["expected"]["share_relevant"]["reason"]
    assert reason == "no_grades_of_these_sources"
    for n in range(6):
        pair = next_pair(workspace, "boss")
        assert pair is not None
        grade(workspace, "boss", pair.pair_id, min(n, 1), f"t{n}")
    share = preview(workspace, PoolPlan())["expected"]["share_relevant"]
    assert (share["value"], share["n"]) == (pytest.approx(5 / 6), 6)


@pytest.mark.parametrize("n", [2, 30])
def test_what_bm25_found_tells_nothing_of_chance(workspace: Workspace, n: int) -> None:
    """However much is drawn: here all graded pairs of bm25 are relevant, and chance names them."""
    ensure_person(workspace, "boss")
    pool(workspace, plan=PoolPlan(depth=6, tag="sweet"))
    for number in range(6):
        pair = next_pair(workspace, "boss")
        assert pair is not None
        grade(workspace, "boss", pair.pair_id, 3, f"t{number}")
    chance = PoolPlan(retrievers=(), random=n, negatives=1, tag="sweet")
    told = preview(workspace, chance)["expected"]
    assert told["share_relevant"]["value"] is None
    assert told["share_relevant"]["reason"] == "no_grades_of_these_sources"
    assert told["why"].startswith("too few graded pairs are on record as named by random")
    pool(workspace, plan=chance)
    assert (
        preview(workspace, replace(chance, seed=1))["expected"]["share_relevant"]["value"] is None
    )
    with workspace.store.read() as connection:
        assert [found.source for found in yields(connection, HOPELESS)] == ["bm25"] * 6
    # What chance alone brought and people graded does tell.
    if n < 30:
        return
    for number in range(5):
        pair = next_pair(workspace, "boss")
        assert pair is not None
        grade(workspace, "boss", pair.pair_id, int(number == 0), f"u{number}")
    share = preview(workspace, replace(chance, tag=None))["expected"]["share_relevant"]
    assert (share["value"], share["n"]) == (pytest.approx(1 / 5), 5)
