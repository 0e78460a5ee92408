"""The folder that a team works in: settings, grades, events, task folders, results."""

from contextlib import ExitStack
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from builder.errors import WorkspaceError
from builder.settings import Settings, read_settings, write_default_settings
from builder.store import Store, open_store
from builder.store.quota import QuotaRule, apply_rule, needs_rule
from builder.store.rechecks import reopen_rechecks

if TYPE_CHECKING:
    from online.lake import Lake

SETTINGS_FILE = "workspace.toml"
DATABASE_FILE = "workbench.db"
GUIDELINES_FILE = "guidelines.md"

GUIDELINES = """\
How we grade

Read the query and, where there is one, the information need below it. Then ask of each document: \
how much would it help a person who searched for this? Grade the document as it stands, not what \
it links to, and not how well it is written.

3 - highly relevant: it answers the need fully; the search could end here.
2 - relevant: it answers the need in part, or fully beside much else.
1 - marginally relevant: it is on the subject, but does not answer the need.
0 - not relevant: it does not help.

In doubt between two grades, give the lower one, and write a comment. Two documents that say the \
same get the same grade. Where you \
cannot judge a pair, press X and say why; where the query itself makes no sense, press Q. S puts a \
pair off until all others are done.
"""


class Workspace:
    """One workspace: where everything lies, and the stores in it.

    Attributes:
        root: The folder, absolute.
        settings: What workspace.toml says.
        store: Documents, queries, pool and grades.
    """

    def __init__(self, root: Path, settings: Settings, store: Store) -> None:
        self.root = root
        self.settings = settings
        self.store = store

    @property
    def evals_folder(self) -> Path:
        """Where exported task folders lie."""
        return self._folder("evals")

    @property
    def results_folder(self) -> Path:
        """Where results of evaluations lie."""
        return self._folder("results")

    @property
    def runs_folder(self) -> Path:
        """Where runs lie."""
        return self._folder("runs")

    @property
    def cache_folder(self) -> Path:
        """Where what can be computed again lies."""
        return self._folder("cache")

    @property
    def quarantine_folder(self) -> Path:
        """Where rows lie that no import could take."""
        return self._folder("quarantine")

    @property
    def guidelines_file(self) -> Path:
        """The text that tells raters how to grade."""
        return self.root / GUIDELINES_FILE

    @cached_property
    def lake(self) -> "Lake":
        """The search events; opened when first asked for."""
        from online.lake import Lake

        return Lake(self._folder("events"))

    def close(self) -> None:
        """Give back the connections."""
        self.store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _folder(self, name: str) -> Path:
        folder = self.root / name
        folder.mkdir(exist_ok=True)
        return folder


def init_workspace(folder: Path, name: str | None = None) -> Workspace:
    """Make `folder` a workspace called `name` (default: as the folder) and open it.

    No file that is there already is changed; a workbench.db without settings is taken over.

    Raises:
        WorkspaceError: It is a workspace already, or cannot be written.
        SettingsError: The name is blank or too long.
    """
    root = folder.absolute()
    if (root / SETTINGS_FILE).exists():
        raise WorkspaceError(
            f"This folder is a workspace already: it holds {SETTINGS_FILE}. Nothing was changed.",
            where=str(root),
            hint="Work in it as it is, or name another folder.",
        )
    try:
        return _make(root, name or root.name or "workspace")
    except OSError as error:
        raise WorkspaceError(
            f"The workspace cannot be made: {error.strerror}.", where=str(root)
        ) from error


def _make(root: Path, name: str) -> Workspace:
    root.mkdir(parents=True, exist_ok=True)
    guidelines = root / GUIDELINES_FILE
    if not guidelines.exists():
        guidelines.write_text(GUIDELINES, encoding="utf-8", newline="\n")
    with ExitStack() as undo:
        store = open_store(root / DATABASE_FILE)
        undo.callback(store.close)
        # Last: whoever finds the settings finds a whole workspace.
        write_default_settings(root / SETTINGS_FILE, name)
        settings = read_settings(root / SETTINGS_FILE)
        _apply_rules(store, settings)
        undo.pop_all()
    return Workspace(root, settings, store)


def is_workspace(folder: Path) -> bool:
    """Whether the folder holds a workspace, whole or broken."""
    return (folder / SETTINGS_FILE).exists()


def open_workspace(folder: Path) -> Workspace:
    """The workspace in `folder`; its database is upgraded first where it is older.

    Raises:
        WorkspaceError: The folder is no workspace, or one of a newer Goldsmith.
        SettingsError: workspace.toml cannot be read as it stands.
    """
    root = folder.absolute()
    if not (root / SETTINGS_FILE).is_file():
        raise WorkspaceError(
            f"This folder is no workspace: {SETTINGS_FILE} is not there.",
            where=str(root),
            hint=f"Make one with `goldsmith --workspace {folder} init`, or name another one "
            "with --workspace or GOLDSMITH_WORKSPACE.",
        )
    database = root / DATABASE_FILE
    if not database.is_file() or not database.stat().st_size:
        raise WorkspaceError(
            f"The workspace has lost its database: {DATABASE_FILE} is absent or empty.",
            where=str(database),
            hint="Bring a copy back with `goldsmith restore FILE`; some may lie in the folder "
            "backups.",
        )
    settings = read_settings(root / SETTINGS_FILE)
    with ExitStack() as undo:
        store = open_store(root / DATABASE_FILE)
        undo.callback(store.close)
        _apply_rules(store, settings)
        undo.pop_all()
    return Workspace(root, settings, store)


def _apply_rules(store: Store, settings: Settings) -> None:
    """Let the pairs want as many grades as the settings say; writes only what has changed."""
    rule = QuotaRule(settings.raters_per_pair, settings.overlap_share)
    with store.read() as connection:
        changed = needs_rule(connection, rule)
    if changed:
        with store.write() as connection:
            apply_rule(connection, rule)
            reopen_rechecks(connection)
