# ruff: noqa: RUF001 - letters that look like others are what is tested
import unicodedata
from html import unescape

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.ui.test_text import seen
from ui import text
from ui.marking import find

# Lists of small words are read when a language first needs them.
PATIENT = settings(deadline=None)


def shown(body: str, query: str, language: str = "en") -> str:
    """The text with brackets where a browser would show marks."""
    html = text.marked(body, text.query_terms(query, language))
    return unescape(html.replace("<mark>", "[").replace("</mark>", "]"))


@pytest.mark.parametrize(
    ("query", "body", "expected"),
    [
        ("read FILE", "Reading a file; misread FILES", "[Reading] a [file]; misread [FILES]"),
        ("happiness", "happy HAPPIER, unhappy", "[happy] HAPPIER, unhappy"),
        ("flies", "a fly flies", "a [fly] [flies]"),
        ("iterate", "iteration over an iterator", "[iteration] over an [iterator]"),
        ("library", "libraries, Library", "[libraries], [Library]"),
        ("read", "readline read_text ready", "[read]line [read]_text [read]y"),
        ("cat", "cats category concat", "[cats] category concat"),
        ("io", "io and ions", "[io] and ions"),
        ("3.11", "3.11 3.12 13.11 311", "[3.11] 3.12 13.11 311"),
        ("b2b shop", "B2B shops b2c", "[B2B] [shops] b2c"),
    ],
)
def test_english_words_are_marked_in_their_forms(query: str, body: str, expected: str) -> None:
    assert shown(body, query) == expected


@pytest.mark.parametrize(
    ("query", "body", "expected"),
    [
        ("Haus", "Häuser, Hochhäuser, HAUSTÜR", "[Häuser], Hoch[häuser], [HAUS]TÜR"),
        ("Haus", "Krankenhaus, Behausung", "Kranken[haus], Behausung"),
        ("Versicherungen", "Lebensversicherung", "Lebens[versicherung]"),
        ("Versicherung", "Rückversicherungsvertrag", "Rück[versicherung]svertrag"),
        ("Versicherung", "Ver\u00adsicherung", "[Ver\u00adsicherung]"),
        ("Strasse", "STRASSEN der Straße", "[STRASSEN] der [Straße]"),
        ("Fuß", "FUSS und Füße", "[FUSS] und [Füße]"),
    ],
)
def test_german_compounds_and_umlauts(query: str, body: str, expected: str) -> None:
    assert shown(body, query, "de") == expected


@pytest.mark.parametrize(
    ("language", "query", "body", "expected"),
    [
        ("tr", "istanbul", "İstanbul İSTANBUL'da", "[İstanbul] [İSTANBUL]'da"),
        ("tr", "sınırlar", "SINIR", "[SINIR]"),
        ("en", "istanbul", "İstanbul i\u0307stanbul", "[İstanbul] [i\u0307stanbul]"),
        ("el", "ΛΟΓΟΣ", "ο λόγος του λόγου", "ο [λόγος] του [λόγου]"),
        ("en", "λόγος", "ΛΟΓΟΣ λόγοσ", "[ΛΟΓΟΣ] [λόγοσ]"),
        ("ru", "ёлка", "Елки и ёлками", "[Елки] и [ёлками]"),
        ("fr", "chevaux", "Chevaux chevaus", "[Chevaux] chevaus"),
        ("en", "cafe", "Café cafés", "[Café] [cafés]"),
        ("en", "office", "o\ufb03ce of\ufb01ce", "[o\ufb03ce] [of\ufb01ce]"),
        ("ar", "كتاب", "هذا كتاب والكتاب الكِتَاب", "هذا [كتاب] [والكتاب] [الكِتَاب]"),
        ("en", "الكتاب", "كتاب جديد", "[كتاب] جديد"),
        ("he", "ספר", "הספר של", "[הספר] של"),
        ("hi", "किताब", "किताबें हिन्दी", "[किताबें] हिन्दी"),
        ("ko", "학교", "학교에서 학생", "[학교]에서 학생"),
        ("th", "ร้านอาหารไทย", "อาหารไทยในร้านอาหาร", "[อาหารไทย]ใน[ร้านอาหาร]"),
        ("zh", "北京天气预报", "今天北京的天气很好", "今天[北京]的[天气]很好"),
        ("ja", "東京のラーメン", "彼は東京でラーメンを", "彼は[東京]で[ラーメン]を"),
        ("ja", "すし", "すしを食べる", "[すし]を食べる"),
        ("zh", "iPhone手机", "新手机iPhone的", "新[手机][iPhone]的"),
    ],
)
def test_words_of_any_script(language: str, query: str, body: str, expected: str) -> None:
    assert shown(body, query, language) == unicodedata.normalize("NFC", expected)


