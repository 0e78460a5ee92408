import io
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from builder.errors import ImportFailedError
from builder.importers import import_judgments
from builder.store.judgments import current_grades, raw_judgments
from builder.store.people import add_person, all_people
from builder.store.pool import add_pairs, pool_by_source
from builder.workspace import Workspace
from tests.builder.importers.conftest import Write, counts, quarantined

HEADER = "query-id\tcorpus-id\trater\tgrade\toutcome\tcomment\ttimestamp\n"
NOON = "2026-11-30T12:00:00.000000+00:00"


def grades(workspace: Workspace) -> dict[tuple[str, str, str], int | None]:
    """(query_id, doc_id, rater) -> the grade that stands."""
    with workspace.store.read() as connection:
        rows = list(current_grades(connection))
    return {(row.query_id, row.doc_id, row.rater): row.grade for row in rows}


def kinds(workspace: Workspace) -> dict[str, str]:
    with workspace.store.read() as connection:
        return {person.name: person.kind for person in all_people(connection)}


def log_length(workspace: Workspace) -> int:
    with workspace.store.read() as connection:
        return len(list(raw_judgments(connection)))


QRELS = {
    "three columns": "query-id\tcorpus-id\tscore\nq1\td1\t3\n7\t007\t0\n",
    "no header": "q1\td1\t3\n7\t007\t0\n",
    "blanks": "q1 d1 3\n7   007  0\n",
    "blanks and a header": "query-id corpus-id score\nq1 d1 3\n7 007 0\n",
    "trec": "q1 0 d1 3\n7 0 007 0\n",
    "trec, TABs, CRLF": "q1\t0\td1\t3\r\n7\t0\t007\t0\r\n",
    "trec, Q0 and a remark": "# a remark\nq1 Q0 d1 3\n# another 1 here\n7 Q0 007 0\n",
    "whole numbers with a point": "q1\td1\t3.0\n7\t007\t0.\n",
    "comma": "query_id,doc_id,relevance\nq1,d1,3\n7,007,0\n",
    "json lines": '{"query-id": "q1", "corpus-id": "d1", "score": 3}\n'
    '{"query-id": 7, "corpus-id": "007", "score": 0.0}\n',
    "mark": "\ufeffq1\td1\t3\n7\t007\t0\n",
}


@pytest.mark.parametrize("form", QRELS)
def test_qrels_are_one_rater_called_as_the_file(form: str, judged: Workspace, write: Write) -> None:
    path = write("test.tsv.gz", QRELS[form])
    tally = import_judgments(judged, path)
    assert counts(tally) == (2, 0, 0, 0)
    assert tally.notes == {"new_rater": 1, "pair_added": 2}
    assert grades(judged) == {("q1", "d1", "test"): 3, ("7", "007", "test"): 0}
    assert kinds(judged) == {"test": "import"}
    with judged.store.read() as connection:
        assert pool_by_source(connection) == {"import": 2}
    assert counts(import_judgments(judged, path)) == (0, 2, 0, 0)


def test_new_raters_called_almost_as_others_are_told(judged: Workspace, write: Write) -> None:
    names = ["ada", "ADA", "Ada ", "A\u200bda", "Bea", "B ea"]
    with judged.store.write() as connection:
        add_person(connection, "Ada")
        add_person(connection, "bea", kind="llm")
    rows = [f"q1\td1\t{name}\t1" for name in names]
    path = write("raw.tsv", HEADER + "\n".join(rows))
    tally = import_judgments(judged, path)
    assert (tally.notes["new_rater"], tally.notes["alike_rater"]) == (5, 4)
    told = ["ada beside Ada", "ADA beside Ada", "A\u200bda beside Ada", "B ea beside Bea"]
    assert tally.as_json()["named"] == {"alike_rater": told}
    again = import_judgments(judged, path)
    assert ("alike_rater" in again.notes, again.named) == (False, {})


def test_of_many_new_names_the_first_are_told(judged: Workspace, write: Write) -> None:
    names = [name for n in range(12) for name in (f"rater{n}", f"Rater{n}")]
    rows = "\n".join(f"q1\td1\t{name}\t1" for name in names)
    tally = import_judgments(judged, write("raw.tsv", HEADER + rows))
    assert tally.notes["alike_rater"] == 12
    assert tally.named["alike_rater"][0] == "Rater0 beside rater0"
    assert len(tally.named["alike_rater"]) == 10


