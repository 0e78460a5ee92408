"""What an export holds, when it is a new release, and who may make it."""

import json
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import update

from builder.errors import BuilderError, NotAllowedError
from builder.export import export_job, export_task
from builder.people import ensure_person
from builder.store.releases import all_releases
from builder.store.schema import queries
from builder.workspace import Workspace, init_workspace
from evals.records import Document, Query
from evals.taskfolder import read_task
from tests.builder.export.conftest import files_of, grade, leftovers, regrade, release, told


def test_an_export_is_a_task_folder_with_all_that_counts(workspace: Workspace) -> None:
    exported = export_task(workspace, "shop")
    assert exported["task_dir"] == str(workspace.evals_folder / "shop")
    assert (exported["release"], exported["unchanged"]) == (1, False)
    assert (exported["documents"], exported["queries"], exported["judgments"]) == (3, 2, 3)
    assert exported["dropped"] == {"unjudged": 1, "no_relevant": 1}
    assert exported["warnings"] == []
    task = read_task(Path(exported["task_dir"]))
    # 007: grades 0 and 1, no majority: the lower median
    assert task.qrels == {"q-mixed": {"d2": 3, "007": 0}, "q-two": {"d2": 1}}
    assert [document.doc_id for document in task.documents] == ["007", "d2", "é\N{GRINNING FACE}"]
    assert task.documents[1] == Document("d2", "Title", "second", {"shelf": 3})
    assert task.queries[0] == Query("q-mixed", "mixed", "the need", ("x", "y"))
    assert task.split == "test"


def test_the_release_is_kept_beside_the_latest(workspace: Workspace) -> None:
    exported = export_task(workspace, "shop")
    assert files_of(release(workspace, 1)) == files_of(Path(exported["task_dir"]))
    with workspace.store.read() as connection:
        (noted,) = all_releases(connection)
    assert (noted.name, noted.number, noted.created_by) == ("shop", 1, "terminal")
    assert noted.content_hash == exported["content_hash"]
    assert noted.counts["judgments"] == 3


def test_the_same_content_makes_no_new_release(workspace: Workspace) -> None:
    first = export_task(workspace, "shop")
    before = files_of(workspace.evals_folder / "shop")
    again = export_task(workspace, "shop")
    assert (again["release"], again["unchanged"]) == (1, True)
    assert again["content_hash"] == first["content_hash"]
    assert files_of(workspace.evals_folder / "shop") == before
    assert not release(workspace, 2).exists()


def test_new_grades_make_a_new_release_and_leave_the_old(workspace: Workspace) -> None:
    export_task(workspace, "shop")
    old = files_of(release(workspace, 1))
    regrade(workspace, 2)
    exported = export_task(workspace, "shop")
    assert (exported["release"], exported["unchanged"]) == (2, False)
    assert files_of(release(workspace, 1)) == old
    assert read_task(workspace.evals_folder / "shop").qrels["q-two"] == {"d2": 2}
    regrade(workspace, 1)
    assert export_task(workspace, "shop")["release"] == 3


@pytest.mark.parametrize(
    "options", [{"rule": "mean"}, {"header": False}, {"min_raters": 2}, {"keep_no_relevant": True}]
)
def test_other_options_are_other_content(workspace: Workspace, options: dict[str, Any]) -> None:
    export_task(workspace, "shop")
    assert export_task(workspace, "shop", **options)["release"] == 2


def test_releases_of_other_names_count_by_themselves(workspace: Workspace) -> None:
    export_task(workspace, "shop")
    assert export_task(workspace, "other")["release"] == 1


def test_a_copy_that_was_changed_is_made_again_and_its_release_stays(workspace: Workspace) -> None:
    export_task(workspace, "shop")
    kept = files_of(release(workspace, 1))
    shown = workspace.evals_folder / "shop" / "qrels" / "test.tsv"
    shown.write_text("query-id\tcorpus-id\tscore\nq-two\td2\t3\n", "utf-8")
    assert files_of(release(workspace, 1)) == kept
    assert export_task(workspace, "shop")["unchanged"]
    assert files_of(workspace.evals_folder / "shop") == kept


