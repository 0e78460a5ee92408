"""Whatever a server does, in whatever order: each call is on record, and each task has one end."""

from collections import defaultdict

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from builder.synthesis import reactions
from builder.synthesis.reactions import TRIES
from builder.synthesis.running import resume_synthesis, synth
from builder.synthesis.syntheses import calls_of, what_is_left
from builder.workspace import Workspace
from tests.builder.synthesis.runs import plan_for
from tests.llm_server import Fault, LLMServer
from tests.thorough import examples

KINDS = (
    *("server_error", "bad_gateway", "cut", "html", "broken_body", "error_object", "no_choices"),
    *("empty", "refusal", "content_filter", "truncated", "bad_json", "not_schema", "no_finish"),
    *("unsupported_400", "unsupported_500", "overflow_openai", "dropped", "no_usage", "too_many"),
    *("fenced", "thinking", "no_seed", "quota"),
)
FAULTS = st.lists(st.none() | st.sampled_from(KINDS).map(Fault), max_size=50)
MOST_FOR_A_TASK = sum(TRIES.values()) + 3


@settings(
    max_examples=examples(3, 60),
    suppress_health_check=[HealthCheck.function_scoped_fixture],
    deadline=None,
)
@given(faults=FAULTS, concurrency=st.integers(1, 6))
def test_each_call_is_on_record_and_each_task_has_one_end(
    boilers: Workspace, faults: list[Fault | None], concurrency: int
) -> None:
    with pytest.MonkeyPatch.context() as patch, LLMServer(faults) as server:
        # Pauses are shown elsewhere.
        patch.setattr(reactions, "FIRST_PAUSE_SECONDS", 0.0)
        told = synth(boilers, plan_for(server.base_url, concurrency=concurrency), key=None)
        number = told["synthesis_id"]
        _check(boilers, number, len(server.requests))
        for _ in range(40):
            if told["state"] == "done":
                break
            told = resume_synthesis(boilers, number, key=None)
        _check(boilers, number, len(server.requests))
    assert told["state"] == "done"
    assert told["generated"] >= told["outcomes"].get("ok", 0)


def _check(workspace: Workspace, number: int, requests: int) -> None:
    calls, left = calls_of(workspace, number), what_is_left(workspace, number)
    outcomes: dict[int, list[str]] = defaultdict(list)
    for call in calls:
        outcomes[call["task_id"]].append(call["outcome"])
    assert len(calls) == requests
    assert left["unknown"] == 0
    assert left["answered"] + left["failed"] + left["waiting"] == left["tasks"] == 12
    assert left["answered"] == sum("ok" in told for told in outcomes.values())
    for told in outcomes.values():
        assert "ok" not in told[:-1]
        assert len(told) <= MOST_FOR_A_TASK
    assert (left["state"] == "done") == (left["waiting"] == 0)
