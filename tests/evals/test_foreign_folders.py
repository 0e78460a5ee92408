"""Task folders as others write them are read too, or refused with the place of what is wrong."""

import gzip
import json
from pathlib import Path

import pytest

from evals.records import Document, EvalsError
from evals.taskfolder import read_task


def task_of(tmp_path: Path, corpus: str | bytes, queries: str = "", qrels: str = "") -> Path:
    """A folder as others write it."""
    (tmp_path / "qrels").mkdir()
    as_bytes = corpus.encode() if isinstance(corpus, str) else corpus
    (tmp_path / "corpus.jsonl").write_bytes(as_bytes)
    (tmp_path / "queries.jsonl").write_text(queries or '{"_id": "q", "text": "x"}\n', "utf-8")
    (tmp_path / "qrels" / "test.tsv").write_text(qrels or "q\td\t1\n", "utf-8")
    return tmp_path


def test_foreign_forms_of_documents(tmp_path: Path) -> None:
    corpus = (
        '\ufeff{"_id": 12345678901234567890, "title": null, "text": "big"}\r\n'
        "\r\n"
        '{"id": "NA", "text": "no title", "metadata": {"lang": "en"}, "page": 3}\r\n'
        '{"doc_id": 7, "title": "t", "text": "a\u2028b\u0085c\\u0000d"}'
    )
    task = read_task(task_of(tmp_path, corpus, qrels="q\t7\t1\n"))
    assert task.documents == [
        Document("12345678901234567890", "", "big"),
        Document("NA", "", "no title", {"lang": "en", "page": 3}),
        Document("7", "t", "a\u2028b\u0085c\0d"),
    ]


def test_five_megabytes_in_one_line(tmp_path: Path) -> None:
    text = "word " * 1_000_000
    task = read_task(task_of(tmp_path, json.dumps({"_id": "d", "text": text})))
    assert len(task.documents[0].text) == 5_000_000


@pytest.mark.parametrize(
    ("corpus", "line", "message"),
    [
        ('{"_id": "d", "text": null}', 1, "text is missing or null"),
        ('{"_id": "d", "title": "t"}', 1, "text is missing or null"),
        ('{"_id": "d", "text": 5}', 1, "text is a int"),
        ('{"_id": "d", "title": [], "text": ""}', 1, "title is a list"),
        ('{"_id": null, "text": ""}', 1, "_id is null"),
        ('{"text": ""}', 1, "_id is null"),
        ('{"_id": "", "text": ""}', 1, "_id is empty"),
        ('{"_id": 1.5, "text": ""}', 1, "_id is 1.5"),
        ('{"_id": true, "text": ""}', 1, "_id is true"),
        ('{"_id": "d\\u0000", "text": ""}', 1, r"U\+0000"),
        ('{"_id": "a", "text": ""}\n{"_id": "d", "text": "\\ud83d"}', 2, r"U\+D83D"),
        ('{"_id": "d", "text": ""}\n\n{"_id": "d", "text": "x"}', 3, "twice.*line 1"),
        ('{"_id": "d", "text": ""', 1, "not a JSON object"),
        ('{"_id": "d", "text": "", "x": NaN}', 1, "NaN is not JSON"),
        ("[" * 100_000, 1, "not a JSON object"),
        (b'{"_id": "d", "text": ""}\n{"_id": "e", "text": "\xe9"}', 2, "byte 0xe9 at column 23"),
    ],
)
def test_bad_rows_are_refused_with_their_place(
    tmp_path: Path, corpus: str | bytes, line: int, message: str
) -> None:
    folder = task_of(tmp_path, corpus)
    with pytest.raises(EvalsError, match=message) as raised:
        read_task(folder)
    assert raised.value.where == f"{folder.resolve() / 'corpus.jsonl'}:{line}"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "holds no record"),
        ('{"_id": "d"}'.encode("utf-16"), "UTF-16"),
        (gzip.compress(b'{"_id": "d", "text": ""}' * 99, mtime=0)[:40], "broken gzip"),
    ],
)
def test_bad_files_are_refused(tmp_path: Path, content: bytes, message: str) -> None:
    with pytest.raises(EvalsError, match=message):
        read_task(task_of(tmp_path, content))


def test_the_same_row_twice_counts_once(tmp_path: Path) -> None:
    task = read_task(task_of(tmp_path, '{"_id": "d", "text": "x"}\n' * 2))
    assert len(task.documents) == 1
    assert task.warnings == ["corpus.jsonl: 1 identical rows count once"]


def test_what_does_not_join_is_said(tmp_path: Path) -> None:
    corpus = '{"_id": "d", "text": "x"}'
    task = read_task(task_of(tmp_path, corpus, qrels="q\td\t1\nq\tgone\t2\nlost\td\t1\n"))
    assert task.qrels == {"q": {"d": 1, "gone": 2}}
    left_out, absent = task.warnings
    assert "1 judged queries are not in queries.jsonl and are left out (lost)" in left_out
    assert "1 judged documents are not in the corpus" in absent


def test_nothing_joins(tmp_path: Path) -> None:
    with pytest.raises(EvalsError, match="no judged query"):
        read_task(task_of(tmp_path, '{"_id": "d", "text": "x"}', qrels="other\td\t1\n"))
