"""Guidelines: the file leads, every text stays, nobody's save is lost or silently undone."""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from builder.errors import BuilderError, NotAllowedError
from builder.judging.guidelines import (
    LONGEST_TEXT,
    ChangedMeanwhileError,
    current_guidelines,
    guideline_versions,
    line_diff,
    save_guidelines,
)
from builder.judging.history import own_history
from builder.judging.queue import submit_grade
from builder.people import Person, ensure_person
from builder.store import activity
from builder.store import guidelines as table
from builder.store.guidelines_file import read_file
from builder.workspace import GUIDELINES, Workspace, open_workspace

SAVE_FOR_EVER = """
import sys
from pathlib import Path
from builder.judging.guidelines import current_guidelines, save_guidelines
from builder.workspace import open_workspace
with open_workspace(Path(sys.argv[1])) as workspace:
    while True:
        base = current_guidelines(workspace).version
        saved = save_guidelines(workspace, f"text {base}", "more", None, base_version=base)
        print(saved.version, flush=True)
"""


def edit_by_hand(workspace: Workspace, text: str, seconds_ago: float = 60) -> None:
    file = workspace.guidelines_file
    file.write_text(text, encoding="utf-8")
    os.utime(file, (time.time() - seconds_ago,) * 2)


def texts(workspace: Workspace) -> list[tuple[str, str]]:
    return [(v.author, v.text) for v in guideline_versions(workspace)]


@pytest.fixture
def ann(workspace: Workspace) -> Person:
    """The admin: the first who came."""
    return ensure_person(workspace, "ann")


def test_the_file_of_a_new_workspace_is_version_1(workspace: Workspace) -> None:
    found = current_guidelines(workspace)
    assert (found.version, found.text, found.problem) == (1, GUIDELINES, "")
    assert current_guidelines(workspace) == found
    assert texts(workspace) == [("file", GUIDELINES)]


def test_a_save_is_a_version_and_the_content_of_the_file(workspace: Workspace, ann: Person) -> None:
    saved = save_guidelines(workspace, "Be kind.\r\n", " a \n note ", ann, base_version=1)
    assert (saved.version, saved.text) == (2, "Be kind.\n")
    assert workspace.guidelines_file.read_text(encoding="utf-8") == "Be kind.\n"
    latest = guideline_versions(workspace)[0]
    assert (latest.author, latest.note, latest.n_judgments) == ("ann", "a note", 0)
    with workspace.store.read() as connection:
        assert table.file_behind(connection) is None
        entry = activity.entries(connection, limit=1)[0]
    assert (entry.actor, entry.action, entry.subject) == ("ann", "guidelines.save", "version 2")


def test_the_same_text_again_is_no_version(workspace: Workspace, ann: Person) -> None:
    assert save_guidelines(workspace, GUIDELINES, "", ann, base_version=1).version == 1


def test_a_change_by_hand_becomes_a_version_once_it_is_whole(workspace: Workspace) -> None:
    current_guidelines(workspace)
    edit_by_hand(workspace, "By hand.", seconds_ago=0)
    assert current_guidelines(workspace).version == 1
    edit_by_hand(workspace, "By hand.")
    found = current_guidelines(workspace)
    assert (found.version, found.text) == (2, "By hand.")
    edit_by_hand(workspace, GUIDELINES)
    assert current_guidelines(workspace).version == 3
    assert texts(workspace)[1:] == [("file", "By hand."), ("file", GUIDELINES)]


def test_what_was_changed_by_hand_is_not_overwritten(workspace: Workspace, ann: Person) -> None:
    current_guidelines(workspace)
    edit_by_hand(workspace, "By hand.")
    with pytest.raises(ChangedMeanwhileError, match="file saved version 2"):
        save_guidelines(workspace, "Mine", "", ann, base_version=1)
    edit_by_hand(workspace, "By hand, this moment.", seconds_ago=0)
    with pytest.raises(ChangedMeanwhileError, match="by hand in this moment"):
        save_guidelines(workspace, "Mine", "", ann, base_version=2)
    assert "this moment" in workspace.guidelines_file.read_text(encoding="utf-8")


def test_who_saves_second_is_refused(workspace: Workspace, ann: Person) -> None:
    save_guidelines(workspace, "First", "", ann, base_version=1)
    with pytest.raises(ChangedMeanwhileError, match="ann saved version 2"):
        save_guidelines(workspace, "Second", "", None, base_version=1)
    assert current_guidelines(workspace).text == "First\n"


def test_raters_do_not_write_the_rules(workspace: Workspace) -> None:
    with pytest.raises(NotAllowedError):
        save_guidelines(workspace, "x", "", ensure_person(workspace, "bob"), base_version=1)


@pytest.mark.parametrize("text", ["", " \n", "a\0", "\ud800", "x" * (LONGEST_TEXT + 1)])
def test_a_text_that_cannot_be_kept(workspace: Workspace, ann: Person, text: str) -> None:
    with pytest.raises(BuilderError):
        save_guidelines(workspace, text, "", ann, base_version=1)
    assert current_guidelines(workspace).version == 1


