"""What the pool holds: pairs by who named them, and how many wait for grades."""

import streamlit as st

from builder.store.judgments import count_judgments
from builder.store.pool import count_pairs, pool_by_source
from builder.workspace import Workspace
from ui.frame import muted, note, section
from ui.numbers import count, count_of
from ui.pooling.words import source_name
from ui.tables import Column, table

_COLUMNS = [Column("named by"), Column("pairs", numeric=True)]


def show_standing(workspace: Workspace) -> None:
    """The pool by source."""
    section("In the pool")
    with workspace.store.read() as connection:
        pairs, by_source = count_pairs(connection), pool_by_source(connection)
        judged = count_judgments(connection, workspace.settings.raters_per_pair)
    if not pairs:
        note("The pool is empty.", "Import a corpus and queries, then pool the first pairs.")
        return
    rows = [
        [source_name(name), count(n)]
        for name, n in sorted(by_source.items(), key=lambda pair: (-pair[1], pair[0]))
    ]
    told = [count_of(pairs, "pair"), f"{count(judged.waiting_of(pairs))} without a grade"]
    if judged.unasked_pairs:
        told.append(f"{count(judged.unasked_pairs)} with a language model's grade only")
    caption = f"{', '.join(told)}; one may have several sources."
    st.html(table(_COLUMNS, rows, caption=caption))
    if by_source.get("holes"):
        muted("Holes are documents that a model showed in its top 10 and nobody had judged.")
