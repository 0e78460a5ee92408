"""What can still be changed or taken back of a grade whose dispute was shown."""

import pytest

from builder import people
from builder.errors import BuilderError
from builder.judging.adjudication import decide
from builder.judging.history import change_grade
from builder.judging.queue import undo_last
from builder.workspace import Workspace
from tests.builder.judging.conftest import ONCE
from tests.builder.judging.test_history import disputes, go_on, grade, standing


def test_a_change_sent_again_is_no_second_change(workspace: Workspace) -> None:
    grade(workspace, "ann", 1, 1)
    was = standing(workspace, "ann", 1)
    change_grade(workspace, "ann", was, 2, "", token=ONCE)
    go_on(workspace)
    grade(workspace, "bob", 1, 3)
    again = change_grade(workspace, "ann", was, 2, "", token=ONCE)
    assert again is not None
    assert again.status == "repeated"


def test_only_the_last_word_on_a_disputed_pair_is_taken_back(workspace: Workspace) -> None:
    grade(workspace, "bob", 1, 3)
    grade(workspace, "ann", 1, 1)
    undone = undo_last(workspace, "ann", token=ONCE)
    assert undone is not None
    grade(workspace, "ann", 1, 1)
    grade(workspace, "ann", 2, 0)
    assert undo_last(workspace, "ann") is not None
    assert disputes(workspace) == [(1, 1, None, 2)]
    with pytest.raises(BuilderError, match="grade stays"):
        undo_last(workspace, "ann")
    assert standing(workspace, "ann", 1).grade == 1
    again = undo_last(workspace, "ann", token=ONCE)
    assert again is not None
    assert (again.what, standing(workspace, "ann", 1).grade) == ("grade", 1)


def test_a_decision_ends_taking_back(workspace: Workspace) -> None:
    dana = people.add_person(workspace, "dana", "analyst", None)
    grade(workspace, "ann", 1, 1)
    decide(workspace, dana, 1, 3, "need misread", token=ONCE)
    with pytest.raises(BuilderError, match="grade stays"):
        undo_last(workspace, "ann")
