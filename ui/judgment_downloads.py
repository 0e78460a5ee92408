"""Raw judgments to take away, on the Release page: nothing is computed until somebody asks."""

from functools import partial
from pathlib import Path
from typing import Any

import streamlit as st

from builder.export.judgment_tools import labelling_interface
from builder.export.judgments import (
    FILE_ENDINGS,
    TABLES,
    WITH_LOG,
    judgments_for_download,
)
from builder.jobs import Job
from builder.people import Person
from builder.store.judgment_rows import count_of_models, count_standing
from builder.store.judgments import count_judgments
from builder.workspace import Workspace
from ui.frame import muted, note, section, sentence
from ui.jobs import Outcome, follow, start
from ui.numbers import count, count_of, in_words

JOB = "judgments"
TARGET = "builder.export.judgments:export_judgments_job"

AT_ONCE = 50_000
"""Judgments; more are written by a job, which goes on when the tab closes."""

FORMATS = {
    "csv": "CSV",
    "tsv": "TSV",
    "jsonl": "JSON lines",
    "trec": "TREC qrels, one grade a pair",
    "quepid-json": "Quepid book, JSON",
    "quepid-csv": "Quepid book, CSV",
    "label-studio": "Label Studio, JSON",
}


def show_judgment_downloads(workspace: Workspace, person: Person) -> None:
    """The section: in which form, and the button that fetches the file."""
    section("Raw judgments")
    with workspace.store.read() as connection:
        standing, of_models = count_standing(connection), count_of_models(connection)
        logged = count_judgments(connection, 1).judgments
    if not standing:
        note("Nobody has judged a pair yet.", "Judgments can be taken away once there are some.")
        return
    muted(
        f"{_whose(standing, of_models)}, one for each rater and pair. The file holds the names "
        "of the raters. Every form can be imported again."
    )
    options = _asked()
    if (logged if options.get("everything") else standing) > AT_ONCE:
        _offer_job(workspace, person, options)
    else:
        _offer_at_once(workspace, person, options)
    if options["format"] == "label-studio":
        muted("The labelling interface of the project, to paste into its settings:")
        st.code(labelling_interface(workspace.settings), language="xml")


def _whose(standing: int, of_models: int) -> str:
    """Such as: 132 judgments stand: 68 of people or imports and 64 of language models."""
    told = f"{count_of(standing, 'judgment')} {'stands' if standing == 1 else 'stand'}"
    if not of_models:
        return told
    people = count(standing - of_models)
    return f"{told}: {people} of people or imports and {count(of_models)} of language models"


def _asked() -> dict[str, Any]:
    """What the person chose, as options of the export."""
    form = st.selectbox("Form of the file", list(FORMATS), format_func=FORMATS.__getitem__)
    asked: dict[str, Any] = {"format": form}
    with st.container(horizontal=True, key="gs-judgment-options"):
        if form != "trec":
            asked["pseudonymous"] = st.checkbox(
                "Pseudonyms",
                help="Raters as rater-01 and so on. Comments and reasons are left out: they may "
                "name people.",
            )
        if form in TABLES:
            asked["excel"] = st.checkbox(
                "For Excel",
                value=form != "tsv",
                help="Emoji and umlauts survive, and no text becomes a formula or a date. The "
                "import takes the apostrophes off again.",
            )
        if form in WITH_LOG:
            asked["everything"] = st.checkbox(
                "The whole log", help="Also what was replaced or undone."
            )
    return asked


def _offer_at_once(workspace: Workspace, person: Person, options: dict[str, Any]) -> None:
    form = options["format"]
    st.download_button(
        "Download judgments",
        data=partial(judgments_for_download, workspace, person, **options),
        file_name=f"judgments{FILE_ENDINGS[form]}",
        mime="text/csv" if form.endswith("csv") else "application/octet-stream",
        on_click="ignore",
        icon=":material/download:",
        key=f"judgments_{'_'.join(str(value) for value in options.values())}",
    )


def _offer_job(workspace: Workspace, person: Person, options: dict[str, Any]) -> None:
    if st.button("Write the file", icon=":material/description:", key="write_judgments"):
        start(workspace, person, JOB, TARGET, {"actor": person.name, **options})
    follow(workspace, JOB, show=_show_written)


def _show_written(job: Job, outcome: Outcome) -> None:
    file = Path(str(outcome["file"]))
    left_out = ", ".join(f"{count(n)} {in_words(why)}" for why, n in outcome["left_out"].items())
    note(
        f"{count(outcome['written'])} judgments as {FORMATS[str(outcome['format'])]}.",
        f"Left out: {left_out}." if left_out else "",
        *(f"{sentence(warning)}." for warning in outcome.get("warnings", ())),
    )
    if not file.is_file():
        note("The file has been removed.", "Write it again.")
        return
    st.download_button(
        "Download judgments",
        data=partial(file.open, "rb"),
        file_name=f"judgments{file.suffix}",
        on_click="ignore",
        icon=":material/download:",
        key=f"judgments_of_job_{job.job_id}",
    )
