"""Limits, faults of the server, and their ends, against a real socket."""

import itertools
import time
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from builder.errors import BuilderError
from builder.store.synthesis_sources import documents_in_use
from builder.synthesis.reactions import FAILURES_IN_A_ROW, UNREACHABLE_IN_A_ROW
from builder.synthesis.running import resume_synthesis, synth
from builder.synthesis.syntheses import calls_of, list_syntheses, what_is_left
from builder.workspace import SETTINGS_FILE, Workspace, open_workspace
from tests.builder.synthesis.runs import plan_for
from tests.llm_faults import completion
from tests.llm_server import QUOTA, Fault, LLMServer, queries_of
from tests.thorough import examples


def price(workspace: Workspace, model: str = "test-model") -> Workspace:
    """The workspace opened anew, with a price of the model: 1 and 10 USD a million tokens."""
    file = workspace.root / SETTINGS_FILE
    table = f'\n[prices."{model}"]\ninput = 1.0\noutput = 10.0\ncurrency = "USD"\n'
    file.write_text(file.read_text("utf-8") + table, "utf-8")
    return open_workspace(workspace.root)


def taken(server: LLMServer) -> tuple[int, int]:
    """Tokens of requests and answers, as the server counted them."""
    usages = [completion(one.body, queries_of(one.body))["usage"] for one in server.requests]
    return (
        sum(one["prompt_tokens"] for one in usages),
        sum(one["completion_tokens"] for one in usages),
    )


@pytest.mark.parametrize("concurrency", [1, 8])
def test_a_limit_of_ten_calls_stops_at_ten_and_a_higher_one_goes_on(
    boilers: Workspace, concurrency: int
) -> None:
    with LLMServer(delay=0.01) as server:
        plan = plan_for(server.base_url, documents=12, concurrency=concurrency, max_calls=10)
        told = synth(boilers, plan, key=None)
        assert len(server.requests) == told["calls"] == told["generated"] == 10
        assert (told["state"], told["stopped"], told["waiting"]) == ("stopped", "cap_calls", 2)
        again = resume_synthesis(boilers, told["synthesis_id"], key=None)
        assert (again["calls"], again["stopped"]) == (10, "cap_calls")
        done = resume_synthesis(boilers, told["synthesis_id"], key=None, max_calls=12)
        assert (done["calls"], done["state"], done["stopped"]) == (12, "done", None)
        assert len(server.requests) == 12
        assert server.max_in_flight <= concurrency


def test_every_request_counts_failed_ones_too(boilers: Workspace) -> None:
    faults = [None, Fault("bad_json"), Fault("empty"), Fault("refusal")]
    with LLMServer(faults) as server:
        plan = plan_for(server.base_url, documents=12, concurrency=2, max_calls=10)
        told = synth(boilers, plan, key=None)
        assert len(server.requests) == told["calls"] == sum(told["outcomes"].values()) == 10
    assert told["outcomes"] == {"bad_json": 1, "empty": 1, "ok": 7, "refused": 1}
    assert told["generated"] == 7


@settings(
    max_examples=examples(3, 40),
    suppress_health_check=[HealthCheck.function_scoped_fixture],
    deadline=None,
)
@given(tokens=st.integers(500, 15_000), concurrency=st.integers(1, 8), money=st.booleans())
def test_limits_of_tokens_and_money_are_never_passed(
    boilers: Workspace, tokens: int, concurrency: int, *, money: bool
) -> None:
    workspace = price(boilers, f"model-{time.monotonic_ns()}")
    model = list(workspace.settings.prices)[-1]
    limit = {"max_cost": tokens * 2e-6} if money else {"max_total_tokens": tokens}
    with workspace, LLMServer() as server:
        plan = plan_for(server.base_url, model=model, concurrency=concurrency, **limit)
        told = synth(workspace, plan, key=None)
        prompt, completion = taken(server)
    assert told["tokens"] == prompt + completion
    assert told["cost"] == pytest.approx(prompt * 1e-6 + completion * 1e-5)
    assert told["cost"] <= plan.max_cost if plan.max_cost else told["tokens"] <= tokens
    assert told["state"] == ("done" if told["waiting"] == 0 else "stopped")
    assert told["stopped"] in (None, "cap_cost" if money else "cap_tokens")


