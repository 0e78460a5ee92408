"""What a team decides about grading, cards, events and clicks, table by table."""

from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from builder.settings.strict import HeaderName, Name, Strict, Template


class GradeNames(Strict):
    """What the four grades are called in this workspace; the numbers stay."""

    not_relevant: Name = Field(default="not relevant", alias="0")
    marginally_relevant: Name = Field(default="marginally relevant", alias="1")
    relevant: Name = Field(default="relevant", alias="2")
    highly_relevant: Name = Field(default="highly relevant", alias="3")

    @property
    def names(self) -> tuple[str, str, str, str]:
        """The names of the grades 0, 1, 2 and 3, in this order."""
        return (self.not_relevant, self.marginally_relevant, self.relevant, self.highly_relevant)


class Guard(Strict):
    """How long a key is swallowed after a grade, so that a double press grades nothing else.

    Attributes:
        same_key_ms: Milliseconds in which the same key again is ignored.
        other_key_ms: Milliseconds in which another key is ignored.
    """

    same_key_ms: int = Field(default=400, ge=0, le=10_000)
    other_key_ms: int = Field(default=150, ge=0, le=10_000)


Mark = Annotated[str, Field(max_length=60)]


class Marks(Strict):
    """What is not what it seems, said wherever it is shown; "" where it is as it seems.

    Attributes:
        events: "simulated" where nobody searched and clicked.
        grades: "illustrative" where the grades were made to show how grades look.
    """

    events: Mark = ""
    grades: Mark = ""


class Events(Strict):
    """What is done with search events.

    Attributes:
        keep_days: How many UTC days of them are kept; None keeps them for ever.
    """

    keep_days: int | None = Field(default=None, ge=1, le=100_000)


Threshold = Annotated[float, Field(gt=0, le=1000, allow_inf_nan=False)]

PROPOSED: dict[str, tuple[float, float, float]] = {
    "coec": (0.6, 1.0, 1.2),
    "sdbn": (0.15, 0.3, 0.5),
}
"""Measure -> thresholds that are proposed; `builder.mining.weak_grades` says where from."""


class WeakGradeRule(Strict):
    """How clicks become weak grades, which nobody judged.

    Attributes:
        measure: "coec", clicks over expected clicks (1 is as often as the place of a document makes
            one expect), or "sdbn", the chance of a click where a document is looked at (0 to 1).
        thresholds: Of the measure, ascending: below the first the weak grade is 0, from the third
            on 3. None: those that are proposed for the measure.
        min_impressions: Pairs that were shown in fewer searches get no weak grade.
        min_sessions: Nor do those that were shown in fewer sessions.
        min_confidence: Nor do those whose weak grade is less sure than this, 0 to 1.
        least_expected_clicks: Nor, by "coec", those of which fewer clicks are expected: their COEC
            is drawn to 1, whatever they are.
        without_bots: Whether sessions that are flagged as bots are left out wherever clicks decide:
            they never click, and so make every document look worse.
    """

    measure: Literal["coec", "sdbn"] = "coec"
    thresholds: Annotated[list[Threshold], Field(min_length=3, max_length=3)] | None = None
    min_impressions: int = Field(default=20, ge=1, le=1_000_000_000)
    min_sessions: int = Field(default=10, ge=1, le=1_000_000_000)
    min_confidence: float = Field(default=0.0, ge=0, le=1)
    least_expected_clicks: float = Field(default=1.0, ge=0, le=1_000_000_000)
    without_bots: bool = Field(default=True, strict=True)

    @model_validator(mode="after")
    def _ascending(self) -> Self:
        low, middle, high = self.bounds
        if not low < middle < high:
            raise ValueError("the thresholds must ascend, each above the one before")
        if self.measure == "sdbn" and high >= 1:
            raise ValueError("thresholds of sdbn are chances of a click, below 1")
        return self

    @property
    def bounds(self) -> tuple[float, float, float]:
        """From where on the weak grade is 1, 2 and 3."""
        if self.thresholds is None:
            return PROPOSED[self.measure]
        low, middle, high = self.thresholds
        return low, middle, high

    def as_json(self) -> dict[str, Any]:
        """The rule by name, the thresholds that hold among them."""
        return {**self.model_dump(), "thresholds": list(self.bounds)}


class SignIn(Strict):
    """Who says who is grading.

    Attributes:
        header: The HTTP header in which a trusted proxy names the person, such as
            X-Auth-Request-Email; "" where people pick their own name. The proxy must take the
            header away from what clients send.
    """

    header: HeaderName = ""


class Card(Strict):
    """What raters see of a document: templates, in which {field} stands for one of its fields.

    Fields are title, text, doc_id and whatever metadata the corpus brought. A line whose fields
    are all empty is left out.

    Attributes:
        title: The heading.
        lines: Small lines between heading and text, such as "{brand} - {price} EUR".
        text: The body.
        image: The address of a picture, such as "{image_url}"; "" for none. http and https only.
        link: The address of the document itself, such as "{url}"; "" for none.
    """

    title: Template = "{title}"
    lines: list[Template] = Field(default_factory=list, max_length=10)
    text: Template = "{text}"
    image: Template = ""
    link: Template = ""
