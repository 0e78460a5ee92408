"""Which events are meant: the filters of the pages about the log, which their addresses keep.

What an address asks for and the log does not hold is said, never dropped in silence.
"""

from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from datetime import date

import streamlit as st

from online.engines import QUERY_CLASSES, Choice
from ui.dashboards.counting import Log
from ui.frame import muted, note
from ui.numbers import count

CLASSES = {
    "keyword": "keywords",
    "question": "questions",
    "with_number": "with a number",
    "long": "six words or more",
    "empty": "empty",
}


KEYS = {
    *("from", "to", "model", "tag", "class", "without_bots", "metric", "step", "by"),
    *("queries_kind", "rater", "invite"),
}
"""What the address of the Dashboard may hold."""


def ask_choice(
    log: Log, zone: str, *, bots_left_out: bool | None = None, empty: bool = True
) -> Choice:
    """Days, model, tag, class of queries, and whether bots count.

    Args:
        log: What there is.
        zone: Whose days are meant.
        bots_left_out: What holds of bots until somebody chooses, where it has a choice of its own;
            None: the usual one, by which they count.
        empty: Whether searches without a query can be asked for.

    Raises:
        OnlineError: The first day is after the last.
    """
    said: list[str] = []
    with st.container(key="filters", horizontal=True):
        start, end = ask_days(log, said)
        model = ask_one("Model version", log.model_versions, "model", said)
        tag = ask_tag(log, said)
        query_class = ask_class(said, empty=empty)
    without_bots = ask_bots() if bots_left_out is None else ask_bots_that_decide(bots_left_out)
    if said:
        note(said[0], *said[1:], kind="warning")
    say_later(log, end)
    return Choice(start, end, model, tag, query_class, without_bots=without_bots, zone=zone)


def ask_days(log: Log, said: list[str]) -> tuple[date, date]:
    """The first and the last day, within the log; `said` gets a sentence for each that is not."""
    days = (log.first_day, log.last_day)
    return _ask_day("From", days[0], days, said), _ask_day("To", log.usual_end, days, said)


def say_later(log: Log, end: date) -> None:
    """That some searches are of days to come, where the usual days are shown."""
    if not log.later or end != log.usual_end:
        return
    is_dated = "search is" if log.later == 1 else "searches are"
    muted(
        f"{count(log.later)} {is_dated} dated after today (up to {log.last_day}): choose a later "
        f"end to see {'it' if log.later == 1 else 'them'}."
    )


def ask_tag(log: Log, said: list[str]) -> str | None:
    """One of the log's tags; None for all, and where the log has none."""
    if not log.tags:
        _say_unknown("tag", (), said)
        return None
    return ask_one("Tag", log.tags, "tag", said)


def ask_class(said: list[str], *, empty: bool = True) -> str | None:
    """One of the classes of queries; None for all."""
    offered = [name for name in QUERY_CLASSES if empty or name != "empty"]
    return ask_one("Class of query", offered, "class", said, written=CLASSES.__getitem__)


def ask_bots() -> bool:
    """Whether sessions that look like a machine's are left out."""
    return _ask_bots("without_bots", _BOTS, default=False)


def ask_bots_that_decide(default: bool) -> bool:  # noqa: FBT001 - the only thing that is asked
    """The same of click evidence; it begins with what holds where clicks decide."""
    said = f"{_BOTS} Where clicks decide, settings say whether they are left out."
    return _ask_bots("clicks_without_bots", said, default=default)


_BOTS = "Sessions that behave as no person does. They are flagged, never deleted."


def _ask_bots(key: str, said: str, *, default: bool) -> bool:
    return st.checkbox("Leave out bots", default, key=key, bind="query-params", help=said)


def ask_one(
    title: str,
    choices: Sequence[str],
    key: str,
    said: list[str],
    *,
    written: Callable[[str], str] = str,
) -> str | None:
    """One of these; None for all."""
    _say_unknown(key, [written(choice) for choice in choices], said)
    return st.selectbox(
        title,
        choices,
        index=None,
        format_func=written,
        placeholder="All",
        key=key,
        bind="query-params",
    )


def _ask_day(title: str, default: date, days: tuple[date, date], said: list[str]) -> date:
    """A day of the log. The widget takes others too: it would drop them without a word."""
    key, (first, last) = title.lower(), days
    _follow(key, default)
    asked = _day_asked(key, said) or default
    day = st.date_input(
        title,
        default,
        min(first, asked),
        max(last, asked),
        key=key,
        format="YYYY-MM-DD",
        bind="query-params",
    )
    within = min(max(day, first), last)
    if within != day:
        edge = f"begins on {first}" if day < first else f"ends on {last}"
        said.append(f"{title} {day}: the log {edge}, so {within} is taken.")
    return within


def _follow(key: str, default: date) -> None:
    """Whoever looks at all days goes on doing so when the log gets more of them."""
    before = st.session_state.get(f"whole_{key}")
    if before is not None and before != default and st.session_state.get(key) == before:
        st.session_state[key] = default
    st.session_state[f"whole_{key}"] = default


def _day_asked(key: str, said: list[str]) -> date | None:
    """What the page holds already, else what its address names."""
    if isinstance(held := st.session_state.get(key), date):
        return held
    text = st.query_params.get(key)
    if text is None:
        return None
    with suppress(ValueError):
        return date.fromisoformat(text)
    said.append(f"{key}={text} is no day such as 2026-11-30, so it does not count.")
    return None


def _say_unknown(key: str, known: Sequence[str], said: list[str]) -> None:
    text = st.query_params.get(key)
    if text and text not in known:
        said.append(f"{key}={text} is not in the log, so it does not count.")


def note_unknown_keys() -> None:
    """Say what the address asks for that the Dashboard does not know, such as sort=weird."""
    asked = [key for key in st.query_params if key not in KEYS and not key.startswith("utm_")]
    if asked:
        note(
            f"The address asks for {', '.join(asked)}, which is unknown here and does not count.",
            kind="warning",
        )


def note_unoffered(key: str, offered: Collection[str]) -> None:
    """Say that the address asks for something which the menu of this key does not offer."""
    text = st.query_params.get(key)
    if text and text not in offered:
        note(f"{key}={text} is not offered here, so it does not count.", kind="warning")
