"""Weak labels stand apart from the grades, whoever reads the folder, and say that nobody judged."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sklearn.metrics import cohen_kappa_score

from builder.curation import retire_query
from builder.errors import BuilderError, ImportFailedError
from builder.export import export_job, export_task
from builder.export.weak import EVIDENCE_FILE
from builder.importers.folder import import_folder
from builder.importers.judgments import import_judgments
from builder.mining.weak_grades import weak_grades
from builder.store.judgments import current_grades
from builder.workspace import SETTINGS_FILE, Workspace, init_workspace, open_workspace
from evals.bm25 import BM25Retriever
from evals.evaluate import evaluate
from evals.qrels import WEAK_SPLIT, read_qrels
from evals.records import EvalsError
from evals.taskfolder import read_task
from tests.builder.clicked import clicked_workspace, experts_of
from tests.builder.export.conftest import told
from tests.online.logs import flag

GRADED = ("q0", "q1", "q2", "q3", "q4")
"""q5 has clicks, and nobody graded it."""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The workspace; `plain` beside it was exported without weak labels, `weak` with them."""
    root = tmp_path_factory.mktemp("weak") / "w"
    with clicked_workspace(root, GRADED) as workspace:
        export_task(workspace, "shop", to=root.parent / "plain")
        exported = export_task(workspace, "shop", weak=True, to=root.parent / "weak")
        assert (exported["release"], exported["unchanged"]) == (2, False)
        assert exported["queries"] == len(GRADED)
        assert exported["warnings"][-1].endswith(
            "nobody judged them; 1 more query has only labels from clicks"
        )
    return root


@pytest.fixture
def plain(made: Path) -> Path:
    return made.parent / "plain"


@pytest.fixture
def weak(made: Path) -> Path:
    return made.parent / "weak"


@pytest.fixture
def workspace(made: Path, tmp_path: Path) -> Iterator[Workspace]:
    with open_workspace(Path(shutil.copytree(made, tmp_path / "w"))) as opened:
        yield opened


def test_the_graded_split_and_every_score_on_it_stay_as_they_are(plain: Path, weak: Path) -> None:
    without, beside = read_task(plain), read_task(weak)
    assert beside.split == without.split == "test"
    assert beside.qrels == without.qrels
    assert not beside.warnings
    scores = [dict(evaluate(task, BM25Retriever()).metrics) for task in (without, beside)]
    assert scores[0] == scores[1]


