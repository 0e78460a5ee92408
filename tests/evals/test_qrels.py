"""Qrels files: every form is read to the same judgments, and what cannot be read is named."""

import gzip
from pathlib import Path

import pytest

from evals.qrels import find_qrels, read_qrels, write_qrels
from evals.records import EvalsError

EXPECTED = {"q1": {"d1": 3, "d2": 0}, "q 2": {"007": 1}}
PLAIN = {"q1": {"d1": 3, "d2": 0}, "q2": {"007": 1}}
JSONL = "".join(
    f'{{"query-id": "{query}", "corpus-id": "{doc}", "score": {grade}}}\n'
    for query, doc, grade in (("q1", "d1", 3), ("q1", "d2", 0), ("q2", "007", 1))
)


def written(tmp_path: Path, content: str | bytes, name: str = "test.tsv") -> Path:
    path = tmp_path / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("test.tsv", "query-id\tcorpus-id\tscore\nq1\td1\t3\nq1\td2\t0\nq2\t007\t1\n"),
        ("test.tsv", "q1\td1\t3\nq1\td2\t0\nq2\t007\t1\n"),
        ("test.tsv", "q1 d1 3\nq1 d2 0\nq2 007 1"),
        ("test.tsv", "q1\t0\td1\t3\nq1\t0\td2\t0\nq2\t0\t007\t1\n"),
        ("test.tsv", "query-id corpus-id score\r\nq1 d1 3\r\nq1 d2 0\r\nq2 007 1\r\n"),
        ("test.tsv", "\ufeffquery-id\tcorpus-id\tscore\nq1\td1\t3\nq1\td2\t0\nq2\t007\t1\n"),
        ("test.tsv", "\ufeffq1\td1\t3\n\n   \nq1\td2\t0\nq2\t007\t1\n"),
        ("test.tsv", "q1\td1\t3.0\nq1\td2\t0.0\nq2\t007\t+1\n"),
        ("test.tsv", "query_id\titer\tdocno\trel\nq1\t0\td1\t3\nq1\t0\td2\t0\nq2\t0\t007\t1\n"),
        ("test.tsv", "topic iteration document judged\nq1 0 d1 3\nq1 0 d2 0\nq2 0 007 1\n"),
        ("test.tsv", "score\tdoc_id\tquery_id\n3\td1\tq1\n0\td2\tq1\n1\t007\tq2\n"),
        ("test.tsv", 'query-id\tcorpus-id\tscore\n"q1"\td1\t3\nq1\t"d2"\t0\nq2\t007\t1\n'),
        ("test.trec", "# a comment\nq1 0 d1 3\n# another, longer one\nq1 0 d2 0\nq2 Q0 007 1\n"),
        ("test.trec", "q1  0   d1 3\nq1\t0\td2\t0\nq2 0 007 1\n"),
        ("test.jsonl", JSONL),
        ("test.jsonl", "\ufeff" + JSONL.replace("\n", "\r\n\r\n")),
        ("test.jsonl", JSONL.replace('"score": 3', '"score": "3"').replace(": 1}", ": 1.0}")),
        (
            "test.jsonl",
            JSONL.replace("query-id", "query_id").replace("corpus-id", "doc_id"),
        ),
    ],
)
def test_every_form_gives_the_same_judgments(tmp_path: Path, name: str, content: str) -> None:
    assert read_qrels(written(tmp_path, content, name)).qrels == PLAIN
    packed = written(tmp_path, gzip.compress(content.encode()), f"{name}.gz")
    assert read_qrels(packed).qrels == PLAIN


def test_ids_with_blanks_need_tabs(tmp_path: Path) -> None:
    path = written(tmp_path, "q1\td1\t3\nq1\td2\t0\nq 2\t007\t1\n")
    assert read_qrels(path).qrels == EXPECTED


def test_ids_stay_text(tmp_path: Path) -> None:
    rows = "007\tNA\t1\n12345678901234567890\tnull\t2\n1e3\t0x1\t1\n#1\t\u2028\t1\n"
    assert read_qrels(written(tmp_path, rows)).qrels == {
        "007": {"NA": 1},
        "12345678901234567890": {"null": 2},
        "1e3": {"0x1": 1},
        "#1": {"\u2028": 1},
    }
    numbers = '{"query-id": 12345678901234567890, "corpus-id": 7, "score": 1}\n'
    found = read_qrels(written(tmp_path, numbers, "test.jsonl")).qrels
    assert found == {"12345678901234567890": {"7": 1}}


def test_negative_grades_stay(tmp_path: Path) -> None:
    assert read_qrels(written(tmp_path, "q1 d1 -2\n")).qrels == {"q1": {"d1": -2}}


def test_repeated_rows(tmp_path: Path) -> None:
    path = written(tmp_path, "q1\td1\t3\nq1\td1\t3\nq1\td2\t0\nq1\td2\t2\n")
    found = read_qrels(path)
    assert found.qrels == {"q1": {"d1": 3, "d2": 2}}
    assert (found.identical, found.contradictory) == (1, 1)
    said = " ".join(found.warnings(path))
    assert "1 identical" in said
    assert "line 4: q1 d2 was 0, is 2" in said


