"""Under a leaderboard: the unjudged documents that could move it, and a way to have them judged."""

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from builder.evaluation import Contest
from builder.evaluation.holes import Hole, Holes
from builder.jobs import Job
from builder.people import Person
from builder.store.documents import documents_by_ids
from builder.store.queries import get_query
from builder.workspace import Workspace
from ui.frame import in_callback, muted, note, section
from ui.holes import TOP, holes_of
from ui.jobs import Outcome, follow, start
from ui.meanings import show_meanings
from ui.numbers import MISSING, count, count_of, decimal
from ui.pooling.words import dropped_in_words
from ui.tables import Column, Html, named, shortened, table, with_note
from ui.text import inline

HOLES_JOB = "holes"
HOLES_TARGET = "builder.evaluation.hole_job:holes_job"
STRONGEST = 10
"""Holes that are shown."""
MANY = 100
"""Holes that are sent unless another number is asked for."""
_MODELS = [
    Column("model"),
    Column("unjudged", numeric=True),
    Column("judged@10 now", numeric=True),
    Column("judged@10 after", numeric=True),
    Column("nDCG@10 now", numeric=True),
]
_HOLES = [
    Column("query"),
    Column("document"),
    Column("rank"),
    Column("movement", numeric=True),
]
_LEFT_OUT = {
    "stale_run": "its ranking is of another corpus or of other queries",
    "no_kept_run": "its ranking was not kept",
}
_IN_THE_QUEUE = (
    "Raters get them among the other pairs of their query, not before these. Unless they are "
    "graded, they can be taken back on the page Pool."
)
_MEANINGS = (
    ("hole", "A document that a model shows in its top 10 for a query and that nobody judged for "
     "it."),
    ("judged@10", "The share of a model's top 10 that is judged, in the mean over the queries: "
     "1 says that nothing is unknown."),
    ("movement", "How far a grade of 3 for this document drives the models' nDCG@10 apart, in the "
     "mean over the queries. The strongest come first: they say most about which model is best."),
    ("can become", "nDCG@10 by the grades of the holes that are worst for the model, and by those "
     "that are best."),
)  # fmt: skip
_REASONS = {
    "all_judged": "Every document in the models' top 10 is judged.",
    "no_results": "No model was evaluated on this release yet.",
    "no_kept_run": "The rankings of these models were not kept. Evaluate them again to see which "
    "documents nobody judged.",
    "nobody_to_ask": "What is unjudged in the models' top 10 can be asked of nobody.",
}


def show_holes(
    workspace: Workspace, person: Person, board: Contest, colours: Mapping[str, str]
) -> None:
    """How much of the models' top 10 nobody judged, what that may change, and the way on."""
    holes = holes_of(workspace, board)
    if holes is None:
        return
    section(f"Unjudged documents in the top {TOP}")
    follow(workspace, HOLES_JOB, show=show_sent, fades=True)
    if holes.reason is not None:
        muted(_REASONS.get(holes.reason, holes.reason))
    else:
        _show_found(workspace, person, board, holes, colours)
    _show_beside(board, holes)


def show_sent(job: Job, outcome: Outcome) -> None:
    """What was sent to the queue, and what comes after grading."""
    del job
    added = outcome["pairs_added"]
    if not added:
        note("Nothing was sent: all of them are in the pool already.")
        return
    note(
        f"{count_of(added, 'pair')} {'was' if added == 1 else 'were'} sent to the queue.",
        "When they are graded, make a release and evaluate the models again: then they count.",
    )
    with st.container(horizontal=True):
        st.page_link("ui/pages/grade.py", label="Grade", icon=":material/arrow_forward:")
        st.page_link("ui/pages/release.py", label="Make a release", icon=":material/inventory_2:")


def _show_found(
    workspace: Workspace,
    person: Person,
    board: Contest,
    holes: Holes,
    colours: Mapping[str, str],
) -> None:
    muted(headline(holes))
    figures = st.container()
    n = _ask_and_send(workspace, person, board, holes)
    with figures:
        rows = [_model_row(row, holes.after(n), colours) for row in holes.models]
        st.html(f'<div class="gs-blocks gs-hole-models">{table(_MODELS, rows)}</div>')
    show_meanings(_MEANINGS)
    if sentence := winner_in_words(holes):
        note(sentence, kind="warning" if holes.winner_can_change else "")
    if holes.holes:
        _show_strongest(workspace, holes.holes[:STRONGEST], len(holes.holes))


