"""Near-duplicates: none above the threshold is missed, and other numbers are other queries."""

import random
import time
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builder.synthesis.filters.example_copy import example_copy
from builder.synthesis.filters.grams import grams, jaccard
from builder.synthesis.filters.near_duplicates import LEAST, NearDuplicates, _exact, same_words


def index_of(*texts: str, language: str = "en") -> NearDuplicates[int]:
    index: NearDuplicates[int] = NearDuplicates(texts)
    for place, text in enumerate(texts):
        index.add(place, text, [language])
    return index


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("reset the office printer", "reset the office printers"),
        ("office printer reset", "printer reset office"),
        ("How do I reset the office printer?", "how do i reset the ofice printer"),
        ("how do I reset my printer after an error", "How do I reset my printer after an error?!"),
        ("有給休暇の申請期限はいつですか", "有給休暇の申請期限はいつですか\uff1f"),
        ("Füße waschen", "füsse waschen"),
    ],
)
def test_near_queries_are_found(text: str, other: str) -> None:
    near = index_of("something else", other).nearest(text, "en")

    assert near is not None
    assert (near.name, near.text) == (1, other)


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("iphone 13 leather case black", "iphone 14 leather case black"),
        ("reset the office printer", "replace the office printer drum"),
        ("c++ map", "c# map"),
        ("how do I sort a map by its values in c++", "how do I sort a map by its values in c#"),
        (
            "how do I read a csv file line by line in java",
            "how do I read a csv file line by line in rust",
        ),
        (
            "which setting encodes the url of a redirect",
            "which setting decodes the url of a redirect",
        ),
        ("how do I reset the printer", "how do I reset the scanner"),
        ("有給休暇の申請", "育児休暇の申請"),
    ],
)
def test_other_queries_are_not_near(text: str, other: str) -> None:
    assert index_of(other).nearest(text, "en") is None


@given(st.lists(st.text("ab 1é", max_size=12), max_size=12), st.text("ab 1é", max_size=12))
def test_the_index_finds_what_comparing_all_finds(known: list[str], text: str) -> None:
    alike = [
        jaccard(grams(text), grams(one))
        if _exact(text) == _exact(one) and same_words(text, one)
        else 0
        for one in known
    ]

    near = index_of(*known).nearest(text, "")

    if near is None:
        assert max(alike, default=0) < LEAST
    elif near.similarity < 1:
        assert near.similarity == max(alike)


@pytest.mark.parametrize(
    ("text", "is_copy"),
    [
        ("heating burner not igniting reset", True),
        ("heating burner not igniting", True),
        ("Heating burner not igniting: reset?", True),
        ("burner cleaning interval", False),
        ("", False),
    ],
)
def test_a_shown_example_comes_back(text: str, *, is_copy: bool) -> None:
    shown = ["unused vacation carry over", "heating burner not igniting reset"]

    assert (example_copy(text, shown) is not None) == is_copy


def test_without_examples_nothing_is_a_copy_of_one() -> None:
    assert example_copy("anything", []) is None


@pytest.mark.slow
def test_five_thousand_against_twenty_thousand_take_seconds() -> None:
    rng = random.Random(7)
    syllables = [a + b for a, b in product("bdfgklmnprst", "aeiou")]
    words = ["".join(rng.choices(syllables, k=rng.randint(2, 4))) for _ in range(4000)]
    texts = [f"how do I {' '.join(rng.choices(words, k=5))}" for _ in range(25_000)]
    started = time.perf_counter()

    index: NearDuplicates[int] = NearDuplicates(texts)
    for place, text in enumerate(texts[:20_000]):
        index.add(place, text, ["en"])
    found = sum(index.nearest(text, "en") is not None for text in texts[20_000:])

    assert time.perf_counter() - started < 10
    assert found == 0
