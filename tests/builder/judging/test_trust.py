"""The report is of what stands, kept while that is so, and never takes a grader's time."""

import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from builder.activity import Wanted, read_activity
from builder.curation import QueryContent, edit_query, retire_query
from builder.errors import BuilderError
from builder.jobs import Job, cancel_job, read_job, recent_jobs
from builder.judging import kept_trust, trust
from builder.judging.kept_trust import kept_report
from builder.judging.queue import next_pair, submit_grade
from builder.judging.trust import TrustView, compute_trust, current_trust, trust_report
from builder.people import exclude_rater
from builder.store.judgments import ImportedJudgment, import_judgments_batch
from builder.store.people import add_person
from builder.store.quota import note_other_content
from builder.workspace import Workspace, open_workspace
from tests.builder.judging.conftest import filled
from tests.workspaces import copied

PATIENCE_SECONDS = 60
BUILDER = Path(kept_trust.__file__).parents[1]
N_PAIRS = 20
"""As many as the fixture's pool has; each wants two grades."""


@pytest.fixture
def graded(tmp_path: Path) -> Iterator[Workspace]:
    """All pairs graded by ann and by bob, who agrees but on the first document of each query."""
    with copied(_graded, tmp_path / "workspace") as workspace:
        yield workspace


def _graded(folder: Path) -> Workspace:
    workspace = filled(folder)
    for name in ("ann", "bob"):
        while (pair := next_pair(workspace, name)) is not None:
            given = (pair.pair_id + (name == "bob" and pair.document.doc_id == "d0")) % 4
            submit_grade(workspace, name, pair.pair_id, given, token=uuid4().hex)
    return workspace


@pytest.fixture
def by_job(graded: Workspace, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    """As if these were more grades than are computed at once."""
    monkeypatch.setattr(trust, "INLINE_GRADES", N_PAIRS)
    return graded


def wait_to_end(workspace: Workspace, view: TrustView) -> Job:
    assert view.job is not None
    deadline = time.monotonic() + PATIENCE_SECONDS
    while (job := read_job(workspace, view.job.job_id)).active:
        assert time.monotonic() < deadline
        time.sleep(0.05)
    return job


def grade_once_more(workspace: Workspace) -> None:
    with workspace.store.write() as connection:
        cy = add_person(connection, "cy")
        import_judgments_batch(connection, [ImportedJudgment("q0", "d0", cy.person_id, "grade", 3)])


def cache_file(workspace: Workspace) -> Path:
    return workspace.cache_folder / "trust.json"


def test_a_report_is_plain_json_with_all_its_parts(graded: Workspace) -> None:
    report = compute_trust(graded)
    assert json.loads(json.dumps(report, allow_nan=False)) == report
    assert set(report) == {"agreement", "slices", "raters", "disagreements", "disputed"}
    assert report["agreement"]["n_grades"] == 2 * N_PAIRS
    assert [rater["rater"] for rater in report["raters"]] == ["ann", "bob"]
    assert len(report["disagreements"]) == 4
    for row in report["disagreements"]:
        assert (row["n"], row["high"] > row["low"]) == (2, True)
    assert set(report["disputed"]) <= {row["pair_id"] for row in report["disagreements"]}


def test_without_any_grade_there_is_a_report_that_says_so(workspace: Workspace) -> None:
    view = trust_report(workspace)
    assert view.is_fresh
    assert view.report is not None
    assert view.report["agreement"]["alpha_ordinal"]["reason"] == "no_human_grades"
    assert view.report["disagreements"] == []


def test_few_grades_are_computed_at_once_and_kept(graded: Workspace) -> None:
    first = trust_report(graded)
    assert (first.is_fresh, first.newer_grades, first.job) == (True, 0, None)
    assert trust_report(graded).report is first.report
    grade_once_more(graded)
    after = trust_report(graded)
    assert after.is_fresh
    assert after.report is not None
    assert after.report["agreement"]["n_grades"] == 2 * N_PAIRS + 1
    assert not recent_jobs(graded)


def test_what_is_kept_is_what_was_computed(graded: Workspace) -> None:
    computed = trust_report(graded).report
    with open_workspace(graded.root) as other:
        shown = trust_report(other)
        assert shown.report == computed
        assert shown.report is not computed
        assert current_trust(other) is shown.report


def edit_tags(workspace: Workspace) -> None:
    before = QueryContent("query 0", "a need", ("t",))
    edited = QueryContent("query 0", "a need", ("another",))
    edit_query(workspace, "q0", before, edited, None)


def change_a_grade(workspace: Workspace) -> None:
    differ = {row["pair_id"] for row in compute_trust(workspace)["disagreements"]}
    pair_id = min(set(range(1, N_PAIRS + 1)) - differ)  # of others the grade is kept as it is
    token = uuid4().hex
    submit_grade(workspace, "ann", pair_id, (pair_id + 2) % 4, token=token, edit=True)


@pytest.mark.parametrize(
    "change",
    [
        grade_once_more,
        change_a_grade,
        edit_tags,
        lambda workspace: retire_query(workspace, "q0", None),
        lambda workspace: exclude_rater(workspace, "bob", "guesses", None),
    ],
)
def test_whatever_it_is_made_of_makes_it_old(
    graded: Workspace, change: Callable[[Workspace], Any]
) -> None:
    before = trust_report(graded)
    change(graded)
    after = trust_report(graded)
    assert after.is_fresh
    assert after.report == compute_trust(graded)
    assert after.report != before.report


def test_another_reason_makes_it_old_too(graded: Workspace) -> None:
    for reason in ("guesses", "sleeps"):
        exclude_rater(graded, "bob", reason, None)
        report = trust_report(graded).report
        assert report is not None
        assert [row["reason"] for row in report["agreement"]["excluded"]] == [reason]


def test_after_a_restore_the_report_before_is_of_other_pairs(by_job: Workspace) -> None:
    current_trust(by_job)
    with by_job.store.write() as connection:
        note_other_content(connection)
    view = trust_report(by_job)
    assert (view.report, view.made_at) == (None, None)
    wait_to_end(by_job, view)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda text: text[: len(text) // 2],
        lambda _: "",
        lambda _: "[]",
        lambda _: "\ufeff\x00",
        lambda text: text.replace('"form":"', '"form":"9'),
        lambda text: text.replace('"pair_id":[', '"pair_id":[7,'),
        lambda text: text.replace('"standing"', '"lying"'),
    ],
)
def test_a_spoilt_cache_is_made_anew(graded: Workspace, spoil: Callable[[str], str]) -> None:
    whole = trust_report(graded).report
    spoilt = spoil(cache_file(graded).read_text("utf-8"))
    cache_file(graded).write_text(spoilt, "utf-8")
    with open_workspace(graded.root) as other:
        assert kept_report(other) is None
        assert trust_report(other).report == whole
        assert kept_report(other) is not None


