"""Synthetic queries in a release: none, those that people validated, or whole accepted strata."""

import json
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from builder.errors import BuilderError
from builder.evaluation.hole_runs import Frozen
from builder.evaluation.hole_states import grades_now
from builder.export import export_task
from builder.export.selection import Selection
from builder.export.synthetic import Counting, resting_on_models
from builder.importers.folder import import_folder
from builder.judging.aggregation import aggregate
from builder.people import ensure_person
from builder.store.adjudications import ADJUDICATED, ADJUDICATOR
from builder.store.documents import insert_documents
from builder.store.judgments import GradeRow, ImportedJudgment, import_judgments_batch
from builder.store.people import add_person
from builder.store.queries import insert_queries
from builder.store.synthetic_queries import Judged, candidates_of, note_judged
from builder.synthesis.review import accept_all
from builder.synthesis.validation import draw_validation
from builder.workspace import Workspace, init_workspace
from estimates import wilson
from evals.records import Document, Query
from evals.taskfolder import read_task
from tests.builder.export.conftest import told
from tests.builder.synthesis.written import Answer, write_synthesis
from tests.workspaces import copied

N, DRAWN, AGREE = 100, 30, 24
Pair = tuple[str, str]
MTEB_READS = """
import json, sys
from mteb.abstasks.retrieval_dataset_loaders import RetrievalDatasetLoader
read = RetrievalDatasetLoader(hf_repo=sys.argv[1], revision="1", split="test").load()
print(json.dumps([len(read[part]) for part in ("corpus", "queries", "relevant_docs")]))
"""


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Workspace]:
    """A query of a log, graded, and a hundred accepted ones that a model wrote; nobody drew yet."""
    with copied(_with_synthetic_queries, tmp_path / "w") as opened:
        yield opened


@pytest.fixture
def settled(tmp_path: Path) -> Iterator[Workspace]:
    """The same, of which 30 were drawn: experts agree to 24 and take 6 for marginal."""
    with copied(_validated, tmp_path / "w") as opened:
        yield opened


def _validated(folder: Path) -> Workspace:
    workspace = copied(_with_synthetic_queries, folder)
    validated(workspace, [1] * (DRAWN - AGREE))
    return workspace


def _with_synthetic_queries(folder: Path) -> Workspace:
    workspace = init_workspace(folder, "shop")
    ensure_person(workspace, "Boss")
    texts = [Document(f"d{n:03d}", "", f"All that is said of number {n}.") for n in range(N)]
    with workspace.store.write() as connection:
        insert_documents(connection, texts)
        insert_queries(connection, [Query("log-1", "what people typed", source="log")])
    expert_grades(workspace, {("log-1", "d000"): 3})
    prompts = ("keyword", "question")
    answers = [
        Answer(text.doc_id, [f"what of thing {n}"], prompt=prompts[n % 2])
        for n, text in enumerate(texts)
    ]
    write_synthesis(workspace, answers, model="test-model")
    with workspace.store.write() as connection:
        written = candidates_of(connection)
        note_judged(connection, [Judged(one.candidate_id) for one in written])
    accept_all(workspace)
    return workspace


def expert_grades(workspace: Workspace, grades: dict[Pair, int], rater: str = "Ann") -> None:
    with workspace.store.write() as connection:
        person = add_person(connection, rater)
        rows = [ImportedJudgment(*pair, person.person_id, "grade", n) for pair, n in grades.items()]
        import_judgments_batch(connection, rows)


def source_pairs(workspace: Workspace) -> dict[str, str]:
    """query_id -> the document that it was written for."""
    with workspace.store.read() as connection:
        return {str(one.query_id): one.doc_id for one in candidates_of(connection)}


def drawn_pairs(workspace: Workspace) -> list[Pair]:
    """Pairs of synthetic queries that experts are asked for; one grade leaves them open."""
    with workspace.store.read() as connection:
        open_ = connection.exec_driver_sql(
            "SELECT query_id, doc_id FROM pairs JOIN queries USING (query_key) "
            "JOIN documents USING (doc_key) "
            "WHERE open_slots > 0 AND source = 'synthetic' ORDER BY query_id"
        )
        return [(row[0], row[1]) for row in open_]


