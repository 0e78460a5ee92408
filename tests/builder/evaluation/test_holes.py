"""Unjudged documents that models show: which to judge first, and what they do to the comparison."""

import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import log2
from pathlib import Path

import pytest
import pytrec_eval

from builder.curation import retire_query
from builder.errors import BuilderError, NotAllowedError
from builder.evaluation import score_runs
from builder.evaluation.holes import Holes, find_holes, pool_holes
from builder.evaluation.runs import Runs, Searched
from builder.evaluation.tasks import resolve_task
from builder.export import export_task
from builder.store.documents import insert_documents
from builder.store.judgments import ImportedJudgment, import_judgments_batch
from builder.store.people import add_person
from builder.store.pool import add_pairs, pool_by_source
from builder.store.queries import insert_queries
from builder.workspace import Workspace, init_workspace
from evals.evaluate import evaluate
from evals.records import Document, Query, Run
from evals.results import write_result

TASK = "custom/shop"
SECOND = 1 / log2(3)
"""The discount of rank 2; that of rank 3 is .5."""


@dataclass
class Ranker:
    """A model that gives the same ranking for every query, or one for each."""

    name: str
    rankings: Mapping[str, Sequence[str]]
    notes: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        return self.name

    def search(self, _: object, queries: Sequence[Query], *__: object) -> Run:
        return {
            query.query_id: {
                doc_id: -float(rank)
                for rank, doc_id in enumerate(self.rankings.get(query.query_id, ()))
            }
            for query in queries
        }


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Workspace]:
    """Release shop@1: q1 has d1 with 3 and d2 with 0, q2 has d1 with 1; twenty documents."""
    monkeypatch.chdir(tmp_path)
    with init_workspace(tmp_path / "workspace", "shop") as opened:
        with opened.store.write() as connection:
            insert_documents(connection, [Document(f"d{n}", "", f"d{n}") for n in range(1, 21)])
            insert_queries(connection, [Query("q1", "one"), Query("q2", "two")])
        grade(opened, "q1", {"d1": 3, "d2": 0})
        grade(opened, "q2", {"d1": 1})
        export_task(opened, "shop")
        yield opened


def grade(workspace: Workspace, query_id: str, grades: Mapping[str, int]) -> None:
    with workspace.store.write() as connection:
        person = add_person(connection, "ann").person_id
        rows = [
            ImportedJudgment(query_id, doc_id, person, "grade", given)
            for doc_id, given in grades.items()
        ]
        import_judgments_batch(connection, rows)


def evaluated(
    workspace: Workspace, model: str, q1: Sequence[str], q2: Sequence[str], task: str = TASK
) -> None:
    """Let the model give these rankings on the task; run and result are kept."""
    resolved, _ = resolve_task(workspace, task)
    ranker = Ranker(model, {"q1": q1, "q2": q2})
    run = ranker.search(None, resolved.queries)
    assert Runs(workspace.runs_folder).keep(run, ranker, Searched(resolved), 1000)
    folder = workspace.results_folder / resolved.name
    folder.mkdir(exist_ok=True)
    write_result(evaluate(resolved, ranker), folder)


@pytest.fixture
def compared(workspace: Workspace) -> Workspace:
    """Model a shows what is judged first, b something else; on q2 both show d1 alone."""
    evaluated(workspace, "a", ("d1", "d3", "d2"), ("d1",))
    evaluated(workspace, "b", ("d3", "d1", "d4"), ("d1",))
    return workspace


def pairs_of(found: Holes) -> list[tuple[str, str]]:
    return [(hole.query_id, hole.doc_id) for hole in found.holes]


def test_the_hole_that_moves_the_comparison_most_comes_first(compared: Workspace) -> None:
    """With d3 at 3 the ideal is 3 + 3 SECOND, and both models show it in full.

    a stays at 1, b goes from SECOND to 1: by 1 - SECOND apart. With d4 at 3 a falls to
    3 / (3 + 3 SECOND); b becomes (3 SECOND + 1.5) / (3 + 3 SECOND). Each over two queries.
    """
    found = find_holes(compared)
    assert (found.task, found.release, found.reason, found.n_queries) == ("shop@1", 1, None, 2)
    assert pairs_of(found) == [("q1", "d4"), ("q1", "d3")]
    d4, d3 = found.holes
    fall = 1 / (1 + SECOND) - 1
    rise = (SECOND + 0.5) / (1 + SECOND) - SECOND
    assert d4.movement == pytest.approx((rise - fall) / 2)
    assert d3.movement == pytest.approx((1 - SECOND) / 2)
    assert (d3.ranks, d4.ranks, d4.best_rank) == ({"a": 2, "b": 1}, {"b": 3}, 3)


