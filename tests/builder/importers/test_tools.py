"""What Quepid and Label Studio write comes in as it is; what is wrong says why."""

import json
from pathlib import Path
from typing import Any

import pytest

from builder.errors import BuilderError, ImportFailedError
from builder.importers import import_book, import_corpus, import_judgments, import_queries
from builder.importers.json_stream import array_elements, array_members
from builder.store.documents import get_document
from builder.store.judgment_rows import standing_rows
from builder.store.people import all_people
from builder.store.queries import iterate_queries
from builder.workspace import Workspace
from tests.builder.importers.conftest import Write, counts, quarantined

NOON = "2026-11-30T12:00:00.000000+00:00"


def judgement(rating: Any, user: str | None = "ann@x.org", **more: Any) -> dict[str, Any]:
    base = {"unrateable": False, "judge_later": False, "user_email": user}
    return {"rating": rating, **base, **more}


def pair(query: str, doc_id: str, *judgements: dict[str, Any], **more: Any) -> dict[str, Any]:
    fields = {"name": f"Name {doc_id}", "brand": "Acme", "thumb": "http://x.org/i.jpg"}
    told = {"query_text": query, "doc_id": doc_id, "position": 1, "information_need": None}
    told |= {"document_fields": json.dumps(fields), "judgements": list(judgements)}
    return {**told, **more}


def book(*pairs: dict[str, Any], **more: Any) -> str:
    return json.dumps(
        {"name": "A book", "scorer": {"code": "{[("}, "query_doc_pairs": pairs} | more
    )


def said(workspace: Workspace) -> dict[tuple[str, str, str], tuple[Any, ...]]:
    with workspace.store.read() as connection:
        return {
            row[:3]: (row.outcome, row.grade, row.comment, row.reason, row.moment)
            for row in standing_rows(connection)
        }


def reasons(workspace: Workspace, path: Path) -> dict[str, int]:
    tally = import_judgments(workspace, path)
    assert tally.read == tally.accepted + tally.duplicate + tally.updated + tally.quarantined
    return dict(tally.reasons)


BOOK = book(
    pair("red shoe", "d1", judgement(3.0), judgement(None, "bob", unrateable=True)),
    pair("red shoe", "d2", judgement(None, judge_later=True, explanation="busy")),
    pair("Red shoe", "d1", judgement(0.0, explanation="no \U0001f45f"), information_need="sandals"),
    pair("red shoe", "d3", information_need="Something to run in."),
)


def test_a_book_brings_documents_queries_and_judgments(workspace: Workspace, write: Write) -> None:
    path = write("book.json.gz", BOOK)
    tallies = import_book(workspace, path)
    assert {what: counts(tally) for what, tally in tallies.items()} == {
        "corpus": (3, 0, 0, 0),
        "queries": (2, 0, 0, 0),
        "pool": (4, 0, 0, 0),
        "judgments": (4, 0, 0, 0),
    }
    assert said(workspace) == {
        ("red-shoe", "d1", "ann@x.org"): ("grade", 3, "", "", None),
        ("red-shoe", "d1", "bob"): ("cannot_judge", None, "", "", None),
        ("red-shoe", "d2", "ann@x.org"): ("skip", None, "", "busy", None),
        ("Red-shoe", "d1", "ann@x.org"): ("grade", 0, "no \U0001f45f", "", None),
    }
    with workspace.store.read() as connection:
        needs = {query.query_id: query.need for query in iterate_queries(connection)}
        document = get_document(connection, "d1")
    assert needs == {"red-shoe": "Something to run in.", "Red-shoe": "sandals"}
    assert document is not None
    assert (document.title, document.text) == ("Name d1", "Acme")
    assert document.metadata["thumb"] == "http://x.org/i.jpg"
    again = import_book(workspace, path)
    assert all(tally.duplicate == tally.read for tally in again.values())


def test_three_commands_do_what_one_does(workspace: Workspace, write: Write) -> None:
    path = write("book.json", json.dumps(json.loads(BOOK), indent=2))
    for bring_in in (import_corpus, import_queries, import_judgments):
        assert bring_in(workspace, path).quarantined == 0
    assert len(said(workspace)) == 4


def test_queries_that_read_alike_here_are_meant(judged: Workspace, write: Write) -> None:
    path = write("book.json", book(pair("q1", "d1", judgement(2)), pair("new?", "d1")))
    tally = import_queries(judged, path)
    assert counts(tally) == (1, 1, 0, 0)
    assert counts(import_judgments(judged, path)) == (1, 0, 0, 0)
    assert list(said(judged)) == [("q1", "d1", "ann@x.org")]


