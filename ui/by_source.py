"""Scores by where the queries came from: models are compared within a source."""

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from evals.breakdown import EASIER
from evals.results import Result
from ui.frame import muted
from ui.numbers import MISSING, count, decimal, in_words, interval
from ui.tables import Column, Html, named, table, with_note
from ui.text import inline


def show_by_source(
    results: Sequence[Result], colours: Mapping[str, str], measure: str, name: str
) -> None:
    """One measure of each model by source of the queries; nothing where there is one source.

    Args:
        results: On one task.
        colours: Model -> its colour.
        measure: Which.
        name: What it is called.
    """
    sources = sources_of(results)
    if len(sources) < 2:
        return
    st.html(by_source_html(results, sources, colours, measure, name))
    if "synthetic" in sources:
        muted(EASIER)


def sources_of(results: Sequence[Result]) -> list[str]:
    """The sources of the task's queries, by name."""
    return sorted({source for result in results for source in result.by_source})


def by_source_html(
    results: Sequence[Result],
    sources: Sequence[str],
    colours: Mapping[str, str],
    measure: str,
    name: str,
) -> str:
    """Safe HTML: a row for each model, a column for each source with n in each cell."""
    columns = [Column("model"), *(Column(one, numeric=True) for one in sources)]
    rows = [
        [
            named(result.model, colours[result.model]),
            *(_cell(result.by_source.get(source), measure) for source in sources),
        ]
        for result in results
    ]
    caption = f"{name} by source of the queries"
    return f'<div class="gs-by-source">{table(columns, rows, caption=caption)}</div>'


def _cell(part: Mapping[str, Any] | None, measure: str) -> Html:
    """The mean of a source, and below it interval and n, or why there is none."""
    if part is None:
        return with_note(MISSING, "evaluate again")
    value = part["metrics"].get(measure)
    low, high = part["intervals"].get(measure) or (None, None)
    span = interval(low, high) or in_words(part["reasons"].get(measure))
    n = f"n = {count(part['n_queries'])}"
    lines = "<br>".join(inline(line) for line in (span, n) if line)
    return with_note(decimal(value), Html(lines))