def test_raw_judgments_have_their_raters(judged: Workspace, write: Write) -> None:
    rows = [
        "q1\td1\tann\t3\t\tgood, \u0645\t2026-11-30T13:00:00+01:00",
        "q1\td1\tNA\t0\tgrade\t\t2026-11-30T12:00:00Z",
        'q1\td2\tann\t\tskip\t"two\nlines"\t',
        "q2\td1\tann\t\tcannot_judge",
        "q2\td2\t 007 \t2",
    ]
    with judged.store.write() as connection:
        add_pairs(connection, [("q1", "d1")], "bm25")
        add_person(connection, "ann")
    path = write("raw.tsv", HEADER + "\n".join(rows))
    tally = import_judgments(judged, path)
    assert counts(tally) == (5, 0, 0, 0)
    assert tally.notes == {"new_rater": 2, "pair_added": 3}
    assert kinds(judged) == {"ann": "human", "NA": "human", "007": "human"}
    with judged.store.read() as connection:
        standing = {(r.query_id, r.doc_id, r.rater): r for r in current_grades(connection)}
        assert pool_by_source(connection) == {"bm25": 1, "import": 3}
    ann = standing["q1", "d1", "ann"]
    assert (ann.grade, ann.comment, ann.judged_at) == (3, "good, \u0645", NOON)
    assert standing["q1", "d1", "NA"].judged_at == NOON
    assert grades(judged)["q2", "d2", "007"] == 2
    assert log_length(judged) == 5
    assert counts(import_judgments(judged, path)) == (0, 5, 0, 0)
    assert log_length(judged) == 5


def test_an_import_rater_may_be_named(judged: Workspace, write: Write) -> None:
    path = write("test.tsv", "q1\td1\t3\n")
    import_judgments(judged, path, rater="TREC 2024")
    with judged.store.write() as connection:
        add_person(connection, "ann")
    import_judgments(judged, path, rater="ann")
    assert kinds(judged) == {"TREC 2024": "import", "ann": "human"}
    assert set(grades(judged)) == {("q1", "d1", "TREC 2024"), ("q1", "d1", "ann")}


def test_a_file_that_is_called_as_a_person_is_not_theirs(judged: Workspace, write: Write) -> None:
    with judged.store.write() as connection:
        add_person(connection, "ann")
    with pytest.raises(ImportFailedError, match="ann") as caught:
        import_judgments(judged, write("ann.tsv", "q1\td1\t3\n"))
    assert "--rater" in (caught.value.hint or "")
    assert not grades(judged)


def test_rows_without_a_rater_among_others(judged: Workspace, write: Write) -> None:
    path = write("mixed.tsv", HEADER + "q1\td1\tann\t3\nq1\td1\t\t2\n")
    assert counts(import_judgments(judged, path)) == (2, 0, 0, 0)
    assert grades(judged) == {("q1", "d1", "ann"): 3, ("q1", "d1", "mixed"): 2}


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ("q1\td1\tann\t4", "bad_grade"),
        ("q1\td1\tann\t-1", "bad_grade"),
        ("q1\td1\tann\t2.5", "bad_grade"),
        ("q1\td1\tann\tx", "bad_grade"),
        ("q1\td1\tann\ttrue", "bad_grade"),
        ("q1\td1\tann\t\u0663", "bad_grade"),
        ("q1\td1\tann\t1e0", "bad_grade"),
        ("q1\td1\tann\tnan", "bad_grade"),
        ("q1\td1\tann\t", "missing_grade"),
        ("q1\td1\tann\t\tgrade", "missing_grade"),
        ("q1\td1\tann\t2\tskip", "bad_outcome"),
        ("q1\td1\tann\t\tunsure", "bad_outcome"),
        ("q1\td1\tann\t\tmaybe", "bad_outcome"),
        ("q9\td1\tann\t1", "unknown_query"),
        ("q1\td9\tann\t1", "unknown_document"),
        ("q1\t7\tann\t1", "unknown_document"),
        ("\td1\tann\t1", "missing_id"),
        ("q1\t\tann\t1", "missing_id"),
        ("q1\td1\t" + "x" * 81 + "\t1", "bad_rater"),
        ("q1\td1\ta\x01b\t1", "bad_rater"),
        ("q1\td1\tann\t1\t\ta\0b", "nul_character"),
        ("q1\td1\tann\t1\t\t\t2026-11-30T12:00:00", "naive_timestamp"),
        ("q1\td1\tann\t1\t\t\t2026-11-30", "naive_timestamp"),
        ("q1\td1\tann\t1\t\t\t1764504000", "bad_timestamp"),
        ("q1\td1\tann\t1\t\t\tyesterday", "bad_timestamp"),
        ("q1\td1\tann\t1\t\t\t0001-01-01T00:00:00+14:00", "bad_timestamp"),
        ("q1\td1\tann\t1\t\t\t\tmore", "wrong_columns"),
    ],
)
def test_a_bad_row_goes_into_quarantine(
    row: str, reason: str, judged: Workspace, write: Write
) -> None:
    tally = import_judgments(judged, write("raw.tsv", f"{HEADER}q1\td2\tann\t1\n{row}\n"))
    assert counts(tally) == (1, 0, 0, 1)
    (bad,) = quarantined(tally)
    assert (bad["file"], bad["line"], bad["reason"], bad["raw"]) == ("raw.tsv", 3, reason, row)
    assert grades(judged) == {("q1", "d2", "ann"): 1}


