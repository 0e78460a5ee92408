from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from sqlalchemy import update

from builder.errors import BuilderError, NotAllowedError
from builder.importers import import_corpus
from builder.judging.queue import next_pair, submit_grade
from builder.people import deactivate, ensure_person, find_active
from builder.pooling import kept_index, pool
from builder.pooling.corpus_search import CACHE, add_by_rater, search_corpus
from builder.store import Connection, activity
from builder.store.documents import insert_documents
from builder.store.pool import count_pairs, pool_by_source
from builder.store.queries import insert_queries
from builder.store.schema import queries
from builder.store.task_rows import documents_by_id
from builder.workspace import Workspace, init_workspace, open_workspace
from evals import bm25
from evals.records import Document, Query
from tests.workspaces import new_workspace

TEXTS = ("apple", "apple apple", "apple pear", "pear", "plum")


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    with new_workspace(tmp_path / "workspace", "shop") as opened:
        with opened.store.write() as connection:
            insert_documents(connection, [Document(f"d{n}", "", t) for n, t in enumerate(TEXTS)])
            insert_queries(connection, [Query("q1", "apple"), Query("q2", "plum")])
        for name in ("boss", "ann"):
            ensure_person(opened, name)
        yield opened


def found(workspace: Workspace, text: str, n: int = 10, offset: int = 0) -> list[str]:
    return [each.document.doc_id for each in search_corpus(workspace, text, "q1", n, offset)]


def test_the_best_come_first_page_by_page_and_nothing_that_shares_no_word(
    workspace: Workspace,
) -> None:
    assert found(workspace, "APPLE") == ["d1", "d0", "d2"]
    assert found(workspace, "apple", 2) == ["d1", "d0"]
    assert found(workspace, "apple", 2, 2) == ["d2"]
    assert found(workspace, "apple", 2, 4) == []
    assert found(workspace, "cherry") == found(workspace, " ") == []


def test_what_the_pool_holds_for_this_query_is_marked(workspace: Workspace) -> None:
    pool(workspace, depth=2)
    marked = {f.document.doc_id: f.in_pool for f in search_corpus(workspace, "apple plum", "q1")}
    assert marked == {"d1": True, "d0": True, "d2": False, "d4": False}


def test_what_was_imported_or_replaced_is_found(workspace: Workspace, tmp_path: Path) -> None:
    assert found(workspace, "cherry") == []
    file = tmp_path / "corpus.jsonl"
    file.write_text('{"_id": "d9", "text": "cherry"}\n', encoding="utf-8")
    import_corpus(workspace, file)
    assert found(workspace, "cherry") == ["d9"]
    file.write_text('{"_id": "d9", "text": "quince"}\n', encoding="utf-8")
    import_corpus(workspace, file, update=True)
    assert found(workspace, "quince") == ["d9"]
    assert found(workspace, "cherry") == []


