"""Search logs on the page Import: how they are read, what their columns mean, what was found.

A log whose columns nobody has explained waits, while the page shows what they may mean as a mapping
that can be changed; the import then reads the log by it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import streamlit as st

from builder.people import Person
from builder.workspace import Workspace
from online.events import OnlineError
from ui.frame import muted, note, sentence
from ui.numbers import count, in_words
from ui.tables import Column, table
from ui.uploads import Upload, drop_upload, keep_uploads, start_import

_WAITING = "log_to_explain"
_RANKS = {"as logged": None, "from 1": 1, "from 0": 0}
_FOR_THE_TERMINAL = ("# Look at it, then:", "# Its times name no zone:")
_APPLICATION = {
    "queries": "queries",
    "distinct_query_ids": "different ids",
    "events": "events",
    "without_query": "without query",
    "clicks": "clicks",
    "impressions": "impressions",
    "conversions": "conversions",
    "rank_base": "first rank",
}
"""What an import tells of an application -> its column."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """A log that waits for somebody to say what its columns mean.

    Attributes:
        path: Where it is kept.
        why: Why it cannot be read without.
        mapping: What the columns may mean, in TOML.
        zone_needed: Whether its times name no zone.
        options: How it is read beside.
    """

    path: Path
    why: str
    mapping: str
    zone_needed: bool
    options: Mapping[str, object]


def ask_how(workspace: Workspace) -> dict[str, object]:
    """How the log is read where it does not say so itself."""
    with st.container(key="event_options", horizontal=True):
        zone = st.text_input(
            "Time zone of times without one", placeholder=_example(workspace), key="log_zone"
        )
        model = st.text_input(
            "Model version, where the log names none", placeholder="bm25", key="log_model"
        )
        ranks = st.selectbox(
            "The first rank",
            list(_RANKS),
            key="log_ranks",
            help="As logged: ranks begin at 1 unless the log itself shows otherwise.",
        )
    return {"timezone": zone, "model_version": model, "rank_base": _RANKS[ranks]}


def import_log(
    workspace: Workspace, person: Person, upload: Upload, options: Mapping[str, object]
) -> None:
    """Start the import, or let the log wait until `ask_mapping` knows what its columns mean.

    Raises:
        OnlineError: The file is no log, or damaged.
        BuilderError: The person may not import, or another import is at work.
    """
    _forget_waiting()
    path = keep_uploads(workspace, person, [upload])
    try:
        waiting = _not_understood(path, options)
    except OnlineError:
        drop_upload(path)
        raise
    if waiting is None:
        start_import(workspace, person, "events", path, **options)
    else:
        st.session_state[_WAITING] = waiting


def ask_mapping(workspace: Workspace, person: Person) -> None:
    """What the columns of a waiting log mean; nothing where none waits.

    Raises:
        OnlineError: The mapping is no TOML, or does not fit the log.
    """
    waiting: Waiting | None = st.session_state.get(_WAITING)
    if waiting is None or not waiting.path.is_file():
        return
    note(
        f"What do the columns of {waiting.path.name} mean?",
        f"{sentence(waiting.why)}.",
        "This is a guess from its first rows: correct it, then import.",
        kind="warning",
    )
    with st.form("mapping", border=False):
        text = st.text_area("Mapping (TOML)", waiting.mapping, height=380, key="log_mapping")
        usual = _example(workspace) if waiting.zone_needed else ""
        zone = waiting.options.get("timezone") or st.text_input(
            "Time zone of times without one", usual, key="log_mapping_zone", width=320
        )
        with st.container(horizontal=True):
            pressed = st.form_submit_button("Import with this mapping", type="primary")
            left = st.form_submit_button("Leave it", on_click=_forget_waiting)
    if pressed and not left:
        _import_by(workspace, person, waiting, text, str(zone))


def show_applications(tally: Mapping[str, Any]) -> None:
    """Who wrote the log, where its format says so: what of, from which rank, in which times."""
    applications: Mapping[str, Mapping[str, Any]] = tally.get("applications") or {}
    if not applications:
        return
    columns = [Column("application"), *(Column(t, numeric=True) for t in _APPLICATION.values())]
    rows = [
        [name, *(_cell(said.get(key)) for key in _APPLICATION), _times(said)]
        for name, said in applications.items()
    ]
    html = table([*columns, Column("times")], rows)
    st.html(f'<div class="gs-blocks gs-applications">{html}</div>')
    muted("The first rank is the one an application counts from; all are kept as counted from 1.")


def _import_by(
    workspace: Workspace, person: Person, waiting: Waiting, mapping: str, zone: str
) -> None:
    from online.sources.mapping import parse_mapping
    from online.sources.recognise import open_source

    open_source(waiting.path, mapping=parse_mapping(mapping, "the mapping")).close()
    options = {**waiting.options, "timezone": zone, "mapping": mapping}
    start_import(workspace, person, "events", waiting.path, **options)
    del st.session_state[_WAITING]
    st.rerun()


def _not_understood(path: Path, options: Mapping[str, object]) -> Waiting | None:
    """What is to be asked about a log; None if it can be read as it is.

    Raises:
        OnlineError: It cannot be read, and no mapping would change that.
    """
    from online.sources.mapping import TableMap
    from online.sources.proposal import propose_mapping
    from online.sources.recognise import open_source

    model = options.get("model_version")
    said = TableMap(constants={"model_version": model} if model else {})
    try:
        open_source(path, mapping=said).close()
    except OnlineError as error:
        try:
            proposal = propose_mapping(path)
        except OnlineError:
            raise error from None
        lines = proposal.toml().splitlines(keepends=True)
        mapping = "".join(line for line in lines if not line.startswith(_FOR_THE_TERMINAL))
        return Waiting(path, error.message, mapping, proposal.zone_needed, options)
    return None


def _forget_waiting() -> None:
    waiting: Waiting | None = st.session_state.pop(_WAITING, None)
    st.session_state.pop("log_mapping", None)
    if waiting is not None:
        drop_upload(waiting.path)


def _example(workspace: Workspace) -> str:
    zone = workspace.settings.timezone
    return zone if zone != "UTC" else "Europe/Berlin"


def _cell(value: Any) -> str:
    return "\u2013" if value is None else count(value)


def _times(said: Mapping[str, Any]) -> str:
    return ", ".join(map(in_words, said.get("time_formats", {})))
