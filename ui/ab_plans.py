"""What an A/B test compares, as the page asks for it: the address keeps all of it."""

import re

import streamlit as st

from online.ab import Plan
from online.engines import Unit
from ui import numbers
from ui.dashboards.counting import Log
from ui.dashboards.filters import (
    ask_bots,
    ask_class,
    ask_days,
    ask_tag,
    note_unoffered,
    say_later,
)
from ui.frame import note
from ui.imports import offer_import

UNITS: dict[str, Unit | None] = {"automatic": None, "user": "user", "session": "session"}


def show_why_not(log: Log | None) -> None:
    """What is missing for a test, and what to do about it."""
    if log is None:
        note("There are no search events yet.", "Import a log of searches and clicks.")
    else:
        note(
            f"All {numbers.count(log.searches)} searches are of one model version, "
            f"{log.model_versions[0]}.",
            "A test compares two: let another model answer a part of your traffic, log its name as "
            "model_version, and import that log.",
        )
    offer_import("events")


def ask_plan(log: Log, zone: str) -> Plan | None:
    """What is to be compared, from the filters, which the address keeps; None if it makes no sense.

    Args:
        log: What the lake holds: at least two model versions.
        zone: Whose days are meant.
    """
    said: list[str] = []
    for key in ("control", "treatment"):
        note_unoffered(key, log.model_versions)
    note_unoffered("unit", UNITS)
    with st.container(key="filters", horizontal=True):
        control, treatment = _ask_arms(log)
        start, end = ask_days(log, said)
    with st.container(key="test_filters", horizontal=True):
        unit, planned = _ask_assignment()
        tag = ask_tag(log, said)
        query_class = ask_class(said)
    without_bots = ask_bots()
    say_later(log, end)
    if said:
        note(said[0], *said[1:], kind="warning")
    shares = split_of(planned)
    if shares is None:
        note(f"{planned} is no split.", "Write two positive numbers, such as 50:50 or 90:10.")
    if control == treatment:
        note("Control and treatment are the same model version.", "Choose two different ones.")
    if shares is None or control == treatment:
        return None
    return Plan(
        control, treatment, UNITS[unit], shares, start, end,
        tag=tag, query_class=query_class, without_bots=without_bots, zone=zone,
    )  # fmt: skip


def _ask_arms(log: Log) -> tuple[str, str]:
    models = log.model_versions
    control = st.selectbox("Control", models, key="control", bind="query-params")
    treatment = st.selectbox("Treatment", models, 1, key="treatment", bind="query-params")
    return control, treatment


def _ask_assignment() -> tuple[str, str]:
    """What was assigned to an arm, and in which shares, as they were typed."""
    unit = st.selectbox(
        "Unit",
        list(UNITS),
        key="unit",
        bind="query-params",
        help="What was assigned to a model. Automatic: the user, where every search names one.",
    )
    planned = st.text_input(
        "Planned split",
        "50:50",
        key="expected",
        bind="query-params",
        help="Traffic of control and treatment, such as 50:50 or 90:10.",
    )
    return unit, planned


def split_of(text: str) -> tuple[float, float] | None:
    """The two shares of "90:10", "90/10" or "90-10"; None where the text is no split."""
    parts = re.split("[:/-]", text)
    try:
        control, treatment = (float(part) for part in parts)
    except ValueError:
        return None
    positive = 0 < control < float("inf") and 0 < treatment < float("inf")
    return (control, treatment) if positive else None
