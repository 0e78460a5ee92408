"""Few-shot examples: the team's own pairs that fit, then the prompt's."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from builder.judging.queue import submit_grade
from builder.people import ensure_person
from builder.store.corpus_search import pair_id_of
from builder.store.documents import insert_documents
from builder.store.pool import add_pairs
from builder.store.queries import insert_queries
from builder.synthesis.examples import EXCERPT, ExamplePool, excerpt_of, has_shape
from builder.synthesis.prompts import load_prompts
from builder.workspace import Workspace
from evals.records import Document, Query
from tests.workspaces import copied, new_workspace

ENGLISH = "The valve opens when the pressure rises above its limit, and the water flows."
GERMAN = "Das Ventil öffnet sich, sobald der Druck über den Grenzwert steigt, und Wasser fließt."
QUERIES = (
    Query("q1", "valve pressure limit"),
    Query("q2", "What makes the valve open?"),
    Query("q3", "burner fan noise"),
    Query("q4", "ventil öffnet druck"),
    Query("syn-1", "water heater valve", source="synthetic"),
)
GRADES = {
    ("q1", "d1"): 3,
    ("q1", "d2"): 2,
    ("q2", "d1"): 3,
    ("q3", "d3"): 1,
    ("q4", "de"): 2,
    ("syn-1", "d4"): 2,
}
KEYWORD = load_prompts()["keyword"]
OWN_ENGLISH = {("", "0"), ("", "1"), ("", "2")}


def _make(folder: Path) -> Workspace:
    workspace = new_workspace(folder)
    ensure_person(workspace, "ann")
    with workspace.store.write() as connection:
        english = [Document(f"d{n}", "", ENGLISH) for n in range(1, 6)]
        insert_documents(connection, [*english, Document("de", "", GERMAN)])
        insert_queries(connection, QUERIES)
        add_pairs(connection, GRADES, "bm25")
    for number, (pair, grade) in enumerate(GRADES.items()):
        with workspace.store.read() as connection:
            pair_id = pair_id_of(connection, *pair)
        assert pair_id is not None
        submit_grade(workspace, "ann", pair_id, grade, token=f"t{number}")
    return workspace


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    with copied(_make, tmp_path / "workspace") as opened:
        yield opened


def choose(
    workspace: Workspace, doc_id: str, wanted: int = 3, language: str = "en", seed: int = 0
) -> tuple[tuple[str, str], ...]:
    return ExamplePool(workspace, 0).choose(KEYWORD, doc_id, language, wanted, seed)


def test_graded_queries_of_people_come_first_then_accepted_ones_then_the_prompts(
    workspace: Workspace,
) -> None:
    """q2 is a question, q3 was graded 1, q4 is German."""
    for seed in range(5):
        first, second, third = choose(workspace, "d5", seed=seed)
        assert first in {("q1", "d1"), ("q1", "d2")}
        assert second == ("syn-1", "d4")
        assert third in OWN_ENGLISH
    assert {choose(workspace, "d5", seed=seed)[2] for seed in range(5)} == OWN_ENGLISH


@pytest.mark.parametrize("doc_id", ["d1", "d2"])
def test_no_example_is_of_the_same_document_nor_has_a_query_that_it_answers(
    workspace: Workspace, doc_id: str
) -> None:
    assert "q1" not in [query_id for query_id, _ in choose(workspace, doc_id)]
    assert choose(workspace, "d4")[1] in OWN_ENGLISH


def test_examples_are_in_the_language_of_the_task(workspace: Workspace) -> None:
    german = str([one.language for one in KEYWORD.examples].index("de"))
    assert choose(workspace, "d5", language="de") == (("q4", "de"), ("", german))
    assert choose(workspace, "de", language="de") == (("", german),)


def test_without_any_in_the_language_they_are_english(workspace: Workspace) -> None:
    assert set(choose(workspace, "d5", language="fi")) == OWN_ENGLISH


def test_beside_one_in_the_language_there_are_none_in_english(workspace: Workspace) -> None:
    english = tuple(one for one in KEYWORD.examples if one.language == "en")
    prompt = replace(KEYWORD, examples=english, hash="english")
    pool = ExamplePool(workspace, 0)
    assert pool.choose(prompt, "d5", "de", 3, 0) == (("q4", "de"),)
    assert set(pool.choose(prompt, "de", "de", 3, 0)) == OWN_ENGLISH


def test_as_many_come_as_are_wanted(workspace: Workspace) -> None:
    assert choose(workspace, "d5", wanted=0) == ()
    assert len(choose(workspace, "d5", wanted=1)) == 1
    assert len(choose(workspace, "d5", wanted=10)) == 5


def test_other_shapes_take_other_queries(workspace: Workspace) -> None:
    pool = ExamplePool(workspace, 0)
    question = load_prompts()["question"]
    assert pool.choose(question, "d5", "en", 1, 0) == (("q2", "d1"),)
    none_of_the_team = replace(KEYWORD, shape="none", hash="other")
    assert set(pool.choose(none_of_the_team, "d5", "en", 3, 0)) == OWN_ENGLISH


def test_no_two_examples_show_the_same_document(workspace: Workspace) -> None:
    with workspace.store.write() as connection:
        insert_queries(connection, [Query(f"more{n}", f"valve {n}") for n in range(4)])
        add_pairs(connection, [(f"more{n}", "d3") for n in range(4)], "bm25")
    for n in range(4):
        with workspace.store.read() as connection:
            pair_id = pair_id_of(connection, f"more{n}", "d3")
        assert pair_id is not None
        submit_grade(workspace, "ann", pair_id, 3, token=f"more{n}")
    shown = [doc_id for query_id, doc_id in choose(workspace, "d5", wanted=4) if query_id]
    assert len(shown) == len(set(shown)) == 3


@pytest.mark.parametrize(
    ("query", "shapes"),
    [
        ("valve pressure", {"any", "keyword"}),
        ("valve pressure?", {"any", "question"}),
        ("wie öffnet das ventil", {"any", "question"}),
        ("¿cuándo abre la válvula", {"any", "question"}),
        ("粗大ごみ 申し込み", {"any", "keyword"}),
        ("弁はいつ開きますか", {"any", "question"}),
        ("valve DN25", {"any", "keyword", "technical"}),
        ("TLS handshake", {"any", "keyword", "technical"}),
        (
            "my valve opens all the time and water runs into the cellar",
            {"any", "conversational"},
        ),
    ],
)
def test_the_shape_of_a_query(query: str, shapes: set[str]) -> None:
    all_shapes = ("any", "keyword", "question", "technical", "conversational", "none")
    assert {shape for shape in all_shapes if has_shape(query, shape)} == shapes


def test_an_excerpt_is_short() -> None:
    assert excerpt_of(ENGLISH) == ENGLISH
    assert len(excerpt_of(ENGLISH * 50)) <= EXCERPT
