import json
from typing import Any

import pytest

from builder.crosscheck import cost_of_disagreement
from builder.errors import BuilderError, TaskNotFoundError
from builder.evaluation import evaluate_models
from builder.export import export_task
from builder.people.excluding import exclude_rater
from builder.store.adjudications import NewDecision, add_decision
from builder.store.corpus_search import pair_id_of
from builder.store.documents import insert_documents
from builder.store.moments import now_text
from builder.store.people import add_person
from builder.workspace import Workspace
from evals.records import Document
from tests.builder.crosscheck.conftest import QUERY_IDS, TASK, grade, keep, release

SWAPPED = 0.796707
"""The better of grades 3 and 1 at rank 2; see test_comparing."""


def rater(cost: dict[str, Any], name: str) -> dict[str, Any]:
    (row,) = [row for row in cost["raters"] if row["rater"] == name]
    return dict(row)


def difference(cost: dict[str, Any], name: str, model: str) -> float:
    (found,) = [row for row in rater(cost, name)["models"] if row["model"] == model]
    return float(found["difference"]["value"])


def test_one_of_three_raters_turns_the_ranking(disputed: Workspace) -> None:
    cost = cost_of_disagreement(disputed, TASK)
    assert [row["rater"] for row in cost["raters"]] == ["ann", "bob", "cy"]
    assert (difference(cost, "ann", "one"), difference(cost, "bob", "two")) == (0.0, 0.0)
    assert difference(cost, "cy", "one") == pytest.approx(SWAPPED - 1, abs=1e-6)
    assert difference(cost, "cy", "two") == pytest.approx(1 - SWAPPED, abs=1e-6)
    assert abs(cost["largest_shift"]["value"]) == pytest.approx(0.203293, abs=1e-6)
    assert cost["largest_shift"]["rater"] == "cy"
    assert [row["first_stays"] for row in cost["raters"]] == [True, True, False]
    assert rater(cost, "ann")["kendall_tau"]["value"] == 1.0
    assert rater(cost, "cy")["kendall_tau"]["value"] == pytest.approx(1 / 3)
    assert cost["sentence"] == (
        "By cy's grades alone two comes first, not one (0.203 apart); Kendall's tau of the "
        "rankings is at least 0.33; any one rater alone would shift nDCG@10 by up to 0.203. "
        "Settle the disputed pairs before you choose between these models."
    )


def test_whoever_graded_the_ranking_stays(workspace: Workspace) -> None:
    # Lower median of 3 and 2 is 2; d2 is 1 by both. Model one is ideal whoever graded, two is not.
    grade(workspace, "ann", {"d1": 3, "d2": 1})
    grade(workspace, "bob", {"d1": 2, "d2": 1})
    release(workspace)
    for model, ranking in (("one", ("d1", "d2")), ("two", ("d2", "d1"))):
        keep(workspace, model, ranking)
    cost = cost_of_disagreement(workspace, TASK)
    # two by ann .796707, by all (1 + 2 * .630930) / (2 + .630930) = .859719
    assert difference(cost, "ann", "two") == pytest.approx(SWAPPED - 0.859719, abs=1e-6)
    assert cost["sentence"] == (
        "Whoever graded, one stays first of 2 models; any one rater alone would shift nDCG@10 by "
        "up to 0.063. The verdict on agreement is for everybody's grades together, this is for "
        "one rater alone."
    )
    assert rater(cost, "ann")["kendall_tau"] == {
        "value": None,
        "low": None,
        "high": None,
        "n": 2,
        "reason": "fewer_than_three_models",
    }


def test_pairs_that_a_rater_did_not_grade_change_nothing_for_that_rater(
    workspace: Workspace,
) -> None:
    # Only bob graded d3, which the model ranks first: against all qrels ann's few grades would
    # move the model's score though ann and bob agree wherever both graded.
    grade(workspace, "ann", {"d1": 3, "d2": 1})
    grade(workspace, "bob", {"d1": 3, "d2": 1, "d3": 2})
    release(workspace)
    keep(workspace, "one", ("d3", "d2", "d1"))
    cost = cost_of_disagreement(workspace, TASK)
    assert difference(cost, "ann", "one") == 0.0
    (model,) = rater(cost, "ann")["models"]
    assert model["judged_at_10"]["value"] == pytest.approx(2 / 3)
    assert "Not one shared grade differs" in cost["sentence"]


def test_what_a_rater_graded_alone_is_no_agreement(workspace: Workspace) -> None:
    # On ten of ann's thirty queries nobody else graded.
    grade(workspace, "ann", {"d1": 3, "d2": 1})
    grade(workspace, "bob", {"d1": 1, "d2": 3}, QUERY_IDS[:10])
    release(workspace)
    keep(workspace, "one", ("d1", "d2"))
    cost = cost_of_disagreement(workspace, TASK)
    ann = rater(cost, "ann")
    assert (ann["reason"], ann["n_queries"]) == ("too_few_queries", 10)
    assert ann["left_out"] == {"not_shared": 10}
    assert cost["reason"] == "no_comparable_rater"
    assert cost["sentence"] == (
        "No rater can be compared yet; ann comes nearest: 10 queries can be compared, 20 are "
        "needed. Let two or more raters grade the same pairs."
    )


def test_imported_grades_are_others_and_no_raters(workspace: Workspace) -> None:
    grade(workspace, "ann", {"d1": 3, "d2": 1})
    grade(workspace, "pool.tsv", {"d1": 2, "d2": 1}, kind="import")
    grade(workspace, "gpt", {"d1": 0, "d2": 3}, kind="llm")
    release(workspace)
    keep(workspace, "one", ("d1", "d2"))
    cost = cost_of_disagreement(workspace, TASK)
    assert [row["rater"] for row in cost["raters"]] == ["ann"]
    assert (rater(cost, "ann")["n_shared"], rater(cost, "ann")["n_different"]) == (40, 20)


