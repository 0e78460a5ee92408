"""What would join the pool, before anything is written; the button that pools, and what came."""

from collections.abc import Mapping
from typing import Any

import streamlit as st

from builder.jobs import Job
from builder.mining.deciding import flagged_in_words
from builder.people import Person
from builder.pooling import PoolPlan, find_pooling
from builder.store.poolings import latest_filling_moment
from builder.workspace import Workspace
from ui.frame import in_callback, muted, note, section, sentence
from ui.jobs import Outcome, follow, latest_job, start
from ui.missing import missing_to_pool
from ui.numbers import count, count_of, percent, percent_interval
from ui.pooling.sanity import show_findings
from ui.pooling.words import dropped_in_words, hours, source_name
from ui.tables import Column, Tile, table, tiles

POOL_JOB = "pool"
POOL_TARGET = "builder.pooling:pool_job"
REPEAT_TARGET = "builder.pooling:repeat_job"
PREVIEW_JOB = "pool_preview"
PREVIEW_TARGET = "builder.pooling:preview_job"
_COLUMNS = [
    Column("named by"),
    Column("new pairs", numeric=True),
    Column("named in all", numeric=True),
    Column("queries without any", numeric=True),
]


def show_preview(workspace: Workspace, person: Person, plan: PoolPlan) -> None:
    """The preview of this plan where there is one, and the one button that comes next."""
    section("Preview")
    if not plan.names_anything:
        note("Nobody names documents yet.", "Choose a search, clicked documents, or others above.")
    elif (preview := current_preview(workspace, plan)) is None:
        _offer_preview(workspace, person, plan)
    else:
        st.html(tiles(figures_of(preview)))
        _offer_pooling(workspace, person, plan, preview)
        show_details(preview)
    # Also of a filling that somebody may repeat below.
    follow(workspace, PREVIEW_JOB, keep=False, fades=True)


def current_preview(workspace: Workspace, plan: PoolPlan) -> Outcome | None:
    """What the latest preview says, if it is of this plan and the pool is as it was then."""
    job, pooled = latest_job(workspace, PREVIEW_JOB), latest_job(workspace, POOL_JOB)
    if job is None or job.state != "done" or (pooled and pooled.job_id > job.job_id):
        return None
    with workspace.store.read() as connection:
        changed = latest_filling_moment(connection)
    if changed is not None and changed > job.created_at:
        return None
    asked = {name: value for name, value in job.parameters.items() if name != "actor"}
    return job.outcome if asked == plan.as_json() else None


def show_details(outcome: Outcome) -> None:
    """Of a pooling, done or not: its sources, what was left out, and what is odd."""
    if outcome.get("sources"):
        most_first = sorted(outcome["sources"], key=lambda source: -source["new"])
        rows = [_source_row(source) for source in most_first]
        known = _known(outcome.get("known", 0))
        caption = f"A pair that several sources name counts for each of them. {known}"
        named_by = table(_COLUMNS, rows, caption=caption)
        st.html(f'<div class="gs-blocks gs-named-by">{named_by}</div>')
    if opened := outcome.get("opened"):
        muted(opened_in_words(opened))
    if cut := outcome.get("cut_by_budget"):
        note(f"The budget leaves out {count_of(cut, 'pair')} that were named, too.")
    if dropped := dropped_in_words(outcome.get("dropped", {})):
        note(f"Left out: {dropped}.")
    if said := flagged_in_words(outcome.get("flagged")):
        muted(said)
    for warning in outcome.get("warnings", ()):
        note(sentence(str(warning)), kind="warning")
    show_findings(outcome.get("sanity", ()))


def for_raters(outcome: Outcome) -> int:
    """Pairs that raters are asked for from then on: new ones, and known ones that are opened."""
    n: int = outcome["pairs_added"] + outcome.get("opened", 0)
    return n


def opened_in_words(n: int) -> str:
    """Of how many known pairs raters are asked for the first time."""
    were, what = (
        ("was", "a document that a query") if n == 1 else ("were", "documents that queries")
    )
    return (
        f"Raters are asked for {count_of(n, 'pair')} more, which {were} in the pool and asked of "
        f"nobody: {what} {were} written for."
    )


def figures_of(outcome: Outcome) -> list[Tile]:
    """New pairs, pairs of each query, hours, and the share that is expected to be relevant."""
    each, cost = outcome.get("per_query") or {}, outcome.get("cost") or {}
    queries = outcome.get("queries", 0)
    figures = [
        Tile("new pairs", count(outcome["pairs_added"]), _of_queries(queries)),
        _per_query(each),
        _cost(cost),
        _expected(outcome.get("expected") or {}),
    ]
    return [figure for figure in figures if figure is not None]


