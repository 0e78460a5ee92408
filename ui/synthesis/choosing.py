"""What is asked of the language model: documents, types of queries, and hard limits.

The choices live in the address, so that a reload keeps them, and in the session.
"""

from dataclasses import replace

import streamlit as st

from builder.synthesis.llm import Endpoint, price_of
from builder.synthesis.plan import (
    MOST_DOCUMENTS,
    MOST_EXAMPLES,
    MOST_PER_CALL,
    MOST_SEED,
    TYPES,
    SynthPlan,
)
from builder.synthesis.prompts import load_prompts
from builder.workspace import Workspace
from ui.frame import section
from ui.leaderboards import KNOWN_MODELS
from ui.synthesis.words import BY
from ui.text import button_label

FIELD = "field"
_FIRST = SynthPlan()
_MOST_OF_A_DOCUMENT = 20
_MOST_TOKENS = 10**9


def ask_plan(workspace: Workspace, endpoint: Endpoint) -> SynthPlan:
    """What is to be asked for; what the page does not ask is as the settings have it.

    Raises:
        BuilderError: A prompt of the workspace cannot be read.
    """
    section("What to write")
    left, right = st.columns(2, gap="large")
    with left:
        plan = _ask_documents(_FIRST)
    with right:
        plan = _ask_queries(plan, workspace)
    with st.expander("Hard limits, and more"):
        first, second = st.columns(2, gap="large")
        with first:
            plan = _ask_limits(plan, workspace, endpoint)
        with second:
            plan = _ask_more(plan)
    return plan


def _ask_documents(plan: SynthPlan) -> SynthPlan:
    """How many documents, and how they are chosen."""
    documents = _ask_number("How many documents", "documents", 1, MOST_DOCUMENTS, plan.documents)
    way = st.selectbox(
        "How to choose them",
        list(BY),
        format_func=lambda by: BY[by][0],
        key="synth_by",
        persist_state="session",
        bind="query-params",
        help=" ".join(f"{name}: {about}" for name, about in BY.values()),
    )
    field = ""
    if way == FIELD:
        field = st.text_input(
            "Field of the documents",
            key="synth_field",
            max_chars=200,
            persist_state="session",
            bind="query-params",
        )
    by = f"field:{field.strip()}" if way == FIELD else way
    return replace(plan, documents=documents, by=by)


def _ask_queries(plan: SynthPlan, workspace: Workspace) -> SynthPlan:
    """Which types of queries, and how many for a document."""
    prompts = load_prompts(workspace)
    types = st.pills(
        "Types of queries",
        sorted(prompts, key=_in_our_order),
        selection_mode="multi",
        wrap=True,
        default=[name for name in plan.types if name in prompts],
        format_func=lambda name: button_label(prompts[name].title),
        key="synth_types",
        persist_state="session",
        bind="query-params",
        help="Each call asks for one type; they take turns, so that all are equally frequent.",
    )
    each = _ask_number(
        "Calls for each document",
        "per_document",
        1,
        _MOST_OF_A_DOCUMENT,
        plan.per_document,
        hint="Each asks for one type, and for another passage where the document is long.",
    )
    return replace(plan, types=tuple(types), per_document=each)


def _in_our_order(name: str) -> tuple[int, str]:
    """Our own types in their order, then those of the workspace by name."""
    return TYPES.index(name) if name in TYPES else len(TYPES), name


def _ask_limits(plan: SynthPlan, workspace: Workspace, endpoint: Endpoint) -> SynthPlan:
    """What the run must not pass, whatever happens; money only where the model has a price."""
    calls = _ask_limit("At most so many calls, repeated ones too", "max_calls")
    tokens = _ask_limit("At most so many tokens, sent and received", "max_total_tokens")
    cost = None
    if (price := price_of(workspace.settings, endpoint.model)) is not None:
        cost = st.number_input(
            f"At most so much money, in {price.currency}",
            0.01,
            value=None,
            step=1.0,
            placeholder="No limit",
            key="synth_max_cost",
            persist_state="session",
            bind="query-params",
        )
    return replace(plan, max_calls=calls, max_total_tokens=tokens, max_cost=cost)


def _ask_more(plan: SynthPlan) -> SynthPlan:
    per_call = _ask_number("Queries asked of a call", "per_call", 1, MOST_PER_CALL, plan.per_call)
    examples = _ask_number(
        "Examples shown in each call",
        "examples",
        0,
        MOST_EXAMPLES,
        plan.examples,
        hint="Queries of the team with a relevant document, never the document in question; those "
        "of the prompt where there are too few.",
    )
    seed = _ask_number("Seed", "seed", 0, MOST_SEED, plan.seed)
    retrievers = st.multiselect(
        "Searches that look whether a query finds its document",
        KNOWN_MODELS,
        default=list(plan.retrievers),
        accept_new_options=True,
        key="synth_retrievers",
        persist_state="session",
    )
    return replace(
        plan, per_call=per_call, examples=examples, seed=seed, retrievers=tuple(retrievers)
    )


def _ask_limit(title: str, key: str) -> int | None:
    return st.number_input(
        title,
        1,
        _MOST_TOKENS,
        value=None,
        placeholder="No limit",
        key=f"synth_{key}",
        persist_state="session",
        bind="query-params",
    )


def _ask_number(
    title: str, key: str, least: int, most: int, first: int, *, hint: str | None = None
) -> int:
    return st.number_input(
        title,
        least,
        most,
        first,
        key=f"synth_{key}",
        persist_state="session",
        bind="query-params",
        help=hint,
    )
