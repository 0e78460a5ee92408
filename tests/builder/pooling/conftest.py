"""A shop of thirty documents and three queries, with and without a log, for tests of its pool."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from builder.events import import_search_events
from builder.judging.queue import submit_grade
from builder.store.documents import insert_documents
from builder.store.pool_contents import pooled_documents
from builder.store.queries import insert_queries
from builder.workspace import Workspace, init_workspace
from evals.records import Document, Query

WORDS = ("apple", "pear", "plum", "fig", "quince")
DOCUMENTS = [
    Document(f"d{n:02}", "", f"{WORDS[n % 5]} {WORDS[n % 3]} {'jam' * (n % 2)}") for n in range(30)
]
QUERIES = [
    Query("q1", "apple jam", tags=("sweet",)),
    Query("q2", "pear", source="log"),
    Query("q3", "nothing like it"),
]


def event(
    clicked: str, rank: int, n: int, shown: tuple[str, ...], query: str = "Apple  JAM"
) -> str:
    return json.dumps(
        {
            "timestamp": f"2026-05-01T10:00:{n:02}Z",
            "query": query,
            "session_id": f"s{n}",
            "model_version": "v1",
            "retrieved_doc_ids": shown,
            "clicked_doc_id": clicked,
            "click_rank": rank,
        }
    )


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    with init_workspace(tmp_path / "workspace", "shop") as opened:
        with opened.store.write() as connection:
            insert_documents(connection, DOCUMENTS)
            insert_queries(connection, QUERIES)
        yield opened


@pytest.fixture
def logged(workspace: Workspace, tmp_path: Path) -> Workspace:
    """Searches for "apple jam" in which all click one of the last two, and none the first.

    In 36 others all click the first of two. So a click is expected in 36 of 48 at the first rank, 9
    of 12 for d20, which got none; with the prior of few pairs, Gamma(10, 10), its COEC is at most
    17.08 / 19 (17.08: the .975 quantile of Gamma(10, 1)). None clicks the second one there, d03,
    which is passed over nowhere.
    """
    shown = ("d20", "gone", "d07")
    lines = [event("d07", 3, n, shown) for n in range(8)]
    lines += [event("gone", 2, n, shown) for n in range(8, 12)]
    lines += [event("d02", 1, n, ("d02", "d03"), "plum") for n in range(12, 48)]
    log = tmp_path / "log.jsonl"
    log.write_text("\n".join(lines), encoding="utf-8")
    import_search_events(workspace, log, "terminal")
    return workspace


def held(workspace: Workspace, query_id: str = "q1") -> set[str]:
    with workspace.store.read() as connection:
        return set(pooled_documents(connection, [query_id]).get(query_id, {}))


def grade(workspace: Workspace, rater: str, pair_id: int, said: int, name: str) -> None:
    submit_grade(workspace, rater, pair_id, said, token=name)
