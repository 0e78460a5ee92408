"""The page Generate: what its words, tables and buttons say, and what a press starts."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from builder.jobs import Job
from builder.people import ensure_person
from builder.store import jobs
from builder.store.documents import insert_documents
from builder.store.synthetic_queries import Finding, Judged, note_judged
from builder.synthesis.candidates import candidates
from builder.synthesis.plan import SynthPlan
from builder.workspace import SETTINGS_FILE, Workspace, init_workspace, open_workspace
from evals.records import Document
from tests.builder.synthesis.written import Answer, write_synthesis
from tests.ui.conftest import OpenApp
from tests.ui.test_pages import markup, sign_in
from tests.workspaces import copied
from ui.jobs import latest_job
from ui.synthesis.cost import (
    ESTIMATE_JOB,
    SYNTH_JOB,
    current_estimate,
    figures_of,
    receives_in_words,
    rounded,
    token_of,
)
from ui.synthesis.outcome import yield_html
from ui.synthesis.rejected import rejected_html, sheet_of_rejected
from ui.synthesis.release import choice_label
from ui.synthesis.runs import (
    RESUME_TARGET,
    as_at_work,
    left_in_words,
    so_far_in_words,
    taken_back_in_words,
    would_go_in_words,
)
from ui.synthesis.words import counted, money, plan_in_words, seconds_in_words
from ui.tables import Tile

PAGE = "ui/pages/generate.py"
HOSTILE = "<b>x</b> :red[y] $z$"
KEY = "sk-of-the-tests-of-this-page"
ESTIMATE: dict[str, Any] = {
    "documents": 50,
    "calls": 100,
    "queries": 200,
    "tokens": {
        "input": 34000, "output": 1739, "total": 35739, "low": 28181, "high": 59785, "measured": 0,
    },
    "cost": {"value": 0.0059, "low": 0.0045, "high": 0.0149, "currency": "USD"},
    "seconds": 25.2,
    "seconds_measured": False,
    "concurrency": 4,
    "host": "llm.example",
    "model": "tiny",
    "key_found": True,
    "key_needed": False,
    "skipped": {"too_short": 3, "empty": 0},
    "strata": [{"stratum": "", "documents": 90, "chosen": 50}],
    "warnings": ["few documents"],
    "caps": {"max_calls": 80, "max_total_tokens": None, "max_cost": None},
    "digest": "d" * 64,
}  # fmt: skip


def _make(folder: Path) -> Workspace:
    """Three documents, a model that nobody reaches, and a run with one rejected query."""
    init_workspace(folder, "generate").close()
    with (folder / SETTINGS_FILE).open("a", encoding="utf-8") as settings:
        settings.write('\n[llm]\nmodel = "tiny"\nbase_url = "http://llm.example/v1"\n')
    workspace = open_workspace(folder)
    ensure_person(workspace, "Dana")
    with workspace.store.write() as connection:
        documents = [Document(f"d{n}", f"Title {n} {HOSTILE}", f"Text {n}.") for n in range(3)]
        insert_documents(connection, documents)
    write_synthesis(workspace, [Answer("d0", ["what is it", HOSTILE])], per_call=2, model=HOSTILE)
    with workspace.store.write() as connection:
        reasons = (Finding("copied_span", f"8 words: {HOSTILE}"), Finding("length", "long"))
        note_judged(connection, [Judged(1), Judged(2, reasons=reasons)])
    return workspace


@pytest.fixture
def generated(tmp_path: Path) -> Iterator[Workspace]:
    with copied(_make, tmp_path / "workspace") as opened:
        yield opened


def opened_page(open_app: OpenApp, workspace: Workspace) -> AppTest:
    return sign_in(open_app(workspace.root), "Dana").switch_page(PAGE).run()


def test_without_a_model_the_page_says_what_to_write_and_where(
    open_app: OpenApp, filled_workspace: Workspace
) -> None:
    app = opened_page(open_app, filled_workspace)
    assert not app.exception
    assert "No language model is set up yet." in markup(app)
    assert "[llm]" in app.code[0].value
    assert [button.key for button in app.button if button.key in ("estimate", "send")] == []


def test_openai_without_a_key_is_told_and_nothing_can_be_sent(
    open_app: OpenApp, filled_workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    settings = filled_workspace.root / SETTINGS_FILE
    settings.write_text(settings.read_text() + '\n[llm]\nmodel = "gpt-4o-mini"\n')
    told = {**ESTIMATE, "host": "api.openai.com", "key_needed": True}
    an_estimate(filled_workspace, SynthPlan(), told)
    app = opened_page(open_app, filled_workspace)
    assert "api.openai.com wants a key, and there is none." in markup(app)
    assert app.button(key="send").disabled
    app.secrets["OPENAI_API_KEY"] = KEY
    app.run()
    assert "key from <bdi>OPENAI_API_KEY</bdi>" in markup(app)
    assert not app.button(key="send").disabled
    assert KEY not in markup(app)


def test_what_is_sent_is_what_was_estimated_once(
    open_app: OpenApp, generated: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[tuple[str, dict[str, Any], dict[str, str]]] = []

    def note(*args: Any, environment: dict[str, str]) -> None:
        started.append((args[2], args[4], environment))

    monkeypatch.setattr("ui.synthesis.cost.start", note)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    an_estimate(generated, SynthPlan(documents=7), ESTIMATE)
    app = opened_page(open_app, generated)
    # The page asks for 50 documents, which nobody estimated.
    assert "llm.example will receive" not in markup(app)
    app.number_input(key="synth_documents").set_value(7).run()
    assert "llm.example will receive the texts of 50 documents" in markup(app)
    app.button(key="send").click().run()
    app.button(key="send").click().run()
    (kind, first, key), (_, second, _) = started
    assert (kind, key) == (SYNTH_JOB, {"OPENAI_API_KEY": KEY})
    assert first["plan"] == SynthPlan(documents=7).as_json()
    assert (first["digest"], first["actor"]) == (ESTIMATE["digest"], "Dana")
    assert first["token"] == second["token"]
    assert KEY not in str(first)


def test_an_estimate_holds_until_something_was_sent(generated: Workspace) -> None:
    plan = SynthPlan(documents=7)
    assert current_estimate(generated, plan) is None
    job = an_estimate(generated, plan, ESTIMATE)
    assert current_estimate(generated, plan) == job
    assert current_estimate(generated, SynthPlan(documents=8)) is None
    again = an_estimate(generated, plan, ESTIMATE)
    assert token_of(job) != token_of(again)
    a_job(generated, SYNTH_JOB, {}, {})
    assert current_estimate(generated, plan) is None


def test_figures_of_an_estimate_say_what_is_guessed_and_what_is_unknown() -> None:
    assert figures_of(ESTIMATE) == [
        Tile("documents", "50"),
        Tile("calls", "100", "200 queries asked for"),
        Tile("tokens, about", "35,700", "28,200\u201359,800, guessed"),
        Tile("price, about", "0.0059 USD", "0.0045\u20130.015 USD"),
        Tile("time, about", "25 seconds", "4 calls at once, guessed"),
    ]
    unknown = figures_of({**ESTIMATE, "cost": None})[3]
    assert (unknown.value, "[prices]" in unknown.note) == ("unknown", True)
    assert "queries of the team" in receives_in_words(ESTIMATE)[0]
    assert "queries of the team" not in receives_in_words(ESTIMATE, examples=False)[0]
    assert receives_in_words(ESTIMATE)[1] == "Hard limits: at most 80 calls."
    assert [rounded(n) for n in (0, 7, 35_739, 1_234_567)] == ["0", "7", "35,700", "1,230,000"]


def test_rejected_queries_are_shown_with_all_reasons_and_are_never_markup(
    open_app: OpenApp, generated: Workspace
) -> None:
    page = markup(opened_page(open_app, generated))
    html = page[page.index('class="gs-blocks gs-aside"') :]
    for said in (
        "copied from the document",
        "8 words:",
        "also too short, too long or not one line",
    ):
        assert said in html
    assert "&lt;b&gt;x" in html
    assert "<b>x" not in page
    found = candidates(generated, verdict="rejected")
    assert rejected_html(found) in page
    sheet = sheet_of_rejected(found)
    told = [(row[sheet.columns.index("query")], row[2]) for row in sheet.rows]
    assert told == [(HOSTILE, "copied_span"), (HOSTILE, "length")]


def test_the_yield_adds_up_to_what_was_written() -> None:
    html = yield_html(10, 4, {"length": 2, "empty": 3})
    numbers = [int(cell.split("<")[0]) for cell in html.split('gs-number"><bdi>')[1:]]
    assert sorted(numbers) == [1, 2, 3, 4]
    assert "not filtered yet" in html


@pytest.mark.parametrize(
    ("value", "said"),
    [(None, "unknown"), (0, "0.00 USD"), (0.00001234, "0.000012 USD"), (0.005912, "0.0059 USD"),
     (0.25, "0.25 USD"), (1234.5, "1,234.50 USD")],
)  # fmt: skip
def test_small_amounts_are_not_rounded_to_nothing(value: float | None, said: str) -> None:
    assert money(value, "USD") == said


@pytest.mark.parametrize(
    ("seconds", "said"), [(0.2, "1 second"), (89, "89 seconds"), (600, "10 minutes"),
                          (9000, "2.5 hours")],
)  # fmt: skip
def test_time_is_told_as_people_say_it(seconds: float, said: str) -> None:
    assert seconds_in_words(seconds) == said


def test_a_run_is_told_in_a_line() -> None:
    plan = SynthPlan(documents=1, by="field:kind", types=("keyword",), max_calls=9, seed=3)
    told = plan_in_words(plan.as_json()).replace("\u00b7", "|")
    assert told == (
        "1 document by the field kind | keyword | 1 call a document | at most 9 calls | seed 3"
    )
    assert counted({"empty": 0, "ok": 1, "quota": 2}, {"ok": "answered"}) == "2 quota, 1 answered"
    run = {"calls": 3, "generated": 2, "kept": 0, "tokens": 900, "cost": None, "currency": None}
    assert so_far_in_words(run) == "3 calls, 2 queries written, 900 tokens, cost unknown"


def test_the_run_that_a_job_goes_on_with_is_at_work_at_once(empty_workspace: Workspace) -> None:
    with empty_workspace.store.write() as connection:
        parameters = {"synthesis_id": 2}
        jobs.add_job(connection, SYNTH_JOB, RESUME_TARGET, parameters, "Dana")
    job = latest_job(empty_workspace, SYNTH_JOB)
    assert job is not None
    runs = [{"synthesis_id": n, "state": "stopped", "message": "limit"} for n in (2, 1)]
    assert [run["state"] for run in as_at_work(runs, job)] == ["running", "stopped"]
    assert as_at_work(runs, replace(job, state="done")) == runs
    assert as_at_work(runs, None) == runs


def test_what_resuming_asks_for_and_what_is_unknown_is_told() -> None:
    left = {"tasks": 9, "waiting": 1, "failed": 0, "unknown": 2}
    first, second = left_in_words(left)
    assert first.startswith("1 of 9 tasks is left.")
    assert second.startswith("Of 2 calls nothing was recorded: sent, and perhaps paid for.")
    assert left_in_words({**left, "waiting": 0, "unknown": 0}) == ["Every task was asked for."]


def test_taking_back_says_what_goes_and_what_stays() -> None:
    told = {
        "synthesis_id": 3,
        "queries_removed": 1,
        "candidates": 4,
        "unreviewed": 2,
        "kept": {"judged": 2},
        "again": False,
    }
    stay = "Stay: 2 queries: somebody graded them."
    assert would_go_in_words(told)[0] == "1 query will be retired."
    assert stay in would_go_in_words(told)
    assert "2 queries not reviewed yet wait no more." in would_go_in_words(told)
    assert taken_back_in_words(told)[0] == "Run 3 is taken back. 1 query is retired."
    once_more = {**told, "again": True, "unreviewed": 0}
    assert taken_back_in_words(once_more) == [
        "Run 3 was taken back before. 1 query is retired.",
        stay,
    ]


def test_a_release_says_what_each_choice_of_synthetic_queries_would_bring() -> None:
    brings = {"queries": 100, "none": 0, "validated": 1, "accepted": 100}
    labels = [choice_label(mode, brings) for mode in ("none", "validated", "accepted")]
    assert labels == ["None", "Validated: up to 1 query", "Accepted: up to 100 queries"]


def an_estimate(workspace: Workspace, plan: SynthPlan, told: dict[str, Any]) -> Job:
    return a_job(workspace, ESTIMATE_JOB, {"actor": "Dana", "plan": plan.as_json()}, told)


def a_job(workspace: Workspace, kind: str, asked: dict[str, Any], outcome: dict[str, Any]) -> Job:
    """A job that is done."""
    with workspace.store.write() as connection:
        number = jobs.add_job(connection, kind, "builder.synthesis:any", asked, "Dana")
        jobs.finish_job(connection, number, "done", "", outcome)
    job = latest_job(workspace, kind)
    assert job is not None
    return job