def test_filters_by_tag_source_and_raters(workspace: Workspace) -> None:
    by_tag = export_task(workspace, "a", tag="y")
    assert (by_tag["queries"], by_tag["dropped"]) == (1, {"unjudged": 0, "no_relevant": 0})
    by_source = export_task(workspace, "b", source="log")
    assert read_task(Path(by_source["task_dir"])).qrels == {"q-two": {"d2": 1}}
    by_raters = export_task(workspace, "c", min_raters=2)
    assert read_task(Path(by_raters["task_dir"])).qrels == {"q-mixed": {"d2": 3, "007": 0}}
    assert by_raters["dropped"] == {"unjudged": 3, "no_relevant": 0}
    assert by_raters["warnings"] == ["2 graded pairs have fewer than 2 raters and are left out"]


def test_queries_without_a_relevant_document_stay_if_asked_for(workspace: Workspace) -> None:
    exported = export_task(workspace, "shop", keep_no_relevant=True)
    assert (exported["queries"], exported["dropped"]["no_relevant"]) == (3, 0)
    assert exported["warnings"] == ["1 queries have no relevant document; they score 0 in mteb"]


def test_rules_decide(workspace: Workspace) -> None:
    exported = export_task(workspace, "shop", rule="mean")
    assert read_task(Path(exported["task_dir"])).qrels["q-mixed"]["007"] == 1  # 0.5, half up


def test_retired_queries_stay_at_home(workspace: Workspace) -> None:
    with workspace.store.write() as connection:
        is_two = queries.c.query_id == "q-two"
        connection.execute(update(queries).where(is_two).values(status="retired"))
    exported = export_task(workspace, "shop")
    assert exported["queries"] == 1
    assert told(Path(exported["task_dir"]))["counts"]["in"]["queries_retired"] == 1


def test_no_header(workspace: Workspace) -> None:
    exported = export_task(workspace, "shop", header=False)
    first = (Path(exported["task_dir"]) / "qrels" / "test.tsv").read_text("utf-8").splitlines()[0]
    assert first.split("\t")[0] == "q-mixed"


def test_raters_are_pseudonyms_that_stay(workspace: Workspace) -> None:
    export_task(workspace, "shop")
    for content in files_of(workspace.evals_folder / "shop").values():
        assert "Müller" not in content.decode("utf-8")
        assert b"Bob" not in content
    with workspace.store.write() as connection:
        grade(connection, "Aaron", {"d2": 2})
    export_task(workspace, "shop")
    by_release = [raters_of(release(workspace, number)) for number in (1, 2)]
    assert by_release[0] == {"rater-02": 3, "rater-03": 2}  # rater-01 graded nothing
    assert by_release[1] == {"rater-02": 3, "rater-03": 2, "rater-05": 1}


def raters_of(folder: Path) -> dict[str, int]:
    counts: dict[str, int] = {}
    for line in (folder / "judgments.jsonl").read_text("utf-8").splitlines():
        rater = json.loads(line)["rater"]
        counts[rater] = counts.get(rater, 0) + 1
    return counts


def test_raw_grades_can_be_aggregated_anew(workspace: Workspace) -> None:
    exported = export_task(workspace, "shop")
    lines = (Path(exported["task_dir"]) / "judgments.jsonl").read_text("utf-8").splitlines()
    assert json.loads(lines[0]) == {
        "query-id": "q-mixed",
        "corpus-id": "007",
        "rater": "rater-02",
        "kind": "human",
        "outcome": "grade",
        "grade": 0,
        "timestamp": None,
    }
    assert len(lines) == 5


def test_provenance(workspace: Workspace) -> None:
    exported = export_task(workspace, "shop")
    document = told(Path(exported["task_dir"]))
    assert document["aggregation"]["rule"] == "majority"
    assert document["raters_per_pair"] == {"1": 1, "2": 2}
    assert document["counts"]["out"] == {
        "documents": 3,
        "queries": 2,
        "judgments": 3,
        "relevant": 2,
    }
    assert document["counts"]["in"]["grades_by_kind"] == {"human": 5}
    assert document["agreement"]["n_pairs"] == 2
    assert document["agreement"]["raters"][0]["rater"] == "rater-02"
    assert document["content_hash"] == exported["content_hash"]
    card = (Path(exported["task_dir"]) / "README.md").read_text("utf-8")
    assert "2 raters graded pairs" in card
    assert "goldsmith eval bm25 -t custom/shop" in card


