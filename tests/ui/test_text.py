from html.parser import HTMLParser

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ui import text

NASTY = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    ":red[x] $x^2$ **b** `c`",
    "![i](http://example.org/i.png)",
    "a & b < c > d \"e\" 'f'",
]


class Tags(HTMLParser):
    """Collects the tags and the plain text that a browser would see."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: set[str] = set()
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002
        self.tags.add(tag)

    def handle_data(self, data: str) -> None:
        self.text += data


def seen(html: str) -> Tags:
    parser = Tags()
    parser.feed(html)
    parser.close()
    return parser


@pytest.mark.parametrize("nasty", NASTY)
def test_markup_in_a_document_is_shown_as_it_was_written(nasty: str) -> None:
    page = seen(text.marked(nasty))
    assert page.tags == set()
    assert page.text == nasty


@settings(deadline=None)
@given(st.text(), st.text(max_size=30))
def test_marking_adds_mark_and_nothing_else(body: str, query: str) -> None:
    page = seen(text.marked(body, text.query_terms(query)))
    assert page.tags <= {"mark"}
    assert page.text == text.clean(body)


@pytest.mark.parametrize(
    ("query", "language", "words"),
    [
        ("Check whether it has its own file", "en", ("check", "file")),
        ("can it be both?", "en", ("both", "can", "be", "it")),
        ("is the list not sorted", "en", ("sorted", "list", "not")),
        ("est-ce que le fichier existe", "fr", ("fichier", "existe")),
    ],
)
def test_stop_words_are_no_terms(query: str, language: str, words: tuple[str, ...]) -> None:
    assert text.query_terms(query, language).words == words


def test_small_words_are_marked_only_where_the_query_has_no_others() -> None:
    assert text.query_terms("how to sort a list").words == ("list", "sort")
    assert text.query_terms("to be or not to be").words == ("not",)
    assert text.query_terms("how to").words == ("how", "to")
    assert text.query_terms("wie sortiert man die Liste", "de").words == ("sortiert", "liste")


def test_one_letter_is_a_term_only_where_there_is_no_word() -> None:
    assert text.query_terms("c compiler").words == ("compiler",)
    assert text.query_terms("C").words == ("c",)
    assert text.query_terms("\u8336").words == ("\u8336",)


def test_what_no_page_can_hold_becomes_a_replacement_character() -> None:
    assert text.clean("a\0b\ud800c\r\nd\re") == "a\ufffdb\ufffdc\nd\ne"


def test_a_short_text_is_not_folded() -> None:
    shown = text.folded("word " * 150, text.query_terms("word"))
    assert shown.hidden == 0


def test_a_long_text_is_folded_around_its_matches() -> None:
    body = "start " + "filler " * 1000 + "the needle lies here " + "filler " * 1000
    shown = text.folded(body, text.query_terms("needle"))
    page = seen(shown.html)
    assert "<mark>needle</mark>" in shown.html
    assert page.text.startswith("start")
    assert shown.hidden > 12000
    assert len(page.text) < text.FOLD_BUDGET + 200


def test_a_long_text_without_matches_shows_its_beginning() -> None:
    shown = text.folded("filler " * 1000, text.query_terms("needle"))
    assert text.FOLD_BUDGET <= 7000 - shown.hidden <= text.FOLD_BUDGET + 30


@settings(deadline=None)
@given(st.text(alphabet="ab \n", min_size=1, max_size=4000), st.sampled_from(["a", "ab", "b"]))
def test_folding_shows_each_character_at_most_once(body: str, term: str) -> None:
    shown = text.folded(body, text.query_terms(term), budget=600)
    plain = seen(shown.html).text.replace(" … ", "")
    assert len(plain) + shown.hidden == len(text.clean(body))


def test_one_endless_word_is_folded_too() -> None:
    assert text.folded("x" * 5_000_000, text.query_terms("x" * 9)).hidden > 4_900_000


def test_a_block_takes_the_direction_of_its_text() -> None:
    assert text.block("x") == '<div class="gs-text" dir="auto">x</div>'
    assert text.inline("<b>") == "<bdi>&lt;b&gt;</bdi>"


def test_a_button_label_holds_no_markdown() -> None:
    assert text.button_label("**b**\n:material/home:") == (
        "\\*\\*b\\*\\* \\:\u2060material\\/home\\:\u2060"
    )
