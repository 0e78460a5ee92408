"""How queries are drawn, as the page asks for it: the address keeps all of it."""

from collections.abc import Mapping, Sequence
from typing import TypeVar

import streamlit as st

from builder.mining.options import MOST_QUERIES, By, Handling, Sampling
from online.engines import Choice
from ui.dashboards.counting import Log
from ui.dashboards.filters import note_unoffered
from ui.frame import note
from ui.mining.words import ALLOCATIONS, KEEP_WARNING, METHODS, PERSONAL, STRATA

T = TypeVar("T", bound=str)
_ASKED_FIRST = Sampling()
_LEAST, _MOST = 1, 99
"""Per cent of the searches at which a stratum can end."""


def ask_sampling(log: Log, choice: Choice) -> Sampling:
    """What is to be drawn of the events that are meant.

    Raises:
        BuilderError: The numbers do not go together.
    """
    left, right = st.columns(2, gap="large")
    with left:
        limit = _ask_number("How many queries", "n", MOST_QUERIES, _ASKED_FIRST.limit)
        method = _ask_one("How to choose them", METHODS, "method")
    with right:
        by = _ask_by(log)
        head, torso = _ask_cuts() if by == "traffic" else (_ASKED_FIRST.head, _ASKED_FIRST.torso)
        is_stratified = method == "stratified"
        allocation = (
            _ask_one("How many of each group", ALLOCATIONS, "allocation")
            if is_stratified
            else _ASKED_FIRST.allocation
        )
    min_sessions, personal, merge_near, seed = _ask_which()
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


def _ask_which() -> tuple[int, Handling, bool, int]:
    """The least sessions, what becomes of personal data, whether near-duplicates are one; the seed.

    Who handles personal data should see what happens to it, so none of it is folded but the seed.
    """
    left, right = st.columns(2, gap="large")
    with left:
        least = _ask_number(
            "Searched in at least so many sessions", "min_sessions", 1_000_000, 1,
            help="What one person searched for once may tell who it was.",
        )  # fmt: skip
        merge = st.checkbox(
            "Merge queries that are nearly the same",
            key="merge",
            bind="query-params",
            help="Those that differ only in the order of words, endings, accents or punctuation.",
        )
    with right:
        personal: Handling = _ask_one(
            "Queries with personal data: e-mail addresses, phone numbers, cards, IBANs, long "
            "numbers",
            PERSONAL,
            "personal",
        )
    if personal == "keep":
        note(*KEEP_WARNING, kind="warning")
    with st.expander("More"):
        seed = _ask_number(
            "Seed of the draw", "seed", 2**31 - 1, 0, least=0,
            help="The same seed draws the same queries from the same log, another one others.",
        )  # fmt: skip
    return least, personal, merge, seed


def _ask_by(log: Log) -> By:
    """By what queries are told apart; by tag only where the log has tags."""
    offered: Sequence[By] = [by for by in STRATA if by != "tag" or log.tags]
    note_unoffered("by", [STRATA[by] for by in offered])
    return st.selectbox(
        "Groups (strata) by",
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
    help: str | None = None,  # noqa: A002 - as Streamlit calls it
) -> int:
    return st.number_input(
        title, least, most, first, key=key, bind="query-params", help=help, required=True
    )


def _ask_one(title: str, choices: Mapping[T, tuple[str, str]], key: str) -> T:
    """One of these, each with a sentence about it."""
    note_unoffered(key, [name for name, _ in choices.values()])
    return st.radio(
        title,
        list(choices),
        format_func=lambda choice: choices[choice][0],
        captions=[about for _, about in choices.values()],
        key=key,
        bind="query-params",
    )
