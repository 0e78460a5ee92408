"""Filling the pool from all sources at once: previewed, recorded, repeated and taken back."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from builder.activity import read_activity
from builder.backup import back_up_to, restore_backup
from builder.curation.edits import retire_query
from builder.curation.merging import merge_queries, preview_merge
from builder.errors import BuilderError, NotAllowedError
from builder.judging.queue import next_pair
from builder.people import ensure_person
from builder.pooling import (
    PoolPlan,
    list_poolings,
    pool,
    preview,
    preview_job,
    record_pooling,
    repeat_job,
    repeat_pooling,
    take_back_pooling,
)
from builder.store.documents import insert_documents
from builder.store.pool import add_pairs, count_pairs, pool_by_source
from builder.store.queries import insert_queries
from builder.store.quota import SYNTHETIC, QuotaRule, apply_rule
from builder.workspace import Workspace
from evals.bm25 import BM25Retriever
from evals.measures import ranked
from evals.records import Document, EvalsError, Query
from evals.retrievers import retriever
from tests.builder.pooling.conftest import DOCUMENTS, QUERIES, grade, held
from tests.evals.conftest import save_tiny_model


def test_the_preview_says_what_then_happens(logged: Workspace) -> None:
    pool(logged, depth=2)
    plan = PoolPlan(depth=8, clicks=2, skipped=2, random=7, budget=9, negatives=0.3, seed=5)
    before = list_poolings(logged)
    shown = preview(logged, plan)
    assert list_poolings(logged) == before
    done = pool(logged, plan=plan)
    assert done == {**shown, "pooling_id": 2}
    # What any source named is there already, added, left out, or cut.
    accounted = done["known"] + done["pairs_added"] + done["cut_by_budget"]
    assert done["candidates"] == accounted + done["dropped"]["hopeless"]
    assert done["pairs_added"] == 9
    assert done["per_query"] == {"min": 3, "median": 3, "max": 3}
    (record, first) = list_poolings(logged)
    assert record.outcome == json.loads(json.dumps(done))
    assert record.pairs == done["pairs_added"] + done["known"]
    assert (record.parameters["seed"], first.parameters["depth"]) == (5, 2)
    entry = read_activity(logged).entries[0]
    assert (entry.action, entry.details["pooling_id"]) == ("pool.add", 2)


def test_what_only_synthesis_named_is_paid_for_as_soon_as_it_is_named(workspace: Workspace) -> None:
    mine = next(iter(BM25Retriever().search(DOCUMENTS, QUERIES[:1], 1)["q1"]))
    with workspace.store.write() as connection:
        apply_rule(connection, QuotaRule(1, 0.0))
        add_pairs(connection, [("q1", mine)], SYNTHETIC)
    plan = PoolPlan(depth=3)
    shown = preview(workspace, plan)
    assert (shown["pairs_added"], shown["known"], shown["opened"]) == (5, 1, 1)
    assert (shown["cost"]["pairs"], shown["sources"][0]["new"]) == (6, 5)
    # The first of each query is paid for, and one of them is in the pool.
    few = preview(workspace, replace(plan, budget=2))
    assert (few["pairs_added"], few["known"], few["opened"], few["cut_by_budget"]) == (1, 1, 1, 4)
    done = pool(workspace, plan=plan)
    assert done == {**shown, "pooling_id": 1}
    again = preview(workspace, plan)
    assert (again["pairs_added"], again["known"], again["opened"]) == (0, 6, 0)
    assert again["cost"]["pairs"] == 0
    take_back_pooling(workspace, 1)
    assert preview(workspace, plan) == shown


def test_bm25_is_what_evaluations_call_bm25(workspace: Workspace) -> None:
    """Ties too, of which there are many here."""
    pool(workspace, depth=7)
    run = BM25Retriever().search(DOCUMENTS, QUERIES, 7)
    for query in QUERIES:
        assert held(workspace, query.query_id) == set(ranked(run[query.query_id]))


@pytest.mark.slow
def test_a_model_in_a_folder(workspace: Workspace, tmp_path: Path) -> None:
    folder = tmp_path / ("long-" * 12)
    model = save_tiny_model(folder, prompts={}, similarity="cosine")
    plan = PoolPlan(retrievers=("bm25", str(model)), depth=3)
    shown = preview(workspace, plan)
    assert pool(workspace, plan=plan) == {**shown, "pooling_id": 1}
    source = next(name for name in shown["by_source"] if name != "bm25")
    assert len(source) == 64
    assert str(model).endswith(source[1:])
    assert shown["by_source"][source] == 9
    run = retriever(str(model)).search(DOCUMENTS, QUERIES, 3)
    assert held(workspace, "q3") == set(run["q3"])  # bm25 finds nothing for q3


def test_which_queries(workspace: Workspace) -> None:
    def asked(**options: Any) -> int:
        return int(preview(workspace, PoolPlan(depth=1, **options))["queries"])

    assert [asked(), asked(tag="sweet"), asked(source="log")] == [3, 1, 1]
    with pytest.raises(BuilderError, match="no active query has the tag 'sour'"):
        asked(tag="sour")
    with pytest.raises(BuilderError, match="no active query has the source 'synthetic'"):
        asked(source="synthetic")
    pool(workspace, depth=1)
    assert asked(only_new=True) == 1  # for q3 bm25 found nothing
    pool(workspace, plan=PoolPlan(random=1))
    none = pool(workspace, plan=PoolPlan(only_new=True))
    assert (none["pooling_id"], none["queries"]) == (None, 0)
    assert none["warnings"] == ["each of these queries has a pair already"]


def test_a_run_file_with_all_that_can_be_wrong(workspace: Workspace, tmp_path: Path) -> None:
    run = tmp_path / "splade.v2.trec"
    rows = ["q1 Q0 d05 1 9.5 s", "q1 Q0 absent 2 9 s", "not a row", "q1 Q0 d04 3 8 s"]
    rows += ["q1 Q0 d05 4 7 s", "zz Q0 d01 1 1 s", "q2 Q0 d01 1 1 s", "q1 Q0 d03 5 x s", "# end"]
    run.write_text("\n".join(rows), encoding="utf-8")
    plan = PoolPlan(retrievers=(), runs=(str(run),), tag="sweet")
    outcome = pool(workspace, plan=plan)
    assert outcome["by_source"] == {"run:splade.v2": 2}
    assert held(workspace) == {"d05", "d04"}
    assert outcome["dropped"] == {
        "run_documents_unknown": 1,
        "run_lines_broken": 2,
        "run_queries_not_asked": 1,
        "run_queries_unknown": 1,
        "run_rows_repeated": 1,
    }
    assert outcome["warnings"] == ["splade.v2.trec: no rows of a run in lines 3, 8"]
    assert list_poolings(workspace)[0].parameters["runs"] == [str(run)]
    run.write_text("nothing", encoding="utf-8")
    with pytest.raises(BuilderError, match="no row in this run file"):
        preview(workspace, plan)
    run.unlink()
    with pytest.raises(EvalsError, match="cannot be read"):
        repeat_pooling(workspace, 1)
    other = (str(tmp_path / "b" / "x.trec"), str(tmp_path / "x.run"))
    (tmp_path / "b").mkdir()
    for name in other:
        Path(name).write_text(rows[0], encoding="utf-8")
    with pytest.raises(BuilderError, match="two run files are called x"):
        preview(workspace, PoolPlan(runs=other))


def test_repeated_it_brings_what_is_new_today(workspace: Workspace) -> None:
    first = pool(workspace, plan=PoolPlan(depth=3, random=2, seed=4))
    again = repeat_pooling(workspace, first["pooling_id"], dry_run=True)
    assert (again["pairs_added"], again["repeats"], again["pooling_id"]) == (0, 1, None)
    with workspace.store.write() as connection:
        insert_documents(connection, [Document("new", "", "pear pear")])
        insert_queries(connection, [Query("q4", "fig")])
    ensure_person(workspace, "boss")
    again = repeat_job(workspace, {"actor": "boss", "pooling_id": 1}, lambda *_: None)
    assert "new" in held(workspace, "q2")
    assert len(held(workspace, "q4")) >= 3
    back = take_back_pooling(workspace, again["pooling_id"])
    assert back["pairs_removed"] == again["pairs_added"]
    assert back["kept"] == {"there_before": again["known"]}
    with pytest.raises(BuilderError, match="no filling 9"):
        repeat_pooling(workspace, 9)


def test_taking_back_what_a_rater_works_on(workspace: Workspace) -> None:
    ensure_person(workspace, "boss")
    ann = ensure_person(workspace, "ann")
    outcome = pool(workspace, depth=3)
    graded = next_pair(workspace, "ann")
    assert graded is not None
    grade(workspace, "ann", graded.pair_id, 2, "t1")
    on_screen = next_pair(workspace, "ann")
    assert on_screen is not None
    with pytest.raises(NotAllowedError):
        take_back_pooling(workspace, 1, ann)
    told = take_back_pooling(workspace, 1, dry_run=True)
    assert list_poolings(workspace)[0].stayed is None
    assert told == take_back_pooling(workspace, 1)
    assert (told["stayed"], list_poolings(workspace)[0].stayed) == (1, 1)
    assert told["kept"] == {"judged": 1}
    assert told["pairs_removed"] == outcome["pairs_added"] - 1
    assert told["leases"] == 1
    assert next_pair(workspace, "ann") is None
    with pytest.raises(BuilderError, match="no pair"):
        grade(workspace, "ann", on_screen.pair_id, 1, "t2")
    pool(workspace, depth=4)
    with pytest.raises(BuilderError, match="no pair"):  # its number is not another pair's now
        grade(workspace, "ann", on_screen.pair_id, 1, "t3")
    assert next_pair(workspace, "ann") is not None
    with pytest.raises(
        BuilderError, match=r"filling 1 was taken back .* at [-0-9]{10} \d\d:\d\d UTC$"
    ):
        take_back_pooling(workspace, 1)
    assert [pooling.stands for pooling in list_poolings(workspace)] == [True, False]
    with workspace.store.read() as connection:
        assert pool_by_source(connection)["bm25"] == count_pairs(connection)


def test_what_adds_nothing_leaves_no_record(workspace: Workspace) -> None:
    first = pool(workspace, depth=3)
    again = pool(workspace, depth=3)
    assert (again["pooling_id"], again["pairs_added"], again["known"]) == (
        None,
        0,
        first["known"] + first["pairs_added"],
    )
    assert again["by_source"] == first["by_source"]
    assert [pooling.pooling_id for pooling in list_poolings(workspace)] == [1]
    # So nothing else holds what the first one brought. Another source of known pairs is new.
    other = pool(workspace, plan=PoolPlan(retrievers=(), random=30, negatives=0))
    assert (other["pooling_id"], other["pairs_added"]) == (2, 0)
    take_back_pooling(workspace, 2)
    back = take_back_pooling(workspace, 1)
    assert (back["pairs_removed"], back["stayed"], back["kept"]) == (first["pairs_added"], 0, {})


def test_who_stops_it_has_added_nothing(workspace: Workspace) -> None:
    class Stopped(Exception):  # noqa: N818
        pass

    def stop(what: str, *_: object) -> None:
        if what == "searching":
            raise Stopped

    with pytest.raises(Stopped):
        pool(workspace, progress=stop)
    with workspace.store.read() as connection:
        assert count_pairs(connection) == 0
    assert list_poolings(workspace) == []


def test_a_query_that_is_retired_while_it_searches(workspace: Workspace) -> None:
    def meddle(what: str, done: int, _: int | None) -> None:
        if what == "searching" and done == 1:
            retire_query(workspace, "q2", None)

    outcome = pool(workspace, progress=meddle)
    assert (outcome["queries"], outcome["dropped"]["queries_retired_meanwhile"]) == (2, 1)
    assert held(workspace, "q2") == set()


def test_a_merged_query_takes_its_pools_along(workspace: Workspace, tmp_path: Path) -> None:
    pool(workspace, plan=PoolPlan(depth=2, tag="sweet"))
    pool(workspace, plan=PoolPlan(depth=2, source="log"))
    copy = back_up_to(workspace, tmp_path / "copy.db").file
    own, others = held(workspace, "q1"), held(workspace, "q2")
    merge_queries(workspace, "q1", "q2", None, preview=preview_merge(workspace, "q1", "q2"))
    assert held(workspace, "q1") == own | others
    take_back_pooling(workspace, 2)
    assert held(workspace, "q1") == own
    take_back_pooling(workspace, 1)
    assert held(workspace, "q1") == set()
    # A copy from before knows both poolings, and they can be taken back in it.
    restore_backup(workspace.root, copy)
    assert held(workspace, "q1") == own
    assert take_back_pooling(workspace, 1)["pairs_removed"] == len(own)


def test_a_record_of_another_kind(workspace: Workspace) -> None:
    with workspace.store.write() as connection:
        named = [("q1", "d01", "holes", 3), ("q1", "d01", "holes", 9)]
        recorded = record_pooling(connection, named, {"kind": "holes"}, {"k": 10}, "terminal")
    assert (recorded.pairs_added, recorded.by_source) == (1, {"holes": 1})
    assert list_poolings(workspace)[0].outcome["k"] == 10
    with pytest.raises(BuilderError, match="filled holes of an evaluation"):
        repeat_pooling(workspace, 1)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"retrievers": ()}, "no source is named"),
        ({"budget": 5, "hours": 1}, "one in hours"),
        ({"negatives": 1.5}, "negatives is 1.5"),
        ({"random": -1}, "random is -1"),
        ({"budget": 0}, "budget is 0"),
        ({"hours": float("nan")}, "budget is nan"),
        ({"hours": float("inf")}, "budget is inf hours, must be a number above 0"),
        ({"depth": 2000}, "at most 1000"),
    ],
)
def test_a_plan_that_makes_no_sense(options: dict[str, Any], message: str) -> None:
    with pytest.raises(BuilderError, match=message):
        PoolPlan(**options).check()


def test_a_plan_as_json() -> None:
    plan = PoolPlan(runs=("a.trec",), hours=2.5, tag="x")
    assert PoolPlan.from_json(json.loads(json.dumps(plan.as_json()))) == plan
    assert PoolPlan.from_json({"retrievers": "bm25"}).retrievers == ("bm25",)
    with pytest.raises(BuilderError, match="knows nothing of dept"):
        PoolPlan.from_json({"dept": 3})


def test_the_preview_is_for_analysts(workspace: Workspace) -> None:
    ensure_person(workspace, "boss")
    ensure_person(workspace, "ann")
    told = preview_job(workspace, {"actor": "boss", "depth": 2, "random": 1}, lambda *_: None)
    assert told["pooling_id"] is None
    with pytest.raises(NotAllowedError):
        preview_job(workspace, {"actor": "ann"}, lambda *_: None)
