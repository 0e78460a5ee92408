"""Personal data in queries: known answers with their sources, and what must not be taken for it."""

from itertools import pairwise
from typing import Any

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from builder.mining.personal_data import find_personal, is_luhn, is_only_masks, mask_personal
from online.sql import sql

EMAILS = [
    # RFC 3696, section 3, without the quoted forms.
    "user+mailbox@example.com",
    "customer/department=shipping@example.com",
    "$A12345@example.com",
    "!def!xyz%abc@example.com",
    "_somename@example.com",
    # RFC 6531: letters of any script; and the full-width sign of East Asian keyboards.
    "m\u00fcller@b\u00fcro.de",
    "x\uff20example.com",
    # As people write them where they must not, or on a telephone's keyboard.
    "user at gmail.com",
    "john.doe (at) example.org",
    "john [at] example dot org",
    "juan arroba example punto com",
    "john @ example.com",
]
IBANS = [
    # The examples of the IBAN registry (SWIFT) for these countries.
    "GB29NWBK60161331926819",
    "DE89370400440532013000",
    "FR1420041010050500013M02606",
    "NO9386011117947",
    "MT84MALT011000012345MTLCAST001S",
    # As people type them: in groups, in small letters.
    "de89 3704 0044 0532 0130 00",
]
CARDS = [
    # Test numbers that payment services publish (PayPal, Stripe): Visa, Mastercard, American
    # Express, Discover, Diners Club, JCB.
    "4111111111111111",
    "5555 5555 5555 4444",
    "378282246310005",
    "6011-1111-1111-1117",
    "30569309025904",
    "3530111333300000",
    # Mistyped, or no card at all: grouped as on one, that is enough.
    "4111 1111 1111 1112",
    "1234 5678 9012 3456",
    "1234-5678-9012-3456",
    "3782 822463 10006",
]
PHONES = [
    # Ofcom's and NANPA's numbers for drama; ITU-T E.123's way to write them; usual national forms.
    "+44 20 7946 0018",
    "+44 (0)20 7946 0018",
    "07700 900123",
    "020 7946 0018",
    "(212) 555-0123",
    "212-555-0123",
    "1-800-555-0123",
    "+49 30 1234567",
    "0049 30 1234567",
    "030/1234567",
    "015112345678",
    "01 23 45 67 89",
    "06.12.34.56.78",
]
HARMLESS = [
    # Article and book numbers: GS1's own example, a UPC, ISBN-13 and ISBN-10 of ISO 2108.
    "4006381333931", "036000291452", "9783161484100", "978-3-16-148410-0", "0306406152",
    # Models, sizes, quantities.
    "iphone 13", "rtx 4090 24gb", "1920x1080", "1920 1080 2560 1440", "size 36 38 40 42 44",
    "0402 0603 0805 resistor", "din 912 m8x20", "a4 210x297", "1,000,000,000", "10000000",
    "part 51-2024-0001234", "led 12v 24v 36v 48v", "gb 2000 watt", "de12 charger",
    # Years, days and times.
    "2019 2020 2021 2022", "1990-2000", "2026-11-30", "2026-11-30 12:00:00", "30.11.2026",
    "11/30/2026", "01.02.2026 10:30", "20261130120000", "02/2026 03/2026",
    # Versions, addresses of machines, numbers of programs.
    "python 3.11.4", "10.0.22621.1", "192.168.100.200", "react@18.2.0", "@dataclass",
    "c++11 14 17 20 23", "3.14159265358979", "2147483647", "1000000000000", "iso 9001:2015",
    "550e8400-e29b-41d4-a716-446655440000", "da39a3ee5e6b4b0d3255bfef95601890afd80709",
    "call of duty 4", "mobile 5g 2023", "a@b", "",
    # A word says that it is a product's number, whatever the check digit; EAN-13 in fours; EAN-8.
    "ean 4006381333932", "isbn 0306406153", "4006 3813 3393 1", "96385074",
    # Rows of sizes; limits of computers; an at sign's word among others.
    "iphone 15 128 256 512 1024", "mobile 15 128 256 512 1024", "256 512 1024", "4294967295",
    "2048 4096 8192 16", "18446744073709551615", "look at os.path", "cheap laptop at best price",
    "str.join at 3.11", "meet at 10.30",
    # Words that can stand before a number of somebody stand before other things, too.
    "order 66", "order by 2024", "sort order 1000000", "account 2024 2025", "konto 2026-11-30",
    "order 1920 1080", "order rtx4090", "customer 360 2024", "client side 8080", "contact 1234567",
]  # fmt: skip
CONTEXT = ["call 5551234567", "tel: 1234567", "phone number 612 345 678"]
LONG = [
    "12345678901",
    "490154203237518",  # an IMEI, of 3GPP TS 23.003's form
    "2125550123",  # an American phone number without marks
    "123456789",
    "123-45-6789",  # the form of the US Social Security Administration
    "DE89370400440532013001",  # an IBAN with a wrong digit
    "10012345678902",  # a GTIN-14 (GS1): cartons are looked for by nobody
]
OF_SOMEBODY = {
    # A word says it, in several languages; the German passport is that of the specimen (BMI).
    "account 12345678": "12345678",
    "my account number is 12345678": "12345678",
    "konto 12 345 678": "12 345 678",
    "kontonummer: 12345678": "12345678",
    "num\u00e9ro de compte 12345678901": "12345678901",
    "iban 12345678": "12345678",
    "passport C01X00T47": "C01X00T47",
    "reisepass-nr. c01x00t47": "c01x00t47",
    "n\u00b0 client 1234567": "1234567",
    "kundennummer 1234567": "1234567",
    "order 123456789012": "123456789012",  # the check digit of a UPC, but the word decides
    "bestellnummer 1234567": "1234567",
    "ssn 123 45 6789": "123 45 6789",
    "dni 12345678z": "12345678z",
}


