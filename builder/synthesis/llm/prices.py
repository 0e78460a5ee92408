"""What tokens cost: the price table of the settings, which the team edits."""

from dataclasses import dataclass

from builder.settings import Settings


@dataclass(frozen=True, slots=True)
class Price:
    """What a model costs.

    Attributes:
        input: Per million tokens of the request.
        output: Per million tokens of the answer.
        currency: Such as "USD".
    """

    input: float
    output: float
    currency: str

    def cost(self, prompt_tokens: int, completion_tokens: int) -> float:
        """What so many tokens cost, in the currency.

        >>> Price(0.15, 0.6, "USD").cost(2_000_000, 500_000)
        0.6
        """
        return (prompt_tokens * self.input + completion_tokens * self.output) / 1_000_000


def price_of(settings: Settings, model: str) -> Price | None:
    """The price of `model` in the table; None where it has none: then the cost is unknown."""
    row = settings.prices.get(model)
    return None if row is None else Price(row.input, row.output, row.currency)
