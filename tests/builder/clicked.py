"""A workspace whose queries were searched for and clicked, and graded by two of three people."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from builder.people import ensure_person
from builder.store.documents import insert_documents
from builder.store.queries import insert_queries
from builder.workspace import Workspace
from evals.records import Document, Query
from tests.builder.crosscheck.conftest import grade
from tests.online.logs import LISTED, event, take
from tests.workspaces import new_workspace

QUERY_IDS = tuple(f"q{n}" for n in range(6))
DOC_IDS = ("d1", "d2", "d3", "d4", "d5", "d9")
CLICKS_OF = {"d1": 1, "d2": 20, "d3": 7, "d5": 10}
"""Of 40 searches of a query, each in a session of its own."""
USUAL = {"d1": 0, "d2": 3, "d3": 1, "d5": 3, "d9": 1}
"""What experts say; nobody graded d4, and the log never showed d9."""
OTHER_WAY_ROUND = {"d1": 3, "d5": 0}


def log() -> Iterator[dict[str, Any]]:
    """Each document stands at each of five ranks as often, so that clicks alone tell them apart."""
    for query in QUERY_IDS:
        clicks = [doc_id for doc_id, n in CLICKS_OF.items() for _ in range(n)]
        for n, doc_id in enumerate([*clicks, *[None] * (40 - len(clicks))]):
            listed = [*LISTED[n % 5 :], *LISTED[: n % 5]]
            yield event(
                query=f"Text of {query}",
                session_id=f"{query} {n}",
                retrieved_doc_ids=listed,
                clicked_doc_id=doc_id,
                click_rank=None if doc_id is None else listed.index(doc_id) + 1,
            )


def clicked_workspace(root: Path, graded: Sequence[str] = QUERY_IDS) -> Workspace:
    """Ann and Bob graded as clicks say, but for q0: there d1 and d5 are the other way round."""
    workspace = new_workspace(root)
    with workspace.store.write() as connection:
        insert_documents(connection, [Document(doc_id, doc_id, "text") for doc_id in DOC_IDS])
        insert_queries(connection, [Query(key, f"text of {key}") for key in QUERY_IDS])
    for name in ("ann", "bob", "cy"):
        ensure_person(workspace, name)
    take(root, log())
    for rater in ("ann", "bob"):
        for query_id in graded:
            grade(workspace, rater, experts_of(query_id), [query_id])
    return workspace


def experts_of(query_id: str) -> Mapping[str, int]:
    """What both say of its documents."""
    return USUAL | OTHER_WAY_ROUND if query_id == "q0" else USUAL