def test_judged_before_and_after(compared: Workspace) -> None:
    """q2 is judged in full; of q1 a has two of three judged, b one of three."""
    found = find_holes(compared)
    judged = {row["model"]: (row["judged_before"], row["unjudged"]) for row in found.models}
    assert judged == {"a": (pytest.approx(5 / 6), 1), "b": (pytest.approx(4 / 6), 2)}
    assert found.after(1) == {"a": pytest.approx(5 / 6), "b": pytest.approx(5 / 6)}
    assert found.after(2) == found.after(99) == {"a": 1.0, "b": 1.0}


def test_the_winner_can_change_where_grades_exist_that_change_it(compared: Workspace) -> None:
    """a is at 1 and 1. With d4 at 3 and d3 at 0 b has more of the ideal than a: checked below."""
    found = find_holes(compared)
    assert [row["model"] for row in found.models] == ["a", "b"]
    assert found.models[0]["ndcg"] == pytest.approx(1.0)
    assert (found.winner, found.winner_can_change) == ("a", True)
    by_trec_eval = pytrec_eval.RelevanceEvaluator({"q": {"d1": 3, "d4": 3}}, {"ndcg_cut.10"})
    for row, ranking in zip(found.models, (("d1", "d3"), ("d3", "d1", "d4")), strict=True):
        scores = {doc_id: -float(rank) for rank, doc_id in enumerate(ranking)}
        of_q1 = by_trec_eval.evaluate({"q": scores})["q"]["ndcg_cut_10"]
        assert row["lowest"] - 1e-9 <= (of_q1 + 1) / 2 <= row["highest"] + 1e-9
    assert find_holes(compared, models=["a"]).winner_can_change is None


def test_what_was_graded_since_is_no_hole(compared: Workspace) -> None:
    grade(compared, "q1", {"d3": 2})
    found = find_holes(compared)
    assert (pairs_of(found), found.graded_since) == ([("q1", "d4")], 1)
    assert found.models[0]["judged_before"] == 1.0
    dcg, ideal = 3 + 2 * SECOND, 3 + 2 * SECOND
    assert found.models[0]["ndcg"] == pytest.approx((dcg / ideal + 1) / 2)
    grade(compared, "q1", {"d4": 0})
    found = find_holes(compared)
    assert (found.reason, found.holes, found.winner_can_change) == ("all_judged", [], False)


def test_what_waits_or_cannot_be_asked_is_told_apart(compared: Workspace) -> None:
    with compared.store.write() as connection:
        add_pairs(connection, [("q1", "d4")], "bm25")
    found = find_holes(compared)
    assert (pairs_of(found), [hole.doc_id for hole in found.queued]) == ([("q1", "d3")], ["d4"])
    assert found.after(0)["b"] == pytest.approx(5 / 6)
    assert found.models[1]["judged_queued"] == pytest.approx(5 / 6)
    retire_query(compared, "q1", None)
    found = find_holes(compared)
    assert (found.reason, found.left_out) == ("nobody_to_ask", {"query_retired": 2})


def test_a_foreign_folder_knows_more_than_the_workspace(
    compared: Workspace, tmp_path: Path
) -> None:
    shutil.copytree(compared.evals_folder / "shop", tmp_path / "foreign")
    folder = tmp_path / "foreign"
    (folder / "qrels" / "test.tsv").write_text("q1\td1\t1\nq9\td1\t1\n", "utf-8")
    more = {"queries": '{"_id": "q9", "text": "x"}', "corpus": '{"_id": "e", "text": "x"}'}
    for name, line in more.items():
        file = folder / f"{name}.jsonl"
        file.write_text(file.read_text("utf-8").rstrip("\n") + f"\n{line}\n", "utf-8")
    for form in folder.glob("qrels/*.[jt]*[lc]"):
        form.unlink()
    resolved, _ = resolve_task(compared, str(folder))
    ranker = Ranker("a", {"q1": ("e", "d1", "d5"), "q9": ("d2",)})
    run = ranker.search(None, resolved.queries)
    assert Runs(compared.runs_folder).keep(run, ranker, Searched(resolved), 1000)
    found = find_holes(compared, str(folder))
    assert (found.release, pairs_of(found)) == (1, [("q1", "d5")])
    assert found.left_out == {"document_unknown": 1, "query_unknown": 1}


