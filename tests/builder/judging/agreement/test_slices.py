import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings

from builder.judging.agreement import agreement_of, slices
from builder.store.grades import GradeRow
from builder.store.ratings import Ratings, ratings_of
from tests.builder.judging.agreement.drawing import grade_rows
from tests.builder.judging.agreement.test_overall import A, B, rows_of


def rated(
    raters_by_pairs: list[list[int | None]],
    *,
    pairs_per_query: int = 2,
    tags: Sequence[Sequence[str]] = (),
) -> Ratings:
    ratings = ratings_of(rows_of(raters_by_pairs, pairs_per_query=pairs_per_query))
    return replace(ratings, tags=tags or [()] * len(ratings.query_ids))


def names(rows: list[dict[str, Any]]) -> list[str | None]:
    return [row["name"] for row in rows]


def test_a_query_counts_in_each_of_its_tags_and_without_any_in_a_row_of_its_own() -> None:
    found = slices(rated([[*A], [*B]], tags=[("b", "a"), ("a",), (), ("b", "b"), ()]))["by_tag"]
    assert names(found) == ["a", "b", None]
    assert [row["n_queries"] for row in found] == [2, 2, 2]
    assert [row["n_pairs"] for row in found] == [4, 4, 4]
    assert [row["n_grades"] for row in found] == [8, 8, 8]


def test_a_slice_is_the_agreement_of_its_grades_alone() -> None:
    tags = [("t",), (), ("t",), ("t",), ()]
    (tagged, _) = slices(rated([[*A], [*B]], tags=tags), seed=3)["by_tag"]
    kept = [pair for pair in range(10) if tags[pair // 2]]
    alone = agreement_of(
        ratings_of(
            [row for row in rows_of([[*A], [*B]], pairs_per_query=2) if pair_of(row) in kept]
        ),
        seed=3,
    )
    for name in ("n_judged", "n_pairs", "n_queries", "n_grades"):
        assert tagged[name] == alone[name]
    for name in ("alpha_ordinal", "percent_agreement"):
        assert tagged[name] == pytest.approx(alone[name])


def pair_of(row: GradeRow) -> int:
    return int(row.doc_id.removeprefix("d"))


def test_the_queries_with_the_lowest_agreement_come_first() -> None:
    #        query: 0     1     2     3     4 (one shared pair)
    one = [0, 1, 2, 3, 0, 3, 2, 2, 1, None]
    two = [0, 2, 1, 2, 3, 0, 2, 2, 1, 3]
    found = slices(rated([list(one), list(two)]))["by_query"]
    # 1 and 2 agree in nothing; the alpha of 2 (0 3 against 3 0) is the lower one.
    assert names(found) == ["q2", "q1", "q0", "q3", "q4"]
    assert found[0]["alpha_ordinal"]["value"] == pytest.approx(-0.5)
    assert found[0]["alpha_ordinal"]["reason"] == "one_query_has_no_interval"
    assert found[3]["alpha_ordinal"] == {
        "value": None,
        "low": None,
        "high": None,
        "n": 2,
        "reason": "all_grades_equal",
    }
    assert found[3]["percent_agreement"]["value"] == 1.0
    assert found[4]["percent_agreement"]["reason"] == "too_few_units"


def test_a_pair_belongs_to_the_iso_week_of_its_last_grade() -> None:
    def row(doc: str, rater: str, time: str | None) -> GradeRow:
        return GradeRow("q", doc, rater, "human", "grade", 1, judged_at=time)

    found = slices(
        ratings_of(
            [
                row("d1", "ana", "2026-11-29T23:59:59+00:00"),  # a Sunday, week 48
                row("d1", "ben", "2026-11-30T00:00:00+00:00"),  # the Monday after
                row("d2", "ana", "2026-12-06T23:30:00-01:00"),  # 00:30 UTC of the next Monday
                row("d3", "ana", "2027-01-03T12:00:00+00:00"),  # the Sunday of week 53 of 2026
                row("d4", "ana", None),
                row("d4", "ben", "2026-11-30T12:00:00+00:00"),
                row("d5", "ana", None),
            ]
        )
    )["by_week"]
    assert names(found) == ["2026-W49", "2026-W50", "2026-W53", None]
    assert [row["n_judged"] for row in found] == [2, 1, 1, 1]
    assert [row["n_pairs"] for row in found] == [2, 0, 0, 0]
    assert found[-1]["percent_agreement"]["reason"] == "no_pair_graded_by_two"


def test_excluded_raters_are_in_no_slice() -> None:
    rows = rows_of([[*A], [*B], [3] * 10])
    without = slices(ratings_of(rows_of([[*A], [*B]])))
    assert slices(ratings_of(rows, {"rater 2": "a robot"})) == without


@given(rows=grade_rows)
@settings(deadline=None, max_examples=40)
def test_every_pair_and_grade_is_in_one_query_and_one_week(rows: list[GradeRow]) -> None:
    whole, parts = (
        agreement_of(ratings_of(rows), resamples=20),
        slices(ratings_of(rows), resamples=20),
    )
    for part in parts.values():
        for name in ("n_judged", "n_pairs", "n_grades"):
            assert sum(row[name] for row in part) == whole[name]
    json.dumps(parts, allow_nan=False)
