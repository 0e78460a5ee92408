"""Clicks against experts: agreement, contradictions, and what comes of a re-check."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from sklearn.metrics import cohen_kappa_score

from builder.crosscheck import (
    clicks_against_experts,
    clicks_job,
    list_rechecks,
    send_to_recheck,
    take_back_recheck,
)
from builder.crosscheck.click_wording import rechecks_in_words, settled_in_words
from builder.crosscheck.clicks import contradicts
from builder.crosscheck.expert_grades import settled_by
from builder.curation import retire_query
from builder.errors import BuilderError, NotAllowedError
from builder.judging.adjudication import decide
from builder.judging.queue import next_pair, submit_grade
from builder.mining.weak_grades import weak_grades
from builder.people import ensure_person, exclude_rater
from builder.store.activity import entries
from builder.workspace import SETTINGS_FILE, Workspace, open_workspace
from tests.builder.clicked import QUERY_IDS, clicked_workspace, experts_of, log
from tests.builder.crosscheck.conftest import grade
from tests.online.logs import take
from tests.workspaces import copied, new_workspace


def counted(root: Path) -> Workspace:
    """Its clicks are counted once, for all copies."""
    workspace = clicked_workspace(root)
    assert clicks_job(workspace, {}, lambda *_: None)["n_contradictions"] == 2
    return workspace


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    with copied(counted, tmp_path / "w") as opened:
        yield opened


def grade_as(workspace: Workspace, rater: str, given: int) -> None:
    """Grade whatever is asked for next."""
    pair = next_pair(workspace, rater)
    assert pair is not None
    submit_grade(workspace, rater, pair.pair_id, given, token=uuid4().hex)


def against(workspace: Workspace, **how: Any) -> list[tuple[str, str, int, int]]:
    found = clicks_against_experts(workspace, **how)["contradictions"]
    return [(row["query_id"], row["doc_id"], row["grade"], row["weak_grade"]) for row in found]


def test_agreement_is_that_of_the_pairs_that_have_both(workspace: Workspace) -> None:
    found = clicks_against_experts(workspace)
    weak = {pair: one.grade for pair, one in weak_grades(workspace).by_pair().items()}
    experts = {(key, doc_id): n for key in QUERY_IDS for doc_id, n in experts_of(key).items()}
    both = sorted(weak.keys() & experts.keys())
    assert len(both) == 24  # six queries; d4 has no grade, d9 no clicks
    told = [[experts[pair] for pair in both], [weak[pair] for pair in both]]
    expected = cohen_kappa_score(*told, labels=[0, 1, 2, 3], weights="quadratic")
    kappa = found["kappa_quadratic"]
    assert (found["n_pairs"], kappa["n"]) == (24, 24)
    assert kappa["value"] == pytest.approx(expected)
    assert kappa["low"] < expected < kappa["high"]
    for expert in range(4):
        row = [sum(pair == (expert, g) for pair in zip(*told, strict=True)) for g in range(4)]
        assert found["confusion"][expert] == row
    assert {why: n for why, n in found["not_compared"].items() if n} == {"no_evidence": 6}
    assert found["n_graded"] == 30
    assert found["reason"] is None
    assert f"quadratic kappa is {expected:.2f}" in found["sentence"]


def test_contradictions_come_by_difference_times_confidence(workspace: Workspace) -> None:
    rows = clicks_against_experts(workspace)["contradictions"]
    assert {(row["query_id"], row["doc_id"]) for row in rows} == {("q0", "d1"), ("q0", "d5")}
    strengths = [row["strength"] for row in rows]
    assert strengths == sorted(strengths, reverse=True)
    for row in rows:
        assert row["difference"] == abs(row["grade"] - row["weak_grade"])
        assert row["strength"] == row["difference"] * row["confidence"]
    shown = next(row for row in rows if row["doc_id"] == "d1")
    assert (shown["query"], shown["title"], shown["sendable"]) == ("text of q0", "d1", None)
    evidence = {name: shown["evidence"][name] for name in ("impressions", "clicks", "sessions")}
    assert evidence == {"impressions": 40, "clicks": 1, "sessions": 40}
    assert len(against(workspace, limit=1)) == 1


def test_neighbours_contradict_only_where_clicks_are_sure() -> None:
    assert contradicts(1, 2, 0.8)
    assert contradicts(2, 1, 0.95)
    # A value just above the border between 1 and 2 says nothing against a 1.
    assert not contradicts(1, 2, 0.79)
    assert contradicts(1, 3, 0.5)
    assert contradicts(2, 0, 0.5)
    assert not contradicts(0, 1, 0.99)
    assert not contradicts(2, 3, 0.99)


def test_decisions_win_and_who_is_left_out_does_not_count(workspace: Workspace) -> None:
    ann = ensure_person(workspace, "ann")
    rows = clicks_against_experts(workspace)["contradictions"]
    pair_id = next(row["pair_id"] for row in rows if row["doc_id"] == "d1")
    decide(workspace, ann, pair_id, 2, "need misread", token=uuid4().hex)
    found = {row["doc_id"]: row for row in clicks_against_experts(workspace)["contradictions"]}
    assert (found["d1"]["grade"], found["d1"]["adjudicated"]) == (2, True)
    assert found["d1"]["sendable"] == "adjudicated"
    grade(workspace, "dot", {"d5": 3}, ["q0"])
    assert found["d5"]["grade"] == 0
    for rater in ("ann", "bob"):
        exclude_rater(workspace, rater, "careless", ann)
    assert [row[1] for row in against(workspace)] == ["d1"]  # dot says what clicks say


def test_retired_queries_are_not_compared(workspace: Workspace) -> None:
    retire_query(workspace, "q0", None)
    found = clicks_against_experts(workspace)
    assert (found["n_pairs"], found["contradictions"]) == (20, [])
    assert found["next"] == "No pair needs another look."


def test_what_is_sent_is_graded_by_somebody_else_and_told_before_and_after(
    workspace: Workspace,
) -> None:
    ann = ensure_person(workspace, "ann")
    strongest = against(workspace)[0]
    sent = send_to_recheck(workspace, 1, ann)
    assert (sent["sent"], sent["not_sent"]) == (1, {})
    assert [tuple(row.values()) for row in sent["pairs"]] == [strongest]
    (row,) = list_rechecks(workspace)
    assert (row["state"], row["result"], row["asked_by"]) == ("waiting", None, "ann")
    grade_as(workspace, "cy", 1)
    (row,) = list_rechecks(workspace, rule="mean")
    before = strongest[2]
    # Twice the grade before, and 1: the mean of 3, 3, 1 is 2.33, of 0, 0, 1 it is .33.
    after = 2 if before == 3 else 0
    assert (row["state"], row["given"], row["grade"]) == ("answered", [1], before)
    assert (row["result"], row["changed"]) == (after, after != before)
    assert (row["given_by"], row["agrees"], row["settled_by"]) == (["cy"], False, "mean")
    told = next(
        row
        for row in clicks_against_experts(workspace, rule="median")["contradictions"]
        if (row["query_id"], row["doc_id"]) == strongest[:2]
    )
    assert (told["recheck_state"], told["result"]) == ("answered", before)
    assert told["sendable"] == "nobody_left"
    with workspace.store.read() as connection:
        (deed,) = entries(connection, limit=5, prefix="recheck.")
    assert (deed.actor, deed.action, deed.details["sent"]) == ("ann", "recheck.send", 1)


def test_nothing_is_sent_twice_and_what_cannot_be_sent_is_counted(workspace: Workspace) -> None:
    both, no_pair = [("q0", "d1"), ("q0", "d5")], ("q1", "d1")
    assert send_to_recheck(workspace, [both[0], no_pair], None)["not_sent"] == {
        "no_contradiction": 1
    }
    assert send_to_recheck(workspace, both, None)["not_sent"] == {"waiting": 1}
    for _ in both:
        grade_as(workspace, "cy", 0)
    again = send_to_recheck(workspace, 5, None)
    assert (again["sent"], again["not_sent"]["nobody_left"]) == (0, len(against(workspace)))
    assert "Adjudicate" in again["next"]
    assert "Adjudicate" in clicks_against_experts(workspace)["next"]


def test_a_second_look_is_told_beside_what_the_pair_is_settled_to(workspace: Workspace) -> None:
    """Ann alone gave q0 d5 a 0, as Bob is left out; Cy gives 3, and the lower median is 0."""
    exclude_rater(workspace, "bob", "careless", None)
    send_to_recheck(workspace, [("q0", "d5")], None)
    grade(workspace, "cy", {"d5": 3}, ["q0"])
    (row,) = list_rechecks(workspace)
    assert (row["grade"], row["given"], row["result"]) == (0, [3], 0)
    assert (row["agrees"], row["changed"], row["disputed"]) == (False, False, True)
    assert settled_in_words(row) == "settled by the lower median: 0; disputed: Adjudicate"
    found = clicks_against_experts(workspace)
    assert found["next"].startswith("1 pair got a second look that says otherwise by much")
    told = rechecks_in_words(found["rechecks"])
    assert told == (
        "1 pair had a second look: 0 got the same grade again, 1 another one; 1 is disputed: "
        "Adjudicate."
    )
    decide(
        workspace, ensure_person(workspace, "ann"), row["pair_id"], 3, "read it", token=uuid4().hex
    )
    (row,) = list_rechecks(workspace)
    assert (row["disputed"], settled_in_words(row)) == (False, "decided by an analyst: 3")


def test_only_the_same_grade_again_is_said_to_change_nothing(workspace: Workspace) -> None:
    send_to_recheck(workspace, [("q0", "d1"), ("q0", "d5")], None)
    for _ in range(2):
        grade_as(workspace, "cy", 0)
    said = {row["doc_id"]: settled_in_words(row) for row in list_rechecks(workspace)}
    # Experts gave d1 a 3 twice, and d5 a 0.
    assert said == {
        "d1": "settled by the majority: 3; disputed: Adjudicate",
        "d5": "agrees and changed nothing",
    }


@pytest.mark.parametrize(
    ("grades", "rule", "expected"),
    [
        ([0, 3], "majority", "lower_median"),
        ([0, 3, 3], "majority", "majority"),
        ([2], "majority", "majority"),
        ([0, 1, 1, 2, 2], "majority", "lower_median"),
        ([0, 3, 3], "median", "lower_median"),
        ([0, 3, 3], "mean", "mean"),
    ],
)
def test_by_what_grades_are_settled(grades: list[int], rule: str, expected: str) -> None:
    assert settled_by(grades, rule) == expected


def test_taken_back_while_nobody_has_graded_it(workspace: Workspace) -> None:
    send_to_recheck(workspace, 2, None)
    grade_as(workspace, "cy", 0)
    asked = [("q0", "d1"), ("q0", "d5"), ("q1", "d1")]
    assert take_back_recheck(workspace, asked, None) == {
        "taken_back": 1,
        "not_taken_back": {"answered": 1, "not_sent": 1},
    }
    assert next_pair(workspace, "cy") is None
    assert [row["state"] for row in list_rechecks(workspace)] == ["answered"]
    assert take_back_recheck(workspace, None, None) == {"taken_back": 0, "not_taken_back": {}}


def test_only_analysts_send_and_take_back(workspace: Workspace) -> None:
    cy = ensure_person(workspace, "cy")
    with pytest.raises(NotAllowedError):
        send_to_recheck(workspace, 1, cy)
    with pytest.raises(NotAllowedError):
        take_back_recheck(workspace, None, cy)
    with pytest.raises(BuilderError, match="at least 1"):
        send_to_recheck(workspace, 0, None)


def test_what_cannot_be_said_has_a_reason(workspace: Workspace, tmp_path: Path) -> None:
    with new_workspace(tmp_path / "new") as opened:
        found = clicks_against_experts(opened)
        assert (found["reason"], found["n_pairs"]) == ("no_log", 0)
        assert found["kappa_quadratic"]["reason"] == "no_pair_in_common"
        take(opened.root, log())
        assert clicks_against_experts(opened)["reason"] == "no_grades"
    with (workspace.root / SETTINGS_FILE).open("a", encoding="utf-8") as settings:
        settings.write("[weak_grades]\nmin_impressions = 41\n")
    with open_workspace(workspace.root) as opened:
        found = clicks_against_experts(opened)
        assert found["reason"] == "no_evidence"
        assert found["not_compared"]["too_few_impressions"] == 24
        assert found["next"].startswith("Pool what was clicked")
