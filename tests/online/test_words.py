"""Each note that an import can make has a sentence."""

import re
from pathlib import Path

import pytest

from online.words import NOTES, note_in_words, sentence_of

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


def test_a_note_about_one_row_is_in_the_singular() -> None:
    one = "row equals an earlier row of the log, which has no event_id; it was taken to repeat it"
    assert sentence_of("identical_rows", 1) == one
    skipped = "time without a zone falls into an hour that a change of clocks leaves out there"
    assert sentence_of("local_time_skipped", 1).startswith(skipped)
