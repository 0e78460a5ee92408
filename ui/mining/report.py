"""What a drawing came to, on screen: strata, what is left out, personal data, the queries."""

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from builder.mining.deciding import flagged_in_words
from ui.downloads import Sheet, file_name, titled_csv
from ui.frame import muted, note, section
from ui.mining.meanings import show_drawing_meanings
from ui.mining.words import (
    KEEP_WARNING,
    about_stratum,
    kind_in_words,
    queries_of,
    reason_in_words,
    searches_of,
    stratum_name,
)
from ui.numbers import MISSING, count, count_of, percent
from ui.tables import Column, Html, shortened, table, with_note
from ui.text import inline

Outcome = Mapping[str, Any]
"""What `mine` found, or would find."""
Asked = Mapping[str, Any]
"""What was asked for: the parameters of a drawing."""

FIRST = 20
"""Queries on the page; the file holds all."""
FIRST_ON_PHONE = 10
"""Queries on a phone before the others are asked for; style.css counts as many."""
SPELLINGS = 3
"""Spellings of one query on the page."""


def show_headline(outcome: Outcome) -> None:
    """What the sample stands for, in a sentence, and of how many queries it is."""
    first, second = headline(outcome)
    st.html(
        f'<div class="gs-verdict" role="status"><p>{inline(first)}</p><p>{inline(second)}</p></div>'
    )


def headline(outcome: Outcome) -> tuple[str, str]:
    """What the sample stands for, and of how many queries and searches it is drawn."""
    queries, traffic = outcome["queries"], outcome["traffic"]
    drawable = traffic["eligible_searches"]
    n, stands = queries["sampled"], "stands" if queries["sampled"] == 1 else "stand"
    of = f" of the {count(traffic['searches'])} searches" if traffic["searches"] else ""
    if drawable != traffic["searches"]:
        share = percent(traffic["sampled_searches"] / drawable)
        of = f" of all {count(traffic['searches'])} searches, and for {share} of the "
        of += f"{count(drawable)} that can be drawn"
    first = f"The {queries_of(n)} {stands} for {percent(traffic['share'])}{of}."
    if n == 1:
        first = f"The query stands for {percent(traffic['share'])}{of}."
    return first, (
        f"Drawn from {queries_of(queries['eligible'])} that can be drawn, of "
        f"{count(queries['seen'])} different ones in the log. "
        f"{_new_and_known(queries['new'], queries['known'])}"
    )


def _new_and_known(new: int, known: int) -> str:
    """How many of the drawn queries the workspace does not have yet."""
    if not known:
        return "None of them is in this workspace yet."
    if not new:
        return "All of them are in this workspace already."
    return (
        f"{count(new)} of them {'is' if new == 1 else 'are'} new, {count(known)} "
        f"{'is' if known == 1 else 'are'} in this workspace already."
    )


def show_strata(outcome: Outcome, asked: Asked) -> None:
    """Each stratum: what it holds, what is drawn of it, and for how much of it that stands."""
    st.html(strata_html(outcome["strata"], asked, outcome["traffic"]))
    show_drawing_meanings()
    if tags := outcome.get("tags"):
        muted(about_tags(tags))
    if (pairs := outcome["evidence"]["pairs"]) is not None:
        labelled = count(outcome["evidence"]["labelled"])
        flagged = flagged_in_words(outcome["evidence"].get("flagged"))
        muted(
            f"Clicks tell of {count_of(pairs, 'pair')}; {labelled} of them have a weak grade. "
            + flagged
        )


def about_tags(tags: Mapping[str, int]) -> str:
    """How queries with several tags are told apart, and how many there are."""
    several, rarely = tags["several"], tags["too_rarely"]
    return (
        "A query belongs to the tag that most of its searches carry, if at least half of them "
        f"carry any. {queries_of(several)} {'carries' if several == 1 else 'carry'} several tags, "
        f"{count(rarely)} {'is' if rarely == 1 else 'are'} untagged because too few of the "
        "searches carry one."
    )


def strata_html(
    strata: Sequence[Mapping[str, Any]], asked: Asked, traffic: Mapping[str, int]
) -> str:
    """Safe HTML of the table of strata.

    Args:
        strata: What was found of each.
        asked: The parameters of the drawing.
        traffic: All "searches", and those that can be drawn: "eligible_searches".
    """
    columns = [
        Column("stratum"),
        Column("queries", numeric=True),
        Column("searches", numeric=True),
        Column("drawn", numeric=True),
        Column("traffic covered", numeric=True),
        Column("chance", numeric=True),
    ]
    rows = [_stratum_row(stratum, asked, traffic) for stratum in strata]
    return f'<div class="gs-blocks gs-strata">{table(columns, rows)}</div>'


def show_left_out(outcome: Outcome, asked: Asked) -> None:
    """Which queries of the log cannot be drawn, and what they hold of personal data."""
    dropped = {reason: n for reason, n in outcome["queries"]["dropped"].items() if n}
    lines = [reason_in_words(reason, n) for reason, n in dropped.items()]
    if asked.get("merge_near") and not dropped.get("merged"):
        muted("No two queries are nearly equal: none was merged.")
    if lines:
        section("Left out")
        listed = "".join(f"<li>{inline(line)}</li>" for line in lines)
        st.html(f'<ul class="gs-list">{listed}</ul>')
    _show_personal(outcome["personal_data"])


