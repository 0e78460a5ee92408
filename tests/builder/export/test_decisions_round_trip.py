"""Decisions go out and come back whole; a file adds none unseen, and changes none that stands."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from builder.export import export_judgments, export_task
from builder.importers import import_judgments
from builder.judging.adjudication import decide, decisions, undo_decision
from builder.people import Person, add_person, ensure_person
from builder.store.adjudications import Decision, all_decisions
from builder.store.judgment_imports import pair_ids_of
from builder.workspace import Workspace, open_workspace
from estimates import ImportTally
from tests.builder.export.conftest import fill
from tests.builder.export.test_judgment_round_trips import NASTY
from tests.thorough import examples
from tests.workspaces import new_workspace

PAIRS = [("q-mixed", "d2"), ("q-mixed", "007"), ("q-two", "d2"), ("q-none", "007")]
ADJUDICATORS = ["Boss", "Ann Müller", "=SUM(A1)"]
reasons = st.sampled_from([text for text in NASTY if text.strip() and len(text) < 500])
deeds = st.lists(
    st.tuples(
        st.sampled_from(PAIRS),
        st.sampled_from(ADJUDICATORS),
        st.integers(0, 3) | st.none(),
        reasons | st.sampled_from(["need misread", "need is ambiguous"]),
        st.none() | st.integers(0, 10**6),
    ),
    min_size=1,
    max_size=8,
)
often = settings(
    max_examples=examples(8, 40),
    deadline=None,
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace with some grades and three analysts, and nothing decided."""
    folder = tmp_path_factory.mktemp("decisions") / "empty"
    with new_workspace(folder) as workspace:
        fill(workspace)
        with workspace.store.write() as connection:
            connection.exec_driver_sql("UPDATE people SET role = 'admin' WHERE kind = 'human'")
        add_person(workspace, "=SUM(A1)", "analyst", None)
    return folder


@pytest.fixture(scope="module")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("scratch")


def fresh(empty: Path, scratch: Path, name: str) -> Workspace:
    folder = scratch / name
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(empty, folder)
    return open_workspace(folder)


@pytest.fixture
def here(empty: Path, tmp_path: Path) -> Iterator[Workspace]:
    with fresh(empty, tmp_path, "here") as workspace:
        yield workspace


@pytest.fixture
def there(empty: Path, tmp_path: Path) -> Iterator[Workspace]:
    with fresh(empty, tmp_path, "there") as workspace:
        yield workspace


def person(workspace: Workspace, name: str) -> Person:
    return ensure_person(workspace, name)


def settle(
    workspace: Workspace,
    pair: tuple[str, str] = PAIRS[0],
    grade: int | None = 2,
    *,
    who: str = "Boss",
    why: str = "need misread",
    milliseconds: int | None = None,
) -> None:
    """Decide on the pair whatever stands; None takes back what stands."""
    with workspace.store.read() as connection:
        pair_id = pair_ids_of(connection, [pair])[pair]
        log = all_decisions(connection)
    stands = next((d.adjudication_id for d in log if d.pair_id == pair_id), None)
    actor = person(workspace, who)
    if grade is None:
        undo_decision(workspace, actor, stands or 0)
        return
    token = uuid4().hex
    more = {"milliseconds": milliseconds, "instead_of": stands}
    decide(workspace, actor, pair_id, grade, why, token=token, **more)  # type: ignore[arg-type]


def told(workspace: Workspace, *, standing: bool = True) -> list[tuple[object, ...]]:
    with workspace.store.read() as connection:
        return [_content(d) for d in all_decisions(connection, standing=standing)]


def _content(d: Decision) -> tuple[object, ...]:
    said = (d.adjudicator, d.grade, d.reason, d.decided_at, d.milliseconds, d.stands)
    return (d.query_id, d.doc_id, *said)


def bring(workspace: Workspace, folder: Path, *rows: dict[str, object]) -> ImportTally:
    file = folder / "in.jsonl"
    whole = [{"query-id": "q-mixed", "corpus-id": "d2", **row} for row in rows]
    file.write_text("\n".join(map(json.dumps, whole)), encoding="utf-8")
    return import_judgments(workspace, file)


DECIDED = {"rater": "Boss", "outcome": "adjudicated", "grade": 1}


@pytest.mark.parametrize(
    ("form", "excel", "everything"),
    [
        ("tsv", False, False),
        ("csv", True, False),
        ("jsonl", False, False),
        ("jsonl", False, True),
        ("csv", True, True),
    ],
)
@often
@given(rows=deeds)
def test_what_was_decided_comes_back(
    empty: Path,
    scratch: Path,
    form: str,
    excel: bool,
    everything: bool,
    rows: list[tuple[tuple[str, str], str, int | None, str, int | None]],
) -> None:
    out = scratch / "out"
    with fresh(empty, scratch, "from") as workspace:
        for pair, who, grade, why, milliseconds in rows:
            settle(workspace, pair, grade, who=who, why=why, milliseconds=milliseconds)
        how = {"excel": excel, "everything": everything, "force": True}
        export_judgments(workspace, out, form, **how)  # type: ignore[arg-type]
        before, log = told(workspace), told(workspace, standing=False)
        again = import_judgments(workspace, out)
        assert (again.accepted, again.quarantined) == (0, 0)
        assert told(workspace, standing=False) == log
    with fresh(empty, scratch, "to") as workspace:
        tally = import_judgments(workspace, out)
        assert tally.quarantined == 0
        assert "fields_ignored" not in tally.notes
        assert tally.notes["adjudicated"] == len(before)
        assert told(workspace) == before
        if everything:
            assert told(workspace, standing=False) == log


