from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from builder.store import Store, open_store
from builder.store.documents import (
    content_hash,
    count_documents,
    get_document,
    insert_documents,
    iterate_documents,
)
from builder.store.people import add_person, all_people, find_person
from builder.store.pool import add_pairs, count_pairs, pairs_outside, pool_by_source
from builder.store.queries import count_queries, get_query, insert_queries, iterate_queries
from evals.records import Document, Query

DOCUMENTS = [
    Document("007", "A title", "A text", {"year": 1999, "tags": ["a", None]}),
    Document("b", "", ""),
]
QUERIES = [
    Query("1", "one", need="to know", tags=("short", "عربي")),
    Query("NA", "two"),
]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = open_store(tmp_path / "workbench.db")
    with opened.write() as connection:
        assert insert_documents(connection, DOCUMENTS) == 2
        assert insert_queries(connection, QUERIES) == 2
    yield opened
    opened.close()


def test_documents_and_queries_come_back_as_they_were(store: Store) -> None:
    with store.read() as connection:
        assert list(iterate_documents(connection)) == DOCUMENTS
        assert list(iterate_queries(connection)) == QUERIES
        assert get_document(connection, "007") == DOCUMENTS[0]
        assert get_document(connection, "7") is None
        assert get_query(connection, "NA") == QUERIES[1]
        assert get_query(connection, "") is None
        assert (count_documents(connection), count_queries(connection)) == (2, 2)


def test_many_documents_are_read_as_a_stream(store: Store) -> None:
    many = [Document(f"many-{n}", "", str(n)) for n in range(2500)]
    with store.write() as connection:
        assert insert_documents(connection, iter(many)) == 2500
    with store.read() as connection:
        assert list(iterate_documents(connection)) == DOCUMENTS + many


def test_known_pairs_are_harmless_and_every_source_is_noted(store: Store) -> None:
    with store.write() as connection:
        assert add_pairs(connection, [("1", "007"), ("1", "b"), ("1", "007")], "bm25") == 2
        assert add_pairs(connection, iter([("1", "007"), ("NA", "b")]), "minilm", [7, None]) == 1
        assert add_pairs(connection, [], "bm25") == 0
        assert count_pairs(connection) == 3
        assert pool_by_source(connection) == {"bm25": 2, "minilm": 2}


def test_an_unknown_id_puts_no_pair_into_the_pool(store: Store) -> None:
    for pair in (("1", "nowhere"), ("nobody", "b")):
        with (
            pytest.raises(LookupError, match="is unknown"),
            store.write() as connection,
        ):
            add_pairs(connection, [("1", "b"), pair], "bm25")
    with store.read() as connection:
        assert count_pairs(connection) == 0


def test_ranks_come_with_each_pair(store: Store) -> None:
    with pytest.raises(ValueError, match="zip"), store.write() as connection:
        add_pairs(connection, [("1", "b")], "bm25", [1, 2])


def test_pairs_outside_are_told_once_in_their_order(store: Store) -> None:
    with store.write() as connection:
        add_pairs(connection, [("1", "b")], "bm25")
        asked = [("NA", "b"), ("1", "b"), ("1", "007"), ("NA", "b")]
        assert pairs_outside(connection, asked) == [("NA", "b"), ("1", "007")]


def test_a_person_is_added_once(store: Store) -> None:
    with store.write() as connection:
        ann = add_person(connection, "ann", kind="import")
        assert add_person(connection, "ann") == ann
        assert find_person(connection, "Ann") is None
        assert [person.kind for person in all_people(connection)] == ["import"]


texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))
fields = st.dictionaries(texts, st.none() | st.booleans() | st.integers() | texts, max_size=3)


@given(title=texts, text=texts, metadata=fields)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=50)
def test_any_document_comes_back(
    title: str, text: str, metadata: dict[str, object], store: Store
) -> None:
    document = Document("any", title, text, metadata)
    with store.session() as connection, connection.begin() as transaction:
        insert_documents(connection, [document])
        assert get_document(connection, "any") == document
        transaction.rollback()


@given(a=st.tuples(texts, texts), b=st.tuples(texts, texts))
def test_hashes_differ_where_contents_do(a: tuple[str, str], b: tuple[str, str]) -> None:
    hashes = [content_hash(Document("x", title, text)) for title, text in (a, b)]
    assert (hashes[0] == hashes[1]) == (a == b)


def test_the_border_between_title_and_text_counts() -> None:
    assert content_hash(Document("x", "ab", "c")) != content_hash(Document("x", "a", "bc"))
