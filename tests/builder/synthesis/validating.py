"""A workspace with a hundred accepted synthetic queries, and experts who grade what was drawn."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any
from uuid import uuid4

from sqlalchemy import select

from builder.judging.queue import cannot_judge, next_pair, submit_grade
from builder.people import ensure_person
from builder.store.documents import insert_documents
from builder.store.schema import documents, pair_sources, pairs, queries
from builder.store.synthesis_schema import validation_queries
from builder.store.synthetic_queries import Judged, note_judged
from builder.synthesis.review import accept_all
from builder.synthesis.validation import draw_validation
from builder.workspace import Workspace, init_workspace, open_workspace
from evals.records import Document
from tests.builder.synthesis.written import Answer, write_synthesis
from tests.workspaces import ask_raters, copied

TYPES = ("keyword", "question", "technical", "misspelt", "conversational")
TOPICS = ("boiler", "pump", "valve", "sensor", "filter", "burner", "tank", "pipe", "fan", "gauge")


def hundred(folder: Path, raters_per_pair: int = 1) -> Workspace:
    """A hundred documents, each with a query of one of five types; the same as a copy."""
    return copied(_make, folder, 100, ("en",), raters_per_pair)


def some(folder: Path, n: int, languages: tuple[str, ...] = ("en",)) -> Workspace:
    """So many, their languages in turns."""
    return copied(_make, folder, n, languages, 1)


def _make(folder: Path, n: int, languages: tuple[str, ...], raters_per_pair: int) -> Workspace:
    init_workspace(folder, "boilers").close()
    ask_raters(folder, raters_per_pair)
    workspace = open_workspace(folder)
    for name in ("ann", "ben", "cleo"):
        ensure_person(workspace, name)
    corpus = [Document(f"d{at:03}", _title(at), f"{_title(at)} service manual") for at in range(n)]
    with workspace.store.write() as connection:
        insert_documents(connection, corpus)
    answers = [
        Answer(
            f"d{at:03}", [f"{_title(at)} trouble"], TYPES[at % 5], languages[at % len(languages)]
        )
        for at in range(n)
    ]
    write_synthesis(workspace, answers)
    with workspace.store.write() as connection:
        note_judged(connection, [Judged(candidate_id) for candidate_id in range(1, n + 1)])
    accept_all(workspace)
    return workspace


def _title(at: int) -> str:
    return f"{TOPICS[at % 10]} {TOPICS[at // 10 % 10]} number {at}"


def drawn_pairs(workspace: Workspace, validation_id: int = 1) -> list[int]:
    """The pair of each drawn query and its document, in order of the queries' ids."""
    mine = validation_queries.c
    chosen = select(mine.pair_id).join(queries, queries.c.query_key == mine.query_key)
    chosen = chosen.where(mine.drawn == 1, mine.validation_id == validation_id)
    with workspace.store.read() as connection:
        return list(connection.execute(chosen.order_by(queries.c.query_id)).scalars())


def query_of(workspace: Workspace, pair_id: int) -> str:
    chosen = select(queries.c.query_id).join(pairs).where(pairs.c.pair_id == pair_id)
    with workspace.store.read() as connection:
        return str(connection.execute(chosen).scalar_one())


def documents_in_pool(workspace: Workspace, source: str) -> dict[str, list[str]]:
    """query_id -> the documents that this source names for it, in the order of their pairs."""
    named = pair_sources.join(pairs).join(queries).join(documents)
    chosen = select(queries.c.query_id, documents.c.doc_id).select_from(named)
    chosen = chosen.where(pair_sources.c.source == source).order_by(pairs.c.pair_id)
    found: dict[str, list[str]] = {}
    with workspace.store.read() as connection:
        for query_id, doc_id in connection.execute(chosen):
            found.setdefault(query_id, []).append(doc_id)
    return found


def grade(workspace: Workspace, pair_id: int, given: int, rater: str = "ann") -> None:
    submit_grade(workspace, rater, pair_id, given, token=uuid4().hex, edit=True)


def grade_all(workspace: Workspace, grades: Sequence[int], rater: str = "ann") -> None:
    """The source documents of the drawn queries get these grades, in order."""
    for pair_id, given in zip(drawn_pairs(workspace), grades, strict=True):
        grade(workspace, pair_id, given, rater)


def nobody_can(workspace: Workspace, pair_id: int) -> None:
    for rater in ("ben", "cleo"):
        cannot_judge(workspace, rater, pair_id, "out of my field", token=uuid4().hex)


def work_through(workspace: Workspace, rater: str, given: int = 2) -> Iterator[tuple[str, str]]:
    """(query_id, doc_id) of what the queue gives to a rater, who grades each."""
    while (pair := next_pair(workspace, rater)) is not None:
        yield pair.query.query_id, pair.document.doc_id
        submit_grade(workspace, rater, pair.pair_id, given, token=uuid4().hex)


def draw(workspace: Workspace, share: float = 0.3, **more: Any) -> dict[str, Any]:
    """A drawing whose further documents BM25 finds."""
    return draw_validation(workspace, share, retrievers=("bm25",), **more)