def test_a_further_copy(workspace: Workspace, tmp_path: Path) -> None:
    target = tmp_path / "elsewhere" / "mine"
    exported = export_task(workspace, "shop", to=target)
    assert exported["task_dir"] == str(target)
    assert files_of(target) == files_of(workspace.evals_folder / "shop")
    regrade(workspace, 3)
    export_task(workspace, "shop", to=target)
    assert read_task(target).qrels["q-two"] == {"d2": 3}
    assert [path.name for path in target.parent.iterdir()] == ["mine"]


def test_a_folder_that_no_export_made_is_left_alone(workspace: Workspace, tmp_path: Path) -> None:
    precious = workspace.evals_folder / "shop"
    precious.mkdir()
    (precious / "corpus.jsonl").write_text("precious")
    with pytest.raises(BuilderError, match="no export made"):
        export_task(workspace, "shop")
    with pytest.raises(BuilderError, match="no export made"):
        export_task(workspace, "other", to=precious)
    assert files_of(precious) == {"corpus.jsonl": b"precious"}
    assert not release(workspace, 1, "other").exists()
    (tmp_path / "empty").mkdir()
    export_task(workspace, "other", to=tmp_path / "empty")


@pytest.mark.parametrize("name", ["../x", "con", "a" * 300, "\N{GRINNING FACE}", "draft"])
def test_hostile_names_touch_nothing(workspace: Workspace, name: str) -> None:
    before = sorted(workspace.root.parent.rglob("*"))
    with pytest.raises(BuilderError):
        export_task(workspace, name)
    after = [path for path in sorted(workspace.root.parent.rglob("*")) if path.name != "evals"]
    assert after == before


def test_nothing_to_export_says_why(workspace: Workspace, tmp_path: Path) -> None:
    with pytest.raises(BuilderError, match="none of the 4 queries") as refusal:
        export_task(workspace, "shop", min_raters=5)
    assert "4 unjudged" in refusal.value.message
    assert "--min-raters" in str(refusal.value.hint)
    assert "--keep-no-relevant" not in str(refusal.value.hint)
    with pytest.raises(BuilderError, match="no query is asked for") as refusal:
        export_task(workspace, "shop", tag="z")
    assert refusal.value.hint is not None
    assert "x, y" in refusal.value.hint
    with init_workspace(tmp_path / "empty") as empty, pytest.raises(BuilderError, match="no quer"):
        export_task(empty, "shop")
    assert not (workspace.evals_folder / "shop").exists()
    assert leftovers(workspace) == []


def test_where_all_grades_are_0_the_option_that_keeps_them_is_named(workspace: Workspace) -> None:
    with workspace.store.write() as connection:
        grade(connection, "Ann Müller", {"d2": 0, "007": 0})
        grade(connection, "Bob", {"d2": 0, "007": 0})
        grade(connection, "Ann Müller", {"d2": 0}, query="q-two")
    with pytest.raises(BuilderError, match="3 no_relevant") as refusal:
        export_task(workspace, "shop")
    hint = str(refusal.value.hint)
    assert "--keep-no-relevant" in hint
    assert "--min-raters" not in hint
    assert export_task(workspace, "shop", keep_no_relevant=True)["queries"] == 3


def test_only_analysts_export_from_the_browser(workspace: Workspace) -> None:
    rater = ensure_person(workspace, "Ann Müller")
    assert rater.role == "rater"
    with pytest.raises(NotAllowedError):
        export_task(workspace, "shop", actor=rater)
    with workspace.store.read() as connection:
        assert all_releases(connection) == []
    boss = ensure_person(workspace, "Boss")
    export_task(workspace, "shop", actor=boss)
    with workspace.store.read() as connection:
        assert [made.created_by for made in all_releases(connection)] == ["Boss"]


def test_the_job_exports_for_its_actor(workspace: Workspace) -> None:
    seen: list[str] = []
    parameters = {"name": "shop", "actor": "Boss", "rule": "median"}
    outcome = export_job(workspace, parameters, lambda what, *_: seen.append(what))
    assert outcome["release"] == 1
    assert "writing documents" in seen
    with pytest.raises(NotAllowedError):
        export_job(workspace, {"name": "shop", "actor": "nobody"}, lambda *_: None)
