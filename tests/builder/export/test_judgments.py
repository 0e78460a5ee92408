"""Files of raw judgments: what is in them, what is left out, and that none is half there."""

import csv
import gzip
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from builder.errors import BuilderError, NotAllowedError
from builder.export import export_judgments
from builder.export.judgments import (
    downloads_folder,
    export_judgments_job,
    judgments_for_download,
)
from builder.people import Person, ensure_person
from builder.store.activity import entries
from builder.store.documents import insert_documents
from builder.store.judgments import ImportedJudgment, import_judgments_batch
from builder.store.people import add_person
from builder.store.queries import insert_queries
from builder.workspace import Workspace, init_workspace
from evals.qrels import read_qrels
from evals.records import Document, Query

NOON = "2026-11-30T12:00:00.000000+00:00"
LATER = "2026-11-30T13:00:00.000000+00:00"


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    """Dana is the admin; four pairs, judged by people, a file, and a language model."""
    with init_workspace(tmp_path / "w", "Shop <1>") as opened:
        ensure_person(opened, "Dana")
        with opened.store.write() as connection:
            documents = [Document(d, f"Title {d}", "=text", {"brand": "A"}) for d in ("d1", "007")]
            insert_documents(connection, documents)
            insert_queries(connection, [Query("q1", "=one", "A need."), Query("q2", "two")])
            kinds = {"ann": "human", "bob, b": "human", "old.tsv": "import", "gpt": "llm"}
            kinds["maker"] = "synthetic"
            ids = {n: add_person(connection, n, kind=k).person_id for n, k in kinds.items()}
            rows: list[tuple[Any, ...]] = [
                ("q1", "d1", ids["ann"], "grade", 1, "was =1", NOON, "", 900),
                ("q1", "d1", ids["ann"], "grade", 3, "=1+1", LATER, "", 1200),
                ("q1", "d1", ids["bob, b"], "grade", 1, "", NOON),
                ("q1", "d1", ids["gpt"], "grade", 0, "", NOON),
                ("q1", "007", ids["old.tsv"], "grade", 2),
                ("q1", "007", ids["ann"], "cannot_judge", None, "ask Al", NOON, "Dutch"),
                ("q2", "d1", ids["ann"], "skip", None, "", NOON),
                ("q2", "007", ids["ann"], "grade", 0, "", NOON),
                ("q2", "007", ids["ann"], "undone", None, "", LATER),
                ("q2", "007", ids["maker"], "grade", 2),
            ]
            import_judgments_batch(connection, [ImportedJudgment(*row) for row in rows])
        yield opened


@pytest.fixture
def dana(workspace: Workspace) -> Person:
    return ensure_person(workspace, "Dana")


def table(path: Path, delimiter: str) -> list[dict[str, str]]:
    text = path.read_bytes().decode("utf-8-sig")
    return list(csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True))


def test_a_table_holds_all_that_stands(workspace: Workspace, tmp_path: Path) -> None:
    told = export_judgments(workspace, tmp_path / "out.tsv")
    rows = table(tmp_path / "out.tsv", "\t")
    assert told == {
        "file": str(tmp_path / "out.tsv"),
        "format": "tsv",
        "written": 7,
        "pairs": 4,
        "raters": 5,
        "of_models": 2,
        "outcomes": {"cannot_judge": 1, "grade": 5, "skip": 1},
        "left_out": {},
        "withheld_texts": 0,
        "warnings": ["2 of the judgments are a language model's, 5 of people or imports"],
    }
    assert rows[3] == {
        "query-id": "q1",
        "corpus-id": "d1",
        "rater": "bob, b",
        "grade": "1",
        "outcome": "grade",
        "comment": "",
        "timestamp": NOON,
        "reason": "",
        "milliseconds": "",
        "guidelines_version": "",
        "kind": "human",
        "recorded": "",
    }
    assert [(r["corpus-id"], r["rater"]) for r in rows[:2]] == [("007", "ann"), ("007", "old.tsv")]
    assert (rows[0]["grade"], rows[0]["reason"], rows[1]["timestamp"]) == ("", "Dutch", "")


def test_the_whole_log_says_what_was_undone(workspace: Workspace, tmp_path: Path) -> None:
    told = export_judgments(workspace, tmp_path / "out.jsonl.gz", everything=True)
    lines = gzip.decompress((tmp_path / "out.jsonl.gz").read_bytes()).decode().splitlines()
    rows = [json.loads(line) for line in lines]
    assert told["written"] == len(rows) == 10
    assert told["outcomes"] == {"cannot_judge": 1, "grade": 7, "skip": 1, "undone": 1}
    mine = [r for r in rows if r["rater"] == "ann" and r["corpus-id"] == "007"]
    assert [r["outcome"] for r in mine] == ["cannot_judge", "grade", "undone"]
    # What an import gave no time counts from when it came in.
    assert all((r["timestamp"] is None) == (r["recorded"] is not None) for r in rows)
    assert {r["rater"] for r in rows if r["recorded"]} == {"old.tsv", "maker"}


