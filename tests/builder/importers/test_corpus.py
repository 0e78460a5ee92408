import json
import resource
from pathlib import Path
from typing import Any

import pytest

from builder.errors import ImportFailedError, NotAllowedError
from builder.importers import import_corpus
from builder.people import ensure_person
from builder.store.documents import get_document, iterate_documents
from builder.workspace import Workspace
from evals.records import Document
from tests.builder.importers.conftest import Write, counts, quarantined


def documents(workspace: Workspace) -> list[Document]:
    with workspace.store.read() as connection:
        return list(iterate_documents(connection))


def ids(workspace: Workspace) -> list[str]:
    return [document.doc_id for document in documents(workspace)]


def test_title_text_and_metadata_come_in(workspace: Workspace, write: Write) -> None:
    rows: list[dict[str, Any]] = [
        {"_id": "a", "title": "T", "text": "x", "year": 1999, "by": ["b", None, {"c": 1.5}]},
        {"id": "b", "text": ""},
        {"doc_id": "c", "title": None, "text": "y", "metadata": {}},
        {"_id": "d", "text": "z", "metadata": {"url": "http://x"}, "lang": "en"},
    ]
    tally = import_corpus(workspace, write("corpus.jsonl", rows))
    assert counts(tally) == (4, 0, 0, 0)
    assert tally.quarantine_file is None
    assert documents(workspace) == [
        Document("a", "T", "x", {"year": 1999, "by": ["b", None, {"c": 1.5}]}),
        Document("b", "", ""),
        Document("c", "", "y"),
        Document("d", "", "z", {"url": "http://x", "lang": "en"}),
    ]


def test_ids_stay_as_they_are_written(workspace: Workspace, write: Write) -> None:
    text = "".join(
        f'{{"_id": {written}, "text": "x"}}\n'
        for written in (
            '"007"',
            "7",
            "12345678901234567890",
            '"NA"',
            '"null"',
            '"nan"',
            "-5",
            '" a"',
        )
    )
    assert counts(import_corpus(workspace, write("c.jsonl", text))) == (8, 0, 0, 0)
    assert ids(workspace) == ["007", "7", "12345678901234567890", "NA", "null", "nan", "-5", " a"]


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ('{"_id": 1.0, "text": "x"}', "bad_id"),
        ('{"_id": 1e3, "text": "x"}', "bad_id"),
        ('{"_id": true, "text": "x"}', "bad_id"),
        ('{"_id": ["a"], "text": "x"}', "bad_id"),
        ('{"_id": "a\\tb", "text": "x"}', "bad_id"),
        ('{"_id": "a\\u0000", "text": "x"}', "bad_id"),
        ('{"_id": "\\ud800", "text": "x"}', "bad_id"),
        ('{"_id": "", "text": "x"}', "missing_id"),
        ('{"_id": " ", "text": "x"}', "missing_id"),
        ('{"_id": null, "text": "x"}', "missing_id"),
        ('{"text": "x"}', "missing_id"),
        ('{"_id": "a"}', "missing_text"),
        ('{"_id": "a", "Text": "x"}', "missing_text"),
        ('{"_id": "a", "text": 7}', "not_text"),
        ('{"_id": "a", "title": false, "text": "x"}', "not_text"),
        ('{"_id": "a", "text": "x\\u0000"}', "nul_character"),
        ('{"_id": "a", "title": "\\ud83d", "text": "x"}', "lone_surrogate"),
        ('{"_id": "a", "text": "x", "m": {"k": ["\\udc00"]}}', "lone_surrogate"),
        ('{"_id": "a", "text": "x", "\\u0000": 1}', "nul_character"),
        ('{"_id": "a", "text": "x", "score": NaN}', "bad_json"),
        ('{"_id": "a", "text": "x", "score": 1e999}', "bad_json"),
        ('{"_id": "a", "_id": "b", "text": "x"}', "bad_json"),
        ('["a", "x"]', "bad_json"),
        ("null", "bad_json"),
        ('{"_id": "a", "text": "x"', "bad_json"),
        ('{"_id": "a", "text": "x"}{"_id": "b", "text": "x"}', "bad_json"),
        ('{"_id": ' + "9" * 5000 + ', "text": "x"}', "bad_json"),
        ('{"_id": "a", "text": "x", "m": ' + "[" * 100_000 + "]" * 100_000 + "}", "bad_json"),
        ('{"_id": "a", "text": "x", "m": ' + "[" * 900 + "]" * 900 + "}", "bad_json"),
    ],
)
def test_a_bad_row_goes_into_quarantine_and_the_others_come_in(
    row: str, reason: str, workspace: Workspace, write: Write
) -> None:
    good = '{"_id": "good", "text": "x"}'
    tally = import_corpus(workspace, write("c.jsonl", f"{good}\n\n{row}\n"))
    assert counts(tally) == (1, 0, 0, 1)
    assert tally.reasons == {reason: 1}
    assert ids(workspace) == ["good"]
    (bad,) = quarantined(tally)
    assert (bad["file"], bad["line"], bad["reason"]) == ("c.jsonl", 3, reason)
    assert bad["raw"] == row[:2000]
    assert bad["raw_characters"] == len(row)
    assert bad["message"].endswith((".", "…"))


