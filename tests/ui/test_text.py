from html.parser import HTMLParser

import pytest
from hypothesis import given
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


@given(st.text(), st.text(max_size=30))
def test_marking_adds_mark_and_nothing_else(body: str, query: str) -> None:
    page = seen(text.marked(body, text.query_terms(query)))
    assert page.tags <= {"mark"}
    assert page.text == text.clean(body)


def test_words_that_begin_with_a_query_term_are_marked() -> None:
    html = text.marked("Reading a file, readable; misread read_text", text.query_terms("read FILE"))
    assert html == (
        "<mark>Reading</mark> a <mark>file</mark>, <mark>readable</mark>; misread "
        "<mark>read</mark>_text"
    )


def test_small_words_are_marked_only_where_the_query_has_no_others() -> None:
    assert text.query_terms("how to sort a list") == ("list", "sort")
    assert text.query_terms("to be or not to be") == ("not",)
    assert text.query_terms("how to") == ("how", "to")


def test_a_term_of_two_letters_marks_only_itself() -> None:
    assert text.marked("io and ions", ("io",)) == "<mark>io</mark> and ions"


def test_terms_in_any_script() -> None:
    assert "<mark>كتاب</mark>" in text.marked("هذا كتاب جديد", text.query_terms("كتاب"))
    assert text.marked("彼は日本へ行く", ("日本",)) == "彼は<mark>日本</mark>へ行く"
    hindi = "\u0939\u093f\u0928\u094d\u0926\u0940"
    assert text.query_terms(hindi) == (hindi,)
    assert text.marked(hindi, (hindi,)) == f"<mark>{hindi}</mark>"


def test_a_decomposed_query_marks_a_composed_text() -> None:
    assert text.marked("caf\u00e9", text.query_terms("cafe\u0301")) == "<mark>caf\u00e9</mark>"


def test_what_no_page_can_hold_becomes_a_replacement_character() -> None:
    assert text.clean("a\0b\ud800c\r\nd\re") == "a\ufffdb\ufffdc\nd\ne"


def test_a_short_text_is_not_folded() -> None:
    shown = text.folded("word " * 150, ("word",))
    assert shown.hidden == 0


def test_a_long_text_is_folded_around_its_matches() -> None:
    body = "start " + "filler " * 1000 + "the needle lies here " + "filler " * 1000
    shown = text.folded(body, ("needle",))
    page = seen(shown.html)
    assert "<mark>needle</mark>" in shown.html
    assert page.text.startswith("start")
    assert shown.hidden > 12000
    assert len(page.text) < text.FOLD_BUDGET + 100


def test_a_long_text_without_matches_shows_its_beginning() -> None:
    shown = text.folded("filler " * 1000, ("needle",))
    assert text.FOLD_BUDGET <= 7000 - shown.hidden <= text.FOLD_BUDGET + 30


@given(st.text(alphabet="ab \n", min_size=1, max_size=4000), st.sampled_from(["a", "ab", "b"]))
def test_folding_shows_each_character_at_most_once(body: str, term: str) -> None:
    shown = text.folded(body, (term,), budget=600)
    plain = seen(shown.html).text.replace(" … ", "")
    assert len(plain) + shown.hidden == len(text.clean(body))


def test_one_endless_word_is_folded_too() -> None:
    assert text.folded("x" * 5_000_000, ("x" * 9,)).hidden > 4_900_000


def test_a_block_takes_the_direction_of_its_text() -> None:
    assert text.block("x") == '<div class="gs-text" dir="auto">x</div>'
    assert text.inline("<b>") == "<bdi>&lt;b&gt;</bdi>"


def test_a_button_label_holds_no_markdown() -> None:
    assert text.button_label("**b**\n:material/home:") == (
        "\\*\\*b\\*\\* \\:\u2060material\\/home\\:\u2060"
    )
