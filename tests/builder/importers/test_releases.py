"""A release comes into another workspace: what it cannot carry over is told, its mark is kept."""

import json
from pathlib import Path

import pytest

from builder.export import export_task
from builder.importers import import_folder, import_judgments
from builder.people import exclude_rater
from builder.settings import Marks, add_marks, read_settings
from builder.store.documents import insert_documents
from builder.store.judgments import ImportedJudgment, import_judgments_batch
from builder.store.people import add_person
from builder.store.queries import insert_queries
from builder.workspace import Workspace, init_workspace, open_workspace
from evals.records import Document, Query
from tests.builder.export.conftest import fill
from tests.builder.importers.conftest import counts

REASON = "guesses\n| <b>\x1b[31m"


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A release whose grades are illustrative and that leaves Bob (rater-03) out."""
    root = tmp_path_factory.mktemp("made") / "workspace"
    with init_workspace(root, "shop") as made:
        fill(made)
        exclude_rater(made, "Bob", REASON, None)
    add_marks(root / "workspace.toml", Marks(events="simulated", grades="illustrative"))
    with open_workspace(root) as made:
        return Path(export_task(made, "shop")["task_dir"])


@pytest.fixture
def other(workspace: Workspace) -> Workspace:
    """Another workspace, which has one grade of its own."""
    with workspace.store.write() as connection:
        insert_documents(connection, [Document("d9", "", "x")])
        insert_queries(connection, [Query("q9", "x")])
        person = add_person(connection, "Eve")
        import_judgments_batch(
            connection, [ImportedJudgment("q9", "d9", person.person_id, "grade", 2)]
        )
    return workspace


def test_a_folder_tells_who_was_left_out_and_brings_its_mark(
    release: Path, workspace: Workspace
) -> None:
    tally = import_folder(workspace, release)["judgments"]
    assert tally.notes["left_out_by_release"] == 1
    (told,) = tally.named["left_out_by_release"]
    assert told.startswith("'rater-03', 2 grades ('guesses | <b>")
    assert told.endswith("they are not in the qrels")
    assert "\x1b" not in told
    assert tally.named["mark_kept"] == ["the grades are 'illustrative'"]
    kept = read_settings(workspace.root / "workspace.toml").marks
    assert kept == workspace.settings.marks == Marks(grades="illustrative")
    again = import_folder(workspace, release)["judgments"]
    assert set(again.notes) == {"left_out_by_release"}


def test_raw_grades_of_who_was_left_out_count_until_left_out_here(
    release: Path, workspace: Workspace
) -> None:
    import_folder(workspace, release)
    tally = import_judgments(workspace, release / "judgments.jsonl")
    (told,) = tally.named["left_out_by_release"]
    assert "they count here until the rater is left out on the page Raters" in told
    assert "mark_kept" not in tally.notes
    exclude_rater(workspace, "rater-03", "as there", None)
    again = import_judgments(workspace, release / "judgments.jsonl")
    assert "left_out_by_release" not in again.notes


def test_the_mark_stays_away_from_grades_that_are_there_and_that_is_told(
    release: Path, other: Workspace
) -> None:
    tally = import_folder(other, release)["judgments"]
    assert "the grades are 'illustrative'" in tally.named["mark_not_kept"][0]
    assert other.settings.marks == read_settings(other.root / "workspace.toml").marks == Marks()


def test_other_marks_are_left_as_they_are(release: Path, workspace: Workspace) -> None:
    file = workspace.root / "workspace.toml"
    add_marks(file, Marks(events="simulated"))
    workspace.settings = read_settings(file)
    tally = import_folder(workspace, release)["judgments"]
    assert tally.notes["mark_not_kept"] == 1
    assert read_settings(file).marks == Marks(events="simulated")


@pytest.mark.parametrize(
    "content",
    [
        "",
        "{",
        "[1]",
        "null",
        '{"marks": 3, "aggregation": []}',
        '{"marks": {"grades": 7}, "aggregation": {"excluded_raters": 1}}',
        "[" * 100_000,
        '{"marks": {"grades": NaN}}',
        b"\xff\xfe",
    ],
)
def test_a_broken_description_is_no_release(
    tmp_path: Path, release: Path, workspace: Workspace, content: str | bytes
) -> None:
    folder = _copy(release, tmp_path / "shop", content)
    tally = import_folder(workspace, folder)["judgments"]
    assert counts(tally)[0] == 3
    assert set(tally.notes) == {"new_rater", "pair_added"}
    assert workspace.settings.marks == Marks()


def test_a_hostile_mark_is_told_and_not_written(
    tmp_path: Path, release: Path, workspace: Workspace
) -> None:
    mark = 'x"\n[sign_in]\nheader = "X"\x1b'
    content = json.dumps(
        {"marks": {"grades": mark}, "aggregation": {"excluded_raters": [7, {"grades": "many"}]}}
    )
    tally = import_folder(workspace, _copy(release, tmp_path / "shop", content))["judgments"]
    assert tally.notes["mark_not_kept"] == 1
    assert "\n" not in tally.named["mark_not_kept"][0]
    assert tally.notes["left_out_by_release"] == 2
    assert read_settings(workspace.root / "workspace.toml").sign_in.header == ""


def _copy(release: Path, folder: Path, content: str | bytes) -> Path:
    folder.mkdir()
    (folder / "qrels").mkdir()
    for name in ("corpus.jsonl", "queries.jsonl", "qrels/test.tsv"):
        (folder / name).write_bytes((release / name).read_bytes())
    told = content if isinstance(content, bytes) else content.encode()
    (folder / "goldsmith.json").write_bytes(told)
    return folder
