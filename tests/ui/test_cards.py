import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from builder.judging.queue import Pair
from builder.settings import Card
from evals.records import Document, Query
from tests.ui.test_text import NASTY, seen
from ui import text
from ui.cards import card_html, filled, place_in_set, readable, safe_address

METADATA = {
    "brand": "Acme & Söhne",
    "price": 12.50,
    "year": 2021,
    "colours": ["red", "blue"],
    "in_stock": True,
    "empty": "",
    "none": None,
    "maker": {"name": "Ann", "town": "", "years": [1999, 2000]},
    "url": "https://shop.example.org/p?id=1&x=2",
    "image_url": "http://pictures.example.org/1.png",
}
DOCUMENT = Document("d1", "A lamp", "It shines.", METADATA)


def html_of(card: Card, document: Document = DOCUMENT) -> str:
    return card_html(document, card, text.query_terms("lamp"), whole=False).html


def test_the_default_card_shows_title_and_text() -> None:
    assert html_of(Card()) == (
        '<div class="gs-doc"><h2 class="gs-title" dir="auto">A <mark>lamp</mark></h2>'
        '<div class="gs-text" dir="auto">It shines.</div></div>'
    )


def test_a_document_without_title_is_called_by_its_id_and_says_that_it_has_no_text() -> None:
    html = html_of(Card(), Document("<d1>", " ", "\n"))
    assert "&lt;d1&gt;</h2>" in html
    assert "This document has no text." in html


def test_values_are_readable() -> None:
    line = "{brand}, {price} EUR, {year}: {colours}; in stock: {in_stock}; {maker}"
    shown = seen(html_of(Card(lines=[line]))).text
    assert (
        "Acme & Söhne, 12.5 EUR, 2021: red, blue; in stock: yes; name: Ann; years: 1999, 2000"
        in shown
    )


@pytest.mark.parametrize(
    ("value", "words"),
    [(3.0, "3"), (0.1 + 0.2, "0.3"), (0, "0"), (1999, "1999"), (False, "no"), ([], ""), (None, "")],
)
def test_a_number_is_written_as_people_write_it(value: object, words: str) -> None:
    assert readable(value) == words


def test_a_line_without_any_value_vanishes() -> None:
    card = Card(lines=["By {empty}", "{none} {unknown}", "{unknown} {brand}", "Fixed words"])
    html = html_of(card)
    assert html.count('class="gs-line"') == 2
    assert "By" not in seen(html).text
    assert "Fixed words" in html


def test_zero_is_a_value() -> None:
    assert filled("{n} left", Document("d", "", "", {"n": 0})) == "0 left"


def test_a_deep_value_ends_somewhere() -> None:
    deep: list[object] = ["end"]
    for _ in range(5000):
        deep = [deep]
    assert readable(deep) == ""


def test_title_and_text_follow_their_templates() -> None:
    html = html_of(Card(title="{brand}: {title}", text="{text}\n\nColours: {colours}"))
    page = seen(html)
    assert "Acme & Söhne: A lamp" in page.text
    assert "It shines.\n\nColours: red, blue" in page.text


def test_terms_are_marked_in_lines_too() -> None:
    document = Document("d", "T", "x", {"kind": "desk lamp"})
    assert "desk <mark>lamp</mark>" in html_of(Card(lines=["{kind}"]), document)


def test_a_link_opens_elsewhere_and_tells_nobody_who_asks() -> None:
    html = html_of(Card(link="{url}", image="{image_url}"))
    assert 'href="https://shop.example.org/p?id=1&amp;x=2" target="_blank"' in html
    assert 'rel="noopener noreferrer"' in html
    assert "Open <bdi>shop.example.org</bdi>" in html
    assert ' data-src="http://pictures.example.org/1.png"' in html
    assert " src=" not in html
    assert 'width="144" height="144" loading="lazy"' in html


@pytest.mark.parametrize(
    "address",
    [
        "javascript:alert(1)",
        "JaVaScRiPt:alert(1)",
        "java\tscript:alert(1)",
        " data:text/html,<script>alert(1)</script>",
        "vbscript:x",
        "file:///etc/passwd",
        "//example.org/x",
        "/x",
        "http:",
        "https://",
        "http:///x",
        "http://[::1",
        'https://example.org/"onmouseover="alert(1)',
        "https://example.org/\nx",
        "https://example.org/" + "x" * 3000,
        "",
    ],
)
def test_any_other_address_is_not_drawn(address: str) -> None:
    document = Document("d", "T", "x", {"url": address})
    tags = seen(html_of(Card(link="{url}", image="{url}"), document)).tags
    assert not tags & {"a", "img"}
    assert safe_address(address) is None


@pytest.mark.parametrize("nasty", NASTY)
def test_markup_in_any_field_is_shown_as_it_was_written(nasty: str) -> None:
    document = Document(nasty, nasty, nasty, {"m": nasty, "list": [nasty]})
    card = Card(lines=["{m}", "{list}", "{doc_id}"], image="{m}", link="{m}", title="{doc_id}")
    page = seen(card_html(document, card, whole=True).html)
    assert page.tags == {"div", "h2", "p", "bdi"}
    assert page.text.count(nasty) == 5


def test_braces_in_a_value_are_no_fields() -> None:
    assert filled("{title}", Document("d", "{text}", "secret")) == "{text}"


def test_all_of_a_long_text_is_shown_where_it_is_asked_for() -> None:
    document = Document("d", "T", "word " * 1000)
    folded = card_html(document, Card(), whole=False)
    assert folded.hidden > 3000
    whole = card_html(document, Card(), whole=True)
    assert whole.hidden == 0
    assert "word " * 1000 in whole.html


@settings(deadline=None)
@given(st.text(), st.text(), st.dictionaries(st.text(), st.text() | st.floats() | st.integers()))
def test_any_document_has_a_card(title: str, body: str, metadata: dict[str, object]) -> None:
    lines = [f"{{{name}}}" for name in metadata if name and not set(name) & set("{}")][:10]
    card = Card(lines=[line for line in lines if len(line) <= 1000])
    page = seen(card_html(Document("d", title, body, metadata), card, whole=True).html)
    assert page.tags <= {"div", "h2", "p", "bdi"}


def test_the_place_of_a_query_is_no_progress() -> None:
    pair = Pair(1, Query("q22", "x"), Document("d", "", "x"), 22, 1096, 5)
    assert place_in_set(pair) == "Query no. 22 in the set of 1,096"
