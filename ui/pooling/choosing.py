"""Who names documents, for which queries, and how much: what the page asks for."""

from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from builder.curation.lists import query_filters
from builder.people import Person
from builder.pooling import PoolPlan
from builder.pooling.plan import LONGEST_DEPTH
from builder.workspace import Workspace
from ui.frame import muted, section
from ui.leaderboards import KNOWN_MODELS
from ui.numbers import count_of
from ui.pooling.run_files import keep_run_files

ALL, WITH_TAG, OF_SOURCE = "all", "tag", "source"
SCOPES = {ALL: "All queries", WITH_TAG: "With a tag", OF_SOURCE: "From a source"}
NO_LIMIT, IN_PAIRS, IN_HOURS = "none", "pairs", "hours"
BUDGETS = {NO_LIMIT: "No limit", IN_PAIRS: "In pairs", IN_HOURS: "In hours of grading"}
_FIRST = PoolPlan()
_MOST_EACH = 100
_LARGEST_RUN_MB = 200


def ask_plan(workspace: Workspace, person: Person, *, has_log: bool) -> PoolPlan:
    """What is to be pooled.

    Args:
        workspace: Whose queries and log.
        person: Who asks; run files that they hand over are kept.
        has_log: Whether there are searches and clicks to choose from.
    """
    section("Who names documents")
    searches, users = st.columns(2, gap="large")
    with searches:
        plan = _ask_searches(workspace, person)
    with users:
        plan = _ask_users(plan, has_log=has_log)
    section("For which queries, and how many")
    which, limits = st.columns(2, gap="large")
    with which:
        plan = _ask_queries(plan, workspace)
    with limits:
        return _ask_balance(_ask_budget(plan))


def _ask_searches(workspace: Workspace, person: Person) -> PoolPlan:
    models = st.multiselect(
        "Searches: bm25, minilm, or any SentenceTransformer name or folder",
        KNOWN_MODELS,
        default=KNOWN_MODELS,
        accept_new_options=True,
        key="pool_models",
        persist_state="session",
    )
    depth = _ask_number(
        "How many documents of each search and query", "depth", LONGEST_DEPTH, _FIRST.depth, least=1
    )
    with st.expander("Rankings of other systems"):
        uploads = st.file_uploader(
            "Run files in TREC's form: query, Q0, document, rank, score, name",
            accept_multiple_files=True,
            max_upload_size=_LARGEST_RUN_MB,
            key="pool_runs",
        )
    files = keep_run_files(workspace, person, uploads) if uploads else []
    return PoolPlan(tuple(models), depth, tuple(str(file.absolute()) for file in files))


def _ask_users(plan: PoolPlan, *, has_log: bool) -> PoolPlan:
    """Clicked, skipped and random documents of each query; 0 is none."""
    clicks = _ask_number(
        "Clicked documents of each query", "clicked", _MOST_EACH, 5 if has_log else 0,
        help="What users clicked most for where it stood, of what the log shows at least "
        f"{count_of(_FIRST.least_impressions, 'time')}: likely relevant.",
        disabled=not has_log,
    )  # fmt: skip
    skipped = _ask_number(
        "Skipped documents of each query", "skipped", _MOST_EACH, 2 if has_log else 0,
        help="What users passed over, to click below, at least "
        f"{count_of(_FIRST.least_impressions, 'time')}, and what surely attracts fewer clicks than "
        "others there: looks right and is not. Such hard negatives tell good models from better "
        "ones.",
        disabled=not has_log,
    )  # fmt: skip
    if not has_log:
        muted("Without search events nobody clicked or skipped anything.")
    random = _ask_number(
        "Random documents of each query", "random", _MOST_EACH, 0,
        help="Nobody expects them to be relevant. A few show whether raters read, and what every "
        "search misses.",
    )  # fmt: skip
    return replace(plan, clicks=clicks, skipped=skipped, random=random)


def _ask_queries(plan: PoolPlan, workspace: Workspace) -> PoolPlan:
    """Of which queries: all, those with a tag, or of a source."""
    tags, sources = query_filters(workspace)
    scopes = [ALL, *([WITH_TAG] if tags else []), *([OF_SOURCE] if sources else [])]
    scope = st.radio(
        "Queries",
        scopes,
        format_func=SCOPES.__getitem__,
        horizontal=True,
        key="queries",
        persist_state="session",
    )
    if scope == WITH_TAG:
        plan = replace(plan, tag=_ask_one("Tag", tags, "pool_tag"))
    elif scope == OF_SOURCE:
        source = _ask_one("Source", sources, "pool_source")
        plan = replace(plan, source=source)
    only_new = st.checkbox(
        "Only queries that have no pair yet", key="only_new", persist_state="session"
    )
    return replace(plan, only_new=only_new)


def _ask_budget(plan: PoolPlan) -> PoolPlan:
    kind = st.radio(
        "Budget",
        list(BUDGETS),
        format_func=BUDGETS.__getitem__,
        horizontal=True,
        key="budget",
        persist_state="session",
    )
    if kind == IN_PAIRS:
        pairs = _ask_number("At most so many new pairs", "pairs", 10**7, 500, least=1)
        return replace(plan, budget=pairs)
    if kind == IN_HOURS:
        most = st.number_input(
            "At most so many hours of grading, of all raters together",
            0.25, 10_000.0, 8.0, 0.25, key="hours", persist_state="session",
        )  # fmt: skip
        return replace(plan, hours=most)
    return plan


def _ask_balance(plan: PoolPlan) -> PoolPlan:
    """The largest share of pairs that nobody expects to be relevant; nothing without such."""
    if not (plan.skipped or plan.random):
        return plan
    share = st.slider(
        "Skipped and random documents: at most so many % of the new pairs of a query",
        0,
        100,
        round(100 * _FIRST.negatives),
        5,
        format="%d %%",
        key="negatives",
        persist_state="session",
        help="Raters who see nothing but zeros grade worse. Kept as long as others name enough.",
    )
    return replace(plan, negatives=share / 100)


def _ask_number(  # noqa: PLR0913 - what a field is
    title: str,
    key: str,
    most: int,
    first: int,
    *,
    least: int = 0,
    help: str | None = None,  # noqa: A002 - as Streamlit calls it
    disabled: bool = False,
) -> int:
    return st.number_input(
        title,
        least,
        most,
        first,
        key=key,
        persist_state="session",
        help=help,
        disabled=disabled,
    )


def _ask_one(title: str, options: Sequence[str], key: str) -> str:
    """One of these; a list of options shows texts of people as they are."""
    return st.selectbox(title, options, key=key, persist_state="session")
