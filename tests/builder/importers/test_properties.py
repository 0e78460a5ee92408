"""What was written comes back: any valid unicode, in every format."""

import csv
import io
import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from builder.errors import BuilderError
from builder.importers import import_corpus, import_judgments, import_queries
from builder.importers.files import FORMATS
from builder.store.documents import iterate_documents
from builder.store.judgments import current_grades
from builder.store.queries import iterate_queries
from builder.workspace import Workspace
from estimates import ImportTally
from evals.records import Document, Query
from tests.builder.importers.conftest import copied, counts
from tests.thorough import examples

Importer = Callable[..., ImportTally]

texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=30)
# Ids hold no control characters, and are not blank; all else may be in them.
ids = st.text(
    st.characters(
        exclude_categories=["Cs"], exclude_characters=[chr(n) for n in (*range(32), 127)]
    ),
    min_size=1,
    max_size=20,
).filter(lambda text: bool(text.strip()))
scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | texts
values = st.recursive(
    scalars.filter(lambda value: value not in (float("inf"), float("-inf"))),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(texts, inner, max_size=2),
    max_leaves=4,
)
keys = texts.filter(lambda key: key not in ("_id", "id", "doc_id", "title", "text", "metadata"))
documents = st.builds(Document, ids, texts, texts, st.dictionaries(keys, values, max_size=2))
corpora = st.lists(documents, min_size=1, max_size=5, unique_by=lambda document: document.doc_id)
plain_corpora = st.lists(
    st.builds(Document, ids, texts, texts), min_size=1, max_size=5, unique_by=lambda d: d.doc_id
)

RUNS = settings(max_examples=examples(15, 60), deadline=None)


def fresh(pristine: Path) -> Workspace:
    """A new workspace; each example has its own."""
    number = len(list(pristine.parent.iterdir()))
    return copied(pristine, pristine.with_name(f"workspace-{number}"))


def json_lines(rows: list[dict[str, Any]], *, escaped: bool) -> bytes:
    return "".join(json.dumps(row, ensure_ascii=escaped) + "\n" for row in rows).encode()


def table(rows: list[dict[str, str]], delimiter: str) -> bytes:
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, list(rows[0]), delimiter=delimiter)
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue().encode()


def parquet(rows: list[dict[str, str]]) -> bytes:
    buffer = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(rows), buffer)
    return buffer.getvalue()


def imported(pristine: Path, content: bytes) -> list[Document]:
    """The corpus after an import of `content`, in which every row is new."""
    with fresh(pristine) as workspace:
        path = workspace.root / "corpus"
        path.write_bytes(content)
        assert import_corpus(workspace, path).quarantined == 0
        assert import_corpus(workspace, path).accepted == 0
        with workspace.store.read() as connection:
            return list(iterate_documents(connection))


@given(corpus=corpora, escaped=st.booleans())
@RUNS
def test_json_lines_come_back(corpus: list[Document], escaped: bool, pristine: Path) -> None:
    rows = [
        {
            **document.metadata,
            "_id": document.doc_id,
            "title": document.title,
            "text": document.text,
        }
        for document in corpus
    ]
    assert imported(pristine, json_lines(rows, escaped=escaped)) == corpus


@given(corpus=plain_corpora, form=st.sampled_from([",", "\t", ";", "parquet"]))
@RUNS
def test_tables_come_back(corpus: list[Document], form: str, pristine: Path) -> None:
    rows = [{"_id": d.doc_id, "title": d.title, "text": d.text} for d in corpus]
    content = parquet(rows) if form == "parquet" else table(rows, form)
    assert imported(pristine, content) == corpus


tags = st.lists(texts.map(str.strip).filter(bool), max_size=3, unique=True).map(tuple)
queries = st.builds(Query, ids, texts.filter(lambda text: bool(text.strip())), texts, tags)
query_lists = st.lists(queries, min_size=1, max_size=5, unique_by=lambda query: query.query_id)


@given(given_queries=query_lists)
@RUNS
def test_queries_come_back(given_queries: list[Query], pristine: Path) -> None:
    rows: list[dict[str, Any]] = [
        {"_id": q.query_id, "text": q.text, "need": q.need, "tags": list(q.tags)}
        for q in given_queries
    ]
    with fresh(pristine) as workspace:
        path = workspace.root / "queries"
        path.write_bytes(json_lines(rows, escaped=False))
        assert import_queries(workspace, path).quarantined == 0
        with workspace.store.read() as connection:
            assert list(iterate_queries(connection)) == given_queries


@given(
    qrels=st.dictionaries(st.tuples(ids, ids), st.integers(0, 3), min_size=1, max_size=6),
    form=st.sampled_from(["jsonl", "\t", ","]),
)
@RUNS
def test_qrels_come_back(qrels: dict[tuple[str, str], int], form: str, pristine: Path) -> None:
    rows = [{"query-id": q, "corpus-id": d, "score": str(g)} for (q, d), g in qrels.items()]
    content = json_lines(rows, escaped=False) if form == "jsonl" else table(rows, form)
    with fresh(pristine) as workspace:
        for name, at in (("queries", 0), ("corpus", 1)):
            known = [{"_id": key, "text": "x"} for key in {pair[at] for pair in qrels}]
            (workspace.root / name).write_bytes(json_lines(known, escaped=False))
        import_queries(workspace, workspace.root / "queries")
        import_corpus(workspace, workspace.root / "corpus")
        (workspace.root / "qrels").write_bytes(content)
        tally = import_judgments(workspace, workspace.root / "qrels")
        assert counts(tally) == (len(qrels), 0, 0, 0)
        with workspace.store.read() as connection:
            found = {(r.query_id, r.doc_id): r.grade for r in current_grades(connection)}
    assert found == qrels


@pytest.fixture(scope="module")
def shared(pristine: Path) -> Iterator[Workspace]:
    with fresh(pristine) as workspace:
        yield workspace


HEADS = (b"", b"_id,text\n", b"_id\ttext\n", b"query-id\tcorpus-id\tscore\n", b'{"_id": "a"}\n')
IMPORTERS = (import_corpus, import_queries, import_judgments)


@given(
    content=st.binary(max_size=300) | texts.map(str.encode),
    head=st.sampled_from(HEADS),
    importer=st.sampled_from(IMPORTERS),
    form=st.none() | st.sampled_from(FORMATS),
)
@settings(max_examples=examples(60, 250), deadline=None)
def test_no_file_breaks_the_import(
    content: bytes, head: bytes, importer: Importer, form: str | None, shared: Workspace
) -> None:
    """Whatever is in it: all rows are counted, or one clear message says what is wrong."""
    path = shared.root / "file"
    path.write_bytes(head + content)
    with suppress(BuilderError):
        counts(importer(shared, path, format=form))
