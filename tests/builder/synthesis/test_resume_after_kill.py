"""A run is killed at random moments and goes on: nothing that was recorded is paid for twice."""

import time
from collections import Counter
from dataclasses import dataclass, field
from multiprocessing.context import ForkServerProcess
from pathlib import Path
from random import Random
from typing import Any

import pytest

from builder.errors import BuilderError
from builder.store.synthetic_queries import count_candidates
from builder.synthesis.running import resume_synthesis, synth
from builder.synthesis.syntheses import calls_of, list_syntheses, what_is_left
from builder.synthesis.taking_back import take_back_synthesis
from builder.workspace import Workspace
from tests.builder.synthesis.runs import plan_for, started, workspace_of
from tests.llm_server import LLMServer

CONCURRENCY = 8
PATIENCE_SECONDS = 60.0


@dataclass
class Killed:
    """What a run and its server had seen after the last kill."""

    workspace: Workspace
    server: LLMServer
    random: Random = field(default_factory=lambda: Random(7))
    unknown: list[int] = field(default_factory=list)

    def kill_after(self, session: ForkServerProcess, requests: int) -> None:
        """Let it send so many more requests, and kill it somewhere in the next moment."""
        until, given_up = len(self.server.requests) + requests, time.monotonic() + PATIENCE_SECONDS
        while len(self.server.requests) < until and session.is_alive():
            assert time.monotonic() < given_up
            time.sleep(0.001)
        time.sleep(self.random.uniform(0, 0.012))
        session.kill()
        session.join()

    def look(self) -> None:
        """After a kill: no more unknown calls than were on their way, and none without an intent.

        A request that was on its way may reach the server after its sender is dead.
        """
        calls = calls_of(self.workspace, 1)
        now_unknown = sum(call["outcome"] is None for call in calls)
        assert now_unknown - sum(self.unknown) <= CONCURRENCY
        self.unknown.append(now_unknown - sum(self.unknown))
        time.sleep(0.02)
        assert len(self.server.requests) <= len(calls)


def run_and_kill(workspace: Workspace, tasks: int, kills: int, delay: float) -> Killed:
    with LLMServer(delay=delay) as server:
        plan = plan_for(server.base_url, documents=tasks, concurrency=CONCURRENCY)
        killed = Killed(workspace, server)
        asked: dict[str, Any] = {"plan": plan.as_json(), "token": "run"}
        for _ in range(kills):
            session = started(workspace, asked)
            killed.kill_after(session, killed.random.randint(3, int(1.2 * tasks / (kills + 1))))
            killed.look()
            asked = {"synthesis_id": 1} if list_syntheses(workspace) else asked
        outcome = resume_synthesis(workspace, 1, key=None)
        assert outcome["state"] == "done"
        check_end(killed, tasks, outcome)
    return killed


def check_end(killed: Killed, tasks: int, outcome: dict[str, Any]) -> None:
    calls = calls_of(killed.workspace, 1)
    answered = Counter(call["task_id"] for call in calls if call["outcome"] == "ok")
    last = {call["task_id"]: call["outcome"] for call in calls}
    assert len(answered) == tasks
    assert set(answered.values()) == {1}
    # Nothing was sent for a task after its answer had been recorded.
    assert set(last.values()) == {"ok"}
    assert len(killed.server.requests) <= len(calls) == outcome["calls"]
    assert outcome["unknown"] == sum(killed.unknown)
    assert len(calls) == tasks + outcome["unknown"]
    with killed.workspace.store.read() as connection:
        assert count_candidates(connection, 1).generated == tasks
    assert what_is_left(killed.workspace, 1)["answered"] == tasks


def test_three_kills_of_sixty_calls_lose_and_repeat_nothing(tmp_path: Path) -> None:
    with workspace_of(tmp_path / "workspace", 60) as workspace:
        killed = run_and_kill(workspace, tasks=60, kills=3, delay=0.01)
    assert len(killed.unknown) == 3


def test_a_run_in_another_process_is_seen_refuses_a_second_one_and_is_seen_to_die(
    tmp_path: Path,
) -> None:
    with workspace_of(tmp_path / "workspace", 3) as workspace, LLMServer(delay=30) as server:
        plan = plan_for(server.base_url, documents=3, concurrency=2)
        session = started(workspace, {"plan": plan.as_json(), "token": "run"})
        given_up = time.monotonic() + PATIENCE_SECONDS
        while not server.requests:
            assert time.monotonic() < given_up
            time.sleep(0.01)
        assert list_syntheses(workspace)[0]["state"] == "running"
        left = what_is_left(workspace, 1)
        assert (left["state"], left["unknown"], left["in_flight"]) == ("running", 0, 1)
        with pytest.raises(BuilderError, match="another run of a language model is at work"):
            synth(workspace, plan, key=None)
        # The same token is the same run, wherever it is at work.
        assert synth(workspace, plan, key=None, token="run")["state"] == "running"  # noqa: S106
        with pytest.raises(BuilderError, match="synthesis 1 is at work"):
            take_back_synthesis(workspace, 1)
        session.kill()
        session.join()
        left = what_is_left(workspace, 1)
        assert (left["state"], left["stopped"]) == ("stopped", "interrupted")
        assert (left["unknown"], left["waiting"]) == (1, 3)
        with LLMServer() as other:
            states: list[str] = []
            synth(
                workspace,
                plan_for(other.base_url, documents=1),
                key=None,
                progress=lambda *_: states.append(what_is_left(workspace, 1)["state"]),
            )
        assert set(states) == {"stopped"}


@pytest.mark.slow
def test_twenty_kills_of_five_hundred_calls_lose_and_repeat_nothing(tmp_path: Path) -> None:
    with workspace_of(tmp_path / "workspace", 500) as workspace:
        killed = run_and_kill(workspace, tasks=500, kills=20, delay=0.01)
        told = what_is_left(workspace, 1)
    assert told["failed"] == told["waiting"] == told["in_flight"] == 0
    assert sum(killed.unknown) <= 20 * CONCURRENCY