def test_money_is_not_limited_where_no_price_is_known(boilers: Workspace) -> None:
    with LLMServer() as server:
        with pytest.raises(BuilderError, match="the price of test-model is unknown"):
            synth(boilers, plan_for(server.base_url, max_cost=1.0), key=None)
        assert not server.requests
        told = synth(boilers, plan_for(server.base_url, documents=1), key=None)
    assert (told["cost"], told["currency"]) == (None, None)
    assert told["tokens"] > 0


def test_a_price_that_is_known_later_tells_what_earlier_calls_cost(boilers: Workspace) -> None:
    with LLMServer() as server:
        told = synth(boilers, plan_for(server.base_url, documents=2, max_calls=1), key=None)
        with price(boilers) as workspace:
            done = resume_synthesis(workspace, told["synthesis_id"], key=None, max_calls=5)
        prompt, completion = taken(server)
    assert told["cost"] is None
    assert done["cost"] == pytest.approx(prompt * 1e-6 + completion * 1e-5)
    assert done["currency"] == "USD"


def test_an_empty_purse_stops_the_run_at_once(boilers: Workspace) -> None:
    with LLMServer(lambda n, _body: QUOTA if n >= 4 else None, delay=0.02) as server:
        told = synth(boilers, plan_for(server.base_url, concurrency=3), key=None)
        assert len(server.requests) <= 4 + 3
    assert (told["state"], told["stopped"]) == ("stopped", "quota")
    assert told["outcomes"]["ok"] == 4
    assert told["waiting"] == 8
    assert "quota" in told["message"]


@pytest.mark.parametrize("kind", ["unauthorized", "no_model"])
def test_what_would_be_rejected_again_is_sent_once(boilers: Workspace, kind: str) -> None:
    with LLMServer(lambda _n, _body: Fault(kind)) as server:
        told = synth(boilers, plan_for(server.base_url, concurrency=8), key=None)
        assert len(server.requests) == 1
    assert (told["stopped"], told["outcomes"]) == ("rejected", {"rejected": 1})
    assert len(told["message"]) > len("The server rejects every request of this kind.")


def test_the_wait_that_a_server_names_is_obeyed_and_it_slows_the_run(boilers: Workspace) -> None:
    with LLMServer([None, Fault("rate_limited", retry_after="0.6")], delay=0.01) as server:
        told = synth(boilers, plan_for(server.base_url, concurrency=4), key=None)
        times = [one.at for one in server.requests]
    assert told["state"] == "done"
    assert told["outcomes"] == {"ok": 12, "rate_limited": 1}
    # Those that were on their way with it may come up to a moment later.
    longest = max(later - earlier for earlier, later in itertools.pairwise(times))
    assert longest >= 0.55


def test_a_wait_of_hours_stops_the_run(boilers: Workspace) -> None:
    with LLMServer([Fault("rate_limited", retry_after="7200")]) as server:
        told = synth(boilers, plan_for(server.base_url, concurrency=1), key=None)
        assert len(server.requests) == 1
    assert (told["stopped"], told["waiting"], told["failed"]) == ("rate_limited", 12, 0)
    assert what_is_left(boilers, told["synthesis_id"])["waiting"] == 12
    assert list_syntheses(boilers)[0]["stopped"] == "rate_limited"


@pytest.mark.parametrize("kind", ["server_error", "no_choices", "bad_json"])
def test_nothing_is_repeated_without_bound(boilers: Workspace, kind: str) -> None:
    with LLMServer(lambda _n, _body: Fault(kind)) as server:
        told = synth(boilers, plan_for(server.base_url, concurrency=2), key=None)
        assert len(server.requests) == told["calls"] <= FAILURES_IN_A_ROW + 2 * 2
    assert told["stopped"] == "failures"
    assert sum(told["outcomes"].values()) == told["calls"]
    assert told["generated"] == 0


def test_refused_documents_are_asked_of_once(boilers: Workspace) -> None:
    with LLMServer(lambda _n, _body: Fault("refusal")) as server:
        told = synth(boilers, plan_for(server.base_url, documents=5), key=None)
        assert len(server.requests) == 5
    assert (told["state"], told["failed"], told["generated"]) == ("done", 5, 0)


