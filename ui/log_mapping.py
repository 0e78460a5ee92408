"""A log whose columns nobody has explained: it waits on the page until an import by it succeeds.

What the columns may mean is shown as a mapping that can be changed, by choosing or by writing; the
text is what counts. The log and what was changed stay until rows came in, or somebody drops them.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import streamlit as st

from builder.jobs import read_job
from builder.people import Person
from builder.workspace import Workspace
from online.events import OnlineError
from online.sources.guessing import Column
from ui.frame import muted, note, sentence
from ui.import_words import error_on_the_page
from ui.tables import Column as Heading
from ui.tables import table
from ui.uploads import Upload, drop_upload, keep_uploads, start_import

_WAITING = "log_to_explain"
_TEXT = "log_mapping"
_REFUSED = "log_mapping_refused"
_NOWHERE = "\u2013 not in this log"
_FOR_THE_TERMINAL = ("# Look at it, then:", "# Its times name no zone:")
_EXAMPLES = 2
_LONGEST = 36


@dataclass(frozen=True, slots=True)
class Waiting:
    """A log that waits for somebody to say what its columns mean.

    Attributes:
        path: Where it is kept.
        why: Why it cannot be read without.
        mapping: What the columns mean, in TOML: proposed first, then as it was changed.
        zone: Of times that name none.
        zone_needed: Whether there are such times.
        columns: The columns, with values of the first rows.
        options: How it is read beside.
        job_id: The import that tried the mapping last; None before the first.
    """

    path: Path
    why: str
    mapping: str
    zone: str
    zone_needed: bool
    columns: tuple[Column, ...]
    options: Mapping[str, object]
    job_id: int | None = None


def import_log(
    workspace: Workspace, person: Person, upload: Upload, options: Mapping[str, object]
) -> None:
    """Start the import, or let the log wait until `ask_mapping` knows what its columns mean.

    Raises:
        OnlineError: The file is no log, or damaged, or there is no such zone.
        BuilderError: The person may not import, or another import is at work.
    """
    _require_zone(str(options.get("timezone") or ""))
    _forget_waiting()
    path = keep_uploads(workspace, person, [upload])
    try:
        waiting = _not_understood(path, options)
    except OnlineError as error:
        drop_upload(path)
        raise error_on_the_page(error) from error
    if waiting is None:
        start_import(workspace, person, "events", path, **options)
    else:
        st.session_state[_WAITING] = waiting


def ask_mapping(workspace: Workspace, person: Person) -> bool:
    """What the columns of a waiting log mean; nothing where none waits.

    Returns:
        Whether a log waits that no import has tried: what was imported last is another file.

    Raises:
        OnlineError: The mapping is no TOML, or does not fit the log.
    """
    waiting: Waiting | None = st.session_state.get(_WAITING)
    if waiting is None or not waiting.path.is_file():
        st.session_state.pop(_WAITING, None)
        return False
    if waiting.job_id is not None and read_job(workspace, waiting.job_id).active:
        return False
    _say_why(waiting)
    st.session_state.setdefault(_TEXT, waiting.mapping)
    _choose(waiting)
    text = st.text_area("Mapping (TOML)", height=380, key=_TEXT)
    _explain(waiting)
    zone = _ask_zone(waiting)
    waiting = replace(waiting, mapping=text, zone=zone)
    st.session_state[_WAITING] = waiting
    with st.container(horizontal=True):
        pressed = st.button("Import with this mapping", type="primary")
        st.button("Leave it", on_click=_forget_waiting)
    if pressed:
        _import_by(workspace, person, waiting)
    return waiting.job_id is None


def _say_why(waiting: Waiting) -> None:
    if waiting.job_id is None:
        note(
            f"What do the columns of {waiting.path.name} mean?",
            f"{sentence(waiting.why)}.",
            "Below is a guess from its first rows: correct it, then import.",
            kind="warning",
        )
    else:
        note(
            f"Nothing of {waiting.path.name} came in by this mapping.",
            "See the reasons below, change the mapping or the zone, and import again.",
            kind="warning",
        )


def _ask_zone(waiting: Waiting) -> str:
    """The zone of times without one; nobody but the person knows it, so nothing is filled in."""
    st.session_state.setdefault("log_mapping_zone", waiting.zone)
    zone = st.text_input(
        "Time zone of times without one",
        placeholder="such as Europe/Berlin",
        key="log_mapping_zone",
        width=320,
    )
    if waiting.zone_needed and not zone:
        muted("Its times name no zone: rows are set aside until you say which it is.")
    return zone


def _choose(waiting: Waiting) -> None:
    """The columns that matter most, to be chosen; each choice rewrites its line of the text."""
    from online.sources.mapping_text import CHOICES, chosen_columns

    try:
        chosen = chosen_columns(st.session_state[_TEXT])
    except OnlineError as error:
        note("The mapping cannot be read.", sentence(error.message), kind="warning")
        return
    paths = [column.path for column in waiting.columns]
    with st.container(key="mapping_choices", horizontal=True):
        for key, title in CHOICES.items():
            now = chosen[key] or _NOWHERE
            options = [_NOWHERE, *paths, *([] if now in (_NOWHERE, *paths) else [now])]
            st.session_state[f"map_{key}"] = now
            st.selectbox(
                title, options, key=f"map_{key}", width=220,
                on_change=_rewrite, args=(waiting, key),
            )  # fmt: skip
    if refused := st.session_state.pop(_REFUSED, None):
        note(sentence(refused), kind="warning")


def _rewrite(waiting: Waiting, key: str) -> None:
    from online.sources.mapping_text import choose_column

    path = st.session_state[f"map_{key}"]
    column = next((column for column in waiting.columns if column.path == path), None)
    try:
        st.session_state[_TEXT] = choose_column(st.session_state[_TEXT], key, column)
    except OnlineError as error:
        st.session_state[_REFUSED] = f"{error.message}; {error.hint or 'change the text'}"


def _explain(waiting: Waiting) -> None:
    """The columns of the log with examples, and the fields that they may be."""
    from online.sources.mapping_text import MEANINGS

    with st.expander("Columns of this log, and what they may be"):
        rows = [[column.path, _examples(column)] for column in waiting.columns]
        st.html(table([Heading("column of the log"), Heading("such as")], rows))
        fields = [[key, means] for key, means in MEANINGS.items()]
        st.html(table([Heading("field"), Heading("what it means")], fields))


def _examples(column: Column) -> str:
    values = list(dict.fromkeys(str(value) for value in column.values))[:_EXAMPLES]
    short = [value if len(value) <= _LONGEST else f"{value[:_LONGEST]}\u2026" for value in values]
    return " \u00b7 ".join(short) or "no value in the first rows"


def _import_by(workspace: Workspace, person: Person, waiting: Waiting) -> None:
    from online.sources.mapping import parse_mapping
    from online.sources.recognise import open_source

    _require_zone(waiting.zone)
    try:
        open_source(waiting.path, mapping=parse_mapping(waiting.mapping, "the mapping")).close()
    except OnlineError as error:
        raise error_on_the_page(error) from error
    options = {**waiting.options, "timezone": waiting.zone, "mapping": waiting.mapping}
    job_id = start_import(workspace, person, "events", waiting.path, keep=True, **options)
    st.session_state[_WAITING] = replace(waiting, job_id=job_id)
    st.rerun()


def _require_zone(name: str) -> None:
    from online.zones import zone_of

    if name:
        zone_of(name)


def _not_understood(path: Path, options: Mapping[str, object]) -> Waiting | None:
    """What is to be asked about a log; None if it can be read as it is.

    Raises:
        OnlineError: It cannot be read, and no mapping would change that.
    """
    from online.sources.mapping import TableMap
    from online.sources.recognise import open_source

    if not path.stat().st_size:
        raise OnlineError(f"the file {path.name} is empty", hint="Nothing was imported.")
    model = options.get("model_version")
    said = TableMap(constants={"model_version": model} if model else {})
    try:
        open_source(path, mapping=said).close()
    except OnlineError as error:
        return _waiting(path, options, error)
    return None


def _waiting(path: Path, options: Mapping[str, object], error: OnlineError) -> Waiting:
    from online.sources.proposal import propose_mapping

    try:
        proposal = propose_mapping(path)
    except OnlineError:
        raise error from None
    lines = proposal.toml().splitlines(keepends=True)
    mapping = "".join(line for line in lines if not line.startswith(_FOR_THE_TERMINAL))
    told = [*proposal.fields.values(), *proposal.parts.values(), *proposal.left]
    told += [proposal.action] if proposal.action else []
    columns = {column.path: column for column in told}
    return Waiting(
        path, error.message, mapping, str(options.get("timezone") or ""), proposal.zone_needed,
        tuple(columns.values()), options,
    )  # fmt: skip


def _forget_waiting() -> None:
    waiting: Waiting | None = st.session_state.pop(_WAITING, None)
    for key in (_TEXT, "log_mapping_zone"):
        st.session_state.pop(key, None)
    if waiting is not None:
        drop_upload(waiting.path)
