"""What a run of the language model brought: kept, rejected by reason, calls, tokens and money."""

from collections.abc import Mapping

import streamlit as st

from builder.jobs import Job
from builder.synthesis.candidates import counts
from builder.synthesis.syntheses import list_syntheses
from builder.workspace import Workspace
from ui.frame import muted, note, sentence
from ui.jobs import Outcome
from ui.numbers import count, count_of
from ui.synthesis.words import FLAGS, OUTCOMES, counted, money, queries_of, reason_name
from ui.tables import Column, Tile, table, tiles

_YIELD = [Column("what became of them"), Column("queries", numeric=True)]


def show_outcome(workspace: Workspace, job: Job, outcome: Outcome) -> None:
    """What a run brought, and where to go on."""
    del job
    number = outcome["synthesis_id"]
    if number in (run["synthesis_id"] for run in list_syntheses(workspace) if run["taken_back_at"]):
        muted(f"Run {count(number)} was taken back since.")
        return
    if outcome["stopped"]:
        note(sentence(str(outcome["message"])), *_go_on(outcome), kind="warning")
    elif failed := outcome["failed"]:
        note(f"{count_of(failed, 'task')} given up after several attempts; see the run below.")
    st.html(tiles(figures_of(outcome)))
    show_yield(outcome)
    for warning in outcome.get("warnings", ()):
        note(sentence(str(warning)), kind="warning")
    if waiting := counts(workspace, number).waiting:
        wait = "waits" if waiting == 1 else "wait"
        note(f"{queries_of(waiting)} {wait} for review.", "Next, see which ones are good.")
        link_to_view("Review")


def figures_of(outcome: Outcome) -> list[Tile]:
    """Queries, calls, tokens and cost of a run, all of its sessions together."""
    models = ", ".join(map(str, outcome.get("models_served") or ()))
    sent = f"{count(outcome['tokens_in'])} sent, {count(outcome['tokens_out'])} received"
    return [
        Tile("kept", queries_of(outcome["kept"]), f"of {count(outcome['generated'])} written"),
        Tile("calls", count(outcome["calls"]), calls_in_words(outcome)),
        Tile("tokens", count(outcome["tokens"]), sent),
        Tile("cost", money(outcome["cost"], outcome.get("currency")), models),
    ]


def calls_in_words(outcome: Outcome) -> str:
    """What came of the calls, and of how many nothing is known."""
    said = counted(outcome.get("outcomes", {}), OUTCOMES)
    unknown = outcome.get("unknown", 0)
    return ", ".join(filter(None, [said, f"{count(unknown)} unknown" if unknown else ""]))


def show_yield(outcome: Outcome) -> None:
    """Kept ones and rejected ones by reason, as many as were written; and what was flagged."""
    st.html(yield_html(outcome["generated"], outcome["kept"], outcome["rejected"]))
    if flagged := counted(outcome.get("flagged", {}), FLAGS):
        muted(f"Of those kept: {flagged}.")


def yield_html(generated: int, kept: int, rejected: Mapping[str, int]) -> str:
    """Safe HTML: a row for those kept and for each reason, the most frequent first."""
    most_first = sorted(rejected.items(), key=lambda pair: (-pair[1], pair[0]))
    rows = [["kept", count(kept)]]
    rows += [[reason_name(reason), count(n)] for reason, n in most_first if n]
    if unseen := generated - kept - sum(rejected.values()):
        rows.append(["not filtered yet", count(unseen)])
    written = table(_YIELD, rows, caption=f"{queries_of(generated)} written")
    return f'<div class="gs-narrow">{written}</div>'


def link_to_view(view: str) -> None:
    """The way to another view of the page, by its name."""
    st.page_link(
        "ui/pages/generate.py",
        label=view,
        icon=":material/arrow_forward:",
        query_params={"view": view},
    )


def _go_on(outcome: Outcome) -> list[str]:
    said = []
    if waiting := outcome.get("waiting"):
        said.append(f"{count_of(waiting, 'call')} were not made; resume the run below.")
    if unknown := outcome.get("unknown"):
        said.append(
            f"Of {count_of(unknown, 'call')} nothing was recorded; they may have been paid for."
        )
    return said
