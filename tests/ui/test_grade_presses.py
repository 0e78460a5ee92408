"""What a press on the grading page does where the pair on screen is there no more."""

import pytest

from builder.judging.presses import PressGuard
from builder.judging.queue import next_pair
from builder.pooling import pool, take_back_pooling
from builder.store.judgments import count_judgments
from builder.workspace import Workspace
from ui.grade_presses import GONE, press_key
from ui.presses import Press
from ui.sitting import Said, Sitting


@pytest.mark.parametrize("key", ["2", "s", "x"])
def test_a_pair_taken_out_meanwhile_leads_to_the_next_and_its_comment_is_not_lost(
    filled_workspace: Workspace, key: str
) -> None:
    filling = pool(filled_workspace, ["bm25"], 6)
    sitting = Sitting("Dana", PressGuard(0, 0))
    with filled_workspace.store.read() as connection:
        before = count_judgments(connection, 1).judgments
    # The six imported grades brought the pairs 1 to 6 by themselves; the filling brought this one.
    gone = next_pair(filled_workspace, "Dana", wanted=7)
    sitting.show(gone)
    take_back_pooling(filled_workspace, filling["pooling_id"])
    words = "says <b>nothing</b> of files"
    press_key(
        filled_workspace,
        sitting,
        Press(sitting.name, key, key, sitting.token, words, 1, "", 900),
    )
    assert sitting.said == Said("ignored", GONE)
    assert sitting.pair is None
    assert sitting.orphan == words
    with filled_workspace.store.read() as connection:
        assert count_judgments(connection, 1).judgments == before
    following = next_pair(filled_workspace, "Dana")
    assert gone is not None
    assert following is not None
    assert following.pair_id != gone.pair_id
    press_key(filled_workspace, sitting, Press("", "2", "2", "", "", 0, "", 9))
    assert sitting.orphan == ""
