"""An import as a job: what the browser uploaded is brought in, then removed."""

import shutil
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from builder.errors import BuilderError
from builder.events import import_search_events
from builder.importers.book import import_book
from builder.importers.corpus import import_corpus
from builder.importers.folder import import_folder
from builder.importers.judgments import import_judgments
from builder.importers.queries import import_queries
from builder.people import Person, ensure_person, require
from builder.workspace import Workspace
from estimates import ImportTally
from evals.records import Progress

UPLOADS = "uploads"


def uploads_folder(workspace: Workspace) -> Path:
    """Where uploaded files wait for their import, each in a folder of its own."""
    return workspace.cache_folder / UPLOADS


def import_job(
    workspace: Workspace, parameters: Mapping[str, Any], progress: Progress
) -> dict[str, Any]:
    """Import what was uploaded.

    Args:
        workspace: Where to.
        parameters: what: corpus, queries, judgments, events, folder or book; path: of the file or
            folder, inside `uploads_folder`; actor: who asks; and where it fits update, rater,
            timezone; keep: whether the file stays if nothing of it came in, for another try.
        progress: Told of each step; may raise to cancel.

    Returns:
        {"what", "file", "tallies": {corpus, queries, judgments or events: tally as JSON}}.

    Raises:
        BuilderError: The path is no upload, or the import failed.
        NotAllowedError: The actor may not import.
    """
    path = _upload(workspace, Path(str(parameters["path"])))
    actor = ensure_person(workspace, str(parameters["actor"]))
    require(actor, "analyst")
    keep = bool(parameters.get("keep"))
    try:
        tallies = _import(workspace, path, actor, parameters, progress)
        keep = keep and not any(_came_in(tally) for tally in tallies.values())
    finally:
        if not keep:
            shutil.rmtree(path.parent, ignore_errors=True)
    return {
        "what": parameters["what"],
        "file": path.name,
        "tallies": {what: tally.as_json() for what, tally in tallies.items()},
    }


def _came_in(tally: ImportTally) -> bool:
    return bool(tally.accepted or tally.duplicate or tally.updated)


def _upload(workspace: Workspace, path: Path) -> Path:
    folder = uploads_folder(workspace).resolve()
    if path.resolve().parent.parent != folder:
        raise BuilderError("This is no uploaded file.", where=str(path))
    return path


def _import(
    workspace: Workspace,
    path: Path,
    actor: Person,
    parameters: Mapping[str, Any],
    progress: Progress,
) -> dict[str, ImportTally]:
    what = str(parameters["what"])
    update, rater = bool(parameters.get("update")), parameters.get("rater") or None
    if what == "corpus":
        return {what: import_corpus(workspace, path, update=update, progress=progress, actor=actor)}
    if what == "queries":
        return {
            what: import_queries(workspace, path, update=update, progress=progress, actor=actor)
        }
    if what == "judgments":
        return {
            what: import_judgments(workspace, path, rater=rater, progress=progress, actor=actor)
        }
    if what == "folder":
        return import_folder(workspace, path, update=update, progress=progress, actor=actor)
    if what == "book":
        return import_book(workspace, path, update=update, progress=progress, actor=actor)
    how = _event_options(parameters)
    return {"events": import_search_events(workspace, path, actor.name, progress, **how)}


def _event_options(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """How a log is read; an empty text says nothing, as an empty field of a form."""
    from online.sources.mapping import TableMap, parse_mapping

    text, model = parameters.get("mapping"), parameters.get("model_version")
    mapping = parse_mapping(str(text), "the mapping") if text else TableMap()
    if model:
        mapping = replace(mapping, constants={"model_version": model, **mapping.constants})
    how = {key: parameters.get(key) or None for key in ("timezone", "format", "table")}
    return {**how, "rank_base": parameters.get("rank_base"), "mapping": mapping}
