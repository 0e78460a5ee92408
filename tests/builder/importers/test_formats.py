"""One corpus in every format, and what each format can do wrong."""

import csv
import gzip
import io
import json
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from builder.errors import ImportFailedError
from builder.importers import import_corpus
from builder.store.documents import iterate_documents
from builder.workspace import Workspace
from evals.records import Document
from tests.builder.importers.conftest import Write, counts, quarantined

ROWS = [
    {"_id": "007", "title": 'A, "title"', "text": "one\ttwo\nthree\r\nfour", "lang": "NA"},
    {
        "_id": "12345678901234567890",
        "title": "",
        "text": "\u0627\u0644 \U0001f600 \u2028 \x85;",
        "lang": "1.0",
    },
    {"_id": "NA", "title": "null", "text": '"', "lang": ""},
    {"_id": "1e3", "title": "nan", "text": '"quoted"', "lang": "true"},
]
DOCUMENTS = [Document(row["_id"], row["title"], row["text"], {"lang": row["lang"]}) for row in ROWS]


def as_table(delimiter: str, rows: list[dict[str, str]] = ROWS, end: str = "\n") -> bytes:
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, list(rows[0]), delimiter=delimiter, lineterminator=end)
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue().encode()


def as_parquet(rows: list[dict[str, Any]], schema: pa.Schema | None = None) -> bytes:
    buffer = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(rows, schema), buffer)
    return buffer.getvalue()


FORMS = {
    "jsonl": "".join(json.dumps(row) + "\n" for row in ROWS).encode(),
    "json": json.dumps(ROWS, indent=1).encode(),
    "csv": as_table(","),
    "csv, CRLF": as_table(",", end="\r\n"),
    "csv, semicolons": as_table(";"),
    "csv, with a mark": b"\xef\xbb\xbf" + as_table(","),
    "tsv": as_table("\t"),
    "tsv, CRLF": as_table("\t", end="\r\n"),
    "parquet": as_parquet(ROWS),
}


def documents(workspace: Workspace) -> list[Document]:
    with workspace.store.read() as connection:
        return list(iterate_documents(connection))


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("form", FORMS)
def test_every_format_says_the_same(
    form: str, packed: bool, workspace: Workspace, tmp_path: Path
) -> None:
    path = tmp_path / "file"  # no ending: the content tells
    path.write_bytes(gzip.compress(FORMS[form]) if packed else FORMS[form])
    assert counts(import_corpus(workspace, path)) == (4, 0, 0, 0)
    assert documents(workspace) == DOCUMENTS


@pytest.mark.parametrize("form", ["jsonl", "json", "csv", "tsv", "parquet"])
def test_a_format_may_be_named(form: str, workspace: Workspace, write: Write) -> None:
    assert counts(import_corpus(workspace, write("x", FORMS[form]), format=form)) == (4, 0, 0, 0)


def test_a_wrong_format_is_refused(workspace: Workspace, write: Write) -> None:
    for form, named in (("jsonl", "csv"), ("csv", "tsv"), ("csv", "parquet"), ("csv", "json")):
        with pytest.raises(ImportFailedError):
            import_corpus(workspace, write("x", FORMS[form]), format=named)
    assert import_corpus(workspace, write("x", FORMS["csv"]), format="jsonl").nothing_accepted


def test_a_broken_first_line_does_not_hide_json_lines(workspace: Workspace, write: Write) -> None:
    tally = import_corpus(workspace, write("c", 'oops\n{"_id": "a", "text": "x"}\n'))
    assert counts(tally) == (1, 0, 0, 1)


def test_names_of_columns_in_any_case(workspace: Workspace, write: Write) -> None:
    path = write("c.csv", " ID ,TITLE,Text,Lang,\na,T,x,en,0\n")
    assert counts(import_corpus(workspace, path)) == (1, 0, 0, 0)
    assert documents(workspace) == [Document("a", "T", "x", {"Lang": "en", "column 5": "0"})]


@pytest.mark.parametrize("delimiter", [",", "\t", ";"])
def test_rows_that_are_too_long_or_too_short(
    delimiter: str, workspace: Workspace, write: Write
) -> None:
    rows = ["_id,text,title", "a,x", "b,x,t,more", "c,x,t,,", "d", "e,x,t"]
    text = "\n".join(rows).replace(",", delimiter)
    tally = import_corpus(workspace, write("c", text))
    assert counts(tally) == (3, 0, 0, 2)
    assert [(bad["line"], bad["reason"]) for bad in quarantined(tally)] == [
        (3, "wrong_columns"),
        (5, "missing_text"),
    ]
    assert [document.doc_id for document in documents(workspace)] == ["a", "c", "e"]


