"""The cost of disagreement in words: one sentence, and why a rater cannot be compared."""

from collections.abc import Mapping, Sequence
from typing import Any

from builder.crosscheck.comparing import MIN_MODELS, MIN_QUERIES
from builder.export.names import DRAFT

_MOSTLY = 0.5
"""Below this share of shared pairs it is said that the rest cannot differ."""

_WHY = {
    "no_pair_in_task": "graded no pair of this task",
    "no_shared_pair": "nobody else graded any of these pairs",
    "no_relevant_document": "no query has a relevant document both by these grades and by all",
}
_NOTHING = {
    "no_kept_run": "No model was evaluated on this task yet: evaluate some, then come back.",
    "no_human_grades": "No person has graded anything here, so there is nothing to compare.",
}
_BETWEEN = "Settle the disputed pairs before you choose between these models."
_ALONE = "The verdict on agreement is for everybody's grades together, this is for one rater alone."
_MOST_NAMED = 5


def in_a_sentence(cost: Mapping[str, Any]) -> str:
    """What the numbers allow; holds names of raters and models as they were given."""
    if cost["reason"]:
        return _nothing(cost)
    compared = [row for row in cost["raters"] if row["reason"] is None]
    parts = (_first(compared, cost["n_models"]), _ranking(compared, cost["n_models"]))
    shift = cost["largest_shift"]
    who = "any one rater" if len(compared) > 1 else "this rater"
    moves = f"{who} alone would shift nDCG@10 by up to {abs(shift['value']):.3f}"
    return f"{'; '.join([*filter(None, parts), moves])}.{_advice(cost['raters'], compared)}"


def why_not(row: Mapping[str, Any]) -> str | None:
    """Why this rater cannot be compared, in words; None if it can."""
    reason = row["reason"]
    if reason == "too_few_queries":
        return f"{_queries(row['n_queries'])} can be compared, {MIN_QUERIES} are needed"
    return None if reason is None else _WHY.get(reason, str(reason))


def _nothing(cost: Mapping[str, Any]) -> str:
    """Why no rater could be compared, and what to do about it."""
    if cost["reason"] == "no_comparable_rater":
        nearest = max(cost["raters"], key=lambda row: (row["n_queries"], row["n_graded"]))
        return (
            f"No rater can be compared yet; {nearest['rater']} comes nearest: {why_not(nearest)}. "
            "Let two or more raters grade the same pairs."
        )
    if cost["reason"] == "only_stale_runs":
        return (
            f"{_what(cost)} has other queries or documents than the last evaluation: evaluate "
            f"again with `{' && '.join(cost['again'])}`."
        )
    return _NOTHING[cost["reason"]]


def _what(cost: Mapping[str, Any]) -> str:
    """The task as the subject of a sentence, with the number of its release where it has one."""
    task, number = cost["task"], cost["release"]
    if task == DRAFT or not number:
        return task_in_words(task)
    return f"Release {task.removesuffix(f'@{number}')}@{number}"


def task_in_words(task: str) -> str:
    """A task as the subject of a sentence."""
    return "The draft" if task == DRAFT else f"Task {task}"


def _first(compared: Sequence[Mapping[str, Any]], n_models: int) -> str:
    """Which model is first, by each rater's grades and by all."""
    firsts = {row["ranking_by_aggregated"][0] for row in compared}
    changed = [row for row in compared if not row["first_stays"]]
    if n_models == 1:
        return f"{next(iter(firsts))} is the only model, so there is no ranking"
    if changed:
        return _changed(changed)
    first = next(iter(firsts)) if len(firsts) == 1 else "the same model"
    who = "Whoever graded" if len(compared) > 1 else f"By {compared[0]['rater']}'s grades alone"
    return f"{who}, {first} stays first of {n_models} models"


def _changed(changed: Sequence[Mapping[str, Any]]) -> str:
    if len(changed) > 1:
        names = ", ".join(row["rater"] for row in changed[:-1])
        return f"By the grades of {names} or {changed[-1]['rater']} alone another model comes first"
    (row,) = changed
    new, old = row["ranking_by_rater"][0], row["ranking_by_aggregated"][0]
    means = {model["model"]: model["by_rater"]["value"] for model in row["models"]}
    apart = means[new] - means[old]
    return f"By {row['rater']}'s grades alone {new} comes first, not {old} ({apart:.3f} apart)"


def _ranking(compared: Sequence[Mapping[str, Any]], n_models: int) -> str:
    """How far the whole ranking moves; "" where the first model says it all."""
    if n_models < MIN_MODELS:
        return ""
    if all(row["ranking_by_rater"] == row["ranking_by_aggregated"] for row in compared):
        return "the whole ranking stays as it is"
    taus = [row["kendall_tau"]["value"] for row in compared]
    known = [tau for tau in taus if tau is not None]
    return f"Kendall's tau of the rankings is at least {min(known):.2f}" if known else ""


def _advice(rows: Sequence[Mapping[str, Any]], compared: Sequence[Mapping[str, Any]]) -> str:
    """What to do next, and what the numbers cannot tell."""
    said = [_ALONE] if all(row["first_stays"] for row in compared) else [_BETWEEN]
    if len(compared) < len(rows):
        said.append(f"Not compared: {_left_out([row for row in rows if row['reason']])}.")
    share = sum(row["n_shared"] for row in compared) / sum(row["n_pairs"] for row in compared)
    if not any(row["n_different"] for row in compared):
        said.append("Not one shared grade differs: see whether they were copied.")
    elif share < _MOSTLY:
        said.append(
            f"Others graded only {share:.0%} of the compared pairs too; on the rest nothing can "
            "differ, so the true cost may be higher."
        )
    return "".join(f" {sentence}" for sentence in said)


def _left_out(rows: Sequence[Mapping[str, Any]]) -> str:
    """Names with the reason, such as: ben (12 queries; 20 are needed)."""
    told = [f"{row['rater']} ({_in_short(row)})" for row in rows[:_MOST_NAMED]]
    more = len(rows) - len(told)
    return ", ".join([*told, *([f"and {more} more"] if more else [])])


def _in_short(row: Mapping[str, Any]) -> str | None:
    if row["reason"] == "too_few_queries":
        return f"{_queries(row['n_queries'])}; {MIN_QUERIES} are needed"
    return why_not(row)


def _queries(n: int) -> str:
    return "1 query" if n == 1 else f"{n} queries"
