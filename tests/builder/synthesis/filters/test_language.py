"""Only what is clearly another language is told; short queries seldom are."""

import pytest

from builder.synthesis.filters.language import language
from tests.builder.mining import short_queries

LEAVE = "年次有給休暇の申請は、希望日の三日前までに人事システムから。MacBook Pro でも可能です。"
BREMSE = (
    "Die Scheibenbremse wird mit zwei Schrauben befestigt. Cloud Backup Server sichern die Daten."
)


@pytest.mark.parametrize(
    ("text", "wanted", "passage"),
    [
        ("how do you plan your holidays for tomorrow?", "ja", LEAVE),
        ("boiler low pressure", "ja", LEAVE),
        ("何天之前申请带薪休假のこと", "zh", ""),
        ("有給休暇 申請 いつまで", "en", "Paid leave is asked for three days ahead."),
        ("한국어 질문입니다", "ja", LEAVE),
        ("when do I have to replace the brake pads of my bicycle", "de", BREMSE),
        ("Wann muss ich die Bremsbeläge meines Fahrrads wechseln?", "en", "Brake pads wear."),
        ("quand faut-il changer les plaquettes de frein", "de", BREMSE),
        ("когда менять тормозные колодки", "de", BREMSE),
        ("when to change brake pads of a bicycle", "ru", "Тормозные колодки изнашиваются."),
    ],
)
def test_another_language_is_found(text: str, wanted: str, passage: str) -> None:
    found = language(text, wanted, passage)

    assert found is not None
    assert wanted in found.detail


@pytest.mark.parametrize(
    ("text", "wanted", "passage"),
    [
        ("MacBook Pro", "ja", LEAVE),
        ("有給申請期限", "ja", LEAVE),  # nothing but kanji
        ("MacBook Pro 有給", "ja", LEAVE),
        ("cloud backup server", "de", BREMSE),  # the passage's own words
        ("usb c hub", "de", BREMSE),
        ("\u03b1-Tocopherol Dosierung", "de", BREMSE),
        ("5 μm Filter", "de", BREMSE),
        ("hvordan bytter jeg bremseklosser på sykkelen", "da", "Bremseklodser slides."),
        ("E-1042", "de", BREMSE),
        ("whatever it is", "other or unknown", ""),
    ],
)
def test_what_may_be_of_the_language_passes(text: str, wanted: str, passage: str) -> None:
    assert language(text, wanted, passage) is None


@pytest.mark.parametrize("wanted", ["en", "de", "fr", "es"])
def test_no_short_query_is_taken_for_another_language(wanted: str) -> None:
    """A hundred of each, without a passage that would explain names."""
    texts = getattr(short_queries, wanted.upper()).replace("\n", "; ").split("; ")

    assert [text for text in texts if language(text, wanted)] == []