@pytest.mark.parametrize(
    ("name", "content", "line", "message"),
    [
        ("test.tsv", "q1\td1\t1\nq1\td2\t2.5\n", 2, "2.5"),
        ("test.tsv", "q1\td1\tyes\n", 1, "not a judgment"),
        ("test.tsv", "q1\td1\t1\nq1\td2\n", 2, "not a judgment"),
        ("test.tsv", "q1\td1\t1\nq1\td2\t1\t0\t5\n", 2, "not a judgment"),
        ("test.tsv", "q1\td1\t1_0\n", 1, "not a judgment"),
        ("test.tsv", "q1\td1\tnan\n", 1, "not a judgment"),
        ("test.tsv", "q1\t\t1\n", 1, "empty"),
        ("test.tsv", "q1\td\0\t1\n", 1, r"U\+0000"),
        ("test.tsv", "q1\td1\t3000000000\n", 1, "32 bits"),
        ("test.jsonl", '{"query-id": "q", "corpus-id": "d", "score": 2.5}\n', 1, "2.5"),
        ("test.jsonl", '{"query-id": "q", "corpus-id": "d", "score": true}\n', 1, "true"),
        ("test.jsonl", '{"query-id": "q", "corpus-id": "d"}\n', 1, "null"),
        ("test.jsonl", '{"query-id": "q", "score": 1}\n', 1, "corpus-id is null"),
        ("test.jsonl", '{"query-id": 1.5, "corpus-id": "d", "score": 1}\n', 1, "query-id is 1.5"),
        ("test.jsonl", '\n{"query-id": "q"', 2, "not a JSON object"),
        ("test.jsonl", "[1]\n", 1, "found list"),
    ],
)
def test_unreadable_rows_are_named(
    tmp_path: Path, name: str, content: str, line: int, message: str
) -> None:
    path = written(tmp_path, content, name)
    with pytest.raises(EvalsError, match=message) as raised:
        read_qrels(path)
    assert raised.value.where == f"{path}:{line}"


def test_an_empty_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(EvalsError, match="no judgment"):
        read_qrels(written(tmp_path, "query-id\tcorpus-id\tscore\n"))


def test_which_file_of_a_split_wins(tmp_path: Path) -> None:
    folder = tmp_path / "qrels"
    folder.mkdir()
    for name in ("train.trec", "test.trec", "test.jsonl", "other.tsv", "dev.tsv.gz"):
        (folder / name).touch()
    (tmp_path / "qrels.tsv").touch()
    found = find_qrels(tmp_path)
    assert {split: path.name for split, path in found.items()} == {
        "test": "test.jsonl",
        "train": "train.trec",
        "dev": "dev.tsv.gz",
        "other": "other.tsv",
    }
    assert list(found) == ["test", "train", "dev", "other"]
    (folder / "test.tsv").touch()
    assert find_qrels(tmp_path)["test"].name == "test.tsv"


def test_the_root_file_counts_as_test(tmp_path: Path) -> None:
    (tmp_path / "qrels.tsv").touch()
    assert find_qrels(tmp_path) == {"test": tmp_path / "qrels.tsv"}


def test_three_forms_are_written(tmp_path: Path) -> None:
    assert write_qrels(tmp_path, "test", PLAIN) == []
    assert (tmp_path / "test.tsv").read_bytes() == (
        b"query-id\tcorpus-id\tscore\nq1\td1\t3\nq1\td2\t0\nq2\t007\t1\n"
    )
    assert (tmp_path / "test.trec").read_bytes() == b"q1 0 d1 3\nq1 0 d2 0\nq2 0 007 1\n"
    assert (tmp_path / "test.jsonl").read_text(encoding="utf-8") == JSONL


def test_without_header(tmp_path: Path) -> None:
    write_qrels(tmp_path, "test", PLAIN, header=False)
    assert (tmp_path / "test.tsv").read_bytes().startswith(b"q1\td1\t3\n")


def test_forms_that_cannot_hold_an_id_are_left_out(tmp_path: Path) -> None:
    said = write_qrels(tmp_path, "test", {"q 1": {"d\t1": 1, "e": 1}})
    assert sorted(path.name for path in tmp_path.iterdir()) == ["test.jsonl"]
    assert said == [
        "test.tsv is not written: 1 ids hold a TAB or a line end",
        "test.trec is not written: 2 ids hold white space",
    ]


def test_quotation_marks_survive_in_tsv(tmp_path: Path) -> None:
    qrels = {'"q"': {'5" disk': 1, '"': 2, 'a""': 3, "'": 1}}
    write_qrels(tmp_path, "test", qrels)
    assert read_qrels(tmp_path / "test.tsv").qrels == qrels