def test_a_decomposed_query_marks_a_composed_text_and_the_other_way_round() -> None:
    assert shown("caf\u00e9", "cafe\u0301") == "[caf\u00e9]"
    assert shown("cafe\u0301s", "caf\u00e9") == "[caf\u00e9s]"


def test_words_of_another_script_than_the_language_are_stemmed_too() -> None:
    assert shown("книгами", "книга", "de") == "[книгами]"
    assert shown("Dateien files", "files", "ru") == "Dateien [files]"


@pytest.mark.parametrize("language", ["xx", "zz", "no", "nb", "fa", "pl", "vi"])
def test_any_language_code_marks_at_least_the_word_itself(language: str) -> None:
    assert shown("Word", "word", language) == "[Word]"


def test_an_unknown_letter_case_does_not_move_the_marks() -> None:
    assert shown("İİİ ßßß ﬁﬁ İ word ŉ", "word") == "İİİ ßßß ﬁﬁ İ [word] ŉ"


ALPHABET = "abİıißẞſσςΣée\u0301\u0327\u00ad كتابَकिน्ด北京茶ラすしร้าน학교 \n.,_'<&ﬁﬃ0١"
LETTERS = "abİißẞſσςΣéكتабё학교 \n.,_'<&ﬁﬃ0"
LANGUAGES = ["en", "de", "tr", "ar", "hi", "th", "zh", "xx"]


@PATIENT
@given(
    st.text(alphabet=ALPHABET, max_size=60),
    st.text(alphabet=ALPHABET, max_size=20),
    st.sampled_from(LANGUAGES),
)
def test_marks_stand_in_order_and_apart_and_change_nothing(
    body: str, query: str, language: str
) -> None:
    whole, terms = text.clean(body), text.query_terms(query, language)
    places = [place for span in find(whole, terms) for place in (span.start, span.end)]
    assert places == sorted(places)
    assert all(a < b for a, b in zip(places[::2], places[1::2], strict=True))
    page = seen(text.marked(body, terms))
    assert page.text == whole
    assert page.tags <= {"mark"}


@PATIENT
@given(st.text(alphabet=LETTERS, min_size=1, max_size=12), st.sampled_from(LANGUAGES))
def test_each_word_of_a_query_is_marked_in_the_query_itself(query: str, language: str) -> None:
    terms = text.query_terms(query, language)
    found = {span.term for span in find(text.clean(query), terms)}
    assert set(range(len(terms.words))) == found


@PATIENT
@given(st.lists(st.sampled_from(["needle", "hay", "straw", "needles\n"]), max_size=400))
def test_a_folded_text_is_made_of_its_parts(words: list[str]) -> None:
    whole = " ".join(words)
    folded = text.folded(whole, text.query_terms("needle"), budget=700)
    parts = seen(folded.html.replace(text.GAP, "\x1f")).text.split("\x1f")
    at = 0
    for part in parts:
        at = whole.index(part, at) + len(part)
    assert sum(map(len, parts)) + folded.hidden == len(whole)


def test_the_passage_that_holds_most_of_the_query_is_shown() -> None:
    filler = "nothing of it " * 200
    body = f"start {filler}read here {filler}reading a file by lines {filler}read {filler}"
    html = text.folded(body, text.query_terms("read file lines"), budget=700).html
    assert "<mark>reading</mark> a <mark>file</mark> by <mark>lines</mark>" in html
    assert html.startswith("start")


def test_passages_stand_in_the_order_of_the_text() -> None:
    filler = "nothing of it " * 100
    body = f"start {filler}a lone file {filler}read the file by lines {filler}"
    page = seen(text.folded(body, text.query_terms("read file lines")).html).text
    assert page.index("a lone file") < page.index("read the file by lines")


def test_a_text_of_matches_only_is_folded_too() -> None:
    folded = text.folded("needle " * 100_000, text.query_terms("needle"))
    assert len(seen(folded.html).text) < text.FOLD_BUDGET + 200


def test_no_letter_is_cut_from_its_marks() -> None:
    body = "कि" * 5000
    page = seen(text.folded(body, text.query_terms("needle")).html).text
    assert all(not part.startswith("\u093f") for part in page.split(" … "))


def test_many_threads_may_stem_at_once() -> None:
    from concurrent.futures import ThreadPoolExecutor

    words = [f"running{n} libraries connected" for n in range(200)]
    with ThreadPoolExecutor(8) as pool:
        answers = set(pool.map(lambda body: shown(body, "library"), words))
    assert answers == {f"running{n} [libraries] connected" for n in range(200)}