@pytest.mark.parametrize("content", [b"\xff\xfe", b"", b"  \n", b"a\0b", b"x" * (LONGEST_TEXT + 1)])
def test_a_file_that_is_no_text_stops_nobody(
    workspace: Workspace, ann: Person, content: bytes
) -> None:
    current_guidelines(workspace)
    workspace.guidelines_file.write_bytes(content)
    found = current_guidelines(workspace)
    assert (found.version, found.text) == (1, GUIDELINES)
    assert found.problem.startswith("guidelines.md ")
    with pytest.raises(BuilderError, match="Nothing was saved"):
        save_guidelines(workspace, "New", "", ann, base_version=1)
    assert workspace.guidelines_file.read_bytes() == content


def test_a_lost_file_is_written_anew_by_a_save(workspace: Workspace, ann: Person) -> None:
    current_guidelines(workspace)
    workspace.guidelines_file.unlink()
    assert current_guidelines(workspace).problem == "guidelines.md is not there."
    save_guidelines(workspace, "New", "", ann, base_version=1)
    assert read_file(workspace.guidelines_file).text == "New\n"


def test_a_workspace_that_never_had_any(workspace: Workspace, ann: Person) -> None:
    workspace.guidelines_file.unlink()
    found = current_guidelines(workspace)
    assert (found.version, found.text) == (None, "")
    assert save_guidelines(workspace, "New", "", ann, base_version=None).version == 1


def test_a_save_that_was_cut_short_is_completed(workspace: Workspace) -> None:
    current_guidelines(workspace)
    with workspace.store.write() as connection:
        table.add_version(connection, "Saved.\n", "", "ann")
        digest = read_file(workspace.guidelines_file).digest
        table.note_file_behind(connection, digest)
    assert current_guidelines(workspace).version == 2
    assert read_file(workspace.guidelines_file).text == "Saved.\n"
    assert [author for author, _ in texts(workspace)] == ["ann", "file"]


def test_a_hand_that_was_there_before_the_completion_is_respected(workspace: Workspace) -> None:
    current_guidelines(workspace)
    with workspace.store.write() as connection:
        table.add_version(connection, "Saved.\n", "", "ann")
        table.note_file_behind(connection, read_file(workspace.guidelines_file).digest)
    edit_by_hand(workspace, "By hand.")
    assert current_guidelines(workspace).text == "By hand."
    assert [author for author, _ in texts(workspace)] == ["file", "ann", "file"]


def test_a_link_stays_a_link(workspace: Workspace, ann: Person, tmp_path: Path) -> None:
    elsewhere = tmp_path / "rules.md"
    elsewhere.write_text(GUIDELINES, encoding="utf-8")
    workspace.guidelines_file.unlink()
    workspace.guidelines_file.symlink_to(elsewhere)
    current_guidelines(workspace)
    save_guidelines(workspace, "New", "", ann, base_version=1)
    assert workspace.guidelines_file.is_symlink()
    assert elsewhere.read_text(encoding="utf-8") == "New\n"


@pytest.mark.skipif(os.name == "nt", reason="kills by signal")
def test_kills_leave_file_and_versions_together(workspace: Workspace) -> None:
    chance = random.Random(3)
    current_guidelines(workspace)
    for _ in range(5):
        command = [sys.executable, "-c", SAVE_FOR_EVER, str(workspace.root)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
            assert child.stdout is not None
            acknowledged = int(child.stdout.readline())
            time.sleep(chance.uniform(0, 0.05))
            child.send_signal(signal.SIGKILL)
        with open_workspace(workspace.root) as opened:
            found = current_guidelines(opened)
            assert found.version is not None
            assert found.version >= acknowledged
            assert read_file(opened.guidelines_file).text == found.text
            assert [author for author, _ in texts(opened)].count("file") == 1


def test_what_changed_line_by_line() -> None:
    old = "a\nb\nc\nd\ne\nf\ng\nh"
    new = "a\nB\nc\nd\ne\nf\ng\nh\ni"
    lines = [(line.kind, line.text) for line in line_diff(old, new, context=1)]
    assert lines == [
        ("same", "a"),
        ("removed", "b"),
        ("added", "B"),
        ("same", "c"),
        ("gap", ""),
        ("same", "h"),
        ("added", "i"),
    ]
    assert line_diff(old, old) == []
    assert line_diff("a\nb\nc\nd", "A\nb\nc\nd", context=0)[-1].kind == "gap"


def test_a_grade_under_guidelines_that_a_restore_took_away_is_kept(workspace: Workspace) -> None:
    save_guidelines(workspace, "New.", "", None, base_version=1)
    submit_grade(workspace, "ann", 1, 2, token="1", guidelines_version=2)  # noqa: S106
    submit_grade(workspace, "ann", 2, 2, token="2", guidelines_version=77)  # noqa: S106
    page = own_history(workspace, "ann")
    assert [judgment.now.guidelines_version for judgment in page.judgments] == [None, 2]
    assert guideline_versions(workspace)[0].n_judgments == 1
