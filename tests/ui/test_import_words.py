"""Imports speak the words of the page: no codes, no options, no folders of the server."""

import pytest

from online.events import OnlineError
from online.quarantine import ADVICE, FIELDS
from ui.import_words import REASONS, error_on_the_page, on_the_page, reason_in_words


def test_each_reason_has_a_sentence_of_one_and_of_many() -> None:
    assert FIELDS.keys() <= REASONS.keys()
    for code, words in REASONS.items():
        assert reason_in_words(code, 1200) == f"1,200 {words}"
        assert reason_in_words(code, 1).startswith("1 row ")
    assert reason_in_words("missing_model_version", 1) == (
        "1 row does not name what ranked the results"
    )
    assert reason_in_words("quite_new", 2) == "2 quite new"


def test_advice_is_that_of_the_page() -> None:
    for words in ADVICE.values():
        assert "--" not in on_the_page(words)
        assert on_the_page(words)


@pytest.mark.parametrize(
    ("hint", "told"),
    [
        ("name what ranked the results: --model-version NAME", "above"),
        ("goldsmith events map /srv/x.csv proposes it; then import with --map", ""),
        (None, ""),
    ],
)
def test_an_error_names_neither_folders_nor_commands(hint: str | None, told: str) -> None:
    error = error_on_the_page(OnlineError("it is broken", where="/srv/cache/x.csv", hint=hint))
    assert (error.where, error.message) == ("x.csv", "it is broken")
    assert told in (error.hint or "")
    assert "goldsmith" not in (error.hint or "")