def test_a_server_that_is_not_there_ends_the_run_and_can_be_asked_later(
    boilers: Workspace,
) -> None:
    with LLMServer() as server:
        port = int(server.base_url.split(":")[2].removesuffix("/v1"))
        # Calls that reached nobody fill no limit.
        plan = plan_for(server.base_url, documents=2, concurrency=8, max_calls=2)
    told = synth(boilers, plan, key=None)
    assert (told["stopped"], told["waiting"], told["failed"]) == ("unreachable", 2, 0)
    assert told["outcomes"] == {"unreachable": UNREACHABLE_IN_A_ROW}
    assert "Connection refused" in told["message"]
    assert (told["cost"], told["untold"], told["warnings"]) == (0, 0, [])
    with boilers.store.read() as connection:
        assert documents_in_use(connection) == set()
    with LLMServer(port=port) as server:
        done = resume_synthesis(boilers, told["synthesis_id"], key=None)
        assert len(server.requests) == 2
    assert (done["state"], done["generated"]) == ("done", 2)


def test_a_server_that_knows_only_plain_words_is_asked_by_them_from_then_on(
    boilers: Workspace,
) -> None:
    with LLMServer(knows=["plain"]) as server:
        first = synth(boilers, plan_for(server.base_url, documents=4, concurrency=4), key=None)
        assert first["outcomes"] == {"ok": 4, "unsupported": 2}
        second = synth(boilers, plan_for(server.base_url, documents=4, concurrency=4), key=None)
    assert second["outcomes"] == {"ok": 4}
    assert {call["rung"] for call in calls_of(boilers, second["synthesis_id"])} == {"plain"}


def test_a_passage_that_is_too_long_is_asked_of_by_its_half(boilers: Workspace) -> None:
    def too_long(_number: int, body: Mapping[str, Any]) -> Fault | None:
        length = len(body["messages"][-1]["content"])
        return Fault("overflow_openai") if length > shortest - 30 else None

    with LLMServer() as server:
        synth(boilers, plan_for(server.base_url, documents=1), key=None)
        shortest = len(server.requests[0].body["messages"][-1]["content"])
    with LLMServer(too_long) as server:
        told = synth(boilers, plan_for(server.base_url, documents=1), key=None)
    assert told["outcomes"] == {"context_overflow": 1, "ok": 1}
    assert told["generated"] == 1


def test_no_answer_in_time_may_have_been_paid_for_and_is_counted_so(boilers: Workspace) -> None:
    file = boilers.root / SETTINGS_FILE
    file.write_text(file.read_text("utf-8") + "\n[llm]\ntimeout_seconds = 1\n", "utf-8")
    with LLMServer([Fault("hang")]) as server, open_workspace(boilers.root) as workspace:
        plan = plan_for(server.base_url, documents=1, max_calls=1)
        told = synth(workspace, plan, key=None)
    assert (told["outcomes"], told["untold"], told["tokens"]) == ({"timeout": 1}, 1, 0)
    assert told["stopped"] == "cap_calls"
    assert any("told no tokens" in warning for warning in told["warnings"])


def test_what_was_given_up_is_asked_again_only_if_somebody_wants_it(boilers: Workspace) -> None:
    with LLMServer([Fault("refusal")]) as server:
        told = synth(boilers, plan_for(server.base_url, documents=2, concurrency=1), key=None)
        assert (told["state"], told["failed"], told["generated"]) == ("done", 1, 1)
        resume_synthesis(boilers, told["synthesis_id"], key=None)
        assert len(server.requests) == 2
        done = resume_synthesis(boilers, told["synthesis_id"], key=None, retry_failed=True)
        assert len(server.requests) == 3
    assert (done["failed"], done["generated"]) == (0, 2)


def test_a_document_that_changed_meanwhile_is_not_asked_of(boilers: Workspace) -> None:
    from builder.importers import import_corpus

    with LLMServer() as server:
        told = synth(boilers, plan_for(server.base_url, documents=12, max_calls=11), key=None)
        left = [one["doc_id"] for one in calls_of(boilers, told["synthesis_id"])]
        other = next(f"d{n:04}" for n in range(12) if f"d{n:04}" not in left)
        file = boilers.root / "changed.jsonl"
        file.write_text(f'{{"_id": "{other}", "title": "", "text": "Something else now."}}\n')
        import_corpus(boilers, file, update=True)
        done = resume_synthesis(boilers, told["synthesis_id"], key=None, max_calls=20)
        assert len(server.requests) == 11
    assert (done["state"], done["failed"], done["waiting"]) == ("done", 1, 0)
    assert any("could not be asked for" in warning for warning in done["warnings"])
