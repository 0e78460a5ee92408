"""The list of queries: what is found, in which order, and what is counted."""

import pytest

from builder.curation import (
    QueryContent,
    Sought,
    add_query,
    find_query,
    list_queries,
    query_filters,
    query_totals,
    retire_query,
    set_priority,
)
from builder.curation.lists import PAGE
from builder.errors import BuilderError
from builder.store.queries import insert_queries
from builder.workspace import Workspace
from evals.records import Query
from tests.builder.curation.conftest import doubt, give_up, say


def ids(workspace: Workspace, page: int = 1, **sought: str) -> list[str]:
    found = list_queries(workspace, Sought(**sought), page)
    return [listed.query.query_id for listed in found.queries]


def test_what_needs_attention_comes_first(workspace: Workspace) -> None:
    add_query(workspace, QueryContent("alone"), None, query_id="alone")
    retire_query(workspace, "q0", None)
    give_up(workspace, "q1", "d0", "bob", "cy")
    doubt(workspace, "bob", "q2")
    doubt(workspace, "bob", "q3")
    doubt(workspace, "cy", "q3")
    found = list_queries(workspace).queries
    assert [(one.query.query_id, one.query.attention) for one in found] == [
        ("q3", "set_aside"),
        ("q2", "questioned"),
        ("q1", "given_up"),
        ("alone", "no_pairs"),
        ("q0", "retired"),
    ]
    assert ids(workspace, status="waiting") == ["q3", "q2", "q1"]
    assert query_totals(workspace) == (4, 1, 3)


def test_unfinished_queries_come_before_complete_ones_and_by_priority(
    workspace: Workspace,
) -> None:
    for doc in range(5):
        for rater in ("bob", "cy"):
            say(workspace, rater, "q0", f"d{doc}", grade=1)
    set_priority(workspace, "q3", 2, None)
    set_priority(workspace, "q1", 0, None)
    assert ids(workspace) == ["q3", "q2", "q1", "q0"]


def test_counts(workspace: Workspace) -> None:
    say(workspace, "bob", "q1", "d0", grade=3)
    say(workspace, "cy", "q1", "d0", grade=1)
    say(workspace, "cy", "q1", "d1", grade=1)
    say(workspace, "cy", "q1", "d2", outcome="skip")
    doubt(workspace, "cy", "q1")
    listed = find_query(workspace, "q1")
    assert listed.counts == (5, 1, 3, 1, 0, 0)
    assert listed.complete_share == 0.2


def test_a_query_without_pairs_has_no_complete_share(workspace: Workspace) -> None:
    add_query(workspace, QueryContent("alone"), None, query_id="alone")
    assert find_query(workspace, "alone").complete_share is None


def test_what_an_analyst_graded_waits_for_no_analyst(workspace: Workspace) -> None:
    give_up(workspace, "q1", "d0", "bob", "cy")
    say(workspace, "ann", "q1", "d0", grade=2)
    assert ids(workspace, status="waiting") == []


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("STRASSE", ["de"]),
        ("straße offen", ["de"]),
        ("ΟΔΌΣ", ["el"]),
        ("cafe\u0301", ["fr"]),
        ("قراءة", ["ar"]),
        ("行ごと", ["ja"]),
        ("100%", ["percent"]),
        ("a_b", ["percent"]),
        ("a/b", []),
        ("percent", ["percent"]),
        ("spelling", ["fr"]),
        ("straße nothing", []),
    ],
)
def test_search_knows_no_case_in_any_script(
    workspace: Workspace, words: str, found: list[str]
) -> None:
    with workspace.store.write() as connection:
        insert_queries(
            connection,
            [
                Query("de", "Offene STRASSE"),
                Query("el", "οδός"),
                Query("fr", "CAFÉ", "the SPELLING"),
                Query("ar", "قراءة ملف"),
                Query("ja", "行ごとに読む"),
                Query("percent", "100% a_b"),
            ],
        )
    assert ids(workspace, words=words) == found


def test_filters(workspace: Workspace) -> None:
    add_query(workspace, QueryContent("new", tags=("t2",)), None, query_id="new")
    assert ids(workspace, tag="t") == ["q0", "q1", "q2", "q3"]
    assert ids(workspace, tag="t2") == ["new"]
    assert ids(workspace, tag="T") == []
    assert ids(workspace, source="log", words="3") == ["q3"]
    assert query_filters(workspace) == (["t", "t2"], ["log", "manual"])


def test_pages_hold_each_query_once(workspace: Workspace) -> None:
    with workspace.store.write() as connection:
        insert_queries(connection, [Query(f"p{n}", f"page {n}") for n in range(PAGE + 3)])
    first, second = list_queries(workspace), list_queries(workspace, page=2)
    assert (first.total, first.pages, len(first.queries)) == (PAGE + 7, 2, PAGE)
    shown = {one.query.query_id for one in (*first.queries, *second.queries)}
    assert len(shown) == PAGE + 7
    assert list_queries(workspace, page=99) == second


def test_an_unknown_query(workspace: Workspace) -> None:
    with pytest.raises(BuilderError, match="no query nobody"):
        find_query(workspace, "nobody")