def headline(holes: Holes) -> str:
    """How many documents nobody judged, and what that means."""
    new, waiting = len(holes.holes), len(holes.queued)
    told = f"Nobody judged {count_of(new + waiting, 'document')} in the models' top {holes.k}"
    if waiting:
        told += (
            f"; {count(waiting)} of them {'waits' if waiting == 1 else 'wait'} for grades already"
        )
    return f"{told}. Unjudged counts as not relevant, so models may be better than shown."


def winner_in_words(holes: Holes) -> str:
    """Whether grades may change which model is first; "" where nobody knows or none competes."""
    if holes.winner_can_change is None or holes.winner is None:
        return ""
    if holes.winner_can_change:
        return (
            f"Judging these documents may change the order: today {holes.winner} is first, and "
            "there are grades by which another model would be."
        )
    return f"However these documents are graded, {holes.winner} stays first."


def _ask_and_send(workspace: Workspace, person: Person, board: Contest, holes: Holes) -> int:
    """How many of the strongest to send, and the button that does; 0 where there are none."""
    most = len(holes.holes)
    if not most:
        return 0
    with st.container(horizontal=True, vertical_alignment="bottom", key="send_holes_row"):
        n = st.number_input(
            "So many of the strongest",
            1,
            most,
            min(most, MANY),
            key=f"holes_{board.name}",
            width=200,
        )
        asked = {"actor": person.name, "task": f"custom/{board.name}", "k": TOP, "limit": n}
        st.button(
            f"Send {count_of(n, 'pair')} to the queue",
            key="send_holes",
            icon=":material/playlist_add:",
            on_click=in_callback(start),
            args=(workspace, person, HOLES_JOB, HOLES_TARGET, asked),
        )
        muted(_IN_THE_QUEUE)
    return n


def _model_row(
    row: Mapping[str, Any], after: Mapping[str, float | None], colours: Mapping[str, str]
) -> list[str]:
    model = row["model"]
    low, high = row.get("lowest"), row.get("highest")
    span = f"can become {decimal(low)} to {decimal(high)}" if low is not None else ""
    return [
        named(model, colours.get(model, "transparent")),
        count(row["unjudged"]),
        decimal(row["judged_before"]),
        decimal(after.get(model)),
        with_note(decimal(row["ndcg"]), span),
    ]


def _show_strongest(workspace: Workspace, holes: Sequence[Hole], n: int) -> None:
    with workspace.store.read() as connection:
        documents = documents_by_ids(connection, [hole.doc_id for hole in holes])
        texts = {hole.query_id: get_query(connection, hole.query_id) for hole in holes}
    rows = []
    for hole in holes:
        query, document = texts[hole.query_id], documents.get(hole.doc_id)
        title = document.title if document and document.title else hole.doc_id
        told = "" if title.startswith(hole.doc_id) else hole.doc_id
        rows.append(
            [
                shortened(query.text if query else hole.query_id),
                with_note(shortened(title), shortened(told)),
                _ranks(hole),
                f"{hole.movement:.4f}",
            ]
        )
    first = f"The {count(len(holes))} strongest of {count(n)}" if n > len(holes) else "All of them"
    st.html(f'<div class="gs-blocks gs-holes">{table(_HOLES, rows, caption=f"{first}.")}</div>')


def _ranks(hole: Hole) -> Html:
    """Model and rank, a line each."""
    lines = sorted(hole.ranks.items(), key=lambda pair: (pair[1], pair[0]))
    return Html("<br>".join(f"{inline(model)} {count(rank)}" for model, rank in lines) or MISSING)


def _show_beside(board: Contest, holes: Holes) -> None:
    """What was graded since, what nobody can be asked, and which models are not looked at."""
    if n := holes.graded_since:
        note(
            f"{count_of(n, 'document')} of the top {holes.k} {'was' if n == 1 else 'were'} graded "
            f"after {board.name} was made.",
            "Make a release and evaluate the models again: then these grades count.",
        )
    if left := dropped_in_words(holes.left_out):
        muted(f"Left out: {left}.")
    for row in holes.left_out_models:
        why = _LEFT_OUT.get(row["why"], row["why"])
        muted(f"{row['model']} is not looked at: {why}. Evaluate it again.")
