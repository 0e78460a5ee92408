from pathlib import Path

import pytest

from builder.errors import SettingsError
from builder.settings import Marks, add_marks, read_settings, write_default_settings

DEMO = Marks(events="simulated", grades="illustrative")


@pytest.fixture
def settings_file(tmp_path: Path) -> Path:
    path = tmp_path / "workspace.toml"
    write_default_settings(path, "docs")
    return path


def test_a_new_workspace_is_as_it_seems(settings_file: Path) -> None:
    assert read_settings(settings_file).marks == Marks()


def test_marks_are_written_once(settings_file: Path) -> None:
    add_marks(settings_file, DEMO)
    first = settings_file.read_bytes()
    add_marks(settings_file, DEMO)
    assert read_settings(settings_file).marks == DEMO
    assert settings_file.read_bytes() == first


@pytest.mark.parametrize("table", ["\n[marks]\n", '\n[marks]\nevents = "replayed"\n'])
def test_marks_that_a_person_wrote_stay(settings_file: Path, table: str) -> None:
    settings_file.write_text(settings_file.read_text() + table)
    with pytest.raises(SettingsError, match="other marks"):
        add_marks(settings_file, DEMO)
