from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import select

from builder.errors import BuilderError, NotAllowedError
from builder.people import ensure_person
from builder.pooling import pool, pool_job
from builder.store.documents import insert_documents
from builder.store.pool import count_pairs, pool_by_source
from builder.store.queries import insert_queries
from builder.store.schema import documents, pair_sources, pairs, queries
from builder.workspace import Workspace, init_workspace
from evals.records import Document, Query
from tests.workspaces import new_workspace


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    with new_workspace(tmp_path / "workspace", "shop") as opened:
        with opened.store.write() as connection:
            texts = ["apple", "apple apple", "apple pear", "pear", "plum"]
            insert_documents(
                connection, [Document(f"d{n}", "", text) for n, text in enumerate(texts)]
            )
            insert_queries(connection, [Query("q1", "apple"), Query("q2", "plum")])
        yield opened


def ranks(workspace: Workspace, query_id: str) -> dict[str, int | None]:
    chosen = (
        select(documents.c.doc_id, pair_sources.c.rank)
        .join(pairs, pairs.c.pair_id == pair_sources.c.pair_id)
        .join(queries, queries.c.query_key == pairs.c.query_key)
        .join(documents, documents.c.doc_key == pairs.c.doc_key)
        .where(queries.c.query_id == query_id)
        .order_by(pair_sources.c.rank)
    )
    with workspace.store.read() as connection:
        return {row.doc_id: row.rank for row in connection.execute(chosen)}


def test_the_top_of_bm25_joins_the_pool_with_its_ranks(workspace: Workspace) -> None:
    outcome = pool(workspace, ["bm25"], depth=2)
    assert (outcome["pairs_added"], outcome["by_source"]) == (3, {"bm25": 3})
    assert ranks(workspace, "q1") == {"d1": 1, "d0": 2}
    assert ranks(workspace, "q2") == {"d4": 1}


def test_pooling_again_adds_what_is_new(workspace: Workspace) -> None:
    pool(workspace, depth=2)
    assert pool(workspace, depth=2)["pairs_added"] == 0
    outcome = pool(workspace, depth=3)
    assert (outcome["pairs_added"], outcome["by_source"]) == (1, {"bm25": 4})
    with workspace.store.read() as connection:
        assert count_pairs(connection) == 4
        assert pool_by_source(connection) == {"bm25": 4}


def test_nothing_to_pool(tmp_path: Path, workspace: Workspace) -> None:
    with init_workspace(tmp_path / "empty") as empty:
        with pytest.raises(BuilderError, match="no documents here"):
            pool(empty)
        with empty.store.write() as connection:
            insert_documents(connection, [Document("d", "", "x")])
        with pytest.raises(BuilderError, match="no queries here"):
            pool(empty)
    with pytest.raises(BuilderError, match="depth is 0"):
        pool(workspace, depth=0)


def test_only_analysts_pool_from_the_browser(workspace: Workspace) -> None:
    ensure_person(workspace, "boss")
    ensure_person(workspace, "ann")
    with pytest.raises(NotAllowedError):
        pool_job(workspace, {"actor": "ann"}, lambda *_: None)
    with pytest.raises(BuilderError, match="nobody"):
        pool_job(workspace, {"actor": "cy"}, lambda *_: None)
    outcome = pool_job(workspace, {"actor": "boss", "depth": 1}, lambda *_: None)
    assert outcome["pairs_added"] == 2
