"""The settings of a workspace as a whole."""

from typing import Annotated
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import AfterValidator, Field

from builder.settings.llm import LLMSettings, ModelPrice
from builder.settings.strict import Name, Strict
from builder.settings.synthesis import SynthesisSettings
from builder.settings.tables import (
    Card,
    Events,
    GradeNames,
    Guard,
    Marks,
    SignIn,
    WeakGradeRule,
)


def _known_timezone(name: str) -> str:
    try:
        ZoneInfo(name)
    except (OSError, ValueError, ZoneInfoNotFoundError) as error:
        raise ValueError("must be a time zone such as UTC or Europe/Berlin") from error
    return name


class Settings(Strict):
    """What a team decides for its workspace.

    Attributes:
        name: What the workspace is called on screen.
        timezone: The zone in which the dashboard shows days and hours.
        language: ISO 639-1 code of the texts, by which words of a query are found in inflected
            form.
        raters_per_pair: How many people grade each pair before it counts as done.
        overlap_share: The share of pairs, 0 to 1, that so many people grade; one person grades
            each of the others. The same pairs whatever their order of arrival.
        lease_minutes: How long a pair on somebody's screen is kept from others.
        grades: The names of the grades 0 to 3.
        guard: Protection against double presses, in milliseconds.
        events: How long search events are kept.
        marks: What is simulated or illustrative here, as in the demo.
        weak_grades: How clicks become weak grades.
        synthesis: What a validation of synthetic queries must show.
        llm: Which language model writes queries.
        prices: What language models cost, by the model's name.
    """

    name: Name
    timezone: Annotated[str, AfterValidator(_known_timezone)] = "UTC"
    language: Annotated[str, Field(pattern="^[a-z]{2}$")] = "en"
    raters_per_pair: int = Field(default=2, ge=1, le=100)
    overlap_share: Annotated[float, Field(ge=0, le=1)] = 1.0
    lease_minutes: int = Field(default=15, ge=1, le=24 * 60)
    grades: GradeNames = GradeNames()
    guard: Guard = Guard()
    sign_in: SignIn = SignIn()
    card: Card = Card()
    events: Events = Events()
    marks: Marks = Marks()
    weak_grades: WeakGradeRule = WeakGradeRule()
    synthesis: SynthesisSettings = SynthesisSettings()
    llm: LLMSettings = LLMSettings()
    prices: dict[str, ModelPrice] = Field(default_factory=dict, max_length=1000)
