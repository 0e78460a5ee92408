"""Whether the corpus is fit to be judged: large enough, without copies of what is relevant."""

import hashlib
import json
from contextlib import suppress
from functools import cache
from pathlib import Path
from uuid import uuid4

from builder.pooling.sanity_facts import find_facts
from builder.pooling.sanity_findings import Finding, findings
from builder.store.sanity_marks import sanity_marks
from builder.workspace import Workspace
from evals.records import Progress

__all__ = ["Finding", "corpus_sanity", "kept_sanity"]

_FILE = "corpus_sanity.json"
_COMPUTED_BY = ("near_copies.py", "sanity*.py")


def corpus_sanity(workspace: Workspace, progress: Progress | None = None) -> list[Finding]:
    """What is odd about the corpus, warnings first; [] where nothing is.

    It is kept in the cache by the state of corpus, grades and log.

    Args:
        workspace: Whose corpus.
        progress: Hears how far it is; may raise to stop.

    Raises:
        OnlineError: The lake is damaged.
    """
    known = kept_sanity(workspace)
    if known is not None:
        return known
    state = _state(workspace)
    found = findings(find_facts(workspace, progress))
    if _state(workspace) == state:  # nobody changed anything meanwhile
        with suppress(OSError):
            _keep(workspace, state, found)
    return found


def kept_sanity(workspace: Workspace) -> list[Finding] | None:
    """What was found for corpus, grades and log as they are now; None: not looked at yet."""
    try:
        told = json.loads((workspace.cache_folder / _FILE).read_text(encoding="utf-8"))
        if told["state"] != _state(workspace):
            return None
        return [Finding.from_json(finding) for finding in told["findings"]]
    except (OSError, ValueError, TypeError, KeyError):
        return None


def _keep(workspace: Workspace, state: str, found: list[Finding]) -> None:
    told = {"state": state, "findings": [finding.as_json() for finding in found]}
    file = workspace.cache_folder / _FILE
    scratch = file.with_name(f".{_FILE}-{uuid4().hex}")
    try:
        scratch.write_text(json.dumps(told, ensure_ascii=False), encoding="utf-8", newline="\n")
        scratch.replace(file)
    finally:
        scratch.unlink(missing_ok=True)


def _state(workspace: Workspace) -> str:
    """A digest of all that the findings depend on: store, log, rule of weak grades, and code."""
    with workspace.store.read() as connection:
        marks = sanity_marks(connection)
    rule = workspace.settings.weak_grades.model_dump()
    told = [marks, workspace.lake.version, rule, _code()]
    return hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()


@cache
def _code() -> str:
    """Of which code the findings are, so that none of an older Goldsmith is taken for new."""
    digest = hashlib.sha256()
    for pattern in _COMPUTED_BY:
        for file in sorted(Path(__file__).parent.glob(pattern)):
            digest.update(file.read_bytes())
    return digest.hexdigest()
