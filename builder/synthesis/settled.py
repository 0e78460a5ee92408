"""What a plan leaves to the settings is settled when a run begins, and stays as it was then."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from builder.errors import BuilderError
from builder.settings import Settings
from builder.synthesis.asking import Manner
from builder.synthesis.budget import Caps
from builder.synthesis.llm import Endpoint, Price, endpoint_of, price_of
from builder.synthesis.plan import SynthPlan
from builder.synthesis.tasks import TaskSpec


@dataclass(frozen=True, slots=True)
class Settled:
    """A plan in which nothing is left open.

    Attributes:
        plan: With model, server, temperature, length of answers and concurrency.
        endpoint: Where requests go.
        price: Of the model; None where nobody knows it.
    """

    plan: SynthPlan
    endpoint: Endpoint
    price: Price | None

    @property
    def manner(self) -> Manner:
        """How each call asks."""
        plan = self.plan
        if plan.temperature is None or plan.max_tokens is None or plan.concurrency is None:
            raise ValueError("nothing may be left open")
        return Manner(plan.per_call, plan.temperature, plan.max_tokens, plan.concurrency)

    def as_json(self) -> dict[str, Any]:
        """What `settled_before` reads, with the host for whoever looks at the record."""
        return {
            "plan": self.plan.as_json(),
            "model": self.endpoint.model,
            "host": self.endpoint.host,
            "api_version": self.endpoint.api_version,
            "price": None if self.price is None else asdict(self.price),
        }


def settled_now(settings: Settings, plan: SynthPlan) -> Settled:
    """The plan with what the settings say of this moment.

    Raises:
        BuilderError: The plan makes no sense, or limits money without a price.
        SettingsError: No model is named, or the server's address does not fit.
    """
    plan.check()
    endpoint, llm = endpoint_of(settings, plan.base_url, plan.model), settings.llm
    whole = replace(
        plan,
        model=endpoint.model,
        base_url=endpoint.base_url,
        temperature=llm.temperature if plan.temperature is None else plan.temperature,
        max_tokens=llm.max_tokens if plan.max_tokens is None else plan.max_tokens,
        concurrency=llm.concurrency if plan.concurrency is None else plan.concurrency,
    )
    return _checked(Settled(whole, endpoint, price_of(settings, endpoint.model)))


def settled_before(settings: Settings, parameters: Mapping[str, Any], caps: Caps) -> Settled:
    """A run as it began, with these limits where they are told.

    A price that nobody knew then may be known now; one that was known stays.

    Raises:
        BuilderError: Money is to be limited, and the price is unknown.
    """
    plan = SynthPlan.from_json(parameters["plan"])
    plan = replace(plan, **{name: n for name, n in caps.as_json().items() if n is not None})
    endpoint = Endpoint(
        base_url=plan.base_url or "",
        model=plan.model or "",
        api_version=parameters["api_version"],
        timeout=settings.llm.timeout_seconds,
    )
    told = parameters["price"]
    price = price_of(settings, endpoint.model) if told is None else Price(**told)
    return _checked(Settled(plan, endpoint, price))


def digest_of(settled: Settled, specs: Iterable[TaskSpec]) -> str:
    """SHA-256 of what a run by this would ask for, how, and of whom.

    Examples are left out: they change with each grade that is given while somebody looks at the
    estimate.
    """
    plan, endpoint = settled.plan, settled.endpoint
    manner = [plan.per_call, plan.temperature, plan.max_tokens, endpoint.identity]
    asked = [spec._replace(examples=(), request_hash="") for spec in specs]
    told = json.dumps([manner, asked])
    return hashlib.sha256(told.encode()).hexdigest()


def _checked(settled: Settled) -> Settled:
    if settled.plan.max_cost is not None and settled.price is None:
        raise BuilderError(
            f"the cost cannot be limited: the price of {settled.endpoint.model} is unknown",
            hint=f'Write it into workspace.toml, under [prices."{settled.endpoint.model}"], or '
            "limit calls or tokens.",
        )
    return settled
