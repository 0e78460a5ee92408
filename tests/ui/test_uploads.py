"""What is uploaded is imported by a job and then gone; a name is never a path to elsewhere."""

import io
import json
import time

import pytest

from builder.errors import BuilderError, NotAllowedError
from builder.importers.job import import_job, uploads_folder
from builder.jobs import Job, read_job
from builder.people import ensure_person
from builder.store.documents import count_documents
from builder.workspace import Workspace
from ui.uploads import import_uploads, plain_parts

DOCUMENT = json.dumps({"_id": "d1", "title": "t", "text": "x"}).encode()


class UploadedBytes(io.BytesIO):
    """Bytes with a file's name, as a browser sends them."""

    def __init__(self, name: str, content: bytes) -> None:
        super().__init__(content)
        self.name = name


def finished(workspace: Workspace, job_id: int) -> Job:
    deadline = time.monotonic() + 60
    while (job := read_job(workspace, job_id)).active and time.monotonic() < deadline:
        time.sleep(0.05)
    return job


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("corpus.jsonl", ["corpus.jsonl"]),
        ("scifact/qrels/test.tsv", ["scifact", "qrels", "test.tsv"]),
        ("../../etc/passwd", ["etc", "passwd"]),
        ("/etc/passwd", ["etc", "passwd"]),
        ("..", ["upload"]),
        ("a\0b\n.jsonl", ["a_b_.jsonl"]),
        ("x" * 500 + ".tsv", ["x" * 116 + ".tsv"]),
    ],
)
def test_a_file_name_leads_nowhere_else(name: str, parts: list[str]) -> None:
    assert plain_parts(name) == parts


def test_an_uploaded_file_is_imported_and_removed(empty_workspace: Workspace) -> None:
    dana = ensure_person(empty_workspace, "Dana")
    upload = UploadedBytes("docs.jsonl", DOCUMENT + b"\nbroken\n")
    job = finished(empty_workspace, import_uploads(empty_workspace, dana, "corpus", [upload]))
    assert job.state == "done", job.message
    assert job.outcome is not None
    tally = job.outcome["tallies"]["corpus"]
    assert (tally["accepted"], tally["quarantined"]) == (1, 1)
    assert list(uploads_folder(empty_workspace).iterdir()) == []


def test_an_uploaded_folder_is_a_task_folder(empty_workspace: Workspace) -> None:
    dana = ensure_person(empty_workspace, "Dana")
    uploads = [
        UploadedBytes("mine/corpus.jsonl", DOCUMENT),
        UploadedBytes("mine/queries.jsonl", b'{"_id": "q1", "text": "x"}'),
        UploadedBytes("mine/qrels/test.tsv", b"query-id\tcorpus-id\tscore\nq1\td1\t2\n"),
    ]
    job = finished(empty_workspace, import_uploads(empty_workspace, dana, "folder", uploads))
    assert job.state == "done", job.message
    assert job.outcome is not None
    assert {what: t["accepted"] for what, t in job.outcome["tallies"].items()} == {
        "corpus": 1,
        "queries": 1,
        "judgments": 1,
    }


def test_a_rater_may_not_import(empty_workspace: Workspace) -> None:
    ensure_person(empty_workspace, "Dana")
    rater = ensure_person(empty_workspace, "Ravi")
    with pytest.raises(NotAllowedError):
        import_uploads(empty_workspace, rater, "corpus", [UploadedBytes("a.jsonl", DOCUMENT)])
    with empty_workspace.store.read() as connection:
        assert count_documents(connection) == 0


def test_a_job_imports_nothing_but_uploads(empty_workspace: Workspace) -> None:
    ensure_person(empty_workspace, "Dana")
    parameters = {"what": "corpus", "path": "/etc/passwd", "actor": "Dana"}
    with pytest.raises(BuilderError, match="no uploaded file"):
        import_job(empty_workspace, parameters, lambda *_: None)