def test_a_table_for_excel(workspace: Workspace, tmp_path: Path) -> None:
    export_judgments(workspace, tmp_path / "out.csv", excel=True)
    content = (tmp_path / "out.csv").read_bytes()
    assert content.startswith(b"\xef\xbb\xbfquery-id,")
    assert content.count(b"\r\n") == 8
    rows = table(tmp_path / "out.csv", ",")
    assert {row["guard"] for row in rows} == {"apostrophe"}
    assert [row["corpus-id"] for row in rows[:2]] == ["'007", "'007"]
    assert rows[2]["comment"] == "'=1+1"


def test_a_cell_that_excel_would_cut_is_told(workspace: Workspace, tmp_path: Path) -> None:
    with workspace.store.write() as connection:
        ann = add_person(connection, "ann").person_id
        long = ImportedJudgment("q1", "d1", ann, "grade", 2, "x" * 40_000, "2027" + NOON[4:])
        import_judgments_batch(connection, [long])
    told = export_judgments(workspace, tmp_path / "out.csv", excel=True)
    assert "1 cells of comment are longer than 32,767" in told["warnings"][0]


def test_under_pseudonyms_nobody_is_named(workspace: Workspace, tmp_path: Path) -> None:
    told = export_judgments(workspace, tmp_path / "out.csv", pseudonymous=True)
    text = (tmp_path / "out.csv").read_text("utf-8")
    assert not any(name in text for name in (",ann,", "bob", "old.tsv", "gpt", "Al", "Dutch"))
    assert "rater-02" in text
    assert told["withheld_texts"] == 3


@pytest.mark.parametrize(("rule", "grade"), [("majority", 1), ("mean", 2)])
def test_trec_holds_one_grade_a_pair(
    workspace: Workspace, tmp_path: Path, rule: str, grade: int
) -> None:
    told = export_judgments(workspace, tmp_path / "out.trec", rule=rule)
    qrels = read_qrels(tmp_path / "out.trec").qrels
    # What the language model brought along with its query stays behind: no line could say so.
    assert qrels == {"q1": {"d1": grade, "007": 2}}
    assert (told["written"], told["pairs"]) == (2, 2)
    assert told["left_out"] == {"cannot_judge": 1, "llm": 1, "skip": 1, "synthetic": 1}


def test_quepid_is_told_what_people_and_files_said(workspace: Workspace, tmp_path: Path) -> None:
    told = export_judgments(workspace, tmp_path / "book.json", "quepid-json")
    book = json.loads((tmp_path / "book.json").read_text("utf-8"))
    assert told["left_out"] == {"llm": 1, "synthetic": 1}
    assert book["scale_with_labels"]["3"] == "highly relevant"
    first, second, third = book["query_doc_pairs"]
    assert (first["query_text"], first["doc_id"], first["position"]) == ("=one", "007", 1)
    assert first["information_need"] == "A need."
    assert json.loads(first["document_fields"]) == {
        "brand": "A",
        "title": "Title 007",
        "text": "=text",
    }
    assert first["options"] == {
        "query_id": "q1",
        "rater_kinds": {"old.tsv": "import"},
        "rater_texts": {"ann": ["Dutch", "ask Al"]},
    }
    assert first["judgements"][0] == {
        "rating": None,
        "unrateable": True,
        "judge_later": False,
        "user_email": "ann",
        "explanation": "Dutch\nask Al",
        "created_at": NOON,
    }
    assert [j["rating"] for j in second["judgements"]] == [3.0, 1.0]
    assert third["judgements"][0]["judge_later"] is True


def test_quepid_as_a_table(workspace: Workspace, tmp_path: Path) -> None:
    told = export_judgments(workspace, tmp_path / "book.csv", "quepid-csv")
    lines = (tmp_path / "book.csv").read_text("utf-8").splitlines()
    assert lines == [
        'query,docid,ann,"bob, b",old.tsv',
        '" =one",007,,,2',
        '" =one",d1,3,1,',
    ]
    left_out = {"cannot_judge": 1, "comments": 1, "llm": 1, "skip": 1, "synthetic": 1}
    assert told["left_out"] == left_out


def test_queries_of_one_text_are_told(workspace: Workspace, tmp_path: Path) -> None:
    with workspace.store.write() as connection:
        insert_queries(connection, [Query("q3", "=one")])
        ann = add_person(connection, "ann").person_id
        import_judgments_batch(connection, [ImportedJudgment("q3", "d1", ann, "grade", 2)])
    told = export_judgments(workspace, tmp_path / "book.csv", "quepid-csv")
    assert "several queries, such as '=one'" in told["warnings"][0]