def test_repair_puts_a_replacement_and_counts_rows(workspace: Workspace, write: Write) -> None:
    path = write(
        "c.jsonl",
        '{"_id": "a", "title": "\\u0000\\u0000", "text": "x\\ud83d", '
        '"m": {"k\\u0000": "\\udc00"}}\n'
        '{"_id": "b", "text": "\\ud83d\\ude00"}\n'
        '{"_id": "c\\u0000", "text": "x"}\n'
        '{"_id": "d", "text": "raw \x00 byte"}\n',
    )
    tally = import_corpus(workspace, path, repair=True)
    assert counts(tally) == (3, 0, 0, 1)
    assert tally.notes == {"repaired": 2}
    assert documents(workspace) == [
        Document("a", "\ufffd\ufffd", "x\ufffd", {"m": {"k\ufffd": "\ufffd"}}),
        Document("b", "", "\U0001f600"),
        Document("d", "", "raw \ufffd byte"),
    ]


def test_a_second_import_changes_nothing(workspace: Workspace, write: Write) -> None:
    path = write("c.jsonl", [{"_id": str(n), "text": f"text {n}"} for n in range(2500)])
    assert counts(import_corpus(workspace, path)) == (2500, 0, 0, 0)
    assert counts(import_corpus(workspace, path)) == (0, 2500, 0, 0)
    assert len(documents(workspace)) == 2500


@pytest.mark.parametrize("apart", [0, 1500])
def test_repeats_within_a_file(apart: int, workspace: Workspace, write: Write) -> None:
    between = [{"_id": f"between {n}", "text": ""} for n in range(apart)]
    first, same, other = ({"_id": "a", "text": text} for text in ("one", "one", "two"))
    tally = import_corpus(workspace, write("c.jsonl", [first, *between, same, other]))
    assert counts(tally) == (1 + apart, 1, 0, 1)
    assert tally.reasons == {"changed": 1}
    assert quarantined(tally)[0]["line"] == 3 + apart
    assert documents(workspace)[0] == Document("a", "", "one")


@pytest.mark.parametrize("apart", [0, 1500])
def test_update_replaces_in_the_file_and_in_the_corpus(
    apart: int, workspace: Workspace, write: Write
) -> None:
    import_corpus(workspace, write("old.jsonl", [{"_id": "old", "text": "1", "year": 1}]))
    between = [{"_id": f"between {n}", "text": ""} for n in range(apart)]
    rows = [
        {"_id": "old", "text": "2"},
        {"_id": "new", "text": "1"},
        *between,
        {"_id": "old", "text": "3"},
        {"_id": "new", "text": "2"},
        {"_id": "new", "text": "2"},
    ]
    tally = import_corpus(workspace, write("new.jsonl", rows), update=True)
    assert counts(tally) == (1 + apart, 1, 3, 0)
    with workspace.store.read() as connection:
        assert get_document(connection, "old") == Document("old", "", "3")
        assert get_document(connection, "new") == Document("new", "", "2")
    assert documents(workspace)[0].doc_id == "old"


def test_a_changed_document_stays_as_it_was(workspace: Workspace, write: Write) -> None:
    import_corpus(workspace, write("c.jsonl", [{"_id": "a", "text": "x", "m": 1}]))
    for row in ({"_id": "a", "text": "x", "m": 2}, {"_id": "a", "text": "x"}):
        tally = import_corpus(workspace, write("d.jsonl", [row]))
        assert tally.reasons == {"changed": 1}
        assert tally.nothing_accepted
        assert "--update" in quarantined(tally)[0]["message"]
    assert documents(workspace) == [Document("a", "", "x", {"m": 1})]


