"""Who may start a run, how often, and how one is stopped."""

import _thread
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from importlib.abc import MetaPathFinder
from pathlib import Path
from typing import Any

import pytest

from builder.curation.lists import find_query
from builder.errors import BuilderError, NotAllowedError
from builder.importers import import_judgments
from builder.jobs import Cancelled, log_file, read_job, start_job
from builder.people import ensure_person
from builder.store.synthetic_queries import candidates_of
from builder.synthesis.alone import WAIT_SECONDS, alone
from builder.synthesis.estimate import estimate
from builder.synthesis.review import accept
from builder.synthesis.running import resume_synthesis, synth
from builder.synthesis.syntheses import (
    calls_of,
    list_syntheses,
    provenance_of,
    what_is_left,
)
from builder.synthesis.taking_back import take_back_synthesis
from builder.workspace import SETTINGS_FILE, Workspace
from tests.builder.synthesis.runs import plan_for
from tests.llm_server import LLMServer

KEY, PRESS = "sk-never-written-anywhere", "press"


def stop_after(server: LLMServer, requests: int, error: BaseException) -> Any:
    """A progress that raises once the server has seen so many requests."""

    def progress(_what: str, _done: int, _total: int | None) -> None:
        if len(server.requests) >= requests:
            raise error

    return progress


