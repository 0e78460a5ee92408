import threading

import pytest

from builder.synthesis.llm import OUTCOMES, RUNGS
from builder.synthesis.reactions import (
    BAD_JSON_BEFORE_NEXT_RUNG,
    FAILURES_IN_A_ROW,
    LONGEST_PAUSE_SECONDS,
    UNREACHABLE_IN_A_ROW,
    Failures,
    Ladder,
    pause_before,
    step_after,
)
from builder.synthesis.tasks import TaskSpec
from builder.synthesis.waiting import Task, WaitingTasks

NEVER = threading.Event()


def task(position: int) -> Task:
    spec = TaskSpec(position, "d1", 0, 9, "keyword", "h", "en", "all", 1, (), f"r{position}")
    return Task(position + 100, spec, 0)


@pytest.mark.parametrize("outcome", [one for one in OUTCOMES if one != "unsupported"])
def test_nothing_is_asked_for_again_without_bound(outcome: str) -> None:
    steps = [step_after(outcome, times) for times in range(1, 20)]
    again = [step for step in steps if step in ("again", "shorter")]
    assert len(again) < 8
    assert steps[-1] == {"ok": "answered", "quota": "stop", "rejected": "stop"}.get(
        outcome,
        "left" if outcome in ("rate_limited", "server", "timeout", "unreachable") else "failed",
    )


def test_pauses_grow_and_have_an_end() -> None:
    assert [pause_before("server", n) for n in (1, 2, 3)] == [0.5, 1.0, 2.0]
    assert pause_before("server", 50) == LONGEST_PAUSE_SECONDS
    assert pause_before("bad_json", 1) == 0


def test_failures_in_a_row_are_too_many_and_a_success_between_them_begins_anew() -> None:
    failures = Failures(concurrency=2)
    most = FAILURES_IN_A_ROW + 2
    assert not any(failures.stop_for("server") for _ in range(most - 1))
    assert failures.stop_for("ok") is None
    assert [failures.stop_for("timeout") for _ in range(most)][-2:] == [None, "failures"]


def test_a_server_that_is_gone_stops_a_run_later_than_one_that_was_never_there() -> None:
    for before, most in ([], UNREACHABLE_IN_A_ROW), (["ok"], UNREACHABLE_IN_A_ROW + 3):
        failures = Failures(concurrency=3)
        told = [failures.stop_for(one) for one in [*before, *["unreachable"] * most]]
        assert told[-2:] == [None, "unreachable"]


def test_a_server_that_knows_no_rung_leads_down_once_whoever_hears_of_it() -> None:
    ladder = Ladder(RUNGS[0])
    assert ladder.step_down(RUNGS[0])
    assert ladder.step_down(RUNGS[0])
    assert ladder.rung == RUNGS[1]
    assert ladder.step_down(RUNGS[1])
    assert not ladder.step_down(RUNGS[2])


def test_a_server_that_ignores_a_rung_leads_down_unless_it_worked_before() -> None:
    ladder = Ladder(RUNGS[0])
    for _ in range(BAD_JSON_BEFORE_NEXT_RUNG):
        ladder.note_bad(RUNGS[0])
    assert ladder.rung == RUNGS[1]
    assert ladder.note_good(RUNGS[1])
    assert not ladder.note_good(RUNGS[1])
    for _ in range(9):
        ladder.note_bad(RUNGS[1])
    assert ladder.rung == RUNGS[1]


def test_one_task_finds_out_whether_the_server_takes_requests_before_others_follow() -> None:
    waiting = WaitingTasks([task(1), task(0)])
    first = waiting.take(NEVER)
    assert first is not None
    assert first.spec.position == 0
    found: list[Task | None] = []
    other = threading.Thread(target=lambda: found.append(waiting.take(NEVER)))
    other.start()
    other.join(0.05)
    assert other.is_alive()
    waiting.open_up()
    other.join()
    assert [one.spec.position for one in found if one] == [1]


def test_a_task_that_is_out_may_come_back_and_none_is_left_when_all_are_done() -> None:
    waiting = WaitingTasks([task(0)])
    first = waiting.take(NEVER)
    assert first is not None
    waiting.put_back(first, 0.02)
    assert waiting.take(NEVER) is first
    waiting.done()
    assert waiting.take(NEVER) is None


def test_who_waits_for_a_task_hears_of_a_stop() -> None:
    waiting, stop = WaitingTasks([task(0)]), threading.Event()
    assert waiting.take(stop) is not None
    found: list[Task | None] = []
    other = threading.Thread(target=lambda: found.append(waiting.take(stop)))
    other.start()
    stop.set()
    other.join()
    assert found == [None]
