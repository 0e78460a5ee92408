"""Tables for people who open them in Excel: no formula runs, no id changes, no text is lost.

A spreadsheet takes a cell that begins with =, +, - or @ for a formula, 007 for the number 7 and
1e5 for 100000. A *guarded* cell begins with an apostrophe, which makes it text. Texts that begin
with an apostrophe themselves get a second one, so taking one off again gives what was there: the
guard loses nothing. Nobody can see from a cell whether it was guarded, so a table says so in each
row: its column `guard` holds `apostrophe`.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

BOM = "\ufeff"
"""Without it Excel takes UTF-8 for the old code page, and emoji and umlauts break."""

GUARD_COLUMN = "guard"
GUARD_MARK = "apostrophe"

LONGEST_CELL = 32_767
"""Characters; Excel cuts what is longer."""

APOSTROPHE = "'"

# What begins a formula, also in full width and behind white space; TAB and CR shift cells.
_FORMULA = re.compile(r"\s*[=+\-@\uff1d\uff0b\uff0d\uff20]|[\t\r\n]")
# Whole numbers of up to 11 digits come back as they were; all else that a number, a time or an
# amount may begin with may come back as another text.
_KEPT_NUMBER = re.compile(r"0|[1-9]\d{0,10}", re.ASCII)
_NUMBER = re.compile(r"\s*[\d.,(%$\u20ac\u00a3\u00a5]")
_SIGNED = re.compile(r"[+-](\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?", re.ASCII | re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_]+")
# MAR1 and sept2 are dates to a spreadsheet, in the language of whoever opens it.
_MONTHS = "jan|feb|f\u00e9v|mar|m\u00e4r|apr|avr|abr|mai|may|jun|jul|juil|aug|ao\u00fb|ago|sep|okt"
_MONTHS += "|oct|nov|dez|dec|d\u00e9c|dic|ene"
_DATE = re.compile(rf"\s*({_MONTHS})[^\W\d_]*\W?\d", re.IGNORECASE)
# Words that stand in numbers and times: 1e5, 3 pm, 2 Jan; but not 120v-power-supply.
_NUMBER_WORD = re.compile(rf"e|[ap]m?|h|({_MONTHS})[^\W\d_]*|[\u5e74\u6708\u65e5]", re.IGNORECASE)
_TRUTH = re.compile(r"\s*(true|false|wahr|falsch|vrai|faux)\s*", re.IGNORECASE)
_TO_QUOTE = re.compile('["\r\n,;\t]|^\\s|\\s$')


def guarded(text: str) -> str:
    """The text as a cell that a spreadsheet leaves alone; `unguarded` gives the text again."""
    if text.startswith(APOSTROPHE) or _is_changed(text):
        return APOSTROPHE + text
    return text


def unguarded(cell: str) -> str:
    """The text in a cell of a guarded table."""
    return cell.removeprefix(APOSTROPHE)


def is_guarded(row: Mapping[str, Any]) -> bool:
    """Whether the row says that its cells are guarded."""
    return row.get(GUARD_COLUMN) == GUARD_MARK


def unguarded_row(row: Mapping[str, Any]) -> dict[str, Any]:
    """The texts of a guarded row, by column; without the mark."""
    return {
        name: unguarded(cell) if isinstance(cell, str) else cell
        for name, cell in row.items()
        if name != GUARD_COLUMN
    }


def begins_formula(text: str) -> bool:
    """Whether a spreadsheet may take the text for a formula, or shift what stands beside it."""
    return _FORMULA.match(text) is not None


def csv_line(cells: Iterable[object], *, delimiter: str = ",", end: str = "\r\n") -> str:
    """One line of a table; None is an empty cell. Quotation as in RFC 4180, also around TABs."""
    return delimiter.join(map(_quoted, cells)) + end


def safe_csv(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> bytes:
    """A whole CSV file for a download: byte order mark, every text guarded, rows marked.

    Args:
        columns: The names of the columns; ours, not data.
        rows: Cells; texts are guarded, numbers stand as they are, None is empty.
    """
    return "".join(safe_csv_lines(columns, rows)).encode()


def safe_csv_lines(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> Iterator[str]:
    """The same line by line, for a file in UTF-8 that memory need not hold."""
    yield BOM + csv_line([*columns, GUARD_COLUMN])
    for row in rows:
        cells = [guarded(cell) if isinstance(cell, str) else cell for cell in row]
        yield csv_line([*cells, GUARD_MARK])


def readable_csv(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> bytes:
    """A CSV file that people and programs read and no import takes back, with a byte order mark.

    Only texts that a spreadsheet would run get an apostrophe. Days and numbers stand as they are.

    Args:
        columns: The names of the columns; ours, not data.
        rows: Cells; None is empty.
    """
    lines = [csv_line(columns), *(csv_line(map(_harmless, row)) for row in rows)]
    return (BOM + "".join(lines)).encode()


def _harmless(cell: object) -> object:
    """The cell, or its text behind an apostrophe where it begins a formula and is no number."""
    runs = isinstance(cell, str) and begins_formula(cell) and not _SIGNED.fullmatch(cell)
    return f"{APOSTROPHE}{cell}" if runs else cell


def _is_changed(text: str) -> bool:
    """Whether a spreadsheet may show or keep something else than this text."""
    if _FORMULA.match(text) or _DATE.match(text) or _TRUTH.fullmatch(text):
        return True
    if not _NUMBER.match(text) or _KEPT_NUMBER.fullmatch(text):
        return False
    return all(_NUMBER_WORD.fullmatch(word) for word in _WORD.findall(text))


def _quoted(cell: object) -> str:
    text = "" if cell is None else str(cell)
    if _TO_QUOTE.search(text):
        return '"' + text.replace('"', '""') + '"'
    return text