def test_quotation_marks_that_go_wrong_in_csv(workspace: Workspace, write: Write) -> None:
    text = '_id,text\na,"x" y\nb,"fine, ""quoted"""\nc,5" disk\nd,"never closed\ne,x\nf,y\n'
    tally = import_corpus(workspace, write("c.csv", text))
    assert counts(tally) == (4, 0, 0, 2)
    assert [(bad["line"], bad["reason"], bad["raw"]) for bad in quarantined(tally)] == [
        (2, "bad_csv", 'a,"x" y'),
        (5, "open_quote", 'd,"never closed'),
    ]
    assert documents(workspace) == [
        Document("b", "", 'fine, "quoted"'),
        Document("c", "", '5" disk'),
        Document("e", "", "x"),
        Document("f", "", "y"),
    ]


def test_lines_are_told_rightly_after_cells_of_several_lines(
    workspace: Workspace, write: Write
) -> None:
    text = '_id,text\na,"1\n2\n3"\n\n,"x\ny"\nb,z\n'
    tally = import_corpus(workspace, write("c.csv", text))
    assert counts(tally) == (2, 0, 0, 1)
    (bad,) = quarantined(tally)
    assert (bad["line"], bad["reason"], bad["raw"]) == (6, "missing_id", ',"x\ny"')


def test_tsv_without_quotation(workspace: Workspace, write: Write) -> None:
    lines = ["_id\ttext", 'a\t"Hello', 'b\tworld"', 'c\t"a" and "b"', 'd\t"whole"', 'e\tx "y"']
    tally = import_corpus(workspace, write("c.tsv", "\n".join(lines)))
    assert counts(tally) == (5, 0, 0, 0)
    assert [document.text for document in documents(workspace)] == [
        '"Hello',
        'world"',
        '"a" and "b"',
        "whole",
        'x "y"',
    ]


def test_tsv_that_a_csv_writer_made_is_believed(workspace: Workspace, write: Write) -> None:
    text = '_id\ttitle\ttext\na\tt\t"one\nb\tt\ttwo"\nc\n'
    tally = import_corpus(workspace, write("c.tsv", text))
    assert counts(tally) == (1, 0, 0, 1)
    assert documents(workspace) == [Document("a", "t", "one\nb\tt\ttwo")]


def test_tsv_with_cells_of_several_lines(workspace: Workspace, write: Write) -> None:
    text = '_id\ttext\tlang\na\t"one\r\n""two""\tx"\ten\nb\t"never closed\ten\nc\ty\tde\n"\n'
    tally = import_corpus(workspace, write("c.tsv", text))
    assert counts(tally) == (3, 0, 0, 1)
    assert documents(workspace) == [
        Document("a", "", 'one\r\n"two"\tx', {"lang": "en"}),
        Document("b", "", '"never closed', {"lang": "en"}),
        Document("c", "", "y", {"lang": "de"}),
    ]
    assert [(bad["line"], bad["raw"]) for bad in quarantined(tally)] == [(6, '"')]


@pytest.mark.parametrize("delimiter", [",", "\t"])
def test_a_table_row_that_is_no_utf8(delimiter: str, workspace: Workspace, write: Write) -> None:
    content = "_id,text\na,x\nb,caf\xe9\nc,y\n".replace(",", delimiter).encode("latin-1")
    tally = import_corpus(workspace, write("c", content))
    assert counts(tally) == (2, 0, 0, 1)
    assert [(bad["line"], bad["reason"]) for bad in quarantined(tally)] == [(3, "bad_utf8")]
    with pytest.raises(ImportFailedError, match="header cannot be read"):
        import_corpus(workspace, write("c", b"_id,text,caf\xe9\na,x,y\n"))


def test_a_null_character_in_a_table(workspace: Workspace, write: Write) -> None:
    tally = import_corpus(workspace, write("c.csv", "_id,text\na,x\0y\nb,z\n"))
    assert counts(tally) == (1, 0, 0, 1)
    assert tally.reasons == {"nul_character": 1}
    tally = import_corpus(workspace, write("c.csv", "_id,text\na,x\0y\n"), repair=True)
    assert tally.notes == {"repaired": 1}


def test_a_csv_cell_of_five_megabytes(workspace: Workspace, write: Write) -> None:
    text = 'x"\n,' * 1_250_000
    content = as_table(",", [{"_id": "a", "text": text}])
    assert counts(import_corpus(workspace, write("c.csv", content))) == (1, 0, 0, 0)
    assert documents(workspace) == [Document("a", "", text)]