def test_code_that_computes_otherwise_makes_another_form() -> None:
    sources = {file.name for pattern in kept_trust.COMPUTED_BY for file in BUILDER.glob(pattern)}
    assert {"trust.py", "overall.py", "profiles.py", "ratings_reading.py", "repeats.py"} <= sources
    assert len(kept_trust.form()) == 64


def test_a_cache_that_cannot_be_written_keeps_nothing_from_the_page(graded: Workspace) -> None:
    cache_file(graded).mkdir(parents=True)
    assert trust_report(graded).is_fresh
    assert [file.name for file in graded.cache_folder.iterdir()] == ["trust.json"]


def test_many_grades_are_computed_by_one_job_and_shown_when_it_is_done(by_job: Workspace) -> None:
    view = trust_report(by_job)
    assert (view.report, view.is_fresh) == (None, False)
    again = trust_report(by_job)
    assert again.job is not None
    assert view.job is not None
    assert again.job.job_id == view.job.job_id
    job = wait_to_end(by_job, view)
    assert (job.state, job.kind, job.outcome and job.outcome["grades"]) == ("done", "trust", 40)
    done = trust_report(by_job)
    assert (done.is_fresh, done.job) == (True, None)
    assert done.report == compute_trust(by_job)
    assert not read_activity(by_job, Wanted(kind="job")).entries


def test_the_older_report_is_shown_meanwhile(
    by_job: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = current_trust(by_job)
    grade_once_more(by_job)
    resting = trust_report(by_job)
    assert resting.report is before
    assert (resting.is_fresh, resting.newer_grades, resting.job) == (False, 1, None)
    monkeypatch.setattr(trust, "SHORTEST_REST", 0.0)
    working = trust_report(by_job)
    assert working.report is before
    assert working.newer_grades == 1
    wait_to_end(by_job, working)
    assert trust_report(by_job).is_fresh


def test_who_is_left_out_is_seen_without_delay(by_job: Workspace) -> None:
    current_trust(by_job)
    exclude_rater(by_job, "bob", "guesses", None)
    view = trust_report(by_job)
    wait_to_end(by_job, view)
    report = trust_report(by_job).report
    assert report is not None
    assert [row["rater"] for row in report["agreement"]["excluded"]] == ["bob"]


def test_a_job_that_failed_is_started_again_on_request_only(by_job: Workspace) -> None:
    cache_file(by_job).mkdir(parents=True)
    assert wait_to_end(by_job, trust_report(by_job)).state == "failed"
    told = trust_report(by_job)
    assert told.report is None
    assert told.job is not None
    assert told.job.state == "failed"
    cache_file(by_job).rmdir()
    assert wait_to_end(by_job, trust_report(by_job, again=True)).state == "done"
    assert trust_report(by_job).is_fresh


def test_what_is_cancelled_keeps_the_older_report(
    by_job: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = current_trust(by_job)
    exclude_rater(by_job, "bob", "guesses", None)
    view = trust_report(by_job)
    assert view.job is not None
    cancel_job(by_job, view.job.job_id)
    assert wait_to_end(by_job, view).state == "cancelled"
    told = trust_report(by_job)
    assert told.report is before
    assert told.job is not None
    assert told.job.state == "cancelled"
    monkeypatch.setattr(trust, "SHORTEST_REST", 0.0)
    wait_to_end(by_job, trust_report(by_job))
    assert trust_report(by_job).is_fresh


def test_progress_is_told_and_may_stop_it(graded: Workspace) -> None:
    told: list[tuple[str, int, int | None]] = []
    current_trust(graded, lambda *what: told.append(what))
    assert [done for _, done, _ in told] == list(range(5))
    assert {total for _, _, total in told} == {5}

    def stop(*_: object) -> None:
        raise BuilderError("stopped")

    grade_once_more(graded)
    with pytest.raises(BuilderError, match="stopped"):
        current_trust(graded, stop)
    assert current_trust(graded) == compute_trust(graded)
