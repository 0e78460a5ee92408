"""One row a rater: count, pace, grades, agreement, bias in words, and flags with their reason."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import streamlit as st

from builder.judging.agreement.words import flag_in_words, in_words
from builder.people import Person, has_role, people_to_pick
from builder.workspace import Workspace
from ui.disagreements import link_to_pairs_of
from ui.frame import muted, note
from ui.numbers import count
from ui.tables import Column, Html, table, with_note
from ui.text import inline
from ui.trust import Statistic, cell

Profile = Mapping[str, Any]
"""What the report says of one rater."""

_COLUMNS = (
    Column("Rater"),
    Column("Grades", numeric=True),
    Column("Seconds a pair", numeric=True),
    Column("Distribution"),
    Column("With the others"),
    Column("Bias"),
)
STILL_GRADES = "may still sign in and grade; deactivate on People to end that"
"""Of somebody who is left out: leaving out ends nobody's work."""
LITTLE = 0.05
"""Grades; a smaller mean difference is no difference in words."""


def show_who_stands_out(profiles: Sequence[Profile]) -> None:
    """In a sentence, who needs a look."""
    flagged = [of["rater"] for of in ordered(profiles) if of["flags"] and of["excluded"] is None]
    counted = sum(of["excluded"] is None for of in profiles)
    if flagged:
        note(
            f"{len(flagged)} of {counted} raters stand out: {', '.join(flagged)}.",
            "Read why, look at some of their grades, and talk to them. Leave nobody out unheard.",
            kind="warning",
        )
    elif counted > 1:
        note(f"None of the {counted} raters stands out.", "There is nothing to do here.")
    else:
        note("There is nobody to compare with.", "Have somebody else grade some of the same pairs.")


def show_raters(workspace: Workspace, actor: Person, profiles: Sequence[Profile]) -> None:
    """All raters, the flagged ones first, and what the colours of the bars are.

    Who is left out stands apart, below, with a way to People for admins.
    """
    active = {person.name for person in people_to_pick(workspace)}
    left_out = False
    for number, block in enumerate(blocks(ordered(profiles))):
        if block[0]["excluded"] is not None and not left_out:
            left_out = True
            muted("Left out, here beside those who count:")
        _show_block(number, block, active)
    if any(profile["excluded"] is not None and profile["rater"] in active for profile in profiles):
        link_to_people(actor)
    names = [inline(workspace.settings.grades.names[grade]) for grade in range(4)]
    keys = "".join(f'<span class="gs-grade-{n}">{n} {name}</span>' for n, name in enumerate(names))
    st.html(f'<div class="gs-grade-keys">{keys}</div>')
    muted(
        "With the others: quadratic kappa with each other rater's grade of the same pairs, pooled. "
        "Bias: own grade less the mean of the others'. Intervals: 95 %, over queries. "
        "One lenient rater makes the others look strict. Flags never leave anybody out."
    )


def blocks(profiles: Sequence[Profile]) -> list[list[Profile]]:
    """Who is flagged by themselves, for a link stands beneath; neighbours without flags together.

    Those who are left out share no block with those who count. Links within a table would draw the
    whole app anew.
    """
    found: list[list[Profile]] = []
    for profile in profiles:
        if found and not profile["flags"] and _goes_with(profile, found[-1][0]):
            found[-1].append(profile)
        else:
            found.append([profile])
    return found


def _goes_with(profile: Profile, first: Profile) -> bool:
    alike = (profile["excluded"] is None) == (first["excluded"] is None)
    return alike and not first["flags"]


def link_to_people(actor: Person) -> None:
    """The way to deactivate somebody, for those who may."""
    if has_role(actor, "admin"):
        st.page_link(
            "ui/pages/people.py", label="Deactivate on People", icon=":material/arrow_forward:"
        )


def _show_block(number: int, block: Sequence[Profile], active: Collection[str]) -> None:
    """Rows of the table of raters, its heading in sight above the first alone."""
    rows = [rater_row(profile, active=profile["rater"] in active) for profile in block]
    flags = [flags_html(profile["flags"]) for profile in block]
    more = " gs-goes-on" if number else ""
    with st.container(key=f"raters_{number}", gap=None):
        st.html(f'<div class="gs-raters{more}">{table(_COLUMNS, rows, below=flags)}</div>')
        if block[0]["flags"]:
            link_to_pairs_of(block[0]["rater"])


