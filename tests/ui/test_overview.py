"""The row of steps: what the numbers of grades mean, in one word each."""

from uuid import uuid4

import pytest

from builder.judging.queue import next_pair, submit_grade
from builder.people import ensure_person
from builder.workspace import SETTINGS_FILE, Workspace, open_workspace
from ui.overview import steps_of


def grades_step(workspace: Workspace) -> str:
    (step,) = (step for step in steps_of(workspace) if step.name == "Grades")
    return f"{step.count} {step.state}"


@pytest.mark.parametrize(
    ("replaced", "by", "told"),
    [
        ("", "", "6 of 6 pairs graded, 1 complete (2 grades each)"),
        ("overlap_share = 1.0", "overlap_share = 0.0", "6 of 6 pairs graded, 2 complete"),
        ("raters_per_pair = 2", "raters_per_pair = 1", "6 of 6 pairs graded"),
    ],
)
def test_graded_is_not_complete(
    filled_workspace: Workspace, replaced: str, by: str, told: str
) -> None:
    pairs = [next_pair(filled_workspace, "Dana")]
    ensure_person(filled_workspace, "Ben")
    for rater in ("Dana", "Ben"):
        assert pairs[0] is not None
        submit_grade(filled_workspace, rater, pairs[0].pair_id, 1, token=uuid4().hex)
    other = next_pair(filled_workspace, "Dana")
    assert other is not None
    submit_grade(filled_workspace, "Dana", other.pair_id, 1, token=uuid4().hex)
    settings = filled_workspace.root / SETTINGS_FILE
    text = settings.read_text("utf-8")
    assert replaced in text
    settings.write_text(text.replace(replaced, by), "utf-8")
    with open_workspace(filled_workspace.root) as opened:
        assert grades_step(opened) == told
