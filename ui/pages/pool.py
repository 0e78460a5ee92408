"""Pool: choose which pairs the experts see."""

import streamlit as st

from builder.jobs import Job
from builder.store.pool import count_pairs, pool_by_source
from ui import frame, state
from ui.jobs import Outcome, follow, start
from ui.leaderboards import KNOWN_MODELS
from ui.numbers import count
from ui.tables import Column, table

POOL_JOB = "pool"
POOL_TARGET = "builder.pooling:pool_job"


def show_pooled(_: Job, outcome: Outcome) -> None:
    """How many pairs are new."""
    named = ", ".join(f"{name} named {count(n)}" for name, n in outcome["by_source"].items())
    frame.note(f"{count(outcome['pairs_added'])} pairs are new.", named)


workspace = state.current_workspace()
frame.heading(
    "Pool",
    "Choose which documents are graded for each query: the best that several searches find.",
)
person = state.require_person(workspace)

with st.form("pool", border=False):
    retrievers = st.multiselect(
        "Search with: bm25, minilm, or any SentenceTransformer name or folder",
        KNOWN_MODELS,
        default=KNOWN_MODELS,
        accept_new_options=True,
    )
    depth = st.number_input("How many documents of each search and query", 1, 1000, 10)
    pressed = st.form_submit_button("Pool pairs", type="primary")
if pressed and retrievers:
    parameters = {"actor": person.name, "retrievers": retrievers, "depth": depth}
    start(workspace, person, POOL_JOB, POOL_TARGET, parameters)
follow(workspace, POOL_JOB, show=show_pooled)

with workspace.store.read() as connection:
    pairs, by_source = count_pairs(connection), pool_by_source(connection)
frame.section("In the pool")
if pairs:
    columns = [Column("named by"), Column("pairs", numeric=True)]
    rows = [[name, count(n)] for name, n in by_source.items()]
    st.html(table(columns, rows, caption=f"{count(pairs)} pairs; one may have several sources."))
else:
    frame.note("The pool is empty.", "Import a corpus and queries, then pool the first pairs.")
