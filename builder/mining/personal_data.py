"""Finds what may tell who somebody is in a query: e-mail, phone, card, IBAN, numbers of a person.

People type such things into search boxes, and an evaluation set is passed on. So a number of nine
digits or more is taken unless its form says that it is something else: a product code with the
right check digit (EAN-13, UPC, ISBN: a shop's users look for these), a moment, a power of two, one
digit repeated. Shorter ones are taken where a word says what they are. One of ten other numbers of
12 or 13 digits has the check digit of a product code, and stays; names and addresses do, too.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias, get_args

Kind: TypeAlias = Literal["email", "iban", "payment_card", "phone", "long_number"]
KINDS: Final[tuple[Kind, ...]] = get_args(Kind)
"""In the order in which they are looked for: what one found, no other looks at."""

_MASKS = re.compile("|".join(rf"\[{kind}\]" for kind in KINDS))

SHORTEST_LONG: Final = 9
"""Digits in one run: numbers of accounts, insured people and orders begin there."""

# A letter must stand behind the last dot: react@18.2.0 is a version.
_EMAIL = re.compile(
    r"[\w.!#$%&'*+/=?^`{|}~-]*[\w!#$%&'*+/=?^`{|}~-][@\uff20]"
    r"(?:[\w-]+\.)+(?:xn--[a-z0-9-]+|[^\W\d_]{2,})(?![\w@])",
    re.IGNORECASE,
)
_AT_IN_WORDS = re.compile(
    r"(?<![\w.%+-])[\w.%+-]{1,64}"
    r"(?:\s?[(\[{<]\s?(?:at|arroba|@)\s?[)\]}>]\s?|\s(?:at|arroba)\s|\s?[@\uff20]\s|\s[@\uff20])"
    r"(?:[\w-]+(?:\.|\s?[(\[{]?\s?(?:dot|punkt|punto|point)\s?[)\]}]?\s?))+"
    # A list: os.path and str.join are no domains.
    r"(?:com|org|net|edu|gov|info|biz|io|eu|de|at|ch|fr|es|it|nl|be|lu|uk|ie|us|ca|mx|br|ar|au|nz"
    r"|pl|cz|sk|hu|ro|bg|gr|pt|se|no|dk|fi|ee|lv|lt|ru|ua|tr|il|in|cn|jp|kr|za)(?![\w-]|\.\w)",
    re.IGNORECASE,
)
_GROUPED = re.compile(r"(?<![\w.,])(?:\d[ -]?){13,18}\d(?![\w]|[.,]\d)")
_IBAN_START = re.compile(r"(?<![^\W_])[A-Z]{2}\d{2}", re.IGNORECASE)
_RUN = re.compile(rf"(?<![\w])(?<!\d[.,])\d{{{SHORTEST_LONG},}}(?![\w]|[.,]\d)")
# As on a card: in fours; American Express and Diners Club in 4-6-5 and 4-6-4.
_FOURS = re.compile(
    r"(?<![\w.,-])(?:\d{4}([ -])\d{4}\1\d{4}\1(?:\d{4}\1\d{1,3}|\d{1,4})"
    r"|3[47]\d\d([ -])\d{6}\2\d{5}|3[0689]\d\d([ -])\d{6}\3\d{4})(?!\w|[.,-]\d)"
)
_BELOW_CARDS = 2220
"""Cards begin with 3 to 6, or with 2221 and more; years, sizes of chips and the like are below."""
_IBAN_LIKE = re.compile(r"(?<![^\W_])[A-Z]{2}\d{13,32}(?!\w)", re.IGNORECASE)
_SOCIAL_SECURITY = re.compile(r"(?<![\w.,/+-])\d{3}-\d\d-\d{4}(?!\w|[.,/-]\d)")
_NUMBER_WORD = r"(?:-?(?:numbers?|numero|n\u00famero|num\u00e9ro|nummer|nr|no|num|id))?"
_OF_SOMEBODY = re.compile(
    r"(?<![^\W_])(?:account|acct|a/c|konto|kontonr|compte|cuenta|conto|conta|rekening|iban"
    r"|passport|reisepass|ausweis|personalausweis|passeport|pasaporte|passaporto|paspoort|paszport"
    r"|customer|kunden?|client|cliente|klant|klient"
    r"|order|bestell|bestellung|bestellungs|auftrags?|commande|pedido|ordine|bestelling|invoice"
    r"|rechnungs?|facture|factura|fattura"
    r"|ssn|social security|sozialversicherungs?|seguridad social|s\u00e9curit\u00e9 sociale|tax"
    rf"|steuer|dni|nie|nif|nir|cpf|bsn|pesel){_NUMBER_WORD}"
    r"(?:\W{0,3}(?:numbers?|numero|n\u00famero|num\u00e9ro|nummer|nr|no|n|num|id|is|ist)(?!\w)){0,2}"
    r"\W{0,3}(?<!\d)(?P<number>\d(?:[ ./-]?\d){6,29}|(?<![^\W_])(?=[^\W_]{7})"
    r"(?:[^\W\d_]{0,3}\d){5,30}[^\W\d_]{0,3})(?!\w)",
    re.IGNORECASE,
)
_PRODUCT = re.compile(
    r"\b(?:isbn|ean|gtin|upc|issn)(?:-?1[0-4])?(?:\W{0,3}(?:number|nummer|code|nr|no))?\W{0,3}"
    r"\d[\d -]{6,18}(?!\w)",
    re.IGNORECASE,
)
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
_TRUNK, _AMERICAN, _SAID = 1, 2, 3
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
    # Once more: behind "[phone]" a number may look like one that it did not look like before.
    while found := find_personal(text):
        for one in reversed(found):
            text = f"{text[: one.start]}[{one.kind}]{text[one.end :]}"
    return text


def is_only_masks(text: str) -> bool:
    """Whether nothing is left of a text but masks of `mask_personal`: nobody can judge that."""
    rest = _MASKS.sub("", text)
    return rest != text and not any(letter.isalnum() for letter in rest)


def _blanked(text: str, found: list[Personal]) -> str:
    """The text with letters instead of what was found, so that every place stays where it is."""
    for one in found:
        text = text[: one.start] + "x" * (one.end - one.start) + text[one.end :]
    return text


def _emails(text: str) -> Iterator[tuple[int, int]]:
    if "@" in text or "\uff20" in text:
        for match in _EMAIL.finditer(text):
            yield match.span()
            # No letters: what was found is no name before a further sign.
            text = text[: match.start()] + ";" * len(match[0]) + text[match.end() :]
    for match in _AT_IN_WORDS.finditer(text):
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
            text = text[: match.start()] + _as_letters(match) + text[match.end() :]
    for match in _FOURS.finditer(_DATE.sub(_as_letters, text)):
        if not (_are_sizes(re.split("[ -]", match[0])) or _is_product(_digits(match[0]))):
            yield match.span()


def _are_sizes(groups: Sequence[str]) -> bool:
    """Whether all may be years, resolutions or sizes: 1920 1080 2560 1440, 2048 4096 8192 16."""
    numbers = [int(group) for group in groups]
    return all(n <= _BELOW_CARDS or n % 10 == 0 or _is_power(n) for n in numbers)


def is_luhn(digits: str) -> bool:
    """Whether the last digit checks the others: ISO/IEC 7812-1, annex B (H. P. Luhn)."""
    total = 0
    for place, digit in enumerate(reversed(digits)):
        doubled = int(digit) * (1 + place % 2)
        total += doubled - 9 if doubled > 9 else doubled
    return total % 10 == 0


def _phones(text: str) -> Iterator[tuple[int, int]]:
    rest = _PRODUCT.sub(_as_letters, _DATE.sub(_as_letters, text))
    for number, form in enumerate(_PHONES):
        for match in form.finditer(rest):
            if number == _TRUNK and not _is_trunk(match[0]):
                continue
            start, end = match.span("number") if "number" in form.groupindex else match.span()
            if number in (_AMERICAN, _SAID) and _is_in_a_row(rest, start, end):
                continue
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
    return len(digits) >= 10 and not _is_product(digits)


def _is_in_a_row(text: str, start: int, end: int) -> bool:
    """Whether it is part of several numbers with blanks between them: 128 256 512 1024."""
    found = text[start:end]
    if not re.fullmatch(r"[\d ]+", found):
        return False
    row = re.search(r"\d $", text[:start]) or re.match(r" \d", text[end:])
    return bool(row) or all(_is_power(int(group)) for group in found.split())


def _long_numbers(text: str) -> Iterator[tuple[int, int]]:
    rest = _DATE.sub(_as_letters, _UUID.sub(_as_letters, text))
    for form in (_SOCIAL_SECURITY, _OF_SOMEBODY, _IBAN_LIKE, _RUN):
        # A word says that it is a product's, and no word that it is somebody's.
        looked_at = _PRODUCT.sub(_as_letters, rest) if form is _RUN else rest
        for match in form.finditer(looked_at):
            start, end = match.span("number") if form is _OF_SOMEBODY else match.span()
            if _is_somebodys(form, rest[start:end]):
                rest = rest[:start] + "x" * (end - start) + rest[end:]
                yield start, end


def _is_somebodys(form: re.Pattern[str], found: str) -> bool:
    """Whether what has this form is not something else."""
    if form is _RUN:
        digits = _digits(found)
        return not (_is_product(digits) or _is_moment(digits) or _is_round(digits))
    if form is _IBAN_LIKE:
        return found[:2].upper() in _IBAN_LENGTHS
    return form is _SOCIAL_SECURITY or not _are_amounts(found)


def _are_amounts(found: str) -> bool:
    """Whether behind such a word stand years, sizes or a round number."""
    groups = re.split("[ ./-]", found)
    if len(groups) == 1:
        return found.isdecimal() and _is_round(found)
    thousands = re.fullmatch(r"\d{1,3}(?:[ .]\d{3})+", found)
    return len(_digits(found)) < SHORTEST_LONG and not thousands and _are_sizes(groups)


def _is_product(digits: str) -> bool:
    """Whether it is the number of an article or a book, by its check digit."""
    return _is_gtin(digits) or _is_isbn10(digits)


def _is_gtin(digits: str) -> bool:
    """Whether it is an EAN-13 or UPC-A: GS1 General Specifications, check digit modulo 10.

    No fourteen digits: those are of cartons, and of many other things.
    """
    if len(digits) not in (12, 13):
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
    """Whether it is a number such as 1000000000000, one key held down, or 2^n, or 2^n - 1."""
    return len(set(digits)) <= 2 or _is_power(int(digits))


def _is_power(number: int) -> bool:
    return number & (number - 1) == 0 or number & (number + 1) == 0


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
