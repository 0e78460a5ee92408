"""Import: bring in documents, queries, judgments and search events."""

import streamlit as st

from ui import frame, state
from ui.event_imports import ask_how
from ui.event_undo import offer_undo
from ui.imports import KINDS, show_tallies
from ui.jobs import follow, latest_job
from ui.log_mapping import ask_mapping, import_log
from ui.uploads import IMPORT_JOB, import_uploads

frame.heading("Import", "Bring in what exists: good rows come in, bad ones are set aside, named.")

workspace = state.current_workspace()
person = state.require_person(workspace)

what = st.segmented_control(
    "What do you bring?",
    list(KINDS),
    format_func=lambda kind: KINDS[kind].title,
    default="corpus",
    required=True,
    bind="query-params",
    key="what",
)
kind = KINDS[what]
frame.muted(kind.form)

with st.form("import", border=False, clear_on_submit=True):
    chosen = st.file_uploader(
        f"{kind.title}: file to import",
        accept_multiple_files="directory" if what == "folder" else False,
        key=f"upload_{what}",
        label_visibility="collapsed",
    )
    options: dict[str, object] = {}
    if kind.updates:
        options["update"] = st.checkbox("Replace what is known under the same id")
    if what == "judgments":
        options["rater"] = st.text_input(
            "Whose grades these are, where the file does not say", placeholder="The file's name"
        )
    if what == "events":
        options |= ask_how(workspace)
    pressed = st.form_submit_button("Import", type="primary")

uploads = chosen if isinstance(chosen, list) else [chosen] if chosen else []
if pressed and uploads and what == "events":
    import_log(workspace, person, uploads[0], options)
elif pressed and uploads:
    import_uploads(workspace, person, what, uploads, **options)
elif pressed:
    frame.note("Choose a file first.", kind="warning")

# While a new log waits, what became of the last one would be taken for its result.
if not (what == "events" and ask_mapping(workspace, person)):
    follow(workspace, IMPORT_JOB, show=show_tallies)
    offer_undo(workspace, person, latest_job(workspace, IMPORT_JOB))
