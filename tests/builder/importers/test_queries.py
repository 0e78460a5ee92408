import io
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from builder.errors import ImportFailedError
from builder.importers import import_queries
from builder.store.queries import iterate_queries
from builder.workspace import Workspace
from evals.records import Query
from tests.builder.importers.conftest import Write, counts, quarantined


def queries(workspace: Workspace) -> list[Query]:
    with workspace.store.read() as connection:
        return list(iterate_queries(connection))


def test_text_need_and_tags_come_in(workspace: Workspace, write: Write) -> None:
    rows: list[dict[str, Any]] = [
        {"_id": "1", "text": "one", "need": "to know", "tags": ["b", "a", "b", ""]},
        {"id": 2, "text": "two", "tags": "short, typo;x|y,,"},
        {"query_id": "NA", "text": " three ", "need": None, "tags": None},
        {"_id": "4", "text": "four", "tags": ["a, b"]},
    ]
    assert counts(import_queries(workspace, write("q.jsonl", rows))) == (4, 0, 0, 0)
    assert queries(workspace) == [
        Query("1", "one", "to know", ("b", "a"), "import"),
        Query("2", "two", "", ("short", "typo", "x", "y")),
        Query("NA", " three "),
        Query("4", "four", "", ("a, b",)),
    ]


def test_tags_in_a_table_are_cut(workspace: Workspace, write: Write) -> None:
    text = '_id,text,need,tags\n1,one,,"a, b;c|d"\n2,two,n,\n'
    assert counts(import_queries(workspace, write("q.csv", text))) == (2, 0, 0, 0)
    assert queries(workspace) == [
        Query("1", "one", "", ("a", "b", "c", "d")),
        Query("2", "two", "n"),
    ]


def test_tags_in_parquet_are_lists(workspace: Workspace, write: Write) -> None:
    buffer = io.BytesIO()
    rows = [{"_id": 1, "text": "one", "tags": ["a"]}, {"_id": 2, "text": "two", "tags": None}]
    pq.write_table(pa.Table.from_pylist(rows), buffer)
    assert counts(import_queries(workspace, write("q", buffer.getvalue()))) == (2, 0, 0, 0)
    assert queries(workspace) == [Query("1", "one", tags=("a",)), Query("2", "two")]


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ({"_id": "a", "text": ""}, "missing_text"),
        ({"_id": "a", "text": "  "}, "missing_text"),
        ({"_id": "a", "text": None}, "missing_text"),
        ({"_id": "a"}, "missing_text"),
        ({"_id": "a", "text": 5}, "not_text"),
        ({"_id": "a", "text": "x", "need": 5}, "not_text"),
        ({"_id": "a", "text": "x", "tags": 5}, "bad_tags"),
        ({"_id": "a", "text": "x", "tags": {"a": 1}}, "bad_tags"),
        ({"_id": "a", "text": "x", "tags": [5]}, "not_text"),
        ({"_id": "a", "text": "x", "tags": ["\0"]}, "nul_character"),
        ({"_id": "a", "text": "x\0"}, "nul_character"),
        ({"_id": 1.5, "text": "x"}, "bad_id"),
        ({"text": "x"}, "missing_id"),
    ],
)
def test_a_bad_row_goes_into_quarantine(
    row: dict[str, Any], reason: str, workspace: Workspace, write: Write
) -> None:
    tally = import_queries(workspace, write("q.jsonl", [{"_id": "good", "text": "x"}, row]))
    assert counts(tally) == (1, 0, 0, 1)
    assert [bad["reason"] for bad in quarantined(tally)] == [reason]


def test_a_row_says_nothing_about_what_it_lacks(workspace: Workspace, write: Write) -> None:
    full = {"_id": "1", "text": "one", "need": "n", "tags": ["t"]}
    import_queries(workspace, write("q.jsonl", [full]))
    assert counts(import_queries(workspace, write("q.jsonl", [full]))) == (0, 1, 0, 0)
    bare = write("q.jsonl", [{"_id": "1", "text": "one"}])
    assert counts(import_queries(workspace, bare)) == (0, 1, 0, 0)
    other = write("q.jsonl", [{"_id": "1", "text": "one", "tags": []}])
    assert import_queries(workspace, other).reasons == {"changed": 1}
    assert counts(import_queries(workspace, other, update=True)) == (0, 0, 1, 0)
    assert queries(workspace) == [Query("1", "one", "n", ())]


@pytest.mark.parametrize("apart", [0, 1500])
def test_the_same_rules_within_one_file(apart: int, workspace: Workspace, write: Write) -> None:
    between = [{"_id": f"between {n}", "text": "x"} for n in range(apart)]
    one, two = {"_id": "1", "text": "one"}, {"_id": "1", "text": "two", "tags": "a"}
    path = write("q.jsonl", [one, *between, one, two])
    assert counts(import_queries(workspace, path)) == (1 + apart, 1, 0, 1)
    assert counts(import_queries(workspace, path, update=True)) == (0, 2 + apart, 1, 0)
    assert queries(workspace)[0] == Query("1", "two", "", ("a",))


def test_fields_that_have_no_place_are_counted(workspace: Workspace, write: Write) -> None:
    rows: list[dict[str, Any]] = [
        {"_id": "1", "text": "x", "metadata": {}},
        {"_id": "2", "text": "x", "metadata": {"url": "y"}},
        {"_id": "3", "text": "x", "lang": None},
    ]
    tally = import_queries(workspace, write("q.jsonl", rows))
    assert tally.notes == {"fields_ignored": 1}


def test_repair(workspace: Workspace, write: Write) -> None:
    path = write(
        "q.jsonl", '{"_id": "1", "text": "a\\u0000", "need": "\\ud800", "tags": ["\\u0000"]}'
    )
    tally = import_queries(workspace, path, repair=True)
    assert tally.notes == {"repaired": 1}
    assert queries(workspace) == [Query("1", "a\ufffd", "\ufffd", ("\ufffd",))]


def test_a_corpus_table_without_queries_is_told(workspace: Workspace, write: Write) -> None:
    with pytest.raises(ImportFailedError, match="not recognised as a file of queries"):
        import_queries(workspace, write("q.csv", "doc_id,text\n1,x\n"))
    with pytest.raises(ImportFailedError, match="needs a column text"):
        import_queries(workspace, write("q.csv", "_id,query\n1,x\n"))
