"""What a rater said of whole queries: only their own, and taken back once."""

from uuid import uuid4

import pytest

from builder.errors import BuilderError, NotAllowedError
from builder.judging.own_queries import own_query_words, take_back_query
from builder.judging.queue import flag_query, query_pairs
from builder.store.query_outcomes import settle_outcomes
from builder.workspace import Workspace
from tests.builder.judging.conftest import ONCE, key_of


@pytest.fixture
def flagged(workspace: Workspace) -> Workspace:
    """ann and bob say of q0 that it is unclear, ann of q1 that it is out of scope."""
    flag_query(workspace, "ann", "q0", "unclear", "which region?", token=uuid4().hex)
    flag_query(workspace, "bob", "q0", "unclear", "why?", token=uuid4().hex)
    flag_query(workspace, "ann", "q1", "out_of_scope", "no shop", token=uuid4().hex)
    return workspace


def said(workspace: Workspace, rater: str) -> list[tuple[str, str, str, bool]]:
    words = own_query_words(workspace, rater)
    return [(word.query_id, word.outcome, word.reason, word.stands) for word in words]


def test_ones_own_newest_first(flagged: Workspace) -> None:
    assert said(flagged, "ann") == [
        ("q1", "out_of_scope", "no shop", True),
        ("q0", "unclear", "which region?", True),
    ]
    assert said(flagged, "bob") == [("q0", "unclear", "why?", True)]
    assert said(flagged, "cy") == []


def test_what_is_taken_back_brings_the_pairs_again(flagged: Workspace) -> None:
    assert query_pairs(flagged, "ann", "q0") == []
    take_back_query(flagged, "ann", "q0", token=ONCE)
    assert said(flagged, "ann") == [("q1", "out_of_scope", "no shop", True)]
    assert len(query_pairs(flagged, "ann", "q0")) == 5
    assert len(query_pairs(flagged, "cy", "q0")) == 5, "one alone sets no query aside"
    assert query_pairs(flagged, "bob", "q0") == []


def test_the_same_press_again_changes_nothing(flagged: Workspace) -> None:
    take_back_query(flagged, "ann", "q0", token=ONCE)
    flag_query(flagged, "ann", "q0", "unclear", "after all", token=uuid4().hex)
    take_back_query(flagged, "ann", "q0", token=ONCE)
    assert said(flagged, "ann")[0] == ("q0", "unclear", "after all", True)


def test_what_an_analyst_decided_is_shown_and_not_taken_back(flagged: Workspace) -> None:
    with flagged.store.write() as connection:
        settle_outcomes(connection, key_of(connection, "q0"))
    assert said(flagged, "ann")[1] == ("q0", "unclear", "which region?", False)
    with pytest.raises(BuilderError, match="does not stand"):
        take_back_query(flagged, "ann", "q0", token=ONCE)


def test_strangers_say_nothing(flagged: Workspace) -> None:
    with pytest.raises(NotAllowedError):
        own_query_words(flagged, "nobody")
    with pytest.raises(NotAllowedError):
        take_back_query(flagged, "nobody", "q0", token=ONCE)
