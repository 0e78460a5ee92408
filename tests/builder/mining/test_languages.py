"""Languages of queries: by script, by words, and unknown where a query or a log does not tell."""

import pytest

from builder.mining.languages import (
    FOREIGN_CONFIDENCE,
    LEAST_CONFIDENCE,
    OTHER,
    Guess,
    guess_language,
    settle,
)
from tests.builder.mining.short_queries import SHORT_QUERIES


@pytest.mark.parametrize(
    ("query", "language"),
    [
        ("how to read a csv file", "en"),
        ("wie finde ich eine datei", "de"),
        ("zapatos rojos para mujer", "es"),
        ("как открыть файл", "ru"),
        ("\u30e9\u30f3\u30cb\u30f3\u30b0\u30b7\u30e5\u30fc\u30ba nike", "ja"),  # kana
        ("\u8fd0\u52a8\u978b", "zh"),  # Han without kana
        ("\uc6b4\ub3d9\ud654", "ko"),
        ("\u05e0\u05e2\u05dc\u05d9 \u05e8\u05d9\u05e6\u05d4", "he"),
        ("laptop", None),
        ("iphone 13", None),
        ("4006381333931", None),
        ("", None),
    ],
)
def test_language_of_a_query(query: str, language: str | None) -> None:
    guess = guess_language(query)
    assert (guess.language if guess.confidence >= LEAST_CONFIDENCE else None) == language


@pytest.fixture(scope="module")
def guessed() -> dict[str, list[Guess]]:
    return {name: [guess_language(text) for text in of] for name, of in SHORT_QUERIES.items()}


@pytest.mark.parametrize("own", ["en", "de", "fr", "es"])
def test_a_log_of_one_language_is_not_split(own: str, guessed: dict[str, list[Guess]]) -> None:
    """Each hundred, ten times as in a log of a thousand: no other language stands."""
    settled = settle(guessed[own] * 10, own)
    assert set(settled) == {own, OTHER}
    assert settled.count(own) >= 200


def test_short_queries_are_unknown_rather_than_wrong(guessed: dict[str, list[Guess]]) -> None:
    """A library that guesses worse, or more boldly, is heard of here."""
    for spoken, guesses in guessed.items():
        assert len(guesses) == 100
        named = [guess.language for guess in guesses if guess.confidence >= LEAST_CONFIDENCE]
        assert sum(name != spoken for name in named) <= 5
        clear = [guess.language for guess in guesses if guess.confidence >= FOREIGN_CONFIDENCE]
        assert set(clear) == {spoken}


def test_another_language_stands_by_its_share(guessed: dict[str, list[Guess]]) -> None:
    """A fifth of the log in French is seen; ten clear queries of two thousand are too few."""
    mixed = guessed["en"] * 4 + guessed["fr"]
    assert set(settle(mixed, "en")) == {"en", "fr", OTHER}
    assert set(settle(mixed, "de")) == {"en", "fr", OTHER}
    few = [Guess("fr", 0.9)] * 10
    assert settle([*few, *[Guess("en", 0.9)] * 990], "en")[:10] == ["fr"] * 10
    assert settle([*few, *[Guess("en", 0.9)] * 991], "en")[:10] == [OTHER] * 10
    assert settle([*few[:9], Guess("en", 0.9)], "en")[:9] == [OTHER] * 9
    assert settle([*few, Guess("fr", 0.7), Guess("nl", 0.7)], "en")[10:] == ["fr", OTHER]


def test_a_script_of_its_own_needs_no_share() -> None:
    settled = settle(
        [Guess("ja", 1.0), Guess("ru", 0.9), Guess("en", 0.59), Guess("en", 0.6)], "en"
    )
    assert settled == ["ja", OTHER, OTHER, "en"]