def show_pooled(workspace: Workspace, job: Job, outcome: Outcome) -> None:
    """What a pooling brought, and where to go on."""
    del job
    added, number = outcome["pairs_added"], outcome.get("pooling_id")
    if number is not None and not find_pooling(workspace, number).stands:
        muted(f"Filling {count(number)} was taken back since.")
    elif for_raters(outcome):
        joined = f"{count_of(added, 'pair')} joined the pool."
        opened = outcome.get("opened", 0)
        note(joined, *([opened_in_words(opened)] * bool(opened)), "Next, the experts grade them.")
        st.page_link("ui/pages/grade.py", label="Grade", icon=":material/arrow_forward:")
    else:
        nothing = "" if number is not None else "So there is no filling to take back."
        note("No pair is new: the pool holds all that was named.", nothing)


def preview_button(workspace: Workspace, person: Person, plan: PoolPlan, key: str) -> None:
    """The button that starts the job which counts what this plan would bring."""
    job = latest_job(workspace, PREVIEW_JOB)
    st.button(
        "Preview",
        type="primary",
        key=key,
        icon=":material/visibility:",
        disabled=(job is not None and job.active) or bool(missing_to_pool(workspace)),
        on_click=in_callback(start),
        args=(
            workspace,
            person,
            PREVIEW_JOB,
            PREVIEW_TARGET,
            {"actor": person.name, **plan.as_json()},
        ),
        kwargs={"noted": False},
    )


def start_pooling(workspace: Workspace, person: Person, plan: Mapping[str, Any]) -> None:
    """Start the job that pools; `plan` as `PoolPlan.as_json` gives it."""
    start(workspace, person, POOL_JOB, POOL_TARGET, {"actor": person.name, **plan})


def start_repeating(workspace: Workspace, person: Person, pooling_id: int) -> None:
    """Start the job that pools once more as a filling did."""
    parameters = {"actor": person.name, "pooling_id": pooling_id}
    start(workspace, person, POOL_JOB, REPEAT_TARGET, parameters)


def _offer_preview(workspace: Workspace, person: Person, plan: PoolPlan) -> None:
    with st.container(horizontal=True, vertical_alignment="center", key="offer_preview"):
        preview_button(workspace, person, plan, "preview")
        muted(missing_to_pool(workspace) or "Counts what would join the pool. Nothing is written.")


def _offer_pooling(workspace: Workspace, person: Person, plan: PoolPlan, preview: Outcome) -> None:
    n = for_raters(preview)
    if not n:
        muted("The pool holds all of these pairs; there is nothing to add.")
        return
    with st.container(horizontal=True, vertical_alignment="center", key="offer_pooling"):
        st.button(
            f"Pool {count_of(n, 'pair')}",
            type="primary",
            key="pool",
            on_click=in_callback(start_pooling),
            args=(workspace, person, plan.as_json()),
        )
        muted("They wait for raters at once. It can be taken back below.")


def _source_row(source: Mapping[str, Any]) -> list[str]:
    return [
        source_name(source["source"]),
        count(source["new"]),
        count(source["candidates"]),
        count(source["queries_without"]),
    ]


def _known(n: int) -> str:
    if not n:
        return "None of what they name was in the pool before."
    were = "was" if n == 1 else "were"
    return f"Of all that they name {count_of(n, 'pair')} {were} in the pool before."


def _of_queries(n: int) -> str:
    return f"of {count(n)} {'query' if n == 1 else 'queries'}"


def _per_query(each: Mapping[str, Any]) -> Tile | None:
    if each.get("median") is None:
        return None
    value = f"{each['min']:g} \u2013 {each['median']:g} \u2013 {each['max']:g}"
    return Tile("new pairs of a query", value, "fewest, median, most")


def _cost(cost: Mapping[str, Any]) -> Tile | None:
    """The hours of grading; the pace is measured, or assumed and said so."""
    if cost.get("hours") is None:
        return None
    pace = f"{cost['seconds_a_grade']:.0f} seconds a grade"
    how = "the team's pace" if cost.get("measured") else "assumed, too few grades yet"
    return Tile(
        "grading", hours(cost["hours"]), f"{count_of(cost['grades'], 'grade')}, {pace}: {how}"
    )


def _covered(expected: Mapping[str, Any], share: Mapping[str, Any]) -> str:
    """Of how many of the new pairs that is expected; "" where it is of all, or of none."""
    covered, new = expected.get("pairs", 0), expected.get("of_pairs", 0)
    if share.get("value") is None or covered >= new:
        return ""
    return f"of {count_of(covered, 'pair')}; unknown for the other {count(new - covered)}"


def _expected(expected: Mapping[str, Any]) -> Tile | None:
    share = expected.get("share_relevant")
    if share is None:
        return None
    why = str(expected.get("why") or "")
    span = percent_interval(share.get("low"), share.get("high"))
    reason = "" if share.get("value") is not None else str(share.get("reason") or "")
    parts = (_covered(expected, share), span, why or reason.replace("_", " "))
    beside = " \u00b7 ".join(part for part in parts if part)
    return Tile("expected to be relevant", percent(share.get("value")), beside)
