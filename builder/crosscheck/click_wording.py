"""Clicks against experts in words; nothing in them comes from the workspace."""

from collections.abc import Mapping, Sequence
from typing import Any

from builder.judging.agreement.words import in_words
from builder.store.rechecks import NOBODY_LEFT, WAITING

HARDLY = 0.2
"""Below this kappa the thresholds come before single pairs."""

_NOTHING = {
    "no_log": (
        "There is no search log to compare with.",
        "Import search events: `goldsmith events import`.",
    ),
    "no_grades": ("No expert has graded a pair of an active query yet.", "Grade pairs first."),
    "no_evidence": (
        "No graded pair has clicks enough for a weak grade.",
        "Pool what was clicked and grade it, or lower the least impressions and sessions under "
        "[weak_grades] in workspace.toml.",
    ),
}


def in_a_sentence(found: Mapping[str, Any]) -> str:
    """What the comparison says."""
    if found["reason"]:
        return _NOTHING[found["reason"]][0]
    n, against = found["n_pairs"], found["n_contradictions"]
    verb = "contradicts" if against == 1 else "contradict"
    return (
        f"On {_pairs(n)} that experts graded and clicks tell of, {_kappa(found)}; "
        f"{_pairs(against)} {verb} the clicks."
    )


def what_next(found: Mapping[str, Any]) -> str:
    """What to do about it."""
    if found["reason"]:
        return _NOTHING[found["reason"]][1]
    kappa = found["kappa_quadratic"]["value"]
    if kappa is not None and kappa < HARDLY:
        return (
            "Clicks and experts hardly agree: before single pairs, look at the thresholds of weak "
            "grades, and at what the log keeps of each search."
        )
    if disputed := sum(bool(row["disputed"]) for row in found["rechecks"]):
        return (
            f"{_pairs(disputed)} got a second look that says otherwise by much: decide on the page "
            "Adjudicate."
        )
    if found["n_contradictions"] and not found["contradictions"]:
        return "Look at the strongest contradictions."
    return _about_pairs([row["sendable"] for row in found["contradictions"]])


def _about_pairs(obstacles: list[str | None]) -> str:
    if not obstacles:
        return "No pair needs another look."
    if None in obstacles:
        return "Send the strongest contradictions to a blind re-check."
    if NOBODY_LEFT in obstacles:
        return nobody_left(obstacles.count(NOBODY_LEFT))
    if WAITING in obstacles:
        return "Wait until the re-checks are graded."
    return "All contradictions are decided, or their queries wait for an analyst."


def nobody_left(n: int) -> str:
    """What to do with pairs that every active person has graded."""
    whom = "this pair" if n == 1 else f"these {n:,} pairs"
    return (
        f"Nobody is left who has not graded {whom}: decide on the page Adjudicate, or add a rater."
    )


_SETTLED = {
    "majority": "settled by the majority",
    "lower_median": "settled by the lower median",
    "mean": "settled by the rounded mean",
    "decision": "decided by an analyst",
}


def settled_in_words(row: Mapping[str, Any]) -> str:
    """What came of a re-check that was graded, to stand behind who gave which grade.

    Args:
        row: As `builder.crosscheck.rechecked.list_rechecks` tells it.
    """
    if row["result"] is None:
        return "no grade of it counts any more"
    if row["agrees"] and not row["changed"]:
        return "agrees and changed nothing"
    said = f"{_SETTLED[row['settled_by']]}: {row['result']}"
    return f"{said}; disputed: Adjudicate" if row["disputed"] else said


def rechecks_in_words(rechecks: Sequence[Mapping[str, Any]]) -> str:
    """How many wait, how many got the same grade again, and how many another one."""
    answered = [row for row in rechecks if row["state"] == "answered"]
    waiting = len(rechecks) - len(answered)
    said = []
    if waiting or not answered:
        said.append(f"{_pairs(waiting)} {'waits' if waiting == 1 else 'wait'} for a second look.")
    if answered:
        said.append(_second_looks(answered))
    return " ".join(said)


def _second_looks(answered: Sequence[Mapping[str, Any]]) -> str:
    same = sum(bool(row["agrees"]) for row in answered)
    disputed = sum(bool(row["disputed"]) for row in answered)
    said = f"{_pairs(len(answered))} had a second look: {same:,} got the same grade again"
    if other := len(answered) - same:
        said += f", {other:,} another one"
    if disputed:
        said += f"; {disputed:,} {'is' if disputed == 1 else 'are'} disputed: Adjudicate"
    return f"{said}."


def after_sending(sent: int, not_sent: Mapping[str, int]) -> str:
    """What to do once pairs were sent."""
    told = []
    if sent:
        told.append(
            f"{_pairs(sent).capitalize()} {'is' if sent == 1 else 'are'} open for one more grade; "
            "raters are not told why."
        )
    if not_sent.get(NOBODY_LEFT):
        told.append(nobody_left(not_sent[NOBODY_LEFT]))
    return " ".join(told) or "There is nothing to do."


def _kappa(found: Mapping[str, Any]) -> str:
    kappa = found["kappa_quadratic"]
    if kappa["value"] is None:
        return f"quadratic kappa is undefined ({in_words(kappa['reason'])})"
    interval = in_words(kappa["reason"])
    if kappa["low"] is not None:
        interval = f"95 % interval {kappa['low']:.2f} to {kappa['high']:.2f}"
    return f"quadratic kappa is {kappa['value']:.2f} ({interval})"


def _pairs(n: int) -> str:
    return f"{n:,} pair{'' if n == 1 else 's'}"
