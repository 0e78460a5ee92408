"""Methods, strata, reasons and kinds of personal data, as a person reads them."""

import re
from collections.abc import Mapping

from builder.errors import BuilderError
from builder.mining.options import Allocation, By, Handling, Method
from ui.dashboards.filters import CLASSES
from ui.numbers import count, in_words, percent

METHODS: Mapping[Method, tuple[str, str]] = {
    "stratified": (
        "Stratified",
        "Some of every group: frequent and rare queries alike. The best start for a test set.",
    ),
    "random": (
        "Random",
        "Each query has the same chance, however often it is searched. Most will be rare ones.",
    ),
    "traffic": (
        "By traffic",
        "The chance grows with how often a query is searched: what users see most.",
    ),
}
"""Method -> its name, and a sentence about it."""

STRATA: Mapping[By, str] = {
    "traffic": "how often they are searched",
    "tag": "tag",
    "class": "class of query",
    "language": "language",
    "outcome": "what came of the searches",
}
"""By what queries are told apart."""

ALLOCATIONS: Mapping[Allocation, tuple[str, str]] = {
    "equal": ("As many of each", "Each group gives as many queries, as far as it has them."),
    "proportional": ("By size", "Each group gives queries by how many different ones it has."),
}
"""Allocation -> its name, and a sentence about it."""

PERSONAL: Mapping[Handling, tuple[str, str]] = {
    "drop": ("Leave such queries out", ""),
    "mask": ("Mask it", "The query stays, with [email] or [phone] where it stood."),
    "keep": ("Keep it", ""),
}
"""Handling of personal data -> its name, and what that means."""

KEEP_WARNING = (
    "Queries with e-mail addresses, phone numbers or the like are kept as they were typed.",
    "Raters read them, and they go into releases. Keep them only where you may.",
)

_KINDS: Mapping[str, tuple[str, str]] = {
    "email": ("e-mail address", "e-mail addresses"),
    "phone": ("phone number", "phone numbers"),
    "payment_card": ("card number", "card numbers"),
    "iban": ("IBAN", "IBANs"),
    "long_number": ("long number", "long numbers"),
}

_REASONS: Mapping[str, tuple[str, str]] = {
    "empty": ("is empty", "are empty"),
    "too_long": ("is too long to be a query", "are too long to be queries"),
    "personal_data": ("holds personal data", "hold personal data"),
    "few_sessions": (
        "was searched in fewer sessions than asked for",
        "were searched in fewer sessions than asked for",
    ),
    "merged": (
        "is nearly the same as another and counts with it",
        "are nearly the same as others and count with them",
    ),
}
"""Why queries cannot be drawn: what follows one, and several."""

_OUTCOMES: Mapping[str, str] = {
    "zero_result": "without results",
    "no_click": "without a click",
    "clicked": "clicked",
}


def queries_of(n: int) -> str:
    """How many queries."""
    return f"{count(n)} {'query' if n == 1 else 'queries'}"


def searches_of(n: int) -> str:
    """How many searches."""
    return f"{count(n)} {'search' if n == 1 else 'searches'}"


def method_name(method: Method) -> str:
    """A method's name."""
    return METHODS[method][0]


def stratum_name(stratum: str, by: str = "") -> str:
    """A stratum's name; of the strata of traffic it is their word."""
    if names := {"class": CLASSES, "outcome": _OUTCOMES}.get(by):
        return names.get(stratum, in_words(stratum))
    if by in ("tag", "language") and not stratum:
        return f"no {by}"
    return stratum or "all queries"


def about_stratum(stratum: str, head: float, torso: float) -> str:
    """What a stratum of traffic holds; "" for any other one.

    Args:
        stratum: head, torso, tail or another.
        head: The share that the head makes of the searches that can be drawn, 0 to 1.
        torso: The same of the torso.
    """
    shares = {"head": head, "torso": torso, "tail": 1 - head - torso}
    which = {
        "head": "the most frequent queries",
        "torso": "those that follow",
        "tail": "all the rest",
    }
    if stratum not in shares:
        return ""
    share = percent(shares[stratum]).replace(".0", "")
    return f"{which[stratum]}: about {share} of searches that can be drawn"


def reason_in_words(reason: str, n: int) -> str:
    """Why so many queries of the log cannot be drawn."""
    if reason not in _REASONS:
        return f"{queries_of(n)}: {in_words(reason)}"
    one, several = _REASONS[reason]
    return f"{queries_of(n)} {one if n == 1 else several}"


def error_on_the_page(error: BuilderError) -> BuilderError:
    """The same error without codes and options of commands."""
    message = re.sub(
        r"(\d) ([a-z_]+)(?=[,)])",
        lambda found: f"{found[1]} {_SHORT.get(found[2], in_words(found[2]))}",
        error.message,
    )
    hint = re.sub(r" \(--[^)]*\)| with `goldsmith[^`]*`", "", error.hint or "")
    return BuilderError(message, where=error.where, hint=hint)


def warning_on_the_page(warning: str, by: str) -> str:
    """The same warning with the names that strata have on the page."""
    named = re.sub(r"\bsampling(?= (?:\d|alone))", "sample", warning)
    return re.sub(r"(?<=in the stratum )\w+", lambda found: stratum_name(found[0], by), named)


_SHORT = {
    "few_sessions": "of too few sessions",
    "personal_data": "with personal data",
    "merged": "nearly the same as others",
}
"""Reasons where there is room for no sentence."""


def kind_in_words(kind: str, n: int) -> str:
    """How many e-mail addresses, phone numbers and so on."""
    one, several = _KINDS.get(kind, (in_words(kind), in_words(kind)))
    return f"{count(n)} {one if n == 1 else several}"
