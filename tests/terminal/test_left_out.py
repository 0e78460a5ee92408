"""`goldsmith agreement` where a rater is left out: the flags stay, apart from those who count."""

import pytest

from builder.judging.trust import report_of
from builder.store.grades import GradeRow
from builder.store.ratings import ratings_of
from builder.store.repeats import Repeats
from terminal.trust_output import print_agreement


def row(query: int, doc: int, rater: str, grade: int) -> GradeRow:
    return GradeRow(f"q{query:02}", f"d{doc}", rater, "human", "grade", grade)


def test_flags_of_one_who_is_left_out_stand_apart(capsys: pytest.CaptureFixture[str]) -> None:
    rows = []
    for n in range(72):
        grade = n % 4
        rows += [
            row(n // 6, n % 6, "ann", grade),
            row(n // 6, n % 6, "bob", (grade + (n % 9 == 0)) % 4),
            row(n // 6, n % 6, "lena", min(3, grade + 1)),
        ]
    print_agreement(report_of(ratings_of(rows, {"lena": "too kind"}), Repeats()))
    lines = capsys.readouterr().out.splitlines()
    at = lines.index("Left out: lena, 72 grades, flags: lenient")
    assert lines[at - 1] == ""
    assert lines[at + 1].startswith("  lena grades")
    assert [line for line in lines if line.startswith("  lena grades")] == [lines[at + 1]]