def validated(workspace: Workspace, refusals: Iterable[int]) -> None:
    """Draw 30 of the queries; experts agree to 24 and give the others these grades."""
    draw_validation(workspace, share=DRAWN / N, seed=1, others=0)
    pairs = drawn_pairs(workspace)
    assert len(pairs) == DRAWN
    given = [2, 3] * (AGREE // 2) + [*refusals]
    expert_grades(workspace, dict(zip(pairs, given, strict=True)))


def exported(workspace: Workspace, synthetic: str, **options: Any) -> dict[str, Any]:
    return export_task(workspace, f"shop-{synthetic}", synthetic=synthetic, **options)


def metadata(release: dict[str, Any]) -> dict[str, dict[str, Any]]:
    text = (Path(release["task_dir"]) / "queries_metadata.jsonl").read_text("utf-8")
    return {row["_id"]: row for row in map(json.loads, text.splitlines())}


def raw_rows(folder: Path) -> list[GradeRow]:
    rows = map(json.loads, (folder / "judgments.jsonl").read_text("utf-8").splitlines())
    names = ("query-id", "corpus-id", "rater", "kind", "outcome", "grade")
    return [GradeRow(*(row[name] for name in names)) for row in rows]


def said(
    doc_id: str, kind: str, grade: int | None, rater: str = "", outcome: str = "grade"
) -> GradeRow:
    return GradeRow("syn-1", doc_id, rater or kind, kind, outcome, grade)


MODEL = said("d1", "synthetic", 2)
ACCEPTED = Counting(accepted={"syn-1": "d1"})


@pytest.mark.parametrize(
    ("beside", "counts"),
    [
        ([], True),
        ([said("d1", "human", 0)], False),
        ([said("d1", "import", 3)], False),
        ([said("d1", ADJUDICATOR, 1, outcome=ADJUDICATED)], False),
        ([said("d2", "human", 3)], True),
        ([said("d1", "human", None, outcome="cannot_judge")], True),
        ([said("d1", "llm", 0)], True),
        ([said("d1", "human", 0, "Left Out")], True),
    ],
)
def test_a_models_grade_counts_where_nobody_else_said_anything(
    beside: list[GradeRow], counts: bool
) -> None:
    rows = [MODEL, *beside]
    assert (MODEL in ACCEPTED.rows(rows, {"Left Out"})) is counts
    assert [row for row in ACCEPTED.rows(rows, {"Left Out"}) if row != MODEL] == beside
    assert resting_on_models(ACCEPTED.rows(rows, {"Left Out"})) == ({"d1"} if counts else set())


def test_without_an_accepted_stratum_no_models_grade_counts() -> None:
    assert Counting().rows([MODEL, said("d2", "human", 3)], ()) == [said("d2", "human", 3)]
    assert ACCEPTED.rows([MODEL], {"synthetic"}) == []


def test_a_models_grade_of_another_document_counts_never() -> None:
    """As a merge brings it along from a query of another stratum, or a file."""
    assert ACCEPTED.rows([MODEL, said("d2", "synthetic", 2)], ()) == [MODEL]


def test_what_makes_no_sense_is_refused() -> None:
    with pytest.raises(BuilderError, match="'all', which says nothing here"):
        Selection(synthetic="all")
    with pytest.raises(BuilderError, match="synthetic queries alone are asked for, and none"):
        Selection(source="synthetic", synthetic="none")


def test_accepted_takes_all_and_marks_what_people_validated(settled: Workspace) -> None:
    drawn = drawn_pairs(settled)
    accepted = exported(settled, "accepted")
    assert (accepted["queries"], accepted["judgments"]) == (N + 1, N + 1)
    rows = metadata(accepted)
    assert "validated" not in rows.pop("log-1")
    written = source_pairs(settled)
    assert {query_id: row["validated"] for query_id, row in rows.items()} == {
        query_id: (query_id, doc_id) in drawn for query_id, doc_id in written.items()
    }
    assert {row["validation_probability"] for row in rows.values()} == {DRAWN / N}
    assert {row["stratum"] for row in rows.values()} == {"keyword", "question"}
    assert any("70 synthetic queries rest on the grade" in said for said in accepted["warnings"])


def test_queries_hold_nothing_that_other_readers_stumble_over(settled: Workspace) -> None:
    folder = Path(exported(settled, "accepted")["task_dir"])
    rows = map(json.loads, (folder / "queries.jsonl").read_text("utf-8").splitlines())
    assert {tuple(row) for row in rows} == {("_id", "text")}


@pytest.mark.slow
def test_mteb_opens_a_release_with_synthetic_queries_unchanged(
    settled: Workspace, tmp_path: Path
) -> None:
    folder = exported(settled, "accepted")["task_dir"]
    # A process of its own: `datasets` decides where it caches when it is imported.
    kept = os.environ | {"HF_HUB_OFFLINE": "1", "HF_DATASETS_CACHE": str(tmp_path / "cache")}
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", MTEB_READS, folder],
        capture_output=True,
        text=True,
        check=True,
        env=kept,
    )
    assert json.loads(done.stdout) == [N, N + 1, N + 1]


