"""What goes out comes back: the same standing judgments, in every format that can hold them."""

import shutil
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from builder.export import export_judgments
from builder.importers import import_judgments
from builder.store import Connection
from builder.store.documents import insert_documents
from builder.store.history import count_log
from builder.store.judgment_rows import JudgmentRow, standing_rows
from builder.store.judgments import ImportedJudgment, import_judgments_batch
from builder.store.moments import utc_text
from builder.store.people import Person, add_person
from builder.store.queries import insert_queries
from builder.workspace import Workspace, open_workspace
from estimates import ImportTally
from evals.records import Document, Query
from tests.thorough import examples
from tests.workspaces import new_workspace

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
DOC_IDS = ["007", "1e5", "=1+1", "-1", "a,b", 'in "quotes"', "it's", "'x", "d 1", "\u0645", "+1"]
QUERIES = {
    "7": "seven",
    "=cmd": "=cmd|' /C calc'!A0",
    "q, 1": "comma, and\nline",
    "\u0634": "\u0643\u062a\u0627\u0628",
    "'q": "\U0001f600 'quoted'",
}
RATERS = ["Ann, the first", "=SUM(A1)", "\u0639\u0644\u064a", "O'Neil", "'x'", "@bob", "ann@x.org"]
NASTY = ["=1+1", "+1", "-1", "@x", "\t=1", "\r=1", "\n", "'", "''x", "'=x", "a\r\nb", '"', '""']
NASTY += ["\U0001f468\u200d\U0001f469", "\u2028", "\u202e", "x" * 70_000, "  ", ";", "\t", "007"]
NASTY += [",", "", "\ufeff", "NULL", "#N/A"]


class Given(NamedTuple):
    """One judgment that somebody gives."""

    query_id: str
    doc_id: str
    rater: str
    verdict: tuple[str, int | None]
    comment: str
    reason: str
    seconds: int | None
    milliseconds: int | None


LAST = Given("7", "007", "ann@x.org", ("grade", 2), "", "", 4 * 10**6, None)
"""Stands, whatever else was taken back."""

texts = st.sampled_from(NASTY) | st.text(
    st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=40
)
verdicts = st.sampled_from(
    [("grade", grade) for grade in range(4)] + [("skip", None), ("cannot_judge", None)]
)
judgments = st.builds(
    Given,
    st.sampled_from(list(QUERIES)),
    st.sampled_from(DOC_IDS),
    st.sampled_from(RATERS),
    verdicts,
    texts,
    texts,
    st.none() | st.integers(-(10**6), 10**6),
    st.none() | st.integers(0, 10**7),
)


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace with a corpus and queries, and nothing judged."""
    folder = tmp_path_factory.mktemp("trips") / "empty"
    with new_workspace(folder) as workspace, workspace.store.write() as connection:
        insert_documents(connection, [Document(doc_id, "", "text") for doc_id in DOC_IDS])
        insert_queries(connection, [Query(key, text) for key, text in QUERIES.items()])
    return folder


@pytest.fixture(scope="module")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("scratch")


def fresh(empty: Path, scratch: Path, name: str) -> Workspace:
    folder = scratch / name
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(empty, folder)
    return open_workspace(folder)


def judge(workspace: Workspace, rows: list[Given]) -> None:
    """Put the judgments into the log."""
    with workspace.store.write() as connection:
        names = dict.fromkeys(row.rater for row in rows)
        people = {name: _added(connection, name).person_id for name in names}
        import_judgments_batch(connection, [_logged(row, people[row.rater]) for row in rows])


def _added(connection: Connection, name: str) -> Person:
    return add_person(connection, name, kind="import" if name == "@bob" else "human")


def _logged(row: Given, rater: int) -> ImportedJudgment:
    moment = None if row.seconds is None else utc_text(NOON + timedelta(seconds=row.seconds))
    reason = "" if row.verdict[0] == "grade" else row.reason
    pair = (row.query_id, row.doc_id)
    return ImportedJudgment(
        *pair, rater, *row.verdict, row.comment, moment, reason, row.milliseconds
    )


def standing(workspace: Workspace) -> list[JudgmentRow]:
    with workspace.store.read() as connection:
        return list(standing_rows(connection))


def taken_back(row: Given) -> Given:
    """Says later that what the row says stands no more."""
    later = None if row.seconds is None else row.seconds + 2 * 10**6
    return row._replace(verdict=("undone", None), seconds=later)


def unrecorded(rows: list[JudgmentRow]) -> list[JudgmentRow]:
    """The rows without what other tools' files do not hold: when they came in."""
    return [row._replace(recorded=None) for row in rows]


def log_length(workspace: Workspace) -> int:
    with workspace.store.read() as connection:
        return count_log(connection)


