"""One number with its interval, or the reason why it cannot be computed."""

import math
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Estimate:
    """A statistic with its interval; `value` is None where it cannot be computed.

    Attributes:
        value: The statistic, in its own unit; None where it is undefined.
        low: Lower end of the 95 % interval; None where there is none.
        high: Upper end of the 95 % interval; None where there is none.
        n: How many units (queries, sessions, pairs) stand behind it.
        reason: Why `value`, or where it has one, its interval, is missing; None if both are there.
    """

    value: float | None
    low: float | None = None
    high: float | None = None
    n: int = 0
    reason: str | None = None

    def __post_init__(self) -> None:
        for name in ("value", "low", "high"):
            number = getattr(self, name)
            if number is not None and not math.isfinite(number):
                raise ValueError(f"Estimate.{name} is {number}; use None and a reason")
        if self.value is None and not self.reason:
            raise ValueError("an Estimate without a value needs a reason")

    @classmethod
    def undefined(cls, reason: str, n: int = 0) -> "Estimate":
        """An estimate without a value, and why."""
        return cls(value=None, n=n, reason=reason)

    def as_json(self) -> dict[str, float | int | str | None]:
        """The keys value, low, high, n and reason, ready for strict JSON."""
        return {
            "value": self.value,
            "low": self.low,
            "high": self.high,
            "n": self.n,
            "reason": self.reason,
        }


def finite_or_none(number: float | None) -> float | None:
    """The number, or None where it is NaN or infinite: NaN never reaches JSON."""
    return number if number is not None and math.isfinite(number) else None
