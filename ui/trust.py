"""What Agreement and Raters share: the report as it stands, and its numbers in words."""

import re
import time
from collections.abc import Mapping
from typing import Any

import streamlit as st

from builder.judging.agreement.words import in_words
from builder.judging.trust import JOB, TrustView, trust_report
from builder.workspace import Workspace
from ui import numbers
from ui.frame import errors_shown, muted, note
from ui.jobs import clock, follow, latest_job
from ui.tables import Html, with_note

Report = Mapping[str, Any]
"""What `compute_trust` found."""

Statistic = Mapping[str, Any]
"""value, low, high, n, reason."""

KEEP_UP_SECONDS = 30.0
"""So often a page that stands open looks whether raters have graded on."""

UNDEFINED = "undefined"
"""Stands where other statistics have a number; why stands beside it."""


def report_shown(workspace: Workspace) -> Report | None:
    """The newest report, and on the page what it is of and what is being computed.

    None where there is no report yet: the page then says why, and comes again by itself.
    """
    view = trust_report(workspace)
    if view.report is None:
        _say_that_it_comes(workspace, view)
        return None
    if not view.is_fresh:
        muted(_how_old(workspace, view))
        _follow(workspace)
    _keep_up(workspace, view, time.monotonic())
    return view.report


def value(statistic: Statistic, *, share: bool = False) -> str:
    """The value as text; the word "undefined" where there is none.

    Two decimals, as in the sentences beside it: no interval of agreement is so narrow that a third
    says anything.
    """
    number = statistic["value"]
    if number is None:
        return UNDEFINED
    return _minus(numbers.percent(number) if share else f"{number:.2f}")


def beside(statistic: Statistic, unit: str = "", *, share: bool = False) -> str:
    """What stands beside a value: its interval, or why it or its interval is missing, and its n."""
    span = _span(statistic["low"], statistic["high"], share=share)
    n = f"n\u00a0=\u00a0{numbers.count(statistic['n'])} {unit}" if unit else ""
    return " \u00b7 ".join(part for part in (span or in_words(statistic["reason"]), n) if part)


def cell(statistic: Statistic, unit: str = "", *, share: bool = False) -> Html:
    """A value above its interval or reason, for a table."""
    return with_note(value(statistic, share=share), beside(statistic, unit, share=share))


def _span(low: float | None, high: float | None, *, share: bool) -> str:
    """The interval; with the word "to" where a dash would stand beside a minus."""
    if share:
        return numbers.percent_interval(low, high)
    if low is None or high is None:
        return ""
    between = " to " if low < 0 else "\u2013"
    return _minus(f"{low:.2f}{between}{high:.2f}")


def _minus(text: str) -> str:
    """With true minus signs; what rounds to 0 has none."""
    return re.sub(r"-(?!0\.00\b)", "\u2212", text).replace("-", "")


def _say_that_it_comes(workspace: Workspace, view: TrustView) -> None:
    if view.job is None:
        note("There is no report yet.", "It is computed when this page is opened again.")
        return
    if _is_at_work(view):
        muted("There is no report of these grades yet. It comes by itself when it is computed.")
    _follow(workspace)


def _follow(workspace: Workspace) -> None:
    """What is being computed; where that failed or was cancelled, a way to begin anew."""
    at_work = follow(workspace, JOB, keep=False)
    job = latest_job(workspace, JOB)
    if not at_work and job is not None and job.state != "done":
        st.button("Try again", on_click=_try_again, args=(workspace,), key="trust_again")


@st.fragment(run_every=KEEP_UP_SECONDS)
def _keep_up(workspace: Workspace, shown: TrustView, drawn: float) -> None:
    """Draw the page anew where a newer report is there, or begins to be computed.

    Not in the run that draws the page: it has just asked.
    """
    if time.monotonic() - drawn < KEEP_UP_SECONDS / 2:
        return
    with errors_shown():
        now = trust_report(workspace)
        if now.made_at != shown.made_at or _is_at_work(now) != _is_at_work(shown):
            st.rerun()


def _is_at_work(view: TrustView) -> bool:
    return view.job is not None and view.job.active


def _how_old(workspace: Workspace, view: TrustView) -> str:
    made = clock(workspace, view.made_at) if view.made_at else "earlier"
    since = f"{numbers.count_of(view.newer_grades, 'grade')} since" if view.newer_grades else ""
    return "; ".join(part for part in (f"These numbers were made {made}", since) if part) + "."


def _try_again(workspace: Workspace) -> None:
    trust_report(workspace, again=True)