def test_threads_that_search_at_once_share_one_index(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    built = []
    build = bm25.BM25Index.__init__

    def counted(self: bm25.BM25Index, *args: object, **options: object) -> None:
        built.append(1)
        build(self, *args, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(bm25.BM25Index, "__init__", counted)
    with ThreadPoolExecutor(8) as threads:
        answers = list(threads.map(lambda _: found(workspace, "apple"), range(24)))
    assert answers == [["d1", "d0", "d2"]] * 24
    assert len(built) == 1


def test_a_rater_adds_a_document_and_it_comes_up(workspace: Workspace) -> None:
    pair_id = add_by_rater(workspace, "ann", "q1", "d3")
    pair = next_pair(workspace, "ann")
    assert pair is not None
    assert (pair.pair_id, pair.document.doc_id) == (pair_id, "d3")
    with workspace.store.read() as connection:
        assert pool_by_source(connection) == {"rater": 1}
        entry = activity.entries(connection, limit=1)[0]
    assert (entry.actor, entry.action, entry.subject) == ("ann", "pool.add", "q1")
    assert entry.details["doc_id"] == "d3"


def test_a_rater_who_was_done_gets_what_another_one_adds(workspace: Workspace) -> None:
    pool(workspace, depth=1)
    while (pair := next_pair(workspace, "ann")) is not None:
        submit_grade(workspace, "ann", pair.pair_id, 1, token=f"t{pair.pair_id}")
    pair_id = add_by_rater(workspace, "boss", "q1", "d3")
    pair = next_pair(workspace, "ann")
    assert pair is not None
    assert pair.pair_id == pair_id


def test_a_pair_that_is_there_stays_as_it_is(workspace: Workspace) -> None:
    pool(workspace, depth=2)
    with workspace.store.read() as connection:
        before = (count_pairs(connection), pool_by_source(connection))
        entries = activity.count_entries(connection)
    assert add_by_rater(workspace, "ann", "q1", "d1") == add_by_rater(workspace, "ann", "q1", "d1")
    with workspace.store.read() as connection:
        assert (count_pairs(connection), pool_by_source(connection)) == before
        assert activity.count_entries(connection) == entries


def test_two_who_add_the_same_at_once_make_one_pair(workspace: Workspace) -> None:
    with ThreadPoolExecutor(4) as threads:
        ids = list(
            threads.map(lambda name: add_by_rater(workspace, name, "q1", "d3"), ["ann", "boss"] * 4)
        )
    assert len(set(ids)) == 1
    with workspace.store.read() as connection:
        assert count_pairs(connection) == 1


def test_who_may_not_and_what_is_not_there(workspace: Workspace) -> None:
    with pytest.raises(NotAllowedError, match="Nobody called cy"):
        add_by_rater(workspace, "cy", "q1", "d3")
    with pytest.raises(BuilderError, match="no query q7"):
        add_by_rater(workspace, "ann", "q7", "d3")
    with pytest.raises(BuilderError, match="no document d77"):
        add_by_rater(workspace, "ann", "q1", "d77")
    with pytest.raises(BuilderError, match="no query q7"):
        search_corpus(workspace, "apple", "q7")
    with pytest.raises(BuilderError, match="n is 0"):
        search_corpus(workspace, "apple", "q1", 0)
    deactivate(workspace, "ann", find_active(workspace, "boss"))
    with pytest.raises(NotAllowedError, match="ann"):
        add_by_rater(workspace, "ann", "q1", "d3")
    with workspace.store.read() as connection:
        assert count_pairs(connection) == 0


def test_nothing_joins_a_retired_query(workspace: Workspace) -> None:
    with workspace.store.write() as connection:
        connection.execute(update(queries).values(status="retired"))
    with pytest.raises(BuilderError, match="q1 is retired"):
        add_by_rater(workspace, "ann", "q1", "d3")


def test_a_corpus_without_words_or_documents_finds_nothing(tmp_path: Path) -> None:
    with init_workspace(tmp_path / "empty") as empty:
        with empty.store.write() as connection:
            insert_queries(connection, [Query("q1", "apple")])
        assert search_corpus(empty, "apple", "q1") == []
        with empty.store.write() as connection:
            insert_documents(connection, [Document("d", "", "?!")])
        assert search_corpus(empty, "apple", "q1") == []


def reopened(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> tuple[Workspace, list[int]]:
    """The workspace as after a restart, and how many documents were read for an index since."""
    workspace.close()
    read: list[int] = []

    def counted(connection: Connection) -> Iterator[Document]:
        documents = list(documents_by_id(connection))
        read.append(len(documents))
        return iter(documents)

    monkeypatch.setattr(kept_index, "documents_by_id", counted)
    return open_workspace(workspace.root), read


def test_after_a_restart_the_corpus_is_not_read_again(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = found(workspace, "apple pear")
    opened, read = reopened(workspace, monkeypatch)
    with opened:
        assert found(opened, "apple pear") == before
        assert read == []
        with opened.store.write() as connection:
            insert_documents(connection, [Document("d9", "", "quince")])
        assert found(opened, "quince") == ["d9"]
        assert read == [len(TEXTS) + 1]
        assert len(list((opened.cache_folder / CACHE).iterdir())) == 1


@pytest.mark.parametrize("name", ["doc_ids.json", "data.csc.index.npy", "params.index.json"])
@pytest.mark.parametrize("content", [b"", b"[1, 2", None])
def test_a_broken_index_is_built_anew(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch, name: str, content: bytes | None
) -> None:
    before = found(workspace, "apple pear")
    (place,) = (workspace.cache_folder / CACHE).iterdir()
    (place / name).unlink() if content is None else (place / name).write_bytes(content)
    opened, read = reopened(workspace, monkeypatch)
    with opened:
        assert found(opened, "apple pear") == before
        assert read == [len(TEXTS)]


def test_a_corpus_without_words_has_an_index_too(tmp_path: Path) -> None:
    with init_workspace(tmp_path / "empty", "empty") as workspace:
        with workspace.store.write() as connection:
            insert_queries(connection, [Query("q1", "apple")])
        assert found(workspace, "apple") == []
        with workspace.store.write() as connection:
            insert_documents(connection, [Document("d1", "", "...")])
        assert found(workspace, "apple") == []


def test_where_nothing_can_be_written_the_search_works_all_the_same(workspace: Workspace) -> None:
    (workspace.cache_folder / CACHE).write_text("in the way")
    assert found(workspace, "apple") == ["d1", "d0", "d2"]