def there_and_back(
    empty: Path, scratch: Path, rows: list[Given], form: str, **how: Any
) -> tuple[list[JudgmentRow], list[JudgmentRow], ImportTally]:
    """What stood, what stands after a round trip, and the tally of the import."""
    with fresh(empty, scratch, "from") as workspace:
        judge(workspace, rows)
        out = scratch / "out"
        export_judgments(workspace, out, form, force=True, **how)
        before = standing(workspace)
        again = import_judgments(workspace, out, format=IMPORT_FORMATS.get(form))
        assert again.quarantined == 0
        assert standing(workspace) == before
    with fresh(empty, scratch, "to") as workspace:
        tally = import_judgments(workspace, out, format=IMPORT_FORMATS.get(form))
        assert tally.read == tally.accepted + tally.duplicate + tally.updated + tally.quarantined
        return before, standing(workspace), tally


# Told by content, but for the CSV of Quepid: a rater may be called as a column of a table.
IMPORT_FORMATS = {"quepid-csv": "quepid-csv"}
often = settings(
    max_examples=examples(10, 60),
    deadline=None,
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
some = st.lists(judgments, min_size=1, max_size=8)


@pytest.mark.parametrize(
    ("form", "excel"),
    [("tsv", False), ("tsv", True), ("csv", False), ("csv", True), ("jsonl", False)],
)
@often
@given(rows=some)
def test_tables_and_lines_lose_nothing(
    empty: Path, scratch: Path, form: str, excel: bool, rows: list[Given]
) -> None:
    before, after, tally = there_and_back(empty, scratch, rows, form, excel=excel)
    assert after == before
    assert (tally.accepted, tally.quarantined) == (len(before), 0)
    assert "fields_ignored" not in tally.notes


@often
@given(rows=some)
def test_the_whole_log_leaves_the_same_standing(
    empty: Path, scratch: Path, rows: list[Given]
) -> None:
    taken_back = [row._replace(verdict=("undone", None), comment="") for row in rows[::2]]
    before, after, _ = there_and_back(empty, scratch, rows + taken_back, "jsonl", everything=True)
    assert after == before


@pytest.mark.parametrize("first", [False, True])
@settings(often, max_examples=examples(6, 30))
@given(rows=st.lists(judgments, max_size=8), is_of_one_moment=st.booleans())
def test_the_log_and_what_stands_know_each_other(
    empty: Path, scratch: Path, first: bool, rows: list[Given], is_of_one_moment: bool
) -> None:
    """Both files into one workspace, in either order and again: the log holds each row once.

    Of two things said at one moment the log can hold one twice: the later one has to come last.
    """
    if not is_of_one_moment:
        rows = list({(row[:3], row.seconds): row for row in rows}.values())
    with fresh(empty, scratch, "from") as workspace:
        judge(workspace, rows)
        judge(workspace, [taken_back(row) for row in rows[::3]])
        judge(workspace, [*rows[::2], LAST])
        for everything in (False, True):
            out = scratch / f"all-{everything}"
            export_judgments(workspace, out, "tsv", everything=everything, force=True)
        length, before = log_length(workspace), standing(workspace)
    with fresh(empty, scratch, "to") as workspace:
        for everything in (first, not first):
            import_judgments(workspace, scratch / f"all-{everything}")
        assert standing(workspace) == before
        if not is_of_one_moment:
            assert log_length(workspace) == length
        length = log_length(workspace)
        for everything in (first, not first):
            import_judgments(workspace, scratch / f"all-{everything}")
        assert (standing(workspace), log_length(workspace)) == (before, length)


@often
@given(rows=some)
def test_label_studio_keeps_all_it_is_told(empty: Path, scratch: Path, rows: list[Given]) -> None:
    before, after, _ = there_and_back(empty, scratch, rows, "label-studio")
    assert unrecorded(after) == unrecorded(before)


@often
@given(rows=some)
def test_a_quepid_book_keeps_all_but_how_long_it_took(
    empty: Path, scratch: Path, rows: list[Given]
) -> None:
    def as_quepid(row: JudgmentRow) -> JudgmentRow:
        return row._replace(milliseconds=None)

    before, after, _ = there_and_back(empty, scratch, rows, "quepid-json")
    assert unrecorded(after) == unrecorded([as_quepid(row) for row in before])


@pytest.mark.parametrize("excel", [False, True])
@often
@given(rows=some, first=st.integers(0, 3))
def test_a_quepid_table_keeps_the_grades(
    empty: Path, scratch: Path, excel: bool, rows: list[Given], first: int
) -> None:
    rows = [*rows, Given("7", "007", "O'Neil", ("grade", first), "", "", 2 * 10**6, None)]
    before, after, _ = there_and_back(empty, scratch, rows, "quepid-csv", excel=excel)
    graded = [(*row[:3], row.grade) for row in before if row.grade is not None]
    assert [(*row[:3], row.grade) for row in after] == graded


@pytest.fixture(autouse=True)
def _clean(scratch: Path) -> Iterator[None]:
    yield
    (scratch / "out").unlink(missing_ok=True)
