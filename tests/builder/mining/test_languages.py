"""Languages of queries: by script, by words, and unknown where a query does not tell."""

import pytest

from builder.mining.languages import language_of


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
        ("laptop", "unknown"),
        ("iphone 13", "unknown"),
        ("4006381333931", "unknown"),
        ("", "unknown"),
    ],
)
def test_language_of_a_query(query: str, language: str) -> None:
    assert language_of(query) == language
