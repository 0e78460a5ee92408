"""workspace.toml, read strictly: a mistyped key is an error, never a silent default."""

import difflib
import json
import re
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
    model_validator,
)

from builder.errors import SettingsError

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

_MARKS = "# Said beside these numbers wherever they are shown.\n[marks]"
_GRADE_HINT = "Grades are the numbers 0 to 3; their names may be changed, the numbers not."


def _not_blank(text: str) -> str:
    if not text.strip():
        raise ValueError("must not be blank")
    return text


def _known_timezone(name: str) -> str:
    try:
        ZoneInfo(name)
    except (OSError, ValueError, ZoneInfoNotFoundError) as error:
        raise ValueError("must be a time zone such as UTC or Europe/Berlin") from error
    return name


Name = Annotated[str, Field(max_length=200), AfterValidator(_not_blank)]


HeaderName = Annotated[str, Field(pattern=r"^[A-Za-z0-9-]*$", max_length=100)]


def _readable_template(template: str) -> str:
    if re.search(r"[{}]", re.sub(r"\{[^{}]+\}", "", template)):
        raise ValueError("must hold fields as {name}, each brace with its partner")
    return template


Template = Annotated[str, Field(max_length=1000), AfterValidator(_readable_template)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class GradeNames(_Strict):
    """What the four grades are called in this workspace; the numbers stay."""

    not_relevant: Name = Field(default="not relevant", alias="0")
    marginally_relevant: Name = Field(default="marginally relevant", alias="1")
    relevant: Name = Field(default="relevant", alias="2")
    highly_relevant: Name = Field(default="highly relevant", alias="3")

    @property
    def names(self) -> tuple[str, str, str, str]:
        """The names of the grades 0, 1, 2 and 3, in this order."""
        return (self.not_relevant, self.marginally_relevant, self.relevant, self.highly_relevant)


class Guard(_Strict):
    """How long a key is swallowed after a grade, so that a double press grades nothing else.

    Attributes:
        same_key_ms: Milliseconds in which the same key again is ignored.
        other_key_ms: Milliseconds in which another key is ignored.
    """

    same_key_ms: int = Field(default=400, ge=0, le=10_000)
    other_key_ms: int = Field(default=150, ge=0, le=10_000)


Mark = Annotated[str, Field(max_length=60)]


class Marks(_Strict):
    """What is not what it seems, said wherever it is shown; "" where it is as it seems.

    Attributes:
        events: "simulated" where nobody searched and clicked.
        grades: "illustrative" where the grades were made to show how grades look.
    """

    events: Mark = ""
    grades: Mark = ""


class Events(_Strict):
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


class WeakGradeRule(_Strict):
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


class SignIn(_Strict):
    """Who says who is grading.

    Attributes:
        header: The HTTP header in which a trusted proxy names the person, such as
            X-Auth-Request-Email; "" where people pick their own name. The proxy must take the
            header away from what clients send.
    """

    header: HeaderName = ""


class Card(_Strict):
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


class Settings(_Strict):
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


def read_settings(path: Path) -> Settings:
    """The settings in the TOML file `path`.

    Raises:
        SettingsError: The file is absent, is no TOML (the message names the line), or holds an
            unknown key or a value that does not fit (the message names the key).
    """
    try:
        text = path.read_bytes().decode("utf-8")
    except OSError as error:
        reason = f"The settings cannot be read: {error.strerror}."
        raise SettingsError(reason, where=str(path)) from error
    except UnicodeDecodeError as error:
        raise SettingsError(
            f"The settings are not UTF-8 text: byte {error.start} is wrong.",
            where=str(path),
            hint="Save the file as UTF-8.",
        ) from error
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise _broken_toml(path, str(error), text.count("\n") + 1) from error
    try:
        return Settings.model_validate(table)
    except ValidationError as error:
        raise _explained(path, error.errors()[0]) from error


def write_default_settings(path: Path, name: str) -> None:
    """Write the settings of a new workspace called `name`, each with a comment.

    Raises:
        SettingsError: The name is blank, too long, or holds what no text file can hold.
        FileExistsError: There is a file already.
    """
    try:
        settings = Settings(name=name)
    except ValidationError as error:
        raise _explained(path, error.errors()[0]) from error
    if path.exists():
        raise FileExistsError(f"{path} is there already")
    # Whole or not at all: a process that is killed here leaves no half settings.
    unfinished = path.with_name(path.name + ".part")
    unfinished.write_text(_default_text(settings), encoding="utf-8", newline="\n")
    unfinished.replace(path)


def add_marks(path: Path, marks: Marks) -> None:
    """Write into the settings file `path` what is simulated or illustrative; again is harmless.

    Raises:
        SettingsError: The settings cannot be read, or hold other marks already.
    """
    present = read_settings(path)
    if present.marks == marks:
        return
    if "marks" in present.model_fields_set:
        raise SettingsError(
            "The workspace has other marks already.",
            where=f"{path}, marks",
            hint="Change the table [marks] by hand.",
        )
    text = path.read_text(encoding="utf-8")
    lines = [f"{key} = {_quoted(mark)}" for key, mark in marks.model_dump().items()]
    scratch = path.with_name(f".{path.name}.new")
    scratch.write_text("\n".join([text.rstrip("\n"), "", _MARKS, *lines, ""]), encoding="utf-8")
    scratch.replace(path)


def _default_text(settings: Settings) -> str:
    grades = "\n".join(f"{n} = {_quoted(name)}" for n, name in enumerate(settings.grades.names))
    return f"""\
# The settings of this Goldsmith workspace. An unknown key is an error, so a typo never hides.

name = {_quoted(settings.name)}
# The zone in which the dashboard shows days and hours, such as "Europe/Berlin".
timezone = {_quoted(settings.timezone)}
# How many people grade each pair before it counts as done.
raters_per_pair = {settings.raters_per_pair}
# The share of pairs that so many people grade; one person grades each of the others.
overlap_share = {settings.overlap_share}
# The language of the texts, by which words of a query are found in inflected form.
language = {_quoted(settings.language)}

# What the grades are called; the numbers stay.
[grades]
{grades}

# A key pressed twice grades one pair: milliseconds in which a further press is ignored.
[guard]
same_key_ms = {settings.guard.same_key_ms}
other_key_ms = {settings.guard.other_key_ms}

# Search events older than so many days go with the next import; without this they are kept.
# [events]
# keep_days = 400

# How clicks become weak grades 0 to 3. These numbers are a proposal: see how far they agree with
# your experts (goldsmith agreement --clicks), and change them. "coec" is clicks over the clicks
# that the places of a document make one expect, 1 being as many; "sdbn" the chance of a click
# where a document is looked at. Below the first threshold the weak grade is 0, from the third on 3.
# [weak_grades]
# measure = "{settings.weak_grades.measure}"
# thresholds = {list(settings.weak_grades.bounds)}
# Less evidence than this is none: searches and sessions in which the document was shown.
# min_impressions = {settings.weak_grades.min_impressions}
# min_sessions = {settings.weak_grades.min_sessions}
# How sure a weak grade must be, 0 to 1.
# min_confidence = {settings.weak_grades.min_confidence}
# Of a pair with hardly an expected click nothing is known: its "coec" is near 1, whatever it is.
# least_expected_clicks = {settings.weak_grades.least_expected_clicks}
# Leave out sessions that are flagged as bots (goldsmith events bots), which never click; also where
# the pool takes what was clicked or skipped.
# without_bots = {str(settings.weak_grades.without_bots).lower()}
"""


def _quoted(text: str) -> str:
    # A TOML basic string is a JSON string, but for DEL, which TOML wants escaped.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _broken_toml(path: Path, message: str, last_line: int) -> SettingsError:
    line = re.search(r"line (\d+)", message)
    where = f"{path}, line {line[1] if line else last_line}"
    return SettingsError(
        f"The settings are no valid TOML: {message}.",
        where=where,
        hint='A line reads key = value, and text stands in quotes: name = "Shop search".',
    )


def _explained(path: Path, error: "ErrorDetails") -> SettingsError:
    key = ".".join(str(part) for part in error["loc"])
    if error["type"] == "extra_forbidden":
        return _unknown_key(path, error["loc"])
    if error["type"] == "missing":
        return SettingsError(f"The setting {key} is missing.", where=str(path))
    reason = error["msg"].removeprefix("Value error, ")
    return SettingsError(
        f"The setting {key} does not fit: {reason}.",
        where=f"{path}, {key} = {error['input']!r:.80}",
    )


def _unknown_key(path: Path, loc: Sequence[int | str]) -> SettingsError:
    key = ".".join(str(part) for part in loc)
    known = _known_keys()
    nearest = difflib.get_close_matches(key, known, n=1, cutoff=0.5)
    hint = f"Did you mean {nearest[0]}?" if nearest else f"Known keys: {', '.join(known)}."
    if loc[0] == "grades":
        hint = _GRADE_HINT
    return SettingsError(f"The setting {key} is unknown.", where=f"{path}, {key}", hint=hint)


def _known_keys() -> list[str]:
    keys: list[str] = []
    for name, field in Settings.model_fields.items():
        table = field.annotation
        if isinstance(table, type) and issubclass(table, BaseModel):
            keys += [f"{name}.{part.alias or key}" for key, part in table.model_fields.items()]
        else:
            keys.append(name)
    return keys
