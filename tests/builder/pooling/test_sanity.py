"""What is odd about a corpus: each finding with the numbers that it should have."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from builder.jobs import Cancelled
from builder.people.excluding import exclude_rater
from builder.pooling import sanity_facts, sanity_findings
from builder.pooling.sanity import Finding, corpus_sanity, kept_sanity
from builder.store.documents import insert_documents
from builder.store.judgments import ImportedJudgment, import_judgments_batch
from builder.store.people import add_person
from builder.store.queries import insert_queries
from builder.workspace import Workspace, init_workspace
from evals.records import Document, Query
from tests.online.logs import lake_of

WORDS = [
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
]
TEXT = " ".join(WORDS)


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    with init_workspace(tmp_path / "workspace", "shop") as opened:
        with opened.store.write() as connection:
            insert_queries(connection, [Query("q1", "one"), Query("q2", "two")])
        yield opened


def fill(workspace: Workspace, texts: Mapping[str, str], others: int = 0) -> None:
    """These documents, and so many others that have nothing in common."""
    documents = [Document(doc_id, "", text) for doc_id, text in texts.items()]
    documents += [
        Document(f"o{n}", f"other {n}", f"it says {n} and {n + 1}") for n in range(others)
    ]
    with workspace.store.write() as connection:
        insert_documents(connection, documents)


def grade(
    workspace: Workspace, query_id: str, grades: Mapping[str, int], kind: str = "human"
) -> None:
    with workspace.store.write() as connection:
        person = add_person(connection, f"a {kind}", kind=kind).person_id
        rows = [
            ImportedJudgment(query_id, doc_id, person, "grade", given)
            for doc_id, given in grades.items()
        ]
        import_judgments_batch(connection, rows)


def found(workspace: Workspace) -> dict[str, Finding]:
    findings = corpus_sanity(workspace)
    levels = [finding.level for finding in findings]
    assert levels == sorted(levels, reverse=True)  # warnings first
    for finding in findings:
        assert Finding.from_json(json.loads(json.dumps(finding.as_json()))) == finding
        assert finding.what.endswith(".")
        assert "  " not in finding.what
    return {finding.code: finding for finding in findings}


def test_a_sound_corpus_has_no_finding(workspace: Workspace) -> None:
    fill(workspace, {"d1": TEXT}, others=999)
    grade(workspace, "q1", {"d1": 2})
    assert corpus_sanity(workspace) == []


def test_a_small_corpus_with_few_distractors(workspace: Workspace) -> None:
    """Two of 21 documents: 19 others, 9.5 for each."""
    fill(workspace, {"d1": TEXT}, others=20)
    grade(workspace, "q1", {"d1": 1, "o1": 3, "o2": 0})
    grade(workspace, "q2", {"o3": 3}, kind="synthetic")
    told = found(workspace)
    assert told.keys() == {"small_corpus", "few_distractors"}
    assert "21 documents; it should have at least 1,000" in told["small_corpus"].what
    assert told["few_distractors"].what.startswith(
        "2 of 21 documents are relevant to some query: 9.5 others for each."
    )


def test_ten_distractors_are_enough(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sanity_findings, "SMALLEST", 11)
    fill(workspace, {"d1": TEXT}, others=10)
    grade(workspace, "q1", {"d1": 1})
    assert found(workspace) == {}


def test_nothing_relevant_yet_is_said(workspace: Workspace) -> None:
    fill(workspace, {"d1": TEXT, "d2": TEXT}, others=999)
    grade(workspace, "q1", {"d1": 0})
    told = found(workspace)
    assert [(one.code, one.level) for one in told.values()] == [("no_relevant_yet", "advice")]
    grade(workspace, "q1", {"d2": 3}, kind="import")
    assert found(workspace).keys() == {"duplicate_relevant"}


def test_copies_of_relevant_documents(workspace: Workspace) -> None:
    """Of twelve words ten 3-grams; without the last two words 8 of 10 are shared, without 3 7."""
    texts = {
        "d1": TEXT,
        "same": TEXT.upper(),
        "same again": f" {TEXT}\n",
        "near": " ".join(WORDS[:-2]),
        "far": " ".join(WORDS[:-3]),
        "short": "two words",
        "short too": "two words",
        "unlike": "two others",
    }
    fill(workspace, texts, others=1000)
    grade(workspace, "q1", {"d1": 3, "short": 1})
    told = found(workspace)
    assert told.keys() == {"duplicate_relevant", "near_duplicate_relevant"}
    equal, near = told["duplicate_relevant"], told["near_duplicate_relevant"]
    assert (equal.ids, equal.of) == (("same", "same again", "short too"), ("d1", "d1", "short"))
    assert equal.what.startswith("3 documents say exactly what 2 relevant documents say")
    assert (near.ids, near.of, near.count) == (("near",), ("d1",), 1)
    assert near.what.startswith(
        "1 document says nearly what 1 relevant document says (at least 80%"
    )


def test_a_copy_that_is_relevant_to_the_same_queries_is_no_miss(workspace: Workspace) -> None:
    fill(workspace, {"d1": TEXT, "d2": TEXT}, others=1000)
    grade(workspace, "q1", {"d1": 3, "d2": 1})
    assert found(workspace) == {}
    grade(workspace, "q2", {"d2": 2, "d1": 0})
    assert found(workspace)["duplicate_relevant"].ids == ("d1",)
    exclude_rater(workspace, "a human", "guessed", None)
    assert found(workspace).keys() == {"no_relevant_yet"}


def test_empty_texts(workspace: Workspace) -> None:
    fill(workspace, {f"e{n}": text for n, text in enumerate(["", " \n", "?!", "", "", ""])}, 1000)
    grade(workspace, "q1", {"o1": 1, "e1": 1})
    told = found(workspace)
    assert told.keys() == {"empty_text"}  # an empty text is no copy of another
    assert (told["empty_text"].count, len(told["empty_text"].ids)) == (6, 5)


def test_the_log_tells_what_the_corpus_lacks(workspace: Workspace) -> None:
    """Listed are o1, x1 and x2; y and z were clicked outside of lists: 4 of 5 are lacking.

    By searches, whatever was clicked how often: o1 and x1; x1, x2 and y; o1; and z in a search that
    is not known. So x1 counts twice, x2, y and z once, of 7. 5,000 hits are 5 times 1,000.
    """
    fill(workspace, {}, others=1000)
    grade(workspace, "q1", {"o1": 1})
    lake_of(
        workspace.root,
        [
            {"search_key": 1, "retrieved_doc_ids": ["o1", "x1", None], "total_hits": 5000},
            {"search_key": 2, "retrieved_doc_ids": ["x1", "x2", "x1"]},
            {"search_key": 3, "retrieved_doc_ids": None},
        ],
        [
            {"search_key": 1, "kind": "click", "doc_id": "o1", "position": 1},
            *(
                {"search_key": key, "kind": kind, "doc_id": doc_id}
                for key, kind, doc_id in [
                    *[
                        (1, "click", "o1"),
                        (2, "click", "x1"),
                        (2, "click", "x1"),
                        (2, "click", "y"),
                    ],
                    *[(2, "click", "y"), (2, "impression", "x2"), (3, "click", "o1")],
                    *[(9, "click", "z"), (9, "click", "z"), (1, "click", None)],
                ]
            ),
        ],
    )
    told = found(workspace)
    assert told.keys() == {"log_documents_missing", "denser_than_production"}
    missing = told["log_documents_missing"]
    assert (missing.level, missing.where, missing.ids) == (
        "warning",
        "search log",
        ("x1", "x2", "y", "z"),
    )
    assert missing.what == (
        "The log tells of 5 documents; the corpus lacks 4 of them (80.0%). They are 5 of the 7 "
        "that searches list or that were clicked there, each once a search."
    )
    assert "at least 5,000 (the most hits of one search), 5.0 times" in (
        told["denser_than_production"].what
    )
    assert "0.10% of all are relevant; there it would be 0.02% or less" in (
        told["denser_than_production"].what
    )


def test_it_is_kept_until_something_changes(workspace: Workspace) -> None:
    fill(workspace, {"d1": TEXT}, others=5)
    assert kept_sanity(workspace) is None
    said = corpus_sanity(workspace)
    assert kept_sanity(workspace) == said
    grade(workspace, "q1", {"d1": 2})
    assert kept_sanity(workspace) is None
    corpus_sanity(workspace)
    lake_of(workspace.root, [{"search_key": 1, "retrieved_doc_ids": ["d1"]}])
    assert kept_sanity(workspace) is None
    corpus_sanity(workspace)
    (workspace.cache_folder / "corpus_sanity.json").write_text("{", "utf-8")
    assert kept_sanity(workspace) is None


def test_it_can_be_stopped_and_says_what_it_left_out(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(workspace, {"a1": TEXT, "a2": TEXT, "a3": TEXT}, others=10)
    grade(workspace, "q1", {"a1": 1, "a2": 1})
    heard: list[tuple[str, int, int | None]] = []

    def stop(what: str, done: int, total: int | None) -> None:
        heard.append((what, done, total))
        raise Cancelled

    with pytest.raises(Cancelled):
        corpus_sanity(workspace, stop)
    assert heard == [("looking for copies", 0, 13)]
    monkeypatch.setattr(sanity_facts, "MOST_COMPARED", 1)
    what = found(workspace)["duplicate_relevant"].what
    assert what.endswith("Of 2 relevant ones only 1 were looked for.")


def test_before_anybody_graded_clicks_say_what_is_relevant(workspace: Workspace) -> None:
    """Of 40 searches for "one" in as many sessions all click d1, at rank 1 of two documents."""
    fill(workspace, {"d1": TEXT, "copy": TEXT}, others=1000)
    searches = [
        {"search_key": n, "query": "One", "session_id": f"s{n}", "retrieved_doc_ids": ["o1", "d1"],
         "n_results": 2, "n_clicks": 1, "n_ranked_clicks": 1, "n_top_clicks": 1,
         "best_click_rank": 2, "first_click_rank": 2, "best_click_doc_id": "d1",
         "best_click_position": 2}
        for n in range(40)
    ]  # fmt: skip
    clicks = [
        {"search_key": n, "session_id": f"s{n}", "doc_id": "d1", "rank": 2, "position": 2}
        for n in range(40)
    ]
    others = [
        {"search_key": 100 + n, "query": "two", "session_id": f"t{n}",
         "retrieved_doc_ids": ["o2", "o3"], "n_results": 2}
        for n in range(40)
    ]  # fmt: skip
    lake_of(workspace.root, [*searches, *others], clicks)
    told = found(workspace)
    assert told.keys() == {"duplicate_relevant"}
    assert "1 relevant document (by clicks; nobody has graded one yet) says" in (
        told["duplicate_relevant"].what
    )
    grade(workspace, "q1", {"o5": 1})
    assert found(workspace) == {}