def test_texts_with_the_same_words_get_ids_of_their_own(workspace: Workspace, write: Write) -> None:
    texts = ["a b", "a-b", "???", "!!!", "x" * 300, "x" * 301, "a  b"]
    path = write("book.json", book(*(pair(text, "d1", judgement(1)) for text in texts)))
    tallies = import_book(workspace, path)
    assert counts(tallies["queries"]) == (7, 0, 0, 0)
    assert counts(tallies["judgments"]) == (7, 0, 0, 0)
    with workspace.store.read() as connection:
        ids = {query.query_id: query.text for query in iterate_queries(connection)}
    assert sorted(ids.values()) == sorted(texts)
    assert ids["a-b"] == "a b"
    assert all(len(query_id) <= 80 and " " not in query_id for query_id in ids)


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        (pair("q1", "d1", judgement(2.5)), "bad_grade"),
        (pair("q1", "d1", judgement(4)), "bad_grade"),
        (pair("q1", "d1", judgement(-1)), "bad_grade"),
        (pair("q1", "d1", judgement("good")), "bad_grade"),
        (pair("q1", "d1", judgement(None)), "missing_grade"),
        (pair("q1", "d1", judgement(1, unrateable=True)), "bad_outcome"),
        (pair("q9", "d1", judgement(1)), "unknown_query"),
        (pair("q1", "d9", judgement(1)), "unknown_document"),
        (pair("q1", "d1", judgement(1, explanation="a\0b")), "nul_character"),
        (pair("q\ud83d", "d1", judgement(1)), "lone_surrogate"),
        (pair("", "d1", judgement(1)), "missing_id"),
        (pair("q1", "d1") | {"judgements": 3}, "bad_json"),
        (pair("q1", "d1") | {"judgements": [3]}, "bad_json"),
        ({"query_text": 7, "doc_id": "d1", "judgements": [judgement(1)]}, "missing_id"),
    ],
)
def test_what_is_wrong_in_a_book_is_set_aside(
    bad: dict[str, Any], reason: str, judged: Workspace, write: Write
) -> None:
    path = write("book.json", book(pair("q1", "d2", judgement(1)), bad))
    tally = import_judgments(judged, path)
    assert counts(tally) == (1, 0, 0, 1)
    assert tally.reasons == {reason: 1}
    assert quarantined(tally)[0]["line"] == 2


def test_unknown_fields_are_counted(judged: Workspace, write: Write) -> None:
    rows = [pair("q1", "d1", judgement(1, mood="glad")), pair("q1", "d2", judgement(1), colour=3)]
    tally = import_judgments(judged, write("book.json", book(*rows)))
    assert counts(tally) == (2, 0, 0, 0)
    assert tally.notes["fields_ignored"] == 2


def test_a_text_that_two_queries_have_is_not_guessed(judged: Workspace, write: Write) -> None:
    import_queries(judged, write("more.jsonl", [{"_id": "other", "text": "q1"}]))
    path = write("book.json", book(pair("q1", "d1", judgement(1))))
    assert reasons(judged, path) == {"ambiguous_query": 1}
    hinted = pair("q1", "d1", judgement(1), options={"query_id": "other"})
    assert reasons(judged, write("hinted.json", book(hinted))) == {}
    assert list(said(judged)) == [("other", "d1", "ann@x.org")]


@pytest.mark.parametrize(
    ("explanation", "texts", "expected"),
    [
        ("why\nnote", {"ann@x.org": ["why", "note"]}, ("note", "why")),
        ("why\nnote, edited", {"ann@x.org": ["why", "note"]}, ("", "why\nnote, edited")),
        ("note", {"ann@x.org": ["", "note"]}, ("note", "")),
        ("why", {"ann@x.org": ["why", 7]}, ("", "why")),
        ("why", ["ann@x.org"], ("", "why")),
    ],
)
def test_comment_and_reason_are_told_apart_where_our_book_did(
    judged: Workspace, write: Write, explanation: str, texts: object, expected: tuple[str, str]
) -> None:
    rating = judgement(None, unrateable=True, explanation=explanation)
    told = pair("q1", "d1", rating, options={"query_id": "q1", "rater_texts": texts})
    assert reasons(judged, write("book.json", book(told))) == {}
    assert said(judged)["q1", "d1", "ann@x.org"][2:4] == expected


def test_ratings_without_a_rater_are_those_of_the_file(judged: Workspace, write: Write) -> None:
    tally = import_judgments(judged, write("b.json", book(pair("q1", "d1", judgement(1, None)))))
    assert counts(tally) == (1, 0, 0, 0)
    with judged.store.read() as connection:
        assert [(p.name, p.kind) for p in all_people(connection)] == [("b", "import")]


