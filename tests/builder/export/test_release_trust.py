"""What a release tells of decisions and of raters left out, and that anyone can aggregate anew."""

import json
from pathlib import Path
from uuid import uuid4

import pytest

from builder.errors import BuilderError
from builder.evaluation import resolve_task
from builder.export import export_task
from builder.judging.adjudication import decide, undo_decision
from builder.judging.aggregation import aggregate
from builder.people import Person, ensure_person
from builder.store.judgment_imports import pair_ids_of
from builder.store.judgments import GradeRow
from builder.workspace import Workspace
from evals.taskfolder import read_task
from tests.builder.export.conftest import grade, told

HOSTILE = "guesses | <b>x</b> [a](http://x)\n# y"


@pytest.fixture
def boss(workspace: Workspace) -> Person:
    return ensure_person(workspace, "Boss")


def settle(
    workspace: Workspace,
    actor: Person,
    pair: tuple[str, str],
    given: int,
    reason: str = "need misread",
) -> None:
    with workspace.store.read() as connection:
        pair_id = pair_ids_of(connection, [pair])[pair]
    decide(workspace, actor, pair_id, given, reason, token=uuid4().hex)


def leave_out(workspace: Workspace, rater: str, reason: str = HOSTILE) -> None:
    with workspace.store.write() as connection:
        connection.exec_driver_sql(
            "UPDATE people SET excluded_at = 'now', excluded_reason = ? WHERE name = ?",
            (reason, rater),
        )


def raw_rows(folder: Path) -> list[GradeRow]:
    rows = map(json.loads, (folder / "judgments.jsonl").read_text("utf-8").splitlines())
    names = ("query-id", "corpus-id", "rater", "kind", "outcome", "grade")
    return [GradeRow(*(row[name] for name in names)) for row in rows]


def test_a_decision_wins_and_is_told(workspace: Workspace, boss: Person) -> None:
    settle(workspace, boss, ("q-mixed", "007"), 2)
    settle(workspace, boss, ("q-two", "d2"), 0, "Ann says so")
    exported = export_task(workspace, "shop", min_raters=2, keep_no_relevant=True)
    folder = Path(exported["task_dir"])
    assert read_task(folder).qrels == {"q-mixed": {"d2": 3, "007": 2}, "q-two": {"d2": 0}}
    aggregation = told(folder)["aggregation"]
    assert aggregation["adjudicated_pairs"] == exported["adjudicated"] == 2
    assert aggregation["adjudicated_because"] == {"need misread": 1, "other": 1}
    assert (aggregation["rule"], aggregation["excluded_raters"]) == ("majority", [])
    assert told(folder)["counts"]["in"]["grades_by_kind"] == {"human": 5}
    assert "2 pairs (need misread 1, other 1)" in (folder / "README.md").read_text("utf-8")
    everything = b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())
    assert b"Ann" not in everything
    assert b"Boss" not in everything


def test_who_is_left_out_is_told_with_the_reason_under_a_pseudonym(workspace: Workspace) -> None:
    before = export_task(workspace, "shop")["content_hash"]
    leave_out(workspace, "Bob")
    exported = export_task(workspace, "shop")
    folder = Path(exported["task_dir"])
    assert exported["content_hash"] != before
    assert "2 grades of rater-03 are left out: guesses" in exported["warnings"][0]
    assert told(folder)["aggregation"]["excluded_raters"] == [
        {"rater": "rater-03", "reason": HOSTILE, "grades": 2}
    ]
    card = (folder / "README.md").read_text("utf-8")
    assert "Left out: 2 grades of rater-03. Why: guesses \\| \\<b\\>x" in card
    assert "\n# y" not in card
    assert read_task(folder).qrels["q-mixed"] == {"d2": 3, "007": 0}
    agreement = told(folder)["agreement"]
    assert (agreement["n_raters"], agreement["n_pairs"]) == (1, 0)
    assert agreement["excluded"] == [{"rater": "rater-03", "reason": HOSTILE, "n": 2}]
    leave_out(workspace, "Bob", "another reason")
    assert export_task(workspace, "shop")["release"] == 3


def test_where_all_raters_are_left_out_the_advice_is_to_take_one_back(workspace: Workspace) -> None:
    leave_out(workspace, "Ann Müller")
    leave_out(workspace, "Bob")
    with pytest.raises(BuilderError, match="4 unjudged") as refusal:
        export_task(workspace, "shop")
    assert "6 grades are of raters who are left out" in refusal.value.message
    hint = str(refusal.value.hint)
    assert "Take back a rater who is left out" in hint
    assert "--min-raters" not in hint
    assert "Grade pairs first" not in hint


@pytest.mark.parametrize("rule", ["majority", "median", "mean"])
def test_anyone_can_aggregate_a_release_anew(workspace: Workspace, boss: Person, rule: str) -> None:
    with workspace.store.write() as connection:
        grade(connection, "Cy", {"d2": 1, "007": 3})
        grade(connection, "maker", {"d2": 2}, query="q-two", kind="synthetic")
    settle(workspace, boss, ("q-mixed", "d2"), 2)
    leave_out(workspace, "Ann Müller")
    folder = Path(export_task(workspace, "shop", rule=rule)["task_dir"])
    excluded = [row["rater"] for row in told(folder)["aggregation"]["excluded_raters"]]
    qrels = aggregate(raw_rows(folder), rule, 1, excluded)
    assert qrels == read_task(folder).qrels


def test_a_decision_taken_back_makes_the_release_before_it(
    workspace: Workspace, boss: Person
) -> None:
    first = export_task(workspace, "shop")
    settle(workspace, boss, ("q-mixed", "007"), 0)
    second = export_task(workspace, "shop")
    assert second["content_hash"] != first["content_hash"]  # the same grade, and yet decided
    undo_decision(workspace, boss)
    assert export_task(workspace, "shop")["content_hash"] == first["content_hash"]


def test_a_draft_says_by_which_rules_it_was_made(workspace: Workspace, boss: Person) -> None:
    settle(workspace, boss, ("q-mixed", "007"), 2)
    leave_out(workspace, "Bob")
    task, _ = resolve_task(workspace, "draft")
    assert task.qrels["q-mixed"]["007"] == 2
    document = told(task.folder)
    assert (document["name"], document["release"], document["agreement"]) == ("draft", None, None)
    assert document["aggregation"]["adjudicated_pairs"] == 1
    assert document["aggregation"]["excluded_raters"][0]["rater"] == "rater-03"
    card = (task.folder / "README.md").read_text("utf-8")
    assert "A draft, no release" in card
    assert "Adjudicated" in card
