"""Ranks of source documents, and what else retrievers rank for a query of the set."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from builder.errors import BuilderError
from builder.store.documents import insert_documents
from builder.store.queries import insert_queries
from builder.synthesis.round_trip import not_found, other_documents, rank_of, retrieve
from builder.workspace import Workspace
from evals.records import Document, Query
from tests.workspaces import copied, new_workspace


def _made(folder: Path) -> Workspace:
    workspace = new_workspace(folder)
    with workspace.store.write() as connection:
        insert_documents(
            connection,
            [
                Document("cats", "", "cats sleep most of the day"),
                Document("dogs", "", "dogs run with other dogs"),
                Document("both", "", "cats and dogs"),
            ],
        )
        insert_queries(connection, [Query("q1", "dogs"), Query("q2", "zebra")])
    return workspace


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    with copied(_made, tmp_path / "zoo") as opened:
        yield opened


def test_a_rank_is_the_place_in_trec_evals_order() -> None:
    run = {"q": {"a": 1.0, "c": 2.0, "b": 2.0}}

    assert [rank_of(run, "q", doc_id) for doc_id in "cbax"] == [1, 2, 3, None]
    assert rank_of(run, "other", "a") is None


@pytest.mark.parametrize(
    ("ranks", "flagged"),
    [
        ({"bm25": 1, "minilm": None}, False),
        ({"bm25": 11, "minilm": 10}, False),
        ({"bm25": 11, "minilm": None}, True),
        ({"bm25": None}, True),
        ({}, False),  # none ran: nothing is known
    ],
)
def test_flagged_is_what_no_retriever_has_among_its_first_ten(
    ranks: dict[str, int | None], *, flagged: bool
) -> None:
    assert (not_found(ranks) is not None) == flagged


def test_the_flag_tells_the_rank_in_each() -> None:
    flag = not_found({"bm25": 37, "minilm": None})

    assert flag is not None
    assert flag.detail == (
        "its document is not among the first 10 of bm25: rank 37, minilm: beyond 100"
    )


def test_a_retriever_that_does_not_run_is_told_beside_those_that_do(workspace: Workspace) -> None:
    found = retrieve(workspace, {"a": "dogs"}, ["/nowhere/model", "bm25"])

    assert found.runs["bm25"]["a"].keys() == {"dogs", "both"}
    assert list(found.not_run) == ["/nowhere/model"]


def test_others_are_what_retrievers_rank_in_turns(workspace: Workspace) -> None:
    found = other_documents(workspace, ["q1", "q2"], 10, ["bm25"])

    assert found == {"q1": [("dogs", "bm25", 1), ("both", "bm25", 2)], "q2": []}
    assert other_documents(workspace, [], 10) == {}


@pytest.mark.slow
def test_two_retrievers_take_turns(workspace: Workspace) -> None:
    found = other_documents(workspace, ["q1"], 2)["q1"]

    assert [(source, rank) for _, source, rank in found] == [
        ("bm25", 1),
        ("minilm", 1),
        ("bm25", 2),
        ("minilm", 2),
    ]
    assert {doc_id for doc_id, source, _ in found if source == "minilm"} == {"dogs", "both"}


def test_without_any_retriever_or_with_an_unknown_query_there_is_an_error(
    workspace: Workspace,
) -> None:
    with pytest.raises(BuilderError, match="no retriever runs: /nowhere"):
        other_documents(workspace, ["q1"], retrievers=["/nowhere"])
    with pytest.raises(BuilderError, match="no query q9"):
        other_documents(workspace, ["q1", "q9"])