def test_an_adjudicated_grade_is_the_aggregated_one(disputed: Workspace) -> None:
    with disputed.store.write() as connection:
        dana = add_person(connection, "dana").person_id
        for query_id in QUERY_IDS:
            for doc_id, given in (("d1", 1), ("d2", 3)):
                pair_id = pair_id_of(connection, query_id, doc_id)
                assert pair_id is not None
                token = f"{query_id} {doc_id}"
                decision = NewDecision(pair_id, dana, given, "because", now_text(), token)
                add_decision(connection, decision)
    release(disputed)
    cost = cost_of_disagreement(disputed, TASK)
    assert difference(cost, "cy", "one") == 0.0
    assert difference(cost, "ann", "one") == pytest.approx(1 - SWAPPED, abs=1e-6)
    assert [row["rater"] for row in cost["raters"]] == ["ann", "bob", "cy"]
    assert "By the grades of ann or bob alone another model comes first" in cost["sentence"]


def test_an_excluded_rater_is_named_and_not_compared(disputed: Workspace) -> None:
    exclude_rater(disputed, "cy", "guessed", None)
    cost = cost_of_disagreement(disputed, TASK)
    assert [row["rater"] for row in cost["raters"]] == ["ann", "bob"]
    assert cost["excluded"] == {"cy": "guessed"}


def test_what_was_graded_after_the_release_is_left_out(disputed: Workspace) -> None:
    grade(disputed, "cy", {"d1": 3, "d2": 1}, judged_at=now_text())
    cost = cost_of_disagreement(disputed, TASK)
    assert rater(cost, "cy")["left_out"] == {"newer_than_task": 40}
    assert rater(cost, "cy")["reason"] == "no_pair_in_task"
    assert rater(cost, "ann")["n_queries"] == 20
    keep(disputed, "one", ("d1", "d2"), task="draft")
    draft = cost_of_disagreement(disputed, "draft")
    assert difference(draft, "cy", "one") == 0.0


def test_pairs_outside_of_the_task_are_counted(disputed: Workspace) -> None:
    grade(disputed, "ann", {"d6": 3}, QUERY_IDS[:5])
    assert rater(cost_of_disagreement(disputed, TASK), "ann")["left_out"] == {"not_in_task": 5}


def test_a_run_of_another_corpus_is_left_out_and_counted(disputed: Workspace) -> None:
    with disputed.store.write() as connection:
        insert_documents(connection, [Document("new", "", "new")])
    release(disputed)
    cost = cost_of_disagreement(disputed, TASK)
    assert (cost["n_models"], cost["stale_models"], cost["reason"]) == (0, 3, "only_stale_runs")
    assert cost["sentence"] == (
        "Release shop@2 has other queries or documents than the last evaluation: evaluate again "
        "with `goldsmith eval none one two -t custom/shop`."
    )
    keep(disputed, "one", ("d1", "d2"))
    cost = cost_of_disagreement(disputed, TASK)
    assert (cost["n_models"], cost["stale_models"]) == (1, 2)
    assert cost["again"] == ["goldsmith eval none two -t custom/shop"]
    assert cost["sentence"].startswith("one is the only model, so there is no ranking;")


def test_the_latest_run_of_a_model_counts(disputed: Workspace) -> None:
    keep(disputed, "one", ("d2", "d1"))
    cost = cost_of_disagreement(disputed, TASK)
    (one,) = [row for row in rater(cost, "cy")["models"] if row["model"] == "one"]
    assert one["by_rater"]["value"] == pytest.approx(1.0)


def test_two_settings_of_one_model_keep_apart(disputed: Workspace) -> None:
    keep(disputed, "one", ("d2", "d1"), key="with a prompt")
    names = {model["model"] for model in cost_of_disagreement(disputed, TASK)["models"]}
    assert len(names) == 4
    assert sum(name.startswith("one (") for name in names) == 2


def test_without_models_or_people(workspace: Workspace) -> None:
    grade(workspace, "pool.tsv", {"d1": 2}, kind="import")
    release(workspace)
    cost = cost_of_disagreement(workspace, TASK)
    assert (cost["reason"], cost["raters"]) == ("no_kept_run", [])
    keep(workspace, "one", ("d1",))
    assert cost_of_disagreement(workspace, TASK)["reason"] == "no_human_grades"


def test_errors(workspace: Workspace) -> None:
    with pytest.raises(TaskNotFoundError):
        cost_of_disagreement(workspace, TASK)
    with pytest.raises(BuilderError):
        cost_of_disagreement(workspace, "draft")


def test_the_means_are_those_of_eval(disputed: Workspace) -> None:
    export_task(disputed, "shop", keep_no_relevant=True)
    (evaluation,) = evaluate_models(disputed, ["bm25"], [TASK])
    cost = cost_of_disagreement(disputed, TASK)
    (bm25,) = [model for model in cost["models"] if model["model"] == "bm25"]
    # Only d1 holds the word d1: 3 of an ideal 3.630930.
    assert bm25["ndcg_at_10"]["value"] == pytest.approx(0.826235, abs=1e-6)
    assert bm25["ndcg_at_10"]["value"] == pytest.approx(evaluation.result.metrics["ndcg_at_10"])


def test_it_is_strict_json(disputed: Workspace) -> None:
    cost = cost_of_disagreement(disputed, TASK)
    assert json.loads(json.dumps(cost, allow_nan=False)) == cost