def test_counts_and_interval_are_told_to_programs_and_people(settled: Workspace) -> None:
    accepted = exported(settled, "accepted")
    part = accepted["synthetic"]
    assert (part["mode"], part["queries"]) == ("accepted", N)
    assert (part["validated"], part["unvalidated"]) == (DRAWN, N - DRAWN)
    # Wilson (1927) of 24 of 30: .80 [.627, .905].
    oracle = wilson(AGREE, DRAWN)
    agreement = part["agreement"]
    assert (agreement["value"], agreement["low"], agreement["high"]) == (
        *(0.8, oracle.low, oracle.high),
    )
    assert (f"{oracle.low:.3f}", f"{oracle.high:.3f}") == ("0.627", "0.905")
    assert (part["verdict"], part["graded"], part["agree"]) == ("accept", DRAWN, AGREE)
    folder = Path(accepted["task_dir"])
    assert told(folder)["synthetic"] == part
    card = (folder / "README.md").read_text("utf-8")
    assert "100 queries of this release were written by a language model" in card
    assert "People graded all pairs of 30 of them" in card
    assert "80%, 95 % interval 62.7% to 90.5% (Wilson)" in card


def test_validated_takes_those_of_the_experts_and_none_takes_none(settled: Workspace) -> None:
    drawn = drawn_pairs(settled)
    release = exported(settled, "validated")
    assert (release["queries"], release["dropped"]["unvalidated"]) == (DRAWN + 1, N - DRAWN)
    folder = Path(release["task_dir"])
    pairs = {(query, doc) for query, docs in read_task(folder).qrels.items() for doc in docs}
    assert pairs == {*drawn, ("log-1", "d000")}
    rows = metadata(release)
    assert all(rows[query_id]["validated"] for query_id, _ in drawn)
    card = (folder / "README.md").read_text("utf-8")
    assert "those of language models do not." in card
    assert (
        "Left out: 70 queries that a language model wrote, since people graded no pair of them."
        in card
    )
    none = exported(settled, "none")
    assert (none["queries"], none["dropped"]) == (
        1,
        {"unjudged": 0, "no_relevant": 0, "synthetic": N},
    )
    card = (Path(none["task_dir"]) / "README.md").read_text("utf-8")
    assert "Left out: 100 queries that a language model wrote, since none was asked for." in card
    assert "synthetic_queries.jsonl" not in card
    assert not (Path(none["task_dir"]) / "synthetic_queries.jsonl").exists()


def test_what_experts_find_irrelevant_is_left_out_as_ever_and_counted(shop: Workspace) -> None:
    validated(shop, [0] * (DRAWN - AGREE))
    found = exported(shop, "validated")
    assert (found["queries"], found["dropped"]["no_relevant"]) == (1 + AGREE, 6)
    kept = exported(shop, "validated", keep_no_relevant=True)
    assert (kept["queries"], kept["synthetic"]["queries"]) == (1 + DRAWN, DRAWN)
    every = exported(shop, "accepted", keep_no_relevant=True)
    assert (every["queries"], every["synthetic"]["validated"]) == (1 + N, DRAWN)


