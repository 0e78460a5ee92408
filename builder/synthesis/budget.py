"""Limits of calls, tokens and money that are never passed, however many calls run at once.

Before a call goes out, the most that it can take is reserved; when its outcome is known, what it
took is counted instead. A call that does not fit beside what is reserved waits for calls on their
way; one that does not fit beside what is spent ends the run.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from threading import Condition, Event
from typing import Any, NamedTuple, Self

from builder.store.llm_calls import UNREACHABLE, Spent
from builder.synthesis.llm import Price, Reply, Request
from builder.synthesis.plan import SynthPlan

CAPS = CAP_CALLS, CAP_TOKENS, CAP_COST = ("cap_calls", "cap_tokens", "cap_cost")
"""Why nothing more may be sent."""

MESSAGE_TOKENS = 32
"""Servers write a message's role and marks around it: at most so many tokens each."""
FORM_TOKENS = 512
"""What the client may add to say of which form the answer is to be."""

_LOOK_SECONDS = 0.1
_REFUSED_FROM = 400
_PERHAPS_PAID = frozenset({"timeout", "bad_json"})


class Tokens(NamedTuple):
    """Tokens of requests and of answers."""

    prompt: int
    completion: int

    @property
    def total(self) -> int:
        """Both."""
        return self.prompt + self.completion


@dataclass(frozen=True, slots=True)
class Caps:
    """What a run may take at most, over all its sessions; None: no limit.

    Attributes:
        max_calls: HTTP requests.
        max_total_tokens: Sent and received.
        max_cost: In the currency of the price.
    """

    max_calls: int | None = None
    max_total_tokens: int | None = None
    max_cost: float | None = None

    @classmethod
    def of(cls, plan: SynthPlan) -> Self:
        """Those of a plan."""
        return cls(plan.max_calls, plan.max_total_tokens, plan.max_cost)

    def as_json(self) -> dict[str, Any]:
        """Every limit by name."""
        return asdict(self)


def request_bytes(request: Request) -> int:
    """The most tokens that a request can be for a tokenizer that works on bytes.

    Such tokenizers (BPE on bytes, SentencePiece with bytes to fall back on) make at least a byte of
    each token; beside the texts stand the form of the answer and the marks of messages.
    """
    texts = (text for message in request.messages for text in message.values())
    written = sum(len(text.encode("utf-8", "surrogatepass")) for text in texts)
    schema = len(repr(request.schema).encode("utf-8", "surrogatepass"))
    return written + schema + FORM_TOKENS + MESSAGE_TOKENS * (len(request.messages) + 1)


def least_of(schema: Mapping[str, Any], max_tokens: int) -> Tokens:
    """What is reserved at least for any call: of a request that says nothing."""
    return most_of(Request((), schema, 0.0, max_tokens, None))


def most_of(request: Request) -> Tokens:
    """The most tokens that a call can take, from a server that obeys `max_tokens`."""
    return Tokens(request_bytes(request), request.max_tokens)


def told_by(reply: Reply) -> tuple[int | None, int | None]:
    """Tokens of request and answer as far as they are known; None: they may have been paid for.

    Where no connection was made nothing was sent. A server that refuses a request (status 400 and
    above) is taken to have generated nothing. A gateway that waited no longer, and one that tells
    of an answer that is no JSON, may have.
    """
    prompt, completion = reply.prompt_tokens, reply.completion_tokens
    if reply.outcome == UNREACHABLE:
        return 0, 0
    is_refused = reply.status is not None and reply.status >= _REFUSED_FROM
    if is_refused and reply.outcome not in _PERHAPS_PAID:
        return prompt or 0, completion or 0
    return prompt, completion


class Budget:
    """What is spent and reserved; used by all threads of a run."""

    def __init__(self, caps: Caps, spent: Spent, price: Price | None) -> None:
        """Begin with what earlier sessions spent, at the most where that is not known."""
        self._caps = caps
        self._price = price
        self._calls = spent.calls - spent.unsent
        self._spent = Tokens(spent.most_prompt_tokens, spent.most_completion_tokens)
        self._reserved: list[Tokens] = []
        self._changed = Condition()

    def reserve(self, most: Tokens, stop: Event) -> str | None:
        """Count a call at its most, before it goes out.

        Waits while only calls on their way stand in its way.

        Returns:
            None: it may go out, and must be settled. Else why not: "cap_calls", "cap_tokens",
            "cap_cost", or "" where `stop` was set meanwhile; then nothing is reserved.
        """
        with self._changed:
            while not stop.is_set():
                passed = self._passed_by(most, self._reserved)
                if passed is None:
                    self._calls += 1
                    self._reserved.append(most)
                    return None
                if passed == CAP_CALLS or self._passed_by(most, []):
                    return passed
                self._changed.wait(_LOOK_SECONDS)
        return ""

    def fits(self, most: Tokens) -> bool:
        """Whether a call would fit if none were on its way: what is spent only grows."""
        with self._changed:
            return self._passed_by(most, []) is None

    def settle(self, most: Tokens, prompt: int | None, completion: int | None) -> None:
        """Count what a call took instead of what was reserved for it; None: its most."""
        taken = Tokens(
            most.prompt if prompt is None else prompt,
            most.completion if completion is None else completion,
        )
        with self._changed:
            self._reserved.remove(most)
            self._spent = _sum([self._spent, taken])
            self._changed.notify_all()

    def release(self, most: Tokens) -> None:
        """A call that was reserved was not sent, or no connection was made for it."""
        with self._changed:
            self._calls -= 1
            self._reserved.remove(most)
            self._changed.notify_all()

    def cost_of(self, prompt: int | None, completion: int | None) -> float | None:
        """What these tokens cost; None where they or the price are unknown."""
        if self._price is None or prompt is None or completion is None:
            return None
        return self._price.cost(prompt, completion)

    def _passed_by(self, most: Tokens, reserved: list[Tokens]) -> str | None:
        """The limit that would be passed by this call beside these reservations."""
        caps, then = self._caps, _sum([self._spent, *reserved, most])
        if caps.max_calls is not None and self._calls >= caps.max_calls:
            return CAP_CALLS
        if caps.max_total_tokens is not None and then.total > caps.max_total_tokens:
            return CAP_TOKENS
        cost = self.cost_of(*then)
        if caps.max_cost is not None and (cost is None or cost > caps.max_cost):
            return CAP_COST
        return None


def _sum(parts: list[Tokens]) -> Tokens:
    return Tokens(sum(one.prompt for one in parts), sum(one.completion for one in parts))
