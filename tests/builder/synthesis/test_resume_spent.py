"""What a run has taken when it goes on: what is not known counts at its most, and is told."""

from builder.store.llm_calls import Answer, Intent, Spent, add_call, finish_call, spent_by
from builder.store.syntheses import add_synthesis, add_tasks, waiting_tasks
from builder.synthesis.prompts import load_prompts
from builder.synthesis.running import resume_synthesis
from builder.synthesis.settled import settled_now
from builder.synthesis.syntheses import what_is_left
from builder.synthesis.tasks import make_tasks
from builder.workspace import Workspace
from tests.builder.synthesis.runs import plan_for
from tests.llm_server import LLMServer


def answer(outcome: str, prompt: int | None, completion: int | None) -> Answer:
    return Answer(outcome, "", 200, "m", "stop", prompt, completion, None, None, 5, "")


def run_that_died(workspace: Workspace, base_url: str, **limits: int) -> int:
    """Three tasks; of three calls one has no outcome, one no tokens."""
    settled = settled_now(workspace.settings, plan_for(base_url, documents=3, **limits))
    specs = make_tasks(workspace, settled.plan).specs
    prompts = {name: prompt.as_json() for name, prompt in load_prompts().items()}
    parameters = {**settled.as_json(), "prompts": prompts}
    with workspace.store.write() as connection:
        number = add_synthesis(connection, parameters, "terminal", None)
        add_tasks(connection, number, specs)
        first, second, third = (row.task_id for row in waiting_tasks(connection, number))
        add_call(connection, Intent(first, 1, "plain", 0, 1000, 256))
        refused = add_call(connection, Intent(second, 1, "plain", 0, 2000, 256))
        finish_call(connection, refused, answer("rate_limited", 0, 0))
        silent = add_call(connection, Intent(third, 1, "plain", 0, 4000, 256))
        finish_call(connection, silent, answer("timeout", None, None))
        told = add_call(connection, Intent(third, 2, "plain", 0, 4000, 256))
        finish_call(connection, told, answer("bad_json", 700, 30))
    return number


def test_what_is_not_known_counts_at_its_most(boilers: Workspace) -> None:
    number = run_that_died(boilers, "http://127.0.0.1:9/v1")
    with boilers.store.read() as connection:
        spent = spent_by(connection, number)
    # Of the first call 1000 and 256 at most, of the third 4000 and 256; the others are told.
    assert spent == Spent(
        calls=4,
        unknown=1,
        prompt_tokens=700,
        completion_tokens=30,
        most_prompt_tokens=1000 + 0 + 4000 + 700,
        most_completion_tokens=256 + 0 + 256 + 30,
        untold=2,
        cost=0.0,
        costed=0,
    )
    left = what_is_left(boilers, number)
    assert (left["stopped"], left["unknown"], left["waiting"]) == ("interrupted", 1, 3)


def test_limits_hold_with_what_may_have_been_paid_for(boilers: Workspace) -> None:
    most = 1000 + 4000 + 700 + 256 + 256 + 30
    with LLMServer() as server:
        number = run_that_died(boilers, server.base_url, max_total_tokens=most + 300)
        told = resume_synthesis(boilers, number, key=None)
        assert not server.requests
        assert (told["stopped"], told["unknown"]) == ("cap_tokens", 1)
        assert any("may have been paid for" in warning for warning in told["warnings"])
        again = resume_synthesis(boilers, number, key=None, max_calls=5, max_total_tokens=100_000)
        assert len(server.requests) == 1
        assert again["stopped"] == "cap_calls"
