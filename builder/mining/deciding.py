"""The click evidence that decisions rest on: what is pooled, weak grades, clicks against experts.

Sessions that are flagged as bots are left out of it, as long as the settings say so: they never
click, and so make every document look worse than it is. What was left out is always told.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypedDict

from builder.mining.choices import choice_from_json
from builder.workspace import Workspace
from evals.records import Progress
from online.engines import Choice
from online.report import EVERYTHING

if TYPE_CHECKING:
    from online.evidence import Evidence, EvidenceSummary

JOB = "click_evidence"
"""The kind of the job that counts evidence."""
JOB_TARGET = "builder.mining.deciding:evidence_job"


class Flagged(TypedDict):
    """Searches of flagged sessions.

    Attributes:
        left_out: How many were left out.
        counted: How many count like all others; one of the two is 0.
    """

    left_out: int
    counted: int


def deciding_choice(workspace: Workspace, choice: Choice = EVERYTHING) -> Choice:
    """The choice, without flagged sessions where the settings say so."""
    rule = workspace.settings.weak_grades
    return replace(choice, without_bots=choice.without_bots or rule.without_bots)


def deciding_evidence(
    workspace: Workspace, choice: Choice = EVERYTHING, progress: Progress | None = None
) -> "Evidence":
    """The click evidence of a choice of searches, without flagged sessions as the settings say.

    Args:
        workspace: Its log and its settings.
        choice: Which searches count.
        progress: Hears what is done; may raise to cancel.

    Raises:
        OnlineError: The choice makes no sense, or the lake is damaged.
    """
    from online.evidence import find_evidence

    asked = deciding_choice(workspace, choice)
    return find_evidence(workspace.lake, workspace.cache_folder, asked, progress)


def flagged_of(summary: "EvidenceSummary") -> Flagged:
    """How many searches of flagged sessions were left out of some evidence, or count in it."""
    n, out = summary.flagged_searches, summary.flagged_left_out
    return {"left_out": n if out else 0, "counted": 0 if out else n}


def flagged_in_words(flagged: Mapping[str, int] | Flagged | None) -> str:
    """The same as a sentence; "" where no session is flagged, or nothing is told of it."""
    if not flagged:
        return ""
    if n := flagged["left_out"]:
        return f"{_searches(n)} of sessions that are flagged as bots {_was(n)} left out."
    if n := flagged["counted"]:
        return f"{_searches(n)} of sessions that are flagged as bots {_was(n)} counted."
    return ""


def evidence_job(
    workspace: Workspace, parameters: Mapping[str, Any], progress: Progress
) -> dict[str, Any]:
    """The job that counts the evidence of a choice, so that a page finds it in the cache.

    Args:
        workspace: Its log.
        parameters: "choice": as `builder.mining.choices` writes it; it is taken as it is.
        progress: Hears what is done; may raise to cancel.

    Returns:
        {"pairs", "searches"}.

    Raises:
        OnlineError: The choice makes no sense, or the lake is damaged.
    """
    from online.evidence import find_evidence

    choice = choice_from_json(parameters["choice"])
    found = find_evidence(workspace.lake, workspace.cache_folder, choice, progress).summary
    return {"pairs": found.pairs, "searches": found.searches}


def _searches(n: int) -> str:
    return f"{n:,} search{'' if n == 1 else 'es'}"


def _was(n: int) -> str:
    return "was" if n == 1 else "were"
