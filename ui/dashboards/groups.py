"""The metrics side by side: by model version, by tag, by class of query; and clicks by rank."""

from collections.abc import Mapping
from functools import partial
from typing import Literal

import streamlit as st

from builder.workspace import Workspace
from online.engines import Choice
from ui import numbers
from ui.charts import clicks_by_rank, rank_chart
from ui.dashboards.counting import Group, Log, Metrics, groups_of
from ui.dashboards.figures import (
    MEASURES,
    asked_in_words,
    beside,
    file_parts,
    sheet_of_groups,
    written,
)
from ui.dashboards.filters import CLASSES, note_unoffered
from ui.downloads import file_name, sheet_of, show_chart, titled_csv
from ui.frame import muted, section
from ui.tables import Column, named, table, with_note

SHOWN = ("ctr", "click_mrr", "clicks_at_1_2", "zero_result_rate")
TITLES: Mapping[Literal["model"] | Group, str] = {
    "model": "model version",
    "tag": "tag",
    "class": "class of query",
}
MOST_GROUPS = 20
"""Tags may be thousands; the file holds them all."""
MOST_NAMED = 5
"""How many of the models that are not drawn are named."""
UNTAGGED = "without a tag"


def show_groups(
    workspace: Workspace,
    log: Log,
    by_model: Mapping[str, Metrics],
    colours: Mapping[str, str],
    choice: Choice,
) -> None:
    """The metrics side by side; by what, stands in the address. Only that is counted."""
    place = st.container(key="groups")
    offered = [name for name in TITLES if name != "tag" or log.tags]
    note_unoffered("by", [TITLES[name] for name in offered])
    by = st.segmented_control(
        "Side by side",
        offered,
        format_func=TITLES.__getitem__,
        default="model",
        required=True,
        key="by",
        bind="query-params",
        label_visibility="collapsed",
    )
    groups = by_model
    names: dict[str, str] = {model: _model(model, colours) for model in by_model}
    if by != "model":
        groups = groups_of(workspace, choice, by)
        names = {group: _name(by, group) for group in groups}
    with place:
        make = partial(sheet_of_groups, TITLES[by], groups)
        file = file_name("by", TITLES[by], *file_parts(choice))
        titled_csv("Side by side", make, file, key=f"by_{by}")
    _show(TITLES[by], groups, names)
    if by == "tag":
        muted("A search with two tags counts in both.")


def say_rest(searches: Mapping[str, int], drawn: Mapping[str, str]) -> None:
    """Which models have no line, where there are more than colours."""
    rest = sorted(set(searches) - set(drawn), key=lambda model: (-searches[model], model))
    if not rest:
        return
    names = ", ".join(rest[:MOST_NAMED]) + " \u2026" * (len(rest) > MOST_NAMED)
    muted(
        f"Drawn are the {len(drawn)} models with the most searches, each in a colour of its own; "
        f"and {numbers.count_of(len(rest), 'more model')} ({names}): choose one above."
    )


def _model(model: str, colours: Mapping[str, str]) -> str:
    """A model and the colour that charts draw it in; without a dot where they do not."""
    return named(model, colours.get(model, "transparent"))


def _name(by: Group, group: str) -> str:
    return CLASSES[group] if by == "class" else group or UNTAGGED


def show_clicks_by_rank(
    by_model: Mapping[str, Metrics], colours: Mapping[str, str], choice: Choice
) -> None:
    """At which ranks each model's users clicked."""
    section("Clicks by rank")
    ranks = {model: metrics["clicks_by_rank"] for model, metrics in by_model.items()}
    of_drawn = {model: ranks[model] for model in colours}
    if not any(of_drawn.values()):
        muted("No click has a rank.")
        return
    show_chart(
        lambda: rank_chart(clicks_by_rank(of_drawn), colours),
        drawn_of=(repr(of_drawn), tuple(colours.items())),
        title=["Clicks by rank, as shares of each model's clicks", asked_in_words(choice)],
        file=file_name("clicks-by-rank", *file_parts(choice)),
        key="ranks",
        make=lambda: sheet_of(clicks_by_rank(ranks)),
    )
    clicks = sum(metrics["clicks"] for metrics in by_model.values())
    without = sum(metrics["clicks_without_rank"] for metrics in by_model.values())
    unranked = f"; {numbers.count(without)} of them have no rank and are not drawn" * bool(without)
    muted(f"{numbers.count_of(clicks, 'click')}{unranked}.")


def _show(what: str, groups: Mapping[str, Metrics], names: Mapping[str, str]) -> None:
    """The busiest groups as a table."""
    busiest = sorted(groups, key=lambda group: -groups[group]["searches"])[:MOST_GROUPS]
    columns = [Column(what), Column("searches", numeric=True)]
    columns += [Column(MEASURES[name].title, numeric=True) for name in SHOWN]
    rows = [[names[group], *_cells(groups[group])] for group in busiest]
    st.html(f'<div class="gs-blocks gs-groups">{table(columns, rows)}</div>')
    if len(groups) > len(busiest):
        muted(f"The {MOST_GROUPS} with the most searches of {numbers.count(len(groups))}.")


def _cells(metrics: Metrics) -> list[str]:
    shares = [with_note(written(name, metrics[name]), beside(name, metrics)) for name in SHOWN]
    return [numbers.count(metrics["searches"]), *shares]