def test_why_nothing_can_be_said(workspace: Workspace, tmp_path: Path) -> None:
    assert find_holes(workspace).reason == "no_results"
    (tmp_path / "own.trec").write_text("q1 Q0 d1 1 1 own\n", "utf-8")
    score_runs(workspace, tmp_path / "own.trec", [TASK])
    found = find_holes(workspace)
    assert (found.reason, found.task) == ("no_kept_run", "shop@1")
    assert [row["why"] for row in found.left_out_models] == ["no_kept_run"]
    assert found.as_json()["n_holes"] == 0


def test_runs_of_another_corpus_are_stale_and_told(compared: Workspace) -> None:
    with compared.store.write() as connection:
        insert_documents(connection, [Document("new", "", "new")])
    export_task(compared, "shop")
    found = find_holes(compared, TASK)
    assert (found.release, found.reason) == (2, "no_kept_run")
    stale = [{"model": model, "why": "stale_run"} for model in ("a", "b")]
    assert sorted(found.left_out_models, key=str) == stale
    evaluated(compared, "b", ("d3",), ("d1",))
    found = find_holes(compared)
    assert (found.release, pairs_of(found)) == (2, [("q1", "d3")])


def test_some_models_and_other_depths(workspace: Workspace) -> None:
    deep = [f"d{n}" for n in range(1, 21)]
    evaluated(workspace, "a", deep, ())
    assert len(find_holes(workspace).holes) == 8  # ten, of which d1 and d2 are judged
    found = find_holes(workspace, k=15)
    assert len(found.holes) == 13
    assert found.models[0]["judged_before"] == pytest.approx(2 / 15)  # q2 found nothing: none
    with pytest.raises(BuilderError, match="no run of c is kept for shop@1"):
        find_holes(workspace, models=["c"])
    with pytest.raises(BuilderError, match="k is 0"):
        find_holes(workspace, k=0)


def test_holes_go_to_the_queue_once(compared: Workspace) -> None:
    dry = pool_holes(compared, dry_run=True)
    assert (dry["pairs_added"], dry["pooling_id"], dry["holes"]) == (2, None, 2)
    assert dry["cost"]["pairs"] == 2
    told = pool_holes(compared, limit=1)
    assert (told["pairs_added"], told["by_source"], told["cut_by_budget"]) == (1, {"holes": 1}, 1)
    assert told["pooling_id"] is not None
    b = next(row for row in told["judged"] if row["model"] == "b")
    assert (b["before"], b["after"]) == (pytest.approx(4 / 6), pytest.approx(5 / 6))
    again = pool_holes(compared)
    assert (again["pairs_added"], again["known"], again["queued"]) == (1, 1, 1)
    nothing = pool_holes(compared)
    assert (nothing["pairs_added"], nothing["pooling_id"], nothing["queued"]) == (0, None, 2)
    with compared.store.read() as connection:
        assert pool_by_source(connection)["holes"] == 2


def test_only_an_analyst_sends_holes(compared: Workspace) -> None:
    with compared.store.write() as connection:
        rater = add_person(connection, "cy", role="rater")
    with pytest.raises(NotAllowedError):
        pool_holes(compared, actor=rater)


def test_of_a_draft_that_goes_on_all_fresh_runs_count(workspace: Workspace) -> None:
    """The draft of this moment has other judgments than any result, but the same queries."""
    evaluated(workspace, "a", ("d1", "d3"), ("d5",), task="draft")
    grade(workspace, "q1", {"d3": 1})
    found = find_holes(workspace, "draft")
    assert (found.task, found.release, found.graded_since) == ("draft", None, 0)
    assert pairs_of(found) == [("q2", "d5")]
    assert pairs_of(find_holes(workspace, TASK)) == [("q2", "d5")]
