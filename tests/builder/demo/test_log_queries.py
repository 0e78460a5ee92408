"""The queries that nobody graded: made of names, the same each time, and none of them real."""

import re
from collections.abc import Sequence

import pytest

from builder.demo.log_queries import WITH_PERSONAL_DATA, more_queries
from evals.records import Document, Query

NAMES = [f"{module}.{last}" for module in ("json", "csv", "ast") for last in ("load", "dump", "x")]
DOCUMENTS = [Document(name, f"{name}()", "Does it.") for name in ("json", *NAMES)]


def texts_of(documents: Sequence[Document], n: int = 5, seed: int = 1) -> list[str]:
    return [query.text for query in more_queries(documents, [], n, seed).queries]


def test_the_same_seed_makes_the_same_queries_in_whatever_order() -> None:
    assert more_queries(DOCUMENTS, [], 5, 1) == more_queries(DOCUMENTS[::-1], [], 5, 1)
    assert texts_of(DOCUMENTS, seed=2) != texts_of(DOCUMENTS)


def test_no_query_is_made_twice_or_was_there() -> None:
    every = texts_of(DOCUMENTS * 1, n=100)
    folded = [" ".join(text.lower().split()) for text in every]
    assert len(set(folded)) == len(folded)
    known = [Query("q", every[0].upper())]
    assert every[0] not in [each.text for each in more_queries(DOCUMENTS, known, 100, 1).queries]


def test_what_is_meant_is_liked_most_and_its_relatives_a_little() -> None:
    made = more_queries(DOCUMENTS, [], 100, 1)
    about = {max(likes, key=likes.__getitem__): likes for likes in made.likes.values()}
    assert about["json.load"] == {"json.load": 2, "csv.load": 1, "ast.load": 1, "json": 1}
    assert about["csv.x"] == {"csv.x": 2, "json.x": 1, "ast.x": 1}


def test_personal_data_is_made_up_and_comes_last() -> None:
    assert tuple(texts_of(DOCUMENTS)[-len(WITH_PERSONAL_DATA) :]) == WITH_PERSONAL_DATA
    for text in WITH_PERSONAL_DATA:
        assert "@" not in text or re.search(r"@example\.org\b", text)


@pytest.mark.parametrize("n", [0, 3])
def test_as_many_as_asked_for(n: int) -> None:
    assert len(texts_of(DOCUMENTS, n)) - len(texts_of([], n)) == n
