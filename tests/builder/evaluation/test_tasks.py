import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from builder.errors import BuilderError, TaskNotFoundError
from builder.evaluation import find_task, resolve_task, task_names
from builder.export import export_task
from builder.store.documents import insert_documents
from builder.store.judgments import ImportedJudgment, import_judgments_batch
from builder.store.people import add_person
from builder.store.queries import insert_queries
from builder.workspace import Workspace
from evals.records import Document, EvalsError, Query
from tests.workspaces import new_workspace


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Workspace]:
    """Two documents, one query; nobody stands in a folder with evals/ in it."""
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    with new_workspace(tmp_path / "workspace", "shop") as opened:
        with opened.store.write() as connection:
            insert_documents(connection, [Document("d1", "", "one"), Document("d2", "", "two")])
            insert_queries(connection, [Query("q1", "one")])
            add_person(connection, "ann")
        yield opened


def grade(workspace: Workspace, grade: int, doc_id: str = "d1") -> None:
    with workspace.store.write() as connection:
        ann = add_person(connection, "ann").person_id
        import_judgments_batch(connection, [ImportedJudgment("q1", doc_id, ann, "grade", grade)])


@pytest.fixture
def released(workspace: Workspace) -> Workspace:
    """custom/shop with two releases: d1 is 3 in the first, 1 in the second."""
    grade(workspace, 3)
    export_task(workspace, "shop")
    grade(workspace, 1)
    export_task(workspace, "shop")
    return workspace


def place_here(workspace: Workspace, number: int) -> Path:
    here = Path("evals") / "shop"
    shutil.copytree(workspace.evals_folder / ".releases" / "shop" / str(number), here)
    return here.resolve()


@pytest.mark.parametrize("name", ["custom/shop", "evals/shop"])
def test_both_rooms_are_the_latest_release(released: Workspace, name: str) -> None:
    task, notes = resolve_task(released, name)
    assert task.qrels == {"q1": {"d1": 1}}
    assert task.name == "shop"
    assert notes == [f"custom/shop is {released.evals_folder / 'shop'}"]


@pytest.mark.parametrize("name", ["custom/shop@1", "evals/shop@1", "shop@1"])
def test_a_release_by_its_number(released: Workspace, name: str) -> None:
    task, _ = resolve_task(released, name)
    assert task.qrels == {"q1": {"d1": 3}}
    assert task.name == "shop@1"


def test_the_folder_here_comes_first_and_both_are_said_loudly(released: Workspace) -> None:
    here = place_here(released, 1)
    task, notes = resolve_task(released, "custom/shop")
    assert task.folder == here
    assert task.qrels == {"q1": {"d1": 3}}
    assert notes[0].startswith("TWO TASKS ARE CALLED shop")
    assert str(here) in notes[0]
    assert str(released.evals_folder / "shop") in notes[0]


def test_standing_in_the_workspace_is_no_choice(
    released: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(released.root)
    assert resolve_task(released, "evals/shop")[1] == [
        f"custom/shop is {released.evals_folder / 'shop'}"
    ]


def test_a_folder_needs_no_workspace(released: Workspace) -> None:
    folder = released.evals_folder / "shop"
    task, notes = resolve_task(None, str(folder))
    assert (task.name, notes) == ("shop", [])
    place_here(released, 2)
    assert resolve_task(None, "custom/shop")[0].qrels == {"q1": {"d1": 1}}


@pytest.mark.parametrize("text", ["evals/shop", "./evals/shop", "evals/../evals/shop"])
def test_relative_folders(released: Workspace, text: str) -> None:
    place_here(released, 1)
    assert resolve_task(None, text)[0].qrels == {"q1": {"d1": 3}}


def test_a_bare_name_is_a_folder_or_a_release(released: Workspace) -> None:
    assert resolve_task(released, "shop")[0].qrels == {"q1": {"d1": 1}}
    shutil.copytree(released.evals_folder / ".releases" / "shop" / "1", Path("shop"))
    assert resolve_task(released, "shop")[0].qrels == {"q1": {"d1": 3}}


@pytest.mark.parametrize(
    "name",
    [
        "custom/other",
        "custom/shop@3",
        "custom/",
        "custom/../shop",
        "custom/.releases",
        "nowhere",
        "/no/such/folder",
        "a\x00b",
        "",
    ],
)
def test_unknown_names_tell_the_known_ones(released: Workspace, name: str) -> None:
    with pytest.raises(TaskNotFoundError) as refusal:
        resolve_task(released, name)
    assert refusal.value.hint == "Tasks here: custom/shop."
    assert refusal.value.where is not None
    assert str(released.evals_folder) in refusal.value.where


def test_no_task_at_all(workspace: Workspace) -> None:
    with pytest.raises(TaskNotFoundError) as refusal:
        resolve_task(workspace, "custom/shop")
    assert refusal.value.hint is not None
    assert "goldsmith export" in refusal.value.hint
    assert task_names(workspace) == []


def test_the_names_of_both_places_are_known(released: Workspace) -> None:
    (Path("evals") / "Käse").mkdir(parents=True)
    (Path("evals") / "Käse" / "corpus.jsonl").touch()
    (Path("evals") / "__pycache__").mkdir()  # as in a checkout, where ./evals is a package
    assert task_names(released) == ["custom/Käse", "custom/shop"]


def test_a_foreign_name_leads_to_its_folder(workspace: Workspace) -> None:
    folder = workspace.evals_folder / "Käse und Wein"
    folder.mkdir()
    assert find_task(workspace, "custom/Käse und Wein").folder == folder


def test_a_copy_that_a_kill_took_away_comes_back(released: Workspace) -> None:
    shutil.rmtree(released.evals_folder / "shop")
    assert resolve_task(released, "custom/shop")[0].qrels == {"q1": {"d1": 1}}
    assert (released.evals_folder / "shop" / "README.md").is_file()


def test_the_draft_is_the_grades_of_this_moment_and_no_release(released: Workspace) -> None:
    grade(released, 2, "d2")
    task, notes = resolve_task(released, "draft")
    assert task.qrels == {"q1": {"d1": 1, "d2": 2}}
    assert (task.name, task.folder) == ("draft", released.cache_folder / "draft")
    assert "no release" in notes[0]
    grade(released, 0, "d2")
    assert resolve_task(released, "draft")[0].qrels == {"q1": {"d1": 1, "d2": 0}}
    assert sorted(path.name for path in released.cache_folder.iterdir()) == ["draft"]
    assert not (released.evals_folder / "draft").exists()


def test_a_draft_without_grades_or_without_a_workspace(workspace: Workspace) -> None:
    with pytest.raises(BuilderError, match="none of the 1 queries"):
        resolve_task(workspace, "draft")
    with pytest.raises(TaskNotFoundError, match="needs a workspace"):
        resolve_task(None, "draft")


def test_a_split_that_is_not_there(released: Workspace) -> None:
    with pytest.raises(EvalsError, match="no split 'dev'"):
        resolve_task(released, "custom/shop", "dev")