def show_sample(outcome: Outcome, asked: Asked) -> None:
    """The first of the drawn queries, and all of them as a file."""
    sample = outcome["sample"]
    name = file_name("sample", asked.get("method", ""), f"seed-{outcome['seed']}")
    titled_csv("The queries", lambda: sheet_of_sample(sample), name, key="sample")
    st.html(sample_html(sample[:FIRST], asked))
    if len(sample) > FIRST:
        muted(f"{FIRST} of {queries_of(len(sample))}. The file holds all.")


def sample_html(sample: Sequence[Mapping[str, Any]], asked: Asked) -> str:
    """Safe HTML of the table of queries."""
    columns = [
        Column("query"),
        Column("stratum"),
        Column("searches", numeric=True),
        Column("sessions", numeric=True),
        Column("state"),
    ]
    by = asked.get("by", "")
    rows = [
        [
            with_note(shortened(query["text"]), shortened(spellings(query["variants"]))),
            stratum_name(query["stratum"], by),
            count(query["searches"]),
            count(query["sessions"]),
            "known" if query["known"] else "new",
        ]
        for query in sample
    ]
    return f'<div class="gs-blocks gs-sample">{table(columns, rows)}{_rest(len(rows))}</div>'


def _rest(n: int) -> str:
    """Safe HTML: what unfolds the queries that a phone leaves out at first (style.css)."""
    if n <= FIRST_ON_PHONE:
        return ""
    return f'<details class="gs-show-all"><summary>Show all {count(n)}</summary></details>'


def spellings(variants: Sequence[Sequence[Any]]) -> str:
    """How else people typed a query; "" where all typed it the same."""
    if len(variants) < 2:
        return ""
    shown = ", ".join(f"{text} ({count(n)})" for text, n in variants[:SPELLINGS])
    more = " \u2026" if len(variants) > SPELLINGS else ""
    return f"{count(len(variants))} spellings: {shown}{more}"


def sheet_of_sample(sample: Sequence[Mapping[str, Any]]) -> Sheet:
    """All drawn queries, a row each."""
    columns = ["query_id", "query", "stratum", "searches", "sessions", "inclusion_probability"]
    rows = [
        [
            *(query["text" if name == "query" else name] for name in columns),
            "known" if query["known"] else "new",
            " | ".join(str(text) for text, _ in query["variants"]),
        ]
        for query in sample
    ]
    return Sheet([*columns, "state", "spellings"], rows)


def _stratum_row(stratum: Mapping[str, Any], asked: Asked, traffic: Mapping[str, int]) -> list[str]:
    by, head, torso = asked.get("by", ""), asked.get("head", 0.0), asked.get("torso", 0.0)
    name = stratum["stratum"]
    about = about_stratum(name, head, torso) if by == "traffic" else ""
    return [
        with_note(stratum_name(name, by), about),
        count(stratum["queries"]),
        with_note(count(stratum["searches"]), _shares(stratum, traffic)),
        count(stratum["sampled"]),
        with_note(percent(stratum["share_of_stratum"]), searches_of(stratum["sampled_searches"])),
        _chance(stratum["inclusion_probability"], stratum["sampled"]),
    ]


def _shares(stratum: Mapping[str, Any], traffic: Mapping[str, int]) -> Html:
    """The stratum's searches, of those that can be drawn and of all; once where these are equal."""
    of_all = f"{percent(stratum['searches'] / traffic['searches'])} of all"
    if traffic["eligible_searches"] == traffic["searches"]:
        return Html(inline(of_all))
    drawable = f"{percent(stratum['share_of_searches'])} of what can be drawn"
    return Html(f"{inline(drawable)}<br>{inline(of_all)}")


def _chance(probability: float | None, sampled: int) -> Html:
    """The chance to be drawn, and how many queries each drawn one stands for."""
    if probability is None:
        return with_note(MISSING, "differs by query" if sampled else "none is drawn")
    return with_note(percent(probability), f"weight {1 / probability:,.1f}")


def _show_personal(personal: Mapping[str, Any]) -> None:
    if not personal["queries"]:
        muted("No query holds what looks like personal data.")
        return
    section("Personal data")
    kinds = ", ".join(kind_in_words(kind, n) for kind, n in personal["by_kind"].items() if n)
    becomes = {"drop": "left out", "mask": "masked", "keep": "kept as typed"}
    told = (
        f"{queries_of(personal['queries'])} with {searches_of(personal['searches'])} "
        f"{'holds' if personal['queries'] == 1 else 'hold'} what looks like personal data and "
        f"{'is' if personal['queries'] == 1 else 'are'} {becomes[personal['handling']]}: {kinds}."
    )
    if personal["handling"] == "keep":
        note(told, *KEEP_WARNING, kind="warning")
    else:
        note(told)
