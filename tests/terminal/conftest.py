"""A terminal: runs `goldsmith` within this process, or as a process of its own, as users do.

A process costs a second, most of it for imports; so what a command says and does is tested within
this one, and each command has a test that starts it as a process.
"""

import contextlib
import io
import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import cli

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Answer:
    """What a command said and how it ended."""

    code: int
    stdout: str
    stderr: str

    @property
    def document(self) -> Any:
        """The one JSON document on stdout; NaN would be refused."""

        def refuse(constant: str) -> Any:
            raise AssertionError(f"{constant} in JSON")

        return json.loads(self.stdout, parse_constant=refuse)


@dataclass(frozen=True)
class Terminal:
    """A terminal in a folder, with a workspace beside it."""

    folder: Path

    def __call__(self, *arguments: str | Path) -> Answer:
        out, err = io.StringIO(), io.StringIO()
        given = ["--workspace", str(self.folder / "w"), *map(str, arguments)]
        with (
            contextlib.chdir(self.folder),
            contextlib.redirect_stdout(out),
            contextlib.redirect_stderr(err),
            pytest.raises(SystemExit) as ended,
        ):
            cli.main(given)
        return Answer(int(ended.value.code or 0), out.getvalue(), err.getvalue())

    @property
    def processes(self) -> "Processes":
        """This terminal, but each command a process of its own."""
        return Processes(self.folder)

    def write(self, name: str, *lines: str) -> Path:
        """A file of these lines in the folder."""
        path = self.folder / name
        path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        return path


class Processes(Terminal):
    """A terminal that starts a process for each command."""

    def __call__(self, *arguments: str | Path) -> Answer:
        command = [sys.executable, str(ROOT / "cli.py"), "--workspace", str(self.folder / "w")]
        done = subprocess.run(
            [*command, *map(str, arguments)],
            capture_output=True,
            text=True,
            check=False,
            cwd=self.folder,
            timeout=300,
        )
        return Answer(done.returncode, done.stdout, done.stderr)


@pytest.fixture
def goldsmith(tmp_path: Path) -> Terminal:
    return Terminal(tmp_path)
