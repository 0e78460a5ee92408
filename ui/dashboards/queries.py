"""Which queries do well and badly, and which changed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from functools import partial
from typing import Any

import streamlit as st

from builder.workspace import Workspace
from online.engines import Choice
from online.queries import COMPARED, QUERY_METRICS, Kind
from online.wording import p_in_words, signed
from ui import numbers
from ui.dashboards.counting import MOST_QUERIES, Answer, Log, queries_of
from ui.dashboards.figures import MEASURES, beside, file_parts, written
from ui.dashboards.filters import note_unoffered
from ui.downloads import Sheet, file_name, titled_csv
from ui.frame import muted
from ui.tables import Column, table, with_note
from ui.text import inline

Row = Mapping[str, Any]
SHOWN = 20
"""Queries in the table; the file holds more."""
ALPHA = 0.05
NAMED = 8
"""How many new and vanished queries are named."""


@dataclass(frozen=True, slots=True)
class View:
    """One kind of queries.

    Attributes:
        title: What the menu calls it.
        why: What comes first, and what is left out.
        last: Key and title of its own column; "" for none.
    """

    title: str
    why: str
    last: tuple[str, str] = ("", "")


VIEWS: Mapping[Kind, View] = {
    "busiest": View("most searches", "The most searches first."),
    "worst": View(
        "worst CTR",
        "The lowest upper bound of CTR first: 0 clicks of 3 searches are no proof. Only queries of "
        "10 sessions or more.",
        ("ctr_bound", "CTR at most"),
    ),
    "best": View(
        "best CTR",
        "The highest lower bound of CTR first. Only queries of 10 sessions or more.",
        ("ctr_bound", "CTR at least"),
    ),
    "zero-results": View(
        "no results",
        "The most searches without a result first.",
        ("searches_without_results", "without results"),
    ),
    "no-clicks": View(
        "many searches, few clicks",
        "The most clicks lacking first: what the CTR of all queries together would have brought, "
        "less the searches that were clicked.",
        ("clicks_lacking", "clicks lacking"),
    ),
    "changed": View(
        "changed",
        "The surest change of CTR or click-MRR first. Tested are queries with 20 searches or more "
        "in both periods; p is corrected for all of these tests (Holm).",
    ),
}


def show_queries(workspace: Workspace, log: Log, choice: Choice) -> None:
    """The first queries of the kind that is chosen; the address keeps the choice."""
    place = st.container(key="queries")
    note_unoffered("queries_kind", [view.title for view in VIEWS.values()])
    kind = st.selectbox(
        "Queries with",
        list(VIEWS),
        format_func=lambda kind: VIEWS[kind].title,
        key="queries_kind",
        bind="query-params",
        width=320,
    )
    against = before(log, choice) if kind == "changed" else None
    if kind == "changed" and against is None:
        with place:
            titled_csv("Queries", lambda: Sheet((), ()), "queries", key="queries_empty")
        muted("A change takes two periods: choose two days or more above.")
        return
    now = choice if against is None else _now(choice, against)
    found = queries_of(workspace, now, kind, against)
    make = partial(sheet_of_changes if against else sheet_of_queries, found)
    with place:
        file = file_name("queries", kind, *file_parts(now))
        titled_csv("Queries", make, file, key=f"queries_{kind}")
    muted(VIEWS[kind].why)
    if against is None:
        _show_kind(found, kind)
    else:
        _show_changes(found, now, against)


def before(log: Log, choice: Choice) -> Choice | None:
    """What a change is measured against: as many days before those chosen, where the log has them.

    Else the first half of the days chosen; None where it is one day.
    """
    first, last = choice.start or log.first_day, choice.end or log.last_day
    one, days = timedelta(days=1), (last - first).days + 1
    if first - one >= log.first_day:
        return replace(choice, start=first - days * one, end=first - one)
    if days < 2:
        return None
    return replace(choice, start=first, end=first + (days // 2 - 1) * one)


def sheet_of_queries(found: Answer) -> Sheet:
    """All that is known of the queries, each metric with low and high beside it."""
    last = [key for key, _ in (view.last for view in VIEWS.values()) if key]
    columns = ["query", "spellings", "searches", "sessions"]
    columns += [f"{name}{end}" for name in QUERY_METRICS for end in ("", "_low", "_high")]
    own = [key for key in dict.fromkeys(last) if any(key in row for row in found["by_query"])]
    return Sheet([*columns, *own], [_cells(row, own) for row in found["by_query"]])


def sheet_of_changes(found: Answer) -> Sheet:
    """Both periods, the differences and their p-values; then the new and the vanished queries."""
    columns = ["state", "query", "searches", "searches_before"]
    columns += [
        f"{name}{end}"
        for name in COMPARED
        for end in ("", "_before", "_difference", "_low", "_high", "_p", "_p_holm")
    ]
    rows = [_change_cells(row) for row in found["by_query"]]
    empty = [None] * (len(columns) - 4)
    rows += [["new", row["query"], row["searches"], 0, *empty] for row in found["new"]["by_query"]]
    vanished = found["vanished"]["by_query"]
    rows += [["vanished", row["query"], 0, row["searches"], *empty] for row in vanished]
    return Sheet(columns, rows)


def _now(choice: Choice, against: Choice) -> Choice:
    """The days behind those that are compared with."""
    behind = (against.end or date.min) + timedelta(days=1)
    return replace(choice, start=max(choice.start or behind, behind))


def _show_kind(found: Answer, kind: Kind) -> None:
    rows = found["by_query"][:SHOWN]
    key, title = VIEWS[kind].last
    columns = [Column("query"), Column("searches", numeric=True)]
    columns += [Column(MEASURES[name].title, numeric=True) for name in COMPARED]
    columns += [Column(title, numeric=True)] if key else []
    cells = [[*_row(row), *([_own(row, key)] if key else [])] for row in rows]
    _draw(columns, cells, kind)
    of_all = f", of {numbers.count(found['queries'])} in all" * (kind != "busiest")
    muted(
        f"{numbers.count(len(rows))} of {_queries(found['eligible'], 'such ')}{of_all}. "
        f"The file holds up to {MOST_QUERIES}."
    )


def _show_changes(found: Answer, now: Choice, against: Choice) -> None:
    muted(f"{now.start} to {now.end}, compared with {against.start} to {against.end}.")
    rows = found["by_query"][:SHOWN]
    if rows and not any(_is_certain(row) for row in rows):
        muted(
            "None of these changes is certain: all of them may be chance (no corrected p is under "
            f"{ALPHA})."
        )
    columns = [Column("query"), Column("searches", numeric=True)]
    columns += [Column(MEASURES[name].title, numeric=True) for name in COMPARED]
    _draw(columns, [_change(row) for row in rows], "changed")
    muted(
        f"{numbers.count(len(rows))} of {_queries(found['tested'])} that "
        f"{'was' if found['tested'] == 1 else 'were'} tested."
    )
    for state in ("new", "vanished"):
        _show_names(state, found[state])


def _draw(columns: Sequence[Column], rows: Sequence[Sequence[str]], kind: str) -> None:
    if rows:
        place = f"gs-blocks gs-queries gs-queries-{kind}"
        st.html(f'<div class="{place}">{table(columns, rows)}</div>')


def _show_names(state: str, found: Mapping[str, Any]) -> None:
    """The most frequent of the queries that only one of the periods has."""
    named = ", ".join(
        f"{inline(row['query'])} ({numbers.count(row['searches'])})"
        for row in found["by_query"][:NAMED]
    )
    if named:
        more = " \u2026" if found["queries"] > NAMED else ""
        n = numbers.count(found["queries"])
        st.html(f'<p class="gs-muted"><b>{n} {state}:</b> {named}{more}</p>')


def _row(row: Row) -> list[str]:
    spellings = f"{row['spellings']} spellings" * (row["spellings"] > 1)
    shares = [with_note(written(name, row[name]), beside(name, row)) for name in COMPARED]
    name = with_note(row["query"] or "(empty)", spellings)
    return [name, numbers.count(row["searches"]), *shares]


def _own(row: Row, key: str) -> str:
    value = row[key]
    if key == "ctr_bound":
        return numbers.percent(value)
    return numbers.count(round(value))


def _change(row: Row) -> list[str]:
    searches = with_note(
        numbers.count(row["searches"]), f"before {numbers.count(row['searches_before'])}"
    )
    return [row["query"] or "(empty)", searches, *(_changed(name, row) for name in COMPARED)]


def _changed(name: str, row: Row) -> str:
    """A metric now, and beside it before, the interval of the difference and its p-value."""
    found = row["differences"][name]
    parts = [f"before {written(name, row[f'{name}_before'])}"]
    if found["low"] is None:
        parts.append(numbers.in_words(found["reason"]))
    else:
        low, high = (_signed(name, found[end]) for end in ("low", "high"))
        parts += [f"{low} to {high}", p_in_words(found["p_holm"])]
    return with_note(written(name, row[name]), " \u00b7 ".join(filter(None, parts)))


def _queries(n: int, such: str = "") -> str:
    return f"{numbers.count(n)} {such}{'query' if n == 1 else 'queries'}"


def _is_certain(row: Row) -> bool:
    """Whether a metric changed by more than chance explains, all tests together."""
    found = (row["differences"][name]["p_holm"] for name in COMPARED)
    return any(p is not None and p < ALPHA for p in found)


def _signed(name: str, change: float) -> str:
    return signed(name, change).replace("-", "\u2212")


def _cells(row: Row, own: Sequence[str]) -> list[object]:
    cells: list[object] = [row[name] for name in ("query", "spellings", "searches", "sessions")]
    for name in QUERY_METRICS:
        cells += [row[name], *(row["intervals"].get(name) or (None, None))]
    return [*cells, *(row.get(key) for key in own)]


def _change_cells(row: Row) -> list[object]:
    cells: list[object] = ["both", row["query"], row["searches"], row["searches_before"]]
    for name in COMPARED:
        found = row["differences"][name]
        cells += [row[name], row[f"{name}_before"], found["value"], found["low"], found["high"]]
        cells += [found["p_value"], found["p_holm"]]
    return cells
