"""Each note that an import can make has a sentence."""

import re
from pathlib import Path

import pytest

from online.words import NOTES, note_in_words

ONLINE = Path(__file__).resolve().parents[2] / "online"
HELPERS = {"before", "clicks", "clocks", "first_before", "first_query", "is_later"}
"""Columns of the queries that are no counts."""


@pytest.mark.parametrize("query", ["notes", "joining/row_notes", "joining/joined_notes"])
def test_notes_of_the_queries_have_sentences(query: str) -> None:
    text = (ONLINE / f"sql/duckdb/{query}.sql").read_text(encoding="utf-8")
    codes = set(re.findall(r"AS ([a-z_]+)", text)) - HELPERS
    assert len(codes) > 5
    assert codes <= NOTES.keys()


def test_notes_of_the_sources_have_sentences() -> None:
    texts = [path.read_text(encoding="utf-8") for path in ONLINE.rglob("*.py")]
    found = set(re.findall(r'notes\["([a-z_]+)"\]|_note\("([a-z_]+)"', "\n".join(texts)))
    codes = {first or second for first, second in found}
    assert "model_assumed" in codes
    assert codes <= NOTES.keys()


def test_a_note_without_a_sentence_is_its_own_words() -> None:
    assert note_in_words("quite_new", 3) == "3 quite new"
