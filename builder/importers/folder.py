"""Imports a whole task folder, as BEIR, MTEB and Goldsmith write it."""

from collections.abc import Iterable
from pathlib import Path
from typing import Literal

from builder.errors import ImportFailedError
from builder.importers.corpus import CorpusImport
from builder.importers.intake import Options, Part, bring_in
from builder.importers.judgments import JudgmentsImport
from builder.importers.queries import QueriesImport
from builder.importers.releases import ReleaseNotes
from builder.importers.side import SideFile
from builder.people import Person
from builder.workspace import Workspace
from estimates import ImportTally
from evals.qrels import WEAK_SPLIT, find_qrels
from evals.records import Progress

ENDINGS = (".jsonl", ".parquet", ".csv", ".tsv", ".json")


def import_folder(  # noqa: PLR0913 - these are the options of the command
    workspace: Workspace,
    folder: Path,
    *,
    update: bool = False,
    repair: bool = False,
    rater: str | None = None,
    progress: Progress | None = None,
    actor: Person | None = None,
) -> dict[str, ImportTally]:
    """Import documents, queries and the qrels of all splits of a task folder, at one stroke.

    The qrels become the grades of one rater of the kind `import` who is called as the folder; weak
    labels from clicks, which nobody judged, are left out under a note. Notes of the judgments tell
    what a release says in goldsmith.json, as `import_judgments` does, and under `grades_of_models`
    how many synthetic queries rest on the grade of a language model, which qrels do not tell apart.

    Args:
        workspace: Where to.
        folder: Holds corpus.jsonl, queries.jsonl (or .parquet, .csv, .tsv; .gz or not) and qrels.
        update: Whether other content of a known id replaces it; else it goes into quarantine.
        repair: Whether U+FFFD replaces U+0000 and lone surrogates; else into quarantine.
        rater: Another name for the rater.
        progress: Called with what is done, rows read, and of how many; may raise to cancel.
        actor: Who asks, at least an analyst; None is the command line.

    Returns:
        What became of the rows of `corpus`, `queries` and `judgments`.

    Raises:
        ImportFailedError: It is no task folder, or one of its files cannot be read.
        NotAllowedError: `actor` may not import.
    """
    if not folder.is_dir():
        raise ImportFailedError("This is no folder.", where=str(folder))
    name = folder.resolve().name
    qrels = JudgmentsImport(
        [file for split, file in find_qrels(folder).items() if split != WEAK_SPLIT],
        f"{name}-judgments",
        fallback=rater or name,
        named=bool(rater),
        release=(ReleaseNotes.of_folder(folder), workspace),
    )
    corpus = CorpusImport(_files(folder, "corpus"), f"{name}-corpus", _side(folder, "corpus"))
    queries = QueriesImport(_files(folder, "queries"), f"{name}-queries", _side(folder, "queries"))
    parts: dict[str, Part] = {"corpus": corpus, "queries": queries, "judgments": qrels}
    return bring_in(workspace, parts, Options(update, repair, None, progress), actor)


def _side(folder: Path, what: Literal["corpus", "queries"]) -> SideFile | None:
    plain = folder / f"{what}_metadata.jsonl"
    packed = plain.with_name(f"{plain.name}.gz")
    file = next((file for file in (plain, packed) if file.is_file()), None)
    return SideFile(what, file) if file else None


def _files(folder: Path, what: str) -> list[Path]:
    """The file of this name, or the files in the folder of this name, as hubs keep them."""
    for ending in ENDINGS:
        for packed in ("", ".gz"):
            file = folder / f"{what}{ending}{packed}"
            if file.is_file():
                return [file]
    shards = sorted(_with_ending((folder / what).glob("*")))
    if not shards:
        raise ImportFailedError(
            f"This is no task folder: {what}.jsonl is not there.",
            where=str(folder),
            hint="A task folder holds corpus.jsonl, queries.jsonl and qrels/test.tsv.",
        )
    return shards


def _with_ending(files: Iterable[Path]) -> Iterable[Path]:
    return (file for file in files if file.name.removesuffix(".gz").endswith(ENDINGS))
