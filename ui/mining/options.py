"""How queries are drawn, as the page asks for it: the address keeps all of it."""

from collections.abc import Mapping, Sequence
from typing import TypeVar

import streamlit as st

from builder.mining.options import MOST_QUERIES, By, Sampling
from online.engines import Choice
from ui.dashboards.counting import Log
from ui.dashboards.filters import note_unoffered
from ui.frame import note
from ui.mining.words import ALLOCATIONS, KEEP_WARNING, METHODS, PERSONAL, STRATA

T = TypeVar("T", bound=str)
_ASKED_FIRST = Sampling()
_PERSONAL_HELP = "E-mail addresses, phone numbers, cards, IBANs and long numbers."
_LEAST, _MOST = 1, 99
"""Per cent of the searches at which a stratum can end."""


def ask_sampling(log: Log, choice: Choice) -> Sampling:
    """What is to be drawn of the events that are meant.

    Raises:
        BuilderError: The numbers do not go together.
    """
    left, middle, right = st.columns(3, gap="medium")
    with left:
        limit = _ask_number("How many queries", "n", MOST_QUERIES, _ASKED_FIRST.limit)
        method = _ask_one("How to choose them", METHODS, "method")
    with middle:
        by = _ask_by(log)
        head, torso = _ask_cuts() if by == "traffic" else (_ASKED_FIRST.head, _ASKED_FIRST.torso)
        allocation = (
            _ask_one("How many of each group", ALLOCATIONS, "allocation")
            if method == "stratified"
            else _ASKED_FIRST.allocation
        )
    with right:
        min_sessions, merge_near = _ask_least()
        personal = _ask_one("Personal data in queries", PERSONAL, "personal", hint=_PERSONAL_HELP)
    with st.expander("More"):
        seed = _ask_seed()
    if personal == "keep":
        note(*KEEP_WARNING, kind="warning")
    return Sampling(
        limit=limit,
        method=method,
        by=by,
        head=head,
        torso=torso,
        allocation=allocation,
        seed=seed,
        min_sessions=min_sessions,
        personal=personal,
        merge_near=merge_near,
        choice=choice,
    )


def _ask_least() -> tuple[int, bool]:
    """The least sessions of a query, and whether near-duplicates are one."""
    least = _ask_number(
        "Sessions, at least",
        "min_sessions",
        1_000_000,
        _ASKED_FIRST.min_sessions,
        hint="In how many sessions a query was searched. What one person searched for once may "
        "tell who it was.",
    )
    merge = st.checkbox(
        "Merge nearly equal queries",
        key="merge",
        bind="query-params",
        help="Those that differ only in the order of words, endings, accents or punctuation.",
    )
    return least, merge


def _ask_seed() -> int:
    return _ask_number(
        "Seed of the draw",
        "seed",
        2**31 - 1,
        _ASKED_FIRST.seed,
        least=0,
        hint="The same seed draws the same queries from the same log, another one others.",
    )


def _ask_by(log: Log) -> By:
    """By what queries are told apart; by tag only where the log has tags."""
    offered: Sequence[By] = [by for by in STRATA if by != "tag" or log.tags]
    note_unoffered("by", [STRATA[by] for by in offered])
    return st.selectbox(
        "Groups by",
        offered,
        format_func=STRATA.__getitem__,
        key="by",
        bind="query-params",
    )


def _ask_cuts() -> tuple[float, float]:
    """The shares of the searches that head and torso make."""
    first = (round(100 * _ASKED_FIRST.head), round(100 * (_ASKED_FIRST.head + _ASKED_FIRST.torso)))
    end, other_end = st.slider(
        "Head and torso end at so many % of the searches",
        _LEAST,
        _MOST,
        first,
        key="cuts",
        bind="query-params",
        format="%d %%",
        help="The most frequent queries are the head, those that follow the torso, the rest the "
        "tail.",
    )
    return end / 100, (other_end - end) / 100


def _ask_number(
    title: str,
    key: str,
    most: int,
    first: int,
    *,
    least: int = 1,
    hint: str | None = None,
) -> int:
    text = st.query_params.get(key)
    # The widget drops what it cannot take without a word.
    if text and not (text.isascii() and text.isdigit() and least <= int(text) <= most):
        note(
            f"{key}={text} is no number from {least:,} to {most:,}: it does not count.",
            kind="warning",
        )
    return st.number_input(title, least, most, first, key=key, bind="query-params", help=hint)


def _ask_one(
    title: str, choices: Mapping[T, tuple[str, str]], key: str, hint: str | None = None
) -> T:
    """One of these, each with a sentence about it."""
    note_unoffered(key, [name for name, _ in choices.values()])
    return st.radio(
        title,
        list(choices),
        format_func=lambda choice: choices[choice][0],
        captions=[about for _, about in choices.values()],
        key=key,
        bind="query-params",
        help=hint,
    )
