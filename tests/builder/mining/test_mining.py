"""From the log into the workspace and back: drawn, known, left out, repeated, taken back."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from builder.activity import Wanted, read_activity
from builder.curation import QueryContent, add_query, edit_query, retire_query
from builder.errors import BuilderError, NotAllowedError
from builder.mining import (
    Sampling,
    list_samplings,
    mine,
    mine_job,
    repeat,
    sample_of,
    take_back_sampling,
)
from builder.people import add_person, ensure_person
from builder.store.documents import count_documents
from builder.store.judgments import ImportedJudgment, import_judgments_batch
from builder.store.people import add_person as store_person
from builder.store.pool import add_pairs
from builder.store.queries import count_queries, iterate_queries
from builder.workspace import Workspace, init_workspace
from evals.records import Query
from online.engines import Choice
from tests.online.logs import lake_of
from tests.workspaces import copied

TRAFFIC = {
    "sort a list": 40, "read a file": 20, "open csv": 12, "Sort a List!": 8, "parse json": 6,
    "what is a tuple": 5, "listing": 4, "dict": 3, "mail bob@example.com": 1, "": 1,
}  # fmt: skip


def searches(traffic: dict[str, int], **more: Any) -> list[dict[str, Any]]:
    return [
        {"query": query, "session_id": f"{query} {place // 2}", "n_clicks": place % 2, **more}
        for query, n in traffic.items()
        for place in range(n)
    ]


def _filled(folder: Path) -> Workspace:
    opened = init_workspace(folder, "w")
    lake_of(folder, searches(TRAFFIC))
    return opened


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    """100 searches for ten queries."""
    with copied(_filled, tmp_path / "w") as opened:
        yield opened


def stored(workspace: Workspace) -> dict[str, Query]:
    with workspace.store.read() as connection:
        return {query.text: query for query in iterate_queries(connection)}


def texts(outcome: dict[str, Any]) -> set[str]:
    return {query["text"] for query in outcome["sample"]}


def test_a_sample_of_strata(workspace: Workspace) -> None:
    """The eligible searches are 98: head are 40 + 20 (40 < 49), torso 12 + 8 (78.4 is not reached).

    parse json begins at 80 of 98, behind .8. Of each stratum two are drawn: 2 of 2, 2 of 2, 2 of 4.
    """
    outcome = mine(workspace, Sampling(limit=6))
    queries = outcome["queries"]
    assert queries["dropped"] == {"empty": 1, "personal_data": 1}
    assert queries["seen"] == queries["eligible"] + sum(queries["dropped"].values()) == 10
    assert (queries["sampled"], queries["new"], queries["known"]) == (6, 6, 0)
    assert outcome["personal_data"] == {
        "handling": "drop", "queries": 1, "searches": 1, "by_kind": {"email": 1},
    }  # fmt: skip
    told = [
        (
            row["stratum"],
            row["queries"],
            row["searches"],
            row["sampled"],
            row["inclusion_probability"],
        )
        for row in outcome["strata"]
    ]
    assert told == [("head", 2, 60, 2, 1.0), ("torso", 2, 20, 2, 1.0), ("tail", 4, 18, 2, 0.5)]
    sampled = sum(TRAFFIC[text] for text in texts(outcome))
    assert outcome["traffic"] == {
        "searches": 100, "eligible_searches": 98, "sampled_searches": sampled,
        "share": sampled / 100,
    }  # fmt: skip
    assert sum(query["weight"] for query in outcome["sample"]) == 8
    first = outcome["sample"][0]
    assert (first["text"], first["searches"], first["sessions"]) == ("sort a list", 40, 20)
    there = stored(workspace)
    assert set(there) == texts(outcome)
    assert {query.source for query in there.values()} == {"log"}
    assert there["sort a list"].query_id == first["query_id"]


def test_a_greater_limit_keeps_the_sample_and_the_ids(workspace: Workspace) -> None:
    small = mine(workspace, Sampling(limit=3, seed=5))
    large = mine(workspace, Sampling(limit=6, seed=5))
    assert texts(small) < texts(large)
    assert large["queries"] | {"known": 3, "new": 3} == large["queries"]
    assert stored(workspace).keys() == texts(large)


def test_a_dry_run_and_the_same_again_write_nothing(workspace: Workspace) -> None:
    dry = mine(workspace, Sampling(limit=4), dry_run=True)
    assert (dry["sampling_id"], dry["unchanged"], stored(workspace)) == (None, None, {})
    drawn = mine(workspace, Sampling(limit=4))
    again = mine(workspace, Sampling(limit=4))
    assert (drawn["sampling_id"], again["sampling_id"], again["unchanged"]) == (1, None, 1)
    assert texts(dry) == texts(drawn) == texts(again)
    assert len(list_samplings(workspace)) == 1
    entries = read_activity(workspace, Wanted(kind="sampling")).entries
    assert [(entry.action, entry.subject) for entry in entries] == [("sampling.draw", "1")]


def test_known_queries_keep_their_source_and_retired_ones_say_so(workspace: Workspace) -> None:
    add_query(workspace, QueryContent("SORT a list"), None)
    add_query(workspace, QueryContent("Read a file"), None)
    retire_query(workspace, stored(workspace)["Read a file"].query_id, None)
    outcome = mine(workspace, Sampling(limit=8))
    queries = outcome["queries"]
    assert (queries["known"], queries["retired"], queries["new"]) == (2, 1, 6)
    known = {query["text"]: query["retired"] for query in outcome["sample"] if query["known"]}
    assert known == {"sort a list": False, "read a file": True}
    assert stored(workspace)["SORT a list"].source == "manual"
    assert any("1 were retired" in warning for warning in outcome["warnings"])
    (drawn,) = [one for one in sample_of(workspace, 1) if one["text"] == "SORT a list"]
    assert (drawn["searches"], drawn["new"]) == (40, False)


def test_near_duplicates_are_one_where_that_is_asked_for(workspace: Workspace) -> None:
    """sort a list and Sort a List! are one, of 48 searches."""
    outcome = mine(workspace, Sampling(merge_near=True))
    queries = outcome["queries"]
    assert queries["merged"] == queries["dropped"]["merged"] == 1
    assert queries["seen"] == queries["eligible"] + sum(queries["dropped"].values())
    first = outcome["sample"][0]
    assert first["variants"] == [["sort a list", 40], ["Sort a List!", 8]]
    assert (first["searches"], first["sessions"]) == (48, 24)


def test_personal_data_is_masked_or_kept(workspace: Workspace) -> None:
    masked = mine(workspace, Sampling(personal="mask"))
    assert "mail [email]" in texts(masked)
    assert masked["queries"]["masked"] == 1
    assert not any("bob@" in str(query) for query in masked["sample"])
    kept = mine(workspace, Sampling(personal="keep"), dry_run=True)
    assert "mail bob@example.com" in texts(kept)
    assert (kept["personal_data"]["queries"], kept["queries"]["masked"]) == (1, 0)


def test_few_sessions(workspace: Workspace) -> None:
    """Two searches a session: 12 searches are 6 sessions, 8 are 4."""
    outcome = mine(workspace, Sampling(min_sessions=5), dry_run=True)
    assert texts(outcome) == {"sort a list", "read a file", "open csv"}
    assert outcome["queries"]["dropped"] == {"empty": 1, "personal_data": 1, "few_sessions": 5}


def test_classes_that_hold_nothing_are_told(workspace: Workspace) -> None:
    outcome = mine(workspace, Sampling(by="class", method="traffic", limit=5), dry_run=True)
    found = {row["stratum"]: row["queries"] for row in outcome["strata"]}
    assert found == {"question": 1, "keyword": 7, "with_number": 0, "long": 0}
    for name in ("with_number", "long"):
        assert f"No query of the log is in the stratum {name}." in outcome["warnings"]


def test_outcomes_and_tags(tmp_path: Path) -> None:
    """Half of its searches without results: zero_result; never clicked: no_click."""
    lake_of(
        tmp_path,
        [
            {"query": "half", "n_results": 0},
            {"query": "half", "n_clicks": 1, "tags": ["shop"]},
            {"query": "third", "n_results": 0, "tags": ["help"]},
            {"query": "third", "tags": ["help", "shop"]},
            {"query": "third", "n_results": None},
            {"query": "fine", "n_clicks": 1},
            {"query": "fine", "n_clicks": 1},
            {"query": "fine", "n_clicks": 1, "tags": ["shop"]},
        ],
    )
    with init_workspace(tmp_path, "w") as workspace:
        outcome = mine(workspace, Sampling(by="outcome"), dry_run=True)
        found = {query["text"]: query["stratum"] for query in outcome["sample"]}
        assert found == {"half": "zero_result", "third": "no_click", "fine": "clicked"}
        tagged = mine(workspace, Sampling(by="tag"), dry_run=True)
        found = {query["text"]: query["stratum"] for query in tagged["sample"]}
        assert found == {"half": "#shop", "third": "#help", "fine": "untagged"}
        assert tagged["tags"] == {"several": 1, "too_rarely": 1}
        shares = {row["stratum"]: row["share_of_searches"] for row in tagged["strata"]}
        assert shares == {"#help": 3 / 8, "untagged": 3 / 8, "#shop": 2 / 8}
        assert outcome["tags"] is None


def test_strata_by_tag_of_a_log_without_tags_are_told_to_be_one(workspace: Workspace) -> None:
    outcome = mine(workspace, Sampling(by="tag"), dry_run=True)
    assert [row["stratum"] for row in outcome["strata"]] == ["untagged"]
    assert any(said.startswith("No query of the log is tagged") for said in outcome["warnings"])


def test_taking_back_removes_what_nobody_worked_on(workspace: Workspace) -> None:
    mine(workspace, Sampling(limit=3, seed=5))
    mine(workspace, Sampling(limit=8, seed=5))
    first = take_back_sampling(workspace, 1)
    assert first == {
        "sampling_id": 1, "queries_removed": 0, "kept": {"other_sampling": 3},
        "lose_weight": 0, "again": False,
    }  # fmt: skip
    there = stored(workspace)
    pooled, edited = there["sort a list"], there["dict"]
    add_document_and_pair(workspace, pooled.query_id)
    edit_query(workspace, edited.query_id, QueryContent("dict"), QueryContent("dictionary"), None)
    ana = ensure_person(workspace, "ana")
    told = take_back_sampling(workspace, 2, ana, anyway=True)
    assert told == {
        "sampling_id": 2, "queries_removed": 6, "kept": {"edited": 1, "in_pool": 1},
        "lose_weight": 2, "again": False,
    }  # fmt: skip
    assert set(stored(workspace)) == {"sort a list", "dictionary"}
    rows = list_samplings(workspace)
    assert [(row["sampling_id"], row["taken_back_by"]) for row in rows] == [
        (2, "ana"), (1, "terminal"),
    ]  # fmt: skip
    assert sum(row["left"] for row in rows) == 2
    # What a person edited is another query now: the old one comes again, under an id of its own.
    assert mine(workspace, Sampling(limit=8))["queries"]["new"] == 7


def test_taking_back_is_refused_while_queries_stay(workspace: Workspace) -> None:
    drawn = mine(workspace, Sampling(limit=8))
    in_pool = drawn["sample"][0]["query_id"]
    add_document_and_pair(workspace, in_pool)
    would = take_back_sampling(workspace, 1, dry_run=True)
    assert (would["queries_removed"], would["kept"], would["lose_weight"]) == (7, {"in_pool": 1}, 1)
    with pytest.raises(BuilderError, match=r"1 would stay \(1 have pairs in the pool\)") as caught:
        take_back_sampling(workspace, 1)
    assert "goldsmith pool --take-back N" in str(caught.value.hint)
    assert (len(stored(workspace)), list_samplings(workspace)[0]["taken_back_at"]) == (8, None)
    take_back_sampling(workspace, 1, anyway=True)
    when = list_samplings(workspace)[0]["taken_back_at"]
    again = take_back_sampling(workspace, 1)
    assert (again["again"], again["queries_removed"], again["kept"]) == (True, 0, {"in_pool": 1})
    with workspace.store.write() as connection:
        connection.exec_driver_sql("DELETE FROM pair_sources")
        connection.exec_driver_sql("DELETE FROM pairs")
    assert take_back_sampling(workspace, 1)["queries_removed"] == 1
    (row,) = list_samplings(workspace)
    assert (stored(workspace), row["taken_back_at"], row["left"]) == ({}, when, 0)


def test_graded_queries_stay_and_no_filling_helps(workspace: Workspace) -> None:
    query_id = mine(workspace, Sampling(limit=8))["sample"][0]["query_id"]
    add_document_and_pair(workspace, query_id)
    with workspace.store.write() as connection:
        bob = store_person(connection, "bob").person_id
        import_judgments_batch(connection, [ImportedJudgment(query_id, "d1", bob, "grade", 2)])
    with pytest.raises(BuilderError, match="1 have graded pairs") as caught:
        take_back_sampling(workspace, 1)
    assert "pool --take-back" not in str(caught.value.hint)
    assert "mine --take-back 1 --anyway" in str(caught.value.hint)


def test_a_refusal_tells_all_that_would_stay(workspace: Workspace) -> None:
    drawn = [query["query_id"] for query in mine(workspace, Sampling(limit=8))["sample"]]
    also = mine(workspace, Sampling(limit=3, method="random"))["sample"]
    in_pool = next(one for one in drawn if one not in {query["query_id"] for query in also})
    add_document_and_pair(workspace, in_pool)
    would = take_back_sampling(workspace, 1, dry_run=True)["kept"]
    assert would == {"in_pool": 1, "other_sampling": 3}
    told = r"4 would stay \(1 have pairs in the pool; 3 drawn by another sampling, too\)"
    with pytest.raises(BuilderError, match=told):
        take_back_sampling(workspace, 1)
    assert take_back_sampling(workspace, 1, anyway=True)["kept"] == would


def test_another_design_says_whose_weights_go(workspace: Workspace) -> None:
    """Eight can be drawn; what sampling 1 drew and another does not loses its weight."""
    first = {query["query_id"] for query in mine(workspace, Sampling(limit=5))["sample"]}
    assert not losses(mine(workspace, Sampling(limit=6), dry_run=True))
    fewer = mine(workspace, Sampling(limit=3), dry_run=True)
    assert fewer["queries"]["lose_weight"] == 2
    assert "ask for 5 or more" in losses(fewer)[0]
    other = mine(workspace, Sampling(limit=5, method="random", seed=3))
    lost = first - {query["query_id"] for query in other["sample"]}
    assert other["queries"]["lose_weight"] == len(lost) > 0
    (said,) = losses(other)
    assert f"{len(lost)} of the 5 queries of sampling 1 are not in this one" in said
    assert "draw as sampling 1 did (seed 0, the same options) with a limit of 5 or more" in said
    assert not losses(mine(workspace, Sampling(limit=5, method="random", seed=3)))
    for outcome in (other, mine(workspace, Sampling(limit=7, seed=9))):
        weights = sum(query["weight"] for query in outcome["sample"])
        assert weights == pytest.approx(outcome["queries"]["eligible"])


def losses(outcome: dict[str, Any]) -> list[str]:
    return [warning for warning in outcome["warnings"] if "lose their weight" in warning]


def test_the_whole_log_is_said_only_of_the_whole_log(tmp_path: Path) -> None:
    lake_of(tmp_path, searches({"one": 4, "two": 2, "what is three": 1}))
    with init_workspace(tmp_path, "w") as workspace:

        def said(**asked: Any) -> str:
            return str(mine(workspace, Sampling(**asked), dry_run=True)["warnings"][0])

        assert said() == "The sample is the whole log: 200 queries were asked for of 3."
        assert said(min_sessions=2) == (
            "The sample is all that can be drawn: 200 queries were asked for, and 1 of the 3 in "
            "the log are eligible."
        )
        assert "1 of the 1 in the part of the log that was asked for" in said(
            choice=Choice(query_class="question")
        )


def add_document_and_pair(workspace: Workspace, query_id: str) -> None:
    from builder.importers.corpus import import_corpus

    file = workspace.root / "corpus.jsonl"
    file.write_text('{"_id": "d1", "title": "", "text": "a"}\n', encoding="utf-8")
    import_corpus(workspace, file)
    with workspace.store.write() as connection:
        assert count_documents(connection) == 1
        add_pairs(connection, [(query_id, "d1")], "bm25")


def test_queries_that_were_there_before_stay(workspace: Workspace) -> None:
    add_query(workspace, QueryContent("sort a list"), None)
    mine(workspace, Sampling(limit=8))
    assert take_back_sampling(workspace, 1)["queries_removed"] == 7
    assert set(stored(workspace)) == {"sort a list"}


def test_again_as_before_by_another_log(workspace: Workspace) -> None:
    mine(workspace, Sampling(limit=6, seed=2, method="traffic"))
    assert repeat(workspace, 1)["unchanged"] == 1
    lake_of(workspace.root, searches({"new query": 500}))
    again = repeat(workspace, 1)
    assert (again["sampling_id"], again["seed"]) == (2, 2)
    assert "new query" in texts(again)
    with pytest.raises(BuilderError, match="there is no sampling 9"):
        repeat(workspace, 9)


def test_a_job_does_it_for_an_analyst_only(workspace: Workspace) -> None:
    ana = ensure_person(workspace, "ana")
    rita = add_person(workspace, "rita", "rater", ana)
    told: list[str] = []
    parameters = {"actor": "ana", "sampling": Sampling(limit=4).as_json()}
    outcome = mine_job(workspace, parameters, lambda what, _done, _total: told.append(what))
    assert ("sample" in outcome, outcome["queries"]["new"]) == (False, 4)
    assert told[0] == "counting the queries of the log"
    with pytest.raises(NotAllowedError):
        mine(workspace, Sampling(), actor=rita)


def test_nothing_to_sample_says_why(tmp_path: Path) -> None:
    with init_workspace(tmp_path, "w") as workspace:
        with pytest.raises(BuilderError, match="the log has no searches"):
            mine(workspace, Sampling())
        lake_of(tmp_path, searches({"": 3, "mail bob@example.com": 2, "x" * 2001: 1}))
        with pytest.raises(BuilderError) as caught:
            mine(workspace, Sampling())
        assert "none of the 3 queries of the log is eligible" in caught.value.message
        assert "1 empty, 1 too_long, 1 personal_data" in caught.value.message
        assert "--personal mask" in str(caught.value.hint)
        with workspace.store.read() as connection:
            assert count_queries(connection) == 0


@pytest.mark.parametrize(
    "options",
    [
        {"limit": 0}, {"method": "best"}, {"by": "mood"}, {"head": 0.0},
        {"head": 0.8, "torso": 0.3}, {"seed": -1}, {"min_sessions": 0}, {"allocation": "fair"},
        {"personal": "sell"},
    ],
)  # fmt: skip
def test_options_out_of_range(options: dict[str, Any]) -> None:
    with pytest.raises(BuilderError):
        Sampling(**options)


def test_options_survive_json() -> None:
    from datetime import date

    asked = Sampling(limit=7, by="tag", choice=Choice(start=date(2026, 11, 1), tag="a"))
    assert Sampling.from_json(asked.as_json()) == asked