def test_a_release_gives_its_decisions_back(here: Workspace, there: Workspace) -> None:
    settle(here, grade=1)
    settle(here, ("q-two", "d2"), 3, why="Ann says so")
    folder = Path(export_task(here, "shop")["task_dir"])
    tally = import_judgments(there, folder / "judgments.jsonl")
    assert tally.notes["adjudicated"] == 2
    assert tally.named["adjudicated"] == ["rater-01 decided 2 pairs"]
    found = sorted((d.doc_id, d.query_id, d.grade, d.reason) for d in decisions(there).decisions)
    assert found == [("d2", "q-mixed", 1, "need misread"), ("d2", "q-two", 3, "")]


def test_a_planted_decision_is_counted_and_its_author_named(
    here: Workspace, tmp_path: Path
) -> None:
    tally = bring(here, tmp_path, {**DECIDED, "rater": "Eve"})
    assert (tally.accepted, tally.notes["adjudicated"]) == (1, 1)
    assert tally.named["adjudicated"] == ["Eve decided 1 pair"]


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ({"rater": ""}, "bad_adjudicator"),
        ({"kind": "llm"}, "bad_adjudicator"),
        ({"rater": "gpt"}, "bad_adjudicator"),
        ({"grade": ""}, "missing_grade"),
        ({"grade": 4}, "bad_grade"),
        ({"outcome": "adjudication_undone"}, "bad_outcome"),
        ({"timestamp": "2026-01-01T00:00:00"}, "naive_timestamp"),
    ],
)
def test_what_is_no_decision_is_refused(
    here: Workspace, tmp_path: Path, row: dict[str, object], reason: str
) -> None:
    tally = bring(here, tmp_path, {**DECIDED, **row})
    assert (dict(tally.reasons), tally.accepted) == ({reason: 1}, 0)
    assert told(here, standing=False) == []


@pytest.mark.parametrize(
    "row",
    [
        {**DECIDED, "timestamp": "2100-01-01T00:00:00Z"},
        DECIDED,
        {"rater": "Boss", "outcome": "adjudication_undone", "timestamp": "2100-01-01T00:00:00Z"},
    ],
)
def test_a_file_changes_nothing_that_is_decided_here(
    here: Workspace, tmp_path: Path, row: dict[str, object]
) -> None:
    settle(here, grade=2)
    before = told(here, standing=False)
    tally = bring(here, tmp_path, row)
    assert dict(tally.reasons) == {"decided_here": 1}
    assert told(here, standing=False) == before


def test_an_older_decision_is_history(here: Workspace, tmp_path: Path) -> None:
    settle(here, grade=2)
    tally = bring(here, tmp_path, {**DECIDED, "timestamp": "2020-01-01T00:00:00Z"})
    assert (tally.accepted, tally.notes["older"], tally.notes["adjudicated"]) == (1, 1, 0)
    assert [row[3] for row in told(here)] == [2]
    assert len(told(here, standing=False)) == 2


def test_what_was_taken_back_here_does_not_come_again(here: Workspace, tmp_path: Path) -> None:
    row = {**DECIDED, "timestamp": "2026-01-01T00:00:00Z"}
    bring(here, tmp_path, row)
    settle(here, grade=None)
    tally = bring(here, tmp_path, row)
    assert (tally.duplicate, told(here)) == (1, [])


def test_files_without_decisions_come_in_as_before(here: Workspace, tmp_path: Path) -> None:
    tally = bring(here, tmp_path, {"rater": "Cy", "grade": 1})
    assert (tally.accepted, "adjudicated" in tally.notes, told(here)) == (1, False, [])


def test_trec_holds_what_was_decided_and_other_tools_count_it(
    here: Workspace, tmp_path: Path
) -> None:
    settle(here, ("q-mixed", "007"), 3)
    with here.store.write() as connection:
        connection.exec_driver_sql("UPDATE people SET excluded_at = 'now' WHERE name = 'Bob'")
    told_of = export_judgments(here, tmp_path / "out.trec")
    assert "q-mixed 0 007 3\n" in (tmp_path / "out.trec").read_text("utf-8")
    assert told_of["left_out"] == {"excluded": 2, "llm": 1}
    book = export_judgments(here, tmp_path / "book.json", "quepid-json")
    assert book["left_out"]["adjudicated"] == 1


def test_under_pseudonyms_only_usual_reasons_go_out(here: Workspace, tmp_path: Path) -> None:
    settle(here, PAIRS[0], 1)
    settle(here, PAIRS[1], 1, why="Ann says so")
    made = export_judgments(here, tmp_path / "out.csv", pseudonymous=True)
    text = (tmp_path / "out.csv").read_text("utf-8")
    assert "need misread" in text
    assert "Ann" not in text
    assert made["withheld_texts"] == 1
    assert made["outcomes"]["adjudicated"] == 2