def ordered(profiles: Sequence[Profile]) -> list[Profile]:
    """Who counts before who is left out; the most flagged first, of these who graded most."""

    def place(of: Profile) -> tuple[bool, int, int, str]:
        n_flags = len(of["flags"])
        return of["excluded"] is not None, -n_flags, -of["n"] if n_flags else 0, of["rater"]

    return sorted(profiles, key=place)


def rater_row(profile: Profile, *, active: bool = True) -> list[str]:
    """The cells of a rater's row; `active`: whether the rater may sign in."""
    return [
        _name(profile, active=active),
        count(profile["n"]),
        pace(profile["pace"]),
        bars(profile["distribution"]),
        cell(profile["with_others"], "comparisons"),
        with_note(bias_in_words(profile["bias"]), signed_beside(profile["bias"])),
    ]


def bias_in_words(bias: Statistic) -> str:
    """Such as: 0.4 higher than the others; whether that may be chance is said too."""
    mean = bias["value"]
    if mean is None:
        return "undefined"
    if abs(mean) < LITTLE:
        return "like the others"
    how = f"{abs(mean):.1f} {'higher' if mean > 0 else 'lower'} than the others"
    low, high = bias["low"], bias["high"]
    unsure = low is not None and high is not None and low <= 0 <= high
    return f"{how}, perhaps by chance" if unsure else how


def signed_beside(bias: Statistic) -> str:
    """The mean difference with its sign and interval, or why there is none."""
    if bias["value"] is None:
        return in_words(bias["reason"])
    return f"{signed(bias['value'])} {span_of(bias)}"


def span_of(bias: Statistic) -> str:
    """The interval of a mean difference in brackets, or why there is none, and its n."""
    low, high = bias["low"], bias["high"]
    span = in_words(bias["reason"]) if low is None else f"{signed(low)} to {signed(high)}"
    return f"({span}; n\u00a0=\u00a0{count(bias['n'])})"


def bars(distribution: Sequence[int]) -> Html:
    """The shares of the four grades as one small bar, and in words for who cannot see it."""
    total = sum(distribution)
    said = ", ".join(f"{grade}: {count(n)}" for grade, n in enumerate(distribution))
    parts = "".join(
        f'<i class="gs-grade-{grade}" style="flex-grow:{n}"></i>'
        for grade, n in enumerate(distribution)
        if n
    )
    shares = " ".join(f"{100 * n / total:.0f}" for n in distribution) if total else ""
    return Html(
        f'<span class="gs-bars" role="img" aria-label="{said}">{parts}</span>'
        f"<small>{shares and shares + '&nbsp;%'}</small>"
    )


def pace(of: Mapping[str, Any]) -> Html:
    """Median seconds a pair, and of how many grades it is known."""
    if of["median_s"] is None:
        return Html("unknown<small>not timed</small>")
    return Html(f"{of['median_s']:.1f}<small>n = {count(of['n'])}</small>")


def flags_html(flags: Sequence[Mapping[str, str]]) -> Html:
    """Each flag as a short word and its sentence; "" where there is none."""
    return Html(
        "".join(
            f'<p class="gs-flag"><span class="gs-mark">{inline(flag_in_words(f["code"]))}'
            f"</span> {inline(f['sentence'])}</p>"
            for f in flags
        )
    )


def _name(profile: Profile, *, active: bool) -> Html:
    excluded = profile["excluded"]
    notes = [] if excluded is None else [f"left out: {excluded}"]
    if not active:
        notes.append("deactivated")
    elif excluded is not None:
        notes.append(STILL_GRADES)
    said = "".join(f"<small>{inline(each)}</small>" for each in notes)
    return Html(f"{inline(profile['rater'])}{said}")


def signed(difference: float) -> str:
    """A difference with its sign: +0.40."""
    return f"{difference:+.2f}".replace("-", "\u2212")
