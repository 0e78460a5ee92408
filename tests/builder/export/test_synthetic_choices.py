"""What each choice of synthetic queries would bring: as many as export then takes."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from builder.export import export_task
from builder.export.synthetic_choices import synthetic_choices
from builder.people import ensure_person, exclude_rater
from builder.store.synthetic_graded import graded_by_people
from builder.workspace import Workspace, init_workspace
from tests.builder.export.test_release_synthetic import _validated, expert_grades, source_pairs
from tests.workspaces import copied


@pytest.fixture
def settled(tmp_path: Path) -> Iterator[Workspace]:
    """A hundred synthetic queries, all accepted by what experts said of thirty."""
    with copied(_validated, tmp_path / "w") as opened:
        yield opened


def test_the_choices_bring_what_an_export_takes(settled: Workspace) -> None:
    brings = synthetic_choices(settled)
    assert brings == {"queries": 100, "none": 0, "validated": 30, "accepted": 100}
    for mode in ("none", "validated", "accepted"):
        made = export_task(settled, mode, synthetic=mode)
        assert made["synthetic"]["queries"] == brings[mode]


def test_a_grade_of_a_rater_who_is_left_out_validates_nothing(settled: Workspace) -> None:
    boss = ensure_person(settled, "Boss")
    with settled.store.read() as connection:
        graded = graded_by_people(connection)
    pair = next(pair for pair in source_pairs(settled).items() if pair[0] not in graded)
    expert_grades(settled, {pair: 3}, rater="Zoe")
    assert synthetic_choices(settled)["validated"] == 31
    exclude_rater(settled, "Zoe", "graded for fun", boss)
    assert synthetic_choices(settled)["validated"] == 30


def test_without_synthetic_queries_there_is_nothing_to_choose(tmp_path: Path) -> None:
    with init_workspace(tmp_path / "w", "w") as workspace:
        assert set(synthetic_choices(workspace).values()) == {0}
