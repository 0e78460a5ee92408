"""Finds what may tell who somebody is in a query: e-mail, phone, card, IBAN, long digit strings.

People type such things into search boxes, and an evaluation set is passed on. Where a number shows
by its check digits what it is, these decide; where it does not, its form must be one that product
numbers, years, sizes, dates, versions and decimals do not have. So some data is missed: phone
numbers without area code or in unusual groups, an at sign in words, names and addresses.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias, get_args

Kind: TypeAlias = Literal["email", "iban", "payment_card", "phone", "long_number"]
KINDS: Final[tuple[Kind, ...]] = get_args(Kind)
"""In the order in which they are looked for: what one found, no other looks at."""

SHORTEST_LONG: Final = 11
"""Digits in one run; ten-digit numbers are too often part numbers and limits such as 2147483647."""

# A letter must stand behind the last dot: react@18.2.0 is a version.
_EMAIL = re.compile(
    r"[\w.!#$%&'*+/=?^`{|}~-]*[\w!#$%&'*+/=?^`{|}~-][@\uff20]"
    r"(?:[\w-]+\.)+(?:xn--[a-z0-9-]+|[^\W\d_]{2,})(?![\w@])",
    re.IGNORECASE,
)
_GROUPED = re.compile(r"(?<![\w.,])(?:\d[ -]?){13,18}\d(?![\w]|[.,]\d)")
_IBAN_START = re.compile(r"(?<![^\W_])[A-Z]{2}\d{2}", re.IGNORECASE)
_RUN = re.compile(rf"(?<![\w])(?<!\d[.,])\d{{{SHORTEST_LONG},}}(?![\w]|[.,]\d)")
_DATE = re.compile(
    r"(?<![\w.])(?:\d{4}([-/.])\d{1,2}\1\d{1,2}|\d{1,2}([-/.])\d{1,2}\2(?:\d{4}|\d\d)"
    r"|\d{1,2}[/.]\d{4})"
    r"(?:[ t]\d{1,2}:\d\d(?::\d\d)?)?(?!\w|[-/.]\d)",
    re.IGNORECASE,
)
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_PHONES = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        # International: +49 30 1234567, 0049 30 1234567 (ITU-T E.164: at most 15 digits).
        r"(?<![\w+.])(?:\+|00(?=[1-9]))(?:\(0\)|[\s()/.-]{0,2}\d){8,15}(?!\w)",
        # With the trunk prefix 0 and an area code, in groups or in one: 030/1234567, 0151 23456789.
        r"(?<![\w.,+-])\(?0[1-9]\d{0,4}(?:\)[ ]?|[ /.-]{1,2}|(?=\d))\d{2,}(?:[ ./-]\d{2,})*"
        r"(?!\w|[.,-]\d)",
        # North America: (212) 555-0123, 212-555-0123, 212.555.0123.
        r"(?<![\w.,-])(?:1([ .-]))?(?:\([2-9]\d\d\) ?\d{3}[-. ]|[2-9]\d\d([-. ])\d{3}\2)\d{4}"
        r"(?!\w|[.,-]\d)",
        # Whatever a word says is one.
        r"\b(?:tel|telefon|telephone|telefono|tel\u00e9fono|t\u00e9l\u00e9phone|phone|mobile|handy"
        r"|cell|call|fax|whatsapp)\W{0,3}(?:(?:number|nummer|num\u00e9ro|n\u00famero|no|nr)\W{0,3})?"
        r"(?<!\d)(?P<number>\d(?:[ ./-]?\d){6,14})(?!\w)",
    )
)
_TRUNK = 1
_FEWEST_TRUNK, _MOST_TRUNK = 9, 12

# Issuer's first digits and lengths: ISO/IEC 7812, as the schemes publish them. No thirteen digits:
# such cards are no longer given out, and European article numbers are that long.
_CARDS = (
    (re.compile(r"4"), (16, 19)),
    (re.compile(r"5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720"), (16,)),
    (re.compile(r"3[47]"), (15,)),
    (re.compile(r"3(?:0[0-5]|[689])"), (14,)),
    (re.compile(r"6011|64[4-9]|65"), (16, 19)),
    (re.compile(r"35(?:2[89]|[3-8])"), (16,)),
    (re.compile(r"62"), (16, 17, 18, 19)),
    (re.compile(r"50|5[6-8]|6[37]"), (16, 18, 19)),
)

# Country -> length: ISO 13616, the IBAN registry of SWIFT.
_IBAN_LENGTHS = {
    country: length
    for length, countries in {
        15: "NO", 16: "BE", 18: "DK FI FK FO GL NL SD", 19: "MK SI",
        20: "AT BA EE KZ LT LU MN XK", 21: "CH HR LI LV", 22: "BG BH CR DE GB GE IE ME RS VA",
        23: "AE GI IL IQ OM SO TL", 24: "AD CZ ES MD PK RO SA SE SK TN VG", 25: "LY PT ST",
        26: "IS TR", 27: "BI DJ FR GR IT MC MR SM", 28: "AL AZ BY CY DO GT HN HU LB NI PL SV",
        29: "BR EG PS QA UA", 30: "JO KW MU YE", 31: "MT SC", 32: "LC", 33: "RU",
    }.items()
    for country in countries.split()
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Personal:
    """One piece of personal data in a text.

    Attributes:
        kind: What it is.
        start: Where it begins in the text.
        end: Behind its last character.
    """

    kind: Kind
    start: int
    end: int


def find_personal(text: str) -> list[Personal]:
    """What may tell who somebody is, in the order of the text; no two overlap."""
    found: list[Personal] = []
    for kind in KINDS:
        for start, end in _FINDERS[kind](_blanked(text, found)):
            found.append(Personal(kind, start, end))
    return sorted(found, key=lambda one: one.start)


def mask_personal(text: str) -> str:
    """The text with [email], [phone] and kin instead of what `find_personal` finds."""
    for one in reversed(find_personal(text)):
        text = f"{text[: one.start]}[{one.kind}]{text[one.end :]}"
    return text


def _blanked(text: str, found: list[Personal]) -> str:
    """The text with letters instead of what was found, so that every place stays where it is."""
    for one in found:
        text = text[: one.start] + "x" * (one.end - one.start) + text[one.end :]
    return text


def _emails(text: str) -> Iterator[tuple[int, int]]:
    if "@" in text or "\uff20" in text:
        for match in _EMAIL.finditer(text):
            yield match.span()


def _ibans(text: str) -> Iterator[tuple[int, int]]:
    behind = 0
    for match in _IBAN_START.finditer(text):
        length = _IBAN_LENGTHS.get(match[0][:2].upper(), 0)
        end = _end_of(text, match.start(), length)
        if match.start() >= behind and end and _is_iban(text[match.start() : end]):
            behind = end
            yield match.start(), end


def _end_of(text: str, start: int, length: int) -> int:
    """Where so many letters and digits end that may stand in groups; 0 where they do not."""
    taken, place = 0, start
    while place < len(text) and taken < length:
        letter = text[place]
        if letter.isalnum():
            taken += 1
        elif letter not in " -" or not text[place - 1].isalnum():
            return 0
        place += 1
    ends = place == len(text) or not text[place].isalnum()
    return place if length and taken == length and ends else 0


def _is_iban(given: str) -> bool:
    """Whether the check digits are right: ISO 7064, modulo 97-10, as ISO 13616 says."""
    compact = "".join(letter for letter in given if letter.isalnum()).upper()
    if not compact.isascii():
        return False
    return int("".join(str(int(letter, 36)) for letter in compact[4:] + compact[:4])) % 97 == 1


def _cards(text: str) -> Iterator[tuple[int, int]]:
    for match in _GROUPED.finditer(text):
        digits = _digits(match[0])
        fits = any(len(digits) in lengths and form.match(digits) for form, lengths in _CARDS)
        if fits and is_luhn(digits):
            yield match.span()


def is_luhn(digits: str) -> bool:
    """Whether the last digit checks the others: ISO/IEC 7812-1, annex B (H. P. Luhn)."""
    total = 0
    for place, digit in enumerate(reversed(digits)):
        doubled = int(digit) * (1 + place % 2)
        total += doubled - 9 if doubled > 9 else doubled
    return total % 10 == 0


def _phones(text: str) -> Iterator[tuple[int, int]]:
    rest = _DATE.sub(_as_letters, text)
    for number, form in enumerate(_PHONES):
        for match in form.finditer(rest):
            if number == _TRUNK and not _is_trunk(match[0]):
                continue
            start, end = match.span("number") if "number" in form.groupindex else match.span()
            rest = rest[:start] + "x" * (end - start) + rest[end:]
            yield start, end


def _as_letters(match: re.Match[str]) -> str:
    return "x" * len(match[0])


def _is_trunk(found: str) -> bool:
    digits = _digits(found)
    if not _FEWEST_TRUNK <= len(digits) <= _MOST_TRUNK:
        return False
    if not found.isdecimal():
        # 0402 0603 0805 are sizes of electronic parts.
        return not all(re.fullmatch(r"0\d{3,}", group) for group in found.split())
    # In one run only with ten digits or more; and books and articles have numbers of that length.
    return len(digits) >= 10 and not (_is_isbn10(digits) or _is_gtin(digits))


def _long_numbers(text: str) -> Iterator[tuple[int, int]]:
    rest = _UUID.sub(_as_letters, text)
    for match in _RUN.finditer(rest):
        digits = _digits(match[0])
        if not (_is_gtin(digits) or _is_moment(digits) or _is_round(digits)):
            yield match.span()


def _is_gtin(digits: str) -> bool:
    """Whether it is an article number: GS1 General Specifications, check digit modulo 10."""
    if len(digits) not in (12, 13, 14):
        return False
    weighed = sum(int(digit) * (3 - place % 2 * 2) for place, digit in enumerate(digits[-2::-1]))
    return (10 - weighed % 10) % 10 == int(digits[-1])


def _is_isbn10(digits: str) -> bool:
    """Whether it is a book number: ISO 2108 of before 2007, modulo 11."""
    weighed = sum(int(digit) * (10 - place) for place, digit in enumerate(digits))
    return len(digits) == 10 and weighed % 11 == 0


def _is_moment(digits: str) -> bool:
    """Whether it is a date and time without separators, such as 20261130120000."""
    return len(digits) in (12, 14) and bool(
        re.match(r"(19|20)\d\d(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])([01]\d|2[0-3])[0-5]\d", digits)
    )


def _is_round(digits: str) -> bool:
    """Whether it is a number such as 1000000000000, or one key held down."""
    return len(set(digits)) <= 2


def _digits(text: str) -> str:
    """The digits of a text, in ASCII whatever their script."""
    return "".join(str(int(letter)) for letter in text if letter.isdecimal())


_FINDERS = {
    "email": _emails,
    "iban": _ibans,
    "payment_card": _cards,
    "phone": _phones,
    "long_number": _long_numbers,
}
