"""A mapping is changed by choosing: one line of its text, and nothing else of it."""

import pytest

from online import OnlineError
from online.sources.guessing import Column
from online.sources.mapping import parse_mapping
from online.sources.mapping_text import CHOICES, MEANINGS, choose_column, chosen_columns
from online.sources.shaping import NATIVE

TEXT = """# mine
ignore = ["ip"]

[fields]
timestamp = "when"  # "2026"
query = "words"
search_id = { paths = ["who", "words"] }

[constants]
model_version = "unknown"
results_logged = false
"""
CLICKS = '[fields]\ntimestamp = "when"\n[clicks]\naction = "what"\nclick = ["open"]\n'


def test_what_the_text_names_is_chosen() -> None:
    found = chosen_columns(TEXT)
    assert found.keys() == CHOICES.keys()
    assert (found["timestamp"], found["query"], found["user_id"]) == ("when", "words", None)


def test_one_line_is_changed_and_the_rest_stays() -> None:
    text = choose_column(TEXT, "timestamp", Column("day", ["30.11.2026 12:00"], 1))
    assert '{ path = "day", format = "%d.%m.%Y %H:%M" }' in text
    assert text.splitlines()[:4] == TEXT.splitlines()[:4]
    text = choose_column(text, "retrieved_doc_ids", Column("shown", ["d1,d2", "d3"], 2))
    mapping = parse_mapping(text, "here")
    assert mapping.fields["retrieved_doc_ids"].separator == ","
    assert mapping.constants == {"model_version": "unknown"}
    assert mapping.ignore == ("ip",)
    assert mapping.fields["search_id"].more == ("words",)
    without = choose_column(text, "query", None)
    assert parse_mapping(without, "here").fields.keys() == mapping.fields.keys() - {"query"}


def test_clicks_that_are_rows_have_their_document_in_their_own_section() -> None:
    text = choose_column(CLICKS, "clicked_doc_id", Column('a "b"', ["d1"], 1))
    text = choose_column(text, "click_rank", Column("place", [0, 3], 2))
    things = parse_mapping(text, "here").things
    assert things is not None
    assert things.parts["doc_id"].path == 'a "b"'
    assert things.parts["rank"].rank_base == 0
    assert chosen_columns(text)["click_rank"] == "place"


@pytest.mark.parametrize(
    ("text", "column"),
    [
        ("[fields", Column("when", ["x"], 1)),
        ('[fields]\ntimestamp = "when"\n', None),
        ('fields = { timestamp = "when" }\n', Column("day", ["x"], 1)),
        ('fields.timestamp = "when"\n', Column("day", ["x"], 1)),
    ],
)
def test_a_text_that_cannot_be_changed_by_a_line_is_refused(
    text: str, column: Column | None
) -> None:
    with pytest.raises(OnlineError):
        choose_column(text, "timestamp", column)


def test_all_fields_are_explained() -> None:
    assert set(MEANINGS) == set(NATIVE)
