"""What the Import page asks and shows: kinds of files, and what became of their rows."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import streamlit as st

from builder.jobs import Job
from online.words import note_in_words
from ui.event_imports import show_applications
from ui.frame import note
from ui.import_words import on_the_page, reason_in_words
from ui.jobs import Outcome
from ui.numbers import count, in_words
from ui.tables import Column, table
from ui.text import inline


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of thing that can be imported.

    Attributes:
        title: What it is called.
        form: What a file of it looks like.
        updates: Whether known ids can be replaced.
    """

    title: str
    form: str
    updates: bool = False


KINDS = {
    "corpus": Kind(
        "Documents",
        "JSON lines, CSV, TSV or Parquet with _id (or id, doc_id), title and text; "
        "every other field is kept as metadata; or a Quepid book (JSON). Also packed with gzip.",
        updates=True,
    ),
    "queries": Kind(
        "Queries",
        "JSON lines, CSV, TSV or Parquet with _id and text, perhaps need and tags; or a Quepid "
        "book (JSON).",
        updates=True,
    ),
    "judgments": Kind(
        "Judgments",
        "query-id, corpus-id, rater, grade (0 to 3), perhaps comment and timestamp; qrels of 3 "
        "columns, or of TREC's 4; a Quepid book (JSON, CSV) or case (JSON); an export of Label "
        "Studio (JSON).",
    ),
    "events": Kind(
        "Search events",
        "JSON lines, CSV, TSV or Parquet with timestamp, query, session_id, model_version, "
        "retrieved_doc_ids, clicked_doc_id and click_rank; OpenSearch UBI (queries and events); or "
        "any table, of which you say what its columns mean. Also as .gz, or alone in a .zip.",
    ),
    "book": Kind(
        "Quepid book",
        "A book as Quepid exports it (JSON): its documents, queries, pairs and judgments."
        " Pairs that nobody judged there wait for your raters.",
        updates=True,
    ),
    "folder": Kind(
        "Task folder",
        "A folder as BEIR, MTEB and Goldsmith write it: corpus.jsonl, queries.jsonl, qrels.",
        updates=True,
    ),
}
SHOWN_ROWS = 20
"""How many rows in quarantine the page explains; the file has them all."""

_GOOD = ("accepted", "duplicate", "updated")
_COUNTS = ("read", "accepted", "duplicate", "updated", "quarantined")


def show_tallies(job: Job, outcome: Outcome) -> None:
    """What became of the rows of an import, and its quarantine file to take away."""
    columns = [Column(str(outcome["file"])), *(Column(name, numeric=True) for name in _COUNTS)]
    tallies: dict[str, dict[str, Any]] = outcome["tallies"]
    rows = [
        [_title(what), *(count(tally[name]) for name in _COUNTS)] for what, tally in tallies.items()
    ]
    st.html(table(columns, rows))
    if not any(tally[name] for tally in tallies.values() for name in _GOOD):
        note("Nothing came in.", "Is it the right kind of file? See the reasons.", kind="error")
    for what, tally in tallies.items():
        _show_reasons(tally, of_events=what == "events")
        show_applications(tally)
        if tally["quarantine_file"]:
            _offer_quarantine(job, what, Path(tally["quarantine_file"]))


def offer_import(kind: str) -> None:
    """A way to the page Import, where this kind is chosen already: its address holds the title."""
    chosen = {"what": KINDS[kind].title}
    st.page_link("ui/pages/imports.py", label="Import", query_params=chosen)


def _title(what: str) -> str:
    """What the rows are called; pairs come with books only."""
    return KINDS[what].title if what in KINDS else "Pairs"


def _short_words(code: str, n: int) -> str:
    return f"{count(n)} {in_words(code)}"


def _show_reasons(tally: dict[str, Any], *, of_events: bool) -> None:
    """Why rows are in quarantine, and what was odd about others; events have whole sentences."""
    _list_codes("In quarantine", tally["reasons"], reason_in_words if of_events else _short_words)
    _list_codes("Kept, but odd", tally["notes"], note_in_words if of_events else _short_words)
    # An import of long ago has kept no names.
    for code, names in tally.get("named", {}).items():
        told = inline("; ".join(names))
        st.html(f'<p class="gs-muted"><b>{inline(in_words(code))}:</b> {told}</p>')


def _list_codes(title: str, counts: dict[str, int], words: Callable[[str, int], str]) -> None:
    if counts:
        told = "".join(f"<li>{inline(words(code, n))}</li>" for code, n in counts.items())
        st.html(
            f'<div class="gs-muted"><b>{inline(title)}:</b><ul class="gs-notes">{told}</ul></div>'
        )


def _offer_quarantine(job: Job, what: str, file: Path) -> None:
    if not file.is_file():
        note("The quarantine file has been removed.")
        return
    with file.open(encoding="utf-8") as rows:
        told = [_told(json.loads(row)) for row in islice(rows, SHOWN_ROWS)]
    first = f"The first {SHOWN_ROWS} of them" if len(told) == SHOWN_ROWS else "Row by row"
    listed = "".join(f"<li>{inline(words)}</li>" for words in told)
    st.html(f'<div class="gs-muted"><b>{first}:</b><ul class="gs-notes">{listed}</ul></div>')
    st.download_button(
        "Download the rows in quarantine",
        data=file.read_bytes,
        file_name=file.name,
        mime="application/jsonl",
        key=f"quarantine_{job.job_id}_{what}",
        on_click="ignore",
        icon=":material/download:",
    )


def _told(row: dict[str, Any]) -> str:
    """Line and reason of a row in quarantine, as the import wrote them."""
    place = f"line {row['line']}: " if row.get("line") else ""
    message = str(row.get("message") or "")
    return f"{place}{on_the_page(message) or in_words(row.get('reason'))}"