def test_the_weak_split_holds_the_weak_grades_and_warns(workspace: Workspace, weak: Path) -> None:
    expected = {pair: one.grade for pair, one in weak_grades(workspace).by_pair().items()}
    task = read_task(weak, WEAK_SPLIT)
    found = {(key, doc_id): n for key, of in task.qrels.items() for doc_id, n in of.items()}
    assert found == expected
    assert len(found) == 30
    assert task.warnings[0].startswith("NO JUDGMENTS")
    for form in ("tsv", "jsonl", "trec"):
        assert read_qrels(weak / "qrels" / f"{WEAK_SPLIT}.{form}").qrels == task.qrels
    lines = (weak / EVIDENCE_FILE).read_text("utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    assert {(row["query-id"], row["corpus-id"]): row["weak_label"] for row in rows} == expected
    assert all(0 < row["confidence"] <= 1 and row["impressions"] == 40 for row in rows)


def test_no_reader_takes_it_without_being_asked(weak: Path, tmp_path: Path) -> None:
    alone = Path(shutil.copytree(weak, tmp_path / "alone"))
    for file in (alone / "qrels").glob("test.*"):
        file.unlink()
    with pytest.raises(EvalsError, match="no qrels file"):
        read_task(alone)
    assert read_task(alone, WEAK_SPLIT).split == WEAK_SPLIT


def test_the_folder_says_what_it_is_and_how_far_it_agrees(plain: Path, weak: Path) -> None:
    assert told(plain)["weak_labels"] is None
    said = told(weak)["weak_labels"]
    labels = read_task(weak, WEAK_SPLIT).qrels
    both = [(n, labels[key].get(doc)) for key in GRADED for doc, n in experts_of(key).items()]
    pairs = [pair for pair in both if pair[1] is not None]
    kappa = cohen_kappa_score(*zip(*pairs, strict=True), labels=[0, 1, 2, 3], weights="quadratic")
    assert said["agreement_with_experts"]["n_pairs"] == len(pairs) == 20
    assert said["agreement_with_experts"]["kappa_quadratic"]["value"] == pytest.approx(kappa)
    assert (said["labels"], said["queries"], said["unjudged_queries"]) == (30, 6, 1)
    assert said["searches"] == 240
    assert said["rule"]["thresholds"] == [0.6, 1.0, 1.2]
    assert told(weak)["counts"]["out"]["judgments"] == 25
    card = (weak / "README.md").read_text("utf-8")
    assert told(weak)["counts"]["out"]["queries"] == len(GRADED)
    assert " documents, 5 queries, " in card
    assert "\n\n1 more query has only labels from clicks: see below.\n\n" in card
    assert f"## Weak labels from clicks: nobody judged these\n\nThe split `{WEAK_SPLIT}`" in card
    assert f"quadratic kappa {kappa:.2f}, 95 % interval" in card
    assert "Weak labels" not in (plain / "README.md").read_text("utf-8")


def test_other_thresholds_are_another_release(workspace: Workspace) -> None:
    assert export_task(workspace, "shop", weak=True)["unchanged"]
    with (workspace.root / SETTINGS_FILE).open("a", encoding="utf-8") as settings:
        settings.write("[weak_grades]\nmin_confidence = 0.01\n")
    with open_workspace(workspace.root) as opened:
        exported = export_task(opened, "shop", weak=True)
    assert (exported["release"], exported["unchanged"]) == (3, False)


def test_a_release_says_how_many_searches_of_flagged_sessions_are_left_out(
    workspace: Workspace,
) -> None:
    flag(workspace.lake, "q0 0", "q1 3", "nobody")
    exported = export_task(workspace, "shop", weak=True)
    said = "2 searches of sessions that are flagged as bots were left out"
    assert exported["warnings"][-1] == f"labels from clicks: {said}"
    assert exported["weak_labels"]["flagged"] == {"left_out": 2, "counted": 0}
    assert exported["weak_labels"]["searches"] == 238
    assert f"{said}." in (workspace.evals_folder / "shop" / "README.md").read_text("utf-8")


def test_retired_queries_have_no_weak_labels(workspace: Workspace) -> None:
    retire_query(workspace, "q5", None)
    parameters = {"name": "shop", "actor": "ann", "weak": True}  # as the page asks for it
    exported = export_job(workspace, parameters, lambda *_: None)
    assert exported["weak_labels"]["queries"] == 5


def test_it_never_becomes_judgments(weak: Path, tmp_path: Path) -> None:
    with init_workspace(tmp_path / "other", "other") as workspace:
        tallies = import_folder(workspace, weak)
        with workspace.store.read() as connection:
            grades = {(row.query_id, row.doc_id): row.grade for row in current_grades(connection)}
        assert grades == {
            (key, doc_id): n for key in GRADED for doc_id, n in experts_of(key).items()
        }
        assert tallies["judgments"].notes["weak_labels_left_out"] == 30
        for file in (weak / "qrels" / f"{WEAK_SPLIT}.tsv", weak / EVIDENCE_FILE):
            with pytest.raises(ImportFailedError, match="nobody judged them"):
                import_judgments(workspace, file)


def test_asked_for_in_vain_it_says_why(workspace: Workspace) -> None:
    with (workspace.root / SETTINGS_FILE).open("a", encoding="utf-8") as settings:
        settings.write("[weak_grades]\nmin_sessions = 41\n")
    with (
        open_workspace(workspace.root) as opened,
        pytest.raises(BuilderError, match=r"no weak labels to write: .* 30 too few sessions"),
    ):
        export_task(opened, "shop", weak=True)


@pytest.mark.slow
def test_mteb_itself_reads_the_same_test_split(plain: Path, weak: Path) -> None:
    from mteb.abstasks.retrieval_dataset_loaders import RetrievalDatasetLoader

    def loaded(folder: Path, split: str) -> dict[str, Any]:
        found: Any = RetrievalDatasetLoader(str(folder), "main", split=split).load()
        parts = ("corpus", "queries")
        return {
            **{part: {row["id"]: dict(row) for row in found[part]} for part in parts},
            "qrels": found["relevant_docs"],
        }

    assert loaded(weak, "test") == loaded(plain, "test")
    assert set(loaded(weak, "test")["queries"]) == set(GRADED)
    assert loaded(weak, WEAK_SPLIT)["qrels"] == read_task(weak, WEAK_SPLIT).qrels
