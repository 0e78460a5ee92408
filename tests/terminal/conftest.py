"""A terminal: runs `goldsmith` as a process of its own, as its users do."""

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

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

    def write(self, name: str, *lines: str) -> Path:
        """A file of these lines in the folder."""
        path = self.folder / name
        path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        return path


@pytest.fixture
def goldsmith(tmp_path: Path) -> Terminal:
    return Terminal(tmp_path)