def test_anyone_can_aggregate_anew_and_no_minimum_of_raters_is_asked_of_a_model(
    settled: Workspace,
) -> None:
    for mode, pairs in (("accepted", N + 1), ("validated", DRAWN + 1)):
        folder = Path(exported(settled, mode)["task_dir"])
        rows = raw_rows(folder)
        assert len(rows) == pairs
        assert sum(row.kind == "synthetic" for row in rows) == (N - DRAWN) * (mode == "accepted")
        assert aggregate(rows) == read_task(folder).qrels
    two = exported(settled, "accepted", min_raters=2)
    assert (two["queries"], two["synthetic"]["validated"]) == (N - DRAWN, 0)
    assert two["dropped"] == {"unjudged": 1, "no_relevant": 0, "unvalidated": DRAWN}
    assert told(Path(two["task_dir"]))["raters_per_pair"] == {"0": N - DRAWN}


def test_a_query_is_validated_where_all_that_counts_is_of_people(settled: Workspace) -> None:
    drawn = dict(drawn_pairs(settled))
    other = next(query_id for query_id in source_pairs(settled) if query_id not in drawn)
    source = source_pairs(settled)[other]
    beside = "d000" if source != "d000" else "d001"
    expert_grades(settled, {(other, beside): 3})
    by_mode = {mode: exported(settled, mode) for mode in ("validated", "accepted")}
    tasks = {mode: read_task(Path(one["task_dir"])) for mode, one in by_mode.items()}
    assert tasks["validated"].qrels[other] == {beside: 3}
    assert tasks["accepted"].qrels[other] == {beside: 3, source: 2}
    marked = {mode: metadata(one)[other]["validated"] for mode, one in by_mode.items()}
    assert marked == {"validated": True, "accepted": False}
    # Nor does a model's word come into the grades of this moment, by which holes are looked for.
    with settled.store.read() as connection:
        for task in tasks.values():
            assert grades_now(connection, Frozen.of(task)) == task.qrels


def test_an_imported_release_says_which_grades_no_person_gave(
    settled: Workspace, tmp_path: Path
) -> None:
    folders = {mode: exported(settled, mode)["task_dir"] for mode in ("accepted", "validated")}
    with init_workspace(tmp_path / "other", "other") as other:
        tally = import_folder(other, Path(folders["accepted"]))["judgments"]
        assert tally.notes["grades_of_models"] == 1
        assert "70 synthetic queries rest on the grade" in tally.named["grades_of_models"][0]
        again = import_folder(other, Path(folders["validated"]))["judgments"]
        assert "grades_of_models" not in again.notes


def test_without_a_validation_accepted_takes_no_models_word(shop: Workspace) -> None:
    release = exported(shop, "accepted")
    assert (release["queries"], release["dropped"]["unvalidated"]) == (1, N)
    assert release["synthetic"]["verdict"] == "none"
    assert any(
        "no stratum of synthetic queries is accepted" in said for said in release["warnings"]
    )
    with pytest.raises(BuilderError, match="100 unvalidated") as refusal:
        exported(shop, "validated", source="synthetic")
    assert "goldsmith synth --validate" in str(refusal.value.hint)


def test_a_release_without_synthetic_queries_keeps_the_hash_that_it_had(
    workspace: Workspace,
) -> None:
    # As the release before --synthetic came made it, of the same grades.
    before = "0985544621d114e4dba3a19e89c55ce14dc925b9f7b382a063fa7c8c26de8076"
    for mode in ("validated", "none", "accepted"):
        assert exported(workspace, mode)["content_hash"] == before


def test_queries_that_nobody_validated_change_no_release(shop: Workspace) -> None:
    one = export_task(shop, "shop", synthetic="none")
    assert export_task(shop, "shop")["unchanged"]
    validated(shop, [1] * (DRAWN - AGREE))
    assert export_task(shop, "shop")["release"] == one["release"] + 1
    assert export_task(shop, "shop", synthetic="accepted")["release"] == one["release"] + 2