def test_the_end_of_an_unclosed_quotation_is_not_lost(workspace: Workspace, write: Write) -> None:
    # More unclosed marks than the file is read again for: the rest is one bad row, and counted.
    text = "_id,text\n" + "".join(f'{n},"open\n' for n in range(0, 101, 2))
    tally = import_corpus(workspace, write("c.csv", text))
    assert tally.nothing_accepted
    assert "open_quote" in tally.reasons or "bad_csv" in tally.reasons


def test_a_json_array_of_any_size_is_not_held_in_memory(
    workspace: Workspace, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("builder.importers.json_rows.LARGEST_ARRAY", 100)
    with pytest.raises(ImportFailedError, match="JSON array") as caught:
        import_corpus(workspace, write("c.json", json.dumps([{"_id": "a", "text": "x" * 100}])))
    assert "jq" in (caught.value.hint or "")


def test_elements_of_a_json_array_are_counted(workspace: Workspace, write: Write) -> None:
    elements = [{"_id": "a", "text": "x"}, 7, {"_id": 1.5, "text": "x"}]
    tally = import_corpus(workspace, write("c.json", json.dumps(elements)))
    assert counts(tally) == (1, 0, 0, 2)
    assert [(bad["line"], bad["reason"], bad["raw"]) for bad in quarantined(tally)] == [
        (2, "bad_json", "7"),
        (3, "bad_id", '{"_id": 1.5, "text": "x"}'),
    ]


def test_parquet_keeps_whole_numbers_and_says_what_others_mean(
    workspace: Workspace, write: Write
) -> None:
    moment = datetime(2026, 11, 30, 12, tzinfo=UTC)
    rows: list[dict[str, Any]] = [
        {
            "_id": 2**63 - 1,
            "text": "x",
            "at": moment,
            "price": Decimal("1.10"),
            "score": float("nan"),
            "parts": [{"k": 1.5}],
            "bytes": b"abc",
        },
        {"_id": None, "text": "y"},
        {"_id": 7, "text": None, "bytes": b"\xff"},
        {"_id": 8, "text": None, "title": None},
    ]
    tally = import_corpus(workspace, write("c", as_parquet(rows)))
    assert counts(tally) == (2, 0, 0, 2)
    assert tally.reasons == {"missing_id": 1, "bad_utf8": 1}
    first, second = documents(workspace)
    assert first.doc_id == "9223372036854775807"
    assert first.metadata == {
        "at": moment.isoformat(),
        "price": "1.10",
        "score": None,
        "parts": [{"k": 1.5}],
        "bytes": "abc",
    }
    assert second.text == ""


def test_parquet_ids_that_are_floats_are_refused(workspace: Workspace, write: Write) -> None:
    # What pandas makes of whole numbers beside a missing one.
    tally = import_corpus(workspace, write("c", as_parquet([{"_id": 7.0, "text": "x"}])))
    assert tally.reasons == {"bad_id": 1}


def test_one_parquet_text_that_is_no_utf8_keeps_no_others_out(
    workspace: Workspace, write: Write
) -> None:
    texts = pa.array([b"good", b"\xff\xfe", b"also"]).view(pa.string())
    table = pa.table({"_id": pa.array(["a", "b", "c"]), "text": texts})
    buffer = io.BytesIO()
    pq.write_table(table, buffer)
    tally = import_corpus(workspace, write("c", buffer.getvalue()))
    assert counts(tally) == (2, 0, 0, 1)
    assert [(bad["line"], bad["reason"]) for bad in quarantined(tally)] == [(2, "bad_utf8")]


def test_parquet_tells_how_many_rows_there_are(workspace: Workspace, write: Write) -> None:
    path = write("c.parquet.gz", as_parquet([{"_id": str(n), "text": ""} for n in range(1500)]))
    told: list[tuple[int, int | None]] = []
    import_corpus(workspace, path, progress=lambda _, done, total: told.append((done, total)))
    assert told == [(1000, 1500), (1500, 1500)]


def test_parquet_without_a_column_and_parquet_cut_short(workspace: Workspace, write: Write) -> None:
    with pytest.raises(ImportFailedError, match="needs a column text"):
        import_corpus(workspace, write("c", as_parquet([{"_id": "a"}])))
    whole = as_parquet([{"_id": str(n), "text": f"text {n}"} for n in range(1000)])
    with pytest.raises(ImportFailedError, match="Parquet file is broken"):
        import_corpus(workspace, write("c", whole[: len(whole) // 2]))
    broken = bytearray(whole)
    broken[100:2000] = b"\xff" * 1900
    with pytest.raises(ImportFailedError, match="Parquet file is broken"):
        import_corpus(workspace, write("c", bytes(broken)))
    assert not documents(workspace)
