"""What the Release page shows: what an export did, and the releases so far."""

import re
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import streamlit as st

from builder.export.archive import archive_name, fits_archive, release_archive
from builder.jobs import Job
from builder.people import Person
from builder.store.releases import Release, all_releases
from builder.workspace import Workspace
from ui.frame import muted, note
from ui.jobs import Outcome, clock, latest_job, start
from ui.numbers import count, in_words
from ui.tables import Column, Html, Tile, table, tiles, with_note
from ui.text import inline

EXPORT_JOB = "export"
EXPORT_TARGET = "builder.export.release:export_job"
RULES = {
    "majority": "Majority; where there is none, the lower median",
    "median": "Median, the lower one of two",
    "mean": "Mean, rounded half up",
}
WEAK = "Add a separate split of labels made of clicks, which nobody judged"
_DROPPED = {
    "unvalidated": "synthetic that nobody graded",
    "rewritten": "synthetic, rewritten since experts got them",
    "synthetic": "synthetic",
}
"""Why queries are left out, where the code alone says too little."""
_COLUMNS = [
    Column("release"),
    Column("made"),
    Column("by"),
    Column("documents", numeric=True),
    Column("queries", numeric=True),
    Column("judgments", numeric=True),
    Column("queries left out"),
]


def releases_of(workspace: Workspace) -> list[Release]:
    """All releases, the newest of each name first."""
    with workspace.store.read() as connection:
        return all_releases(connection)


def suggested_name(workspace: Workspace, releases: Sequence[Release]) -> str:
    """The name released last, else one made of the workspace's name."""
    if releases:
        return max(releases, key=lambda release: release.created_at).name
    plain = re.sub(r"[^a-z0-9]+", "-", workspace.settings.name.lower()).strip("-")
    return plain[:60] or "evaluation"


def show_releases(workspace: Workspace, releases: Sequence[Release]) -> None:
    """The releases as a table."""
    rows = [
        [
            _name_of(release),
            clock(workspace, release.created_at),
            release.created_by,
            *(count(release.counts[what]) for what in ("documents", "queries", "judgments")),
            _dropped(release.counts.get("dropped", {})) or "none",
        ]
        for release in releases
    ]
    st.html(f'<div class="gs-blocks gs-releases">{table(_COLUMNS, rows)}</div>')


def _name_of(release: Release) -> Html | str:
    """The release, and below it which synthetic queries were asked for, where there are any."""
    name, mode = f"{release.name}@{release.number}", release.counts.get("synthetic")
    return with_note(name, f"synthetic: {in_words(str(mode))}") if mode else name


def start_export(
    workspace: Workspace, person: Person, name: str, options: Mapping[str, Any]
) -> None:
    """Start a release; while one is being made, say that the press started nothing."""
    at_work = latest_job(workspace, EXPORT_JOB)
    if at_work is not None and at_work.active:
        note("A release is being made. This press started no other one.", kind="warning")
        return
    parameters = {"name": name, "actor": person.name, **options}
    start(workspace, person, EXPORT_JOB, EXPORT_TARGET, parameters)


def offer_archive(workspace: Workspace, person: Person, releases: Sequence[Release]) -> None:
    """A button that downloads the task folder of the newest release; made when it is asked for."""
    newest = max(releases, key=lambda release: release.created_at)
    name, number = newest.name, newest.number
    if not fits_archive(workspace, name, number):
        muted(f"The task folder of {name}@{number} is too large to be downloaded from here.")
        return
    st.download_button(
        f"Download {name}@{number}",
        data=partial(release_archive, workspace, person, name, number),
        file_name=archive_name(name, number),
        mime="application/zip",
        on_click="ignore",
        icon=":material/download:",
        key=f"archive_{name}_{number}",
        help="The task folder as a zip file.",
    )


def show_export(_: Job, outcome: Outcome) -> None:
    """What an export brought: counts in, counts left out, and what a reader should know."""
    same = "unchanged: it holds the same as before" if outcome.get("unchanged") else "new"
    figures = [Tile("Release", f"{outcome['release']}", same)]
    figures += [Tile(in_words(what).capitalize(), count(outcome[what])) for what in _SHOWN]
    part = outcome.get("synthetic") or {}
    if part.get("queries") or part.get("left_out"):
        chosen = in_words(str(part["mode"])).capitalize()
        figures.append(Tile("Synthetic queries", chosen, f"{count(part['queries'])} of them here"))
    st.html(tiles(figures))
    dropped = _dropped(outcome["dropped"])
    if dropped:
        note(f"Queries left out: {dropped}.")
    for warning in outcome["warnings"]:
        note(str(warning), kind="warning")
    st.html(f'<p class="gs-muted">The task folder: {inline(outcome["task_dir"])}</p>')


def _dropped(reasons: Outcome) -> str:
    """Reasons with their counts, those that are not 0."""
    told = ((_DROPPED.get(reason) or in_words(reason), n) for reason, n in reasons.items() if n)
    return ", ".join(f"{count(n)} {what}" for what, n in told)


_SHOWN = ("documents", "queries", "judgments")