@pytest.mark.parametrize("value", ["true", "2.5", "[1]", '"x"', "4", "-1", '{"a": 1}', "1e400"])
def test_json_grades_that_are_none(value: str, judged: Workspace, write: Write) -> None:
    row = f'{{"query-id": "q1", "corpus-id": "d1", "rater": "ann", "grade": {value}}}\n'
    assert import_judgments(judged, write("raw.jsonl", row)).nothing_accepted


def test_json_values_of_other_types(judged: Workspace, write: Write) -> None:
    pair = {"query-id": "q1", "corpus-id": "d1"}
    rows: list[dict[str, Any]] = [
        {**pair, "rater": 7, "grade": "2", "comment": None, "timestamp": None},
        {**pair, "rater": True, "grade": 1},
        {**pair, "rater": "a", "grade": 1, "comment": 5},
        {**pair, "rater": "a", "grade": 1, "timestamp": 1764504000},
        {**pair, "rater": "a", "grade": 1, "outcome": ["skip"]},
    ]
    tally = import_judgments(judged, write("raw.jsonl", rows))
    assert counts(tally) == (1, 0, 0, 4)
    assert [bad["reason"] for bad in quarantined(tally)] == [
        "bad_rater",
        "not_text",
        "bad_timestamp",
        "bad_outcome",
    ]
    assert grades(judged) == {("q1", "d1", "7"): 2}


def test_parquet_judgments(judged: Workspace, write: Write) -> None:
    from datetime import UTC, datetime

    rows = [
        {
            "query_id": 7,
            "doc_id": "007",
            "rater": "ann",
            "grade": 2.0,
            "timestamp": datetime(2026, 11, 30, 12, tzinfo=UTC),
        },
        {"query_id": 7, "doc_id": "d1", "rater": "ann", "grade": None, "timestamp": None},
    ]
    buffer = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(rows), buffer)
    tally = import_judgments(judged, write("raw", buffer.getvalue()))
    assert counts(tally) == (1, 0, 0, 1)
    assert tally.reasons == {"missing_grade": 1}
    with judged.store.read() as connection:
        assert [row.judged_at for row in current_grades(connection)] == [NOON]


@pytest.mark.parametrize("apart", [0, 2500])
def test_a_later_row_replaces_by_file_order(apart: int, judged: Workspace, write: Write) -> None:
    between = "".join(f"q2\td{n % 3 + 1}\tr{n}\t1\n" for n in range(apart))
    path = write("raw.tsv", f"{HEADER}q1\td1\tann\t1\n{between}q1\td1\tann\t3\n")
    assert counts(import_judgments(judged, path)) == (2 + apart, 0, 0, 0)
    assert grades(judged)["q1", "d1", "ann"] == 3
    assert counts(import_judgments(judged, path)) == (0, 2 + apart, 0, 0)
    assert grades(judged)["q1", "d1", "ann"] == 3


def test_a_later_time_replaces_and_an_earlier_one_is_history(
    judged: Workspace, write: Write
) -> None:
    def row(grade: int, hour: int) -> str:
        return f"q1\td1\tann\t{grade}\t\t\t2026-11-30T{hour:02}:00:00Z\n"

    tally = import_judgments(judged, write("a.tsv", HEADER + row(3, 12) + row(1, 9)))
    assert counts(tally) == (2, 0, 0, 0)
    assert tally.notes["older"] == 1
    assert grades(judged) == {("q1", "d1", "ann"): 3}
    tally = import_judgments(judged, write("b.tsv", HEADER + row(0, 8)))
    assert (tally.accepted, tally.notes) == (1, {"older": 1})
    assert grades(judged) == {("q1", "d1", "ann"): 3}
    import_judgments(judged, write("c.tsv", HEADER + row(2, 13)))
    assert grades(judged) == {("q1", "d1", "ann"): 2}
    assert log_length(judged) == 4


