"""Takes the latest import back: the lake becomes what it would be had that import never been.

The manifest names the files of before its latest import (`online.manifest.Former`), and no writer
sweeps them before the next import. Taking back is one new manifest that names them again: a kill at
any point leaves the lake as before or after. What must not come back stays away: days that expired
since are left out, and where a user's events were erased nothing can be taken back any more.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from online.bots import judge_again
from online.events import OnlineError
from online.lake import LONGEST_WAIT_S, Lake, Progress, Writing
from online.manifest import LatestImport, Manifest, TableName

WHY_NOT: Mapping[str, str] = {
    "": "no import is known that could be taken back",
    "erased": "the latest import cannot be taken back: a user's events were erased since",
    "taken_back": "the latest import was taken back already; earlier ones cannot be",
}
"""`Manifest.no_undo` -> what is told."""


@dataclass(frozen=True, slots=True)
class Import:
    """An import that can be taken back, or was.

    Attributes:
        name: The name of its file; untrusted.
        at: When it was committed, ISO 8601 in UTC.
        accepted: How many rows of its file were accepted.
        searches: How many searches the lake has by it, and loses with it.
        interactions: How many interactions.
        commit: Which commit of the lake it was.
    """

    name: str
    at: str
    accepted: int
    searches: int
    interactions: int
    commit: int

    def as_json(self) -> dict[str, Any]:
        """For `--json` and the log of activity."""
        return {
            "file": self.name,
            "imported_at": self.at,
            "accepted": self.accepted,
            "searches": self.searches,
            "interactions": self.interactions,
        }


def latest_import(lake: Lake) -> Import:
    """The import that `take_back` would take back at this moment.

    Raises:
        OnlineError: There is none, and why.
    """
    return _import(lake.manifest(), lake)


def take_back(
    lake: Lake,
    meant: Import,
    progress: Progress | None = None,
    *,
    longest_wait_s: float = LONGEST_WAIT_S,
) -> Import:
    """Show the lake as it was before its latest import, as a new commit.

    The import's files stay for an hour for readers at work. Its rows in quarantine stay as well.

    Args:
        lake: The events. Another import at work is waited for.
        meant: The import that somebody looked at (`latest_import`).
        progress: Told that we wait; may raise to cancel, which leaves the lake as it was.
        longest_wait_s: After how many seconds of waiting to give up.

    Returns:
        What was taken back.

    Raises:
        OnlineError: It is not the latest import any more, or cannot be taken back, and why; or the
            lake is held or damaged.
    """
    with lake.writing(progress, longest_wait_s=longest_wait_s) as writing:
        now = _import(writing.manifest, lake)
        if now.commit != meant.commit:
            raise OnlineError(
                "another import has come since; nothing was taken back",
                where=str(lake.root),
                hint="look which is the latest now, then ask again",
            )
        assert writing.manifest.latest  # noqa: S101 - for the type checker
        _restore(writing, writing.manifest.latest)
        return now


def _restore(writing: Writing, latest: LatestImport) -> None:
    lost = [path for path in latest.before.paths if not (writing.root / path).is_file()]
    if lost:
        raise OnlineError(
            f"the latest import cannot be taken back: files of before it are gone ({min(lost)})",
            where=str(writing.root),
            hint="put the lake back from a backup",
        )
    writing.restore(latest.before)
    if latest.before.judge_bots:
        judge_again(writing)
    writing.forbid_undo("taken_back")
    writing.commit(count=False)


def _import(manifest: Manifest, lake: Lake) -> Import:
    latest = manifest.latest
    if latest is None:
        hint = "only the latest import can be taken back, until the next one"
        raise OnlineError(WHY_NOT[manifest.no_undo], where=str(lake.root), hint=hint)
    searches, interactions = (_more_rows(manifest, latest, t) for t in ("searches", "interactions"))
    return Import(latest.name, latest.at, latest.accepted, searches, interactions, latest.commit)


def _more_rows(manifest: Manifest, latest: LatestImport, table: TableName) -> int:
    now, before = (sum(f.rows for f in state.files(table)) for state in (manifest, latest.before))
    return now - before
