"""Which queries are offered for merging."""

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builder.curation import duplicate_candidates, retire_query
from builder.curation.duplicates import similar, terms_of
from builder.store.queries import insert_queries
from builder.workspace import Workspace, init_workspace
from evals.records import Query
from tests.builder.curation.conftest import say


def add(workspace: Workspace, **texts: str) -> None:
    with workspace.store.write() as connection:
        insert_queries(connection, [Query(query_id, text) for query_id, text in texts.items()])


def found(workspace: Workspace) -> list[tuple[str, str, float, bool]]:
    return [
        (one.keep.query.query_id, one.merged.query.query_id, one.overlap, one.same_text)
        for one in duplicate_candidates(workspace).candidates
    ]


def test_equal_texts_whatever_their_case_composition_and_white_space(workspace: Workspace) -> None:
    add(workspace, a="CAFE\u0301  menu", b="café menu", c="Café\tMenu ", d="café")
    assert found(workspace) == [("a", "b", 1, True), ("a", "c", 1, True)]


def test_near_ones_by_their_words_most_alike_first(workspace: Workspace) -> None:
    add(workspace, a="how to read a file", b="how to read file", c="file: read a how to?")
    assert found(workspace) == [
        ("a", "c", 1, False),
        ("a", "b", 0.8, False),
        ("b", "c", 0.8, False),
    ]


def test_scripts_without_spaces_are_compared_too(workspace: Workspace) -> None:
    add(workspace, a="ファイルを一行ずつ読み込む", b="ファイルを一行ずつ読み込んだ", c="辞書を作る")
    assert [one[:2] for one in found(workspace)] == [("a", "b")]


def test_the_one_with_more_grades_is_to_be_kept(workspace: Workspace) -> None:
    add(workspace, first="Query 1")
    say(workspace, "bob", "q1", "d0", grade=1)
    assert found(workspace) == [("q1", "first", 1, True)]


def test_retired_queries_are_no_candidates(workspace: Workspace) -> None:
    add(workspace, a="same", b="same")
    retire_query(workspace, "a", None)
    assert found(workspace) == []


def test_an_empty_workspace(tmp_path_factory: pytest.TempPathFactory) -> None:
    with init_workspace(tmp_path_factory.mktemp("empty") / "w", "empty") as workspace:
        assert duplicate_candidates(workspace).total == 0


def test_only_so_many_are_shown_and_all_are_counted(workspace: Workspace) -> None:
    add(workspace, **{f"same{n}": "the same" for n in range(9)})
    shown = duplicate_candidates(workspace, limit=3)
    assert (len(shown.candidates), shown.total) == (3, 8)


@given(
    terms=st.dictionaries(
        st.integers(0, 99), st.frozensets(st.sampled_from("abcdefghij")), max_size=14
    ),
    overlap=st.sampled_from([0.3, 0.5, 0.6, 0.7, 0.75, 0.9, 1.0]),
)
def test_no_pair_is_missed(terms: dict[int, frozenset[str]], overlap: float) -> None:
    by_hand = {
        (one, other)
        for one, other in combinations(sorted(terms), 2)
        if terms[one] and len(terms[one] & terms[other]) / len(terms[one] | terms[other]) >= overlap
    }
    assert {pair for pair, _ in similar(terms, overlap)} == by_hand


def test_terms() -> None:
    assert terms_of("Read, READ a file_name!") == {"read", "a", "file_name"}
    assert terms_of("読み込む") == {"読み", "み込", "込む"}
    assert terms_of("?!") == frozenset()
