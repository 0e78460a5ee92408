"""Copies of texts, against comparing every text with every other."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from builder.pooling.near_copies import Copy, CopyFinder, grams, normalised

WORDS = ("red", "green", "blue", "Gr\u00fcn", "\u7ea2\u8272")
TEXTS = st.lists(st.lists(st.sampled_from(WORDS), max_size=14).map(" ".join), max_size=12)
"""So few words that many texts are alike."""


def by_comparing_all(wanted: list[str], text: str, least: float) -> dict[str, float]:
    """Normalised wanted text -> similarity of those that the text is a copy of."""
    said, found = normalised(text), {}
    for other in map(normalised, wanted):
        mine, theirs = grams(said), grams(other)
        if said and said == other:
            found[other] = 1.0
        elif mine and theirs and len(mine & theirs) / len(mine | theirs) >= least:
            found[other] = len(mine & theirs) / len(mine | theirs)
    return found


@settings(max_examples=80, deadline=None)
@given(TEXTS, TEXTS, st.sampled_from([0.3, 0.7, 0.8, 1.0]))
def test_no_copy_is_missed_and_none_is_made_up(
    wanted: list[str], texts: list[str], least: float
) -> None:
    finder = CopyFinder(((str(place), text) for place, text in enumerate(wanted)), least)
    for text in [*texts, *wanted]:
        found = {
            normalised(wanted[int(name)]): copy.similarity
            for copy in finder.copies(text)
            for name in copy.names
        }
        assert found == pytest.approx(by_comparing_all(wanted, text, least))


def test_a_near_copy_has_a_similarity_that_can_be_counted() -> None:
    """Ten words are eight 3-grams; with another last word one of them is another: 7 of 9."""
    text = "one two three four five six seven eight nine ten"
    other = text.replace("ten", "eleven")
    finder = CopyFinder(
        [("a", text), ("b", "  One two  THREE four five six seven eight nine TEN ")]
    )
    assert finder.copies(text) == [Copy(("a", "b"), 1.0, equal=True)]
    assert finder.copies(other) == []
    assert CopyFinder([("a", text)], 0.75).copies(other) == [Copy(("a",), 7 / 9, equal=False)]


def test_four_fifths_are_enough_and_less_is_not() -> None:
    """12 words, 10 grams, without the last two words 8 of them: 8/10. Without three 7/10."""
    words = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"]
    finder = CopyFinder([("a", " ".join(words))])
    assert [copy.similarity for copy in finder.copies(" ".join(words[:-2]))] == [0.8]
    assert finder.copies(" ".join(words[:-3])) == []


@pytest.mark.parametrize("text", ["", "   ", "two words", "!?", "."])
def test_short_texts_match_only_their_equals(text: str) -> None:
    """An empty set of 3-grams is like any other empty set, and would match all of them."""
    finder = CopyFinder([("empty", ""), ("two", "Two  words"), ("marks", "!?"), ("three", "a b c")])
    expected = {"two words": ("two",), "!?": ("marks",)}.get(text)
    assert [copy.names for copy in finder.copies(text)] == ([expected] if expected else [])


def test_scripts_without_blanks_are_compared_by_characters() -> None:
    """Of 12 characters 10 are 3-grams; the last two changed leave 8 of 12."""
    text = "\u5357\u4eac\u5e02\u957f\u6c5f\u5927\u6865\u5f88\u957f\u5f88\u9ad8\u4e86"
    finder = CopyFinder([("a", text)], 0.6)
    (copy,) = finder.copies(text[:-2] + "\u7f8e\u4e3d")
    assert copy.similarity == pytest.approx(8 / 12)
    assert CopyFinder([("a", text)]).copies(text + "\u3002")[0].similarity == 1.0


def test_a_threshold_of_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="least is 0"):
        CopyFinder([], 0)
    assert CopyFinder([]).copies("a b c") == []


def test_where_all_texts_are_alike_some_are_enough() -> None:
    """Forms of 41 words, of which one differs: of 39 3-grams 3 do, so 36 of 42 are shared."""
    before, after = (" ".join(f"{letter}{n}" for n in range(20)) for letter in "wv")
    forms = [f"{before} x{number} {after}" for number in range(30)]
    finder = CopyFinder((str(place), form) for place, form in enumerate(forms))
    found = finder.copies(forms[7], 5)
    assert found[0] == Copy(("7",), 1.0, equal=True)
    assert [copy.similarity for copy in found[1:]] == pytest.approx([36 / 42] * 5)
    assert len(finder.copies(forms[7])) == 30