def test_two_starts_with_one_token_are_one_run(boilers: Workspace) -> None:
    found: list[dict[str, Any]] = []
    with LLMServer(delay=0.02) as server:
        plan = plan_for(server.base_url, documents=6, concurrency=2)

        def start() -> None:
            found.append(synth(boilers, plan, key=None, token=PRESS))

        threads = [threading.Thread(target=start) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        again = synth(boilers, plan, key=None, token=PRESS)
        assert len(server.requests) == 6
    assert [one["synthesis_id"] for one in [*found, again]] == [1, 1, 1]
    assert (again["state"], again["generated"]) == ("done", 6)
    assert len(list_syntheses(boilers)) == 1


def test_two_runs_at_once_are_refused(boilers: Workspace) -> None:
    with LLMServer() as server:
        plan = plan_for(server.base_url, documents=1)
        told = synth(boilers, plan, key=None)
        seen = len(server.requests)
        began = time.monotonic()
        with alone(boilers):
            with pytest.raises(BuilderError, match="another run of a language model is at work"):
                synth(boilers, plan, key=None)
            with pytest.raises(BuilderError, match="another run of a language model is at work"):
                resume_synthesis(boilers, told["synthesis_id"], key=None)
        assert time.monotonic() - began < 3 * WAIT_SECONDS + 5
        assert len(server.requests) == seen
    assert len(list_syntheses(boilers)) == 1


@pytest.mark.parametrize("error", [Cancelled(), KeyboardInterrupt()])
def test_a_wish_to_stop_lets_what_is_on_its_way_arrive(
    boilers: Workspace, error: BaseException
) -> None:
    waited_for: list[int] = []
    with LLMServer(delay=0.15) as server:
        plan = plan_for(server.base_url, documents=12, concurrency=3)
        progress = stop_after(server, 3, error)
        with pytest.raises(type(error)):
            synth(boilers, plan, key=None, progress=progress, waiting_for=waited_for.append)
        # Only who sits at a terminal can press once more.
        assert len(waited_for) == isinstance(error, KeyboardInterrupt)
        assert all(1 <= n <= 3 for n in waited_for)
        seen = len(server.requests)
        time.sleep(0.05)
        assert len(server.requests) == seen < 12
    left = what_is_left(boilers, 1)
    assert (left["state"], left["stopped"]) == ("stopped", "cancelled")
    assert (left["answered"], left["unknown"]) == (seen, 0)
    assert [call["outcome"] for call in calls_of(boilers, 1)] == ["ok"] * seen


class ImportStoppedError(RuntimeError):
    """What Python 3.11 makes of Ctrl-C while a class is made, as in an import."""

    __cause__ = KeyboardInterrupt()


class Interrupting(MetaPathFinder):
    """Has the import of one module stopped, as by Ctrl-C."""

    def __init__(self, module: str, error: type[BaseException]) -> None:
        self._module, self._error = module, error

    def find_spec(self, fullname: str, *_: object) -> None:
        if fullname == self._module:
            raise self._error


@pytest.mark.parametrize("error", [KeyboardInterrupt, ImportStoppedError])
def test_a_wish_to_stop_before_the_first_call_is_no_error(
    boilers: Workspace, monkeypatch: pytest.MonkeyPatch, error: type[BaseException]
) -> None:
    # The SDK takes a second to be imported.
    module = "builder.synthesis.llm.transport"
    monkeypatch.delitem(sys.modules, module, raising=False)
    monkeypatch.setattr(sys, "meta_path", [Interrupting(module, error), *sys.meta_path])
    with pytest.raises(error):
        synth(boilers, plan_for("http://127.0.0.1:9/v1"), key=None)
    left = what_is_left(boilers, 1)
    assert (left["state"], left["stopped"], left["calls"]) == ("stopped", "cancelled", 0)


@pytest.fixture
def heard() -> Iterator[None]:
    """Ctrl-C is heard also where the shell has its background jobs ignore it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("heard")
def test_ctrl_c_in_the_main_thread_is_heard_while_the_model_is_asked(boilers: Workspace) -> None:
    def interrupt() -> None:
        while len(server.requests) < 2:
            time.sleep(0.005)
        _thread.interrupt_main()

    with LLMServer(delay=0.2) as server:
        threading.Thread(target=interrupt).start()
        with pytest.raises(KeyboardInterrupt):
            synth(boilers, plan_for(server.base_url, documents=12, concurrency=1), key=None)
        assert len(server.requests) < 12
    assert {call["outcome"] for call in calls_of(boilers, 1)} == {"ok"}
    assert list_syntheses(boilers)[0]["stopped"] == "cancelled"


def test_only_analysts_start_go_on_and_take_back(boilers: Workspace) -> None:
    ensure_person(boilers, "boss")
    rater = ensure_person(boilers, "ravi")
    plan = plan_for("http://127.0.0.1:9/v1")
    with pytest.raises(NotAllowedError):
        synth(boilers, plan, key=None, actor=rater)
    with pytest.raises(NotAllowedError):
        resume_synthesis(boilers, 1, key=None, actor=rater)
    with pytest.raises(NotAllowedError):
        take_back_synthesis(boilers, 1, rater)
    assert list_syntheses(boilers) == []


def test_what_differs_from_the_estimate_is_not_sent(boilers: Workspace) -> None:
    with LLMServer() as server:
        plan = plan_for(server.base_url, documents=2)
        digest = estimate(boilers, plan, environment={})["digest"]
        other = plan_for(server.base_url, documents=3)
        with pytest.raises(BuilderError, match="have changed since the estimate"):
            synth(boilers, other, key=None, digest=digest)
        assert not server.requests
        assert synth(boilers, plan, key=None, digest=digest)["generated"] == 2


def test_openai_is_not_asked_without_a_key(boilers: Workspace) -> None:
    with pytest.raises(BuilderError, match=r"no key for api\.openai\.com") as told:
        synth(boilers, plan_for(""), key=None)
    assert "OPENAI_API_KEY" in str(told.value.hint)
    assert list_syntheses(boilers) == []


def test_a_key_that_cannot_be_sent_leaves_a_run_that_can_go_on(boilers: Workspace) -> None:
    with LLMServer() as server:
        with pytest.raises(BuilderError, match="cannot be sent") as told:
            synth(boilers, plan_for(server.base_url, documents=1), key="sk with blanks")
        assert "sk with" not in f"{told.value} {told.value.hint}"
        assert what_is_left(boilers, 1)["stopped"] == "error"
        assert resume_synthesis(boilers, 1, key="sk-good")["state"] == "done"


def test_where_a_query_comes_from_is_whole(boilers: Workspace) -> None:
    with LLMServer() as server:
        plan = plan_for(server.base_url, documents=1, types=("keyword",), seed=5, temperature=0.3)
        told = synth(boilers, plan, key=None)
        sent = server.requests[0].body
    with boilers.store.read() as connection:
        candidate = candidates_of(connection, told["synthesis_id"])[0]
    source = provenance_of(boilers, candidate.candidate_id)
    assert source["model_asked"] == sent["model"] == "test-model"
    assert source["model_served"] == "test-model-0001"
    assert source["seed"] == sent["seed"]
    assert (source["temperature"], sent["temperature"]) == (0.3, 0.3)
    assert source["max_tokens"] == sent["max_tokens"] == boilers.settings.llm.max_tokens
    assert (source["prompt"], len(source["prompt_hash"])) == ("keyword", 64)
    assert candidate.text in source["answer"]
    assert (source["rung"], source["attempt"], source["examples"]) == ("json_schema", 1, [])
    assert source["prompt_tokens"] > 0
    assert source["host"] in source["base_url"] == server.base_url
    with pytest.raises(BuilderError, match="no language model wrote a query of the number 99"):
        provenance_of(boilers, 99)


def test_a_job_gets_the_key_in_its_environment_and_nobody_else_does(boilers: Workspace) -> None:
    ensure_person(boilers, "ann")
    with LLMServer(key=KEY) as server:
        parameters = {
            "actor": "ann",
            "plan": plan_for(server.base_url, documents=2).as_json(),
            "token": "t",
        }
        job_id = start_job(
            boilers,
            "synth",
            "builder.synthesis.running:synth_job",
            parameters,
            "ann",
            environment={"OPENAI_API_KEY": KEY},
        )
        arguments: set[bytes] = set()
        given_up = time.monotonic() + 30
        while (job := read_job(boilers, job_id)).active and time.monotonic() < given_up:
            arguments |= {line for line in [_arguments(job.pid)] if line}
            time.sleep(0.05)
        assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"
    log = log_file(boilers, job_id).read_text("utf-8")
    assert (job.state, job.outcome and job.outcome["generated"]) == ("done", 2), log
    assert KEY not in os.environ.values()
    assert arguments
    assert not any(KEY.encode() in line for line in arguments)
    boilers.close()
    kept = [path for path in boilers.root.rglob("*") if path.is_file()]
    assert [path for path in kept if KEY.encode() in path.read_bytes()] == []


def _arguments(pid: int | None) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except (FileNotFoundError, ProcessLookupError):
        return b""


def test_a_run_that_is_taken_back_is_not_gone_on_with(boilers: Workspace) -> None:
    with LLMServer() as server:
        told = synth(boilers, plan_for(server.base_url, documents=2), key=None)
        number = told["synthesis_id"]
        preview = take_back_synthesis(boilers, number, dry_run=True)
        back = take_back_synthesis(boilers, number)
        with pytest.raises(BuilderError, match="was taken back"):
            resume_synthesis(boilers, number, key=None)
    assert back == preview
    assert (back["candidates"], back["unreviewed"], back["again"]) == (2, 2, False)
    assert take_back_synthesis(boilers, number)["again"]
    assert list_syntheses(boilers)[0]["taken_back_by"] == "terminal"
    with pytest.raises(BuilderError, match="no synthesis 9"):
        take_back_synthesis(boilers, 9)


def test_queries_that_somebody_graded_stay_when_their_run_is_taken_back(
    boilers: Workspace,
) -> None:
    with LLMServer() as server:
        number = synth(boilers, plan_for(server.base_url, documents=2), key=None)["synthesis_id"]
    with boilers.store.read() as connection:
        graded, other = candidates_of(connection, number)
    query_id, other_id = (accept(boilers, one.candidate_id) for one in (graded, other))
    judgments = boilers.root / "judgments.tsv"
    judgments.write_text(
        f"query-id\tcorpus-id\trater\tgrade\n{query_id}\t{graded.doc_id}\tann\t3\n", "utf-8"
    )
    import_judgments(boilers, judgments)
    with pytest.raises(BuilderError, match=r"let 1 of its queries go, 1 would stay \(1 somebody"):
        take_back_synthesis(boilers, number)
    assert list_syntheses(boilers)[0]["taken_back_at"] is None
    back = take_back_synthesis(boilers, number, anyway=True)
    assert (back["queries_removed"], back["kept"]) == (1, {"judged": 1})
    found = [find_query(boilers, one).query.status for one in (query_id, other_id)]
    assert found == ["active", "retired"]
    assert list_syntheses(boilers)[0]["left"] == 1
    again = take_back_synthesis(boilers, number)
    assert (again["queries_removed"], again["kept"]) == (0, {"judged": 1})


def test_settings_do_not_change_a_run_that_has_begun(boilers: Workspace) -> None:
    from builder.workspace import open_workspace

    with LLMServer() as server:
        told = synth(boilers, plan_for(server.base_url, documents=2, max_calls=1), key=None)
        file = boilers.root / SETTINGS_FILE
        changed = '\n[llm]\nmodel = "other"\ntemperature = 0.0\nmax_tokens = 99\n'
        file.write_text(file.read_text("utf-8") + changed, "utf-8")
        with open_workspace(boilers.root) as workspace:
            resume_synthesis(workspace, told["synthesis_id"], key=None, max_calls=9)
        first, second = (one.body for one in server.requests)
    kept = ("model", "temperature", "max_tokens", "response_format")
    assert [first[name] for name in kept] == [second[name] for name in kept]