def test_label_studio_gets_tasks_and_their_interface(workspace: Workspace, tmp_path: Path) -> None:
    told = export_judgments(workspace, tmp_path / "tasks.json", "label-studio")
    tasks = json.loads((tmp_path / "tasks.json").read_text("utf-8"))
    assert [len(task["annotations"]) for task in tasks] == [2, 2, 1]
    assert tasks[1]["data"]["query"] == "=one"
    mine = tasks[1]["annotations"][0]
    assert (mine["completed_by"], mine["lead_time"]) == ({"email": "ann"}, 1.2)
    assert mine["result"][0]["value"] == {"choices": ["3"]}
    assert tasks[2]["annotations"][0]["was_cancelled"] is True
    interface = ElementTree.parse(told["interface_file"]).getroot()  # noqa: S314 - our own
    choices = [choice.attrib["alias"] for choice in interface.iter("Choice")]
    assert choices == ["0", "1", "2", "3", "cannot_judge"]
    names = {element.attrib.get("name") for element in interface.iter()}
    used = {part["from_name"] for t in tasks for a in t["annotations"] for part in a["result"]}
    assert used <= names


def test_a_file_that_is_there_is_kept(workspace: Workspace, tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    out.write_text("mine")
    with pytest.raises(BuilderError, match="already"):
        export_judgments(workspace, out)
    assert out.read_text() == "mine"
    assert export_judgments(workspace, out, force=True)["written"] == 7
    assert out.read_text() != "mine"


def test_an_export_that_is_stopped_leaves_nothing(workspace: Workspace, tmp_path: Path) -> None:
    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    folder = tmp_path / "out"
    folder.mkdir()
    with pytest.raises(KeyboardInterrupt):
        export_judgments(workspace, folder / "out.csv", progress=stop)
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize(
    ("name", "how", "message"),
    [
        ("out.json", {}, "does not say in which format"),
        ("out.csv", {"format": "xls"}, "unknown"),
        ("out.jsonl", {"excel": True}, "no table for Excel"),
        ("out.json", {"format": "quepid-json", "everything": True}, "replaced or undone"),
        ("out.trec", {"rule": "best"}, "no rule"),
        ("absent/out.csv", {}, "folder of the file"),
        ("", {}, "folder"),
    ],
)
def test_what_cannot_be_is_refused(
    name: str, how: dict[str, Any], message: str, workspace: Workspace, tmp_path: Path
) -> None:
    folder = tmp_path / "out"
    folder.mkdir()
    how = {"format": "csv", **how} if not name else how
    with pytest.raises(BuilderError, match=message):
        export_judgments(workspace, folder / name if name else folder, **how)
    assert list(folder.iterdir()) == []


def test_an_id_with_a_blank_cannot_go_into_trec(workspace: Workspace, tmp_path: Path) -> None:
    with workspace.store.write() as connection:
        insert_documents(connection, [Document("d 9", "", "text")])
        ann = add_person(connection, "ann").person_id
        import_judgments_batch(connection, [ImportedJudgment("q1", "d 9", ann, "grade", 2)])
    with pytest.raises(BuilderError, match="'d 9' holds one"):
        export_judgments(workspace, tmp_path / "out.trec")
    assert not (tmp_path / "out.trec").exists()


def test_without_judgments_there_is_no_file(tmp_path: Path) -> None:
    with init_workspace(tmp_path / "w") as empty:
        for form in ("csv", "trec", "label-studio"):
            with pytest.raises(BuilderError, match="no judgment"):
                export_judgments(empty, tmp_path / "out", form)
    assert [path.name for path in tmp_path.iterdir()] == ["w"]


def test_raters_may_not_take_judgments_away(workspace: Workspace, dana: Person) -> None:
    ann = ensure_person(workspace, "ann")
    with pytest.raises(NotAllowedError):
        judgments_for_download(workspace, ann, format="csv")
    assert judgments_for_download(workspace, dana, format="jsonl").count(b"\n") == 7
    assert list(downloads_folder(workspace).iterdir()) == []


def test_every_file_is_noted(workspace: Workspace, dana: Person, tmp_path: Path) -> None:
    export_judgments(workspace, tmp_path / "out.csv", actor=dana, pseudonymous=True)
    export_judgments(workspace, tmp_path / "out.trec")
    with workspace.store.read() as connection:
        last, first = entries(connection, limit=2, prefix="judgments.")
    assert (first.actor, first.subject, first.details["pseudonymous"]) == ("Dana", "out.csv", True)
    assert (last.actor, last.subject, last.details["written"]) == ("terminal", "out.trec", 2)


def test_the_job_keeps_one_file(workspace: Workspace, dana: Person) -> None:
    for form in ("csv", "label-studio"):
        asked = {"actor": dana.name, "format": form}
        told = export_judgments_job(workspace, asked, lambda *_: None)
    names = sorted(path.name for path in downloads_folder(workspace).iterdir())
    assert names == sorted([Path(told["file"]).name, Path(told["interface_file"]).name])
    with pytest.raises(NotAllowedError):
        export_judgments_job(workspace, {"actor": "Nobody", "format": "csv"}, lambda *_: None)
