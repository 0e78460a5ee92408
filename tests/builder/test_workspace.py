from pathlib import Path

import pytest

from builder.errors import SettingsError, WorkspaceError
from builder.workspace import init_workspace, open_workspace


def test_a_new_workspace_holds_what_is_needed_and_no_more(tmp_path: Path) -> None:
    with init_workspace(tmp_path / "deep" / "team", "Shop search") as workspace:
        assert workspace.root == tmp_path / "deep" / "team"
        assert workspace.settings.name == "Shop search"
        made = {path.name for path in workspace.root.iterdir()}
        assert made - {"workbench.db-wal", "workbench.db-shm"} == {
            "workspace.toml",
            "workbench.db",
            "guidelines.md",
        }
        assert "highly relevant" in workspace.guidelines_file.read_text(encoding="utf-8")


def test_a_workspace_is_called_as_its_folder(tmp_path: Path) -> None:
    with init_workspace(tmp_path / "team") as workspace:
        assert workspace.settings.name == "team"


def test_folders_are_made_when_they_are_needed(tmp_path: Path) -> None:
    with init_workspace(tmp_path) as workspace:
        for name in ("evals", "results", "runs", "cache", "quarantine"):
            assert not (tmp_path / name).exists()
            assert getattr(workspace, f"{name}_folder") == tmp_path / name
            assert (tmp_path / name).is_dir()


def test_an_existing_workspace_is_not_changed(tmp_path: Path) -> None:
    init_workspace(tmp_path, "first").close()
    (tmp_path / "guidelines.md").write_text("ours", encoding="utf-8")
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    with pytest.raises(WorkspaceError, match="a workspace already"):
        init_workspace(tmp_path, "second")
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_files_that_are_there_stay(tmp_path: Path) -> None:
    (tmp_path / "guidelines.md").write_text("ours", encoding="utf-8")
    with init_workspace(tmp_path) as workspace:
        assert workspace.guidelines_file.read_text(encoding="utf-8") == "ours"


def test_an_init_that_was_killed_can_be_repeated(tmp_path: Path) -> None:
    init_workspace(tmp_path).close()
    (tmp_path / "workspace.toml").unlink()  # it is written last
    init_workspace(tmp_path).close()
    open_workspace(tmp_path).close()


def test_a_bad_name_makes_no_workspace(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="name"):
        init_workspace(tmp_path / "team", "   ")
    init_workspace(tmp_path / "team", "good").close()


@pytest.mark.parametrize("folder", ["absent", "empty"])
def test_a_folder_that_is_no_workspace_is_told(folder: str, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(WorkspaceError, match="no workspace") as caught:
        open_workspace(tmp_path / folder)
    assert "init" in (caught.value.hint or "")
    assert not list((tmp_path / "empty").iterdir())
    assert not (tmp_path / "absent").exists()


def test_a_file_in_the_way_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    for folder in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(WorkspaceError):
            init_workspace(folder)
        with pytest.raises(WorkspaceError):
            open_workspace(folder)


def test_broken_settings_are_told_on_opening(tmp_path: Path) -> None:
    init_workspace(tmp_path).close()
    with (tmp_path / "workspace.toml").open("a", encoding="utf-8") as settings:
        settings.write("colour = 'gold'\n")
    with pytest.raises(SettingsError, match=r"colour|guard\.colour"):
        open_workspace(tmp_path)
