from hypothesis import given

from builder.judging.agreement import Disagreements, disagreements, disputed
from builder.store.grades import GradeRow
from builder.store.ratings import ratings_of
from tests.builder.judging.agreement.drawing import by_pair, grade_rows
from tests.builder.judging.agreement.test_overall import rows_of


def as_rows(found: Disagreements) -> list[tuple[int, int, int, int]]:
    return list(
        zip(
            found.pair.tolist(),
            found.low.tolist(),
            found.high.tolist(),
            found.n.tolist(),
            strict=True,
        )
    )


def test_the_widest_spread_comes_first_then_the_line_between_no_and_yes() -> None:
    #        pair:  0  1  2  3  4  5
    ratings = ratings_of(rows_of([[0, 1, 2, 3, 2, 1], [0, 2, 3, 1, 1, 0]]))
    assert as_rows(disagreements(ratings)) == [
        (3, 1, 3, 2),  # a spread of two
        (1, 1, 2, 2),  # 1 against 2
        (4, 1, 2, 2),
        (2, 2, 3, 2),  # both relevant
        (5, 0, 1, 2),  # neither relevant
    ]
    assert disputed(ratings).pair.tolist() == [3, 1, 4]


@given(rows=grade_rows)
def test_as_a_plain_loop_finds_them(rows: list[GradeRow]) -> None:
    expected = sorted(
        (
            (pair, min(grades), max(grades), len(grades))
            for pair, grades in enumerate(by_pair(rows).values())
            if min(grades) < max(grades)
        ),
        key=lambda row: (row[1] - row[2], not row[1] < 2 <= row[2], row[0]),
    )
    assert as_rows(disagreements(ratings_of(rows))) == expected
    assert as_rows(disputed(ratings_of(rows))) == [
        row for row in expected if row[2] - row[1] >= 2 or row[1] < 2 <= row[2]
    ]


def test_an_excluded_rater_disputes_nothing() -> None:
    rows = rows_of([[0, 1], [0, 1], [3, 3]])
    assert len(disputed(ratings_of(rows))) == 2
    assert len(disagreements(ratings_of(rows, {"rater 2": "a robot"}))) == 0
