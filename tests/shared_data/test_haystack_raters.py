"""A real Quepid book whose second ratings are copies: 562 pairs, eleven couples, one rater in all.

No rating of it has a time, so that nobody can tell who copied; rater02 is one of the two each time.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from builder.importers import import_book
from builder.judging.agreement import agreement_of
from builder.judging.agreement.copies import find_copies
from builder.judging.raters import flags_of, rater_profiles
from builder.store.ratings import Ratings
from builder.store.ratings_reading import read_ratings
from builder.workspace import init_workspace

pytestmark = pytest.mark.shared_data


@pytest.fixture(scope="module")
def grades(shared_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ratings]:
    raw = shared_data / "haystack-rating-party" / "raw"
    with init_workspace(tmp_path_factory.mktemp("haystack") / "w") as workspace:
        import_book(workspace, raw / "haystack_rating_party_book.pseudonymised.json")
        with workspace.store.read() as connection:
            yield read_ratings(connection)


def test_all_shared_grades_are_copies(grades: Ratings) -> None:
    copies = find_copies(grades)
    assert sum(copy.n for copy in copies) == sum(copy.identical for copy in copies) == 562
    assert len(copies) == 11
    assert all("rater02" in copy.raters for copy in copies)
    assert {copy.later for copy in copies} == {None}
    # The largest overlaps are evidence alone, those of 58 pairs and fewer only together.
    assert [copy.n for copy in copies if not copy.with_others] == [176, 107, 96]


def test_they_are_flagged_and_the_one_in_common_is_named(grades: Ratings) -> None:
    flags = flags_of(grades)
    raised = {name: [flag.code for flag in of] for name, of in flags.items() if of}
    assert raised == {f"rater{at:02}": ["copies"] for at in range(1, 13)}
    (flag,) = flags["rater02"]
    assert flag.sentence.startswith(
        "rater02 gave the same grade as 11 other raters in all 562 shared pairs; independent raters"
        " would agree on about 522. The times do not tell who copied."
    )
    (flag,) = flags["rater08"]
    assert flag.sentence.startswith(
        "rater08 gave the same grade as rater02 in all 2 shared pairs. Look at rater02 first:"
    )


def test_they_are_no_evidence(grades: Ratings) -> None:
    found = agreement_of(grades, resamples=50)
    assert found["alpha_ordinal"]["value"] == 1.0
    assert found["verdict"]["level"] == "no_evidence"
    profiles = {profile["rater"]: profile for profile in rater_profiles(grades)}
    assert len(profiles) == 13
    assert profiles["rater02"]["with_others"]["reason"] == "only_copies"
    assert profiles["rater13"]["with_others"]["reason"] == "no_pair_graded_by_two"
