import threading
import time
from collections.abc import Sequence
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builder.store.llm_calls import Spent
from builder.synthesis.budget import Budget, Caps, Tokens, most_of, request_bytes, told_by
from builder.synthesis.llm import Price, Reply, Request

NOTHING = Spent(0, 0, 0, 0, 0, 0, 0, 0.0, 0)
PRICE = Price(0.15, 0.6, "USD")
RUNNING = threading.Event()


def spent(calls: int = 0, prompt: int = 0, completion: int = 0) -> Spent:
    return Spent(calls, 0, prompt, completion, prompt, completion, 0, 0.0, 0)


def request(*texts: str, max_tokens: int = 100) -> Request:
    messages = tuple({"role": "user", "content": text} for text in texts)
    return Request(messages, {"type": "object"}, 0.7, max_tokens, 0)


def reply(
    status: int | None, prompt: int | None, completion: int | None, outcome: str = "server"
) -> Reply:
    return Reply(
        outcome, None, "", "", status, None, None, prompt, completion, None, None, milliseconds=1
    )


def test_calls_are_counted_at_their_most_until_it_is_known_what_they_took() -> None:
    budget = Budget(Caps(max_total_tokens=300), NOTHING, PRICE)
    most = Tokens(100, 50)
    assert budget.reserve(most, RUNNING) is None
    budget.settle(most, 40, 10)
    # 50 are spent; 150 fit, and 150 beside them do not, though nothing of these is spent.
    assert budget.reserve(most, RUNNING) is None
    budget.settle(most, None, None)
    assert budget.reserve(most, RUNNING) == "cap_tokens"


def test_what_stopped_meanwhile_reserves_nothing() -> None:
    stop = threading.Event()
    stop.set()
    budget = Budget(Caps(max_calls=1), NOTHING, None)
    assert budget.reserve(Tokens(1, 1), stop) == ""
    assert budget.reserve(Tokens(1, 1), RUNNING) is None
    budget.release(Tokens(1, 1))
    assert budget.reserve(Tokens(1, 1), RUNNING) is None
    assert budget.reserve(Tokens(1, 1), RUNNING) == "cap_calls"


def test_a_call_waits_for_those_on_their_way_where_only_they_stand_in_its_way() -> None:
    budget = Budget(Caps(max_total_tokens=250), NOTHING, None)
    most = Tokens(100, 50)
    assert budget.reserve(most, RUNNING) is None
    found: list[str | None] = []
    waiter = threading.Thread(target=lambda: found.append(budget.reserve(most, RUNNING)))
    waiter.start()
    waiter.join(0.05)
    assert waiter.is_alive()
    budget.settle(most, 60, 40)
    waiter.join()
    assert found == [None]


def test_without_a_price_no_cost_is_known_and_none_can_be_allowed() -> None:
    assert Budget(Caps(), NOTHING, PRICE).cost_of(40, 10) == pytest.approx(12e-6)
    assert Budget(Caps(), NOTHING, None).cost_of(10, 10) is None
    assert Budget(Caps(), NOTHING, PRICE).cost_of(10, None) is None
    assert Budget(Caps(max_cost=1.0), NOTHING, None).reserve(Tokens(1, 1), RUNNING) == "cap_cost"


def test_a_refused_request_took_nothing_and_an_absent_answer_may_have_been_paid_for() -> None:
    assert told_by(reply(429, None, None)) == (0, 0)
    assert told_by(reply(504, None, None, "timeout")) == (None, None)
    assert told_by(reply(400, None, None, "bad_json")) == (None, None)
    assert told_by(reply(None, None, None)) == (None, None)
    assert told_by(reply(200, None, None)) == (None, None)
    assert told_by(reply(200, 12, 3)) == (12, 3)


@given(st.lists(st.text(), min_size=1, max_size=3), st.integers(32, 500))
def test_a_request_is_no_more_tokens_than_bytes(texts: list[str], max_tokens: int) -> None:
    asked = request(*texts, max_tokens=max_tokens)
    least = sum(len(text.encode("utf-8", "surrogatepass")) for text in texts)
    assert request_bytes(asked) >= least
    assert most_of(asked).completion == max_tokens


class Server:
    """Takes what calls take, at most what was reserved, and adds up."""

    def __init__(self, budget: Budget, seed: int) -> None:
        self.budget, self.random = budget, Random(seed)
        self.calls, self.prompt, self.completion = 0, 0, 0
        self.lock = threading.Lock()
        self.ends: list[str | None] = []

    def call_until_refused(self, sizes: Sequence[Tokens]) -> None:
        for most in list(sizes) * 10:
            refused = self.budget.reserve(most, RUNNING)
            if refused is not None:
                self.ends.append(refused)
                return
            with self.lock:
                took = [self.random.choice((n, self.random.randint(0, n))) for n in most]
                is_told = self.random.random() < 0.8
                self.calls += 1
                self.prompt += took[0]
                self.completion += took[1]
            # On its way, while others ask whether they may go out, too.
            time.sleep(0.0002)
            self.budget.settle(most, *(took if is_told else (None, None)))
        self.ends.append(None)

    def serve(self, concurrency: int, sizes: Sequence[Tokens]) -> None:
        threads = [
            threading.Thread(target=self.call_until_refused, args=(sizes,))
            for _ in range(concurrency)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()


@given(
    caps=st.builds(
        Caps,
        st.none() | st.integers(1, 40),
        st.none() | st.integers(1, 9000),
        st.none() | st.floats(1e-6, 2e-3),
    ),
    before=st.builds(spent, st.integers(0, 5), st.integers(0, 500), st.integers(0, 500)),
    sizes=st.lists(
        st.builds(Tokens, st.integers(1, 400), st.integers(32, 256)), min_size=1, max_size=4
    ),
    concurrency=st.integers(1, 8),
    seed=st.integers(0, 9),
)
def test_no_limit_is_ever_passed(
    caps: Caps, before: Spent, sizes: list[Tokens], concurrency: int, seed: int
) -> None:
    server = Server(Budget(caps, before, PRICE), seed)
    server.serve(concurrency, sizes)
    calls = before.calls + server.calls
    prompt, completion = before.prompt_tokens + server.prompt, before.completion_tokens
    completion += server.completion
    # Earlier sessions may have passed a limit that was set later; then nothing more goes out.
    if server.calls and caps.max_calls is not None:
        assert calls <= caps.max_calls
    if server.calls and caps.max_total_tokens is not None:
        assert prompt + completion <= caps.max_total_tokens
    if server.calls and caps.max_cost is not None:
        assert PRICE.cost(prompt, completion) <= caps.max_cost
    assert len(server.ends) == concurrency


@pytest.mark.parametrize("concurrency", [1, 3, 8])
def test_ten_calls_are_ten_calls(concurrency: int) -> None:
    server = Server(Budget(Caps(max_calls=10), NOTHING, None), seed=1)
    server.serve(concurrency, [Tokens(10, 10)] * 2)
    assert server.calls == 10
    assert server.ends == ["cap_calls"] * concurrency
