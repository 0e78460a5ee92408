"""The guard of `goldsmith ab`: it says so where it sees nothing, whoever reads the table."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator

import pytest

from tests.online.logs import event, lake_of
from tests.terminal.conftest import ROOT, Terminal


@pytest.fixture(scope="module")
def crossed(tmp_path_factory: pytest.TempPathFactory) -> Terminal:
    """All users saw both arms, row by row; C has one session and D another."""
    goldsmith = Terminal(tmp_path_factory.mktemp("crossed"))
    goldsmith("init")
    searches = [
        {"session_id": f"s{n}", "user_id": f"u{n}", "model_version": model}
        for n in range(20)
        for model in ("A", "B")
    ]
    alone = [{"session_id": model, "user_id": model, "model_version": model} for model in "CD"]
    lake_of(goldsmith.folder / "w", [*searches, *alone])
    return goldsmith


def test_a_guard_that_sees_nothing_fires(crossed: Terminal) -> None:
    answer = crossed("ab", "A", "B", "--guard", "--json")
    assert answer.code == 3
    assert answer.document["guard"]["reasons"] == ["nothing_to_compare"]
    assert answer.stderr == (
        "goldsmith: the guard fires: nothing can be compared: no user is left in A and in B. "
        "20 users saw both arms and are left out.\n"
    )
    assert not any("No day has searches" in words for words in answer.document["warnings"])
    assert crossed("ab", "A", "B").code == 0


def test_a_guard_that_cannot_tell_says_so(crossed: Terminal) -> None:
    answer = crossed("ab", "C", "D", "--guard", "--json")
    assert (answer.code, answer.document["guard"]["fires"]) == (0, False)
    assert "the guard cannot tell yet whether CTR dropped" in answer.stderr


def _unread(terminal: Terminal, *arguments: str, errors_too: bool) -> tuple[int, str]:
    """Exit code and stderr of a command whose stdout (and stderr) nobody reads."""
    reader, writer = os.pipe()
    os.close(reader)
    command = [sys.executable, str(ROOT / "cli.py"), "--workspace", str(terminal.folder / "w")]
    done = subprocess.run(
        [*command, *arguments],
        stdout=writer,
        stderr=writer if errors_too else subprocess.PIPE,
        text=True,
        check=False,
        timeout=300,
    )
    os.close(writer)
    return done.returncode, done.stderr or ""


@pytest.mark.parametrize("errors_too", [False, True])
def test_the_guard_ends_with_3_though_nobody_reads(crossed: Terminal, *, errors_too: bool) -> None:
    code, said = _unread(crossed, "ab", "A", "B", "--guard", errors_too=errors_too)
    assert code == 3
    assert errors_too or said.startswith("goldsmith: the guard fires: nothing can be compared")
    assert said.count("\n") == (not errors_too)


def _log(n: int) -> Iterator[str]:
    yield json.dumps(event(query=f"query {n}"))


def test_all_files_are_imported_though_nobody_reads(goldsmith: Terminal) -> None:
    goldsmith("init")
    logs = [str(goldsmith.write(f"{n}.jsonl", *_log(n))) for n in range(2)]
    assert _unread(goldsmith, "events", "import", *logs, errors_too=False) == (0, "")
    assert goldsmith("report", "--json").document["overall"]["searches"] == 2
