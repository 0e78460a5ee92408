"""The house stands as its plan says; import-linter holds the layers, this holds the rest."""

import ast
import importlib
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
ROOMS = ("builder", "evals", "online", "ui", "terminal", "estimates")
HEAVY = [
    "torch",
    "sentence_transformers",
    "mteb",
    "datasets",
    "faiss",
    "sklearn",
    "scipy.stats",
    "pandas",
    "pyarrow",
    "duckdb",
    "sqlalchemy",
    "alembic",
    "streamlit",
    "openai",
]
SOURCES = sorted(
    path
    for path in ROOT.rglob("*.py")
    if not any(part.startswith(".") for part in path.relative_to(ROOT).parts)
    and "workspace" not in path.relative_to(ROOT).parts
)


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_is_ours_and_not_a_package_of_the_same_name(room: str) -> None:
    assert Path(str(importlib.import_module(room).__file__)).is_relative_to(ROOT)


def test_no_file_is_longer_than_400_lines() -> None:
    lengths = {str(path.relative_to(ROOT)): len(path.read_text().splitlines()) for path in SOURCES}
    too_long = {name: n for name, n in lengths.items() if n > 400}
    too_long.pop("online/logger.py")  # search services copy it out: it must stay one file
    assert too_long == {}


def _all_imports(path: Path) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module)
    return {name.split(".")[0] for name in names}


@pytest.mark.parametrize("door", ["app.py", "cli.py"])
def test_the_doors_touch_no_store(door: str) -> None:
    assert not _all_imports(ROOT / door) & {"sqlalchemy", "alembic", "duckdb"}


def test_the_terminal_does_not_know_streamlit() -> None:
    assert "streamlit" not in _all_imports(ROOT / "cli.py")


def test_help_loads_nothing_heavy() -> None:
    code = (
        "import sys, cli\n"
        "try: cli.main(['--help'])\n"
        "except SystemExit: pass\n"
        f"print('LOADED', [name for name in {HEAVY!r} if name in sys.modules])"
    )
    answer = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert answer.stdout.strip().splitlines()[-1] == "LOADED []"