def test_strange_texts_come_through(workspace: Workspace, write: Write) -> None:
    texts = [
        "\U0001f469\u200d\U0001f52c emoji",
        "\u0627\u0644\u0633\u0644\u0627\u0645 \u05e9\u05dc\u05d5\u05dd",
        "line\u2028separator\u2029and\x85next\x0bline\x0cfeed\x1c",
        "e\u0301 is not \u00e9",
        "\ufeffmark inside",
        "tab\tand\nline end\r\nand return\r",
        "\uffff\ufdd0 noncharacters",
    ]
    rows = [{"_id": text.replace("\t", "").split()[0], "text": text} for text in texts[:4]]
    rows += [{"_id": str(at), "text": text} for at, text in enumerate(texts)]
    tally = import_corpus(workspace, write("c.jsonl", rows))
    assert counts(tally) == (len(rows), 0, 0, 0)
    assert [document.text for document in documents(workspace)] == texts[:4] + texts


def test_byte_order_mark_crlf_and_no_line_end(workspace: Workspace, write: Write) -> None:
    content = b'\xef\xbb\xbf{"_id": "a", "text": "x"}\r\n  \r\n\t\n{"_id": "b", "text": "y"}'
    assert counts(import_corpus(workspace, write("c.jsonl", content))) == (2, 0, 0, 0)
    assert ids(workspace) == ["a", "b"]


def test_a_line_that_is_no_utf8(workspace: Workspace, write: Write) -> None:
    lines = [b'{"_id": "a", "text": "x"}', '{"_id": "b", "text": "caf\xe9"}'.encode("latin-1")]
    tally = import_corpus(workspace, write("c.jsonl", b"\n".join([*lines, lines[0]])), repair=True)
    assert counts(tally) == (1, 1, 0, 1)
    (bad,) = quarantined(tally)
    assert (bad["reason"], bad["line"]) == ("bad_utf8", 2)
    assert "0xe9 at column 26" in bad["message"]
    assert "caf\\xe9" in bad["raw"]


def test_a_line_of_five_megabytes(workspace: Workspace, write: Write) -> None:
    text = "x" * 5_000_000
    rows = [{"_id": "a", "text": text}, {"_id": "b", "text": text + "\0"}, {"_id": "c", "text": ""}]
    tally = import_corpus(workspace, write("c.jsonl.gz", rows))
    assert counts(tally) == (2, 0, 0, 1)
    assert documents(workspace) == [Document("a", "", text), Document("c", "", "")]
    (bad,) = quarantined(tally)
    assert len(bad["raw"]) == 2000
    assert bad["raw_characters"] > 5_000_000
    assert tally.quarantine_file is not None
    assert tally.quarantine_file.stat().st_size < 10_000


