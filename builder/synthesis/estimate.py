"""What a run of a language model will take, before anything is sent: tokens, money, time."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from builder.people import actor_called, authorize
from builder.store.llm_calls import Measured, measured_by
from builder.store.syntheses import all_syntheses
from builder.synthesis.budget import Caps, Tokens, most_of
from builder.synthesis.llm import Price, Request, key_from
from builder.synthesis.plan import SynthPlan
from builder.synthesis.prompts import load_prompts, response_schema
from builder.synthesis.round_trip import check_retrievers
from builder.synthesis.settled import Settled, digest_of, settled_now
from builder.synthesis.tasks import TaskSpec, Writer, make_tasks
from builder.synthesis.token_guess import Guess, guess_answer, guess_prompt
from builder.workspace import Workspace
from evals.records import Progress

MOST_LOOKED_AT = 2000
"""Of more tasks, so many are looked at, evenly spaced; the others are taken to be like them."""
ENOUGH_CALLS = 5
"""So many earlier calls tell a ratio."""
MEASURED_SPREAD = 0.1
"""What was measured with the same prompt and language is taken to hold within a tenth."""
ASSUMED_SECONDS = 2.0
"""Of one call, where none was measured."""


def estimate(
    workspace: Workspace,
    plan: SynthPlan,
    progress: Progress | None = None,
    *,
    environment: Mapping[str, str],
) -> dict[str, Any]:
    """What `synth` by this plan would send at this moment; nothing is sent or written.

    Args:
        workspace: Its documents.
        plan: What is asked for.
        progress: Hears how far it is; may raise to stop.
        environment: Where the key is looked for (`os.environ`); only whether it is there is told.

    Returns:
        documents; calls (without repeats of failed ones); queries: as many as are asked for;
        tokens: {"input", "output", "total", "low", "high" (of the total), "measured" (the share of
        calls, 0 to 1, of which earlier calls of this model told the ratio)}; cost: {"value",
        "low", "high", "currency"}, None where the price of the model is unknown; seconds;
        seconds_measured (or assumed); concurrency; host; model; key_found; key_needed; skipped:
        {reason: documents}; strata: [{"stratum", "documents", "chosen"}]; warnings: sentences;
        caps: {"max_calls", "max_total_tokens", "max_cost"}; digest: of all that would be sent,
        which `synth` takes to send just that.

    Raises:
        BuilderError: The plan makes no sense, no model is named, there is no document to ask for.
        EvalsError: A model that parts the documents cannot be loaded, or a retriever is unknown.
    """
    settled = settled_now(workspace.settings, plan)
    check_retrievers(plan.retrievers)
    tasks = make_tasks(workspace, settled.plan, progress)
    history = _history(workspace, settled)
    taken = _taken(workspace, settled, tasks.specs, history, progress)
    calls, concurrency = len(tasks.specs), settled.manner.concurrency
    seconds = history.seconds_a_call()
    key = key_from(workspace.settings, environment)
    return {
        "documents": len({spec.doc_id for spec in tasks.specs}),
        "calls": calls,
        "queries": calls * plan.per_call,
        "tokens": taken.as_json(),
        "cost": taken.cost(settled.price),
        "seconds": calls * (seconds or ASSUMED_SECONDS) / min(concurrency, max(1, calls)),
        "seconds_measured": seconds is not None,
        "concurrency": concurrency,
        "host": settled.endpoint.host,
        "model": settled.endpoint.model,
        "key_found": key is not None,
        "key_needed": settled.endpoint.is_openai,
        "skipped": tasks.skipped,
        "strata": list(tasks.strata),
        "warnings": list(tasks.warnings) + _caps_reached(settled.plan, calls, taken, settled.price),
        "caps": Caps.of(plan).as_json(),
        "digest": digest_of(settled, tasks.specs),
    }


def estimate_job(
    workspace: Workspace, parameters: Mapping[str, Any], progress: Progress
) -> dict[str, Any]:
    """The job that estimates: `parameters` holds actor (a name) and plan (`SynthPlan.as_json`).

    Returns:
        As `estimate`.

    Raises:
        BuilderError: As `estimate`; NotAllowedError where the actor is no analyst.
    """
    import os

    authorize(workspace, actor_called(workspace, parameters["actor"]), "analyst")
    plan = SynthPlan.from_json(parameters["plan"])
    return estimate(workspace, plan, progress, environment=os.environ)


@dataclass(frozen=True, slots=True)
class _History:
    """What earlier calls of this model took."""

    measured: Sequence[Measured]

    def ratio(self, spec: TaskSpec) -> "_Ratio | None":
        """Of this prompt and language; None where too few calls tell."""
        for one in self.measured:
            if (one.prompt_hash, one.language) == (spec.prompt_hash, spec.language):
                is_enough = one.calls >= ENOUGH_CALLS
                return _Ratio(one) if is_enough else None
        return None

    def seconds_a_call(self) -> float | None:
        """On average; None where too few calls tell."""
        calls = sum(one.calls for one in self.measured)
        spent = sum(one.milliseconds for one in self.measured)
        return spent / calls / 1000 if calls >= ENOUGH_CALLS else None


class _Ratio(NamedTuple):
    measured: Measured

    def prompt(self, size: int) -> Guess:
        """Tokens of a request of so many bytes."""
        return _near(size * self.measured.prompt_tokens / self.measured.request_bytes)

    def answer(self) -> Guess:
        """Tokens of an answer."""
        return _near(self.measured.completion_tokens / self.measured.calls)


@dataclass(frozen=True, slots=True)
class _Taken:
    """What all calls will take, and what each that was looked at is reserved with."""

    low: Tokens
    likely: Tokens
    high: Tokens
    measured: float
    mosts: Sequence[Tokens]

    def as_json(self) -> dict[str, Any]:
        """As `estimate` tells it."""
        return {
            "input": self.likely.prompt,
            "output": self.likely.completion,
            "total": self.likely.total,
            "low": self.low.total,
            "high": self.high.total,
            "measured": self.measured,
        }

    def cost(self, price: Price | None) -> dict[str, Any] | None:
        """As `estimate` tells it."""
        if price is None:
            return None
        low, value, high = (price.cost(*one) for one in (self.low, self.likely, self.high))
        return {"value": value, "low": low, "high": high, "currency": price.currency}


def _history(workspace: Workspace, settled: Settled) -> _History:
    """Of runs that asked the same model at the same server for as many queries a call."""
    wanted = settled.as_json()
    same = ("model", "base_url", "per_call")
    with workspace.store.read() as connection:
        ids = [
            row.synthesis_id
            for row in all_syntheses(connection)
            if all(row.parameters["plan"].get(name) == wanted["plan"][name] for name in same)
        ]
        return _History(measured_by(connection, ids))


def _taken(
    workspace: Workspace,
    settled: Settled,
    specs: Sequence[TaskSpec],
    history: _History,
    progress: Progress | None,
) -> _Taken:
    looked_at = specs[:: -(-len(specs) // MOST_LOOKED_AT) or 1]
    guesses = list(_guesses(workspace, settled, looked_at, history, progress))
    scale = len(specs) / max(1, len(looked_at))

    def summed(which: str) -> Tokens:
        prompt = sum(getattr(one.prompt, which) for one in guesses)
        completion = sum(getattr(one.answer, which) for one in guesses)
        return Tokens(round(prompt * scale), round(completion * scale))

    measured = sum(one.is_measured for one in guesses) / max(1, len(guesses))
    mosts = [one.most for one in guesses]
    return _Taken(summed("low"), summed("likely"), summed("high"), measured, mosts)


class _Guessed(NamedTuple):
    prompt: Guess
    answer: Guess
    is_measured: bool
    most: Tokens


def _guesses(
    workspace: Workspace,
    settled: Settled,
    specs: Sequence[TaskSpec],
    history: _History,
    progress: Progress | None,
) -> Iterator[_Guessed]:
    manner = settled.manner
    schema = response_schema(manner.per_call)
    writer = Writer(workspace, load_prompts(workspace), settled.plan)
    for n, spec in enumerate(specs):
        if progress is not None:
            progress("counting what would be sent", n, len(specs))
        messages = writer.messages_of(spec)
        request = Request(messages, schema, manner.temperature, manner.max_tokens, spec.seed)
        most, ratio = most_of(request), history.ratio(spec)
        if ratio is not None:
            yield _Guessed(ratio.prompt(most.prompt), ratio.answer(), is_measured=True, most=most)
        else:
            answer = guess_answer(manner.per_call, manner.max_tokens)
            texts = [message["content"] for message in messages]
            yield _Guessed(guess_prompt(texts), answer, is_measured=False, most=most)


def _near(number: float) -> Guess:
    return Guess(number * (1 - MEASURED_SPREAD), number, number * (1 + MEASURED_SPREAD))


def _caps_reached(plan: SynthPlan, calls: int, taken: _Taken, price: Price | None) -> list[str]:
    caps, warnings = Caps.of(plan), []
    if caps.max_calls is not None and calls > caps.max_calls:
        warnings.append(f"The limit of {caps.max_calls:,} calls is below the {calls:,} planned.")
    if caps.max_total_tokens is not None:
        mosts = [most.total for most in taken.mosts]
        needs = [_tokens(n) for n in (caps.max_total_tokens, min(mosts, default=0))]
        warnings += _cap_reached(caps.max_total_tokens, taken.high.total, mosts, needs)
    if caps.max_cost is not None and price is not None:
        costs = [price.cost(*most) for most in taken.mosts]
        needs = [f"{n:.3g} {price.currency}" for n in (caps.max_cost, min(costs, default=0))]
        warnings += _cap_reached(caps.max_cost, price.cost(*taken.high), costs, needs)
    return warnings


def _tokens(n: int) -> str:
    return "1 token" if n == 1 else f"{n:,} tokens"


def _cap_reached(
    limit: float, expected: float, mosts: Sequence[float], words: Sequence[str]
) -> list[str]:
    """Whether a limit lets nothing through, or may end a run early, and what it surely allows.

    Args:
        limit: Of tokens, or money.
        expected: What all calls may take, at the high end of the guess.
        mosts: What each call is reserved with, in their order.
        words: The limit, and the least of these, as a reader sees them.
    """
    left, sure = limit, 0
    for most in mosts:
        if most <= left:
            left, sure = left - most, sure + 1
    if not sure:
        return [f"The limit of {words[0]} allows no call: one needs up to {words[1]}."]
    if expected + max(mosts) <= limit:
        return []
    calls = "1 call" if sure == 1 else f"{sure:,} calls"
    return [f"The limit of {words[0]} may end the run early; it surely allows {calls}."]
