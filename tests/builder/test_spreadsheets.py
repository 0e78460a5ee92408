"""Cells that a spreadsheet leaves alone, and that give back what was in them."""

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builder.spreadsheets import (
    BOM,
    csv_line,
    guarded,
    is_guarded,
    readable_csv,
    safe_csv,
    unguarded,
    unguarded_row,
)

DANGEROUS = ["=1+1", "+1", "-1", "@x", "\t=1", "\r=1", "\n=1", " =1", "\u3000=1", "\uff1d1+1"]
CHANGED = ["007", "1e5", "1.50", "1-2", "12:30", "MAR1", "sept 2", "TRUE", "123456789012", "$5"]
CHANGED += ["2 Jan 2026", "3 pm", "1/2", "5%", "1.5E-3", "2026-11-30"]
KEPT = ["120v-power-supply", "3 of the pages", "325961", "0", "q001", "good", "d1", ""]
KEPT += ["\u0645\u0631\u062d\u0628\u0627", "\U0001f600"]


@pytest.mark.parametrize("text", DANGEROUS + CHANGED)
def test_what_a_spreadsheet_would_change_is_guarded(text: str) -> None:
    assert guarded(text) == f"'{text}"


@pytest.mark.parametrize("text", KEPT)
def test_what_it_leaves_alone_stays_readable(text: str) -> None:
    assert guarded(text) == text


@pytest.mark.parametrize("text", ["'", "''", "'=1", "'quoted'"])
def test_an_apostrophe_of_its_own_survives(text: str) -> None:
    assert guarded(text) == f"'{text}"
    assert unguarded(guarded(text)) == text


@given(st.text())
def test_the_guard_loses_nothing(text: str) -> None:
    assert unguarded(guarded(text)) == text


@given(st.text())
def test_no_guarded_cell_begins_a_formula(text: str) -> None:
    assert not guarded(text).lstrip().startswith(("=", "+", "-", "@", "\uff1d"))


@given(st.lists(st.text(st.characters(exclude_characters="\0")), min_size=1, max_size=5))
def test_a_line_is_read_as_csv_readers_do(cells: list[str]) -> None:
    told = csv_line(cells)
    if cells == [""]:
        return  # an empty line, which readers take for no row
    assert next(csv.reader(io.StringIO(told, newline=""), strict=True)) == cells


def test_a_file_that_no_import_takes_back_holds_days_and_numbers_as_they_are() -> None:
    cells = ["2026-11-02", "=1+1", "-0.5", "-cmd", "@x", "\tx", -0.25, None, "'x", "\uff1d1", "1e5"]
    made = readable_csv([str(n) for n, _ in enumerate(cells)], [cells])
    assert made.startswith(BOM.encode())
    head, row = csv.reader(io.StringIO(made.decode("utf-8-sig"), newline=""))
    assert len(head) == len(cells)
    assert row == [
        "2026-11-02", "'=1+1", "-0.5", "'-cmd", "'@x", "'\tx", "-0.25", "", "'x", "'\uff1d1", "1e5",
    ]  # fmt: skip


def test_a_file_for_a_download() -> None:
    made = safe_csv(["name", "grades"], [["=cmd", 3], ["ann, bob", None], ["'x", -1]])
    assert made.startswith(BOM.encode())
    rows = list(csv.DictReader(io.StringIO(made.decode("utf-8-sig"), newline="")))
    assert [row["name"] for row in rows] == ["'=cmd", "ann, bob", "''x"]
    assert [row["grades"] for row in rows] == ["3", "", "-1"]
    assert all(is_guarded(row) for row in rows)
    assert unguarded_row(rows[2]) == {"name": "'x", "grades": "-1"}