@pytest.mark.parametrize("apart", [0, 2500])
def test_contradictory_rows_without_a_rater_are_all_refused(
    apart: int, judged: Workspace, write: Write
) -> None:
    between = "q2\td2\t1\n" * apart
    path = write("qrels.tsv", f"q1\td1\t0\nq1\td2\t1\n{between}q1\td1\t2\nq1\td2\t1\nq1\td1\t2\n")
    tally = import_judgments(judged, path)
    assert counts(tally) == (1 + min(apart, 1), 1 + max(apart - 1, 0), 0, 3)
    assert tally.reasons == {"contradictory": 3}
    bad = quarantined(tally)
    assert [(row["line"], row["raw"]) for row in bad] == [
        (1, "q1\td1\t0"),
        (3 + apart, "q1\td1\t2"),
        (5 + apart, "q1\td1\t2"),
    ]
    assert ("q1", "d1", "qrels") not in grades(judged)


def test_a_grade_against_a_skip_is_a_contradiction(judged: Workspace, write: Write) -> None:
    path = write("q.csv", "query-id,corpus-id,grade,outcome\nq1,d1,2,\nq1,d1,,skip\nq1,d2,,skip\n")
    tally = import_judgments(judged, path)
    assert counts(tally) == (1, 0, 0, 2)
    assert tally.reasons == {"contradictory": 2}


def test_only_good_rows_contradict(judged: Workspace, write: Write) -> None:
    tally = import_judgments(judged, write("q.tsv", "q1\td1\t2\nq1\td1\t5\nq1\td1\t2\n"))
    assert counts(tally) == (1, 1, 0, 1)
    assert grades(judged) == {("q1", "d1", "q"): 2}


def test_raters_may_contradict_each_other(judged: Workspace, write: Write) -> None:
    path = write("raw.tsv", f"{HEADER}q1\td1\tann\t0\nq1\td1\tbob\t3\n")
    assert counts(import_judgments(judged, path)) == (2, 0, 0, 0)


def test_a_query_that_is_called_as_a_column(judged: Workspace, write: Write) -> None:
    tally = import_judgments(judged, write("q.tsv", "query\td1\t3\nq1\td1\t3\n"))
    assert counts(tally) == (1, 0, 0, 1)
    assert tally.reasons == {"unknown_query": 1}


def test_further_columns_are_counted(judged: Workspace, write: Write) -> None:
    text = "query-id,corpus-id,grade,confidence\nq1,d1,2,high\nq1,d2,2,\n"
    assert import_judgments(judged, write("q.csv", text)).notes == {
        "new_rater": 1,
        "fields_ignored": 1,
        "pair_added": 2,
    }


def test_a_table_without_grades_is_told(judged: Workspace, write: Write) -> None:
    with pytest.raises(ImportFailedError, match="needs a column score or grade"):
        import_judgments(judged, write("q.tsv", "query-id\tcorpus-id\trater\nq1\td1\tann\n"))
    with pytest.raises(ImportFailedError, match="not recognised as a file of judgments"):
        import_judgments(judged, write("q.tsv", "q1\td1\thigh\n"))
    with pytest.raises(ImportFailedError, match="holds no row"):
        import_judgments(judged, write("q.tsv", HEADER))


def test_a_file_name_that_is_no_name(judged: Workspace, write: Write) -> None:
    with pytest.raises(ImportFailedError, match="cannot be named") as caught:
        import_judgments(judged, write("a\tb.tsv", "q1\td1\t2\n"))
    assert "--rater" in (caught.value.hint or "")
    assert not kinds(judged)


@pytest.mark.shared_data
def test_trec_qrels_as_they_come(judged: Workspace, shared_data: Path) -> None:
    """The official qrels hold remarks; their queries and documents are unknown here."""
    path = shared_data / "trec-eval-tests" / "raw" / "qrels.test.with-comments"
    rows = [line for line in path.read_text().splitlines() if not line.startswith("# ")]
    tally = import_judgments(judged, path)
    assert tally.reasons == {"unknown_query": len(rows)}
