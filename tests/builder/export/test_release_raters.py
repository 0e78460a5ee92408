"""What a release tells of its raters: their flags, copied grades, and what nobody has decided."""

import re
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from builder.evaluation import resolve_task
from builder.export import export_task
from builder.export.names import without_names
from builder.export.selection import pseudonyms_of
from builder.judging.adjudication import decide
from builder.judging.trust import current_trust
from builder.people import Person, ensure_person, exclude_rater
from builder.store.documents import insert_documents
from builder.store.judgments import ImportedJudgment, import_judgments_batch
from builder.store.moments import utc_text
from builder.store.people import add_person
from builder.store.queries import insert_queries
from builder.workspace import Workspace, init_workspace
from evals.records import Document, Query
from tests.builder.export.conftest import told
from tests.builder.judging.raters.simulated import Team, graded_by

NAMES = {
    "ann": "Gerda Quick",
    "bea": "Zoe Bright",
    "cy": "Lena Lenient",
    "dan": "Randy Hill",
    "eve": "Astrid Moor",
    "fay": "Copy Cat",
}
TEAM = Team(n_pairs=400, lenient={"cy": 1.0}, copiers={"fay": "ann"})


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    with init_workspace(tmp_path_factory.mktemp("team") / "workspace", "shop") as workspace:
        _fill(workspace)
        yield workspace


def _fill(workspace: Workspace) -> None:
    ratings = graded_by(TEAM, 1)
    columns = zip(
        ratings.query.tolist(),
        ratings.pair.tolist(),
        ratings.rater.tolist(),
        ratings.grade.tolist(),
        ratings.seconds.tolist(),
        strict=True,
    )
    with workspace.store.write() as connection:
        # Registered in another order than the alphabet's, so that pseudonyms turn it around.
        ids = {name: add_person(connection, NAMES[name]).person_id for name in reversed(NAMES)}
        insert_queries(connection, [Query(name, name) for name in ratings.query_ids])
        insert_documents(connection, [Document(f"d{at}", "", "x") for at in range(TEAM.n_pairs)])
        rows = [
            ImportedJudgment(
                ratings.query_ids[query],
                f"d{pair}",
                ids[ratings.raters[rater]],
                "grade",
                grade,
                judged_at=utc_text(datetime.fromtimestamp(seconds, UTC)),
            )
            for query, pair, rater, grade, seconds in columns
        ]
        import_judgments_batch(connection, rows)


@pytest.fixture(scope="module")
def released(graded: Workspace) -> Path:
    return Path(export_task(graded, "shop", keep_no_relevant=True)["task_dir"])


def _card(folder: Path) -> str:
    return (folder / "README.md").read_text("utf-8")


def _pseudonyms(graded: Workspace) -> dict[str, str]:
    with graded.store.read() as connection:
        return pseudonyms_of(connection)


def _flags(rows: list[dict[str, Any]]) -> dict[str, list[str]]:
    return {row["rater"]: row["flags"] for row in rows}


def test_a_release_holds_the_flags_that_the_workspace_shows(
    graded: Workspace, released: Path
) -> None:
    here = _flags(current_trust(graded)["agreement"]["raters"])
    assert here["Copy Cat"] == ["copies"]
    assert "lenient" in here["Lena Lenient"]
    names = _pseudonyms(graded)
    document = told(released)
    expected = {names[name]: flags for name, flags in here.items()}
    assert _flags(document["raters"]) == expected
    assert _flags(document["agreement"]["raters"]) == expected
    assert sum(row["n"] for row in document["raters"]) == document["agreement"]["n_grades"]


def test_agreement_is_what_the_workspace_says(graded: Workspace, released: Path) -> None:
    here, there = current_trust(graded)["agreement"], told(released)["agreement"]
    for name in ("alpha_ordinal", "alpha_ordinal_without_copies", "n_pairs", "n_raters"):
        assert there[name] == here[name]
    assert there["verdict"]["level"] == here["verdict"]["level"]
    names = _pseudonyms(graded)
    for part in ("sentence", "next"):
        assert there["verdict"][part] == without_names(here["verdict"][part], names)


def test_the_card_says_the_number_of_the_verdict_and_that_grades_were_copied(
    released: Path,
) -> None:
    card, agreement = _card(released), told(released)["agreement"]
    apart, whole = agreement["alpha_ordinal_without_copies"], agreement["alpha_ordinal"]
    assert agreement["verdict"]["sentence"] in card
    assert f"without copied grades {apart['value']:.2f}, 95 % interval" in card
    assert f"on {apart['n']} pairs that two or more raters graded" in card
    assert f"Alpha with them: {whole['value']:.2f}" in card
    copy = agreement["copies"][0]
    assert f"{copy['raters'][0]} and {copy['raters'][1]} on {copy['n']} pairs" in card
    assert "2 of 6 raters stand out" in card
    assert re.search(r"`copies` \([^)]*\): 1; `lenient` \([^)]*\): 1", card)


def test_no_name_of_a_rater_is_in_any_file(released: Path) -> None:
    everything = b"".join(path.read_bytes() for path in released.rglob("*") if path.is_file())
    for name in NAMES.values():
        for word in name.split():
            assert word.encode() not in everything


def test_disputed_pairs_that_nobody_decided_are_counted(graded: Workspace, released: Path) -> None:
    report = current_trust(graded)
    document = told(released)
    n = len(report["disputed"])
    assert (document["disputed_pairs"], document["undecided_pairs"]) == (n, n)
    boss = _boss(graded)
    for pair_id in report["disputed"][:2]:
        decide(graded, boss, pair_id, 1, "need misread", token=uuid4().hex)
    after = Path(export_task(graded, "decided", keep_no_relevant=True)["task_dir"])
    assert told(after)["undecided_pairs"] == n - 2
    assert f"{n:,}, of these undecided: {n - 2:,}." in _card(after)


def test_raters_and_grades_are_counted_without_who_is_left_out(graded: Workspace) -> None:
    exclude_rater(graded, "Copy Cat", "copied (Gerda Quick), see Gerda Quickly", _boss(graded))
    folder = Path(export_task(graded, "without", keep_no_relevant=True)["task_dir"])
    document, card = told(folder), _card(folder)
    assert (document["agreement"]["n_raters"], len(document["raters"])) == (5, 5)
    (out,) = document["aggregation"]["excluded_raters"]
    gerda = _pseudonyms(graded)["Gerda Quick"]
    assert out["reason"] == f"copied ({gerda}), see Gerda Quickly"
    assert document["agreement"]["excluded"][0]["reason"] == out["reason"]
    assert f"copied \\({gerda}\\)" in card
    counted = document["agreement"]["n_grades"]
    assert document["counts"]["in"]["grades_by_kind"] == {"human": counted + out["grades"]}
    assert "5 raters (not counting 1 left out, see below) graded pairs" in card
    assert f"Grades: {counted:,} of kind human." in card
    assert "Copied grades" not in card
    assert "1 of 5 raters stands out" in card


def test_a_draft_holds_the_flags_too(graded: Workspace) -> None:
    task, _ = resolve_task(graded, "draft")
    document = told(task.folder)
    assert Counter(code for row in document["raters"] for code in row["flags"])["lenient"] == 1
    assert document["agreement"] is None
    assert "by flag: " in _card(task.folder)


def _boss(workspace: Workspace) -> Person:
    return ensure_person(workspace, "Boss")
