"""How far experts must agree before the grades of synthetic queries count unseen."""

from typing import Annotated, Self

from pydantic import Field, model_validator

from builder.settings.strict import Strict

Share = Annotated[float, Field(gt=0, lt=1, allow_inf_nan=False)]


class SynthesisSettings(Strict):
    """What a validation of synthetic queries must show; settled for each when it is drawn.

    Attributes:
        least_agreement: The lower end of the 95 % interval of the share of source documents that
            experts find relevant must be so high.
        good_agreement: A stratum is left out where not even the upper end of its own interval is.
    """

    least_agreement: Share = 0.6
    good_agreement: Share = 0.8

    @model_validator(mode="after")
    def _ascending(self) -> Self:
        if self.least_agreement > self.good_agreement:
            raise ValueError("least_agreement must not be above good_agreement")
        return self
