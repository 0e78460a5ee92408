import json
from pathlib import Path

import pytest

from builder.errors import ImportFailedError
from builder.importers import import_corpus, import_folder
from builder.store.documents import get_document, iterate_documents
from builder.store.judgments import current_grades
from builder.store.people import all_people
from builder.store.queries import iterate_queries
from builder.workspace import Workspace
from evals.records import Document, Query
from evals.taskfolder import read_task
from evals.taskwriter import write_task
from tests.builder.importers.conftest import Write, counts, quarantined

DOCUMENTS = [
    Document("007", "T", "x", {"title": "other", "metadata": {"a": 1}, "year": 1999}),
    Document("\u0645", "", "\u2028"),
]
QUERIES = [Query("q1", "one", "to know", ("a", "b, c")), Query("q2", "two")]
QRELS = {"test": {"q1": {"007": 3, "\u0645": 0}}, "train": {"q2": {"007": 1}}}


@pytest.fixture
def task(tmp_path: Path) -> Path:
    folder = tmp_path / "python-docs"
    folder.mkdir()
    write_task(folder, documents=DOCUMENTS, queries=QUERIES, qrels=QRELS)
    return folder


def test_an_exported_task_comes_back_whole(task: Path, workspace: Workspace) -> None:
    tallies = import_folder(workspace, task)
    assert {name: counts(tally) for name, tally in tallies.items()} == {
        "corpus": (2, 0, 0, 0),
        "queries": (2, 0, 0, 0),
        "judgments": (3, 0, 0, 0),
    }
    with workspace.store.read() as connection:
        assert list(iterate_documents(connection)) == DOCUMENTS
        assert list(iterate_queries(connection)) == QUERIES
        grades = {(r.query_id, r.doc_id): r.grade for r in current_grades(connection)}
        people = [(person.name, person.kind) for person in all_people(connection)]
    assert grades == {("q1", "007"): 3, ("q1", "\u0645"): 0, ("q2", "007"): 1}
    assert people == [("python-docs", "import")]


def test_a_second_import_changes_nothing(task: Path, workspace: Workspace) -> None:
    import_folder(workspace, task)
    tallies = import_folder(workspace, task)
    assert {name: counts(tally) for name, tally in tallies.items()} == {
        "corpus": (0, 2, 0, 0),
        "queries": (0, 2, 0, 0),
        "judgments": (0, 3, 0, 0),
    }


def test_both_readers_of_a_folder_agree(task: Path, workspace: Workspace) -> None:
    import_folder(workspace, task)
    with workspace.store.read() as connection:
        assert list(iterate_documents(connection)) == read_task(task).documents


def test_parts_may_be_packed_and_split(tmp_path: Path, workspace: Workspace, write: Write) -> None:
    folder = tmp_path / "task"
    (folder / "corpus").mkdir(parents=True)
    (folder / "qrels").mkdir()
    for name in ("b", "a"):
        write(f"task/corpus/{name}.jsonl.gz", [{"_id": name, "text": "x"}])
    write("task/corpus/README.md", "not a document")
    write("task/queries.csv", "_id,text\nq1,one\n")
    write("task/qrels/dev.trec.gz", "q1 0 a 2\n")
    write("task/corpus_metadata.jsonl.gz", [{"_id": "a", "year": 1}, {"_id": "gone"}, {"_id": 1.5}])
    tallies = import_folder(workspace, folder, rater="Ann")
    assert counts(tallies["corpus"]) == (2, 0, 0, 1)
    assert tallies["corpus"].notes == {"fields_without_row": 1}
    assert quarantined(tallies["corpus"])[0]["file"] == "corpus_metadata.jsonl.gz"
    assert counts(tallies["judgments"]) == (1, 0, 0, 0)
    with workspace.store.read() as connection:
        assert [document.doc_id for document in iterate_documents(connection)] == ["a", "b"]
        assert get_document(connection, "a") == Document("a", "", "x", {"year": 1})
        assert [person.name for person in all_people(connection)] == ["Ann"]


def test_splits_that_contradict_each_other(task: Path, workspace: Workspace) -> None:
    with (task / "qrels" / "train.tsv").open("a", encoding="utf-8") as qrels:
        qrels.write("q1\t007\t1\n")
    tally = import_folder(workspace, task)["judgments"]
    assert counts(tally) == (2, 0, 0, 2)
    assert [(bad["file"], bad["line"]) for bad in quarantined(tally)] == [
        ("test.tsv", 2),
        ("train.tsv", 3),
    ]


def test_all_of_a_folder_or_nothing(task: Path, workspace: Workspace) -> None:
    (task / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\nq1\t007\n", encoding="utf-8")
    with pytest.raises(ImportFailedError, match="needs a column"):
        import_folder(workspace, task)
    with workspace.store.read() as connection:
        assert not list(iterate_documents(connection))


def test_another_corpus_is_not_mixed_in(task: Path, workspace: Workspace, write: Write) -> None:
    import_corpus(workspace, write("c.jsonl", [{"_id": "007", "text": "something else"}]))
    tallies = import_folder(workspace, task)
    assert counts(tallies["corpus"]) == (1, 0, 0, 1)
    assert tallies["corpus"].reasons == {"changed": 1}
    assert counts(import_folder(workspace, task, update=True)["corpus"]) == (0, 1, 1, 0)


def test_what_is_no_task_folder_is_told(tmp_path: Path, workspace: Workspace) -> None:
    with pytest.raises(ImportFailedError, match="no folder"):
        import_folder(workspace, tmp_path / "absent")
    with pytest.raises(ImportFailedError, match=r"corpus\.jsonl is not there"):
        import_folder(workspace, tmp_path)


@pytest.mark.shared_data
@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("adi", (82, 35, 170)),
        ("cranfield", (1400, 225, 1837)),
        ("scifact", (5183, 300, 339)),
        ("npl-vaswani", (11429, 93, 2083)),
        ("haystack-rating-party", (1558, 137, 1358)),
    ],
)
def test_real_tasks(
    name: str, expected: tuple[int, int, int], shared_data: Path, workspace: Workspace
) -> None:
    """Counts as SOURCE.md and check.json beside each task state them."""
    tallies = import_folder(workspace, shared_data / name / "task")
    assert tuple(tally.accepted for tally in tallies.values()) == expected
    assert not any(tally.quarantined for tally in tallies.values())


@pytest.mark.shared_data
@pytest.mark.parametrize("language", ["en", "de"])
def test_xquad(language: str, shared_data: Path, workspace: Workspace) -> None:
    folder = shared_data / "xquad" / f"task_{language}"
    import_folder(workspace, folder)
    with (folder / "corpus.jsonl").open(encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    with workspace.store.read() as connection:
        found = {document.doc_id: document.text for document in iterate_documents(connection)}
    assert found == {row["_id"]: row["text"] for row in rows}
