"""workspace.toml, written: each setting with a comment that says what it does."""

import json
from pathlib import Path

from pydantic import ValidationError

from builder.errors import SettingsError
from builder.settings.reading import explained, read_settings
from builder.settings.tables import Marks
from builder.settings.whole import Settings

_MARKS = "# Said beside these numbers wherever they are shown.\n[marks]"


def write_default_settings(path: Path, name: str) -> None:
    """Write the settings of a new workspace called `name`, each with a comment.

    Raises:
        SettingsError: The name is blank, too long, or holds what no text file can hold.
        FileExistsError: There is a file already.
    """
    try:
        settings = Settings(name=name)
    except ValidationError as error:
        raise explained(path, error.errors()[0]) from error
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

# What a validation of synthetic queries must show (goldsmith synth --validate). They are accepted
# where the 95 % interval of the share that experts agree with begins at least_agreement or higher;
# a type is left out whose own interval ends below good_agreement. Each validation keeps the rule
# that stood here when it was drawn: nobody settles it knowing the grades.
# [synthesis]
# least_agreement = {settings.synthesis.least_agreement}
# good_agreement = {settings.synthesis.good_agreement}

# Which language model writes queries (goldsmith synth). Any server that speaks OpenAI's
# chat completions; its key stands in the environment, never here.
# [llm]
# base_url = "http://localhost:8000/v1"
# model = "gpt-4o-mini"
# The environment variable that holds the key; "" sends none.
# key_variable = "{settings.llm.key_variable}"
# Of Azure OpenAI only, such as "2024-10-21"; base_url is then the resource's address.
# api_version = ""
# concurrency = {settings.llm.concurrency}
# timeout_seconds = {settings.llm.timeout_seconds:g}
# temperature = {settings.llm.temperature}
# The most tokens of one answer.
# max_tokens = {settings.llm.max_tokens}

# What a model costs per million tokens, by the price list of whoever runs it (these numbers are an
# example); without this the cost is said to be unknown.
# [prices."gpt-4o-mini"]
# input = 0.15
# output = 0.60
# currency = "USD"
"""


def _quoted(text: str) -> str:
    # A TOML basic string is a JSON string, but for DEL, which TOML wants escaped.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
