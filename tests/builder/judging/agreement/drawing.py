"""Grades drawn by hypothesis, and others for tests of agreement."""

from collections.abc import Sequence

from hypothesis import strategies as st

from builder.store.grades import GradeRow

TIMES = (None, "2026-11-23T00:00:00+00:00", "2026-11-29T23:59:59+00:00", "2026-12-31T12:00:00Z")


def _row(key: tuple[str, str, str], grade: int, time: str | None) -> GradeRow:
    return GradeRow(*key, "human", "grade", grade, judged_at=time)


keys = st.tuples(
    st.sampled_from(["q1", "q2", "q3"]),
    st.sampled_from(["d1", "d2", "d3", "d4"]),
    st.sampled_from(["ana", "ben", "cleo", "dora"]),
)
grade_rows: st.SearchStrategy[list[GradeRow]] = st.dictionaries(
    keys, st.tuples(st.integers(0, 3), st.sampled_from(TIMES)), max_size=24
).map(lambda given: [_row(key, *grade) for key, grade in given.items()])
"""Any grades of up to four raters on up to twelve pairs of three queries, in any order."""


def by_pair(rows: Sequence[GradeRow]) -> dict[tuple[str, str], list[int]]:
    """The grades of each pair, as a plain loop finds them."""
    found: dict[tuple[str, str], list[int]] = {}
    for row in rows:
        if row.grade is not None:
            found.setdefault((row.query_id, row.doc_id), []).append(row.grade)
    return dict(sorted(found.items()))