def test_a_case_and_ratings_come_in_too(judged: Workspace, write: Write) -> None:
    rating = {"doc_id": "d1", "rating": 2, "user_email": "ann"}
    queries = [{"query_text": "q1", "ratings": [rating], "arranged_at": 0, "notes": None}]
    case = {"case_name": "c", "scorer": {"name": "s"}, "queries": queries, "try": {"a": [1]}}
    assert counts(import_judgments(judged, write("case.json", json.dumps(case)))) == (1, 0, 0, 0)
    ratings = {"queries": [{"query": "q1", "ratings": {"d2": 3, "d9": 0}}]}
    tally = import_judgments(judged, write("ratings.json", json.dumps(ratings)), rater="them")
    assert counts(tally) == (1, 0, 0, 1)
    assert {key: value[1] for key, value in said(judged).items()} == {
        ("q1", "d1", "ann"): 2,
        ("q1", "d2", "them"): 3,
    }


def test_a_book_as_csv(judged: Workspace, write: Write) -> None:
    lines = [
        'Query,docid,"Ann, the first"," =bob",Unknown',
        "q1,d1,3.0,,1",
        "q1,d2,2.5,0,",
        "q2,007,,,",
        "q9,d1,1,,",
    ]
    tally = import_judgments(judged, write("book.csv", "\r\n".join(lines)))
    assert counts(tally) == (3, 0, 0, 2)
    assert tally.reasons == {"bad_grade": 1, "unknown_query": 1}
    assert {key: value[1] for key, value in said(judged).items()} == {
        ("q1", "d1", "Ann, the first"): 3,
        ("q1", "d1", "book"): 1,
        ("q1", "d2", "=bob"): 0,
    }


def test_a_table_may_name_queries_by_their_text(judged: Workspace, write: Write) -> None:
    import_queries(judged, write("more.jsonl", [{"_id": "x7", "text": "two words"}]))
    path = write("basic.csv", "query,docid,rating\ntwo words,d1,2\n q1,d1,1\nq2,d1,3\n")
    assert counts(import_judgments(judged, path, rater="ann")) == (3, 0, 0, 0)
    assert {key[0] for key in said(judged)} == {"x7", "q1", "q2"}


@pytest.mark.parametrize(
    "content",
    [
        BOOK[: len(BOOK) // 2],
        BOOK[:-1],
        BOOK + "{}",
        '{"query_doc_pairs": [{"query_text": "q1"} {"query_text": "q1"}]}',
        '{"query_doc_pairs": []}',
        '{"query_doc_pairs": [NaN]}',
    ],
)
def test_a_book_that_is_broken_brings_in_nothing(
    content: str, judged: Workspace, write: Write
) -> None:
    path = write("book.json", content)
    with pytest.raises(ImportFailedError) as caught:
        import_judgments(judged, path)
    assert str(path) in str(caught.value.where)
    assert said(judged) == {}


def test_other_files_are_no_books(judged: Workspace, write: Write) -> None:
    for content in ("", "q1\td1\t1\n", '{"_id": "d", "text": "t"}\n', "[]"):
        with pytest.raises(BuilderError, match="no Quepid book"):
            import_book(judged, write("f.json", content))
    lines = '{"_id": "d5", "text": "t", "queries": [1], "ratings": [2]}\n' * 2
    assert counts(import_corpus(judged, write("c.jsonl", lines))) == (1, 1, 0, 0)


def annotation(*results: dict[str, Any], **more: Any) -> dict[str, Any]:
    base = {"id": 1, "completed_by": 10, "was_cancelled": False, "lead_time": 4.288}
    times = {"created_at": "2026-11-30T11:00:00Z", "updated_at": "2026-11-30T12:00:00Z"}
    return {**base, **times, "result": list(results), **more}


def chosen(*choices: str) -> dict[str, Any]:
    value = {"choices": list(choices)}
    return {"from_name": "grade", "to_name": "document", "type": "choices", "value": value}


def written(name: str, text: str) -> dict[str, Any]:
    return {"from_name": name, "type": "textarea", "value": {"text": [text]}}


def tasks(*annotations: dict[str, Any], **fields: Any) -> str:
    shown = {"query_id": "q1", "doc_id": "d1", "query": "what raters read", **fields}
    return json.dumps([{"id": 1, "annotations": list(annotations), "data": shown}], indent=1)


def test_label_studio(judged: Workspace, write: Write) -> None:
    named = {"id": 4, "first_name": "Eve", "last_name": "L"}
    email = {"id": 3, "email": "bob@x.org", "first_name": "Bob", "last_name": ""}
    path = write(
        "export.json",
        tasks(
            annotation(chosen("2"), written("comment", "so-so")),
            annotation(chosen("cannot_judge"), written("reason", "Dutch"), completed_by=email),
            annotation(completed_by=named, was_cancelled=True),
            annotation({"type": "rating", "value": {"rating": 3}}, completed_by={"id": 5}),
        ),
    )
    tally = import_judgments(judged, path)
    assert counts(tally) == (4, 0, 0, 0)
    assert said(judged) == {
        ("q1", "d1", "label-studio-10"): ("grade", 2, "so-so", "", NOON),
        ("q1", "d1", "bob@x.org"): ("cannot_judge", None, "", "Dutch", NOON),
        ("q1", "d1", "Eve L"): ("skip", None, "", "", NOON),
        ("q1", "d1", "label-studio-5"): ("grade", 3, "", "", NOON),
    }
    with judged.store.read() as connection:
        assert {row.milliseconds for row in standing_rows(connection)} == {4288}
    assert counts(import_judgments(judged, path)) == (0, 4, 0, 0)


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        (tasks(annotation(chosen("5"))), "bad_grade"),
        (tasks(annotation(chosen("Relevant"))), "bad_grade"),
        (tasks(annotation(chosen("1", "2"))), "bad_grade"),
        (tasks(annotation({"type": "rating", "value": {"rating": 1.5}})), "bad_grade"),
        (tasks(annotation(chosen("1"), chosen("2"))), "contradictory"),
        (tasks(annotation()), "missing_grade"),
        (tasks(annotation(chosen("1")), query_id="q9"), "unknown_query"),
        (tasks(annotation(chosen("1")), doc_id=None), "missing_id"),
        (tasks(annotation(chosen("1"), updated_at="2026-11-30 12:00")), "naive_timestamp"),
        ('[{"annotations": [3], "data": {"query_id": "q1"}}]', "bad_json"),
        ('[{"annotations": [], "data": 3}]', "bad_json"),
    ],
)
def test_what_is_wrong_in_an_export_is_set_aside(
    bad: str, reason: str, judged: Workspace, write: Write
) -> None:
    assert reasons(judged, write("export.json", bad)) == {reason: 1}
    assert said(judged) == {}


