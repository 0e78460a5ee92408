"""Types, ways, reasons, flags, outcomes and states of a synthesis, as a person reads them."""

from collections.abc import Mapping
from typing import Any

from ui.numbers import count, count_of, in_words

BY: Mapping[str, tuple[str, str]] = {
    "random": ("At random", "Each document has the same chance."),
    "cluster": (
        "By subject",
        "Documents that are alike are grouped by their embeddings, and each group gives some: the "
        "whole corpus is covered.",
    ),
    "length": ("By length", "Short, middling and long documents, as many of each."),
    "field": ("By a field", "As many documents of each value of a field, such as a category."),
}
"""Way to choose documents -> its name, and a sentence about it."""

REASONS: Mapping[str, str] = {
    "finish_reason": "the answer did not end by itself",
    "more_than_asked": "more than was asked for",
    "empty": "empty",
    "length": "too short, too long or not one line",
    "foreign_address": "only an address that the document does not name",
    "refers_to_document": 'speaks of "the document"',
    "language": "in another language",
    "example_copy": "copies an example",
    "copied_span": "copied from the document",
    "injection": "may follow orders in the document",
    "near_duplicate_document": "nearly the same as another of its document",
    "near_duplicate_set": "nearly the same as another of the set",
    "in_log": "in the search log already",
}
"""Why a filter rejected a query."""

FLAGS: Mapping[str, str] = {
    "not_found": "no search finds its document",
    "suspect_document": "its document holds what looks like orders to a model",
}
"""What was noticed of a query that was kept."""

OUTCOMES: Mapping[str, str] = {
    "ok": "answered",
    "refused": "refused by the model",
    "truncated": "cut off at the limit of tokens",
    "bad_json": "not in the form asked for",
    "empty": "empty",
    "rate_limited": "sent faster than the server allows",
    "quota": "refused since the allowance is used up",
    "context_overflow": "with a passage too long for the model",
    "server": "failed at the server",
    "timeout": "without an answer in time",
    "unsupported": "in a form of answer that the server does not know",
    "rejected": "rejected by the server",
}
"""What came of a call."""

STATES: Mapping[str, str] = {
    "ready": "not sent yet",
    "running": "at work",
    "stopped": "stopped",
    "done": "done",
}


def queries_of(n: int) -> str:
    """How many queries."""
    return f"{count(n)} {'query' if n == 1 else 'queries'}"


def reason_name(code: str) -> str:
    """A reason or a flag of a filter."""
    return REASONS.get(code) or FLAGS.get(code) or in_words(code)


def money(value: float | None, currency: str | None) -> str:
    """An amount: 0.0042 USD; "unknown" where there is no price.

    Small amounts keep two figures that count: 0.00 would be read as nothing.
    """
    if value is None:
        return "unknown"
    if value == 0 or value >= 1:
        said = f"{value:,.2f}"
    else:
        said = f"{value:.2f}" if value >= 0.1 else f"{value:.2g}"
    # Never 1e-05.
    said = f"{value:.6f}".rstrip("0") if "e" in said else said
    return f"{said} {currency or ''}".strip()


def money_span(cost: Mapping[str, Any]) -> str:
    """From the least to the most that a run may cost."""
    low, high = (money(cost[end], None) for end in ("low", "high"))
    return f"{low}\u2013{high} {cost['currency']}" if low != high else ""


def seconds_in_words(seconds: float) -> str:
    """Time as people say it: 40 seconds, 12 minutes, 2.5 hours."""
    if seconds < 90:
        return count_of(max(1, round(seconds)), "second")
    if seconds < 90 * 60:
        return count_of(round(seconds / 60), "minute")
    return f"{seconds / 3600:.1f} hours"


def plan_in_words(plan: Mapping[str, Any]) -> str:
    """What a run was asked for, in a line; untrusted."""
    by = str(plan.get("by", "random"))
    way = f"by the field {by.removeprefix('field:')}" if by.startswith("field:") else _way(by)
    said = [
        f"{count_of(plan['documents'], 'document')} {way}",
        ", ".join(map(str, plan.get("types", ()))),
        f"{count_of(plan.get('per_document', 1), 'call')} a document",
    ]
    if plan.get("per_call", 1) > 1:
        said.append(f"{queries_of(plan['per_call'])} a call")
    return " \u00b7 ".join([*said, *limits_in_words(plan), f"seed {plan.get('seed', 0)}"])


def limits_in_words(plan: Mapping[str, Any]) -> list[str]:
    """The hard limits of a run, each in words."""
    said = []
    if plan.get("max_calls") is not None:
        said.append(f"at most {count_of(plan['max_calls'], 'call')}")
    if plan.get("max_total_tokens") is not None:
        said.append(f"at most {count_of(plan['max_total_tokens'], 'token')}")
    if plan.get("max_cost") is not None:
        said.append(f"at most {money(plan['max_cost'], None)} of money")
    return said


def counted(counts: Mapping[str, int], names: Mapping[str, str]) -> str:
    """Numbers with what they are of, those that are not 0: 3 empty, 2 in another language."""
    most_first = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    told = ((names.get(code) or in_words(code), n) for code, n in most_first if n)
    return ", ".join(f"{count(n)} {what}" for what, n in told)


def _way(by: str) -> str:
    return BY[by][0].lower() if by in BY else in_words(by)
