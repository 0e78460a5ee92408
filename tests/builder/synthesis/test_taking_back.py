"""Taking a run back: refused where it would close the run, and let little or nothing go."""

from pathlib import Path

import pytest

from builder.errors import BuilderError
from builder.store.syntheses import documents_with_queries
from builder.store.synthetic_queries import Judged, note_judged
from builder.synthesis.syntheses import list_syntheses
from builder.synthesis.taking_back import take_back_synthesis
from builder.synthesis.validation import take_back_validation
from builder.workspace import Workspace
from tests.builder.synthesis.validating import draw, some
from tests.builder.synthesis.written import Answer, write_synthesis


def stands(workspace: Workspace, number: int) -> bool:
    (run,) = (run for run in list_syntheses(workspace) if run["synthesis_id"] == number)
    return run["taken_back_at"] is None


def documents_asked(workspace: Workspace) -> set[str]:
    with workspace.store.read() as connection:
        return documents_with_queries(connection)


def test_a_run_whose_queries_are_in_a_drawing_is_only_taken_back_anyway(tmp_path: Path) -> None:
    with some(tmp_path / "w", 5) as workspace:
        draw(workspace, 0.4)
        would = take_back_synthesis(workspace, 1, dry_run=True)
        # Those that were not drawn stand in the frame just the same.
        assert (would["kept"], would["needs_anyway"]) == ({"in_drawing": 5}, True)
        with pytest.raises(BuilderError, match=r"let 0 of its queries go, 5 would stay") as refused:
            take_back_synthesis(workspace, 1)
        assert "validated" not in str(refused.value)
        assert "--take-back-validation" in str(refused.value.hint)
        assert stands(workspace, 1)
        done = take_back_synthesis(workspace, 1, anyway=True)
        assert (done, stands(workspace, 1)) == (would, False)
        assert list_syntheses(workspace)[0]["left"] == 5
        assert len(documents_asked(workspace)) == 5
        take_back_validation(workspace)
        again = take_back_synthesis(workspace, 1)
        assert (again["queries_removed"], again["needs_anyway"]) == (5, False)
        assert list_syntheses(workspace)[0]["left"] == 0
        assert documents_asked(workspace) == set()


def test_candidates_that_nobody_reviewed_are_counted_and_nothing_is_nothing(tmp_path: Path) -> None:
    with some(tmp_path / "w", 2) as workspace:
        number = write_synthesis(workspace, [Answer("d000", ["seals?", "leaks"])], per_call=2)
        with workspace.store.write() as connection:
            note_judged(connection, [Judged(3)])  # The other one no filter has seen.
        told = take_back_synthesis(workspace, number, dry_run=True)
        assert (told["unreviewed"], told["queries_removed"]) == (2, 0)
        assert take_back_synthesis(workspace, number) == told
        empty = write_synthesis(workspace, [])
        with pytest.raises(BuilderError, match="let 0 of its queries go"):
            take_back_synthesis(workspace, empty)
        assert stands(workspace, empty)