def test_what_an_export_says_besides_is_counted(judged: Workspace, write: Write) -> None:
    labels = {"from_name": "ner", "type": "labels", "value": {"labels": ["x"]}}
    tally = import_judgments(judged, write("e.json", tasks(annotation(chosen("1"), labels))))
    assert (counts(tally), tally.notes["fields_ignored"]) == ((1, 0, 0, 0), 1)


def test_a_guarded_table_gives_back_its_texts(judged: Workspace, write: Write) -> None:
    lines = [
        "query-id,corpus-id,rater,grade,comment,guard",
        "q1,'007,'=ann,2,''so',apostrophe",
        "q1,d1,'bob,1,'tis mine,",
    ]
    tally = import_judgments(judged, write("raw.csv", "\ufeff" + "\r\n".join(lines)))
    assert counts(tally) == (2, 0, 0, 0)
    assert {key: value[2] for key, value in said(judged).items()} == {
        ("q1", "007", "=ann"): "'so'",
        ("q1", "d1", "'bob"): "'tis mine",
    }
    assert "fields_ignored" not in tally.notes


def test_kinds_and_durations_come_back_and_nonsense_is_counted(
    judged: Workspace, write: Write
) -> None:
    rows: list[dict[str, Any]] = [
        {"rater": "gpt", "kind": "llm", "milliseconds": 1200, "guidelines_version": 3},
        {"rater": "ann", "kind": "alien", "milliseconds": "soon"},
    ]
    base: dict[str, Any] = {"query-id": "q1", "corpus-id": "d1", "grade": 1}
    tally = import_judgments(judged, write("raw.jsonl", [{**base, **row} for row in rows]))
    assert (counts(tally), tally.notes["fields_ignored"]) == ((2, 0, 0, 0), 1)
    with judged.store.read() as connection:
        assert {p.name: p.kind for p in all_people(connection)} == {"gpt": "llm", "ann": "human"}
        stays = {row.rater: row.milliseconds for row in standing_rows(connection)}
    assert stays == {"gpt": 1200, "ann": None}


def test_large_files_are_read_element_by_element(tmp_path: Path) -> None:
    path = tmp_path / "large.json"
    elements = [{"n": n, "text": "\u0645" * (n % 7000)} for n in range(300)]
    path.write_text(json.dumps({"a": [1, {"rows": 2}], "rows": elements, "z": 12}), "utf-8")
    with path.open("rb") as stream:
        assert [e for _, e in array_members(stream, ["rows"], "here")] == elements
    path.write_text(json.dumps(elements, ensure_ascii=False), "utf-8-sig")
    with path.open("rb") as stream:
        assert list(array_elements(stream, "here")) == elements