def kinds(text: str) -> list[str]:
    return [one.kind for one in find_personal(text)]


@pytest.mark.parametrize(
    ("kind", "texts"),
    [
        ("email", EMAILS),
        ("iban", IBANS),
        ("payment_card", CARDS),
        ("phone", PHONES),
        ("long_number", LONG),
    ],
)
def test_personal_data_is_found_alone_and_among_words(kind: str, texts: list[str]) -> None:
    for text in texts:
        assert kinds(text) == kinds(text.lower()) == kinds(f"mine is {text} thanks") == [kind], text
        (found,) = find_personal(f"is {text} ok")
        assert (found.start, found.end) == (3, 3 + len(text)), text


def test_a_word_says_that_it_is_a_phone_number() -> None:
    for text in CONTEXT:
        assert kinds(text) == ["phone"], text


def test_a_word_says_that_a_number_is_somebodys() -> None:
    for text, number in OF_SOMEBODY.items():
        assert kinds(text) == ["long_number"], text
        (found,) = find_personal(text)
        assert text[found.start : found.end] == number


@pytest.mark.parametrize("text", HARMLESS)
def test_no_false_alarm(text: str) -> None:
    assert find_personal(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "4111111111111112",  # a wrong check digit, but a long number all the same
        "DE89370400440532013001",
        "GB29NWBK6016133192681",  # a digit is missing
    ],
)
def test_check_digits_decide(text: str) -> None:
    assert not {"payment_card", "iban"} & set(kinds(text))


def test_luhn() -> None:
    """79927398713 is the usual worked example; with any other last digit it fails."""
    assert [n for n in range(10) if is_luhn(f"7992739871{n}")] == [3]


def test_digits_of_other_scripts_are_digits() -> None:
    assert kinds("\uff14" + "\uff11" * 15) == ["payment_card"]


@pytest.mark.parametrize(
    "piece",
    [
        "1", "1 ", "12-", "0.", "(0)1", "a@", "a.b@", "+1 ", "de12 ", "a at ", "a dot ", "at a.",
        "1234 ", "order 1", "order nr ", "a1", "isbn 1", "123-45-",
    ],
)  # fmt: skip
def test_long_texts_take_no_longer(piece: str) -> None:
    """No form tries all ways to part 2,000 characters: each of these took for ever or does not."""
    assert isinstance(find_personal("0" + piece * (2000 // len(piece)) + "x"), list)


def test_masking_names_the_kind_and_leaves_the_rest() -> None:
    text = "mail john@x.org or call +49 30 1234567 about 4006381333931"
    assert mask_personal(text) == "mail [email] or call [phone] about 4006381333931"
    assert find_personal(mask_personal(text)) == []


def test_nothing_but_masks_says_nothing() -> None:
    hollow = ["a@b.org", "(212) 555-0123!", "a@b.org, 123-45-6789"]
    assert all(is_only_masks(mask_personal(text)) for text in hollow)
    assert not any(is_only_masks(mask_personal(text)) for text in ["mail a@b.org", "shoes", ""])


@settings(max_examples=100, deadline=None)
@given(st.lists(st.sampled_from([*EMAILS, *CARDS, *PHONES, *LONG, *OF_SOMEBODY, *HARMLESS])))
def test_what_is_found_does_not_overlap_and_nothing_stays(pieces: list[str]) -> None:
    text = " ".join(pieces)
    found = find_personal(text)
    assert all(one.end <= other.start for one, other in pairwise(found))
    assert find_personal(mask_personal(text)) == []


def test_the_lake_proposes_all_that_is_found() -> None:
    """What SQL does not propose, nobody looks at."""
    texts = [*EMAILS, *IBANS, *CARDS, *PHONES, *CONTEXT, *LONG, *OF_SOMEBODY]
    with duckdb.connect() as connection:
        rows: Any = [(text.lower(),) for text in texts]
        connection.execute("SET VARIABLE seed = '0'; CREATE TABLE queries (group_key VARCHAR)")
        connection.executemany("INSERT INTO queries VALUES (?)", rows)
        frame = connection.sql(sql("duckdb/query_frame"))
        assert frame.filter("NOT may_be_personal").fetchall() == []