def test_a_line_that_never_ends_fills_no_memory(
    workspace: Workspace, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("builder.importers.lines.LONGEST_LINE", 1000)
    lines = ['{"_id": "a", "text": "x"}', '{"_id": "b", "text": "' + "y" * 4500 + '"}']
    tally = import_corpus(workspace, write("c.jsonl", "\n".join([*lines, lines[0]])))
    assert counts(tally) == (1, 1, 0, 1)
    (bad,) = quarantined(tally)
    assert (bad["reason"], bad["line"]) == ("line_too_long", 2)
    assert f"{len(lines[1]) + 1:,} bytes" in bad["message"]


def test_an_empty_text_given_as_null_is_noted(workspace: Workspace, write: Write) -> None:
    tally = import_corpus(workspace, write("c.jsonl", [{"_id": "a", "title": "t", "text": None}]))
    assert counts(tally) == (1, 0, 0, 0)
    assert tally.notes == {"null_text": 1}


def test_progress_tells_rows_and_may_cancel(workspace: Workspace, write: Write) -> None:
    path = write("c.jsonl", [{"_id": str(n), "text": ""} for n in range(2500)])
    told: list[tuple[str, int, int | None]] = []
    import_corpus(workspace, path, progress=lambda *step: told.append(step))
    assert told == [("reading c.jsonl", done, None) for done in (1000, 2000, 2500)]

    def cancel(_what: str, done: int, _total: int | None) -> None:
        if done == 2000:
            raise KeyboardInterrupt

    more = write("d.jsonl", [{"_id": f"more {n}", "text": ""} for n in range(2500)] + [{"_id": 1}])
    with pytest.raises(KeyboardInterrupt):
        import_corpus(workspace, more, progress=cancel)
    assert len(documents(workspace)) == 2500
    assert not list(workspace.quarantine_folder.iterdir())
    assert counts(import_corpus(workspace, more)) == (2500, 0, 0, 1)


def test_grading_goes_on_while_a_file_is_read(workspace: Workspace, write: Write) -> None:
    path = write("c.jsonl", [{"_id": str(n), "text": ""} for n in range(2500)])

    def grade(_what: str, _done: int, _total: int | None) -> None:
        with workspace.store.write() as connection:
            connection.exec_driver_sql("PRAGMA user_version")

    assert counts(import_corpus(workspace, path, progress=grade)) == (2500, 0, 0, 0)


def test_imports_wait_for_each_other(workspace: Workspace, write: Write) -> None:
    path = write("c.jsonl", [{"_id": "a", "text": "x"}])
    told: list[str] = []

    def give_up(what: str, _done: int, _total: int | None) -> None:
        told.append(what)
        raise InterruptedError

    def again(_what: str, _done: int, _total: int | None) -> None:
        with pytest.raises(InterruptedError):
            import_corpus(workspace, path, progress=give_up)

    import_corpus(workspace, path, progress=again)
    assert told == ["waiting for another import"]


def test_whoever_imports_is_an_analyst(workspace: Workspace, write: Write) -> None:
    path = write("c.jsonl", [{"_id": "a", "text": "x"}])
    admin, rater = ensure_person(workspace, "Ann"), ensure_person(workspace, "Bob")
    with pytest.raises(NotAllowedError, match="Bob"):
        import_corpus(workspace, path, actor=rater)
    assert counts(import_corpus(workspace, path, actor=admin)) == (1, 0, 0, 0)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "no row"),
        (b"\n  \n\r\n", "no row"),
        (b"\xef\xbb\xbf", "no row"),
        (b"_id,title,text\n", "no row"),
        (b"[]", "no row"),
        (b"PK\x03\x04rest", "zip archive or a spreadsheet"),
        (b"%PDF-1.7", "a PDF"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(range(256)), "binary"),
        (b"PAR1 and nothing more", "Parquet file is broken"),
        (b"\x1f\x8b broken", "gzip file is broken"),
        ('{"_id": "a"}'.encode("utf-16"), "UTF-16"),
        (b"just a text\nof two lines", "not recognised"),
        (b"name,text\nx,y", "not recognised"),
        (b"_id,body\nx,y", "needs a column text; this one has _id, body"),
        (b"_id,text,text\nx,y,z", "'text' twice"),
        (b'{"_id": "a", "text": "x"', None),
        (b'["a"]', None),
        (b'[{"_id": "a"', "no JSON"),
    ],
)
def test_a_file_of_no_use_is_told(
    content: bytes, message: str | None, workspace: Workspace, write: Write
) -> None:
    path = write("c", content)
    if message is None:
        assert import_corpus(workspace, path).nothing_accepted
        return
    with pytest.raises(ImportFailedError, match=message) as caught:
        import_corpus(workspace, path)
    assert "c" in (caught.value.where or "")
    assert not documents(workspace)
    assert not list(workspace.quarantine_folder.iterdir())


def test_a_path_of_no_use_is_told(workspace: Workspace, tmp_path: Path) -> None:
    with pytest.raises(ImportFailedError, match="No such file"):
        import_corpus(workspace, tmp_path / "absent.jsonl")
    with pytest.raises(ImportFailedError, match="folder") as caught:
        import_corpus(workspace, tmp_path)
    assert "import FOLDER" in (caught.value.hint or "")
    with pytest.raises(ImportFailedError, match="unknown"):
        import_corpus(workspace, tmp_path, format="xlsx")
    with pytest.raises(ImportFailedError, match="no regular file"):
        import_corpus(workspace, Path("/dev/null"))


def test_a_truncated_gzip_changes_nothing(workspace: Workspace, write: Write) -> None:
    rows = [{"_id": str(n), "text": f"text {n * 7919}"} for n in range(5000)]
    path = write("c.jsonl.gz", rows)
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(ImportFailedError, match="gzip file is broken"):
        import_corpus(workspace, path)
    assert not documents(workspace)


def test_the_quarantine_keeps_what_cannot_be_printed(workspace: Workspace, write: Write) -> None:
    rows = '{"_id": "a", "text": "\\ud83d \u2028 \u0645"}\n{"_id": 1}\n'
    tally = import_corpus(workspace, write("odd name \u0645.jsonl", rows))
    first, second = quarantined(tally)
    assert first["raw"] == rows.partition("\n")[0]
    assert second["raw"] == '{"_id": 1}'
    assert tally.as_json()["quarantine_file"] == str(tally.quarantine_file)
    assert [path.suffix for path in workspace.quarantine_folder.iterdir()] == [".jsonl"]


def test_memory_stays_flat(workspace: Workspace, tmp_path: Path) -> None:
    path = tmp_path / "c.jsonl"
    text = "x" * 10_000
    with path.open("w", encoding="utf-8") as stream:
        for n in range(12_000):  # 120 MB
            stream.write(json.dumps({"_id": str(n), "text": text}) + "\n")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert counts(import_corpus(workspace, path)) == (12_000, 0, 0, 0)
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    assert grown < 90, f"{grown:.0f} MB more for a file of 120 MB"
